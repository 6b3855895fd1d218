// The count of readers is not protected: a writer gets in while a reader is there.
#include <assert.h>
#include <pthread.h>

static volatile int readers, writing;

static void *reader(void *arg)
{
    if (!writing) {
        readers = 1;
        assert(!writing); //~ BUG(assertion)
        readers = 0;
    }
    return NULL;
}

static void *writer(void *arg)
{
    if (!readers) {
        writing = 1;
        writing = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
