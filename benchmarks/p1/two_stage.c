/* Two threads set one variable and then, under another lock, a second one that follows from it. A third thread reads the
   first and then the second. It may do so in between and find the second behind: the assertion fails.
   P1, Table 2, twostage3false; the algorithm is that of SV-COMP's twostage_3. There are no inputs. The first variable is read
   a second time without its lock, as in the original. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *set(void *arg)
{
    pthread_mutex_lock(&first_lock);
    first = 1;
    pthread_mutex_unlock(&first_lock);

    pthread_mutex_lock(&second_lock);
    second = first + 1;
    pthread_mutex_unlock(&second_lock);
    return arg;
}

static void *read(void *arg)
{
    pthread_mutex_lock(&first_lock);
    int one = first;
    pthread_mutex_unlock(&first_lock);
    if (one == 0)
        return arg;

    pthread_mutex_lock(&second_lock);
    int two = second;
    pthread_mutex_unlock(&second_lock);
    assert(two == one + 1);
    return arg;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, set, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    pthread_create(&threads[2], NULL, read, NULL);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    return 0;
}
