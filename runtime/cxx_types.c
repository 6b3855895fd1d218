/*
 * Run-time type information: what the type infos that compilers emit refer to, those of the fundamental types, and dynamic_cast. Layouts
 * are those of the Itanium C++ ABI. The machine tells the kinds apart by the tables' names.
 */
#include "sleave_runtime.h"

struct type_info {
    const void *const *table;
    const char *name;
};

struct single_base_type_info {
    struct type_info info;
    const struct type_info *base;
};

struct pointer_type_info {
    struct type_info info;
    unsigned flags;
    const struct type_info *pointee;
};

#define BASE_VIRTUAL 1
#define BASE_PUBLIC 2
#define BASE_OFFSET_SHIFT 8

struct bases_type_info {
    struct type_info info;
    unsigned flags;
    unsigned count;
    struct {
        const struct type_info *info;
        long details;
    } bases[];
};

/* The functions in these tables are the C++ runtime library's own business: nothing calls them. */
#define TABLE(name) const void *const name[10] = {0};

TABLE(_ZTVN10__cxxabiv117__class_type_infoE)
TABLE(_ZTVN10__cxxabiv120__si_class_type_infoE)
TABLE(_ZTVN10__cxxabiv121__vmi_class_type_infoE)
TABLE(_ZTVN10__cxxabiv119__pointer_type_infoE)
TABLE(_ZTVN10__cxxabiv129__pointer_to_member_type_infoE)
TABLE(_ZTVN10__cxxabiv120__function_type_infoE)
TABLE(_ZTVN10__cxxabiv117__array_type_infoE)
TABLE(_ZTVN10__cxxabiv116__enum_type_infoE)
TABLE(_ZTVN10__cxxabiv123__fundamental_type_infoE)

/* X, X * and const X * for a fundamental type X, whose code in a mangled name is given. */
#define FUNDAMENTAL(code)                                                                                                              \
    const struct type_info _ZTI##code = {_ZTVN10__cxxabiv123__fundamental_type_infoE + 2, #code};                                      \
    const struct pointer_type_info _ZTIP##code = {{_ZTVN10__cxxabiv119__pointer_type_infoE + 2, "P" #code}, 0, &_ZTI##code};           \
    const struct pointer_type_info _ZTIPK##code = {{_ZTVN10__cxxabiv119__pointer_type_infoE + 2, "PK" #code}, 1, &_ZTI##code};

FUNDAMENTAL(v)
FUNDAMENTAL(b)
FUNDAMENTAL(c)
FUNDAMENTAL(a)
FUNDAMENTAL(h)
FUNDAMENTAL(w)
FUNDAMENTAL(s)
FUNDAMENTAL(t)
FUNDAMENTAL(i)
FUNDAMENTAL(j)
FUNDAMENTAL(l)
FUNDAMENTAL(m)
FUNDAMENTAL(x)
FUNDAMENTAL(y)
FUNDAMENTAL(n)
FUNDAMENTAL(o)
FUNDAMENTAL(f)
FUNDAMENTAL(d)
FUNDAMENTAL(e)
FUNDAMENTAL(g)
FUNDAMENTAL(Dn)
FUNDAMENTAL(Di)
FUNDAMENTAL(Ds)
FUNDAMENTAL(Du)

/* Objects are told apart by type and address. */
struct search {
    const struct type_info *wanted;
    const char *wanted_at; /* or null: anywhere */
    const char *found;
    int found_public;
    int found_several;
};

static const char *base_address(const char *object, long details)
{
    long offset = details >> BASE_OFFSET_SHIFT;
    if (details & BASE_VIRTUAL)
        offset = *(const ptrdiff_t *)(*(const char *const *)object + offset);
    return object + offset;
}

static void find_base(struct search *search, const char *object, const struct type_info *class, int public)
{
    if (class == search->wanted) {
        if (search->wanted_at && search->wanted_at != object)
            return;
        if (search->found && search->found != object) {
            search->found_several = 1;
            return;
        }
        search->found = object;
        search->found_public |= public;
    } else if (class->table == _ZTVN10__cxxabiv120__si_class_type_infoE + 2) {
        find_base(search, object, ((const struct single_base_type_info *)class)->base, public);
    } else if (class->table == _ZTVN10__cxxabiv121__vmi_class_type_infoE + 2) {
        const struct bases_type_info *several = (const struct bases_type_info *)class;
        for (unsigned i = 0; i < several->count; i++) {
            long details = several->bases[i].details;
            find_base(search, base_address(object, details), several->bases[i].info, public && (details & BASE_PUBLIC));
        }
    }
}

/* Looks for objects of the target's type that have the source as a public base. */
struct downcast {
    const char *source;
    const struct type_info *source_type;
    const struct type_info *target_type;
    const char *found;
    int found_several;
};

static void find_derived(struct downcast *cast, const char *object, const struct type_info *class)
{
    if (class == cast->target_type) {
        struct search up = {cast->source_type, cast->source, (const char *)0, 0, 0};
        find_base(&up, object, class, 1);
        if (!up.found_public || cast->found == object)
            return;
        if (cast->found)
            cast->found_several = 1;
        cast->found = object;
    } else if (class->table == _ZTVN10__cxxabiv120__si_class_type_infoE + 2) {
        find_derived(cast, object, ((const struct single_base_type_info *)class)->base);
    } else if (class->table == _ZTVN10__cxxabiv121__vmi_class_type_infoE + 2) {
        const struct bases_type_info *several = (const struct bases_type_info *)class;
        for (unsigned i = 0; i < several->count; i++)
            find_derived(cast, base_address(object, several->bases[i].details), several->bases[i].info);
    }
}

void *__dynamic_cast(const void *source, const struct type_info *source_type, const struct type_info *target_type, ptrdiff_t hint)
{
    /* Before the functions in the table: how far the whole object is, and its type. */
    const void *const *table = *(const void *const *const *)source;
    const char *whole = (const char *)source + (ptrdiff_t)table[-2];
    const struct type_info *whole_type = table[-1];
    struct downcast cast = {source, source_type, target_type, (const char *)0, 0};
    (void)hint;
    find_derived(&cast, whole, whole_type);
    if (cast.found)
        return cast.found_several ? (void *)0 : (void *)cast.found;
    /* From one base of the whole object to another. */
    struct search from = {source_type, source, (const char *)0, 0, 0};
    find_base(&from, whole, whole_type, 1);
    struct search to = {target_type, (const char *)0, (const char *)0, 0, 0};
    find_base(&to, whole, whole_type, 1);
    return from.found_public && to.found_public && !to.found_several ? (void *)to.found : (void *)0;
}

/* std::type_info::operator==(const std::type_info &) const, where it is not inline; ~type_info() */
_Bool _ZNKSt9type_infoeqERKS_(const struct type_info *left, const struct type_info *right)
{
    return left == right || (left->name[0] != '*' && strcmp(left->name, right->name) == 0);
}
void _ZNSt9type_infoD2Ev(void *info) { (void)info; }
void _ZNSt9type_infoD1Ev(void *info) { (void)info; }
