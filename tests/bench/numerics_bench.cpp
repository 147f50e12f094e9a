#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "closed_form/eva_decode.h"
#include "numerics/adder_tree.h"
#include "numerics/codebook_product.h"
#include "numerics/int8_product.h"

namespace {

using namespace eva;

std::uint32_t next(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return state >> 8;
}

std::vector<HalfBits> random_halves(std::size_t count) {
  std::uint32_t state = 1;
  std::vector<HalfBits> halves(count);
  for (HalfBits& h : halves)
    h = float_to_half(static_cast<float>(next(state) % 2001) / 1000.0F - 1);
  return halves;
}

VectorPath path_of(const benchmark::State& state) {
  return state.range(0) == 0 ? VectorPath::portable : best_vector_path();
}

/// Products and sums of a row of the output codebook.
void codebook_product(benchmark::State& state) {
  const auto elements = random_halves(256 * 8);
  const auto x = random_halves(8);
  const Codebook codebook(elements.data(), 256, 8);
  std::vector<HalfBits> out(256);
  for (auto _ : state) {
    codebook.multiply(x.data(), ProductAccumulation::int32_aligned, out.data(), path_of(state));
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["GMAC/s"] =
      benchmark::Counter(256 * 8 * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(codebook_product)->ArgName("vector")->Arg(0)->Arg(1);

/// Additions of look-ups in an epilogue unit.
void adder_tree(benchmark::State& state) {
  const auto lanes = random_halves(256 * 32);
  std::vector<float> sums(256);
  for (auto _ : state) {
    accumulate_look_ups(lanes.data(), 32, 256, SumPrecision::fp32, SumPrecision::fp32, sums.data(),
                        1, path_of(state));
    benchmark::DoNotOptimize(sums.data());
  }
  state.counters["Glook-ups/s"] =
      benchmark::Counter(256 * 32 * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(adder_tree)->ArgName("vector")->Arg(0)->Arg(1);

/// INT8 blocks of 32 x 32 weights past 128 tokens.
void int8_product(benchmark::State& state) {
  std::uint32_t seed = 1;
  std::vector<std::int8_t> operands(128 * 32 + 32 * 32);
  for (std::int8_t& b : operands)
    b = static_cast<std::int8_t>(next(seed));
  std::vector<std::int32_t> sums(128 * 32);
  for (auto _ : state) {
    accumulate_int8_block(operands.data(), operands.data() + 128 * 32, 128, 32, sums.data(),
                          path_of(state));
    benchmark::DoNotOptimize(sums.data());
    std::fill(sums.begin(), sums.end(), 0);
  }
  state.counters["GMAC/s"] =
      benchmark::Counter(128 * 32 * 32 * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(int8_product)->ArgName("vector")->Arg(0)->Arg(1);

/// The published equations of one LLaMA-2-7B block.
void closed_form_block(benchmark::State& state) {
  const auto layers = closed_form::block_layers(1, {4096, 4096, 4096, 11008});
  for (auto _ : state) {
    benchmark::DoNotOptimize(closed_form::sum_over(layers, [](const closed_form::Layer& layer) {
      return closed_form::eva_decode(layer, {2, 8, 8, 0});
    }));
  }
}
BENCHMARK(closed_form_block);

}  // namespace

BENCHMARK_MAIN();
