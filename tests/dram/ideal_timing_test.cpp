#include "dram/ideal_timing.h"

#include <catch2/catch.hpp>

using eva::Bytes;
using eva::Cycles;
using eva::IdealMemoryTiming;

TEST_CASE("ideal memory: 64 MiB at 128 bytes a cycle take exactly 524288 cycles") {
  IdealMemoryTiming at_once({128, 0});
  CHECK(at_once.finish(Cycles(0), Bytes(64 << 20)) == Cycles(524288));

  IdealMemoryTiming in_pieces({128, 0});
  Cycles finish;
  for (int i = 0; i < (64 << 20) / 64; ++i)
    finish = in_pieces.finish(Cycles(0), Bytes(64));
  CHECK(finish == Cycles(524288));
}

TEST_CASE("ideal memory: requests smaller than a cycle's worth share the cycle") {
  IdealMemoryTiming timing({128, 0});
  CHECK(timing.finish(Cycles(0), Bytes(64)) == Cycles(1));
  CHECK(timing.finish(Cycles(0), Bytes(64)) == Cycles(1));
  CHECK(timing.finish(Cycles(0), Bytes(1)) == Cycles(2));
}

TEST_CASE("ideal memory: a part of a cycle counts as the whole cycle") {
  IdealMemoryTiming timing({128, 0});
  CHECK(timing.finish(Cycles(0), Bytes(129)) == Cycles(2));
}

TEST_CASE("ideal memory: first come, first served") {
  IdealMemoryTiming timing({128, 0});
  CHECK(timing.finish(Cycles(10), Bytes(1280)) == Cycles(20));
  CHECK(timing.finish(Cycles(11), Bytes(128)) == Cycles(21));
}

TEST_CASE("ideal memory: an idle pipe starts at the request") {
  IdealMemoryTiming timing({128, 0});
  CHECK(timing.finish(Cycles(0), Bytes(128)) == Cycles(1));
  CHECK(timing.finish(Cycles(100), Bytes(128)) == Cycles(101));
}

TEST_CASE("ideal memory: latency delays each request and occupies nothing") {
  IdealMemoryTiming timing({128, 50});
  CHECK(timing.finish(Cycles(0), Bytes(128)) == Cycles(51));
  CHECK(timing.finish(Cycles(0), Bytes(128)) == Cycles(52));
}

TEST_CASE("ideal memory: twice the width takes half the time") {
  IdealMemoryTiming timing({256, 0});
  CHECK(timing.finish(Cycles(0), Bytes(64 << 20)) == Cycles(262144));
}
