/* <ctype.h>: every character through every function and every table, against glibc's in the C locale. */
#define _GNU_SOURCE
#include "check.h"
#include <ctype.h>

OURS(isalnum); OURS(isalpha); OURS(isblank); OURS(iscntrl); OURS(isdigit); OURS(isgraph); OURS(islower); OURS(isprint);
OURS(ispunct); OURS(isspace); OURS(isupper); OURS(isxdigit); OURS(isascii); OURS(toascii); OURS(tolower); OURS(toupper);
OURS(__ctype_b_loc); OURS(__ctype_tolower_loc); OURS(__ctype_toupper_loc); OURS(__ctype_get_mb_cur_max);

int main(void)
{
#define SAME_CLASS(name) CHECK(!sl_##name(c) == !(name)(c), #name " of %d", c)
    for (int c = -1; c < 256; c++) {
        SAME_CLASS(isalnum);
        SAME_CLASS(isalpha);
        SAME_CLASS(isblank);
        SAME_CLASS(iscntrl);
        SAME_CLASS(isdigit);
        SAME_CLASS(isgraph);
        SAME_CLASS(islower);
        SAME_CLASS(isprint);
        SAME_CLASS(ispunct);
        SAME_CLASS(isspace);
        SAME_CLASS(isupper);
        SAME_CLASS(isxdigit);
        SAME_CLASS(isascii);
        CHECK(sl_toascii(c) == (toascii)(c), "%d", c);
        CHECK(sl_tolower(c) == (tolower)(c), "%d", c);
        CHECK(sl_toupper(c) == (toupper)(c), "%d", c);
    }
    for (int c = -128; c < 256; c++) {
        CHECK((*sl___ctype_b_loc())[c] == (*__ctype_b_loc())[c], "%d: %x", c, (*sl___ctype_b_loc())[c]);
        CHECK((*sl___ctype_tolower_loc())[c] == (*__ctype_tolower_loc())[c], "%d", c);
        CHECK((*sl___ctype_toupper_loc())[c] == (*__ctype_toupper_loc())[c], "%d", c);
    }
    CHECK(sl___ctype_get_mb_cur_max() == __ctype_get_mb_cur_max(), "multibyte");
    return finish();
}
