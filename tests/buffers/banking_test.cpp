#include "buffers/banking.h"

#include <catch2/catch.hpp>
#include <cstdint>

using eva::BankConflicts;

TEST_CASE("bank conflicts: nothing takes no cycle") {
  CHECK(BankConflicts(4).finish() == 0);
}

TEST_CASE("bank conflicts: four lanes on four banks take one cycle") {
  BankConflicts conflicts(4);
  for (std::uint64_t lane = 0; lane < 4; ++lane)
    conflicts.add(lane, 100 + lane);
  CHECK(conflicts.finish() == 1);
}

TEST_CASE("bank conflicts: four lanes that read the same address of a bank share one cycle") {
  BankConflicts conflicts(4);
  for (int lane = 0; lane < 4; ++lane)
    conflicts.add(2, 100);
  CHECK(conflicts.finish() == 1);
}

TEST_CASE("bank conflicts: four different addresses of one bank take four cycles") {
  BankConflicts conflicts(4);
  for (std::uint64_t lane = 0; lane < 4; ++lane)
    conflicts.add(2, 100 + lane);
  CHECK(conflicts.finish() == 4);
}

TEST_CASE("bank conflicts: the fullest of three banks decides") {
  BankConflicts conflicts(3);
  for (std::uint64_t address = 0; address < 7; ++address)
    conflicts.add(address % 3, address);
  CHECK(conflicts.finish() == 3);
}

TEST_CASE("bank conflicts: the same address in two banks is two reads at once") {
  BankConflicts conflicts(2);
  conflicts.add(0, 100);
  conflicts.add(1, 100);
  CHECK(conflicts.finish() == 1);
}

TEST_CASE("bank conflicts: every access starts afresh") {
  BankConflicts conflicts(1);
  conflicts.add(0, 1);
  conflicts.add(0, 2);
  CHECK(conflicts.finish() == 2);
  conflicts.add(0, 3);
  CHECK(conflicts.finish() == 1);
  CHECK(conflicts.finish() == 0);
}
