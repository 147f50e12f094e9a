#pragma once

#include <systemc>
#include <vector>

#include "base/part.h"
#include "base/pipeline.h"
#include "dma/channel.h"

namespace eva {

/// The DMA engine: five channels between memory and the buffers. Each works through its commands in
/// order and runs ahead of the pipeline as far as its buffer has room.
///
/// Timing: see DmaChannel. The engine is busy while any channel has a transfer under way, and
/// stalled while none has but some wait for room.
class Dma : public Part {
 public:
  Dma(const sc_core::sc_module_name& name, const PartContext& context,
      const DmaParameters& parameters, Pipeline& pipeline);

  DmaChannel codebook;
  DmaChannel input;
  DmaChannel weight;
  DmaChannel scale;
  DmaChannel output;

  template <class Action>
  void for_each_channel(Action action) {
    action(codebook);
    action(input);
    action(weight);
    action(scale);
    action(output);
  }
  [[nodiscard]] UnitTimeline& timeline() { return timeline_; }

 private:
  void load_codebooks();
  void load_activations();
  void load_weights();
  void load_indices(const TileCommand& command, std::uint64_t first_column, Span slice);
  void load_scales();
  void store_outputs();
  void store_decode_outputs(const OutputChunk& chunk);
  void store_prefill_outputs(const OutputChunk& chunk);
  void update_timeline();

  Pipeline& pipeline_;
  UnitTimeline timeline_;
};

}  // namespace eva
