#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "golden/golden.h"
#include "platform/scenario.h"

namespace eva {

/// The operands of a layer in their natural order, as the golden model takes them.
using Operands = std::variant<golden::DecodeProblem, golden::Int8Problem>;

/// Generates the operands of layer `number`: codebook entries like trained centroids (roughly
/// normal), uniform weight indices, a scale per channel. The same for every chip and fidelity.
Operands generate_operands(const LayerParameters& layer, std::uint64_t seed, std::size_t number);

/// Operands as they lie in memory; docs/programmers_manual.md describes the layouts.
struct OperandImage {
  std::vector<unsigned char> activations;
  std::vector<unsigned char> codebooks;
  std::vector<unsigned char> weights;
  std::vector<unsigned char> scales;
};
OperandImage pack(const Operands& operands);

/// Sizes of the same in bytes, and of the output, without making them.
struct OperandSizes {
  std::uint64_t activations = 0;
  std::uint64_t codebooks = 0;
  std::uint64_t weights = 0;
  std::uint64_t scales = 0;
  std::uint64_t outputs = 0;
};
OperandSizes sizes_of(const LayerParameters& layer);

/// Outputs as they lie in memory, brought into [tokens][outputs]; INT8 outputs are sign-extended.
std::vector<std::uint16_t> unpack_outputs(const LayerParameters& layer,
                                          const std::vector<unsigned char>& memory);

}  // namespace eva
