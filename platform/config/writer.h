#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/parameters.h"

namespace eva::config {

/// Writes a parameter struct as YAML in canonical form: one key a line in the order of the visit,
/// two spaces of indentation, numbers in their shortest exact form, text in quotes only where
/// needed, keys ending in "_address" in hexadecimal. Reading the text gives the struct back. Throws
/// std::invalid_argument, naming the key, for what YAML or the reader cannot hold: a number that is
/// not finite, a choice without a name, text that is not UTF-8.
class TreeWriter : public ParameterVisitor {
 public:
  /// `with_comments`: each key's meaning follows it as a comment.
  explicit TreeWriter(bool with_comments = false) : with_comments_(with_comments) {}

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

  /// The whole text, after the struct's visit.
  [[nodiscard]] std::string yaml() const;

 private:
  /// Where a group's or list's line of its own ended, to write "{}" or "[]" if nothing follows.
  struct Opening {
    std::size_t after_colon;
    std::size_t line_end;
  };

  void write_line(const std::string& key_and_value, const char* meaning);
  void open(const char* key, const char* meaning);
  void close(const char* if_empty);

  bool with_comments_;
  bool after_dash_ = false;
  std::size_t depth_ = 0;
  std::string yaml_;
  std::vector<Opening> openings_;
};

/// The YAML text of a struct that has a `visit(ParameterVisitor&)`; see TreeWriter.
template <class Struct>
std::string write_yaml(Struct value, bool with_comments = false) {
  TreeWriter writer(with_comments);
  value.visit(writer);
  return writer.yaml();
}

}  // namespace eva::config
