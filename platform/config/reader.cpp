#include "platform/config/reader.h"

#include <algorithm>

#include "platform/config/scalars.h"
#include "platform/config/suggestion.h"

namespace eva::config {

namespace {

/// "did you mean 'channels'? ", or nothing where no name is near.
std::string did_you_mean(const std::string& written, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(written, names);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'? ";
}

bool is_plain(const Tree& node) {
  return node.kind() == Tree::Kind::scalar && !node.is_quoted();
}

std::string range_text(const std::string& minimum, const std::string& maximum) {
  return " from " + minimum + " to " + maximum;
}

}  // namespace

TreeReader::TreeReader(const Tree& tree) : scopes_{{&tree, "", {}}} {
  if (tree.kind() != Tree::Kind::map) {
    throw ConfigError(tree.origin(), "", description(tree) + " is not a map",
                      "expected a map of keys");
  }
}

void TreeReader::integer(const char* key, std::uint64_t& value, IntegerRange range,
                         const char* meaning) {
  const Radix radix = radix_of(key);
  const bool is_address = radix == Radix::hexadecimal;
  const Requirement required{
      key,
      (is_address ? "an address" : "an integer") +
          range_text(format_integer(range.minimum, radix), format_integer(range.maximum, radix)),
      meaning};
  const Tree* const node = take(required);
  if (node == nullptr) {
    return;
  }
  std::uint64_t found = 0;
  const Conversion conversion =
      is_plain(*node) ? parse_integer(node->text(), radix, found) : Conversion::malformed;
  if (conversion == Conversion::malformed) {
    refuse(*node, required,
           description(*node) + " is not an integer in " +
               (is_address ? "hexadecimal (0x...) or decimal digits" : "plain decimal digits"));
  }
  if (conversion == Conversion::out_of_range || found < range.minimum || found > range.maximum) {
    refuse(*node, required, abbreviated(node->text()) + " is out of range");
  }
  value = found;
}

void TreeReader::number(const char* key, double& value, double minimum, double maximum,
                        const char* meaning) {
  const Requirement required{
      key, "a number" + range_text(format_number(minimum), format_number(maximum)), meaning};
  const Tree* const node = take(required);
  if (node == nullptr) {
    return;
  }
  double found = 0;
  const Conversion conversion =
      is_plain(*node) ? parse_number(node->text(), found) : Conversion::malformed;
  if (conversion == Conversion::malformed) {
    refuse(*node, required, description(*node) + " is not a finite decimal number");
  }
  if (conversion == Conversion::out_of_range) {
    refuse(*node, required, abbreviated(node->text()) + " is beyond what a double can hold");
  }
  if (found < minimum || found > maximum) {
    refuse(*node, required, abbreviated(node->text()) + " is out of range");
  }
  value = found;
}

void TreeReader::boolean(const char* key, bool& value, const char* meaning) {
  const Requirement required{key, "true or false", meaning};
  const Tree* const node = take(required);
  if (node == nullptr) {
    return;
  }
  if (!is_plain(*node) || (node->text() != "true" && node->text() != "false")) {
    refuse(*node, required, description(*node) + " is not a boolean");
  }
  value = node->text() == "true";
}

void TreeReader::text(const char* key, std::string& value, const char* meaning) {
  if (const Tree* const node = take({key, "text", meaning}, Tree::Kind::scalar)) {
    value = node->text();
  }
}

void TreeReader::choice(const char* key, std::size_t& value, const std::vector<const char*>& names,
                        const char* meaning) {
  const std::vector<std::string> choices(names.begin(), names.end());
  const Requirement required{key, "one of " + comma_separated(choices), meaning};
  const Tree* const node = take(required, Tree::Kind::scalar);
  if (node == nullptr) {
    return;
  }
  const auto found = std::find(choices.begin(), choices.end(), node->text());
  if (found == choices.end()) {
    refuse(*node, required, description(*node) + " is not a choice",
           did_you_mean(abbreviated(node->text()), choices));
  }
  value = static_cast<std::size_t>(found - choices.begin());
}

void TreeReader::begin_group(const char* key, const char* meaning) {
  const Tree* const node = take({key, "a map", meaning}, Tree::Kind::map);
  scopes_.push_back({node, join(scopes_.back().path, key), {}});
}

void TreeReader::end_group() {
  leave_map();
}

std::size_t TreeReader::begin_list(const char* key, std::size_t current, const char* meaning) {
  const Tree* const node = take({key, "a list", meaning}, Tree::Kind::list);
  scopes_.push_back({node, join(scopes_.back().path, key), {}});
  return node == nullptr ? current : node->items().size();
}

void TreeReader::begin_item(std::size_t index) {
  const Scope& list = scopes_.back();
  const std::string path = join(list.path, index);
  const Tree* const node = list.node == nullptr ? nullptr : list.node->child(index);
  if (node != nullptr && node->kind() != Tree::Kind::map) {
    throw ConfigError(node->origin(), path, description(*node) + " is not a map",
                      "expected a map of keys");
  }
  scopes_.push_back({node, path, {}});
}

void TreeReader::end_item() {
  leave_map();
}

void TreeReader::end_list() {
  scopes_.pop_back();
}

void TreeReader::finish() const {
  check_keys(scopes_.front());
}

const Tree* TreeReader::take(const Requirement& required) {
  Scope& scope = scopes_.back();
  scope.known_keys.emplace_back(required.key);
  const Tree* const node = scope.node == nullptr ? nullptr : scope.node->child(required.key);
  if (node != nullptr && node->kind() == Tree::Kind::null) {
    refuse(*node, required, "has no value");
  }
  return node;
}

const Tree* TreeReader::take(const Requirement& required, Tree::Kind kind) {
  const Tree* const node = take(required);
  if (node != nullptr && node->kind() != kind) {
    refuse(*node, required, "found " + description(*node));
  }
  return node;
}

void TreeReader::refuse(const Tree& node, const Requirement& required, const std::string& problem,
                        const std::string& hint) const {
  throw ConfigError(node.origin(), join(scopes_.back().path, required.key), problem,
                    hint + "expected " + required.form + " (" + required.meaning + ")");
}

void TreeReader::check_keys(const Scope& map) {
  if (map.node == nullptr) {
    return;
  }
  const std::vector<std::string>& known = map.known_keys;
  for (const Tree::Entry& entry : map.node->entries()) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      const std::string key = abbreviated(entry.key);
      throw ConfigError(entry.value.origin(), join(map.path, key), "unknown key '" + key + "'",
                        did_you_mean(key, known) + "known keys: " + comma_separated(known));
    }
  }
}

void TreeReader::leave_map() {
  check_keys(scopes_.back());
  scopes_.pop_back();
}

}  // namespace eva::config
