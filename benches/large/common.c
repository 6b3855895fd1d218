// What all modules share: memory, a list of anything, handlers with arguments of any type, jobs and their threads.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *xmalloc(size_t size) {
    void *p = malloc(size);
    if (!p)
        abort();
    return p;
}

static char *xstrdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = xmalloc(size);
    memcpy(copy, text, size);
    return copy;
}

struct link {
    struct link *next;
    void *data;
};

struct list {
    struct link *first;
    int length;
};

static void list_push(struct list *list, void *data) {
    struct link *link = xmalloc(sizeof *link);
    link->data = data;
    link->next = list->first;
    list->first = link;
    list->length++;
}

static void *list_pop(struct list *list) {
    struct link *link = list->first;
    if (!link)
        return 0;
    void *data = link->data;
    list->first = link->next;
    list->length--;
    free(link);
    return data;
}

static void list_each(struct list *list, void (*visit)(void *, void *), void *context) {
    for (struct link *link = list->first; link; link = link->next)
        visit(link->data, context);
}

typedef int (*handler_function)(void *self, int event, void *message);

struct handler {
    handler_function function;
    void *self;
    int event;
};

static struct handler handlers[MODULES];
static int handler_count;
static pthread_mutex_t handler_lock = PTHREAD_MUTEX_INITIALIZER;

static void handler_add(handler_function function, void *self, int event) {
    pthread_mutex_lock(&handler_lock);
    struct handler *handler = &handlers[handler_count++];
    handler->function = function;
    handler->self = self;
    handler->event = event;
    pthread_mutex_unlock(&handler_lock);
}

static int handlers_call(int event, void *message) {
    int sum = 0;
    for (int i = 0; i < handler_count; i++)
        if (handlers[i].event == event)
            sum += handlers[i].function(handlers[i].self, event, message);
    return sum;
}

struct job {
    void (*run)(void *);
    void *argument;
};

static struct list jobs;
static pthread_mutex_t job_lock = PTHREAD_MUTEX_INITIALIZER;

static void job_add(void (*run)(void *), void *argument) {
    struct job *job = xmalloc(sizeof *job);
    job->run = run;
    job->argument = argument;
    pthread_mutex_lock(&job_lock);
    list_push(&jobs, job);
    pthread_mutex_unlock(&job_lock);
}

static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&job_lock);
        struct job *job = list_pop(&jobs);
        pthread_mutex_unlock(&job_lock);
        if (!job)
            return 0;
        job->run(job->argument);
        free(job);
    }
}

static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void total_add(int amount) {
    pthread_mutex_lock(&total_lock);
    total += amount;
    pthread_mutex_unlock(&total_lock);
}
