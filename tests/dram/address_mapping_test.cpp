#include "dram/address_mapping.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <tuple>

#include "dram/memory_system.h"

namespace eva::test {
namespace {

const DramOrganization& ddr4() {
  return dram_devices().front().organization;
}

}  // namespace

TEST_CASE("the order names the fields from the most significant bit down") {
  const AddressMapping mapping("ro-ra-ba-co-bg-ch", ddr4(), 4, 2);
  // 2 bits of channel, 2 of bank group, 7 of column, 2 of bank, 1 of rank, then the row.
  const BurstLocation location = mapping.locate(0b101'1'10'0000101'11'01);
  CHECK(location.channel == 1);
  CHECK(location.bank == 3 * 4 + 2);
  CHECK(location.column == 5);
  CHECK(location.rank == 1);
  CHECK(location.row == 5);
}

TEST_CASE("a mapping is a bijection that uses every bit") {
  for (const char* order : {"ro-ra-ba-co-bg-ch", "ro-ba-bg-ra-co-ch", "ch-ra-bg-ba-ro-co"}) {
    const AddressMapping mapping(order, ddr4(), 4, 2);
    std::mt19937_64 random(3);
    std::set<std::uint64_t> bursts;
    std::set<std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>> places;
    BurstLocation all{};
    for (int i = 0; i < 1 << 17; ++i) {
      const std::uint64_t burst = random() % (std::uint64_t{1} << 30);
      const BurstLocation place = mapping.locate(burst);
      bursts.insert(burst);
      places.insert({place.channel, place.rank, place.bank, place.row, place.column});
      all.channel |= place.channel;
      all.rank |= place.rank;
      all.bank |= place.bank;
      all.row |= place.row;
      all.column |= place.column;
    }
    CHECK(places.size() == bursts.size());
    CHECK(all.channel == 3);
    CHECK(all.rank == 1);
    CHECK(all.bank == 15);
    CHECK(all.row == 65535);
    CHECK(all.column == 127);
  }
}

TEST_CASE("an order that lacks a field, has one twice or an unknown one is refused by name") {
  for (const char* order :
       {"ro-ra-ba-co-bg", "ro-ra-ba-co-bg-bg", "ro-ra-ba-co-bg-xx", "", "ro-ra-ba-co-bg-ch-ch"}) {
    CHECK_THROWS_WITH(AddressMapping(order, ddr4(), 4, 1),
                      Catch::Contains(std::string("'") + order + "'") &&
                          Catch::Contains("expected ro, ra, ba, bg, co and ch once each"));
  }
}

TEST_CASE("three channels are refused") {
  CHECK_THROWS_WITH(AddressMapping("ro-ra-ba-co-bg-ch", ddr4(), 3, 1),
                    "3 channels, expected a power of two");
}

TEST_CASE("a memory larger than its devices is refused with both sizes") {
  class Nobody : public TransactionSink {
    void on_transaction(std::uint32_t, std::uint64_t, std::uint64_t) override {}
  } nobody;
  MemorySystemParameters parameters;
  parameters.channels = 1;
  CHECK_THROWS_WITH(
      MemorySystem(dram_devices().front(), parameters, std::uint64_t{16} << 30, nobody),
      "16384 MiB of memory, but 1 ranks of ddr4-2133 hold 8192 MiB");
}

}  // namespace eva::test
