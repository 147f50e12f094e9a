#include "base/clock_domain.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "support/child_process.h"

using Catch::Contains;
using eva::ClockDomain;
using eva::Cycles;

namespace {

/// A number that is computed while the time resolution is 1 fs.
template <class Body>
std::uint64_t at_one_femtosecond(Body body) {
  return std::stoull(eva::test::in_child_process([&body] {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    return std::to_string(body());
  }));
}

/// In femtoseconds.
std::uint64_t time_of(const ClockDomain& clock, std::uint64_t edge) {
  return at_one_femtosecond([&] { return clock.time_of(Cycles(edge)).value(); });
}

std::uint64_t edge_at_or_before(const ClockDomain& clock, std::uint64_t femtoseconds) {
  return at_one_femtosecond(
      [&] { return clock.edge_at_or_before(sc_core::sc_time::from_value(femtoseconds)).count(); });
}

std::uint64_t edge_at_or_after(const ClockDomain& clock, std::uint64_t femtoseconds) {
  return at_one_femtosecond(
      [&] { return clock.edge_at_or_after(sc_core::sc_time::from_value(femtoseconds)).count(); });
}

}  // namespace

TEST_CASE("clock domain: edge 0 lies at time 0") {
  CHECK(time_of(ClockDomain(500'000'000), 0) == 0);
}

TEST_CASE("clock domain: a cycle of 500 MHz lasts 2 ns") {
  CHECK(time_of(ClockDomain(500'000'000), 1) == 2'000'000);
  CHECK(time_of(ClockDomain(500'000'000), 750'000) == 1'500'000'000'000);
}

TEST_CASE("clock domain: edge N of 333 MHz lies at round(N T), not at N round(T)") {
  const ClockDomain clock(333'000'000);
  CHECK(time_of(clock, 1) == 3'003'003);
  CHECK(time_of(clock, 333) == 1'000'000'000);
  CHECK(time_of(clock, 1000) == 3'003'003'003);
  CHECK(time_of(clock, 333'000'000) == 1'000'000'000'000'000);
}

TEST_CASE("clock domain: 1 600 000 cycles of 937.5 ps last exactly 1.5 ms") {
  const ClockDomain clock(16'000'000'000, 15);
  CHECK(time_of(clock, 1) == 937'500);
  CHECK(time_of(clock, 1'600'000) == 1'500'000'000'000);
}

TEST_CASE("clock domain: 15 cycles of 500 MHz are 32 of DDR4-2133, at any time") {
  const ClockDomain core(500'000'000);
  const ClockDomain memory(16'000'000'000, 15);
  CHECK(time_of(core, 15) == time_of(memory, 32));
  CHECK(time_of(core, 15'000'000'000) == time_of(memory, 32'000'000'000));
}

TEST_CASE("clock domain: 937.5 ps in whole hertz is 469 fs short after 1.5 ms") {
  CHECK(time_of(ClockDomain(1'066'666'667), 1'600'000) == 1'499'999'999'531);
}

TEST_CASE("clock domain: a whole frequency may be written as any fraction") {
  CHECK(time_of(ClockDomain(1'000'000'000, 2), 7) == 14'000'000);
}

TEST_CASE("clock domain: a second of hours of simulated time is as exact as the first") {
  CHECK(time_of(ClockDomain(333'000'000), 333'000'000ULL * 18'000) == 18'000'000'000'000'000'000U);
}

TEST_CASE("clock domain: between two edges the last one is at or before") {
  const ClockDomain clock(500'000'000);
  CHECK(edge_at_or_before(clock, 1'999'999) == 0);
  CHECK(edge_at_or_before(clock, 2'000'000) == 1);
  CHECK(edge_at_or_before(clock, 2'000'001) == 1);
}

TEST_CASE("clock domain: between two edges the next one is at or after") {
  const ClockDomain clock(500'000'000);
  CHECK(edge_at_or_after(clock, 0) == 0);
  CHECK(edge_at_or_after(clock, 1) == 1);
  CHECK(edge_at_or_after(clock, 2'000'000) == 1);
  CHECK(edge_at_or_after(clock, 2'000'001) == 2);
}

TEST_CASE("clock domain: rounded edges are found again from their time") {
  // Rounded down (1000), rounded up (2 of 3), on the grid (333).
  const ClockDomain slow(333'000'000);
  CHECK(edge_at_or_before(slow, 3'003'003'003) == 1000);
  CHECK(edge_at_or_after(slow, 3'003'003'003) == 1000);
  CHECK(edge_at_or_before(slow, 3'003'003'002) == 999);
  CHECK(edge_at_or_after(slow, 1'000'000'000) == 333);
  const ClockDomain thirds(300'000'000);
  CHECK(edge_at_or_before(thirds, 6'666'667) == 2);
  CHECK(edge_at_or_before(thirds, 6'666'666) == 1);
  CHECK(edge_at_or_after(thirds, 6'666'667) == 2);
}

TEST_CASE("clock domain: time and edge are inverse to each other over many edges") {
  for (const ClockDomain& clock : {ClockDomain(333'000'000), ClockDomain(1'066'666'667),
                                   ClockDomain(16'000'000'000, 15), ClockDomain(1)}) {
    CAPTURE(clock.frequency_hz());
    const std::uint64_t mismatches = at_one_femtosecond([&clock] {
      std::uint64_t count = 0;
      for (std::uint64_t edge = 0; edge < 10'000; ++edge) {
        const sc_core::sc_time time = clock.time_of(Cycles(edge));
        if (clock.edge_at_or_before(time) != Cycles(edge)) ++count;
        if (clock.edge_at_or_after(time) != Cycles(edge)) ++count;
      }
      return count;
    });
    CHECK(mismatches == 0);
  }
}

TEST_CASE("clock domain: the end of simulated time has an edge at or before it") {
  CHECK(edge_at_or_before(ClockDomain(500'000'000), UINT64_MAX) == 9'223'372'036'854);
}

TEST_CASE("clock domain: the frequency is told in whole hertz") {
  CHECK(ClockDomain(333'000'000).frequency_hz() == 333'000'000);
  CHECK(ClockDomain(16'000'000'000, 15).frequency_hz() == 1'066'666'666);
}

TEST_CASE("clock domain: a frequency below 1 Hz or above 10^15 Hz is refused") {
  CHECK_THROWS_AS(ClockDomain(0), std::invalid_argument);
  CHECK_THROWS_WITH(ClockDomain(1, 2), "clock frequency of 1/2 Hz, expected 1 to 10^15 Hz");
  CHECK_THROWS_WITH(ClockDomain(500'000'000, 0), Contains("500000000/0 Hz"));
  CHECK_THROWS_WITH(ClockDomain(1'000'000'000'000'001), Contains("expected 1 to 10^15 Hz"));
  CHECK_NOTHROW(ClockDomain(1));
  CHECK_NOTHROW(ClockDomain(1'000'000'000'000'000));
}
