#pragma once

#include <systemc>

#include "buffers/buffer.h"
#include "command/command_processor.h"
#include "dma/dma.h"
#include "epilogue/epilogue_unit.h"
#include "gemm/gemm_unit.h"
#include "platform/chip_parameters.h"
#include "vector/vector_unit.h"

namespace eva {

/// The accelerator: its parts, wired. `memory` leads to the bus, `registers` comes from it.
class Chip : public sc_core::sc_module {
 public:
  Chip(const sc_core::sc_module_name& name, const PartContext& context,
       const ChipParameters& parameters, const CommandInjection& injection);

  Pipeline pipeline;
  CommandProcessor command;
  Dma dma;
  GemmUnit gemm;
  EpilogueUnit epilogue;
  VectorUnit vector;
  Buffer input_buffer;
  Buffer codebook_buffer;
  Buffer weight_buffer;
  Buffer output_codebook_buffer;
  Buffer output_buffer;
  Buffer scale_buffer;

  /// Calls `action` with each initiator port that leads to memory.
  template <class Action>
  void for_each_memory_port(Action action) {
    action(command.memory);
    dma.for_each_channel([&](DmaChannel& channel) { action(channel.memory); });
  }
  template <class Action>
  void for_each_timeline(Action action) {
    action(command.timeline());
    action(dma.timeline());
    dma.for_each_channel([&](DmaChannel& channel) { action(channel.timeline()); });
    action(gemm.timeline());
    action(epilogue.timeline());
    action(vector.timeline());
  }

 private:
  void bind_buffers();
  void abandon_work();
};

}  // namespace eva
