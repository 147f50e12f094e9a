#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/command_processor.h"
#include "eva/boot.h"
#include "platform/chip_parameters.h"

namespace eva {

/// The published equations, or a simulation with blocking transport (loosely timed).
enum class Fidelity { closed_form, lt };
enum class MemoryKind { ideal };
/// Whether operands have contents. Without, only time is simulated.
enum class DataKind { random, none };
enum class Form { decode, prefill };
enum class CodebookOrder { inner, outer };

/// One fully connected layer y = xW of a scenario.
struct LayerParameters {
  std::string name = "layer";
  Form form = Form::decode;
  std::uint64_t tokens = 1;
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
  std::uint64_t codebooks = 2;
  std::uint64_t vector_length = 8;
  std::uint64_t index_bits = 8;
  std::uint64_t columns_per_codebook = 0;
  bool int8_output = false;

  void visit(ParameterVisitor& visitor);
};

/// A whole run: what is simulated and how. Reading it back from `config.yaml` repeats the run.
struct Scenario {
  std::string name;
  std::string description;
  Fidelity fidelity = Fidelity::lt;
  MemoryKind memory = MemoryKind::ideal;
  DataKind data = DataKind::random;
  bool check = true;
  std::uint64_t seed = 1;
  CodebookOrder codebook_order = CodebookOrder::inner;
  std::uint64_t ring_size = 256;
  std::uint64_t max_cycles = 1'000'000'000'000;
  bool drops_completion = false;
  std::uint64_t dropped_completion = 0;
  ChipParameters chip;
  std::vector<LayerParameters> layers;
  /// What the command line changed; already in the other members, kept for the summary.
  std::vector<std::string> changes;

  void visit(ParameterVisitor& visitor);

  [[nodiscard]] CommandInjection injection() const {
    return {drops_completion ? dropped_completion : CommandInjection::none};
  }
};

/// Loads a scenario by path or by the name of a shipped one; `overrides` are "PATH=VALUE". Names of
/// chips and models are resolved, so that nothing in the result refers to another file. Throws
/// config::ConfigError, with file, line and key, for whatever is wrong with it: also for a layer
/// that the chip could not run.
Scenario load_scenario(const std::string& path_or_name, const std::vector<std::string>& overrides);

/// The layer as the firmware gets it, without addresses.
eva_layer firmware_layer(const LayerParameters& layer);

/// The folder with chips/, llms/ and the scenarios: EVA_VP_SCENARIOS, else the one of the source.
std::string scenario_folder();

}  // namespace eva
