// Arrays of arrays, pointers to arrays, negative indices from the middle, struct arrays.
#include <assert.h>

struct cell { short row, column; };
static struct cell board[3][4];

int main(void)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            board[r][c] = (struct cell){(short)r, (short)c};
    struct cell (*line)[4] = &board[1];
    assert((*line)[3].column == 3);
    assert(line[-1][2].row == 0);
    struct cell *middle = &board[1][2];
    assert(middle[-2].column == 0 && middle[4].row == 2);
    return 0;
}
