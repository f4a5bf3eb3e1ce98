// What instructions cost between two misses: a block by a random pointer out of an array of pointers, with more instructions in each round
// (decision 48). Build and run: cc -O2 -o misses bench/misses.c && ./misses [blocks]; prints the best of five passes, ns a block.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BLOCK 112
#define R5(x) x x x x x
#define R10(x) R5(x) R5(x)
#define R20(x) R10(x) R10(x)
#define R40(x) R20(x) R20(x)
#define R60(x) R40(x) R20(x)
#define ADD asm volatile("lea 1(%%rsi), %%rax" ::: "rax");
#define LOAD asm volatile("mov (%0), %%rax" :: "r"(&here) : "rax", "memory");
#define CONSTANT asm volatile("mov $7, %%eax" ::: "rax");
#define NOTHING asm volatile("nop");
#define PASS(name, more) \
  for (best = 1e9, pass = 0; pass < 5; pass++) { \
    struct timespec a, b; \
    clock_gettime(CLOCK_MONOTONIC, &a); \
    for (n = 0; n < count; n++) { uint64_t *block = blocks[order[n]]; more sum += block[1]; } \
    clock_gettime(CLOCK_MONOTONIC, &b); \
    double took = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count; \
    best = took < best ? took : best; \
  } \
  printf("%-16s %6.1f\n", name, best);

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 3000000, n, pass;
  double best;
  uint64_t here = 1, sum = 0, seed = 88172645463325252ull;
  char *memory = malloc(count * BLOCK);
  uint64_t **blocks = malloc(count * sizeof *blocks);
  uint32_t *order = malloc(count * sizeof *order);
  if (!memory || !blocks || !order) { fprintf(stderr, "no memory for %ld blocks\n", count); return 1; }
  for (n = 0; n < count; n++) { blocks[n] = (uint64_t *)(memory + n * BLOCK); blocks[n][1] = n; order[n] = n; }
  for (n = count - 1; n > 0; n--) { // the order of all blocks, shuffled
    seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
    long other = seed % (n + 1); uint32_t held = order[n]; order[n] = order[other]; order[other] = held;
  }
  PASS("nothing", ) PASS("10 additions", R10(ADD)) PASS("20 additions", R20(ADD)) PASS("40 additions", R40(ADD)) PASS("60 additions", R60(ADD))
  PASS("10 loads", R10(LOAD)) PASS("20 loads", R20(LOAD)) PASS("20 constants", R20(CONSTANT)) PASS("60 nops", R60(NOTHING))
  return sum == 0;
}
