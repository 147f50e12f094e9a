#include "platform/config/tree.h"

#include <utility>

namespace eva::config {

Tree::Tree(Kind kind, Origin origin) : kind_(kind), origin_(std::move(origin)) {}

Tree Tree::null(Origin origin) {
  return {Kind::null, std::move(origin)};
}

Tree Tree::scalar(std::string text, bool quoted, Origin origin) {
  Tree node(Kind::scalar, std::move(origin));
  node.text_ = std::move(text);
  node.quoted_ = quoted;
  return node;
}

Tree Tree::list(Origin origin) {
  return {Kind::list, std::move(origin)};
}

Tree Tree::map(Origin origin) {
  return {Kind::map, std::move(origin)};
}

const Tree* Tree::child(const PathStep& step) const {
  if (const auto* index = std::get_if<std::size_t>(&step)) {
    return *index < items_.size() ? &items_[*index] : nullptr;
  }
  for (const Entry& entry : entries_) {
    if (entry.key == std::get<std::string>(step)) {
      return &entry.value;
    }
  }
  return nullptr;
}

Tree* Tree::child(const PathStep& step) {
  return const_cast<Tree*>(std::as_const(*this).child(step));
}

const Tree* Tree::find(std::string_view path) const {
  const auto steps = parse_path(path);
  if (!steps) {
    return nullptr;
  }
  const Tree* node = this;
  for (const PathStep& step : *steps) {
    node = node->child(step);
    if (node == nullptr) {
      return nullptr;
    }
  }
  return node;
}

const Origin& Tree::origin_of(std::string_view path) const {
  const Tree* node = this;
  for (const PathStep& step : parse_path(path).value_or(Path())) {
    const Tree* const next = node->child(step);
    if (next == nullptr) {
      break;
    }
    node = next;
  }
  return node->origin_;
}

void Tree::append(Tree item) {
  items_.push_back(std::move(item));
}

void Tree::put(const std::string& key, Tree value) {
  if (Tree* present = child(key)) {
    *present = std::move(value);
  } else {
    entries_.push_back({key, std::move(value)});
  }
}

std::string description(const Tree& node) {
  switch (node.kind()) {
    case Tree::Kind::scalar:
      return node.is_quoted() ? "quoted text \"" + abbreviated(node.text()) + "\""
                              : "'" + abbreviated(node.text()) + "'";
    case Tree::Kind::list:
      return "a list";
    case Tree::Kind::map:
      return "a map";
    case Tree::Kind::null:
      break;
  }
  return "nothing";
}

}  // namespace eva::config
