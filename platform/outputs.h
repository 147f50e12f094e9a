#pragma once

#include <string>

#include "platform/run_result.h"
#include "platform/scenario.h"

namespace eva {

/// The run as JSON; scripts may rely on its keys.
std::string stats_json(const Scenario& scenario, const RunResult& run);

/// The same for people.
std::string summary_text(const Scenario& scenario, const RunResult& run);

/// Where a run's files go: made before the run, so that a mistake shows at once, and removed again
/// if the run leaves nothing in it.
class OutputFolder {
 public:
  /// Throws std::invalid_argument if `path` cannot be made or written to.
  explicit OutputFolder(std::string path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Writes config.yaml, summary.txt and stats.json. Each appears whole or not at all; throws
  /// std::runtime_error with the file and the reason.
  void write(const Scenario& scenario, const RunResult& run) const;

 private:
  std::string path_;
  bool made_ = false;
};

}  // namespace eva
