/*
 * The atomic operations that a compiler leaves to a library: of sizes that the processor has no instruction for, and of 16 bytes. Each is
 * one step to other threads.
 */
#include "sleave_runtime.h"

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int memcmp(const void *, const void *, size_t);

/* The compiler knows these names as builtins, of other types. */
void sleave_atomic_load(size_t size, const void *object, void *result, int order) __asm__("__atomic_load");
void sleave_atomic_store(size_t size, void *object, const void *value, int order) __asm__("__atomic_store");
void sleave_atomic_exchange(size_t size, void *object, const void *value, void *result, int order) __asm__("__atomic_exchange");
_Bool sleave_atomic_compare_exchange(size_t size, void *object, void *expected, const void *desired, int success,
                                     int failure) __asm__("__atomic_compare_exchange");

_Bool sleave_atomic_is_lock_free(size_t size, const void *object) __asm__("__atomic_is_lock_free");

_Bool sleave_atomic_is_lock_free(size_t size, const void *object)
{
    (void)object;
    return size == 1 || size == 2 || size == 4 || size == 8 || (size == 16 && sizeof(void *) == 8);
}

void sleave_atomic_load(size_t size, const void *object, void *result, int order)
{
    (void)order;
    __VERIFIER_atomic_begin();
    memcpy(result, object, size);
    __VERIFIER_atomic_end();
}

void sleave_atomic_store(size_t size, void *object, const void *value, int order)
{
    (void)order;
    __VERIFIER_atomic_begin();
    memcpy(object, value, size);
    __VERIFIER_atomic_end();
}

void sleave_atomic_exchange(size_t size, void *object, const void *value, void *result, int order)
{
    (void)order;
    __VERIFIER_atomic_begin();
    /* The value may be given where the result goes. */
    for (size_t i = 0; i < size; i++) {
        char old = ((char *)object)[i];
        ((char *)object)[i] = ((const char *)value)[i];
        ((char *)result)[i] = old;
    }
    __VERIFIER_atomic_end();
}

_Bool sleave_atomic_compare_exchange(size_t size, void *object, void *expected, const void *desired, int success, int failure)
{
    (void)success;
    (void)failure;
    __VERIFIER_atomic_begin();
    _Bool equal = memcmp(object, expected, size) == 0;
    if (equal)
        memcpy(object, desired, size);
    else
        memcpy(expected, object, size);
    __VERIFIER_atomic_end();
    return equal;
}

/* The same for one size; and read, change, write. `new` is an expression of `old` and `operand`. */

#define CHANGE(name, type, result, new)                                                                                                \
    type sleave_##name(type *object, type operand, int order) __asm__("__" #name);                                                     \
    type sleave_##name(type *object, type operand, int order)                                                                          \
    {                                                                                                                                  \
        (void)order;                                                                                                                   \
        __VERIFIER_atomic_begin();                                                                                                     \
        type old = *object;                                                                                                            \
        type changed = new;                                                                                                            \
        *object = changed;                                                                                                             \
        __VERIFIER_atomic_end();                                                                                                       \
        return result;                                                                                                                 \
    }

#define SIZE(n, type)                                                                                                                  \
    type sleave_atomic_load_##n(const type *object, int order) __asm__("__atomic_load_" #n);                                           \
    type sleave_atomic_load_##n(const type *object, int order)                                                                         \
    {                                                                                                                                  \
        (void)order;                                                                                                                   \
        __VERIFIER_atomic_begin();                                                                                                     \
        type value = *object;                                                                                                          \
        __VERIFIER_atomic_end();                                                                                                       \
        return value;                                                                                                                  \
    }                                                                                                                                  \
    void sleave_atomic_store_##n(type *object, type value, int order) __asm__("__atomic_store_" #n);                                   \
    void sleave_atomic_store_##n(type *object, type value, int order)                                                                  \
    {                                                                                                                                  \
        (void)order;                                                                                                                   \
        __VERIFIER_atomic_begin();                                                                                                     \
        *object = value;                                                                                                               \
        __VERIFIER_atomic_end();                                                                                                       \
    }                                                                                                                                  \
    _Bool sleave_atomic_compare_exchange_##n(type *object, type *expected, type desired, int success,                                  \
                                             int failure) __asm__("__atomic_compare_exchange_" #n);                                    \
    _Bool sleave_atomic_compare_exchange_##n(type *object, type *expected, type desired, int success, int failure)                     \
    {                                                                                                                                  \
        (void)success;                                                                                                                 \
        (void)failure;                                                                                                                 \
        __VERIFIER_atomic_begin();                                                                                                     \
        type old = *object;                                                                                                            \
        _Bool equal = old == *expected;                                                                                                \
        if (equal)                                                                                                                     \
            *object = desired;                                                                                                         \
        else                                                                                                                           \
            *expected = old;                                                                                                           \
        __VERIFIER_atomic_end();                                                                                                       \
        return equal;                                                                                                                  \
    }                                                                                                                                  \
    type sleave_sync_val_compare_and_swap_##n(type *object, type expected, type desired) __asm__("__sync_val_compare_and_swap_" #n);   \
    type sleave_sync_val_compare_and_swap_##n(type *object, type expected, type desired)                                               \
    {                                                                                                                                  \
        sleave_atomic_compare_exchange_##n(object, &expected, desired, 0, 0);                                                          \
        return expected;                                                                                                               \
    }                                                                                                                                  \
    _Bool sleave_sync_bool_compare_and_swap_##n(type *object, type expected, type desired) __asm__("__sync_bool_compare_and_swap_" #n); \
    _Bool sleave_sync_bool_compare_and_swap_##n(type *object, type expected, type desired)                                             \
    {                                                                                                                                  \
        return sleave_atomic_compare_exchange_##n(object, &expected, desired, 0, 0);                                                   \
    }                                                                                                                                  \
    CHANGE(atomic_exchange_##n, type, old, operand)                                                                                    \
    CHANGE(sync_lock_test_and_set_##n, type, old, operand)                                                                             \
    BOTH(add, n, type, old + operand)                                                                                                  \
    BOTH(sub, n, type, old - operand)                                                                                                  \
    BOTH(and, n, type, old &operand)                                                                                                   \
    BOTH(or, n, type, old | operand)                                                                                                   \
    BOTH(xor, n, type, old ^ operand)                                                                                                  \
    BOTH(nand, n, type, ~(old & operand))

#define BOTH(op, n, type, new)                                                                                                         \
    CHANGE(atomic_fetch_##op##_##n, type, old, new)                                                                                    \
    CHANGE(atomic_##op##_fetch_##n, type, changed, new)                                                                                \
    CHANGE(sync_fetch_and_##op##_##n, type, old, new)                                                                                  \
    CHANGE(sync_##op##_and_fetch_##n, type, changed, new)

SIZE(1, uint8_t)
SIZE(2, uint16_t)
SIZE(4, uint32_t)
SIZE(8, uint64_t)
#ifdef __SIZEOF_INT128__
SIZE(16, unsigned __int128)
#endif
