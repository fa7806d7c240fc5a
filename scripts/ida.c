/* IDA* on sliding tiles with Manhattan distance, hand-written: what the benchmarks measure the kernel against.

       gcc -O3 -march=native -o ida ida.c
       ./ida array|packed COLUMNS first|last TILE...     the tiles row by row, up to 16, 0 the blank, which is first or
                                                         last at the goal

   The limits are h, h + 2, ...; the first one with solutions is finished. Prints nodes, solutions and CPU seconds.
   Each iteration's root is a node; a solved node is counted and not expanded. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint8_t ways[16], way[16][4]; /* by the blank's cell: the cells that it can go to, ascending */
static int8_t change[16][16][16];    /* by tile and the cells it leaves and enters: the change of the bound */

static int limit;
static long nodes, solutions;

/* The board as an array: a move is done and undone in place. */
static uint8_t board[16];

static void search_array(int blank, int before, int cost, int bound) {
    nodes++;
    if (bound == 0) {
        solutions++;
        return;
    }
    for (int i = 0; i < ways[blank]; i++) {
        int cell = way[blank][i];
        if (cell == before) continue;
        int tile = board[cell];
        int left = bound + change[tile][cell][blank];
        if (cost + 1 + left <= limit) {
            board[blank] = tile;
            search_array(cell, blank, cost + 1, left);
            board[cell] = tile;
        }
    }
}

/* The board as 64 bits, 4 a cell: passed by value, nothing to undo. */
static void search_packed(uint64_t cells, unsigned blank, unsigned before, int cost, int bound) {
    nodes++;
    if (bound == 0) {
        solutions++;
        return;
    }
    for (unsigned i = 0; i < ways[blank]; i++) {
        unsigned cell = way[blank][i];
        if (cell == before) continue;
        uint64_t tile = (cells >> (4 * cell)) & 15;
        int left = bound + change[tile][cell][blank];
        if (cost + 1 + left <= limit)
            search_packed(cells ^ (tile << (4 * cell)) ^ (tile << (4 * blank)), cell, blank, cost + 1, left);
    }
}

static int cells, columns, last;

static int distance(int cell, int other) {
    return abs(cell / columns - other / columns) + abs(cell % columns - other % columns);
}

static int home(int tile) {
    return tile - last;
}

static void make_tables(void) {
    for (int cell = 0; cell < cells; cell++)
        for (int other = 0; other < cells; other++) {
            if (distance(cell, other) == 1) way[cell][ways[cell]++] = other;
            for (int tile = 1; tile < cells; tile++)
                change[tile][cell][other] = distance(home(tile), other) - distance(home(tile), cell);
        }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int count, char **words) {
    if (count < 6 || count > 20) return 2;
    int packed = strcmp(words[1], "packed") == 0;
    cells = count - 4, columns = atoi(words[2]), last = strcmp(words[3], "last") == 0;
    make_tables();
    uint64_t start = 0;
    int blank = 0, bound = 0;
    for (int cell = 0; cell < cells; cell++) {
        int tile = atoi(words[4 + cell]);
        board[cell] = tile;
        start |= (uint64_t)tile << (4 * cell);
        if (tile)
            bound += distance(home(tile), cell);
        else
            blank = cell;
    }
    double begin = now();
    for (limit = bound; !solutions; limit += 2) {
        if (packed)
            search_packed(start, blank, 16, 0, bound);
        else
            search_array(blank, 16, 0, bound);
    }
    printf("%ld %ld %.6f\n", nodes, solutions, now() - begin);
    return 0;
}
