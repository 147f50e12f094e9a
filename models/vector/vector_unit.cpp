#include "vector/vector_unit.h"

#include <cmath>
#include <cstring>

#include "numerics/half.h"
#include "numerics/int8_product.h"

namespace eva {

VectorUnit::VectorUnit(const sc_core::sc_module_name& name, const PartContext& context,
                       const VectorParameters& parameters, Pipeline& pipeline)
    : Part(name, context),
      scale("scale"),
      output_codebook("output_codebook"),
      output("output"),
      parameters_(parameters),
      pipeline_(pipeline),
      timeline_(context.log, "vector") {
  start_process("run", [this] { run(); });
}

void VectorUnit::run() {
  while (true) {
    timeline_.idle(now());
    const AccumulatorChunk chunk = pipeline_.accumulator_chunks.get();
    wait_until(chunk.ready);
    if (chunk.command->opcode == Opcode::decode_tile) {
      scale_decode_chunk(chunk);
    } else {
      scale_prefill_chunk(chunk);
    }
  }
}

std::uint64_t VectorUnit::wait_for_scales(const TileCommand& command, Bytes bytes) {
  if (!pipeline_.scale.has_filled(bytes)) {
    timeline_.stalled(now(), WaitReason::scales, command.context());
  }
  return pipeline_.scale.use(bytes);
}

void VectorUnit::take_cycles(const TileCommand& command, std::uint64_t values) {
  timeline_.busy(now(), "scale", command.context());
  timeline_.add_work(values);
  wait_cycles(ceil_divide(values, parameters_.lanes));
}

void VectorUnit::scale_decode_chunk(const AccumulatorChunk& chunk) {
  const TileCommand& command = *chunk.command;
  const std::uint64_t values = chunk.span.count * command.tokens;
  const Bytes scale_bytes(chunk.span.count * sizeof(HalfBits));
  const std::uint64_t scale_position = wait_for_scales(command, scale_bytes);

  std::vector<HalfBits> scales(chunk.span.count);
  std::vector<float> sums(values);
  std::vector<HalfBits> outputs(values);
  require_ok(scale.read_ring(scale_position, pipeline_.scale.capacity(), scales.data(),
                             scale_bytes.count()),
             "scales");
  require_ok(output.read_ring(chunk.position, pipeline_.output.capacity(), sums.data(),
                              values * sizeof(float)),
             "sums");
  if (functional()) {
    std::vector<float> factors(chunk.span.count);
    halves_to_floats(scales.data(), factors.data(), factors.size());
    bool overflow = false;
    for (std::uint64_t i = 0; i < values; ++i) {
      const bool finite = std::isfinite(sums[i]) && std::isfinite(factors[i % chunk.span.count]);
      outputs[i] = round_to_half(sums[i] * factors[i % chunk.span.count]);
      overflow |= finite && half_is_infinite(outputs[i]);
    }
    if (overflow) pipeline_.overflows.advance();
  }
  take_cycles(command, values);
  pipeline_.scale.release(scale_bytes);
  require_ok(output.write_ring(chunk.position, pipeline_.output.capacity(), outputs.data(),
                               values * sizeof(HalfBits)),
             "outputs");
  pipeline_.output_chunks.put(
      {chunk.command, chunk.span, chunk.position, Bytes(values * sizeof(float)), chunk.final});
}

void VectorUnit::scale_prefill_chunk(const AccumulatorChunk& chunk) {
  const TileCommand& command = *chunk.command;
  const std::uint64_t values = chunk.span.count * command.columns;
  const std::uint64_t places = chunk.span.count * int8_block_width;
  if (chunk.span.first == 0) {
    const Bytes scale_bytes(command.columns * sizeof(float));
    const std::uint64_t position = wait_for_scales(command, scale_bytes);
    tile_scales_.resize(command.columns);
    require_ok(scale.read_ring(position, pipeline_.scale.capacity(), tile_scales_.data(),
                               scale_bytes.count()),
               "scales");
    pipeline_.scale.release(scale_bytes);
  }
  const std::size_t element_bytes = command.int8_output ? 1 : sizeof(HalfBits);
  const Bytes output_bytes(places * element_bytes);
  if (!pipeline_.output.has_space(output_bytes)) {
    timeline_.stalled(now(), WaitReason::buffer_space, command.context());
  }
  const std::uint64_t output_position = pipeline_.output.reserve(output_bytes);

  std::vector<std::int32_t> sums(places);
  std::vector<unsigned char> outputs(output_bytes.count());  // places beyond the columns stay 0
  require_ok(output_codebook.read_ring(chunk.position, pipeline_.output_codebook.capacity(),
                                       sums.data(), places * sizeof(std::int32_t)),
             "sums");
  if (functional()) {
    bool overflow = false;
    for (std::uint64_t token = 0; token < chunk.span.count; ++token) {
      for (std::uint64_t column = 0; column < command.columns; ++column) {
        const std::size_t place = token * int8_block_width + column;
        const float factor = tile_scales_[column];
        if (command.int8_output) {
          outputs[place] = static_cast<unsigned char>(requantize_to_int8(sums[place], factor));
        } else {
          const HalfBits value = dequantize_to_half(sums[place], factor);
          overflow |= half_is_infinite(value) && std::isfinite(factor);
          std::memcpy(outputs.data() + place * sizeof value, &value, sizeof value);
        }
      }
    }
    if (overflow) pipeline_.overflows.advance();
  }
  take_cycles(command, values);
  pipeline_.output_codebook.release(Bytes(places * sizeof(std::int32_t)));
  require_ok(output.write_ring(output_position, pipeline_.output.capacity(), outputs.data(),
                               outputs.size()),
             "outputs");
  pipeline_.output_chunks.put(
      {chunk.command, chunk.span, output_position, output_bytes, chunk.final});
}

}  // namespace eva
