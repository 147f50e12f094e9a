/* Small arithmetic that planner and runtime share. */
#ifndef EVA_ARITHMETIC_H
#define EVA_ARITHMETIC_H

#include <stdint.h>

static inline uint64_t ceil_divide(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
static inline uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

#endif
