#pragma once

#include <systemc>
#include <vector>

#include "base/part.h"
#include "base/pipeline.h"
#include "base/transport.h"
#include "numerics/adder_tree.h"

namespace eva {

struct EpilogueParameters {
  std::uint64_t units = 4;
  std::uint64_t pipeline_cycles = 6;
  SumPrecision tree = SumPrecision::fp32;
  SumPrecision accumulator = SumPrecision::fp32;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("units", units, {1, 128}, "epilogue units of 32 look-up lanes each");
    visitor.integer("pipeline_cycles", pipeline_cycles, {1, 64},
                    "cycles from a look-up to its addition to the output");
    visit_choice(visitor, "tree", tree, {"fp32", "fp16"}, "precision of the adder tree");
    visit_choice(visitor, "accumulator", accumulator, {"fp32", "fp16"},
                 "precision of the additions to the output");
  }
};

/// The epilogue units: for each column of a tile they look up one element in every row of the
/// output codebook and add them to the column's output. One unit serves one row group of one token.
///
/// Timing: starts when the tile of the output codebook is complete. A chunk of columns needs its
/// weight indices and, in the first tile of a sum, room in the output buffer. A column takes one
/// cycle for every `units` (token, row group) pairs, plus what bank conflicts cost. A sum is
/// complete `pipeline_cycles` after its last look-up; an addition to a column waits for the one
/// before.
class EpilogueUnit : public Part {
 public:
  EpilogueUnit(const sc_core::sc_module_name& name, const PartContext& context,
               const EpilogueParameters& parameters, Pipeline& pipeline);

  InitiatorPort weight;
  InitiatorPort output_codebook;
  InitiatorPort output;

  [[nodiscard]] UnitTimeline& timeline() { return timeline_; }

 private:
  void run();
  void run_tile(const CommandPointer& command, const OutputCodebookTile& tile);
  void run_chunk(const TileCommand& command, const OutputCodebookTile& tile, Span columns,
                 std::uint64_t sums_position);
  /// Waits for the weight indices of a slice of the chunk and unpacks them; returns their bytes.
  Bytes take_indices(const TileCommand& command, Span slice);
  /// Adds the look-ups of `slice` to the chunk's `sums` [tokens][chunk_columns]; returns the cycles
  /// that they take.
  std::uint64_t look_up(const TileCommand& command, const OutputCodebookTile& tile, Span slice,
                        std::uint64_t chunk_columns, std::vector<float>& sums);

  EpilogueParameters parameters_;
  Pipeline& pipeline_;
  UnitTimeline timeline_;
  std::uint64_t first_sum_position_ = 0;  ///< FP32 sums of the tiles since FIRST
  Cycles previous_start_;
  std::vector<std::uint16_t> indices_;  ///< scratch: [columns][groups · 32]
  std::vector<HalfBits> elements_;      ///< scratch: [columns][lanes]
};

}  // namespace eva
