#include "base/ring_space.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <systemc>

#include "support/child_process.h"

using eva::Bytes;
using eva::RingSpace;
using eva::test::in_child_process;
using sc_core::SC_NS;

namespace {

/// "position@time "
std::string at_time(std::uint64_t position) {
  std::ostringstream text;
  text << position << '@' << sc_core::sc_time_stamp() << ' ';
  return text.str();
}

}  // namespace

TEST_CASE("ring space: bytes are reserved in order") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::ostringstream log;
    log << ring.reserve(Bytes(30)) << ' ' << ring.reserve(Bytes(70)) << ' ' << ring.occupied();
    return log.str();
  });
  CHECK(seen == "0 30 100");
}

TEST_CASE("ring space: what is reserved can be used only once it is filled") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::ostringstream log;
    ring.reserve(Bytes(30));
    log << ring.has_filled(Bytes(30));
    ring.fill(Bytes(29));
    log << ring.has_filled(Bytes(30));
    ring.fill(Bytes(1));
    log << ring.has_filled(Bytes(30));
    return log.str();
  });
  CHECK(seen == "001");
}

TEST_CASE("ring space: what is used stays owned until it is released") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::ostringstream log;
    ring.reserve(Bytes(100));
    ring.fill(Bytes(100));
    log << ring.use(Bytes(60)) << ' ' << ring.has_space(Bytes(60));
    ring.release(Bytes(60));
    log << ' ' << ring.has_space(Bytes(60)) << ring.has_space(Bytes(61)) << ' ' << ring.occupied();
    return log.str();
  });
  CHECK(seen == "0 0 10 40");
}

TEST_CASE("ring space: positions go on counting when the ring wraps round") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::ostringstream log;
    for (int i = 0; i < 4; ++i) {
      log << ring.reserve(Bytes(60)) << '/';
      ring.fill(Bytes(60));
      log << ring.use(Bytes(60)) << ' ';
      ring.release(Bytes(60));
    }
    return log.str();
  });
  CHECK(seen == "0/0 60/60 120/120 180/180 ");
}

TEST_CASE("ring space: reserve blocks until enough is released") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::string log;
    sc_core::sc_spawn([&] {
      log += at_time(ring.reserve(Bytes(80)));
      log += at_time(ring.reserve(Bytes(50)));
    });
    sc_core::sc_spawn([&] {
      ring.fill(Bytes(80));
      ring.use(Bytes(80));
      for (int i = 0; i < 3; ++i) {
        sc_core::wait(10, SC_NS);
        ring.release(Bytes(20));
      }
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "0@0 s 80@20 ns ");
}

TEST_CASE("ring space: use blocks until enough is filled") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::string log;
    sc_core::sc_spawn([&] { log += at_time(ring.use(Bytes(40))); });
    sc_core::sc_spawn([&] {
      ring.reserve(Bytes(60));
      for (int i = 0; i < 3; ++i) {
        sc_core::wait(10, SC_NS);
        ring.fill(Bytes(20));
      }
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "0@20 ns ");
}

TEST_CASE("ring space: a fill before the consumer comes is not lost") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::string log;
    sc_core::sc_spawn([&] {
      ring.reserve(Bytes(40));
      ring.fill(Bytes(40));
    });
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      log += at_time(ring.use(Bytes(40)));
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "0@10 ns ");
}

TEST_CASE("ring space: the peak is the most that was ever owned") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    ring.reserve(Bytes(30));
    ring.reserve(Bytes(40));
    ring.release(Bytes(70));
    ring.reserve(Bytes(50));
    std::ostringstream log;
    log << ring.peak() << " of " << ring.capacity();
    return log.str();
  });
  CHECK(seen == "70 of 100");
}

TEST_CASE("ring space: reserving more than the capacity is refused, not waited for") {
  CHECK_THROWS_WITH(in_child_process([] {
                      RingSpace ring("weight", Bytes(8));
                      return std::to_string(ring.reserve(Bytes(9)));
                    }),
                    "weight: 9 bytes can never fit into 8");
}

TEST_CASE("ring space: using more than the capacity is refused, not waited for") {
  CHECK_THROWS_WITH(in_child_process([] {
                      RingSpace ring("weight", Bytes(8));
                      return std::to_string(ring.use(Bytes(9)));
                    }),
                    "weight: 9 bytes can never fit into 8");
}

TEST_CASE("ring space: clearing it frees everything and keeps the peak") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    ring.reserve(Bytes(80));
    ring.fill(Bytes(80));
    ring.use(Bytes(10));
    ring.clear();
    std::ostringstream log;
    log << ring.occupied() << ' ' << ring.has_filled(Bytes(1)) << ' ' << ring.peak() << ' '
        << ring.reserve(Bytes(100));
    return log.str();
  });
  CHECK(seen == "0 0 80 0");
}

TEST_CASE("ring space: clearing it lets a blocked producer go on") {
  const std::string seen = in_child_process([] {
    RingSpace ring("ring", Bytes(100));
    std::string log;
    ring.reserve(Bytes(100));
    sc_core::sc_spawn([&] { log += at_time(ring.reserve(Bytes(1))); });
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      ring.clear();
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "0@10 ns ");
}
