// sleave: -- -m32
// ILP32: long and pointers have four bytes, long long has eight.
extern void abort(void);
void reach_error(void) { abort(); }

struct mixed { char c; long long wide; };

int main(void)
{
    if (sizeof(long) != 4) reach_error();
    if (sizeof(void *) != 4) reach_error();
    if (sizeof(long long) != 8) reach_error();
    if (sizeof(struct mixed) != 12) reach_error();
    unsigned long big = 0xffffffffUL;
    if (big + 1 != 0) reach_error();
    int numbers[3] = {1, 2, 3};
    if ((char *)&numbers[2] - (char *)numbers != 8) reach_error();
    return 0;
}
