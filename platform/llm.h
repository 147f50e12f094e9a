#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/scenario.h"

namespace eva {

/// The dimensions of a language model, as its published configuration states them.
struct LlmShape {
  std::string name;
  std::string description;
  std::uint64_t hidden = 0;
  std::uint64_t intermediate = 0;
  std::uint64_t heads = 0;
  std::uint64_t key_value_heads = 0;
  std::uint64_t head_dimension = 0;

  void visit(ParameterVisitor& visitor) {
    constexpr IntegerRange dimension{1, 1U << 20};
    visitor.text("name", name, "name of the model");
    visitor.text("description", description, "its kind and size");
    visitor.integer("hidden", hidden, dimension, "width between the blocks");
    visitor.integer("intermediate", intermediate, dimension, "width inside the feed-forward part");
    visitor.integer("heads", heads, dimension, "attention heads");
    visitor.integer("key_value_heads", key_value_heads, dimension, "heads of keys and values");
    visitor.integer("head_dimension", head_dimension, dimension, "width of a head");
  }

  /// The seven fully connected layers of one block, in the order of their use.
  [[nodiscard]] std::vector<LayerParameters> block_layers() const {
    const auto layer = [](const char* layer_name, std::uint64_t inputs, std::uint64_t outputs) {
      LayerParameters parameters;
      parameters.name = layer_name;
      parameters.inputs = inputs;
      parameters.outputs = outputs;
      return parameters;
    };
    const std::uint64_t query = heads * head_dimension;
    const std::uint64_t key_value = key_value_heads * head_dimension;
    return {layer("q_proj", hidden, query),           layer("k_proj", hidden, key_value),
            layer("v_proj", hidden, key_value),       layer("o_proj", query, hidden),
            layer("gate_proj", hidden, intermediate), layer("up_proj", hidden, intermediate),
            layer("down_proj", intermediate, hidden)};
  }
};

}  // namespace eva
