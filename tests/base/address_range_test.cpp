#include "base/address_range.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>

using eva::AddressRange;

namespace {

constexpr std::uint64_t last_address = 0xFFFFFFFFFFFFFFFF;

}  // namespace

TEST_CASE("address range: both ends are inside it") {
  const AddressRange range = AddressRange::from_size(0x1000, 0x100);
  CHECK(range.first() == 0x1000);
  CHECK(range.last() == 0x10FF);
  CHECK_FALSE(range.contains(0xFFF));
  CHECK(range.contains(0x1000));
  CHECK(range.contains(0x10FF));
  CHECK_FALSE(range.contains(0x1100));
}

TEST_CASE("address range: it may begin at address 0") {
  const AddressRange range = AddressRange::from_size(0, 1);
  CHECK(range.first() == 0);
  CHECK(range.last() == 0);
  CHECK(range.contains(0));
  CHECK_FALSE(range.contains(1));
}

TEST_CASE("address range: it may lie across the end of 32 bits") {
  const AddressRange range = AddressRange::from_size(0xFFFFFFFF, 2);
  CHECK(range.last() == 0x100000000);
  CHECK(range.contains(0xFFFFFFFF, 2));
  CHECK_FALSE(range.contains(0));
}

TEST_CASE("address range: it may end at the last byte of 64 bits") {
  const AddressRange range = AddressRange::from_size(0xFFFFFFFFFFFFFFF8, 8);
  CHECK(range.last() == last_address);
  CHECK(range.contains(last_address, 1));
  CHECK(range.contains(0xFFFFFFFFFFFFFFF8, 8));
}

TEST_CASE("address range: all of 64 bits but one byte is a range") {
  const AddressRange range = AddressRange::from_size(1, last_address);
  CHECK(range.last() == last_address);
  CHECK_FALSE(range.contains(0));
}

TEST_CASE("address range: one that would wrap is refused by size and address") {
  CHECK_THROWS_AS(AddressRange::from_size(0xFFFFFFFFFFFFFFFC, 8), std::invalid_argument);
  CHECK_THROWS_WITH(AddressRange::from_size(0xFFFFFFFFFFFFFFFC, 8),
                    "address range of 8 bytes from 18446744073709551612 is empty or wraps around");
}

TEST_CASE("address range: an empty one is refused") {
  CHECK_THROWS_AS(AddressRange::from_size(0x1000, 0), std::invalid_argument);
}

TEST_CASE("address range: an access that straddles an end is not contained") {
  const AddressRange range = AddressRange::from_size(0x1000, 0x100);
  CHECK(range.contains(0x10F8, 8));
  CHECK_FALSE(range.contains(0x10FC, 8));
  CHECK_FALSE(range.contains(0xFFC, 8));
}

TEST_CASE("address range: an access that wraps around the address space is not contained") {
  const AddressRange range = AddressRange::from_size(0xFFFFFFFFFFFFFFF0, 16);
  CHECK_FALSE(range.contains(0xFFFFFFFFFFFFFFFC, 8));
  CHECK_FALSE(range.contains(0xFFFFFFFFFFFFFFF0, last_address));
}

TEST_CASE("address range: an access of no bytes lies nowhere") {
  CHECK_FALSE(AddressRange::from_size(0x1000, 0x100).contains(0x1000, 0));
}

TEST_CASE("address range: ranges overlap from the first shared byte on") {
  const AddressRange range = AddressRange::from_size(0x1000, 0x100);
  CHECK_FALSE(range.overlaps(AddressRange::from_size(0xF00, 0x100)));
  CHECK(range.overlaps(AddressRange::from_size(0xF00, 0x101)));
  CHECK(range.overlaps(AddressRange::from_size(0x1080, 1)));
  CHECK(range.overlaps(AddressRange::from_size(0, last_address)));
  CHECK(range.overlaps(AddressRange::from_size(0x10FF, 1)));
  CHECK_FALSE(range.overlaps(AddressRange::from_size(0x1100, 1)));
}
