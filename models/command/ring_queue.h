#pragma once

#include <cstdint>

namespace eva {

/// The indices of the descriptor ring. Head and tail count modulo twice the size, so that a full
/// ring differs from an empty one whatever the size.
class RingQueue {
 public:
  static constexpr std::uint32_t maximum_size = 65536;

  /// Empties the ring; `size` from 1 to maximum_size.
  void configure(std::uint32_t size) {
    size_ = size;
    head_ = tail_ = fetched_ = 0;
  }
  [[nodiscard]] bool configured() const { return size_ != 0; }

  /// Takes a new tail; false if it lies outside the ring, moves back or leaves more than `size`
  /// descriptors posted. A refused tail changes nothing.
  bool post(std::uint32_t tail) {
    if (!configured() || tail >= 2 * size_) return false;
    const std::uint32_t added = distance(tail_, tail);
    if (added > size_ - distance(head_, tail_)) return false;
    tail_ = tail;
    return true;
  }
  void fetch() { fetched_ = next(fetched_); }
  void complete() { head_ = next(head_); }

  [[nodiscard]] std::uint32_t head() const { return head_; }
  [[nodiscard]] std::uint32_t tail() const { return tail_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t fetched() const { return fetched_; }
  [[nodiscard]] std::uint32_t to_fetch() const { return distance(fetched_, tail_); }
  /// Slot in memory of the next descriptor to fetch.
  [[nodiscard]] std::uint32_t fetch_slot() const { return fetched_ % size_; }
  [[nodiscard]] bool busy() const { return head_ != tail_; }

 private:
  [[nodiscard]] std::uint32_t next(std::uint32_t index) const {
    return index + 1 == 2 * size_ ? 0 : index + 1;
  }
  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    return size_ == 0 ? 0 : (to + 2 * size_ - from) % (2 * size_);
  }

  std::uint32_t size_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t fetched_ = 0;
};

}  // namespace eva
