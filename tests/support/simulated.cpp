#include "support/simulated.h"

#include "platform/outputs.h"
#include "platform/simulation.h"
#include "support/child_process.h"

namespace eva::test {

nlohmann::json statistics_of(Scenario scenario, DataKind data) {
  scenario.data = data;
  return nlohmann::json::parse(
      in_child_process([&] { return stats_json(scenario, simulate(scenario)); }));
}

nlohmann::json statistics_of(const std::string& name, const std::vector<std::string>& overrides,
                             DataKind data) {
  return statistics_of(load_scenario(name, overrides), data);
}

std::uint64_t simulated_cycles(const Scenario& scenario) {
  return statistics_of(scenario)["sim"]["cycles"].get<std::uint64_t>();
}

}  // namespace eva::test
