// sleave: --run 'remove_if_empty(d)' --run 'add_file(d, f)' --before '__VERIFIER_assume(is_disk(d))'
// Directories with files. Who adds a file looks up the first directory under the lock, and adds it
// when the lock was given back; an empty directory may be removed in between.
// Shape: d -> {first -> A {files -> null}}, f not null
// Schedule: the directory is removed between the two.
// expect: bug (memory): used when it was freed
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

void __VERIFIER_assume(int);

struct file {
    struct file *next;
};

struct directory {
    struct file *files;
    struct directory *next;
};

struct disk {
    struct directory *first;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The first directory is not behind itself. */
bool is_disk(struct disk *d)
{
    return d != NULL && (d->first == NULL || d->first->next != d->first);
}

void remove_if_empty(struct disk *d)
{
    pthread_mutex_lock(&lock);
    struct directory *first = d->first;
    if (first != NULL && first->files == NULL) {
        d->first = first->next;
        free(first);
    }
    pthread_mutex_unlock(&lock);
}

void add_file(struct disk *d, struct file *f)
{
    if (f == NULL)
        return;
    pthread_mutex_lock(&lock);
    struct directory *first = d->first;
    pthread_mutex_unlock(&lock);
    if (first == NULL)
        return;
    f->next = first->files; //~ BUG(memory)
    first->files = f; //~ BUG(memory)
}
