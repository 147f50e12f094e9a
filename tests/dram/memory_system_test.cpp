#include "dram/memory_system.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <tuple>

#include "dram/command_checker.h"
#include "dram/traffic.h"

namespace eva::test {
namespace {

const DramDevice& ddr4() {
  return dram_devices().front();
}

class Ends : public TransactionSink {
 public:
  void on_transaction(std::uint32_t /*transaction*/, std::uint64_t /*first_data*/,
                      std::uint64_t last_data) override {
    ++count;
    last = std::max(last, last_data);
  }
  std::size_t count = 0;
  std::uint64_t last = 0;
};

/// Bursts at random clocks and addresses, half of them in runs, a third of them writes.
std::vector<Request> random_traffic(std::uint64_t bytes, std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<Request> requests;
  std::uint64_t clock = 0;
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 64 == 0) clock += random() % 3000;
    address = random() % 2 == 0 ? address + 64 : random() % bytes / 64 * 64;
    requests.push_back({clock, random() % 3 == 0, address % bytes});
  }
  return requests;
}

void check_commands(const DramDevice& device, const MemorySystemParameters& parameters,
                    const std::vector<Request>& requests) {
  std::vector<CommandChecker> checkers;
  for (std::uint64_t i = 0; i < parameters.channels; ++i)
    checkers.emplace_back(device, static_cast<std::uint32_t>(parameters.ranks));
  const TrafficResult result = send(
      device, parameters, requests,
      [&](std::uint32_t channel, const DramCommand& command) { checkers[channel].check(command); });
  for (CommandChecker& checker : checkers) {
    checker.finish(result.clocks);
    CHECK(checker.violations() == std::vector<std::string>());
  }
}

}  // namespace

TEST_CASE("no pattern of traffic ever breaks a rule of JEDEC") {
  for (const char* mapping : {"BGI", "RBC"}) {
    for (const std::uint32_t channels : {1U, 2U, 4U}) {
      for (const std::uint32_t ranks : {1U, 2U}) {
        for (const char* name : {"a", "h", "c", "d", "f", "f2", "f3", "e_idle", "e_hit",
                                 "e_conflict", "e_wr_rd", "b", "b2", "b4"}) {
          CAPTURE(mapping, channels, ranks, name);
          std::vector<Request> requests = pattern(name, channels);
          requests.resize(std::min<std::size_t>(requests.size(), 20000));
          check_commands(ddr4(), reference_memory(mapping, channels, ranks), requests);
        }
      }
    }
  }
}

TEST_CASE("random traffic breaks no rule of JEDEC on any device, policy and queue") {
  for (const DramDevice& device : dram_devices()) {
    for (const PagePolicy policy : {PagePolicy::open, PagePolicy::closed}) {
      for (const std::uint64_t queue : {1, 2, 32}) {
        for (const std::uint32_t ranks : {1U, 2U}) {
          CAPTURE(device.name, static_cast<int>(policy), queue, ranks);
          MemorySystemParameters parameters = reference_memory("BGI", 2, ranks);
          parameters.controller.page_policy = policy;
          parameters.controller.read_queue = parameters.controller.write_queue = queue;
          check_commands(device, parameters, random_traffic(std::uint64_t{ranks} << 28, 10000));
        }
      }
    }
  }
}

TEST_CASE("refresh comes 1282 times in 10 ms, whether the channel is busy or idle") {
  // 10 ms of 7.8 us intervals; 10,666,667 clocks.
  for (const std::size_t requests : {1U, 400'000U}) {
    CommandChecker checker(ddr4(), 1);
    std::vector<Request> traffic;
    for (std::size_t i = 0; i < requests; ++i)
      traffic.push_back({26 * i, false, 64 * i});
    traffic.push_back({10'666'667, false, 0});
    send(ddr4(), reference_memory("BGI", 1), traffic,
         [&](std::uint32_t, const DramCommand& command) { checker.check(command); });
    checker.finish(10'666'667);
    CHECK(checker.refreshes(0) >= 1274);
    CHECK(checker.refreshes(0) <= 1290);
    CHECK(checker.longest_refresh_interval(0) < 2 * 8320);
    CHECK(checker.violations().empty());
  }
}

TEST_CASE("a stream gains the time of the refreshes without them, 3 to 6 %") {
  MemorySystemParameters without = reference_memory("BGI", 1);
  without.controller.refresh = false;
  const auto requests = pattern("a", 1);
  const double ratio =
      static_cast<double>(send(ddr4(), reference_memory("BGI", 1), requests).clocks) /
      static_cast<double>(send(ddr4(), without, requests).clocks);
  CHECK(ratio > 1.03);
  CHECK(ratio < 1.06);
}

TEST_CASE("four channels stream at 90 to 100 % of their 68.27 GB/s; twice the clock halves it") {
  const auto requests = pattern("g", 4);  // 64 MiB
  const double nanoseconds = send(ddr4(), reference_memory("BGI", 4), requests).nanoseconds(ddr4());
  const double gb_s = 67108864 / nanoseconds;
  CHECK(gb_s <= 68.27);
  CHECK(gb_s >= 0.9 * 68.27);
  DramDevice twice = ddr4();
  twice.timing.clock_hertz *= 2;
  twice.timing.t_refi *= 2;
  twice.timing.t_rfc *= 2;
  CHECK(nanoseconds / send(twice, reference_memory("BGI", 4), requests).nanoseconds(twice) ==
        Approx(2).epsilon(0.02));
}

TEST_CASE("queues of any depth let reads and writes to one address through, and a lone write") {
  for (const std::uint64_t queue : {1, 2, 32}) {
    MemorySystemParameters parameters = reference_memory("BGI", 1);
    parameters.controller.read_queue = parameters.controller.write_queue = queue;
    Ends ends;
    MemorySystem memory(ddr4(), parameters, std::uint64_t{8} << 30, ends);
    for (std::uint64_t i = 0; i < queue; ++i)
      memory.submit(0, true, 131072 * (i + 1), 64);
    memory.submit(0, false, 0, 64);
    memory.submit(0, true, 0, 64);
    memory.submit(0, false, 0, 64);
    memory.advance(10'667);  // 10 us
    CHECK(ends.count == queue + 3);
    memory.submit(20'000, true, 64, 64);
    memory.advance(20'100);
    CHECK(ends.count == queue + 4);
    CHECK(ends.last == 20'000 + 1 + 16 + 11 + 4);
  }
}

TEST_CASE("the oldest burst is served although younger ones keep hitting the open row") {
  Ends ends;
  MemorySystemParameters parameters = reference_memory("RBC", 1);
  parameters.controller.starvation_clocks = 200;
  parameters.controller.refresh = false;
  MemorySystem memory(ddr4(), parameters, std::uint64_t{8} << 30, ends);
  memory.submit(0, false, 0, 64);
  const std::uint32_t old = memory.submit(1, false, 131072, 64);
  std::uint64_t clock = 1;
  for (std::uint64_t i = 1; i < 100; ++i) {
    memory.submit(clock, false, 64 * i, 64);
    clock = std::max(clock + 6, memory.advance_until_queued());
    memory.advance(clock);
    if (memory.remaining(old) == 0) break;
  }
  CHECK(clock > 200);
  CHECK(clock < 300);
}

TEST_CASE("a transaction takes the bursts that it touches") {
  Ends ends;
  MemorySystem memory(ddr4(), reference_memory("BGI", 4), std::uint64_t{32} << 30, ends);
  const auto bursts = [&memory](std::uint64_t address, std::uint64_t bytes) {
    return memory.remaining(memory.submit(0, false, address, bytes));
  };
  CHECK(bursts(0x3c, 100) == 3);
  CHECK(bursts(0, 1) == 1);
  CHECK(bursts(63, 2) == 2);
  CHECK(bursts(64, 4097) == 65);
  CHECK(bursts(0, 16 << 20) == 262144);
  memory.advance(2'000'000);
  CHECK(ends.count == 5);
}

TEST_CASE("every clock of the data bus is busy or has a reason") {
  for (const char* name : {"a", "c", "d", "f3", "b", "b2"}) {
    const TrafficResult result = send(ddr4(), reference_memory("BGI", 1), pattern(name, 1));
    const ChannelStatistics& total = result.total;
    CHECK(total.busy + total.idle + total.refresh + total.row + total.turnaround +
              total.bank_group ==
          result.clocks);
  }
}

TEST_CASE("hits, misses and conflicts are all bursts, and channels sum up to the whole") {
  const auto requests = pattern("a", 4);
  const TrafficResult stream = send(ddr4(), reference_memory("BGI", 4), requests);
  const ChannelStatistics& total = stream.total;
  CHECK(total.row_hits + total.row_misses + total.row_conflicts == requests.size());
  CHECK(total.row_hits > requests.size() * 95 / 100);
  for (const ChannelStatistics& channel : stream.channels)
    CHECK(channel.reads == requests.size() / 4);
  CHECK(send(ddr4(), reference_memory("BGI", 1), pattern("d", 1)).total.row_hits == 0);
}

TEST_CASE("random addresses are not faster than a stream") {
  CHECK(send(ddr4(), reference_memory("BGI", 1), pattern("c", 1)).clocks >
        send(ddr4(), reference_memory("BGI", 1), pattern("a", 1)).clocks);
}

}  // namespace eva::test
