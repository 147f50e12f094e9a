#include "closed_form/eva_prefill.h"

#include <algorithm>

namespace eva::closed_form {
namespace {

constexpr std::uint64_t element_bits = 8;
constexpr std::uint64_t tile_tokens = 1024;
constexpr std::uint64_t buffer_inputs = 64;
constexpr std::uint64_t buffer_outputs = 128;

}  // namespace

Result eva_prefill(const Layer& layer, const EvaChip& chip) {
  require_valid("eva_prefill", chip);
  require_in_range("eva_prefill", "tokens", layer.tokens, 1, max_dimension);
  require_in_range("eva_prefill", "inputs", layer.inputs, 1, max_dimension);
  require_in_range("eva_prefill", "outputs", layer.outputs, 1, max_dimension);

  const std::uint64_t fold_outputs = chip.array_rows;
  const std::uint64_t fold_inputs = chip.array_columns * chip.int8_products_per_pe;
  const std::uint64_t fold_overhead = chip.weight_preload_hidden
                                          ? chip.array_rows + chip.array_columns
                                          : 2 * chip.array_rows + chip.array_columns - 2;
  const std::uint64_t token_tiles = ceil_divide(layer.tokens, tile_tokens);
  const std::uint64_t compute_cycles = ceil_divide(layer.outputs, fold_outputs) *
                                       ceil_divide(layer.inputs, fold_inputs) *
                                       (layer.tokens + token_tiles * fold_overhead);

  const std::uint64_t activations =
      layer.tokens * layer.inputs * ceil_divide(layer.outputs, buffer_outputs);
  const std::uint64_t weights = layer.inputs * layer.outputs * token_tiles;
  const std::uint64_t outputs =
      layer.tokens * layer.outputs * ceil_divide(layer.inputs, buffer_inputs);
  const std::uint64_t traffic_bits = (activations + weights + outputs) * element_bits;
  const std::uint64_t initial_bits =
      std::min(fold_inputs, layer.inputs) *
      (std::min(tile_tokens, layer.tokens) + std::min(fold_outputs, layer.outputs)) * element_bits;

  return compose(compute_cycles, traffic_bits, initial_bits, chip.memory_bits_per_cycle);
}

}  // namespace eva::closed_form
