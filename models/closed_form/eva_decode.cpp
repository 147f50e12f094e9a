#include "closed_form/eva_decode.h"

#include <algorithm>

namespace eva::closed_form {
namespace {

constexpr std::uint64_t element_bits = 16;
constexpr std::uint64_t buffer_elements = 8192;
constexpr std::uint64_t epilogue_tail_cycles = 6;

void require_valid(const Layer& layer, const VectorQuantization& quantization) {
  constexpr const char* function = "eva_decode";
  require_in_range(function, "tokens", layer.tokens, 1, max_decode_tokens,
                   ": the decode form serves at most 64 tokens");
  require_in_range(function, "inputs", layer.inputs, 1, max_dimension);
  require_in_range(function, "outputs", layer.outputs, 1, max_dimension);
  require_in_range(function, "codebooks", quantization.codebooks, 1, 8);
  require_in_range(function, "vector_length", quantization.vector_length, 1, 32);
  require_in_range(function, "index_bits", quantization.index_bits, 1, 16);
  require_multiple(function, "inputs", layer.inputs, "vector_length", quantization.vector_length);
  if (quantization.columns_per_codebook != 0) {
    require_in_range(function, "columns_per_codebook", quantization.columns_per_codebook, 64,
                     max_dimension, ", or 0 for no groups");
    require_multiple(function, "outputs", layer.outputs, "columns_per_codebook",
                     quantization.columns_per_codebook);
  }
}

std::uint64_t largest_power_of_two_up_to(std::uint64_t value) {
  std::uint64_t power = 1;
  while (power <= value / 2)
    power *= 2;
  return power;
}

/// `length` cut into tiles of `size`: all but the last are full.
struct Tiling {
  Tiling(std::uint64_t length, std::uint64_t size)
      : count(ceil_divide(length, size)),
        first(std::min(length, size)),
        last(length - (count - 1) * size) {}

  std::uint64_t count;
  std::uint64_t first;
  std::uint64_t last;
};

}  // namespace

Result eva_decode(const Layer& layer, const VectorQuantization& quantization, const EvaChip& chip,
                  const DecodeOptions& options) {
  require_valid("eva_decode", chip);
  require_valid(layer, quantization);

  const std::uint64_t vector_length = quantization.vector_length;
  const std::uint64_t codebooks = quantization.codebooks;
  const std::uint64_t entries = std::uint64_t{1} << quantization.index_bits;
  const std::uint64_t group_outputs =
      quantization.columns_per_codebook != 0 ? quantization.columns_per_codebook : layer.outputs;
  const std::uint64_t groups = layer.outputs / group_outputs;

  const std::uint64_t tile_tokens = largest_power_of_two_up_to(layer.tokens);
  const std::uint64_t token_tiles = ceil_divide(layer.tokens, tile_tokens);
  const Tiling input_tiles(
      layer.inputs, ceil_divide(chip.lanes * chip.epilogue_units * vector_length, layer.tokens));

  const auto gemm_cycles = [&](std::uint64_t inputs) {
    const std::uint64_t vectors = ceil_divide(inputs, vector_length) * tile_tokens;
    return (ceil_divide(vector_length, chip.array_columns) * entries + chip.array_rows +
            chip.array_columns) *
           ceil_divide(vectors, chip.array_rows);
  };
  const std::uint64_t epilogue_cycles = group_outputs;
  const std::uint64_t full_tile_pass = std::max(gemm_cycles(input_tiles.first), epilogue_cycles);
  const std::uint64_t last_tile_pass = std::max(gemm_cycles(input_tiles.last), epilogue_cycles);
  const std::uint64_t tile_passes = codebooks * groups;
  const std::uint64_t bare_passes = options.charge_last_groups_gemm ? 1 : groups;
  const std::uint64_t token_tile_cycles = (input_tiles.count - 1) * tile_passes * full_tile_pass +
                                          (tile_passes - bare_passes) * last_tile_pass +
                                          bare_passes * (epilogue_cycles + epilogue_tail_cycles);
  const std::uint64_t compute_cycles =
      gemm_cycles(input_tiles.first) + token_tiles * token_tile_cycles;

  const Tiling buffer_tiles(layer.inputs, ceil_divide(buffer_elements, layer.tokens));
  const std::uint64_t indices_per_output =
      codebooks * ((buffer_tiles.count - 1) * ceil_divide(buffer_tiles.first, vector_length) +
                   ceil_divide(buffer_tiles.last, vector_length));
  const std::uint64_t codebook_bits = vector_length * entries * element_bits;
  const std::uint64_t scale_bits = layer.outputs * element_bits;
  const std::uint64_t activation_bits = layer.tokens * layer.inputs * element_bits;
  const std::uint64_t index_bits = layer.outputs * indices_per_output * quantization.index_bits;
  const std::uint64_t output_bits =
      layer.tokens * layer.outputs * element_bits * (2 * buffer_tiles.count - 1);
  const std::uint64_t traffic_bits =
      codebooks * groups * codebook_bits + scale_bits + activation_bits + index_bits + output_bits;
  const std::uint64_t initial_bits = codebook_bits + input_tiles.first * tile_tokens * element_bits;

  return compose(compute_cycles, traffic_bits, initial_bits, chip.memory_bits_per_cycle);
}

}  // namespace eva::closed_form
