#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "platform/run_result.h"
#include "platform/scenario.h"

namespace eva {

/// The simulation did not come to its end; the message says why and who waited for what.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Asked now and then, with the simulated cycles, whether to go on.
using GoesOn = std::function<bool(std::uint64_t cycles)>;

/// Simulates `scenario` and compares its outputs with the golden model. At most once per process,
/// since the SystemC kernel elaborates once. Throws SimulationError, and std::invalid_argument for
/// a scenario that does not fit its memory.
RunResult simulate(const Scenario& scenario, const GoesOn& goes_on = nullptr);

/// The published equations for the same scenario; instant, without outputs. Throws
/// std::invalid_argument for a layer that they do not cover.
RunResult evaluate_closed_form(const Scenario& scenario);

}  // namespace eva
