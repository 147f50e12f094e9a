#include "base/histogram.h"

#include <catch2/catch.hpp>

namespace eva {

TEST_CASE("a histogram keeps count, mean and extremes exactly") {
  Histogram histogram;
  for (const std::uint64_t value : {1, 2, 3, 1000, 94})
    histogram.add(value);
  CHECK(histogram.count() == 5);
  CHECK(histogram.mean() == 220);
  CHECK(histogram.minimum() == 1);
  CHECK(histogram.maximum() == 1000);
}

TEST_CASE("a quantile is exact below 8 and at most an eighth too large above") {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 1000; ++value)
    histogram.add(value);
  CHECK(histogram.quantile(0.005) == 5);
  CHECK(histogram.quantile(0.5) >= 500);
  CHECK(histogram.quantile(0.5) < 563);
  CHECK(histogram.quantile(1) == 1000);
}

TEST_CASE("every value lies in its bucket, up to the largest") {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{4097}, UINT64_MAX}) {
    const std::size_t bucket = Histogram::bucket_of(value);
    REQUIRE(bucket < Histogram::buckets);
    CHECK(Histogram::first_of(bucket) <= value);
    CHECK(Histogram::first_of(bucket + 1) - 1 >= value);
  }
}

TEST_CASE("an empty histogram reads zero") {
  const Histogram histogram;
  CHECK(histogram.mean() == 0);
  CHECK(histogram.minimum() == 0);
  CHECK(histogram.quantile(0.99) == 0);
}

}  // namespace eva
