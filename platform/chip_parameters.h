#pragma once

#include <cmath>
#include <string>

#include "buffers/buffer.h"
#include "bus/bus.h"
#include "command/command_processor.h"
#include "dma/channel.h"
#include "dram/dram.h"
#include "epilogue/epilogue_unit.h"
#include "eva/driver.h"
#include "gemm/gemm_unit.h"
#include "host/native_host.h"
#include "vector/vector_unit.h"

namespace eva {

/// The five buffers of the accelerator; the defaults are the published 528 KB.
struct BufferSet {
  BufferParameters input{32, 1, BankMapping::row};
  BufferParameters codebook{16, 1, BankMapping::row};
  BufferParameters weight{256, 1, BankMapping::row};
  BufferParameters output_codebook{192, 128, BankMapping::row};
  BufferParameters output{32, 1, BankMapping::row};

  void visit(ParameterVisitor& visitor) {
    visit_group(visitor, "input", input, "activations");
    visit_group(visitor, "codebook", codebook, "weight codebooks");
    visit_group(visitor, "weight", weight, "weight indices (decode) or weights (prefill)");
    visit_group(
        visitor, "output_codebook", output_codebook,
        "output codebook tiles (decode) or INT32 sums (prefill); one bank per look-up lane");
    visit_group(visitor, "output", output, "FP32 sums, then outputs");
  }
};

/// Everything that describes one chip and its board.
struct ChipParameters {
  std::string name = "eva-4eu";
  std::string description;
  double clock_mhz = 500;
  GemmParameters gemm;
  EpilogueParameters epilogue;
  VectorParameters vector;
  BufferSet buffers;
  DmaParameters dma;
  PipelineParameters pipeline;
  DramParameters dram;
  BusParameters bus;
  HostParameters host;

  void visit(ParameterVisitor& visitor) {
    visitor.text("name", name, "name of the chip");
    visitor.text("description", description, "what is special about it");
    visitor.number("clock_mhz", clock_mhz, 1, 10000, "MHz of the core clock");
    visit_group(visitor, "gemm", gemm, "the reconfigurable array");
    visit_group(visitor, "epilogue", epilogue, "the epilogue units");
    visit_group(visitor, "vector", vector, "the vector unit");
    visit_group(visitor, "buffers", buffers, "on-chip buffers");
    visit_group(visitor, "dma", dma, "the DMA engine");
    visit_group(visitor, "pipeline", pipeline, "what joins the units");
    visit_group(visitor, "dram", dram, "the memory");
    visit_group(visitor, "bus", bus, "the address map");
    visit_group(visitor, "host", host, "the processor that runs the firmware");
  }

  [[nodiscard]] std::uint64_t clock_hz() const {
    return static_cast<std::uint64_t>(std::llround(clock_mhz * 1e6));
  }
  [[nodiscard]] AddressMap::Window register_window() const {
    return {"registers", AddressRange::from_size(bus.registers_address, EVA_REGISTER_WINDOW)};
  }
  [[nodiscard]] AddressMap::Window dram_window() const {
    return {"dram", AddressRange::from_size(bus.dram_address, dram.capacity_mib << 20)};
  }
  [[nodiscard]] Pipeline::Capacities ring_capacities() const {
    return {buffers.input.capacity(), buffers.weight.capacity(), buffers.output_codebook.capacity(),
            buffers.output.capacity(), Bytes(vector.scale_buffer_kib << 10)};
  }
  [[nodiscard]] Capabilities capabilities() const {
    Capabilities capabilities;
    capabilities.array_rows = static_cast<std::uint32_t>(gemm.array.rows);
    capabilities.array_columns = static_cast<std::uint32_t>(gemm.array.columns);
    capabilities.epilogue_units = static_cast<std::uint32_t>(epilogue.units);
    capabilities.vector_lanes = static_cast<std::uint32_t>(vector.lanes);
    capabilities.memory_port_bytes = static_cast<std::uint32_t>(dram.ideal.bytes_per_cycle);
    capabilities.chunk_columns = static_cast<std::uint32_t>(pipeline.columns_per_chunk);
    return capabilities;
  }
  /// The same as firmware reads it from the capability registers.
  [[nodiscard]] eva_capabilities firmware_capabilities() const {
    const Capabilities own = capabilities();
    const auto bytes = [](const BufferParameters& buffer) {
      return static_cast<std::uint32_t>(buffer.capacity().count());
    };
    eva_capabilities capabilities{};
    capabilities.array_rows = own.array_rows;
    capabilities.array_columns = own.array_columns;
    capabilities.epilogue_units = own.epilogue_units;
    capabilities.memory_port_bytes = own.memory_port_bytes;
    capabilities.chunk_columns = own.chunk_columns;
    capabilities.input_bytes = bytes(buffers.input);
    capabilities.codebook_bytes = bytes(buffers.codebook);
    capabilities.weight_bytes = bytes(buffers.weight);
    capabilities.output_codebook_bytes = bytes(buffers.output_codebook);
    capabilities.output_bytes = bytes(buffers.output);
    return capabilities;
  }
  [[nodiscard]] DescriptorLimits descriptor_limits() const {
    DescriptorLimits limits;
    limits.memory = dram_window().range;
    limits.input = buffers.input.capacity();
    limits.codebook = buffers.codebook.capacity();
    limits.weight = buffers.weight.capacity();
    limits.output_codebook = buffers.output_codebook.capacity();
    limits.output = buffers.output.capacity();
    return limits;
  }
};

}  // namespace eva
