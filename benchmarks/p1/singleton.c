/* Four threads write a letter to the object that one pointer points to, three of them an X and one a Y. The assertion wants
   an X and fails if the Y is last.
   P1, Table 2, singletonfalse; the algorithm is that of SV-COMP's singleton. There are no inputs. DPOR tells the 4! = 24
   orders of the writes apart, in the paper and here. The paper's 60 schedules would be those of an additional access in one of
   the threads; reading the pointer, which nobody changes any more, is no scheduling point of Sleave. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char *object;

static void *write_x(void *arg)
{
    *object = 'X';
    return arg;
}

static void *write_y(void *arg)
{
    *object = 'Y';
    return arg;
}

int main(void)
{
    pthread_t threads[4];
    object = malloc(1);
    pthread_create(&threads[0], NULL, write_x, NULL);
    pthread_create(&threads[1], NULL, write_y, NULL);
    pthread_create(&threads[2], NULL, write_x, NULL);
    pthread_create(&threads[3], NULL, write_x, NULL);
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
    assert(*object == 'X');
    return 0;
}
