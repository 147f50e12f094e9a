// The anchors on which three public simulators agree: total time of a pattern in nanoseconds, for
// DDR4-2133. Where they differ among themselves, the outermost two are given.

#include <catch2/catch.hpp>

#include "dram/traffic.h"

namespace eva::test {
namespace {

struct Anchor {
  const char* pattern;
  std::uint32_t channels;
  const char* mapping;
  double shortest;
  double longest;
};

constexpr Anchor anchors[] = {
    {"a", 1, "BGI", 258487.5, 258844.7},    {"h", 1, "BGI", 259182.2, 259341.6},
    {"g", 1, "BGI", 4136057.8, 4141109.1},  {"c", 1, "BGI", 371850.9, 373881.6},
    {"d", 1, "BGI", 417929.1, 418709.1},    {"f", 1, "BGI", 491856.6, 491865.9},
    {"f2", 1, "BGI", 983310.0, 983323.1},   {"f3", 1, "BGI", 491938.1, 491975.6},
    {"e_idle", 1, "BGI", 128.4, 128.4},     {"e_hit", 1, "BGI", 300.9, 300.9},
    {"e_conflict", 1, "BGI", 330.9, 330.9}, {"e_wr_rd", 1, "BGI", 394.7, 409.7},
    {"a", 4, "BGI", 64545.9, 64635.9},      {"h", 4, "BGI", 64713.8, 64809.4},
    {"g", 4, "BGI", 1033850.6, 1035152.8},  {"c", 4, "BGI", 95074.7, 96646.9},
    {"c4", 4, "BGI", 379439.1, 386302.5},   {"d", 4, "BGI", 104384.1, 104579.1},
    {"c", 1, "RBC", 371685.0, 373702.5},    {"d", 1, "RBC", 417929.1, 418709.1},
    {"f2", 1, "RBC", 983377.5, 983383.1},   {"f3", 1, "RBC", 491987.8, 492003.8},
    {"e_idle", 1, "RBC", 128.4, 128.4},     {"e_hit", 1, "RBC", 300.9, 300.9},
    {"e_conflict", 1, "RBC", 330.9, 330.9}, {"e_wr_rd", 1, "RBC", 394.7, 409.7},
    {"c", 4, "RBC", 95555.6, 96450.0},      {"c4", 4, "RBC", 378769.7, 386262.2},
    {"d", 4, "RBC", 104384.1, 104579.1},
};

/// Clocks from the arrival of the last read to its last data, when it is alone.
std::uint64_t last_latency(const char* name) {
  const std::vector<Request> requests = pattern(name, 1);
  return send(dram_devices().front(), reference_memory("BGI", 1), requests).clocks -
         requests.back().clock;
}

double percent_of_peak(const char* name, const char* mapping, std::uint32_t channels) {
  const std::vector<Request> requests = pattern(name, channels);
  const DramDevice& device = dram_devices().front();
  const double nanoseconds =
      send(device, reference_memory(mapping, channels), requests).nanoseconds(device);
  return static_cast<double>(requests.size()) * 64 / nanoseconds / device.peak_gb_s() / channels *
         100;
}

}  // namespace

TEST_CASE("every pattern takes as long as on the public simulators, within 3 %") {
  for (const Anchor& anchor : anchors) {
    CAPTURE(anchor.pattern, anchor.channels, anchor.mapping);
    const DramDevice& device = dram_devices().front();
    const double nanoseconds = send(device, reference_memory(anchor.mapping, anchor.channels),
                                    pattern(anchor.pattern, anchor.channels))
                                   .nanoseconds(device);
    CHECK(nanoseconds > 0.97 * anchor.shortest);
    CHECK(nanoseconds < 1.03 * anchor.longest);
  }
}

TEST_CASE("a single read takes 37 clocks in a closed bank, 21 in an open row, 53 in conflict") {
  CHECK(last_latency("e_idle") == 37);
  CHECK(last_latency("e_hit") == 21);
  CHECK(last_latency("e_conflict") == 53);
}

TEST_CASE("mixed reads and writes, and a stream in one bank, lie between the public simulators") {
  CHECK(percent_of_peak("b", "BGI", 1) == Approx(73.5).margin(8.5));
  CHECK(percent_of_peak("b2", "BGI", 1) == Approx(88.5).margin(4.5));
  CHECK(percent_of_peak("b", "RBC", 1) == Approx(49.5).margin(7.5));
  CHECK(percent_of_peak("b2", "RBC", 1) == Approx(61).margin(4.5));
  CHECK(percent_of_peak("a", "RBC", 1) == Approx(72).margin(7));
}

TEST_CASE("the energy of the patterns follows from commands and currents, within 3 %") {
  const auto microjoules = [](const char* name) {
    return send(dram_devices().front(), reference_memory("BGI", 1), pattern(name, 1))
               .energy.total() *
           1e6;
  };
  CHECK(microjoules("a") == Approx(324.8).epsilon(0.03));
  CHECK(microjoules("h") == Approx(301.4).epsilon(0.03));
  CHECK(microjoules("c") == Approx(595.9).epsilon(0.03));
  CHECK(microjoules("d") == Approx(241.3).epsilon(0.03));
  CHECK(microjoules("f2") == Approx(883.9).epsilon(0.03));
}

TEST_CASE("the energy of each command of DDR4-2133") {
  const DramCommandEnergy energy = command_energy(dram_devices().front());
  CHECK(energy.activate == Approx(3.348e-9).epsilon(1e-3));
  CHECK(energy.read == Approx(3.060e-9).epsilon(1e-3));
  CHECK(energy.write == Approx(2.700e-9).epsilon(1e-3));
  CHECK(energy.refresh == Approx(706.9e-9).epsilon(1e-3));
  CHECK(energy.open_standby == Approx(0.384));
  CHECK(energy.closed_standby == Approx(0.3168));
}

}  // namespace eva::test
