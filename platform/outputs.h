#pragma once

#include <string>

#include "platform/run_result.h"
#include "platform/scenario.h"

namespace eva {

/// The keys are those of the design; scripts may rely on them.
std::string stats_json(const Scenario& scenario, const RunResult& run);

/// The same for people.
std::string summary_text(const Scenario& scenario, const RunResult& run);

/// Writes stats.json, summary.txt and config.yaml to `folder`, which is made if need be. Each file
/// appears whole or not at all. Throws std::runtime_error with the file and the reason.
void write_outputs(const std::string& folder, const Scenario& scenario, const RunResult& run);

}  // namespace eva
