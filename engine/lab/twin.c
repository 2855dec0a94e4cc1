/* The same work as the kernels in C, to measure them against.
 * Depth 2, closed boards, a line wins, standard rules: what `bench` compiles
 * and runs beside the kernels. Nothing else uses it. The algorithms are those of
 * engine/kernels/bitboard81.py and counting.py step by step, table and all. */
#include <stdint.h>
#include <string.h>

enum { ALL = 511, ANYWHERE = 9, COUNT = 58 };
static const uint64_t LINE = 1ull << 40;

/* For every mask: the places of its bits, four bits each from the lowest, whether it
 * holds a line, and from COUNT on how many bits it has. */
static uint64_t table[512];

typedef struct {
    int16_t marks[2][9];
    int16_t owned[2];
    int16_t decided, target, side, result;
} Board;

void prepare(void)
{
    static const int rows[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    for (int mask = 0; mask < 512; mask++) {
        uint64_t entry = 0, count = 0;
        for (int k = 0; k < 8; k++)
            if ((mask & rows[k]) == rows[k]) entry |= LINE;
        for (uint64_t place = 0; place < 9; place++)
            if (mask >> place & 1) entry |= place << 4 * count++;
        table[mask] = entry | count << COUNT;
    }
}
static inline int line(int mask) { return (table[mask] & LINE) != 0; }
static inline int bits(int mask) { return table[mask] >> COUNT; }
static inline int pick(int mask, int k) { return table[mask] >> 4 * k & 15; }

static inline void play(Board *b, int board, int cell)
{
    int side = b->side, own = b->marks[side][board] | 1 << cell;
    b->marks[side][board] = own;
    if ((line(own) || (own | b->marks[!side][board]) == ALL) && !(b->decided >> board & 1)) {
        b->decided |= 1 << board;
        if (line(own)) {
            b->owned[side] |= 1 << board;
            if (line(b->owned[side])) b->result = 1 + side;
        }
        if (!b->result && b->decided == ALL) b->result = 3;
    }
    b->target = b->decided >> cell & 1 ? ANYWHERE : cell;
    b->side = !side;
}

static inline int allowed(const Board *b)
{
    return b->target == ANYWHERE ? ALL & ~b->decided : 1 << b->target;
}

static inline int empty(const Board *b, int board)
{
    return ALL & ~(b->marks[0][board] | b->marks[1][board]);
}

static int64_t moves(const Board *b)
{
    if (b->result) return 0;
    int64_t total = 0;
    for (int boards = allowed(b), k = 0; k < bits(boards); k++)
        total += bits(empty(b, pick(boards, k)));
    return total;
}

/* As in the kernel, a move that decides nothing and binds is not played. */
static inline int64_t replies(const Board *b, int board, int cell)
{
    int own = b->marks[b->side][board] | 1 << cell;
    if (!line(own) && (own | b->marks[!b->side][board]) != ALL && !(b->decided >> cell & 1))
        return bits(empty(b, cell)) - (cell == board);
    Board next = *b;
    play(&next, board, cell);
    return moves(&next);
}

static int64_t count(const Board *b, int depth)
{
    if (b->result) return 0;
    if (depth == 1) return moves(b);
    int64_t total = 0;
    for (int boards = allowed(b), k = 0; k < bits(boards); k++) {
        int board = pick(boards, k), cells = empty(b, board);
        for (int i = 0; i < bits(cells); i++) {
            if (depth == 2) {
                total += replies(b, board, pick(cells, i));
                continue;
            }
            Board next = *b;
            play(&next, board, pick(cells, i));
            total += count(&next, depth - 1);
        }
    }
    return total;
}

int64_t perft(int depth)
{
    Board start = {.target = ANYWHERE};
    return count(&start, depth);
}

static inline int below(uint64_t *rng, int bound)
{
    uint64_t x = *rng;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *rng = x;
    return (int)((x >> 32) * bound >> 32);
}

void playouts(int64_t games, uint64_t seed, int64_t *tally)
{
    for (int64_t game = 0; game < games; game++) {
        Board b = {.target = ANYWHERE};
        while (!b.result) {
            int board, cell;
            if (b.target != ANYWHERE) {
                board = b.target;
                int cells = empty(&b, board);
                cell = pick(cells, below(&seed, bits(cells)));
            } else {
                int boards = ALL & ~b.decided;
                for (;;) {
                    int drawn = below(&seed, 9 * bits(boards));
                    board = pick(boards, drawn / 9);
                    int cells = empty(&b, board);
                    if (drawn % 9 < bits(cells)) {
                        cell = pick(cells, drawn % 9);
                        break;
                    }
                }
            }
            play(&b, board, cell);
        }
        tally[b.result]++;
    }
}
