#include "platform/memory_image.h"

#include <stdexcept>

#include "eva/descriptor.h"
#include "platform/operands.h"

namespace eva {

MemoryImage lay_out(const Scenario& scenario) {
  constexpr std::uint64_t alignment = 4096;
  const AddressRange memory = scenario.chip.dram_window().range;
  std::uint64_t needed = 0;
  const auto place = [&](std::uint64_t bytes) {
    const std::uint64_t address = memory.first() + needed;
    needed += ceil_divide(bytes, alignment) * alignment;
    return address;
  };

  MemoryImage image;
  image.boot_table_address = place(sizeof(eva_boot_table));
  image.boot_table.magic = EVA_BOOT_MAGIC;
  image.boot_table.version = EVA_BOOT_VERSION;
  image.boot_table.layer_count = static_cast<std::uint32_t>(scenario.layers.size());
  image.boot_table.layer_table_address = place(scenario.layers.size() * sizeof(eva_layer));
  image.boot_table.ring_size = static_cast<std::uint32_t>(scenario.ring_size);
  image.boot_table.ring_address = place(scenario.ring_size * EVA_DESCRIPTOR_BYTES);
  image.boot_table.codebook_order =
      scenario.codebook_order == CodebookOrder::outer ? EVA_CODEBOOK_OUTER : EVA_CODEBOOK_INNER;
  image.boot_table.register_base = scenario.chip.bus.registers_address;
  for (const LayerParameters& parameters : scenario.layers) {
    eva_layer layer = firmware_layer(parameters);
    const OperandSizes sizes = sizes_of(parameters);
    layer.activation_address = place(sizes.activations);
    layer.codebook_address = place(sizes.codebooks);
    layer.weight_address = place(sizes.weights);
    layer.scale_address = place(sizes.scales);
    layer.output_address = place(sizes.outputs);
    image.layers.push_back(layer);
  }
  const std::uint64_t capacity = memory.last() - memory.first() + 1;
  if (needed > capacity) {
    throw std::invalid_argument("chip.dram.capacity_mib: the operands need " +
                                std::to_string(needed >> 20) + " MiB of memory; the board has " +
                                std::to_string(capacity >> 20));
  }
  return image;
}

}  // namespace eva
