// A struct is copied word by word, while another thread copies it.
#include <assert.h>
#include <pthread.h>

struct four {
    int a, b, c, d;
};

static struct four shared, ones = {1, 1, 1, 1};

static void *set(void *arg)
{
    shared = ones;
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    struct four seen = shared;
    assert(seen.a == seen.d); //~ BUG(assertion)
    pthread_join(thread, NULL);
    return 0;
}
