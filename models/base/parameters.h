#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace eva {

/// Inclusive range of an integer parameter.
struct IntegerRange {
  std::uint64_t minimum = 0;
  std::uint64_t maximum = UINT64_MAX;
};

/// What walks over a parameter struct: one `visit` per struct serves reading a file, writing the
/// resolved configuration and listing the keys, so that the three cannot drift apart.
///
/// A struct states each key with its range and its meaning (unit first where there is one). The
/// value that is passed in is the default; a reader replaces it when the file has the key.
class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;

  virtual void integer(const char* key, std::uint64_t& value, IntegerRange range,
                       const char* meaning) = 0;
  /// A finite real number in [minimum, maximum].
  virtual void number(const char* key, double& value, double minimum, double maximum,
                      const char* meaning) = 0;
  virtual void boolean(const char* key, bool& value, const char* meaning) = 0;
  virtual void text(const char* key, std::string& value, const char* meaning) = 0;
  /// `value` is an index into `names`.
  virtual void choice(const char* key, std::size_t& value, const std::vector<const char*>& names,
                      const char* meaning) = 0;

  /// Enters and leaves a nested map. Every begin has its end, also when the file lacks the key.
  virtual void begin_group(const char* key, const char* meaning) = 0;
  virtual void end_group() = 0;

  /// Enters a list; returns how many items it has (readers: from the file; others: `current`).
  virtual std::size_t begin_list(const char* key, std::size_t current, const char* meaning) = 0;
  virtual void begin_item(std::size_t index) = 0;
  virtual void end_item() = 0;
  virtual void end_list() = 0;
};

/// Visits an enumeration whose enumerators count from zero in the order of `names`.
template <class Enumeration>
void visit_choice(ParameterVisitor& visitor, const char* key, Enumeration& value,
                  const std::vector<const char*>& names, const char* meaning) {
  auto index = static_cast<std::size_t>(value);
  visitor.choice(key, index, names, meaning);
  value = static_cast<Enumeration>(index);
}

/// Visits a nested struct that has a `visit` of its own.
template <class Struct>
void visit_group(ParameterVisitor& visitor, const char* key, Struct& value, const char* meaning) {
  visitor.begin_group(key, meaning);
  value.visit(visitor);
  visitor.end_group();
}

/// Visits a list of structs; a reader resizes it to what the file has.
template <class Struct>
void visit_list(ParameterVisitor& visitor, const char* key, std::vector<Struct>& values,
                const char* meaning) {
  values.resize(visitor.begin_list(key, values.size(), meaning));
  for (std::size_t i = 0; i < values.size(); ++i) {
    visitor.begin_item(i);
    values[i].visit(visitor);
    visitor.end_item();
  }
  visitor.end_list();
}

}  // namespace eva
