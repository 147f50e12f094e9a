// Layers of awkward shapes, bit for bit against the golden model, with guard bytes round the
// output.
#include <catch2/catch.hpp>

#include "platform/golden_check.h"
#include "support/layer_bench.h"

using namespace eva;
using namespace eva::test;

namespace {

std::string run(std::vector<LayerParameters> layers) {
  Scenario scenario;
  scenario.layers = std::move(layers);
  return run_layers(scenario);
}

}  // namespace

TEST_CASE("decode: inputs that do not fill the last row tile") {
  CHECK(run({decode_layer(1, 896, 64), decode_layer(1, 11008, 40), decode_layer(1, 13696, 33),
             decode_layer(1, 4544, 32), decode_layer(1, 10944, 17)}) == "ok");
}

TEST_CASE("decode: one output, odd outputs and more outputs than the output buffer holds") {
  CHECK(run({decode_layer(1, 256, 1), decode_layer(1, 256, 3), decode_layer(1, 256, 17),
             decode_layer(1, 128, 11008), decode_layer(1, 64, 22016),
             decode_layer(1, 64, 50257)}) == "ok");
}

TEST_CASE("decode: every number of tokens that is no power of two") {
  CHECK(run({decode_layer(1, 384, 70), decode_layer(3, 384, 70), decode_layer(7, 384, 70),
             decode_layer(17, 384, 70), decode_layer(33, 384, 70), decode_layer(64, 384, 70)}) ==
        "ok");
}

TEST_CASE("decode: many tokens together with ragged inputs and outputs") {
  CHECK(run({decode_layer(17, 896, 11008), decode_layer(33, 1096, 77), decode_layer(64, 264, 1)}) ==
        "ok");
}

TEST_CASE("decode: vector lengths and index widths of every kind") {
  CHECK(run({decode_layer(1, 12, 5, 1, 3), decode_layer(2, 128, 50, 1, 4, 8),
             decode_layer(1, 256, 40, 2, 16, 6), decode_layer(1, 320, 40, 3, 32, 4),
             decode_layer(1, 64, 30, 1, 1, 5), decode_layer(3, 96, 30, 2, 8, 1),
             decode_layer(1, 1024, 300, 1, 8, 10)}) == "ok");
}

TEST_CASE("decode: codebooks of 4096 entries on a chip with room for them") {
  Scenario scenario = load_scenario("tiny-decode", {"chip=eva-4eu-large"});
  scenario.layers = {decode_layer(1, 1024, 100, 2, 8, 12), decode_layer(3, 520, 33, 1, 8, 12)};
  CHECK(run_layers(scenario) == "ok");
}

TEST_CASE("decode: one to four codebooks, codebooks inside and outside the row tile") {
  Scenario scenario;
  for (std::uint64_t codebooks = 1; codebooks <= 4; ++codebooks) {
    scenario.layers.push_back(decode_layer(2, 2080, 130, codebooks));
  }
  CHECK(run_layers(scenario) == "ok");
  scenario.codebook_order = CodebookOrder::outer;
  CHECK(run_layers(scenario) == "ok");
}

TEST_CASE("decode: codebooks shared by groups of outputs") {
  LayerParameters grouped = decode_layer(1, 512, 1000, 1, 4);
  grouped.columns_per_codebook = 256;
  LayerParameters two_codebooks = decode_layer(3, 256, 300, 2);
  two_codebooks.columns_per_codebook = 100;
  LayerParameters whole_buffer = decode_layer(1, 256, 200, 4);  // one set fills the buffer
  whole_buffer.columns_per_codebook = 64;
  CHECK(run({grouped, two_codebooks, whole_buffer}) == "ok");
}

TEST_CASE("prefill: inputs that do not fill the last block") {
  CHECK(run({prefill_layer(5, 896, 64), prefill_layer(3, 11008, 33), prefill_layer(2, 13696, 32),
             prefill_layer(4, 1, 32), prefill_layer(4, 33, 32)}) == "ok");
}

TEST_CASE("prefill: one output, odd outputs and many outputs") {
  CHECK(run({prefill_layer(9, 128, 1), prefill_layer(9, 128, 3), prefill_layer(9, 128, 17),
             prefill_layer(2, 64, 11008)}) == "ok");
}

TEST_CASE("prefill: tokens from one to more than one tile") {
  CHECK(run({prefill_layer(1, 96, 40), prefill_layer(3, 96, 40), prefill_layer(17, 96, 40),
             prefill_layer(33, 96, 40), prefill_layer(64, 96, 40), prefill_layer(129, 96, 40),
             prefill_layer(1024, 96, 40), prefill_layer(1100, 64, 33)}) == "ok");
}

TEST_CASE("prefill: INT8 outputs") {
  LayerParameters layer = prefill_layer(130, 200, 70);
  layer.int8_output = true;
  CHECK(run({layer}) == "ok");
}

TEST_CASE("prefill: the largest number of inputs goes in several tiles") {
  CHECK(run({prefill_layer(1, 131071, 2)}) == "ok");
}

TEST_CASE("decode and prefill alternate") {
  CHECK(run({decode_layer(2, 256, 70), prefill_layer(20, 100, 70), decode_layer(1, 896, 70),
             prefill_layer(3, 64, 32)}) == "ok");
}

TEST_CASE("both forms: a layer without tokens is done at once and writes nothing") {
  CHECK(run({decode_layer(0, 256, 32), prefill_layer(0, 256, 32), decode_layer(1, 256, 32)}) ==
        "ok");
}

TEST_CASE(
    "decode: a smaller last row tile adds to the same sums, however little the buffer holds") {
  // Its weight indices come in longer slices than those of the full tiles before it.
  Scenario scenario;
  scenario.layers = {decode_layer(2, 768, 1000, 1), decode_layer(1, 1288, 700, 2)};
  scenario.chip.buffers.weight.capacity_kib = 1;
  CHECK(run_layers(scenario) == "ok");
  scenario.chip.buffers.weight.capacity_kib = 4;
  CHECK(run_layers(scenario) == "ok");
}

TEST_CASE("decode: arithmetic options agree with the golden model") {
  Scenario scenario;
  scenario.layers = {decode_layer(2, 900, 70, 3, 4)};
  SECTION("products in FP32") {
    scenario.chip.gemm.accumulation = ProductAccumulation::fp32;
  }
  SECTION("FP16 adder tree") {
    scenario.chip.epilogue.tree = SumPrecision::fp16;
  }
  SECTION("FP16 output sums") {
    scenario.chip.epilogue.accumulator = SumPrecision::fp16;
  }
  SECTION("all in FP16") {
    scenario.chip.epilogue.tree = SumPrecision::fp16;
    scenario.chip.epilogue.accumulator = SumPrecision::fp16;
  }
  CHECK(run_layers(scenario) == "ok");
}

TEST_CASE("chips of other dimensions compute the same layers right") {
  Scenario scenario;
  scenario.layers = {decode_layer(5, 904, 200), prefill_layer(40, 100, 50)};
  SECTION("array of 16 x 8") {
    scenario.chip.gemm.array.rows = 16;
  }
  SECTION("array of 32 x 4") {
    scenario.chip.gemm.array.columns = 4;
  }
  SECTION("array of 64 x 8") {
    scenario.chip.gemm.array.rows = 64;
  }
  SECTION("1 epilogue unit") {
    scenario.chip.epilogue.units = 1;
  }
  SECTION("3 epilogue units") {
    scenario.chip.epilogue.units = 3;
  }
  SECTION("32 epilogue units") {
    scenario.chip.epilogue.units = 32;
  }
  SECTION("128 epilogue units") {
    scenario.chip.epilogue.units = 128;
  }
  SECTION("small buffers") {
    scenario.chip.buffers.input.capacity_kib = 4;
    scenario.chip.buffers.weight.capacity_kib = 2;
    scenario.chip.buffers.output_codebook.capacity_kib = 20;
    scenario.chip.buffers.output.capacity_kib = 2;
    scenario.chip.vector.scale_buffer_kib = 1;
  }
  SECTION("transfers that do not divide what the units take") {
    scenario.chip.buffers.weight.capacity_kib = 1;
    scenario.chip.dma.transfer_bytes = 300;
    scenario.chip.pipeline.columns_per_chunk = 2000;
  }
  SECTION("one command in flight") {
    scenario.chip.pipeline.commands_in_flight = 1;
  }
  SECTION("one transaction in flight, with latency") {
    scenario.chip.dma.outstanding = 1;
    scenario.chip.dram.ideal.latency_cycles = 100;
  }
  SECTION("a clock whose period is no whole number of picoseconds") {
    scenario.chip.clock_mhz = 333;
  }
  CHECK(run_layers(scenario) == "ok");
}

TEST_CASE("codebooks outside the row tile: the bits depend on neither batch nor epilogue units") {
  // The same token alone and with three others, on one unit and on four: equal outputs.
  const auto first_token = [](std::uint64_t tokens, std::uint64_t units) {
    Scenario scenario;
    scenario.codebook_order = CodebookOrder::outer;
    scenario.chip.epilogue.units = units;
    scenario.layers = {decode_layer(tokens, 2048, 64)};
    const Operands four = generate_operands(decode_layer(4, 2048, 64), 1, 0);
    auto problem = std::get<golden::DecodeProblem>(four);
    problem.tokens = tokens;
    problem.activations.resize(tokens * 2048);
    auto outputs = golden_outputs(scenario, scenario.layers[0], problem);
    outputs.resize(64);
    return outputs;
  };
  CHECK(first_token(1, 1) == first_token(4, 4));
  CHECK(first_token(1, 4) == first_token(4, 1));
}
