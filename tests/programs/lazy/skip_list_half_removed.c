// sleave: --run 'remove_first(s)' --run 'check(s)' --before '__VERIFIER_assume(is_skip_list(s))'
// A list with an express lane: what is in the lane is in the list. A node is taken out of the list
// and out of the lane in two critical sections; in the wrong order, so that it is in the lane only
// for a moment.
// Shape: s -> {first[0] -> A, first[1] -> A}
// Schedule: the check comes between the two sections.
// expect: bug (assertion)
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

void __VERIFIER_assume(int);

struct node {
    struct node *next[2];
};

struct skip_list {
    struct node *first[2];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_in_list(struct skip_list *s, struct node *wanted)
{
    struct node *n = s->first[0];
    for (int k = 0; n != NULL && k < 2; k++) {
        if (n == wanted)
            return true;
        n = n->next[0];
    }
    return false;
}

/* Of the lane only the first node matters here. */
bool is_skip_list(struct skip_list *s)
{
    return s != NULL && (s->first[1] == NULL || is_in_list(s, s->first[1]));
}

void remove_first(struct skip_list *s)
{
    pthread_mutex_lock(&lock);
    struct node *n = s->first[0];
    if (n != NULL && n->next[0] != n)
        s->first[0] = n->next[0];
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (n != NULL && s->first[1] == n)
        s->first[1] = NULL;
    pthread_mutex_unlock(&lock);
}

void check(struct skip_list *s)
{
    pthread_mutex_lock(&lock);
    assert(s->first[1] == NULL || is_in_list(s, s->first[1])); //~ BUG(assertion)
    pthread_mutex_unlock(&lock);
}
