#include "base/fifo.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <systemc>

#include "support/child_process.h"

using eva::Fifo;
using eva::Progress;
using eva::test::in_child_process;
using sc_core::SC_NS;

namespace {

/// "item@time "
std::string at_time(int item) {
  std::ostringstream text;
  text << item << '@' << sc_core::sc_time_stamp() << ' ';
  return text.str();
}

}  // namespace

TEST_CASE("fifo: two puts in one delta both arrive, in order") {
  const std::string seen = in_child_process([] {
    Fifo<int> fifo("fifo", 4);
    std::string log;
    sc_core::sc_spawn([&] {
      while (true)
        log += at_time(fifo.get());
    });
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      fifo.put(1);
      fifo.put(2);
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "1@10 ns 2@10 ns ");
}

TEST_CASE("fifo: an item put long before anybody waits is not lost") {
  const std::string seen = in_child_process([] {
    Fifo<int> fifo("fifo", 4);
    std::string log;
    sc_core::sc_spawn([&] { fifo.put(7); });
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      log += at_time(fifo.get());
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "7@10 ns ");
}

TEST_CASE("fifo: an item put in the delta in which the reader begins to wait is not lost") {
  // Whichever process runs first in that delta.
  for (const bool reader_first : {false, true}) {
    CAPTURE(reader_first);
    const std::string seen = in_child_process([reader_first] {
      Fifo<int> fifo("fifo", 4);
      std::string log;
      const auto write = [&] {
        sc_core::wait(10, SC_NS);
        fifo.put(7);
      };
      const auto read = [&] {
        sc_core::wait(10, SC_NS);
        log += at_time(fifo.get());
      };
      if (!reader_first) sc_core::sc_spawn(write);
      sc_core::sc_spawn(read);
      if (reader_first) sc_core::sc_spawn(write);
      sc_core::sc_start();
      return log;
    });
    CHECK(seen == "7@10 ns ");
  }
}

TEST_CASE("fifo: put blocks while the fifo is full") {
  const std::string seen = in_child_process([] {
    Fifo<int> fifo("fifo", 2);
    std::string log;
    sc_core::sc_spawn([&] {
      for (int item = 1; item <= 3; ++item) {
        fifo.put(item);
        log += at_time(item);
      }
    });
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      fifo.get();
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "1@0 s 2@0 s 3@10 ns ");
}

TEST_CASE("fifo: many items through a small fifo keep their order") {
  const std::string seen = in_child_process([] {
    Fifo<int> fifo("fifo", 3);
    int expected = 0;
    bool ordered = true;
    sc_core::sc_spawn([&] {
      for (int item = 0; item < 1000; ++item) {
        if (item % 7 == 0) sc_core::wait(1, SC_NS);
        fifo.put(item);
      }
    });
    sc_core::sc_spawn([&] {
      while (true) {
        ordered = ordered && fifo.get() == expected;
        if (++expected % 5 == 0) sc_core::wait(1, SC_NS);
      }
    });
    sc_core::sc_start();
    return std::to_string(expected) + (ordered ? " in order" : " out of order");
  });
  CHECK(seen == "1000 in order");
}

TEST_CASE("fifo: of two readers each gets one item") {
  const std::string seen = in_child_process([] {
    Fifo<int> fifo("fifo", 4);
    std::string log;
    const auto read_one = [&] { log += at_time(fifo.get()); };
    sc_core::sc_spawn(read_one);
    sc_core::sc_spawn(read_one);
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      fifo.put(1);
      fifo.put(2);
      fifo.put(3);
    });
    sc_core::sc_start();
    return log + "left " + std::to_string(fifo.size());
  });
  CHECK(seen == "1@10 ns 2@10 ns left 1");
}

TEST_CASE("fifo: clearing it forgets the items and lets a blocked writer go on") {
  const std::string seen = in_child_process([] {
    Fifo<int> fifo("fifo", 1);
    std::string log;
    sc_core::sc_spawn([&] {
      fifo.put(1);
      fifo.put(2);
      log += at_time(fifo.front());
    });
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      fifo.clear();
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "2@10 ns ");
}

TEST_CASE("fifo: it is full at its capacity and tells how many items it holds") {
  const std::string seen = in_child_process([] {
    Fifo<int> fifo("fifo", 2);
    std::ostringstream log;
    const auto look = [&] { log << fifo.size() << fifo.empty() << fifo.full() << ' '; };
    look();
    fifo.put(5);
    look();
    fifo.put(6);
    look();
    log << "of " << fifo.capacity() << " in " << fifo.name();
    return log.str();
  });
  CHECK(seen == "010 100 201 of 2 in fifo");
}

TEST_CASE("progress: a count that was reached before is not waited for") {
  const std::string seen = in_child_process([] {
    Progress progress("progress");
    std::string log;
    sc_core::sc_spawn([&] {
      progress.advance();
      progress.advance();
    });
    sc_core::sc_spawn([&] {
      sc_core::wait(10, SC_NS);
      progress.wait_for(0);
      progress.wait_for(2);
      log += at_time(2);
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "2@10 ns ");
}

TEST_CASE("progress: two advances in one delta count twice") {
  const std::string seen = in_child_process([] {
    Progress progress("progress");
    std::string log;
    sc_core::sc_spawn([&] {
      progress.wait_for(3);
      log += at_time(3);
    });
    sc_core::sc_spawn([&] {
      progress.advance();
      sc_core::wait(10, SC_NS);
      progress.advance();
      progress.advance();
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "3@10 ns ");
}

TEST_CASE("progress: every waiter wakes when its own count is reached") {
  const std::string seen = in_child_process([] {
    Progress progress("progress");
    std::string log;
    for (const int count : {2, 1}) {
      sc_core::sc_spawn([&, count] {
        progress.wait_for(static_cast<std::uint64_t>(count));
        log += at_time(count);
      });
    }
    sc_core::sc_spawn([&] {
      for (int i = 0; i < 2; ++i) {
        sc_core::wait(10, SC_NS);
        progress.advance();
      }
    });
    sc_core::sc_start();
    return log;
  });
  CHECK(seen == "1@10 ns 2@20 ns ");
}

TEST_CASE("progress: clearing it starts at 0 again") {
  const std::string seen = in_child_process([] {
    Progress progress("progress");
    progress.advance();
    progress.clear();
    return std::to_string(progress.count()) + (progress.reached(1) ? " reached" : " not reached");
  });
  CHECK(seen == "0 not reached");
}
