/* A driver is used while it is being stopped. A user counts itself in after it has looked at the flag; in between the stop
   may have taken place, and the assertion fails.
   P4, Table 2, BluetoothBad; the algorithm is that of the Bluetooth driver of Qadeer and Wu, "KISS: keep it simple and
   sequential" (PLDI 2004). */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

struct device {
    int pending; /* one for the driver itself, and one for each user */
    bool stopping;
    bool drained;
};

static bool stopped;

static bool enter(struct device *device)
{
    if (device->stopping)
        return false;
    __VERIFIER_atomic_begin();
    device->pending++;
    __VERIFIER_atomic_end();
    return true;
}

static void leave(struct device *device)
{
    __VERIFIER_atomic_begin();
    int left = --device->pending;
    __VERIFIER_atomic_end();
    if (left == 0)
        device->drained = true;
}

static void use(struct device *device)
{
    if (enter(device))
        assert(!stopped);
    leave(device);
}

static void *stop(void *arg)
{
    struct device *device = arg;
    device->stopping = true;
    leave(device);
    if (device->drained)
        stopped = true; /* what the driver had is released here */
    return NULL;
}

int main(void)
{
    struct device device = {.pending = 1};
    pthread_t thread;
    pthread_create(&thread, NULL, stop, &device);
    use(&device);
    pthread_join(thread, NULL);
    return 0;
}
