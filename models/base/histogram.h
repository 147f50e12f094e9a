#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace eva {

/// Counts of non-negative integers in buckets that are at most one eighth wide: exact below 8, then
/// eight buckets to an octave. Count, sum, minimum and maximum are exact.
class Histogram {
 public:
  static constexpr std::size_t buckets = 8 * 62;

  void add(std::uint64_t value) {
    ++counts_[bucket_of(value)];
    ++count_;
    sum_ += value;
    minimum_ = std::min(minimum_, value);
    maximum_ = std::max(maximum_, value);
  }
  void add(const Histogram& other) {
    for (std::size_t i = 0; i < buckets; ++i)
      counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    minimum_ = std::min(minimum_, other.minimum_);
    maximum_ = std::max(maximum_, other.maximum_);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  [[nodiscard]] std::uint64_t minimum() const { return count_ == 0 ? 0 : minimum_; }
  [[nodiscard]] std::uint64_t maximum() const { return maximum_; }
  /// The upper end of the bucket that holds the given share (0 to 1) of the values, at most the
  /// maximum; 0 when there are none.
  [[nodiscard]] std::uint64_t quantile(double share) const {
    const double wanted = share * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < buckets; ++i) {
      seen += counts_[i];
      if (seen > 0 && static_cast<double>(seen) >= wanted) {
        return std::min(maximum_, first_of(i + 1) - 1);
      }
    }
    return maximum_;
  }

  [[nodiscard]] std::uint64_t count_of(std::size_t bucket) const { return counts_[bucket]; }
  /// The smallest value of a bucket.
  static std::uint64_t first_of(std::size_t bucket) {
    if (bucket < 8) return bucket;
    return (8 + bucket % 8) << (bucket / 8 - 1);
  }
  static std::size_t bucket_of(std::uint64_t value) {
    if (value < 8) return static_cast<std::size_t>(value);
    const auto octave = static_cast<unsigned>(60 - __builtin_clzll(value));
    return 8 * octave + static_cast<std::size_t>(value >> octave);
  }

 private:
  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t minimum_ = UINT64_MAX;
  std::uint64_t maximum_ = 0;
};

}  // namespace eva
