#include "dram/command_checker.h"

#include <catch2/catch.hpp>

// Distances are those of DDR4-2133: tRCD 16, tRP 16, tRAS 36, tRC 52, tRRD 4/6, tFAW 23, tCCD 4/6,
// CWL 11, burst 4, tWR 16, tWTR 3/8, tRTP 8, READ to WRITE 11, tRFC 374, tREFI 8320.

namespace eva::test {
namespace {

using Kind = DramCommandKind;

DramCommand command(Kind kind, std::uint64_t clock, std::uint32_t bank = 0, std::uint32_t row = 0,
                    std::uint32_t rank = 0) {
  return {kind, clock, rank, bank, row, 0};
}

std::vector<std::string> violations(const std::vector<DramCommand>& commands,
                                    std::uint32_t ranks = 1) {
  CommandChecker checker(dram_devices().front(), ranks);
  for (const DramCommand& each : commands)
    checker.check(each);
  return checker.violations();
}

/// The last command is right where it is, and breaks just `rule` a clock earlier.
void check_limit(const std::string& rule, std::vector<DramCommand> commands,
                 std::uint32_t ranks = 1) {
  CAPTURE(rule);
  CHECK(violations(commands, ranks).empty());
  --commands.back().clock;
  const std::vector<std::string> found = violations(commands, ranks);
  REQUIRE(found.size() == 1);
  CHECK(found[0].find(rule) != std::string::npos);
}

}  // namespace

TEST_CASE("each distance between commands holds at its limit and not a clock earlier") {
  check_limit("tRCD", {command(Kind::activate, 10), command(Kind::read, 26)});
  check_limit("tRAS", {command(Kind::activate, 10), command(Kind::precharge, 46)});
  check_limit("tRP", {command(Kind::activate, 10), command(Kind::precharge, 50),
                      command(Kind::activate, 66)});
  check_limit("tRRD_S", {command(Kind::activate, 10, 0), command(Kind::activate, 14, 4)});
  check_limit("tRRD_L", {command(Kind::activate, 10, 0), command(Kind::activate, 16, 1)});
  check_limit("tFAW", {command(Kind::activate, 10, 0), command(Kind::activate, 14, 4),
                       command(Kind::activate, 18, 8), command(Kind::activate, 22, 12),
                       command(Kind::activate, 33, 1)});
  check_limit("tCCD_L",
              {command(Kind::activate, 10), command(Kind::write, 40), command(Kind::write, 46)});
  check_limit("READ to WRITE",
              {command(Kind::activate, 10), command(Kind::read, 40), command(Kind::write, 51)});
  check_limit("tWTR_L",
              {command(Kind::activate, 10), command(Kind::write, 40), command(Kind::read, 63)});
  check_limit("tWTR_S", {command(Kind::activate, 10, 0), command(Kind::activate, 14, 4),
                         command(Kind::write, 40, 0), command(Kind::read, 58, 4)});
  check_limit("tRTP",
              {command(Kind::activate, 10), command(Kind::read, 50), command(Kind::precharge, 58)});
  check_limit(
      "tWR", {command(Kind::activate, 10), command(Kind::write, 50), command(Kind::precharge, 81)});
  check_limit("tRFC", {command(Kind::refresh, 10), command(Kind::activate, 384)});
  check_limit("tRP before REFRESH", {command(Kind::activate, 10), command(Kind::precharge, 50),
                                     command(Kind::refresh, 66)});
}

TEST_CASE("tRC holds where it is longer than tRAS and tRP together") {
  DramDevice device = dram_devices().front();
  device.timing.t_rc = 60;
  for (const std::uint64_t clock : {70, 69}) {
    CommandChecker checker(device, 1);
    checker.check(command(Kind::activate, 10));
    checker.check(command(Kind::precharge, 46));
    checker.check(command(Kind::activate, clock));
    CHECK(checker.violations().size() == (clock < 70 ? 1 : 0));
  }
}

TEST_CASE("tCCD_S holds where it is longer than a burst") {
  DramDevice device = dram_devices().front();
  device.timing.t_ccd_s = 5;
  for (const std::uint64_t clock : {45, 44}) {
    CommandChecker checker(device, 1);
    checker.check(command(Kind::activate, 10, 0));
    checker.check(command(Kind::activate, 14, 4));
    checker.check(command(Kind::read, 40, 0));
    checker.check(command(Kind::read, clock, 4));
    CHECK(checker.violations().size() == (clock < 45 ? 1 : 0));
  }
}

TEST_CASE("data of two ranks keep tRTRS between them") {
  const std::vector<DramCommand> both = {command(Kind::activate, 10),
                                         command(Kind::activate, 11, 0, 0, 1)};
  std::vector<DramCommand> commands = both;
  commands.push_back(command(Kind::read, 40));
  commands.push_back(command(Kind::read, 46, 0, 0, 1));
  check_limit("the data bus is free", commands, 2);
}

TEST_CASE("a bank must be in the state that a command needs") {
  CHECK(violations({command(Kind::read, 10)}).size() == 1);
  CHECK(violations({command(Kind::activate, 10, 0, 5), command(Kind::read, 30, 0, 6)}).size() == 1);
  CHECK(violations({command(Kind::activate, 10), command(Kind::activate, 70)}).size() == 1);
  CHECK(violations({command(Kind::activate, 10), command(Kind::refresh, 70)}).size() == 1);
  CHECK(violations({command(Kind::activate, 10), command(Kind::activate, 10, 4, 0, 1)}, 2).size() ==
        1);
}

TEST_CASE("a rank without REFRESH for more than nine intervals is reported") {
  CommandChecker kept(dram_devices().front(), 1);
  kept.finish(8 * 8320);
  CHECK(kept.violations().empty());
  CommandChecker late(dram_devices().front(), 1);
  late.finish(9 * 8320 + 1);
  CHECK(late.violations().size() == 2);
}

}  // namespace eva::test
