// How many bursts a second the DRAM model schedules, by itself.

#include <benchmark/benchmark.h>

#include "dram/traffic.h"

namespace {

void send_pattern(benchmark::State& state, const char* name, std::uint32_t channels) {
  const auto requests = eva::test::pattern(name, channels);
  const auto parameters = eva::test::reference_memory("BGI", channels);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        eva::test::send(eva::dram_devices().front(), parameters, requests).clocks);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(requests.size()));
}

BENCHMARK_CAPTURE(send_pattern, stream, "a", 1);
BENCHMARK_CAPTURE(send_pattern, stream_4_channels, "g", 4);
BENCHMARK_CAPTURE(send_pattern, random, "c4", 1);
BENCHMARK_CAPTURE(send_pattern, random_4_channels, "c4", 4);

}  // namespace

BENCHMARK_MAIN();
