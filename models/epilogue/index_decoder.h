#pragma once

#include <cstddef>
#include <cstdint>

namespace eva {

/// Unpacks `count` weight indices of `index_bits` (1 to 16) each from little-endian bits: index i
/// occupies the bits from i · index_bits on, least significant first.
void decode_indices(const unsigned char* packed, std::size_t count, unsigned index_bits,
                    std::uint16_t* indices);

/// The inverse; `packed` has (count · index_bits + 7) / 8 bytes. Bits beyond index_bits are
/// dropped.
void encode_indices(const std::uint16_t* indices, std::size_t count, unsigned index_bits,
                    unsigned char* packed);

}  // namespace eva
