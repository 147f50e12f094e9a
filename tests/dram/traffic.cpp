#include "dram/traffic.h"

#include <algorithm>
#include <stdexcept>

namespace eva::test {
namespace {

class LastData : public TransactionSink {
 public:
  void on_transaction(std::uint32_t /*transaction*/, std::uint64_t /*first_data*/,
                      std::uint64_t last_data) override {
    clock = std::max(clock, last_data);
  }
  std::uint64_t clock = 0;
};

std::vector<Request> stream(std::uint64_t count, std::uint64_t stride, std::uint64_t clocks,
                            bool write) {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < count; ++i)
    requests.push_back({i * clocks, write, i * stride});
  return requests;
}

std::vector<Request> random(std::uint64_t count, std::uint64_t clocks) {
  std::vector<Request> requests;
  std::uint64_t x = 12345;
  for (std::uint64_t i = 0; i < count; ++i) {
    x = 6364136223846793005ULL * x + 1442695040888963407ULL;
    requests.push_back({i * clocks, false, (x >> 40) * 64});
  }
  return requests;
}

/// Reads 64·i, each followed by a write `distance` further on.
std::vector<Request> mixed(std::uint64_t distance) {
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 65536; ++i) {
    requests.push_back({0, false, 64 * i});
    requests.push_back({0, true, (std::uint64_t{1} << 29) + distance + 64 * i});
  }
  return requests;
}

}  // namespace

std::vector<Request> pattern(const std::string& name, std::uint32_t channels) {
  if (name == "a") return stream(65536, 64, 0, false);
  if (name == "h") return stream(65536, 64, 0, true);
  if (name == "g") return stream(1048576, 64, 0, false);
  if (name == "c") return random(65536, 0);
  if (name == "c4") return random(262144, 0);
  if (name == "d" && channels == 1) return stream(8192, 131072, 0, false);
  if (name == "d") return stream(2048, 524288, 0, false);
  if (name == "f") return stream(65536, 64, 8, false);
  if (name == "f2") return random(65536, 16);
  if (name == "f3") return random(65536, 8);
  if (name == "e_idle") return {{100, false, 0}};
  if (name == "e_hit") return {{100, false, 0}, {300, false, 0}};
  if (name == "e_conflict") return {{100, false, 0}, {300, false, 131072}};
  if (name == "e_wr_rd") return {{0, true, 0}, {400, false, 0}};
  if (name == "b") return mixed(0);
  if (name == "b2") return mixed(65536);
  if (name == "b4") return mixed(262144);
  throw std::out_of_range("no pattern " + name);
}

TrafficResult send(const DramDevice& device, const MemorySystemParameters& parameters,
                   const std::vector<Request>& requests, const CommandObserver& observer) {
  LastData last;
  const std::uint64_t capacity =
      parameters.channels * parameters.ranks * device.organization.rank_bytes();
  MemorySystem memory(device, parameters, capacity, last);
  for (std::uint32_t i = 0; observer && i < parameters.channels; ++i) {
    memory.channels()[i].on_command = [&observer, i](const DramCommand& command) {
      observer(i, command);
    };
  }
  std::uint64_t clock = 0;
  for (const Request& request : requests) {
    clock = std::max(clock, request.clock);
    memory.submit(clock, request.write, request.address, 64);
    clock = memory.advance_until_queued();
  }
  for (std::uint64_t ahead = 64; memory.under_way() > 0; ahead *= 2)
    memory.advance(clock + ahead);

  TrafficResult result;
  result.clocks = last.clock;
  for (const ChannelController& channel : memory.channels()) {
    result.channels.push_back(channel.statistics(last.clock));
    result.total.add(result.channels.back());
    result.energy.add(channel_energy(device, parameters.ranks, result.channels.back()));
  }
  return result;
}

MemorySystemParameters reference_memory(const std::string& mapping, std::uint32_t channels,
                                        std::uint32_t ranks) {
  MemorySystemParameters parameters;
  parameters.channels = channels;
  parameters.ranks = ranks;
  parameters.mapping = mapping == "BGI" ? "ro-ra-ba-co-bg-ch" : "ro-ra-ba-bg-co-ch";
  return parameters;
}

}  // namespace eva::test
