#include "numerics/aligned_accumulator.h"

#include <catch2/catch.hpp>
#include <initializer_list>

using namespace eva;

namespace {

constexpr HalfParts one = {1 << 20, -20};
constexpr HalfParts minus_one = {-(1 << 20), -20};

HalfBits sum(std::initializer_list<HalfParts> products) {
  AlignedAccumulator accumulator;
  for (const HalfParts product : products)
    accumulator.add(product);
  return accumulator.round();
}

}  // namespace

TEST_CASE("aligned accumulator: nothing added is +0") {
  CHECK(sum({}) == 0x0000);
}

TEST_CASE("aligned accumulator: products of different exponents add up") {
  CHECK(sum({one, {1, -1}}) == 0x3E00);              // 1 + 0.5
  CHECK(sum({{3, 0}, {-(1 << 10), -9}}) == 0x3C00);  // 3 - 2
}

TEST_CASE("aligned accumulator: four guard bits lie below the larger product") {
  CHECK(sum({one, {1, -24}, minus_one}) == 0x0001);
  CHECK(sum({one, {1, -25}, minus_one}) == 0x0000);
}

TEST_CASE("aligned accumulator: an addend below the guard bits is truncated towards zero") {
  CHECK(sum({one, {3, -25}, minus_one}) == 0x0001);   // 1.5 of the last bit
  CHECK(sum({one, {-3, -25}, minus_one}) == 0x8001);  // -1.5 of it, not -2
  CHECK(sum({one, {-1, -25}, minus_one}) == 0x0000);  // -0.5 of it, not -1
}

TEST_CASE("aligned accumulator: the sum is truncated towards zero when a larger product comes") {
  CHECK(sum({{3, -25}, one, minus_one}) == 0x0001);
  CHECK(sum({{-3, -25}, one, minus_one}) == 0x8001);
  CHECK(sum({{-1, -25}, one, minus_one}) == 0x0000);
}

TEST_CASE("aligned accumulator: small products survive together if they come first") {
  CHECK(sum({{1, -25}, {1, -25}, one, minus_one}) == 0x0001);
  CHECK(sum({one, {1, -25}, {1, -25}, minus_one}) == 0x0000);
}

TEST_CASE("aligned accumulator: shifts beyond 31 bits leave nothing") {
  constexpr HalfParts largest = {2047 * 2047, 10};
  constexpr HalfParts minus_largest = {-2047 * 2047, 10};
  CHECK(sum({largest, {1 << 21, -22}, minus_largest}) == 0x0000);
  CHECK(sum({{1 << 21, -22}, largest, minus_largest}) == 0x0000);
  CHECK(sum({largest, {-1, -48}, minus_largest}) == 0x0000);
}

TEST_CASE("aligned accumulator: a zero product does not take part in the alignment") {
  CHECK(sum({{1, -24}, {0, 10}}) == 0x0001);
  CHECK(sum({{0, 10}, {1, -24}}) == 0x0001);
}

TEST_CASE("aligned accumulator: full cancellation is +0 and keeps the alignment") {
  CHECK(sum({one, minus_one}) == 0x0000);
  CHECK(sum({minus_one, one}) == 0x0000);
  CHECK(sum({one, minus_one, {1, -25}}) == 0x0000);
  CHECK(sum({one, minus_one, {1, -24}}) == 0x0001);
}

TEST_CASE("aligned accumulator: a tie goes to the even half") {
  CHECK(sum({{2049, 0}}) == 0x6800);   // 2048
  CHECK(sum({{2051, 0}}) == 0x6802);   // 2052
  CHECK(sum({{-2049, 0}}) == 0xE800);  // -2048
  CHECK(sum({one, {1, -11}}) == 0x3C00);
  CHECK(sum({one, {3, -11}}) == 0x3C02);
}

TEST_CASE("aligned accumulator: bits far below a tie decide it") {
  CHECK(sum({{2049 << 10, -10}}) == 0x6800);
  CHECK(sum({{2049 << 10, -10}, {1, -14}}) == 0x6801);  // the last guard bit
  CHECK(sum({{2049 << 10, -10}, {-1, -14}}) == 0x6800);
  CHECK(sum({{2051 << 10, -10}, {-1, -14}}) == 0x6801);
  CHECK(sum({{-(2049 << 10), -10}, {-1, -14}}) == 0xE801);
  CHECK(sum({{-(2051 << 10), -10}, {1, -14}}) == 0xE801);
}

TEST_CASE("aligned accumulator: small sums round to subnormals, ties to even") {
  CHECK(sum({{1, -24}}) == 0x0001);
  CHECK(sum({{1, -25}}) == 0x0000);
  CHECK(sum({{3, -25}}) == 0x0002);
  CHECK(sum({{3, -26}}) == 0x0001);
  CHECK(sum({{2047, -25}}) == 0x0400);  // up to the smallest normal
  CHECK(sum({{-5, -24}}) == 0x8005);
}

TEST_CASE("aligned accumulator: a sum that underflows keeps its sign") {
  CHECK(sum({{1, -48}}) == 0x0000);
  CHECK(sum({{-1, -48}}) == 0x8000);
}

TEST_CASE("aligned accumulator: sums below 65520 stay finite") {
  CHECK(sum({{2047, 5}}) == 0x7BFF);  // 65504
  CHECK(sum({{65519, 0}}) == 0x7BFF);
  CHECK(sum({{65520, 0}}) == 0x7C00);
  CHECK(sum({{-65519, 0}}) == 0xFBFF);
  CHECK(sum({{-65520, 0}}) == 0xFC00);
  CHECK(sum({{2047 * 2047, 10}}) == 0x7C00);
}

TEST_CASE("aligned accumulator: a partial sum beyond 65504 does not overflow") {
  CHECK(sum({{1 << 20, 0}, {-(1 << 20), 0}, {1, 0}}) == 0x3C00);
}

TEST_CASE("aligned accumulator: 32 of the largest product do not overflow the integer") {
  AlignedAccumulator positive;
  AlignedAccumulator negative;
  for (int i = 0; i < AlignedAccumulator::maximum_terms; ++i) {
    positive.add({2047 * 2047, -11});
    negative.add({-2047 * 2047, -11});
  }
  CHECK(positive.round() == 0x7BFE);  // 65472.02 to 65472
  CHECK(negative.round() == 0xFBFE);
}
