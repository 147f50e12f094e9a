#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <systemc>

#include "base/units.h"

namespace eva {

/// Who owns which part of a buffer that is used as a ring: a producer reserves and fills bytes in
/// order, a consumer uses and releases them in order. With room for two tiles this is a double
/// buffer; with room for more it prefetches further ahead.
///
/// Positions count bytes from the start of the run; a position modulo the capacity is the address.
class RingSpace {
 public:
  RingSpace(const std::string& name, Bytes capacity)
      : name_(name), capacity_(capacity), changed_((name + "_changed").c_str()) {}

  [[nodiscard]] bool has_space(Bytes bytes) const {
    return reserved_ + bytes.count() - released_ <= capacity_.count();
  }
  [[nodiscard]] bool has_filled(Bytes bytes) const { return filled_ - used_ >= bytes.count(); }

  [[nodiscard]] Bytes free() const { return capacity_ - occupied(); }
  /// Blocks until any byte is free.
  void wait_for_space() {
    while (free() == Bytes())
      sc_core::wait(changed_);
  }

  /// Blocks until `bytes` are free, takes them and returns the position of the first one.
  /// Throws std::logic_error when the ring could never hold them.
  std::uint64_t reserve(Bytes bytes) {
    require_possible(bytes);
    while (!has_space(bytes))
      sc_core::wait(changed_);
    const std::uint64_t position = reserved_;
    reserved_ += bytes.count();
    peak_ = std::max(peak_, reserved_ - released_);
    return position;
  }
  /// The next `bytes` of what was reserved are valid now.
  void fill(Bytes bytes) {
    filled_ += bytes.count();
    changed_.notify(sc_core::SC_ZERO_TIME);
  }
  /// Blocks until `bytes` beyond what was used are filled; returns their position and counts them
  /// as used. They stay owned until they are released.
  std::uint64_t use(Bytes bytes) {
    require_possible(bytes);
    while (!has_filled(bytes))
      sc_core::wait(changed_);
    const std::uint64_t position = used_;
    used_ += bytes.count();
    return position;
  }
  void release(Bytes bytes) {
    released_ += bytes.count();
    changed_.notify(sc_core::SC_ZERO_TIME);
  }

  /// Empties the ring; the peak stays.
  void clear() {
    reserved_ = filled_ = used_ = released_ = 0;
    changed_.notify(sc_core::SC_ZERO_TIME);
  }

  [[nodiscard]] Bytes capacity() const { return capacity_; }
  [[nodiscard]] Bytes peak() const { return Bytes(peak_); }
  [[nodiscard]] Bytes occupied() const { return Bytes(reserved_ - released_); }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void require_possible(Bytes bytes) const {
    if (bytes > capacity_) {
      throw std::logic_error(name_ + ": " + std::to_string(bytes.count()) +
                             " bytes can never fit into " + std::to_string(capacity_.count()));
    }
  }

  std::string name_;
  Bytes capacity_;
  std::uint64_t reserved_ = 0;
  std::uint64_t filled_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t released_ = 0;
  std::uint64_t peak_ = 0;
  sc_core::sc_event changed_;
};

}  // namespace eva
