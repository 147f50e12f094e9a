// Simulated time: against the published equations, and in its own right.
#include <catch2/catch.hpp>

#include <cmath>

#include "platform/simulation.h"
#include "support/layer_bench.h"
#include "support/simulated.h"

using namespace eva;
using namespace eva::test;

namespace {

/// (simulated - published) / published cycles of one block.
double gap(const std::string& scenario, std::vector<std::string> overrides) {
  const auto simulated = statistics_of(scenario, overrides)["sim"]["cycles"].get<std::uint64_t>();
  overrides.emplace_back("fidelity=closed_form");
  const std::uint64_t published =
      evaluate_closed_form(load_scenario(scenario, overrides)).cycles.count();
  return static_cast<double>(simulated) / static_cast<double>(published) - 1;
}

double decode_gap(const std::string& llm, int codebooks, int tokens) {
  return gap("llama2-7b-block-decode",
             {"llm=" + llm, "weights.codebooks=" + std::to_string(codebooks),
              "tokens=" + std::to_string(tokens)});
}

double prefill_gap(const std::string& llm, int tokens) {
  return gap("llama2-7b-block-prefill", {"llm=" + llm, "tokens=" + std::to_string(tokens)});
}

std::uint64_t cycles_of(const LayerParameters& layer) {
  Scenario scenario;
  scenario.layers = {layer};
  return simulated_cycles(scenario);
}

}  // namespace

TEST_CASE(
    "decode within 1 % of the published equations: LLaMA-2-7B at 2, 3, 4 bits, 1 and 4 tokens") {
  for (const int codebooks : {2, 3, 4}) {
    for (const int tokens : {1, 4})
      CHECK(std::abs(decode_gap("llama2-7b", codebooks, tokens)) < 0.01);
  }
}

TEST_CASE(
    "decode within 1 % of the published equations: LLaMA-2-13B at 2, 3, 4 bits, 1 and 4 tokens") {
  for (const int codebooks : {2, 3, 4}) {
    for (const int tokens : {1, 4})
      CHECK(std::abs(decode_gap("llama2-13b", codebooks, tokens)) < 0.01);
  }
}

TEST_CASE(
    "decode within 1 % of the published equations: LLaMA-3-8B at 2, 3, 4 bits, 1 and 4 tokens") {
  for (const int codebooks : {2, 3, 4}) {
    for (const int tokens : {1, 4})
      CHECK(std::abs(decode_gap("llama3-8b", codebooks, tokens)) < 0.01);
  }
}

TEST_CASE("prefill within 1 % of the published equations: 128 tokens on three models") {
  for (const char* llm : {"llama2-7b", "llama2-13b", "llama3-8b"}) {
    CHECK(std::abs(prefill_gap(llm, 128)) < 0.01);
  }
}

TEST_CASE("prefill within 1 % of the published equations: 1024 tokens on LLaMA-2-7B") {
  CHECK(std::abs(prefill_gap("llama2-7b", 1024)) < 0.01);
}

TEST_CASE("prefill within 1 % of the published equations: 1024 tokens on LLaMA-2-13B") {
  CHECK(std::abs(prefill_gap("llama2-13b", 1024)) < 0.01);
}

TEST_CASE("prefill within 1 % of the published equations: 1024 tokens on LLaMA-3-8B") {
  CHECK(std::abs(prefill_gap("llama3-8b", 1024)) < 0.01);
}

TEST_CASE("grouped codebooks cost what the equations say when every product is charged") {
  // Published: 1 692 972, without the products of the last tile of inputs; with them 1 830 690.
  const auto statistics = statistics_of(
      "llama2-7b-block-decode",
      {"weights.codebooks=1", "weights.vector_length=4", "weights.columns_per_codebook=256"});
  CHECK(statistics["sim"]["cycles"].get<double>() == Approx(1'830'690).epsilon(0.01));
}

TEST_CASE("codebooks of 4096 entries run within 1 % of Table III on a chip with room for them") {
  CHECK(std::abs(gap("llama2-7b-block-decode", {"weights.index_bits=12", "chip=eva-4eu-large"})) <
        0.01);
}

TEST_CASE("fewer epilogue units take proportionally longer, as published") {
  CHECK(std::abs(gap("llama2-7b-block-decode", {"chip=eva-1eu"})) < 0.01);
  CHECK(std::abs(gap("llama2-7b-block-decode", {"chip=eva-2eu"})) < 0.01);
}

TEST_CASE("one tile computed by hand: 32 rows, 256 entries, 8 columns") {
  // Product: 256 entries and 32 + 8 to fill and drain: 296 cycles. Look-ups: 8 columns.
  const LayerParameters layer = decode_layer(1, 256, 8, 1);
  Scenario scenario;
  scenario.layers = {layer};
  const auto units = statistics_of(scenario)["units"];
  CHECK(units["gemm"]["busy_cycles"] == 296);
  CHECK(units["gemm"]["work"] == 32 * 256 * 8);
  CHECK(units["epilogue"]["busy_cycles"] == 8);
  CHECK(units["epilogue"]["work"] == 8 * 32);
  CHECK(units["vector"]["busy_cycles"] == 1);
}

TEST_CASE("one INT8 block computed by hand: 10 tokens, 32 inputs, 32 outputs") {
  Scenario scenario;
  scenario.layers = {prefill_layer(10, 32, 32)};
  const auto units = statistics_of(scenario)["units"];
  CHECK(units["gemm"]["busy_cycles"] == 10 + 32 + 8);
  CHECK(units["gemm"]["work"] == 10 * 32 * 32);
  CHECK(units["vector"]["busy_cycles"] == 40);  // 320 values on 8 lanes
  CHECK(units["epilogue"]["busy_cycles"] == 0);
}

TEST_CASE("visible weight preload costs 30 cycles a block of weights on 32 rows") {
  Scenario scenario;
  scenario.layers = {prefill_layer(10, 32, 32)};
  scenario.chip.gemm.array.weight_preload = WeightPreload::visible;
  CHECK(statistics_of(scenario)["units"]["gemm"]["busy_cycles"] == 10 + 32 + 8 + 30);
}

TEST_CASE("look-ups in fewer banks than lanes take the cycles that the collisions cost") {
  const auto look_up_cycles = [](std::uint64_t banks) {
    Scenario scenario;
    scenario.layers = {decode_layer(1, 1024, 4096, 1)};
    scenario.chip.buffers.output_codebook.banks = banks;
    return statistics_of(scenario)["units"]["epilogue"]["busy_cycles"].get<int>();
  };
  CHECK(look_up_cycles(128) == 4096);
  CHECK(look_up_cycles(64) == 2 * 4096);
  CHECK(look_up_cycles(32) == 4 * 4096);
  CHECK(look_up_cycles(100) == 2 * 4096);
}

TEST_CASE("every cycle of every unit is busy, stalled for a reason, or idle") {
  const auto accounted = [](const nlohmann::json& statistics) {
    const auto total = statistics["sim"]["cycles"].get<std::uint64_t>();
    const auto check_unit = [total](const nlohmann::json& unit) {
      std::uint64_t by_reason = 0;
      for (const auto& cycles : unit["stalls"])
        by_reason += cycles.get<std::uint64_t>();
      CHECK(unit["stall_cycles"] == by_reason);
      CHECK(unit["busy_cycles"].get<std::uint64_t>() + by_reason +
                unit["idle_cycles"].get<std::uint64_t>() ==
            total);
    };
    for (const auto& unit : statistics["units"]) {
      check_unit(unit);
      if (unit.contains("channels")) {
        for (const auto& channel : unit["channels"])
          check_unit(channel);
      }
    }
  };
  accounted(statistics_of("tiny-decode", {}, DataKind::random));
  accounted(statistics_of("tiny-prefill", {}, DataKind::random));
  accounted(statistics_of("llama2-7b-block-decode", {}));
  accounted(statistics_of("llama2-7b-block-decode", {"chip=eva-16eu", "tokens=3"}));
  accounted(statistics_of("llama2-7b-block-decode", {"chip.dram.ideal.bytes_per_cycle=32"}));
  accounted(
      statistics_of("tiny-decode", {"chip.clock_mhz=333", "chip.dram.ideal.latency_cycles=77"}));
}

TEST_CASE(
    "what the layers moved adds up to what the memory saw, but for descriptors and boot table") {
  const auto statistics = statistics_of("tiny-decode", {});
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (const auto& layer : statistics["layers"]) {
    read += layer["bytes_read"].get<std::uint64_t>();
    written += layer["bytes_written"].get<std::uint64_t>();
  }
  const auto commands = statistics["commands"].get<std::uint64_t>();
  const std::uint64_t tables = sizeof(eva_boot_table) + 3 * sizeof(eva_layer);
  CHECK(statistics["dram"]["bytes_read"] == read + commands * EVA_DESCRIPTOR_BYTES + tables);
  CHECK(statistics["dram"]["bytes_written"] ==
        written + commands * EVA_DESCRIPTOR_BYTES + 3 * sizeof(eva_layer));
  CHECK(written == (256 + 3 * 77 + 512) * 2);
}

TEST_CASE("nothing looks up more than a buffer holds, and a smaller buffer shows") {
  const auto run = [](int kib) {
    return statistics_of("llama2-7b-block-decode",
                         {"chip.buffers.output_codebook.capacity_kib=" + std::to_string(kib)});
  };
  const auto whole = run(192);
  const auto half = run(96);
  for (const auto& statistics : {whole, half}) {
    for (const auto& buffer : statistics["buffers"]) {
      CHECK(buffer["peak_bytes"].get<int>() <= buffer["capacity_bytes"].get<int>());
    }
  }
  CHECK(half["sim"]["cycles"].get<double>() > 1.1 * whole["sim"]["cycles"].get<double>());
}

TEST_CASE("a layer of 22016 outputs runs by tiling them, at the cost of its look-ups") {
  // 8 passes of 22016 columns and the first product.
  CHECK(cycles_of(decode_layer(1, 4096, 22016)) == Approx(8 * 22016 + 1184).epsilon(0.01));
}

TEST_CASE("a codebook of 1024 entries runs with fewer rows per tile") {
  const auto statistics = [] {
    Scenario scenario;
    scenario.layers = {decode_layer(1, 4096, 4096, 1, 8, 10)};
    return statistics_of(scenario);
  }();
  CHECK(statistics["buffers"]["codebook"]["peak_bytes"] == 16384);
  CHECK(statistics["buffers"]["output_codebook"]["peak_bytes"].get<int>() <= 196608);
}

TEST_CASE("cycles never fall when tokens grow") {
  for (const std::uint64_t inputs : {256U, 896U, 2048U}) {
    std::uint64_t previous = 0;
    for (std::uint64_t tokens = 1; tokens <= 64; tokens += tokens < 9 ? 1 : 5) {
      const std::uint64_t cycles = cycles_of(decode_layer(tokens, inputs, 700));
      INFO("inputs " << inputs << " tokens " << tokens);
      CHECK(cycles >= previous);
      previous = cycles;
    }
  }
  std::uint64_t previous = 0;
  for (const std::uint64_t tokens : {1, 2, 31, 32, 33, 127, 128, 129, 513, 1024, 1025, 1500}) {
    const std::uint64_t cycles = cycles_of(prefill_layer(tokens, 256, 96));
    INFO("prefill, tokens " << tokens);
    CHECK(cycles >= previous);
    previous = cycles;
  }
}

TEST_CASE("cycles never fall when inputs grow") {
  std::uint64_t previous = 0;
  for (std::uint64_t inputs = 8; inputs <= 4096; inputs = inputs * 9 / 8 / 8 * 8 + 8) {
    const std::uint64_t cycles = cycles_of(decode_layer(3, inputs, 1000));
    INFO("inputs " << inputs);
    CHECK(cycles >= previous);
    previous = cycles;
  }
  previous = 0;
  for (std::uint64_t inputs = 1; inputs <= 2000; inputs = inputs * 5 / 4 + 1) {
    const std::uint64_t cycles = cycles_of(prefill_layer(40, inputs, 64));
    INFO("prefill, inputs " << inputs);
    CHECK(cycles >= previous);
    previous = cycles;
  }
}

TEST_CASE("cycles never fall when outputs grow") {
  std::uint64_t previous = 0;
  for (std::uint64_t outputs = 1; outputs <= 20000; outputs = outputs * 5 / 4 + 1) {
    const std::uint64_t cycles = cycles_of(decode_layer(2, 640, outputs));
    INFO("outputs " << outputs);
    CHECK(cycles >= previous);
    previous = cycles;
  }
  previous = 0;
  for (std::uint64_t outputs = 1; outputs <= 2000; outputs = outputs * 5 / 4 + 1) {
    const std::uint64_t cycles = cycles_of(prefill_layer(40, 200, outputs));
    INFO("prefill, outputs " << outputs);
    CHECK(cycles >= previous);
    previous = cycles;
  }
}

TEST_CASE("contents do not change the time") {
  CHECK(statistics_of("tiny-decode", {}, DataKind::random)["sim"]["cycles"] ==
        statistics_of("tiny-decode", {}, DataKind::none)["sim"]["cycles"]);
}

TEST_CASE(
    "the main scenario: 42 496 outputs without a mismatch, no conflict, near the published time") {
  const auto statistics = statistics_of("llama2-7b-block-decode", {}, DataKind::random);
  CHECK(statistics["check"]["compared"] == 42496);
  CHECK(statistics["check"]["mismatches"] == 0);
  CHECK(statistics["buffers"]["output_codebook"]["conflict_cycles"] == 0);
  CHECK(statistics["buffers"]["output_codebook"]["look_ups"] == 50593792);
  CHECK(statistics["sim"]["cycles"].get<double>() == Approx(405978).epsilon(0.005));
}
