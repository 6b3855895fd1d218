/*
 * <ctype.h> in the C locale: the functions, and the tables that glibc's macros read.
 *
 * The tables have glibc's layout: 384 entries for -128 to 255, so that a plain char and EOF are valid indices, and one bit per class.
 */
#include "sleave_runtime.h"

/* The classes as constant expressions without a branch, for the tables and the functions alike. */

#define BETWEEN(c, first, last) ((unsigned)(c) - (first) <= (unsigned)(last) - (first))
#define UPPER(c) BETWEEN(c, 'A', 'Z')
#define LOWER(c) BETWEEN(c, 'a', 'z')
#define DIGIT(c) BETWEEN(c, '0', '9')
#define ALPHA(c) (UPPER(c) | LOWER(c))
#define ALNUM(c) (ALPHA(c) | DIGIT(c))
#define XDIGIT(c) (DIGIT(c) | BETWEEN(c, 'A', 'F') | BETWEEN(c, 'a', 'f'))
#define BLANK(c) (((c) == ' ') | ((c) == '\t'))
#define SPACE(c) (((c) == ' ') | BETWEEN(c, '\t', '\r'))
#define CNTRL(c) (BETWEEN(c, 0, 31) | ((c) == 127))
#define PRINT(c) BETWEEN(c, 32, 126)
#define GRAPH(c) BETWEEN(c, 33, 126)
#define PUNCT(c) (GRAPH(c) & !ALNUM(c))

int isupper(int c) { return UPPER(c); }
int islower(int c) { return LOWER(c); }
int isalpha(int c) { return ALPHA(c); }
int isdigit(int c) { return DIGIT(c); }
int isalnum(int c) { return ALNUM(c); }
int isxdigit(int c) { return XDIGIT(c); }
int isblank(int c) { return BLANK(c); }
int isspace(int c) { return SPACE(c); }
int iscntrl(int c) { return CNTRL(c); }
int isprint(int c) { return PRINT(c); }
int isgraph(int c) { return GRAPH(c); }
int ispunct(int c) { return PUNCT(c); }
int isascii(int c) { return BETWEEN(c, 0, 127); }
int toascii(int c) { return c & 127; }
int tolower(int c) { return c + (UPPER(c) << 5); }
int toupper(int c) { return c - (LOWER(c) << 5); }
int _tolower(int c) { return c + 32; }
int _toupper(int c) { return c - 32; }

/* The bits of glibc's enum in <ctype.h> on a little-endian machine. */
#define CLASSES(c)                                                                                                                 \
    (uint16_t)(UPPER(c) << 8 | LOWER(c) << 9 | ALPHA(c) << 10 | DIGIT(c) << 11 | XDIGIT(c) << 12 | SPACE(c) << 13 |                \
               PRINT(c) << 14 | GRAPH(c) << 15 | BLANK(c) << 0 | CNTRL(c) << 1 | PUNCT(c) << 2 | ALNUM(c) << 3)

/* Bytes above 127 map to themselves, also where they stand as negative chars; only EOF stays -1. */
#define AS_BYTE(c) ((c) == -1 ? -1 : (c)&255)
#define TO_LOWER(c) (AS_BYTE(c) + (int)(UPPER(c) << 5))
#define TO_UPPER(c) (AS_BYTE(c) - (int)(LOWER(c) << 5))

#define FOUR(of, c) of(c), of((c) + 1), of((c) + 2), of((c) + 3)
#define SIXTEEN(of, c) FOUR(of, c), FOUR(of, (c) + 4), FOUR(of, (c) + 8), FOUR(of, (c) + 12)
#define SIXTY_FOUR(of, c) SIXTEEN(of, c), SIXTEEN(of, (c) + 16), SIXTEEN(of, (c) + 32), SIXTEEN(of, (c) + 48)
#define TABLE(of)                                                                                                                  \
    {                                                                                                                              \
        SIXTY_FOUR(of, -128), SIXTY_FOUR(of, -64), SIXTY_FOUR(of, 0), SIXTY_FOUR(of, 64), SIXTY_FOUR(of, 128), SIXTY_FOUR(of, 192) \
    }

static const uint16_t class_table[384] = TABLE(CLASSES);
static const int32_t lower_table[384] = TABLE(TO_LOWER);
static const int32_t upper_table[384] = TABLE(TO_UPPER);

const uint16_t **__ctype_b_loc(void)
{
    static const uint16_t *const table = class_table + 128;
    return (const uint16_t **)&table;
}

const int32_t **__ctype_tolower_loc(void)
{
    static const int32_t *const table = lower_table + 128;
    return (const int32_t **)&table;
}

const int32_t **__ctype_toupper_loc(void)
{
    static const int32_t *const table = upper_table + 128;
    return (const int32_t **)&table;
}

size_t __ctype_get_mb_cur_max(void)
{
    return 1;
}
