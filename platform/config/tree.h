#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platform/config/error.h"
#include "platform/config/path.h"

namespace eva::config {

/// A configuration as it was written: nothing is interpreted yet, and every node knows its origin.
/// Maps keep the order of their keys.
class Tree {
 public:
  enum class Kind { null, scalar, list, map };
  struct Entry;

  static Tree null(Origin origin);
  /// `quoted` scalars are text whatever they look like.
  static Tree scalar(std::string text, bool quoted, Origin origin);
  static Tree list(Origin origin);
  static Tree map(Origin origin);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Of a value in a map: the line of its key.
  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_quoted() const { return quoted_; }
  [[nodiscard]] const std::vector<Tree>& items() const { return items_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

  /// The node one step below; null pointer when there is none.
  [[nodiscard]] const Tree* child(const PathStep& step) const;
  [[nodiscard]] Tree* child(const PathStep& step);

  /// The node at a path such as "chip.dram" or "layers[2].tokens"; null pointer when there is none.
  [[nodiscard]] const Tree* find(std::string_view path) const;
  [[nodiscard]] bool has(std::string_view path) const { return find(path) != nullptr; }
  /// The origin to name in an error about `path`: that of its node or, when the key was left to its
  /// default, of the nearest map or list around it.
  [[nodiscard]] const Origin& origin_of(std::string_view path) const;

  /// Adds an item to a list.
  void append(Tree item);
  /// Adds a key to a map, or replaces its value.
  void put(const std::string& key, Tree value);

 private:
  Tree(Kind kind, Origin origin);

  Kind kind_;
  Origin origin_;
  std::string text_;
  bool quoted_ = false;
  std::vector<Tree> items_;
  std::vector<Entry> entries_;
};

struct Tree::Entry {
  std::string key;
  Tree value;
};

/// What a node holds, for messages: 'text', quoted text "text", a list, a map, nothing.
std::string description(const Tree& node);

}  // namespace eva::config
