#include "base/event_record.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using eva::Activity;
using eva::Bytes;
using eva::Cycles;
using eva::EventListener;
using eva::EventLog;
using eva::EventRecord;
using eva::UnitTimeline;
using eva::WaitReason;

namespace {

/// A log whose records are kept.
struct Recorder : EventListener {
  Recorder() { log.add_listener(*this); }
  void on_event(const EventRecord& record) override { records.push_back(record); }

  std::uint64_t cycles(Activity activity) const {
    std::uint64_t sum = 0;
    for (const EventRecord& record : records) {
      if (record.activity == activity) sum += (record.end - record.begin).count();
    }
    return sum;
  }

  EventLog log;
  std::vector<EventRecord> records;
};

}  // namespace

TEST_CASE("unit timeline: entering an activity records the one that ends") {
  Recorder recorder;
  UnitTimeline timeline(recorder.log, "gemm");
  timeline.busy(Cycles(10), "codebook_product", {3, 1});
  timeline.stalled(Cycles(25), WaitReason::weights, {4, 1});
  timeline.close(Cycles(30));

  REQUIRE(recorder.records.size() == 3);
  const EventRecord& idle = recorder.records[0];
  CHECK(idle.activity == Activity::idle);
  CHECK(idle.reason == WaitReason::commands);
  CHECK(idle.begin == Cycles(0));
  CHECK(idle.end == Cycles(10));
  const EventRecord& busy = recorder.records[1];
  CHECK(busy.activity == Activity::busy);
  CHECK(std::string(busy.operation) == "codebook_product");
  CHECK(busy.reason == WaitReason::none);
  CHECK(busy.context.command == 3);
  CHECK(busy.context.layer == 1);
  CHECK(busy.begin == Cycles(10));
  CHECK(busy.end == Cycles(25));
  const EventRecord& stalled = recorder.records[2];
  CHECK(stalled.activity == Activity::stalled);
  CHECK(stalled.reason == WaitReason::weights);
  CHECK(stalled.context.command == 4);
  CHECK(stalled.end == Cycles(30));
}

TEST_CASE("unit timeline: busy, stalled and idle add up to the length of the run") {
  Recorder recorder;
  UnitTimeline timeline(recorder.log, "dma");
  std::uint64_t state = 1;
  Cycles now;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    now += Cycles((state >> 33) % 4);  // 0 as well: entered and left in the same cycle
    switch ((state >> 40) % 3) {
      case 0:
        timeline.idle(now);
        break;
      case 1:
        timeline.busy(now, "transfer", {});
        break;
      default:
        timeline.stalled(now, WaitReason::buffer_space, {});
    }
  }
  timeline.close(Cycles(5000));
  CHECK(recorder.cycles(Activity::idle) + recorder.cycles(Activity::busy) +
            recorder.cycles(Activity::stalled) ==
        5000);
}

TEST_CASE("unit timeline: an activity of no cycles and no work leaves no record") {
  Recorder recorder;
  UnitTimeline timeline(recorder.log, "gemm");
  timeline.busy(Cycles(10), "codebook_product", {});
  timeline.stalled(Cycles(10), WaitReason::weights, {});
  timeline.close(Cycles(12));
  REQUIRE(recorder.records.size() == 2);
  CHECK(recorder.records[0].activity == Activity::idle);
  CHECK(recorder.records[1].activity == Activity::stalled);
}

TEST_CASE("unit timeline: work of no cycles is recorded") {
  Recorder recorder;
  UnitTimeline timeline(recorder.log, "vector");
  timeline.busy(Cycles(0), "scale", {});
  timeline.add_work(7);
  timeline.close(Cycles(0));
  REQUIRE(recorder.records.size() == 1);
  CHECK(recorder.records[0].work == 7);
}

TEST_CASE("unit timeline: work and bytes belong to the operation that is going on") {
  Recorder recorder;
  UnitTimeline timeline(recorder.log, "dma");
  timeline.busy(Cycles(0), "transfer", {0});
  timeline.add_work(100);
  timeline.add_work(20);
  timeline.add_bytes_read(Bytes(64));
  timeline.busy(Cycles(5), "transfer", {1});
  timeline.add_bytes_written(Bytes(32));
  timeline.close(Cycles(9));
  REQUIRE(recorder.records.size() == 2);
  CHECK(recorder.records[0].work == 120);
  CHECK(recorder.records[0].bytes_read == Bytes(64));
  CHECK(recorder.records[0].bytes_written == Bytes(0));
  CHECK(recorder.records[1].work == 0);
  CHECK(recorder.records[1].bytes_read == Bytes(0));
  CHECK(recorder.records[1].bytes_written == Bytes(32));
}

TEST_CASE("unit timeline: time that runs backwards is refused by name and cycle") {
  Recorder recorder;
  UnitTimeline timeline(recorder.log, "epilogue");
  timeline.busy(Cycles(10), "look_up", {});
  CHECK_THROWS_AS(timeline.idle(Cycles(9)), std::logic_error);
  CHECK_THROWS_WITH(timeline.idle(Cycles(9)), "epilogue: time runs backwards from cycle 10 to 9");
}

TEST_CASE("event log: units are numbered in the order of their registration") {
  Recorder recorder;
  UnitTimeline first(recorder.log, "gemm");
  UnitTimeline second(recorder.log, "epilogue");
  second.close(Cycles(1));
  REQUIRE(recorder.records.size() == 1);
  CHECK(recorder.records[0].unit == 1);
  CHECK(recorder.log.unit_names() == std::vector<std::string>{"gemm", "epilogue"});
}

TEST_CASE("event log: every listener hears every record") {
  Recorder recorder;
  struct Counter : EventListener {
    void on_event(const EventRecord&) override { ++count; }
    int count = 0;
  } counter;
  recorder.log.add_listener(counter);
  UnitTimeline timeline(recorder.log, "gemm");
  timeline.close(Cycles(1));
  CHECK(recorder.records.size() == 1);
  CHECK(counter.count == 1);
}

TEST_CASE("wait reason: each has a name of its own") {
  const std::array<std::string, 11> names = {
      "none",       "commands",        "activations",  "codebook",         "weights",
      "scales",     "output_codebook", "buffer_space", "earlier_commands", "interrupt",
      "accumulator"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(eva::name_of(static_cast<WaitReason>(i)) == names[i]);
  }
}
