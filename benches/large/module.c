
// Module @N: records in a hash table and in a tree.
struct item_@N {
    struct item_@N *next;
    struct item_@N *previous;
    char *name;
    int key, value;
    int (*rank)(const struct item_@N *);
    int history[@S];
};

struct branch_@N {
    struct branch_@N *left, *right;
    struct item_@N *item;
    int depth;
};

struct table_@N;

struct operations_@N {
    struct item_@N *(*find)(struct table_@N *, int);
    int (*put)(struct table_@N *, int, int);
    void (*remove)(struct table_@N *, int);
};

struct table_@N {
    const struct operations_@N *operations;
    struct item_@N *buckets[@B];
    struct branch_@N *root;
    struct list recent;
    pthread_mutex_t lock;
    int count;
};

static struct table_@N *tables_@N[2];
static int hits_@N, misses_@N;

static int rank_by_key_@N(const struct item_@N *item) {
    return item->key * @K;
}

static int rank_by_value_@N(const struct item_@N *item) {
    return item->value ^ item->history[item->key & 3];
}

static struct item_@N *item_new_@N(int key, int value) {
    struct item_@N *item = xmalloc(sizeof *item);
    memset(item, 0, sizeof *item);
    item->key = key;
    item->value = value;
    item->name = xstrdup("item @N");
    item->rank = key & 1 ? rank_by_key_@N : rank_by_value_@N;
    return item;
}

static void item_free_@N(struct item_@N *item) {
    free(item->name);
    free(item);
}

static void item_note_@N(struct item_@N *item, int value) {
    for (int i = @S - 1; i > 0; i--)
        item->history[i] = item->history[i - 1];
    item->history[0] = value;
}

static struct branch_@N *branch_put_@N(struct branch_@N *branch, struct item_@N *item, int depth) {
    if (!branch) {
        branch = xmalloc(sizeof *branch);
        branch->left = branch->right = 0;
        branch->item = item;
        branch->depth = depth;
        return branch;
    }
    if (item->rank(item) < branch->item->rank(branch->item))
        branch->left = branch_put_@N(branch->left, item, depth + 1);
    else
        branch->right = branch_put_@N(branch->right, item, depth + 1);
    return branch;
}

static struct item_@N *branch_least_@N(struct branch_@N *branch) {
    while (branch && branch->left)
        branch = branch->left;
    return branch ? branch->item : 0;
}

static void branch_free_@N(struct branch_@N *branch) {
    if (!branch)
        return;
    branch_free_@N(branch->left);
    branch_free_@N(branch->right);
    free(branch);
}

static struct branch_@N *branch_rotate_@N(struct branch_@N *branch) {
    struct branch_@N *right = branch->right;
    if (!right)
        return branch;
    branch->right = right->left;
    right->left = branch;
    right->depth--;
    branch->depth++;
    return right;
}

static unsigned hash_@N(int key) {
    unsigned h = (unsigned)key * 2654435761u;
    return (h >> 16 ^ h) % @B;
}

static struct item_@N *find_@N(struct table_@N *table, int key) {
    struct item_@N *item = table->buckets[hash_@N(key)];
    while (item && item->key != key)
        item = item->next;
    if (item)
        hits_@N++;
    else
        misses_@N++;
    return item;
}

static void unlink_@N(struct table_@N *table, struct item_@N *item) {
    if (item->previous)
        item->previous->next = item->next;
    else
        table->buckets[hash_@N(item->key)] = item->next;
    if (item->next)
        item->next->previous = item->previous;
    item->next = item->previous = 0;
}

static int put_@N(struct table_@N *table, int key, int value) {
    pthread_mutex_lock(&table->lock);
    struct item_@N *item = table->operations->find(table, key);
    if (!item) {
        struct item_@N **bucket = &table->buckets[hash_@N(key)];
        item = item_new_@N(key, value);
        item->next = *bucket;
        if (*bucket)
            (*bucket)->previous = item;
        *bucket = item;
        table->root = branch_put_@N(table->root, item, 0);
        table->count++;
    }
    item->value = value;
    item_note_@N(item, value);
    list_push(&table->recent, item);
    int count = table->count;
    pthread_mutex_unlock(&table->lock);
    return count;
}

static void remove_@N(struct table_@N *table, int key) {
    pthread_mutex_lock(&table->lock);
    struct item_@N *item = find_@N(table, key);
    if (item) {
        unlink_@N(table, item);
        branch_free_@N(table->root);
        table->root = 0;
        for (int i = 0; i < @B; i++)
            for (struct item_@N *other = table->buckets[i]; other; other = other->next)
                table->root = branch_put_@N(table->root, other, 0);
        while (list_pop(&table->recent))
            ;
        item_free_@N(item);
        table->count--;
    }
    pthread_mutex_unlock(&table->lock);
}

static const struct operations_@N operations_@N = {find_@N, put_@N, remove_@N};

static struct table_@N *table_new_@N(void) {
    struct table_@N *table = xmalloc(sizeof *table);
    table->operations = &operations_@N;
    for (int i = 0; i < @B; i++)
        table->buckets[i] = 0;
    table->root = 0;
    table->recent.first = 0;
    table->recent.length = 0;
    table->count = 0;
    pthread_mutex_init(&table->lock, 0);
    return table;
}

static void add_value_@N(void *data, void *context) {
    struct item_@N *item = data;
    *(int *)context += item->value;
}

static int handle_@N(void *self, int event, void *message) {
    struct table_@N *table = self;
    int *amount = message;
    int sum = 0;
    pthread_mutex_lock(&table->lock);
    list_each(&table->recent, add_value_@N, &sum);
    if (table->root)
        table->root = branch_rotate_@N(table->root);
    struct item_@N *least = branch_least_@N(table->root);
    if (least)
        sum += least->rank(least);
    pthread_mutex_unlock(&table->lock);
    *amount += event;
    return sum;
}

static void job_@N(void *argument) {
    struct table_@N *table = argument;
    table->operations->put(table, @K, hits_@N);
    table->operations->remove(table, @K + 1);
    total_add(table->count);
}

int module_@N(int n, struct list *found) {
    if (!tables_@N[n & 1]) {
        tables_@N[n & 1] = table_new_@N();
        handler_add(handle_@N, tables_@N[n & 1], @N % 7);
    }
    struct table_@N *table = tables_@N[n & 1];
    for (int i = 0; i < n; i++)
        table->operations->put(table, i * @K, n - i);
    struct item_@N *item = table->operations->find(table, n);
    if (item)
        list_push(found, item->name);
    int result = n;
    switch (n % 5) {
    case 0:
        result += module_@X(n / 2, found);
        break;
    case 1:
        result += module_@Y(n - 1, found) + hits_@N;
        break;
    case 2:
        result += handlers_call(n % 7, &result);
        break;
    case 3:
        job_add(job_@N, table);
        break;
    default:
        table->operations->remove(table, n);
    }
    return result;
}
