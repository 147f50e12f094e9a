#pragma once

#include <deque>
#include <string>
#include <systemc>
#include <utility>

namespace eva {

/// A bounded FIFO between two processes. Its state decides, events only wake whoever looks at it,
/// so that no notification can be lost.
template <class T>
class Fifo {
 public:
  Fifo(std::string name, std::size_t capacity)
      : name_(std::move(name)), capacity_(capacity), changed_((name_ + "_changed").c_str()) {}

  /// These block the calling process while the FIFO is full, or empty.
  void wait_for_room() {
    while (full())
      sc_core::wait(changed_);
  }
  void wait_for_item() {
    while (empty())
      sc_core::wait(changed_);
  }

  /// Blocks the calling process while the FIFO is full.
  void put(T item) {
    wait_for_room();
    items_.push_back(std::move(item));
    changed_.notify(sc_core::SC_ZERO_TIME);
  }
  /// Blocks the calling process while the FIFO is empty.
  T get() {
    wait_for_item();
    T item = std::move(items_.front());
    items_.pop_front();
    changed_.notify(sc_core::SC_ZERO_TIME);
    return item;
  }
  /// The oldest item; the FIFO must not be empty.
  [[nodiscard]] const T& front() const { return items_.front(); }

  void clear() {
    items_.clear();
    changed_.notify(sc_core::SC_ZERO_TIME);
  }

  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] bool full() const { return items_.size() >= capacity_; }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::size_t capacity_;
  std::deque<T> items_;
  sc_core::sc_event changed_;
};

/// A count that only grows, and that processes can wait for: "loads finished", "tiles finished".
class Progress {
 public:
  explicit Progress(const std::string& name) : changed_((name + "_changed").c_str()) {}

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool reached(std::uint64_t count) const { return count_ >= count; }
  void advance() {
    ++count_;
    changed_.notify(sc_core::SC_ZERO_TIME);
  }
  void wait_for(std::uint64_t count) {
    while (!reached(count))
      sc_core::wait(changed_);
  }
  void clear() { count_ = 0; }

 private:
  std::uint64_t count_ = 0;
  sc_core::sc_event changed_;
};

}  // namespace eva
