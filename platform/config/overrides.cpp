#include "platform/config/overrides.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "platform/config/parser.h"
#include "platform/config/path.h"

namespace eva::config {

namespace {

Tree parse_assigned_value(const std::string& text, const std::string& key, const Origin& origin) {
  Tree value = parse_yaml_value(text, origin);
  const bool is_flow_list =
      value.kind() == Tree::Kind::list && text.find_first_not_of(' ') == text.find('[');
  if (value.kind() == Tree::Kind::map || (value.kind() == Tree::Kind::list && !is_flow_list)) {
    throw ConfigError(origin, key, "the value is " + description(value),
                      "expected one value or a list in brackets (text with ': ' needs quotes)");
  }
  return value;
}

/// Throws unless `node` is of the kind that `step` can go below.
void check_step(const Tree& node, const std::string& path, const PathStep& step,
                const Origin& origin) {
  const bool by_index = std::holds_alternative<std::size_t>(step);
  const Tree::Kind needed = by_index ? Tree::Kind::list : Tree::Kind::map;
  if (node.kind() != needed) {
    throw ConfigError(origin, path,
                      "holds " + description(node) + " (" + to_string(node.origin()) + ")",
                      by_index ? "expected a list to index" : "expected a map to hold keys");
  }
  if (by_index && node.child(step) == nullptr) {
    throw ConfigError(origin, join(path, step), "beyond the end of the list",
                      "expected an index below " + std::to_string(node.items().size()));
  }
}

}  // namespace

void merge(Tree& base, const Tree& overrides) {
  if (base.kind() != Tree::Kind::map || overrides.kind() != Tree::Kind::map) {
    base = overrides;
    return;
  }
  for (const Tree::Entry& entry : overrides.entries()) {
    if (Tree* present = base.child(entry.key)) {
      merge(*present, entry.value);
    } else {
      base.put(entry.key, entry.value);
    }
  }
}

void set(Tree& tree, const std::string& assignment) {
  const Origin origin{"--set " + assignment, 0};
  const std::size_t equals = assignment.find('=');
  const std::string key = assignment.substr(0, equals);
  const std::optional<Path> path = parse_path(key);
  if (equals == std::string::npos || !path || path->empty()) {
    throw ConfigError(
        origin, "", "not an assignment",
        "expected KEY=VALUE with a key such as chip.dram.channels or layers[2].tokens");
  }
  Tree value = parse_assigned_value(assignment.substr(equals + 1), key, origin);

  Tree* node = &tree;
  std::string node_path;
  for (std::size_t i = 0; i < path->size(); ++i) {
    const PathStep& step = (*path)[i];
    check_step(*node, node_path, step, origin);
    if (node->child(step) == nullptr) {
      const bool key_follows =
          i + 1 < path->size() && std::holds_alternative<std::string>((*path)[i + 1]);
      node->put(std::get<std::string>(step), key_follows ? Tree::map(origin) : Tree::null(origin));
    }
    node = node->child(step);
    node_path = join(node_path, step);
  }
  *node = std::move(value);
}

}  // namespace eva::config
