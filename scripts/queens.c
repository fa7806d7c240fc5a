/* N queens by recursion with bit masks, the half of the first column mirrored: what the counters are measured against.

   queens N  prints the number of solutions and the seconds. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint32_t every;

static uint64_t count(uint32_t rows, uint32_t rising, uint32_t falling) {
    if (rows == every) return 1;
    uint64_t found = 0;
    for (uint32_t open = every & ~(rows | rising | falling); open; open &= open - 1) {
        uint32_t queen = open & -open;
        found += count(rows | queen, (rising | queen) << 1, (falling | queen) >> 1);
    }
    return found;
}

int main(int words, char **word) {
    int n = words > 1 ? atoi(word[1]) : 0;
    if (n < 2 || n > 31) return 2;
    every = (1u << n) - 1;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint64_t half = 0;
    for (int row = 0; row < n / 2; row++) {
        uint32_t queen = 1u << row;
        half += count(queen, queen << 1, queen >> 1);
    }
    if (n % 2) { /* in the middle: of the second column only the lower half */
        uint32_t middle = 1u << n / 2;
        uint32_t open = every & ~(middle | middle << 1 | middle >> 1) & (middle - 1);
        for (; open; open &= open - 1) {
            uint32_t queen = open & -open;
            half += count(middle | queen, (middle << 1 | queen) << 1, (middle >> 1 | queen) >> 1);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%llu %.6f\n", (unsigned long long)(2 * half),
           (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) * 1e-9);
    return 0;
}
