#include "epilogue/index_decoder.h"

namespace eva {

void decode_indices(const unsigned char* packed, std::size_t count, unsigned index_bits,
                    std::uint16_t* indices) {
  if (index_bits == 8) {
    for (std::size_t i = 0; i < count; ++i)
      indices[i] = packed[i];
    return;
  }
  std::uint32_t window = 0;
  unsigned available = 0;
  const std::uint32_t mask = (1U << index_bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    while (available < index_bits) {
      window |= static_cast<std::uint32_t>(*packed++) << available;
      available += 8;
    }
    indices[i] = static_cast<std::uint16_t>(window & mask);
    window >>= index_bits;
    available -= index_bits;
  }
}

void encode_indices(const std::uint16_t* indices, std::size_t count, unsigned index_bits,
                    unsigned char* packed) {
  std::uint32_t window = 0;
  unsigned available = 0;
  const std::uint32_t mask = (1U << index_bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    window |= (indices[i] & mask) << available;
    available += index_bits;
    while (available >= 8) {
      *packed++ = static_cast<unsigned char>(window);
      window >>= 8;
      available -= 8;
    }
  }
  if (available > 0) *packed = static_cast<unsigned char>(window);
}

}  // namespace eva
