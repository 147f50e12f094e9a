#include "closed_form/eva_decode.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

using namespace eva::closed_form;
using Catch::Contains;

namespace {

constexpr BlockShape llama_7b = {4096, 4096, 4096, 11008};
constexpr BlockShape llama_13b = {5120, 5120, 5120, 13824};
constexpr BlockShape llama_30b = {6656, 6656, 6656, 17920};
constexpr BlockShape llama_65b = {8192, 8192, 8192, 22016};
constexpr BlockShape llama_3_8b = {4096, 4096, 1024, 14336};

constexpr VectorQuantization aqlm_2x8 = {2, 8, 8, 0};
constexpr VectorQuantization aqlm_3x8 = {3, 8, 8, 0};
constexpr VectorQuantization aqlm_4x8 = {4, 8, 8, 0};
constexpr VectorQuantization gptvq_4d = {1, 4, 8, 256};

constexpr Layer square = {1, 4096, 4096};

Layer square_of(std::uint64_t tokens) {
  return {tokens, 4096, 4096};
}

Result block(std::uint64_t tokens, const BlockShape& shape, const VectorQuantization& quantization,
             const EvaChip& chip = {}, const DecodeOptions& options = {}) {
  return sum_over(block_layers(tokens, shape), [&](const Layer& layer) {
    return eva_decode(layer, quantization, chip, options);
  });
}

}  // namespace

TEST_CASE("decode: one square layer is a first GEMM, one epilogue per pass and a tail") {
  const Result result = eva_decode(square, aqlm_2x8);
  CHECK(result.compute_cycles == 1184 + 8 * 4096 + 6);
  CHECK(result.initial_bits == 8 * 256 * 16 + 1024 * 16);
  CHECK(result.stall_cycles == 48);
  CHECK(result.total_cycles == 34006);
}

TEST_CASE("decode: traffic is codebooks, scales, activations, indices and outputs") {
  CHECK(eva_decode(square, aqlm_2x8).traffic_bits ==
        2 * 8 * 256 * 16 + 4096 * 16 + 4096 * 16 + 2 * 4096 * 512 * 8 + 4096 * 16);
}

TEST_CASE("decode: beyond 8192 inputs the partial outputs cross the memory bus three times") {
  CHECK(eva_decode({1, 11008, 4096}, aqlm_2x8).traffic_bits ==
        2 * 8 * 256 * 16 + 4096 * 16 + 11008 * 16 + 2 * 4096 * 1376 * 8 + 3 * 4096 * 16);
}

TEST_CASE("decode: the blocks of Figure 10 are reproduced") {
  struct Point {
    BlockShape shape;
    VectorQuantization quantization;
    std::uint64_t total_cycles;
    std::uint64_t compute_cycles;
  };
  const std::vector<Point> points = {
      {llama_7b, aqlm_2x8, 405978, 405642},    {llama_7b, aqlm_3x8, 604634, 604298},
      {llama_7b, aqlm_4x8, 803290, 802954},    {llama_13b, aqlm_2x8, 633306, 632970},
      {llama_13b, aqlm_3x8, 945626, 945290},   {llama_13b, aqlm_4x8, 1257946, 1257610},
      {llama_30b, aqlm_2x8, 1122778, 1122442}, {llama_30b, aqlm_3x8, 1679834, 1679498},
      {llama_30b, aqlm_4x8, 2236890, 2236554}, {llama_65b, aqlm_2x8, 1597914, 1597578},
      {llama_65b, aqlm_3x8, 2392538, 2392202}, {llama_65b, aqlm_4x8, 3187162, 3186826},
      {llama_3_8b, aqlm_2x8, 436890, 436554},  {llama_3_8b, aqlm_3x8, 651162, 650826},
      {llama_3_8b, aqlm_4x8, 865434, 865098},
  };
  for (const Point& point : points) {
    CAPTURE(point.shape.hidden, point.shape.key_value, point.quantization.codebooks);
    const Result result = block(1, point.shape, point.quantization);
    CHECK(result.total_cycles == point.total_cycles);
    CHECK(result.compute_cycles == point.compute_cycles);
  }
}

TEST_CASE("decode: the batches of Figure 11 are reproduced") {
  struct Point {
    std::uint64_t tokens;
    VectorQuantization quantization;
    std::uint64_t total_cycles;
    std::uint64_t compute_cycles;
  };
  const std::vector<Point> points = {
      {1, aqlm_2x8, 405978, 405642},      {2, aqlm_2x8, 803290, 802954},
      {4, aqlm_2x8, 1589722, 1589386},    {8, aqlm_2x8, 3170778, 3170442},
      {16, aqlm_2x8, 6332890, 6332554},   {32, aqlm_2x8, 12657114, 12656778},
      {64, aqlm_2x8, 25305562, 25305226}, {1, aqlm_3x8, 604634, 604298},
      {2, aqlm_3x8, 1200602, 1200266},    {4, aqlm_3x8, 2380250, 2379914},
      {8, aqlm_3x8, 4751834, 4751498},    {16, aqlm_3x8, 9495002, 9494666},
      {32, aqlm_3x8, 18981338, 18981002}, {64, aqlm_3x8, 37954010, 37953674},
      {1, aqlm_4x8, 803290, 802954},      {2, aqlm_4x8, 1597914, 1597578},
      {4, aqlm_4x8, 3170778, 3170442},    {8, aqlm_4x8, 6332890, 6332554},
      {16, aqlm_4x8, 12657114, 12656778}, {32, aqlm_4x8, 25305562, 25305226},
      {64, aqlm_4x8, 50602458, 50602122},
  };
  for (const Point& point : points) {
    CAPTURE(point.tokens, point.quantization.codebooks);
    const Result result = block(point.tokens, llama_7b, point.quantization);
    CHECK(result.total_cycles == point.total_cycles);
    CHECK(result.compute_cycles == point.compute_cycles);
  }
}

TEST_CASE("decode: the quantizations of Table III are reproduced") {
  struct Point {
    const char* name;
    VectorQuantization quantization;
    std::uint64_t total_cycles;
  };
  const std::vector<Point> points = {
      {"AQLM 2x8", aqlm_2x8, 405978},        {"AQLM 3x8", aqlm_3x8, 604634},
      {"AQLM 2x12", {2, 8, 12, 0}, 1200178}, {"AQLM 4x8", aqlm_4x8, 803290},
      {"AQLM 1x16", {1, 8, 16, 0}, 9280634}, {"vectors of four", {1, 4, 8, 0}, 405810},
      {"GPTVQ-4D", gptvq_4d, 1692972},
  };
  for (const Point& point : points) {
    CAPTURE(point.name);
    CHECK(block(1, llama_7b, point.quantization).total_cycles == point.total_cycles);
  }
}

TEST_CASE("decode: the memory bandwidths of Figure 8 are reproduced") {
  struct Point {
    std::uint64_t bits_per_cycle;
    std::uint64_t total_cycles;
    std::uint64_t stall_cycles;
  };
  const std::vector<Point> points = {
      {256, 1590896, 1185254}, {512, 795448, 389806}, {768, 530299, 124657}, {1024, 405978, 336},
      {1280, 405915, 273},     {1536, 405866, 224},   {1792, 405838, 196},
  };
  for (const Point& point : points) {
    CAPTURE(point.bits_per_cycle);
    EvaChip chip;
    chip.memory_bits_per_cycle = point.bits_per_cycle;
    const Result result = block(1, llama_7b, aqlm_2x8, chip);
    CHECK(result.compute_cycles == 405642);
    CHECK(result.stall_cycles == point.stall_cycles);
    CHECK(result.total_cycles == point.total_cycles);
  }
}

TEST_CASE("decode: the traffic of Figure 8 is 0.9796688490509338 of 64 GB/s") {
  CHECK(block(1, llama_7b, aqlm_2x8).traffic_bits == 407269376);
}

TEST_CASE("decode: the epilogue units of Figure 8 are reproduced") {
  struct Point {
    std::uint64_t units;
    std::uint64_t total_cycles;
  };
  const std::vector<Point> points = {
      {1, 1583422}, {2, 799090}, {4, 405978}, {8, 397724}, {16, 397724}};
  for (const Point& point : points) {
    CAPTURE(point.units);
    EvaChip chip;
    chip.epilogue_units = point.units;
    CHECK(block(1, llama_7b, aqlm_2x8, chip).total_cycles == point.total_cycles);
  }
}

TEST_CASE("decode: a token count that is no power of two is tiled badly, as published") {
  CHECK(eva_decode(square_of(32), aqlm_2x8).total_cycles == 1049814);
  CHECK(eva_decode(square_of(33), aqlm_2x8).total_cycles == 2098396);
  CHECK(eva_decode(square_of(63), aqlm_2x8).total_cycles == 3949485);
  CHECK(eva_decode(square_of(64), aqlm_2x8).total_cycles == 2098390);
}

TEST_CASE("decode: the 22 mean input tokens of Dolly are reproduced") {
  CHECK(block(22, llama_7b, aqlm_2x8).total_cycles == 17373648);
}

TEST_CASE("decode: where the GEMM is the longer half, passes take its time") {
  // An expert of Qwen3-30B-A3B, 2048 to 768: 768 epilogue cycles against 1184 of the GEMM.
  CHECK(eva_decode({1, 2048, 768}, aqlm_2x8).compute_cycles == 1184 + 3 * 1184 + 768 + 6);
}

TEST_CASE("decode: the short last input tile is charged its own GEMM") {
  // Rows of 128, 128 and 64 vectors; the last of the two codebooks' passes overlaps nothing.
  CHECK(eva_decode({1, 2560, 256}, aqlm_2x8).compute_cycles == 1184 + 4 * 1184 + 592 + 256 + 6);
}

TEST_CASE("decode: grouped codebooks leave out the GEMM of the last groups, as published") {
  const Result result = eva_decode(square, gptvq_4d);
  CHECK(result.compute_cycles == 1184 + 7 * 16 * 1184 + 16 * 262);
  CHECK(result.stall_cycles == 24);
}

TEST_CASE("decode: the GEMM of the last groups is charged on request") {
  DecodeOptions options;
  options.charge_last_groups_gemm = true;
  CHECK(eva_decode(square, gptvq_4d, {}, options).compute_cycles ==
        1184 + 7 * 16 * 1184 + 15 * 1184 + 262);
  CHECK(block(1, llama_7b, gptvq_4d, {}, options).total_cycles == 1830690);
}

TEST_CASE("decode: charging the last groups changes nothing without groups") {
  DecodeOptions options;
  options.charge_last_groups_gemm = true;
  CHECK(block(1, llama_7b, aqlm_2x8, {}, options).total_cycles == 405978);
}

TEST_CASE("decode: every group brings its own codebook") {
  CHECK(eva_decode(square, gptvq_4d).traffic_bits ==
        16 * 4 * 256 * 16 + 4096 * 16 + 4096 * 16 + 4096 * 1024 * 8 + 4096 * 16);
}

TEST_CASE("decode: more than 64 tokens are refused") {
  CHECK_THROWS_WITH(eva_decode(square_of(65), aqlm_2x8),
                    "eva_decode: tokens is 65, expected 1 to 64: "
                    "the decode form serves at most 64 tokens");
}

TEST_CASE("decode: empty and oversized shapes are refused by name") {
  CHECK_THROWS_WITH(eva_decode({0, 4096, 4096}, aqlm_2x8), Contains("tokens is 0"));
  CHECK_THROWS_WITH(eva_decode({1, 0, 4096}, aqlm_2x8), Contains("inputs is 0"));
  CHECK_THROWS_WITH(eva_decode({1, 4096, 0}, aqlm_2x8), Contains("outputs is 0"));
  CHECK_THROWS_WITH(eva_decode({1, 4096, 1048577}, aqlm_2x8),
                    "eva_decode: outputs is 1048577, expected 1 to 1048576");
}

TEST_CASE("decode: a quantization out of range is refused by name") {
  CHECK_THROWS_WITH(eva_decode(square, {0, 8, 8, 0}), Contains("codebooks is 0"));
  CHECK_THROWS_WITH(eva_decode(square, {2, 0, 8, 0}), Contains("vector_length is 0"));
  CHECK_THROWS_WITH(eva_decode(square, {2, 8, 0, 0}), Contains("index_bits is 0"));
  CHECK_THROWS_WITH(eva_decode(square, {1, 4, 8, 63}),
                    "eva_decode: columns_per_codebook is 63, expected 64 to 1048576, "
                    "or 0 for no groups");
  CHECK_THROWS_WITH(eva_decode(square, {2, 8, 17, 0}),
                    "eva_decode: index_bits is 17, expected 1 to 16");
}

TEST_CASE("decode: inputs that are no whole vectors are refused") {
  CHECK_THROWS_WITH(eva_decode({1, 4097, 4096}, aqlm_2x8),
                    "eva_decode: inputs is 4097, expected a multiple of vector_length (8)");
}

TEST_CASE("decode: outputs that are no whole groups are refused") {
  CHECK_THROWS_WITH(eva_decode({1, 4096, 1000}, gptvq_4d),
                    "eva_decode: outputs is 1000, expected a multiple of columns_per_codebook "
                    "(256)");
}

TEST_CASE("decode: a chip without epilogue units is refused") {
  EvaChip chip;
  chip.epilogue_units = 0;
  CHECK_THROWS_AS(eva_decode(square, aqlm_2x8, chip), std::invalid_argument);
  CHECK_THROWS_WITH(eva_decode(square, aqlm_2x8, chip),
                    "eva_decode: epilogue_units is 0, expected 1 to 65536");
}

TEST_CASE("composition: initial bits are waited for, and what computation does not cover") {
  const Result covered = compose(100, 1000, 100, 10);
  CHECK(covered.stall_cycles == 10);
  CHECK(covered.total_cycles == 110);
  const Result uncovered = compose(50, 1000, 95, 10);
  CHECK(uncovered.stall_cycles == 10 + 41);
  CHECK(uncovered.total_cycles == 101);
}

TEST_CASE("composition: impossible traffic is refused") {
  CHECK_THROWS_WITH(compose(1, 10, 11, 1),
                    "compose: initial_bits is 11, expected 0 to 10: they are part of the traffic");
  CHECK_THROWS_WITH(compose(1, 10, 10, 0), Contains("memory_bits_per_cycle is 0"));
}
