#include "gemm/array_timing.h"

#include <catch2/catch.hpp>

using eva::ArrayTiming;
using eva::Cycles;
using eva::WeightPreload;

TEST_CASE("array timing: 32 rows by 256 entries of 8 elements take 256 + 32 + 8 cycles") {
  CHECK(ArrayTiming().codebook_passes(32, 8, 256) == Cycles(296));
}

TEST_CASE("array timing: 128 rows take four passes, each of which fills and drains") {
  CHECK(ArrayTiming().codebook_passes(128, 8, 256) == Cycles(1184));
}

TEST_CASE("array timing: a half-filled pass takes as long as a full one") {
  CHECK(ArrayTiming().codebook_passes(1, 8, 256) == Cycles(296));
  CHECK(ArrayTiming().codebook_passes(33, 8, 256) == Cycles(592));
}

TEST_CASE("array timing: vectors longer than the array is wide stream once per fold") {
  CHECK(ArrayTiming().codebook_passes(32, 4, 256) == Cycles(296));
  CHECK(ArrayTiming().codebook_passes(32, 9, 256) == Cycles(552));
  CHECK(ArrayTiming().codebook_passes(32, 16, 256) == Cycles(552));
}

TEST_CASE("array timing: larger codebooks stream longer") {
  CHECK(ArrayTiming().codebook_passes(32, 8, 2) == Cycles(42));
  CHECK(ArrayTiming().codebook_passes(32, 8, 4096) == Cycles(4136));
  CHECK(ArrayTiming().codebook_passes(32, 8, 65536) == Cycles(65576));
}

TEST_CASE("array timing: arrays of other shapes follow the same formula") {
  CHECK(ArrayTiming{16, 8}.codebook_passes(32, 8, 256) == Cycles(560));
  CHECK(ArrayTiming{32, 4}.codebook_passes(32, 8, 256) == Cycles(548));
  CHECK(ArrayTiming{64, 8}.codebook_passes(32, 8, 256) == Cycles(328));
}

TEST_CASE("array timing: a token takes one cycle per block of 32 x 32 INT8 weights") {
  CHECK(ArrayTiming().int8_streaming(1024, 32, 32) == Cycles(1024));
  CHECK(ArrayTiming().int8_streaming(1, 32, 32) == Cycles(1));
}

TEST_CASE("array timing: a half-filled INT8 block takes as long as a full one") {
  CHECK(ArrayTiming().int8_streaming(1024, 1, 1) == Cycles(1024));
}

TEST_CASE("array timing: an INT8 block larger than the array takes a cycle per fold") {
  CHECK(ArrayTiming{16, 8}.int8_streaming(1024, 32, 32) == Cycles(2048));
  CHECK(ArrayTiming{32, 4}.int8_streaming(1024, 32, 32) == Cycles(2048));
  CHECK(ArrayTiming{16, 4}.int8_streaming(1024, 32, 32) == Cycles(4096));
  CHECK(ArrayTiming{64, 8}.int8_streaming(1024, 32, 32) == Cycles(1024));
}

TEST_CASE("array timing: filling and draining an INT8 block takes rows + columns cycles") {
  CHECK(ArrayTiming().int8_fill_and_drain(32, 32) == Cycles(40));
  CHECK(ArrayTiming{16, 8}.int8_fill_and_drain(32, 32) == Cycles(2 * 24));  // two folds
  CHECK(ArrayTiming{32, 4}.int8_fill_and_drain(32, 32) == Cycles(2 * 36));
  CHECK(ArrayTiming{64, 8}.int8_fill_and_drain(32, 32) == Cycles(72));
}

TEST_CASE("array timing: a visible weight preload adds rows - 2 cycles") {
  CHECK(ArrayTiming{32, 8, WeightPreload::visible}.int8_fill_and_drain(32, 32) == Cycles(70));
}
