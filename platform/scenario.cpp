#include "platform/scenario.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "eva/plan.h"
#include "platform/config/error.h"
#include "platform/config/overrides.h"
#include "platform/config/parser.h"
#include "platform/config/reader.h"
#include "platform/llm.h"

namespace eva {
namespace {

using config::ConfigError;
using config::Origin;
using config::Tree;

constexpr std::uint64_t largest_dimension = 1U << 24;

/// The file of a scenario, chip or model: `name` is a path if it looks like one, else it is looked
/// up in `folder`.
std::string find_file(const std::string& name, const std::filesystem::path& folder,
                      const Origin& origin, const std::string& key) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // a name that cannot be looked up does not exist
  const bool is_path = name.find('/') != std::string::npos || fs::path(name).extension() == ".yaml";
  if (is_path) {
    // A path in a file counts from that file.
    const fs::path beside = fs::path(origin.source).parent_path() / name;
    const bool counts_from_file = origin.line > 0 && !fs::path(name).is_absolute();
    return counts_from_file && fs::exists(beside, ignored) ? beside.lexically_normal().string()
                                                           : name;
  }
  const fs::path file = folder / (name + ".yaml");
  if (fs::exists(file, ignored)) return file.string();
  std::string known;
  if (fs::is_directory(folder, ignored)) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& each : names)
      known += (known.empty() ? "" : ", ") + each;
  }
  throw ConfigError(origin, key, "there is no '" + name + "'",
                    "expected a file or one of: " + known);
}

Tree load_named(const Tree& scalar, const std::string& folder, const std::string& key) {
  if (scalar.kind() != Tree::Kind::scalar) {
    throw ConfigError(scalar.origin(), key, "is " + description(scalar),
                      "expected the name of a file in scenarios/" + folder);
  }
  return config::parse_yaml_file(find_file(
      scalar.text(), std::filesystem::path(scenario_folder()) / folder, scalar.origin(), key));
}

/// A tree without one key of its top level.
Tree without(const Tree& tree, const std::string& key) {
  Tree result = Tree::map(tree.origin());
  for (const Tree::Entry& entry : tree.entries()) {
    if (entry.key != key) result.put(entry.key, entry.value);
  }
  return result;
}

/// Follows `base:` of a chip, whose keys the chip's own override.
Tree resolve_chip(Tree chip, int depth) {
  std::string name = "custom";
  if (chip.kind() == Tree::Kind::scalar) {
    const Tree file = load_named(chip, "chips", "chip");
    name = std::filesystem::path(chip.text()).stem().string();
    chip = file;
  }
  // A chip without a name has that of its file, not that of its base.
  if (chip.kind() == Tree::Kind::map && chip.find("name") == nullptr) {
    chip.put("name", Tree::scalar(name, true, chip.origin()));
  }
  const Tree* base = chip.find("base");
  if (base == nullptr) return chip;
  if (base->kind() != Tree::Kind::scalar) {
    throw ConfigError(base->origin(), "chip.base", "is " + description(*base),
                      "expected the name or the path of a chip file");
  }
  if (depth == 0) {
    throw ConfigError(base->origin(), "chip.base", "goes round in a circle or is too deep",
                      "expected a chip without such a base");
  }
  Tree result = resolve_chip(*base, depth - 1);
  config::merge(result, without(chip, "base"));
  return result;
}

/// The keys that stand for a list of layers, beside those of a scenario.
struct ScenarioFile {
  Scenario scenario;
  std::string llm;
  Form form = Form::decode;
  std::uint64_t tokens = 1;
  LayerParameters weights;

  void visit(ParameterVisitor& visitor) {
    scenario.visit(visitor);
    visitor.text("llm", llm, "model whose block gives the layers");
    visit_choice(visitor, "form", form, {"decode", "prefill"}, "form of the model's layers");
    visitor.integer("tokens", tokens, {0, largest_dimension}, "tokens of the model's layers");
    visitor.begin_group("weights", "vector quantization of the model's layers");
    visitor.integer("codebooks", weights.codebooks, {1, 8}, "codebooks added up");
    visitor.integer("vector_length", weights.vector_length, {1, EVA_MAX_VECTOR_LENGTH},
                    "inputs of one vector");
    visitor.integer("index_bits", weights.index_bits, {1, EVA_MAX_INDEX_BITS},
                    "a codebook has 2^index_bits entries");
    visitor.integer("columns_per_codebook", weights.columns_per_codebook, {0, largest_dimension},
                    "outputs that share a codebook set; 0: all");
    visitor.end_group();
  }
};

std::vector<LayerParameters> layers_of_llm(const ScenarioFile& file, const Tree& tree) {
  const Tree& name = *tree.find("llm");
  if (const Tree* list = tree.find("layers")) {
    throw ConfigError(list->origin(), "layers",
                      "stand beside 'llm' (" + to_string(name.origin()) + ")",
                      "expected one of the two");
  }
  std::vector<LayerParameters> layers =
      config::read<LlmShape>(load_named(name, "llms", "llm")).block_layers();
  for (LayerParameters& layer : layers) {
    layer.form = file.form;
    layer.tokens = file.tokens;
    layer.codebooks = file.weights.codebooks;
    layer.vector_length = file.weights.vector_length;
    layer.index_bits = file.weights.index_bits;
    layer.columns_per_codebook = file.weights.columns_per_codebook;
  }
  return layers;
}

/// What needs a model to mean anything.
void check_stands_beside_llm(const Tree& tree) {
  for (const char* key : {"form", "tokens", "weights"}) {
    if (!tree.has(key)) continue;
    throw ConfigError(tree.origin_of(key), key, "stands without 'llm'",
                      "expected it beside 'llm'; a list of 'layers' has it in each layer");
  }
}

void check_layer(const LayerParameters& layer, const eva_capabilities& capabilities,
                 const Origin& origin, const std::string& key) {
  const eva_layer plain = firmware_layer(layer);
  eva_problem problem{};
  int result = EVA_OK;
  if (layer.form == Form::decode) {
    eva_decode_plan plan{};
    result = eva_plan_decode(&capabilities, &plain, &plan, &problem);
  } else {
    eva_prefill_plan plan{};
    result = eva_plan_prefill(&capabilities, &plain, &plan, &problem);
  }
  if (result == EVA_FAILED_CAPACITY) {
    throw ConfigError(origin, key,
                      "layer '" + layer.name + "' needs " + std::to_string(problem.found) +
                          " bytes of the " + problem.what,
                      "the chip has " + std::to_string(problem.limit));
  }
  if (result != EVA_OK) {
    throw ConfigError(
        origin, key,
        "layer '" + layer.name + "' has " + std::to_string(problem.found) + " " + problem.what,
        std::string("expected ") + problem.rule + " " + std::to_string(problem.limit));
  }
}

/// `name` with what could not stand in a file name replaced.
std::string folder_name_of(std::string name) {
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                       c == '.' || c == '+';
    if (!plain) c = '_';
  }
  return name;
}

void check_scenario(const Scenario& scenario, const Tree& tree) {
  if (scenario.name != folder_name_of(scenario.name) || scenario.name.empty() ||
      scenario.name.front() == '.') {
    throw ConfigError(tree.origin_of("name"), "name", "'" + scenario.name + "' is no name",
                      "expected letters, digits, '-', '_', '+' and '.', not first");
  }
  if (scenario.layers.empty()) {
    throw ConfigError(tree.origin_of("layers"), "layers", "there are none",
                      "expected 'layers' or 'llm'");
  }
  if (scenario.layers.size() >= WorkContext::no_layer) {
    throw ConfigError(tree.origin_of("layers"), "layers",
                      "there are " + std::to_string(scenario.layers.size()),
                      "expected at most " + std::to_string(WorkContext::no_layer - 1));
  }
  if (scenario.data == DataKind::none &&
      scenario.chip.buffers.output_codebook.bank_mapping == BankMapping::entry) {
    throw ConfigError(tree.origin_of("chip.buffers.output_codebook.bank_mapping"),
                      "chip.buffers.output_codebook.bank_mapping",
                      "entry has conflicts that depend on the indices, and there are none",
                      "expected row, or data: random");
  }
}

void check_chip(const ChipParameters& chip, const Tree& tree) {
  for (const char* key : {"bus.registers_address", "bus.dram_address"}) {
    const bool is_dram = std::string(key) == "bus.dram_address";
    const std::uint64_t address = is_dram ? chip.bus.dram_address : chip.bus.registers_address;
    const std::uint64_t size = is_dram ? chip.dram.capacity_mib << 20 : EVA_REGISTER_WINDOW;
    const std::string path = std::string("chip.") + key;
    if (!AddressRange::fits(address, size) || address % EVA_REGISTER_WINDOW != 0) {
      throw ConfigError(tree.origin_of(path), path,
                        "a window of " + std::to_string(size) + " bytes at " +
                            std::to_string(address) + " is misaligned or wraps around",
                        "expected a multiple of 4096 with room above it");
    }
  }
  if (chip.pipeline.columns_per_chunk * 2 > chip.vector.scale_buffer_kib << 10) {
    throw ConfigError(
        tree.origin_of("chip.pipeline.columns_per_chunk"), "chip.pipeline.columns_per_chunk",
        "a chunk of " + std::to_string(chip.pipeline.columns_per_chunk) + " columns needs " +
            std::to_string(chip.pipeline.columns_per_chunk * 2) + " bytes of scales",
        "expected at most what chip.vector.scale_buffer_kib holds: " +
            std::to_string(chip.vector.scale_buffer_kib << 10));
  }
  const AddressMap::Window registers = chip.register_window();
  const AddressMap::Window dram = chip.dram_window();
  if (registers.range.overlaps(dram.range)) {
    throw ConfigError(tree.origin_of("chip.bus.registers_address"), "chip.bus.registers_address",
                      "window 'registers' overlaps window 'dram', which is given at " +
                          to_string(tree.origin_of("chip.bus.dram_address")),
                      "expected separate windows");
  }
}

}  // namespace

void LayerParameters::visit(ParameterVisitor& visitor) {
  visitor.text("name", name, "name of the layer");
  visit_choice(visitor, "form", form, {"decode", "prefill"},
               "decode: FP16, vector-quantized weights; prefill: INT8");
  visitor.integer("tokens", tokens, {0, largest_dimension}, "tokens (M)");
  visitor.integer("inputs", inputs, {1, largest_dimension}, "inputs (K)");
  visitor.integer("outputs", outputs, {1, largest_dimension}, "outputs (N)");
  visitor.integer("codebooks", codebooks, {1, 8}, "codebooks added up (C)");
  visitor.integer("vector_length", vector_length, {1, EVA_MAX_VECTOR_LENGTH},
                  "inputs of one vector (d)");
  visitor.integer("index_bits", index_bits, {1, EVA_MAX_INDEX_BITS},
                  "a codebook has 2^index_bits entries (n)");
  visitor.integer("columns_per_codebook", columns_per_codebook, {0, largest_dimension},
                  "outputs that share a codebook set; 0: all");
  visitor.boolean("int8_output", int8_output, "prefill: INT8 outputs instead of FP16");
}

void Scenario::visit(ParameterVisitor& visitor) {
  visitor.text("name", name, "name of the scenario");
  visitor.text("description", description, "what it shows");
  visit_choice(visitor, "fidelity", fidelity, {"closed_form", "lt"},
               "published equations, or simulation with blocking transport");
  visit_choice(visitor, "memory", memory, {"ideal"}, "timing of the memory");
  visit_choice(visitor, "data", data, {"random", "none"},
               "contents of the operands; none: time only");
  visitor.boolean("check", check, "compare all outputs with the golden model");
  visitor.integer("seed", seed, {0, UINT64_MAX}, "seed of the generated operands");
  visit_choice(visitor, "codebook_order", codebook_order, {"inner", "outer"},
               "codebooks inside the row tile (published) or outside");
  visitor.integer("ring_size", ring_size, {1, RingQueue::maximum_size}, "descriptors of the ring");
  visitor.integer("max_cycles", max_cycles, {1, 1'000'000'000'000'000},
                  "cycles after which a run ends");
  visitor.begin_group("inject", "faults to provoke");
  visitor.boolean("drop_completion", drops_completion, "lose the completion of one command");
  visitor.integer("dropped_completion", dropped_completion, {0, UINT64_MAX},
                  "number of that command since reset");
  visitor.end_group();
  visit_group(visitor, "chip", chip, "the chip and its board");
  visit_list(visitor, "layers", layers, "fully connected layers, run one after the other");
}

eva_layer firmware_layer(const LayerParameters& layer) {
  eva_layer plain{};
  plain.form = layer.form == Form::decode ? EVA_FORM_DECODE : EVA_FORM_PREFILL;
  plain.flags = layer.int8_output ? EVA_LAYER_INT8_OUTPUT : 0;
  plain.tokens = static_cast<std::uint32_t>(layer.tokens);
  plain.inputs = static_cast<std::uint32_t>(layer.inputs);
  plain.outputs = static_cast<std::uint32_t>(layer.outputs);
  plain.vector_length = static_cast<std::uint16_t>(layer.vector_length);
  plain.index_bits = static_cast<std::uint16_t>(layer.index_bits);
  plain.codebooks = static_cast<std::uint32_t>(layer.codebooks);
  plain.columns_per_codebook = static_cast<std::uint32_t>(layer.columns_per_codebook);
  return plain;
}

std::string scenario_folder() {
  const char* folder = std::getenv("EVA_VP_SCENARIOS");
  return folder != nullptr ? folder : EVA_SCENARIO_FOLDER;
}

Scenario load_scenario(const std::string& path_or_name, const std::vector<std::string>& overrides) {
  const Origin command_line{"command line", 0};
  Tree tree =
      config::parse_yaml_file(find_file(path_or_name, scenario_folder(), command_line, "scenario"));
  const auto names_a_file = [](const std::string& assignment) {
    return assignment.rfind("chip=", 0) == 0 || assignment.rfind("llm=", 0) == 0;
  };
  // A file that is named must be known before a key inside it can be set.
  for (const std::string& assignment : overrides) {
    if (names_a_file(assignment)) config::set(tree, assignment);
  }
  if (const Tree* chip = tree.find("chip")) tree.put("chip", resolve_chip(*chip, 8));
  for (const std::string& assignment : overrides) {
    if (!names_a_file(assignment)) config::set(tree, assignment);
  }

  ScenarioFile defaults;
  defaults.scenario.name = folder_name_of(std::filesystem::path(path_or_name).stem().string());
  const auto file = config::read<ScenarioFile>(tree, defaults);
  Scenario scenario = file.scenario;
  scenario.changes = overrides;
  const bool expanded = tree.has("llm");
  if (expanded) {
    scenario.layers = layers_of_llm(file, tree);
  } else {
    check_stands_beside_llm(tree);
  }
  check_scenario(scenario, tree);
  check_chip(scenario.chip, tree);
  const eva_capabilities capabilities = scenario.chip.firmware_capabilities();
  for (std::size_t i = 0; i < scenario.layers.size(); ++i) {
    const std::string key = expanded ? "llm" : "layers[" + std::to_string(i) + "]";
    if (scenario.fidelity != Fidelity::closed_form) {
      check_layer(scenario.layers[i], capabilities, tree.origin_of(key), key);
    }
  }
  return scenario;
}

}  // namespace eva
