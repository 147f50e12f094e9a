#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "platform/scenario.h"

namespace eva::test {

/// stats.json of a simulation in a child process; with `data: none` unless told otherwise.
nlohmann::json statistics_of(Scenario scenario, DataKind data = DataKind::none);
/// A shipped scenario with overrides.
nlohmann::json statistics_of(const std::string& name, const std::vector<std::string>& overrides,
                             DataKind data = DataKind::none);

/// Simulated cycles with `data: none`.
std::uint64_t simulated_cycles(const Scenario& scenario);

}  // namespace eva::test
