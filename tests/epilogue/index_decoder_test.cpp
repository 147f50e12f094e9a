#include "epilogue/index_decoder.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using eva::decode_indices;
using eva::encode_indices;

namespace {

using Indices = std::vector<std::uint16_t>;
using Packed = std::vector<unsigned char>;

Packed encoded(const Indices& indices, unsigned index_bits) {
  Packed packed((indices.size() * index_bits + 7) / 8);
  encode_indices(indices.data(), indices.size(), index_bits, packed.data());
  return packed;
}

Indices decoded(const Packed& packed, std::size_t count, unsigned index_bits) {
  Indices indices(count);
  decode_indices(packed.data(), count, index_bits, indices.data());
  return indices;
}

}  // namespace

TEST_CASE("index decoder: 8-bit indices are bytes") {
  CHECK(decoded({0, 1, 200, 255}, 4, 8) == Indices{0, 1, 200, 255});
}

TEST_CASE("index decoder: 1-bit indices begin with the least significant bit") {
  CHECK(decoded({0x05, 0x80}, 16, 1) == Indices{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("index decoder: of two 4-bit indices in a byte the low one comes first") {
  CHECK(decoded({0x21, 0x43}, 4, 4) == Indices{1, 2, 3, 4});
}

TEST_CASE("index decoder: 3-bit indices cross byte borders") {
  CHECK(decoded({0x88, 0xC6, 0xFA}, 8, 3) == Indices{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("index decoder: 10-bit indices cross byte borders") {
  CHECK(decoded({0xFF, 0x07, 0x00, 0x2A, 0x80}, 4, 10) == Indices{1023, 1, 672, 512});
}

TEST_CASE("index decoder: 12-bit indices cross byte borders") {
  CHECK(decoded({0xBC, 0x3A, 0x12}, 2, 12) == Indices{0xABC, 0x123});
}

TEST_CASE("index decoder: 16-bit indices are little endian and unsigned") {
  CHECK(decoded({0x40, 0x9C, 0xFF, 0xFF}, 2, 16) == Indices{40000, 65535});
}

TEST_CASE("index encoder: it packs as the decoder unpacks") {
  CHECK(encoded({0, 1, 2, 3, 4, 5, 6, 7}, 3) == Packed{0x88, 0xC6, 0xFA});
  CHECK(encoded({0xABC, 0x123}, 12) == Packed{0xBC, 0x3A, 0x12});
  CHECK(encoded({40000, 65535}, 16) == Packed{0x40, 0x9C, 0xFF, 0xFF});
}

TEST_CASE("index encoder: the last byte is filled up with zeros") {
  CHECK(encoded({7}, 3) == Packed{0x07});
  CHECK(encoded({0x3FF}, 10) == Packed{0xFF, 0x03});
}

TEST_CASE("index encoder: bits beyond the width are dropped") {
  CHECK(encoded({0xFFF1, 0xFFF2}, 4) == Packed{0x21});
}

TEST_CASE("index coder: every width from 1 to 16 bits survives a round trip of any length") {
  std::uint64_t state = 1;
  for (unsigned index_bits = 1; index_bits <= 16; ++index_bits) {
    for (std::size_t count = 0; count <= 100; ++count) {
      CAPTURE(index_bits, count);
      Indices indices(count);
      for (std::uint16_t& index : indices) {
        state = state * 6364136223846793005 + 1442695040888963407;
        index = static_cast<std::uint16_t>(state >> (64 - index_bits));
      }
      REQUIRE(decoded(encoded(indices, index_bits), count, index_bits) == indices);
    }
  }
}

TEST_CASE("index coder: the largest index of every width survives a round trip") {
  for (unsigned index_bits = 1; index_bits <= 16; ++index_bits) {
    CAPTURE(index_bits);
    const Indices indices(33, static_cast<std::uint16_t>((1U << index_bits) - 1));
    CHECK(decoded(encoded(indices, index_bits), 33, index_bits) == indices);
  }
}
