#pragma once

#include <systemc>
#include <vector>

#include "base/part.h"
#include "base/pipeline.h"
#include "base/transport.h"

namespace eva {

struct VectorParameters {
  std::uint64_t lanes = 8;
  std::uint64_t scale_buffer_kib = 4;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("lanes", lanes, {1, 1024}, "values per cycle");
    visitor.integer("scale_buffer_kib", scale_buffer_kib, {1, 1024},
                    "KiB for the scales of the next outputs");
  }
};

/// The vector unit: scales finished sums per output channel and rounds them.
///
/// Timing: a chunk starts when its sums are complete, its scales are there and (prefill) the output
/// buffer has room; it takes one cycle for every `lanes` values. Decode outputs replace their sums
/// in the output buffer; prefill outputs go from the output codebook buffer to the output buffer.
class VectorUnit : public Part {
 public:
  VectorUnit(const sc_core::sc_module_name& name, const PartContext& context,
             const VectorParameters& parameters, Pipeline& pipeline);

  InitiatorPort scale;
  InitiatorPort output_codebook;
  InitiatorPort output;

  [[nodiscard]] UnitTimeline& timeline() { return timeline_; }

 private:
  void run();
  void scale_decode_chunk(const AccumulatorChunk& chunk);
  void scale_prefill_chunk(const AccumulatorChunk& chunk);
  std::uint64_t wait_for_scales(const TileCommand& command, Bytes bytes);
  void take_cycles(const TileCommand& command, std::uint64_t values);

  VectorParameters parameters_;
  Pipeline& pipeline_;
  UnitTimeline timeline_;
  std::vector<float> tile_scales_;  ///< of the prefill tile that is under way
};

}  // namespace eva
