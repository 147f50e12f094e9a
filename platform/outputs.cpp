#include "platform/outputs.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/config/writer.h"

namespace eva {
namespace {

using Json = nlohmann::ordered_json;

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

const char* name_of(Fidelity fidelity) {
  return fidelity == Fidelity::closed_form ? "closed_form" : "lt";
}
const char* name_of(MemoryKind) {
  return "ideal";
}

/// 0 where the layers do not belong to the same tokens.
double tokens_per_second(const Scenario& scenario, const RunResult& run) {
  const double seconds = run.seconds(scenario.chip.clock_mhz);
  const std::uint64_t tokens = scenario.layers.front().tokens;
  const bool same =
      std::all_of(scenario.layers.begin(), scenario.layers.end(),
                  [tokens](const LayerParameters& layer) { return layer.tokens == tokens; });
  return seconds == 0 || !same ? 0.0 : static_cast<double>(tokens) / seconds;
}

double bandwidth_gb_s(const Scenario& scenario, const RunResult& run) {
  const double seconds = run.seconds(scenario.chip.clock_mhz);
  const auto bytes = static_cast<double>((run.dram_bytes_read + run.dram_bytes_written).count());
  return seconds == 0 ? 0.0 : bytes / seconds / 1e9;
}

Json unit_json(const RunResult::Unit& unit) {
  const Statistics::Unit& statistics = unit.statistics;
  Json json = {{"busy_cycles", statistics.busy.count()},
               {"stall_cycles", statistics.stalled.count()},
               {"idle_cycles", statistics.idle.count()},
               {"utilization", ratio(statistics.busy.count(), statistics.total().count())},
               {"work", statistics.work}};
  json["stalls"] = Json::object();
  for (const auto& [reason, cycles] : statistics.stalled_by) {
    json["stalls"][eva::name_of(reason)] = cycles.count();
  }
  return json;
}

/// "dma.weight" becomes units.dma.channels.weight.
void add_unit(Json& units, const RunResult::Unit& unit) {
  const std::size_t dot = unit.name.find('.');
  if (dot == std::string::npos) {
    units[unit.name] = unit_json(unit);
  } else {
    units[unit.name.substr(0, dot)]["channels"][unit.name.substr(dot + 1)] = unit_json(unit);
  }
}

std::string with_separators(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3)
    text.insert(i - 3, ",");
  return text;
}

void write_whole(const std::filesystem::path& file, const std::string& text) {
  const std::filesystem::path temporary =
      file.string() + ".tmp" + std::to_string(static_cast<long>(::getpid()));
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.flush();
    if (!stream) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      throw std::runtime_error(file.string() + ": cannot be written");
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, file, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error(file.string() + ": cannot be replaced: " + error.message());
  }
}

}  // namespace

std::string stats_json(const Scenario& scenario, const RunResult& run) {
  const double seconds = run.seconds(scenario.chip.clock_mhz);
  Json json;
  json["scenario"] = scenario.name;
  json["fidelity"] = name_of(scenario.fidelity);
  json["memory"] = name_of(scenario.memory);
  json["seed"] = scenario.seed;
  json["chip"] = scenario.chip.name;
  json["sim"] = {{"cycles", run.cycles.count()},
                 {"time_ns", seconds * 1e9},
                 {"tokens_per_second", tokens_per_second(scenario, run)}};
  for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
    const LayerParameters& layer = scenario.layers[i];
    Json entry = {{"name", layer.name},
                  {"m", layer.tokens},
                  {"k", layer.inputs},
                  {"n", layer.outputs},
                  {"cycles", run.layers[i].cycles}};
    if (scenario.fidelity == Fidelity::closed_form) {
      entry["compute_cycles"] = run.layers[i].compute_cycles;
    } else {
      entry["bytes_read"] = run.layers[i].bytes_read.count();
      entry["bytes_written"] = run.layers[i].bytes_written.count();
    }
    json["layers"].push_back(entry);
  }
  if (scenario.fidelity != Fidelity::closed_form) {
    json["units"] = Json::object();
    for (const RunResult::Unit& unit : run.units)
      add_unit(json["units"], unit);
    for (const RunResult::BufferUse& buffer : run.buffers) {
      json["buffers"][buffer.name] = {{"capacity_bytes", buffer.capacity.count()},
                                      {"peak_bytes", buffer.peak.count()},
                                      {"reads", buffer.counters.reads},
                                      {"writes", buffer.counters.writes},
                                      {"bytes_read", buffer.counters.bytes_read.count()},
                                      {"bytes_written", buffer.counters.bytes_written.count()},
                                      {"look_ups", buffer.counters.look_ups},
                                      {"conflict_cycles", buffer.counters.conflict_cycles}};
    }
    json["dram"] = {{"bytes_read", run.dram_bytes_read.count()},
                    {"bytes_written", run.dram_bytes_written.count()},
                    {"bandwidth_gb_s", bandwidth_gb_s(scenario, run)}};
    json["commands"] = run.commands;
    json["check"] = {{"compared", run.check.compared},
                     {"mismatches", run.check.mismatches},
                     {"max_ulp", run.check.max_ulp},
                     {"overflow", run.overflow}};
    json["multiplications"] = {{"fp16_executed", run.fp16_multiplications},
                               {"fp16_dense", run.fp16_multiplications_dense}};
  }
  json["wall"] = {
      {"seconds", run.wall_seconds},
      {"cycles_per_second",
       run.wall_seconds == 0 ? 0.0 : static_cast<double>(run.cycles.count()) / run.wall_seconds}};
  return json.dump(2) + "\n";
}

std::string summary_text(const Scenario& scenario, const RunResult& run) {
  const double seconds = run.seconds(scenario.chip.clock_mhz);
  std::string text;
  const auto line = [&text](const std::string& each) {
    text += each.substr(0, each.find_last_not_of(' ') + 1) + "\n";
  };
  line(fmt::format("{} on {}, fidelity {}, memory {}, seed {}", scenario.name, scenario.chip.name,
                   name_of(scenario.fidelity), name_of(scenario.memory), scenario.seed));
  for (const std::string& change : scenario.changes)
    line("changed: " + change);
  line(fmt::format(
      "assumptions: weight preload {}, codebooks {} the row tile, products in {}, "
      "adder tree {}, output sums {}",
      scenario.chip.gemm.array.weight_preload == WeightPreload::hidden ? "hidden" : "visible",
      scenario.codebook_order == CodebookOrder::inner ? "inside" : "outside",
      scenario.chip.gemm.accumulation == ProductAccumulation::fp32 ? "fp32" : "int32_aligned",
      scenario.chip.epilogue.tree == SumPrecision::fp32 ? "fp32" : "fp16",
      scenario.chip.epilogue.accumulator == SumPrecision::fp32 ? "fp32" : "fp16"));
  line("");
  line(fmt::format("cycles              {:>14}", with_separators(run.cycles.count())));
  line(fmt::format("time                {:>14.1f} us", seconds * 1e6));
  if (const double rate = tokens_per_second(scenario, run); rate > 0) {
    line(fmt::format("tokens per second   {:>14.1f} (these layers only)", rate));
  }
  if (scenario.fidelity != Fidelity::closed_form) {
    line(fmt::format("memory bandwidth    {:>14.2f} GB/s, {} bytes read, {} written",
                     bandwidth_gb_s(scenario, run), with_separators(run.dram_bytes_read.count()),
                     with_separators(run.dram_bytes_written.count())));
    if (run.fp16_multiplications_dense != 0) {
      line(fmt::format("FP16 multiplications{:>14}, {:.2f} % of a dense product's",
                       with_separators(run.fp16_multiplications),
                       100 * ratio(run.fp16_multiplications, run.fp16_multiplications_dense)));
    }
  }
  line("");
  line(fmt::format("{:<18}{:>7}{:>8}{:>8}{:>14}{:>16}", "layer", "tokens", "inputs", "outputs",
                   "cycles", "bytes moved"));
  for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
    const LayerParameters& layer = scenario.layers[i];
    const std::uint64_t bytes = (run.layers[i].bytes_read + run.layers[i].bytes_written).count();
    line(fmt::format("{:<18}{:>7}{:>8}{:>8}{:>14}{:>16}", layer.name, layer.tokens, layer.inputs,
                     layer.outputs, with_separators(run.layers[i].cycles),
                     scenario.fidelity == Fidelity::closed_form ? "-" : with_separators(bytes)));
  }
  if (scenario.fidelity == Fidelity::closed_form) return text;
  line("");
  line(fmt::format("{:<18}{:>14}{:>14}{:>14}{:>8}  {}", "unit", "busy", "stalled", "idle", "busy %",
                   "stalled by"));
  for (const RunResult::Unit& unit : run.units) {
    const Statistics::Unit& statistics = unit.statistics;
    std::string reasons;
    for (const auto& [reason, cycles] : statistics.stalled_by) {
      if (cycles == Cycles()) continue;
      reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", eva::name_of(reason),
                             with_separators(cycles.count()));
    }
    line(fmt::format(
        "{:<18}{:>14}{:>14}{:>14}{:>8.2f}  {}", unit.name, with_separators(statistics.busy.count()),
        with_separators(statistics.stalled.count()), with_separators(statistics.idle.count()),
        100 * ratio(statistics.busy.count(), statistics.total().count()), reasons));
  }
  line("");
  line(fmt::format("{:<18}{:>12}{:>12}{:>8}{:>16}{:>12}", "buffer", "capacity", "peak", "peak %",
                   "look-ups", "conflicts"));
  for (const RunResult::BufferUse& buffer : run.buffers) {
    line(fmt::format("{:<18}{:>12}{:>12}{:>8.1f}{:>16}{:>12}", buffer.name,
                     with_separators(buffer.capacity.count()), with_separators(buffer.peak.count()),
                     100 * ratio(buffer.peak.count(), buffer.capacity.count()),
                     with_separators(buffer.counters.look_ups),
                     with_separators(buffer.counters.conflict_cycles)));
  }
  line("");
  if (run.overflow) line("note: a finite sum became an FP16 infinity");
  if (scenario.data == DataKind::none) {
    line("outputs not computed (data: none)");
  } else if (!scenario.check) {
    line("outputs not compared (check: false)");
  } else {
    line(fmt::format("mismatches {} of {} outputs compared with the golden model{}",
                     run.check.mismatches, with_separators(run.check.compared),
                     run.check.mismatches == 0
                         ? ""
                         : fmt::format(" (at most {} ulp); first: {}", run.check.max_ulp,
                                       run.check.first_mismatch)));
  }
  return text;
}

OutputFolder::OutputFolder(std::string path) : path_(std::move(path)) {
  namespace fs = std::filesystem;
  std::error_code error;
  made_ = fs::create_directories(path_, error);
  if (error || ::access(path_.c_str(), W_OK) != 0) {
    throw std::invalid_argument(path_ + ": cannot be made or written to" +
                                (error ? ": " + error.message() : ""));
  }
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (made_) std::filesystem::remove(path_, ignored);  // fails, as it should, unless it is empty
}

void OutputFolder::write(const Scenario& scenario, const RunResult& run) const {
  namespace fs = std::filesystem;
  write_whole(fs::path(path_) / "config.yaml", config::write_yaml(scenario, true));
  write_whole(fs::path(path_) / "summary.txt", summary_text(scenario, run));
  write_whole(fs::path(path_) / "stats.json", stats_json(scenario, run));
}

}  // namespace eva
