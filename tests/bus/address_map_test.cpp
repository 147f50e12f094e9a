#include "bus/address_map.h"

#include <catch2/catch.hpp>
#include <optional>
#include <stdexcept>

using eva::AddressMap;
using eva::AddressRange;

namespace {

/// "registers" of 4 KiB, right after it "sram", and "memory" of 8 GiB.
AddressMap three_windows() {
  AddressMap map;
  map.add({"registers", AddressRange::from_size(0x10000000, 0x1000)});
  map.add({"sram", AddressRange::from_size(0x10001000, 0x1000)});
  map.add({"memory", AddressRange::from_size(0x80000000, 0x200000000)});
  return map;
}

}  // namespace

TEST_CASE("address map: an access is found in the window that holds all of it") {
  const AddressMap map = three_windows();
  CHECK(map.find(0x10000000, 4) == 0U);
  CHECK(map.find(0x10000FFC, 4) == 0U);
  CHECK(map.find(0x10001000, 0x1000) == 1U);
  CHECK(map.find(0x80000000, 1) == 2U);
  CHECK(map.find(0x27FFFFFFF, 1) == 2U);
}

TEST_CASE("address map: a hole belongs to no window") {
  const AddressMap map = three_windows();
  CHECK(map.find(0x0FFFFFFF, 1) == std::nullopt);
  CHECK(map.find(0x20000000, 4) == std::nullopt);
  CHECK(map.find(0x280000000, 1) == std::nullopt);
}

TEST_CASE("address map: an access across two neighbouring windows belongs to none") {
  CHECK(three_windows().find(0x10000FFC, 8) == std::nullopt);
}

TEST_CASE("address map: an access that wraps around the address space belongs to no window") {
  AddressMap map;
  map.add({"bottom", AddressRange::from_size(0, 0x1000)});
  map.add({"top", AddressRange::from_size(0xFFFFFFFFFFFFF000, 0x1000)});
  CHECK(map.find(0xFFFFFFFFFFFFFFF8, 8) == 1U);
  CHECK(map.find(0xFFFFFFFFFFFFFFFC, 8) == std::nullopt);
}

TEST_CASE("address map: an access of no bytes belongs to no window") {
  CHECK(three_windows().find(0x10000000, 0) == std::nullopt);
}

TEST_CASE("address map: overlapping windows are refused by both names") {
  AddressMap map = three_windows();
  const AddressMap::Window window = {"rom", AddressRange::from_size(0x10000FFF, 1)};
  CHECK_THROWS_AS(map.add(window), std::invalid_argument);
  CHECK_THROWS_WITH(map.add(window), "window 'rom' overlaps window 'registers'");
}

TEST_CASE("address map: a refused window is not added") {
  AddressMap map = three_windows();
  CHECK_THROWS(map.add({"rom", AddressRange::from_size(0, 0x20000000)}));
  CHECK(map.windows().size() == 3);
  CHECK(map.find(0, 4) == std::nullopt);
}
