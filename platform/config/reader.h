#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/parameters.h"
#include "platform/config/tree.h"

namespace eva::config {

/// Reads a parameter struct from a tree, strictly: a key that the tree lacks keeps its default, and
/// everything else is either the documented form or a ConfigError with the key's full path, what
/// was found, what was expected and the key's meaning.
///
///   integer   plain decimal digits in range; "0x..." too where the key ends in "_address"
///   number    a finite decimal in range, in any locale
///   boolean   true or false
///   text      a plain or quoted scalar; for all others quotes make a text, thus an error
///   choice    one of the names, exactly
///
/// A key without a value is an error, as is a key that the struct does not visit.
class TreeReader : public ParameterVisitor {
 public:
  /// `tree` must outlive the reader. Throws ConfigError when it is not a map.
  explicit TreeReader(const Tree& tree);

  void integer(const char* key, std::uint64_t& value, IntegerRange range,
               const char* meaning) override;
  void number(const char* key, double& value, double minimum, double maximum,
              const char* meaning) override;
  void boolean(const char* key, bool& value, const char* meaning) override;
  void text(const char* key, std::string& value, const char* meaning) override;
  void choice(const char* key, std::size_t& value, const std::vector<const char*>& names,
              const char* meaning) override;
  void begin_group(const char* key, const char* meaning) override;
  void end_group() override;
  std::size_t begin_list(const char* key, std::size_t current, const char* meaning) override;
  void begin_item(std::size_t index) override;
  void end_item() override;
  void end_list() override;

  /// To be called after the struct's visit: throws ConfigError for unknown keys of the top level.
  /// Those of groups and items are found when these end.
  void finish() const;

 private:
  /// The map or list that is being visited; no node where the tree lacks it.
  struct Scope {
    const Tree* node;
    std::string path;
    std::vector<std::string> known_keys;
  };

  /// A key with what its value must be, for messages.
  struct Requirement {
    const char* key;
    std::string form;
    const char* meaning;
  };

  /// The node of a key of the current map; null pointer when it is not there. Notes the key as
  /// known.
  const Tree* take(const Requirement& required);
  const Tree* take(const Requirement& required, Tree::Kind kind);
  [[noreturn]] void refuse(const Tree& node, const Requirement& required,
                           const std::string& problem, const std::string& hint = "") const;
  static void check_keys(const Scope& map);
  void leave_map();

  std::vector<Scope> scopes_;
};

/// The struct that `tree` describes, with `defaults` for the keys that it lacks. `Struct` has a
/// `visit(ParameterVisitor&)`. Throws ConfigError, see TreeReader.
template <class Struct>
Struct read(const Tree& tree, Struct defaults = {}) {
  TreeReader reader(tree);
  defaults.visit(reader);
  reader.finish();
  return defaults;
}

}  // namespace eva::config
