// Generated operands and their layout in memory.
#include <catch2/catch.hpp>

#include "platform/operands.h"
#include "platform/random.h"
#include "support/layer_bench.h"

using namespace eva;
using namespace eva::test;

TEST_CASE("the generator's first numbers for seed 7 are what they always were") {
  Random random(7);
  CHECK(random.next() == 7191089600892374487U);
  CHECK(random.next() == 309689372594955804U);
}

TEST_CASE("the first weight indices for seed 7 are what they always were") {
  const auto problem =
      std::get<golden::DecodeProblem>(generate_operands(decode_layer(1, 64, 8), 7, 0));
  const std::vector<std::uint16_t> first(problem.indices.begin(), problem.indices.begin() + 8);
  CHECK(first == std::vector<std::uint16_t>{44, 196, 22, 68, 254, 126, 148, 9});
}

TEST_CASE("operands depend on seed and layer, not on the chip") {
  const auto indices = [](std::uint64_t seed, std::size_t number) {
    return std::get<golden::DecodeProblem>(generate_operands(decode_layer(1, 64, 8), seed, number))
        .indices;
  };
  CHECK(indices(1, 0) == indices(1, 0));
  CHECK(indices(1, 0) != indices(2, 0));
  CHECK(indices(1, 0) != indices(1, 1));
}

TEST_CASE("generated numbers are roughly normal") {
  Random random(1);
  double sum = 0;
  double squares = 0;
  constexpr int count = 100'000;
  for (int i = 0; i < count; ++i) {
    const double value = random.normal();
    sum += value;
    squares += value * value;
  }
  CHECK(sum / count == Approx(0).margin(0.02));
  CHECK(squares / count == Approx(1).epsilon(0.02));
}

TEST_CASE("weight indices lie by row group, codebook, output and row, padded with zeros") {
  golden::DecodeProblem problem;
  problem.tokens = 1;
  problem.vector_length = 1;
  problem.inputs = 33;  // one whole row group and one row of the next
  problem.outputs = 2;
  problem.codebooks = 2;
  problem.index_bits = 8;
  problem.activations.resize(33);
  problem.codebook_entries.resize(512);
  problem.scales.resize(2);
  for (std::uint16_t row = 0; row < 33; ++row) {
    for (std::uint16_t output = 0; output < 2; ++output) {
      for (std::uint16_t codebook = 0; codebook < 2; ++codebook) {
        problem.indices.push_back(static_cast<std::uint16_t>(row + 64 * output + 128 * codebook));
      }
    }
  }
  const std::vector<unsigned char> weights = pack(problem).weights;
  REQUIRE(weights.size() == 2 * 2 * 2 * 32);
  CHECK(weights[0] == 0);     // group 0, codebook 0, output 0, row 0
  CHECK(weights[31] == 31);   // row 31
  CHECK(weights[32] == 64);   // output 1
  CHECK(weights[64] == 128);  // codebook 1
  CHECK(weights[128] == 32);  // group 1, row 32
  CHECK(weights[129] == 0);   // padding
  CHECK(weights[128 + 96] == 32 + 64 + 128);
}

TEST_CASE("INT8 operands lie in blocks of 32, padded with zeros") {
  golden::Int8Problem problem;
  problem.tokens = 2;
  problem.inputs = 33;
  problem.outputs = 34;
  problem.activations.assign(66, 0);
  problem.weights.assign(33 * 34, 0);
  problem.scales.assign(34, 1.0F);
  problem.activations[33 + 32] = 5;   // token 1, input 32
  problem.weights[33 * 33 + 32] = 7;  // output 33, input 32
  const OperandImage image = pack(problem);
  REQUIRE(image.activations.size() == 2 * 2 * 32);
  CHECK(image.activations[64 + 32] == 5);  // block 1, token 1, input 0 of the block
  REQUIRE(image.weights.size() == 2 * 2 * 32 * 32);
  CHECK(image.weights[3 * 1024 + 1] == 7);  // block (1, 1), input 0, output 1
}

TEST_CASE("sizes agree with what is packed") {
  for (const LayerParameters& layer :
       {decode_layer(3, 904, 77, 3, 8, 10), prefill_layer(5, 100, 33)}) {
    const OperandImage image = pack(generate_operands(layer, 1, 0));
    const OperandSizes sizes = sizes_of(layer);
    CHECK(image.activations.size() == sizes.activations);
    CHECK(image.codebooks.size() == sizes.codebooks);
    CHECK(image.weights.size() == sizes.weights);
    CHECK(image.scales.size() == sizes.scales);
  }
}
