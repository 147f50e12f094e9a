#include "closed_form/eva_prefill.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

using namespace eva::closed_form;
using Catch::Contains;

namespace {

constexpr BlockShape llama_7b = {4096, 4096, 4096, 11008};

Result block(std::uint64_t tokens, const EvaChip& chip = {}) {
  return sum_over(block_layers(tokens, llama_7b),
                  [&](const Layer& layer) { return eva_prefill(layer, chip); });
}

}  // namespace

TEST_CASE("prefill: one square layer is a fold per 32x32 weights") {
  // 128 x 128 folds of 1 + 32 + 8 cycles, after 32 activations and 32 x 32 weights of 8 bits.
  const Result result = eva_prefill({1, 4096, 4096});
  CHECK(result.compute_cycles == 671744);
  CHECK(result.initial_bits == 8448);
  CHECK(result.stall_cycles == 9);
  CHECK(result.total_cycles == 671753);
}

TEST_CASE("prefill: the INT8 batches of Figure 11 are reproduced") {
  struct Point {
    std::uint64_t tokens;
    std::uint64_t total_cycles;
    std::uint64_t compute_cycles;
  };
  const std::vector<Point> points = {
      {1, 8102975, 8102912},    {2, 8300607, 8300544},        {4, 8695871, 8695808},
      {8, 9486406, 9486336},    {16, 11067476, 11067392},     {32, 14229616, 14229504},
      {64, 20553896, 20553728}, {1024, 210282296, 210280448},
  };
  for (const Point& point : points) {
    CAPTURE(point.tokens);
    const Result result = block(point.tokens);
    CHECK(result.total_cycles == point.total_cycles);
    CHECK(result.compute_cycles == point.compute_cycles);
  }
}

TEST_CASE("prefill: the memory bandwidths of Figure 8 are reproduced") {
  struct Point {
    std::uint64_t bits_per_cycle;
    std::uint64_t total_cycles;
    std::uint64_t stall_cycles;
  };
  const std::vector<Point> points = {
      {256, 210287840, 7392},  {512, 210284144, 3696},  {768, 210282912, 2464},
      {1024, 210282296, 1848}, {1280, 210281932, 1484}, {1536, 210281680, 1232},
      {1792, 210281505, 1057},
  };
  for (const Point& point : points) {
    CAPTURE(point.bits_per_cycle);
    EvaChip chip;
    chip.memory_bits_per_cycle = point.bits_per_cycle;
    const Result result = block(1024, chip);
    CHECK(result.compute_cycles == 210280448);
    CHECK(result.stall_cycles == point.stall_cycles);
    CHECK(result.total_cycles == point.total_cycles);
  }
}

TEST_CASE("prefill: the traffic of Figure 8 is 0.18796827289730564 of 64 GB/s") {
  CHECK(block(1024).traffic_bits == 40475033600);
}

TEST_CASE("prefill: the 22 mean input tokens of Dolly are reproduced") {
  CHECK(block(22).total_cycles == 12253282);
}

TEST_CASE("prefill: tokens beyond 1024 are full tiles and a rest") {
  // An Arxiv prompt of Figure 13: Mixtral's attention layers on all tokens, each of the 8 experts
  // on its share.
  const std::vector<Layer> attention = {
      {8575, 4096, 4096}, {8575, 4096, 1024}, {8575, 4096, 1024}, {8575, 4096, 4096}};
  const std::vector<Layer> expert = {{2144, 4096, 14336}, {2144, 4096, 14336}, {2144, 14336, 4096}};
  const auto model = [](const Layer& layer) { return eva_prefill(layer); };
  CHECK(sum_over(attention, model).total_cycles + 8 * sum_over(expert, model).total_cycles ==
        3481828576);
}

TEST_CASE("prefill: attention over 22 tokens waits only for the weights that exist") {
  // LLaMA-2-7B in Figure 13: 32 heads take 16544 cycles. The first tiles are of 32 x 22 and
  // 22 x 22 activations, 32 x 22 and 22 x 32 weights.
  const Result scores = eva_prefill({22, 128, 22});
  CHECK(scores.compute_cycles == 248);
  CHECK(scores.initial_bits == 11264);
  const Result values = eva_prefill({22, 22, 128});
  CHECK(values.compute_cycles == 248);
  CHECK(values.initial_bits == 9504);
  CHECK(32 * (scores.total_cycles + values.total_cycles) == 16544);
}

TEST_CASE("prefill: a visible weight preload costs 2R + C + M - 2 cycles a fold") {
  EvaChip chip;
  chip.weight_preload_hidden = false;
  // 128 x 128 folds of 71 cycles.
  CHECK(eva_prefill({1, 4096, 4096}, chip).compute_cycles == 1163264);
}

TEST_CASE("prefill: a visible weight preload is paid by every token tile") {
  EvaChip chip;
  chip.weight_preload_hidden = false;
  CHECK(eva_prefill({1025, 32, 32}, chip).compute_cycles == (1024 + 70) + (1 + 70));
}

TEST_CASE("prefill: the array of a larger chip holds more weights per fold") {
  EvaChip chip;
  chip.array_rows = 64;
  chip.array_columns = 16;
  // 64 x 64 folds of 1 + 64 + 16 cycles.
  CHECK(eva_prefill({1, 4096, 4096}, chip).compute_cycles == 331776);
}

TEST_CASE("prefill: empty and oversized shapes are refused by name") {
  CHECK_THROWS_AS(eva_prefill({0, 4096, 4096}), std::invalid_argument);
  CHECK_THROWS_WITH(eva_prefill({0, 4096, 4096}),
                    "eva_prefill: tokens is 0, expected 1 to 1048576");
  CHECK_THROWS_WITH(eva_prefill({1, 0, 4096}), Contains("inputs is 0"));
  CHECK_THROWS_WITH(eva_prefill({1, 4096, 0}), Contains("outputs is 0"));
  CHECK_THROWS_WITH(eva_prefill({1, 1048577, 4096}), Contains("inputs is 1048577"));
}

TEST_CASE("prefill: a chip without products is refused") {
  EvaChip chip;
  chip.int8_products_per_pe = 0;
  CHECK_THROWS_WITH(eva_prefill({1, 4096, 4096}, chip),
                    "eva_prefill: int8_products_per_pe is 0, expected 1 to 65536");
}
