#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <systemc>

#include "base/units.h"

namespace eva {

/// A clock as integer edge counts. Edge N lies at round(N · 10^15 / frequency) femtoseconds, so
/// that no rounding accumulates. The frequency is a fraction, since not every period is that of a
/// whole number of hertz: DDR4-2133's 937.5 ps is {16'000'000'000, 15}. The simulation's time
/// resolution must be 1 fs (set before the first sc_time exists); 64 bits of it last 5 hours.
class ClockDomain {
 public:
  /// hertz / denominator, from 1 Hz to 10^15 Hz; throws std::invalid_argument for anything else.
  explicit ClockDomain(std::uint64_t hertz, std::uint64_t denominator = 1)
      : hertz_(hertz), denominator_(denominator) {
    if (denominator == 0 || hertz < denominator || hertz / denominator > femtoseconds_per_second) {
      throw std::invalid_argument("clock frequency of " + std::to_string(hertz) + "/" +
                                  std::to_string(denominator) + " Hz, expected 1 to 10^15 Hz");
    }
  }

  /// Rounded down.
  [[nodiscard]] std::uint64_t frequency_hz() const { return hertz_ / denominator_; }

  [[nodiscard]] sc_core::sc_time time_of(Cycles edge) const {
    return sc_core::sc_time::from_value(static_cast<std::uint64_t>(femtoseconds(edge.count())));
  }
  /// The last edge at or before `time`.
  [[nodiscard]] Cycles edge_at_or_before(const sc_core::sc_time& time) const {
    const std::uint64_t value = time.value();
    auto edge = static_cast<std::uint64_t>(Wide{value} * hertz_ /
                                           (Wide{femtoseconds_per_second} * denominator_));
    while (femtoseconds(Wide{edge} + 1) <= value)
      ++edge;
    while (edge > 0 && femtoseconds(edge) > value)
      --edge;
    return Cycles(edge);
  }
  /// The first edge at or after `time`.
  [[nodiscard]] Cycles edge_at_or_after(const sc_core::sc_time& time) const {
    const Cycles edge = edge_at_or_before(time);
    return time_of(edge) == time ? edge : edge + Cycles(1);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t femtoseconds_per_second = 1'000'000'000'000'000;

  /// More than 64 bits, so that the edge after the last representable one lies beyond it.
  [[nodiscard]] Wide femtoseconds(Wide edge) const {
    return (edge * femtoseconds_per_second * denominator_ + hertz_ / 2) / hertz_;
  }

  std::uint64_t hertz_;
  std::uint64_t denominator_;
};

}  // namespace eva
