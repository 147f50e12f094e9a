#include "dram/sparse_memory.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

using eva::SparseMemory;

namespace {

std::string text_at(const SparseMemory& memory, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '?');
  memory.read(offset, text.data(), bytes);
  return text;
}

}  // namespace

TEST_CASE("sparse memory: what was never written reads as 0 and takes no page") {
  SparseMemory memory;
  CHECK(text_at(memory, 12345, 3) == std::string(3, '\0'));
  CHECK(memory.allocated_pages() == 0);
}

TEST_CASE("sparse memory: the rest of a written page reads as 0") {
  SparseMemory memory;
  memory.write(100, "abc", 3);
  CHECK(text_at(memory, 99, 5) == std::string("\0abc\0", 5));
  CHECK(memory.allocated_pages() == 1);
}

TEST_CASE("sparse memory: an access may cross pages") {
  SparseMemory memory;
  memory.write(65536 - 2, "abcd", 4);
  CHECK(text_at(memory, 65536 - 2, 4) == "abcd");
  CHECK(text_at(memory, 65536, 2) == "cd");
  CHECK(memory.allocated_pages() == 2);
}

TEST_CASE("sparse memory: an access may cover whole pages, of which some were never written") {
  SparseMemory memory;
  memory.write(0, "a", 1);
  memory.write(196608, "b", 1);
  std::vector<char> data(196609, '?');
  memory.read(0, data.data(), data.size());
  CHECK(data.front() == 'a');
  CHECK(data.back() == 'b');
  CHECK(std::count(data.begin(), data.end(), '\0') == 196607);
  CHECK(memory.allocated_pages() == 2);
}

TEST_CASE("sparse memory: offsets beyond 4 GiB do not alias lower ones") {
  SparseMemory memory;
  memory.write(0x140000000, "5 GiB", 5);
  memory.write(0x40000000, "1 GiB", 5);
  CHECK(text_at(memory, 0x140000000, 5) == "5 GiB");
  CHECK(text_at(memory, 0x40000000, 5) == "1 GiB");
}

TEST_CASE("sparse memory: an access of no bytes changes nothing") {
  SparseMemory memory;
  memory.write(0, "", 0);
  CHECK(memory.allocated_pages() == 0);
}
