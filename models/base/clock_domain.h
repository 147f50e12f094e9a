#pragma once

#include <systemc>

#include "base/units.h"

namespace eva {

/// A clock as integer edge counts. Edge N lies at round(N · 10^15 / frequency) femtoseconds, so
/// that no rounding accumulates, whatever the frequency (333 MHz, or DDR4-2133's 937.5 ps). The
/// simulation's time resolution must be 1 fs (set before the first sc_time exists).
class ClockDomain {
 public:
  /// `frequency_hz` from 1 to 10^15.
  explicit ClockDomain(std::uint64_t frequency_hz) : frequency_hz_(frequency_hz) {}

  [[nodiscard]] std::uint64_t frequency_hz() const { return frequency_hz_; }

  [[nodiscard]] sc_core::sc_time time_of(Cycles edge) const {
    return sc_core::sc_time::from_value(femtoseconds(edge.count()));
  }
  /// The last edge at or before `time`.
  [[nodiscard]] Cycles edge_at_or_before(const sc_core::sc_time& time) const {
    const std::uint64_t value = time.value();
    auto edge = static_cast<std::uint64_t>(static_cast<Wide>(value) * frequency_hz_ /
                                           femtoseconds_per_second);
    while (femtoseconds(edge + 1) <= value)
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

  [[nodiscard]] std::uint64_t femtoseconds(std::uint64_t edge) const {
    return static_cast<std::uint64_t>(
        (static_cast<Wide>(edge) * femtoseconds_per_second + frequency_hz_ / 2) / frequency_hz_);
  }

  std::uint64_t frequency_hz_;
};

}  // namespace eva
