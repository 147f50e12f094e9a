#pragma once

#include <systemc>
#include <vector>

#include "base/part.h"
#include "base/pipeline.h"
#include "base/transport.h"
#include "gemm/array_timing.h"
#include "numerics/codebook_product.h"

namespace eva {

struct GemmParameters {
  ArrayTiming array;
  ProductAccumulation accumulation = ProductAccumulation::int32_aligned;

  void visit(ParameterVisitor& visitor) {
    array.visit(visitor);
    visit_choice(visitor, "accumulation", accumulation, {"int32_aligned", "fp32"},
                 "how a column sums its FP16 products");
  }
};

/// The array: decode tiles become tiles of the output codebook, prefill tiles INT32 sums.
///
/// Timing, decode: starts when the tile's activations and codebook are there and the output
/// codebook buffer has room; takes ArrayTiming::codebook_passes; then hands the tile on.
/// Timing, prefill: per block of 32 x 32 weights, every token takes one cycle per fold, then the
/// array fills and drains. Sums of the first block need room in the output codebook buffer, those
/// of the last one are handed to the vector unit, `tokens_per_chunk` at a time.
class GemmUnit : public Part {
 public:
  GemmUnit(const sc_core::sc_module_name& name, const PartContext& context,
           const GemmParameters& parameters, Pipeline& pipeline);

  InitiatorPort input;
  InitiatorPort codebook;
  InitiatorPort weight;
  InitiatorPort output_codebook;

  [[nodiscard]] UnitTimeline& timeline() { return timeline_; }

 private:
  void run();
  void run_decode_tile(const CommandPointer& command);
  void multiply_codebook(const TileCommand& command, std::uint64_t activation_position,
                         std::uint64_t tile_position);

  void run_prefill_tile(const CommandPointer& command);
  /// A block of 32 inputs by 32 outputs: its weights stay in the array while the tokens stream
  /// past.
  void run_block(const CommandPointer& command, std::uint64_t block, bool starts, bool finishes);
  void start_sums(const TileCommand& command, Span tokens);
  void multiply_block(Span tokens, std::uint64_t inputs, const std::vector<std::int8_t>& weights,
                      const std::vector<std::int8_t>& activations, bool starts);
  [[nodiscard]] std::uint64_t sums_position(std::uint64_t token) const {
    return first_sum_position_ + token * int8_block_width * 4;
  }

  GemmParameters parameters_;
  Pipeline& pipeline_;
  UnitTimeline timeline_;
  std::uint64_t first_sum_position_ = 0;  ///< INT32 sums of the prefill tiles since FIRST
};

}  // namespace eva
