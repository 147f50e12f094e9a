#pragma once

#include <cstdint>

#include "base/address_range.h"
#include "base/pipeline.h"
#include "base/tile_command.h"
#include "eva/descriptor.h"
#include "eva/registers.h"

namespace eva {

/// What a descriptor is checked against.
struct DescriptorLimits {
  AddressRange memory = AddressRange::from_size(0, 1);     ///< operands must lie inside
  Bytes input, codebook, weight, output_codebook, output;  ///< buffer capacities
};

/// The first thing that is wrong with a descriptor.
struct DescriptorFault {
  eva_error code = EVA_ERROR_NONE;
  std::uint64_t detail = 0;
};

/// Sums of tiles from FIRST to LAST must be of one kind and shape; what is open is kept here.
struct OpenSum {
  bool open = false;
  std::uint8_t opcode = 0;
  std::uint32_t tokens = 0;
  std::uint32_t columns = 0;
  std::uint64_t inputs = 0;  ///< INT8 inputs since FIRST
};

/// Checks `descriptor` in the order that docs/programmers_manual.md gives; `sum` is brought up to
/// date when it is right. Never touches memory.
DescriptorFault check_descriptor(const eva_descriptor& descriptor, const DescriptorLimits& limits,
                                 OpenSum& sum);

/// The command that a right descriptor stands for.
TileCommand command_of(const eva_descriptor& descriptor);

}  // namespace eva
