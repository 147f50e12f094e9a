#pragma once

#include <cstdint>

namespace eva {

/// A generator whose numbers, and the mapping from them to ranges, are the product's own: the same
/// seed gives the same operands with every compiler and library. splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Roughly normal with mean 0 and variance 1: the sum of four uniform numbers, within ±3.46.
  double normal() {
    const std::uint64_t bits = next();
    const auto part = [bits](int shift) { return static_cast<double>((bits >> shift) & 0xffffU); };
    constexpr double mean = 4 * 32767.5;
    constexpr double deviation = 37837.2;  // 65536 · sqrt(4 / 12)
    return (part(0) + part(16) + part(32) + part(48) - mean) / deviation;
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) / 9007199254740992.0; }

 private:
  std::uint64_t state_;
};

}  // namespace eva
