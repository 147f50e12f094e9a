#include "numerics/mixed_precision_pe.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

using namespace eva;

namespace {

HalfParts product(HalfBits a, HalfBits b) {
  return half_product(half_parts(a), half_parts(b));
}

/// SplitMix64.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace

TEST_CASE("PE: four small products give the exact product of every pair of significands") {
  std::size_t wrong = 0;
  for (std::uint32_t a = 0; a < 2048; ++a) {
    for (std::uint32_t b = 0; b < 2048; ++b)
      wrong += significand_product(a, b) != a * b ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("PE: the parts of an FP16 product multiply and add") {
  CHECK(product(0x3E00, 0x4000).significand == 1572864);  // 1.5 * 2 = 1536 * 1024 * 2^-19
  CHECK(product(0x3E00, 0x4000).exponent == -19);
}

TEST_CASE("PE: the product is negative if one factor is") {
  CHECK(product(0xBE00, 0x4000).significand == -1572864);
  CHECK(product(0x3E00, 0xC000).significand == -1572864);
  CHECK(product(0xBE00, 0xC000).significand == 1572864);
}

TEST_CASE("PE: the smallest and the largest product are exact") {
  CHECK(product(0x0001, 0x8001).significand == -1);
  CHECK(product(0x0001, 0x8001).exponent == -48);
  CHECK(product(0x7BFF, 0x7BFF).significand == 4190209);  // 2047 * 2047, below 2^22
  CHECK(product(0x7BFF, 0x7BFF).exponent == 10);
}

TEST_CASE("PE: a zero of either sign gives a zero significand") {
  CHECK(product(0x8000, 0x7BFF).significand == 0);
  CHECK(product(0x3C00, 0x0000).significand == 0);
}

TEST_CASE("PE: the product of any two finite halves is that of FP64") {
  std::uint64_t state = 1;
  std::size_t wrong = 0;
  for (int i = 0; i < 1000000; ++i) {
    const std::uint64_t random = next_random(state);
    const auto a = static_cast<HalfBits>(random);
    const auto b = static_cast<HalfBits>(random >> 16);
    if ((a & 0x7C00) == 0x7C00 || (b & 0x7C00) == 0x7C00) continue;
    const HalfParts found = product(a, b);
    const double expected =
        static_cast<double>(half_to_float(a)) * static_cast<double>(half_to_float(b));
    if (std::ldexp(static_cast<double>(found.significand), found.exponent) != expected) ++wrong;
  }
  CHECK(wrong == 0);
}
