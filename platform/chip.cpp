#include "platform/chip.h"

namespace eva {

Chip::Chip(const sc_core::sc_module_name& name, const PartContext& context,
           const ChipParameters& parameters, const CommandInjection& injection)
    : sc_module(name),
      pipeline(parameters.pipeline, parameters.ring_capacities()),
      command("command", context, parameters.descriptor_limits(), parameters.capabilities(),
              injection, pipeline),
      dma("dma", context, parameters.dma, pipeline),
      gemm("gemm", context, parameters.gemm, pipeline),
      epilogue("epilogue", context, parameters.epilogue, pipeline),
      vector("vector", context, parameters.vector, pipeline),
      input_buffer("input_buffer", context, parameters.buffers.input),
      codebook_buffer("codebook_buffer", context, parameters.buffers.codebook),
      weight_buffer("weight_buffer", context, parameters.buffers.weight),
      output_codebook_buffer("output_codebook_buffer", context, parameters.buffers.output_codebook),
      output_buffer("output_buffer", context, parameters.buffers.output),
      scale_buffer("scale_buffer", context,
                   {parameters.vector.scale_buffer_kib, 1, BankMapping::row}) {
  bind_buffers();
  command.abandon_work = [this] { abandon_work(); };
}

void Chip::bind_buffers() {
  dma.codebook.buffer.socket.bind(codebook_buffer.socket);
  dma.input.buffer.socket.bind(input_buffer.socket);
  dma.weight.buffer.socket.bind(weight_buffer.socket);
  dma.scale.buffer.socket.bind(scale_buffer.socket);
  dma.output.buffer.socket.bind(output_buffer.socket);
  gemm.input.socket.bind(input_buffer.socket);
  gemm.codebook.socket.bind(codebook_buffer.socket);
  gemm.weight.socket.bind(weight_buffer.socket);
  gemm.output_codebook.socket.bind(output_codebook_buffer.socket);
  epilogue.weight.socket.bind(weight_buffer.socket);
  epilogue.output_codebook.socket.bind(output_codebook_buffer.socket);
  epilogue.output.socket.bind(output_buffer.socket);
  vector.scale.socket.bind(scale_buffer.socket);
  vector.output_codebook.socket.bind(output_codebook_buffer.socket);
  vector.output.socket.bind(output_buffer.socket);
}

void Chip::abandon_work() {
  pipeline.clear();
  command.reset();
  dma.reset();
  dma.for_each_channel([](DmaChannel& channel) { channel.reset(); });
  gemm.reset();
  epilogue.reset();
  vector.reset();
}

}  // namespace eva
