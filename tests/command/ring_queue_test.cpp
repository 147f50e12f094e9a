#include "command/ring_queue.h"

#include <catch2/catch.hpp>
#include <cstdint>

using eva::RingQueue;

namespace {

RingQueue ring_of(std::uint32_t size) {
  RingQueue queue;
  queue.configure(size);
  return queue;
}

/// Fetches and completes the next descriptor; returns its slot.
std::uint32_t execute_one(RingQueue& queue) {
  const std::uint32_t slot = queue.fetch_slot();
  queue.fetch();
  queue.complete();
  return slot;
}

}  // namespace

TEST_CASE("ring queue: one that is not configured takes no tail") {
  RingQueue queue;
  CHECK_FALSE(queue.configured());
  CHECK_FALSE(queue.post(0));
  CHECK_FALSE(queue.post(1));
  CHECK(queue.to_fetch() == 0);
  CHECK_FALSE(queue.busy());
}

TEST_CASE("ring queue: configured, it is empty") {
  const RingQueue queue = ring_of(256);
  CHECK(queue.configured());
  CHECK(queue.size() == 256);
  CHECK(queue.head() == 0);
  CHECK(queue.tail() == 0);
  CHECK(queue.to_fetch() == 0);
  CHECK_FALSE(queue.busy());
}

TEST_CASE("ring queue: 10 000 descriptors in random batches are each executed once, in order") {
  for (const std::uint32_t size : {1U, 2U, 3U, 256U, 65536U}) {
    CAPTURE(size);
    RingQueue queue = ring_of(size);
    std::uint64_t state = size;
    std::uint32_t posted = 0;
    std::uint32_t executed = 0;
    std::uint32_t out_of_order = 0;
    while (executed < 10'000) {
      state = state * 6364136223846793005 + 1442695040888963407;
      const auto random = static_cast<std::uint32_t>(state >> 33);
      const std::uint32_t room = size - (posted - executed);
      posted += random % (room + 1);
      REQUIRE(queue.post(posted % (2 * size)));
      REQUIRE(queue.to_fetch() == posted - executed);
      for (std::uint32_t n = random / 7 % (posted - executed + 1); n > 0; --n) {
        if (execute_one(queue) != executed % size) ++out_of_order;
        ++executed;
      }
    }
    CHECK(out_of_order == 0);
    CHECK(queue.head() == executed % (2 * size));
    CHECK(queue.to_fetch() == posted - executed);
  }
}

TEST_CASE("ring queue: an exactly full ring is not an empty one") {
  for (const std::uint32_t size : {1U, 2U, 3U, 256U, 65536U}) {
    CAPTURE(size);
    RingQueue queue = ring_of(size);
    REQUIRE(queue.post(size));
    CHECK(queue.busy());
    CHECK(queue.to_fetch() == size);
    for (std::uint32_t i = 0; i < size; ++i)
      execute_one(queue);
    CHECK_FALSE(queue.busy());
    CHECK(queue.to_fetch() == 0);
    CHECK(queue.head() == size);
  }
}

TEST_CASE("ring queue: head, tail and slot wrap round at their own bounds") {
  RingQueue queue = ring_of(3);
  REQUIRE(queue.post(3));
  CHECK(execute_one(queue) == 0);
  CHECK(execute_one(queue) == 1);
  CHECK(execute_one(queue) == 2);
  REQUIRE(queue.post(0));
  CHECK(queue.to_fetch() == 3);
  CHECK(execute_one(queue) == 0);
  CHECK(execute_one(queue) == 1);
  CHECK(execute_one(queue) == 2);
  CHECK(queue.head() == 0);
}

TEST_CASE("ring queue: posting the same tail again posts nothing") {
  RingQueue queue = ring_of(4);
  CHECK(queue.post(0));
  CHECK(queue.post(2));
  CHECK(queue.post(2));
  CHECK(queue.to_fetch() == 2);
}

TEST_CASE("ring queue: a tail outside the ring is refused") {
  RingQueue queue = ring_of(3);
  CHECK_FALSE(queue.post(6));
  CHECK_FALSE(queue.post(7));
  CHECK_FALSE(queue.post(0xFFFFFFFF));
  CHECK(queue.tail() == 0);
}

TEST_CASE("ring queue: a tail beyond a full ring is refused") {
  RingQueue queue = ring_of(3);
  CHECK_FALSE(queue.post(4));
  CHECK_FALSE(queue.post(5));
  REQUIRE(queue.post(2));
  CHECK_FALSE(queue.post(4));
  CHECK(queue.tail() == 2);
  CHECK(queue.post(3));
}

TEST_CASE("ring queue: a tail that moves back is refused") {
  RingQueue queue = ring_of(4);
  REQUIRE(queue.post(3));
  CHECK_FALSE(queue.post(2));
  CHECK_FALSE(queue.post(0));
  execute_one(queue);
  CHECK_FALSE(queue.post(2));
  CHECK(queue.tail() == 3);
  CHECK(queue.to_fetch() == 2);
}

TEST_CASE("ring queue: room comes from completion, not from fetching") {
  RingQueue queue = ring_of(2);
  REQUIRE(queue.post(2));
  queue.fetch();
  queue.fetch();
  CHECK(queue.to_fetch() == 0);
  CHECK(queue.busy());
  CHECK_FALSE(queue.post(3));
  queue.complete();
  CHECK(queue.post(3));
}

TEST_CASE("ring queue: configuring it again empties it") {
  RingQueue queue = ring_of(4);
  REQUIRE(queue.post(3));
  queue.fetch();
  queue.configure(8);
  CHECK(queue.size() == 8);
  CHECK(queue.head() == 0);
  CHECK(queue.tail() == 0);
  CHECK(queue.fetched() == 0);
  CHECK_FALSE(queue.busy());
}
