#include "dma/dma.h"

namespace eva {

Dma::Dma(const sc_core::sc_module_name& name, const PartContext& context,
         const DmaParameters& parameters, Pipeline& pipeline)
    : Part(name, context),
      codebook("codebook", context, parameters, pipeline, [this] { update_timeline(); }),
      input("input", context, parameters, pipeline, [this] { update_timeline(); }),
      weight("weight", context, parameters, pipeline, [this] { update_timeline(); }),
      scale("scale", context, parameters, pipeline, [this] { update_timeline(); }),
      output("output", context, parameters, pipeline, [this] { update_timeline(); }),
      pipeline_(pipeline),
      timeline_(context.log, "dma") {
  codebook.start([this] { load_codebooks(); });
  input.start([this] { load_activations(); });
  weight.start([this] { load_weights(); });
  scale.start([this] { load_scales(); });
  output.start([this] { store_outputs(); });
}

void Dma::load_codebooks() {
  while (true) {
    codebook.waits_for(WaitReason::commands, {});
    const CommandPointer command = pipeline_.codebook_commands.get();
    if (!pipeline_.tiles.reached(command->tiles_before)) {
      codebook.waits_for(WaitReason::buffer_space, command->context());
      pipeline_.tiles.wait_for(command->tiles_before);
    }
    codebook.goes_on();
    codebook.load_to(*command, command->weight_address, DecodeTile(*command).codebook_bytes,
                     command->codebook_offset);
    codebook.when_delivered(*command, [this, command] {
      pipeline_.codebook_loads.advance();
      pipeline_.completions.put({command->sequence, now()});
    });
  }
}

void Dma::load_activations() {
  while (true) {
    input.waits_for(WaitReason::commands, {});
    const CommandPointer command = pipeline_.input_commands.get();
    input.goes_on();
    const bool decode = command->opcode == Opcode::decode_tile;
    const std::uint64_t runs =
        decode ? command->tokens : ceil_divide(command->rows, int8_block_width);
    const std::uint64_t run_bytes = decode
                                        ? std::uint64_t{command->rows} * command->vector_length * 2
                                        : command->tokens * int8_block_width;
    if (runs > 1 && command->activation_stride == run_bytes) {
      input.load(*command, command->activation_address, runs * run_bytes, pipeline_.input);
      continue;
    }
    for (std::uint64_t run = 0; run < runs; ++run) {
      input.load(*command, command->activation_address + run * command->activation_stride,
                 run_bytes, pipeline_.input);
    }
  }
}

void Dma::load_weights() {
  while (true) {
    weight.waits_for(WaitReason::commands, {});
    const CommandPointer command = pipeline_.weight_commands.get();
    weight.goes_on();
    if (command->opcode == Opcode::prefill_tile) {
      const std::uint64_t blocks = ceil_divide(command->rows, int8_block_width);
      weight.load(*command, command->weight_address, blocks * int8_block_width * int8_block_width,
                  pipeline_.weight);
      continue;
    }
    const DecodeTile tile(*command);
    const std::uint64_t chunk = pipeline_.chunk_columns();
    const std::uint64_t slice = pipeline_.slice_columns(tile);
    for (std::uint64_t i = 0; i < ceil_divide(command->columns, chunk); ++i) {
      const Span columns = span_of(i, chunk, command->columns);
      for (std::uint64_t j = 0; j < ceil_divide(columns.count, slice); ++j) {
        load_indices(*command, columns.first, span_of(j, slice, columns.count));
      }
    }
  }
}

void Dma::load_indices(const TileCommand& command, std::uint64_t first_column, Span slice) {
  const DecodeTile tile(command);
  for (std::uint64_t group = 0; group < tile.groups; ++group) {
    weight.load(command,
                command.weight_address + group * command.weight_stride +
                    (first_column + slice.first) * tile.group_column_bytes,
                slice.count * tile.group_column_bytes, pipeline_.weight);
  }
}

void Dma::load_scales() {
  while (true) {
    scale.waits_for(WaitReason::commands, {});
    const CommandPointer command = pipeline_.scale_commands.get();
    scale.goes_on();
    const std::uint64_t element_bytes = command->opcode == Opcode::decode_tile ? 2 : 4;
    scale.load(*command, command->scale_address, command->columns * element_bytes, pipeline_.scale);
  }
}

void Dma::store_outputs() {
  while (true) {
    output.waits_for(WaitReason::commands, {});
    const OutputChunk chunk = pipeline_.output_chunks.get();
    output.goes_on();
    if (chunk.command->opcode == Opcode::decode_tile) {
      store_decode_outputs(chunk);
    } else {
      store_prefill_outputs(chunk);
    }
    output.when_delivered(*chunk.command, [this, chunk] {
      pipeline_.output.release(chunk.ring_bytes);
      // Only now, with the last byte in memory, may the command be seen as complete.
      if (chunk.final) pipeline_.completions.put({chunk.command->sequence, now()});
    });
  }
}

void Dma::store_decode_outputs(const OutputChunk& chunk) {
  const TileCommand& command = *chunk.command;
  const std::uint64_t bytes = chunk.span.count * 2;
  for (std::uint64_t token = 0; token < command.tokens; ++token) {
    output.store(command,
                 command.output_address + token * command.output_stride + chunk.span.first * 2,
                 bytes, chunk.position + token * bytes, pipeline_.output);
  }
}

void Dma::store_prefill_outputs(const OutputChunk& chunk) {
  const std::uint64_t token_bytes = int8_block_width * (chunk.command->int8_output ? 1 : 2);
  output.store(*chunk.command, chunk.command->output_address + chunk.span.first * token_bytes,
               chunk.span.count * token_bytes, chunk.position, pipeline_.output);
}

void Dma::update_timeline() {
  Activity activity = Activity::idle;
  WaitReason reason = WaitReason::commands;
  WorkContext context;
  for_each_channel([&](DmaChannel& channel) {
    const EventRecord& current = channel.timeline().current();
    if (current.activity == Activity::busy ||
        (current.activity == Activity::stalled && activity == Activity::idle)) {
      activity = current.activity;
      reason = current.reason;
      context = current.context;
    }
  });
  if (activity == timeline_.current().activity) return;
  if (activity == Activity::busy) {
    timeline_.busy(now(), "transfer", context);
  } else if (activity == Activity::stalled) {
    timeline_.stalled(now(), reason, context);
  } else {
    timeline_.idle(now());
  }
}

}  // namespace eva
