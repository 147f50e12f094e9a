#include "platform/config/parser.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/config/utf8.h"

namespace eva::config {

namespace {

/// The origin of a line, counted from 0 (negative: unknown), of a text that starts at `start`. A
/// text without lines of its own has one origin throughout.
Origin origin_at(const Origin& start, int line) {
  return line < 0 || start.line == 0 ? start : Origin{start.source, start.line + line};
}

/// Builds a tree straight from the parser's events: a YAML::Node would have lost anchors and
/// aliases, and which of two equal keys came first.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Origin start) : start_(std::move(start)) {}

  /// The one document; nothing when the text held none.
  std::optional<Tree> take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (root_) {
      throw ConfigError(origin_at(start_, mark.line), "", "a second YAML document or a stray line",
                        "expected one document, indented consistently");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (expects_key()) {
      refuse(mark, "a key without a name", "expected a key that is text");
    }
    // The parser marks an empty list item where the next token is: its list is nearer.
    const bool is_item = !open_.empty() && open_.back().node.kind() == Tree::Kind::list;
    add(Tree::null(is_item ? open_.back().node.origin() : origin_here(mark)));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    refuse_tag(mark, tag);
    if (!is_utf8(value)) {  // the parser turns "\N" and "\_" into bytes of Latin-1
      refuse(mark, "an escape that does not give UTF-8",
             "expected the character or \\u and its code");
    }
    if (expects_key()) {
      begin_entry(mark, value);
    } else {
      add(Tree::scalar(value, tag == kQuoted, origin_here(mark)));
    }
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    begin_collection(mark, tag, Tree::list(origin_here(mark)));
  }
  void OnSequenceEnd() override { end_collection(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    begin_collection(mark, tag, Tree::map(origin_here(mark)));
  }
  void OnMapEnd() override { end_collection(); }

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(mark, "anchor '&" + abbreviated(name) + "'", "expected values without anchors");
  }
  // Never reached through a good file: an alias needs its anchor. The parser still declares it.
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "an alias", "expected the value itself");
  }

 private:
  /// The tags that the parser reports for scalars which were written without one.
  static constexpr const char* kPlain = "?";
  static constexpr const char* kQuoted = "!";

  /// A list or map whose end is still to come, with the key that waits for its value.
  struct Open {
    Tree node;
    std::string path;
    std::optional<Tree::Entry> pending;  // its null value holds the key's origin
  };

  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().node.kind() == Tree::Kind::map && !open_.back().pending;
  }

  [[nodiscard]] Origin origin_here(const YAML::Mark& mark) const {
    return !open_.empty() && open_.back().pending ? open_.back().pending->value.origin()
                                                  : origin_at(start_, mark.line);
  }

  [[nodiscard]] std::string path_here() const {
    if (open_.empty()) {
      return "";
    }
    const Open& open = open_.back();
    if (open.node.kind() == Tree::Kind::list) {
      return join(open.path, open.node.items().size());
    }
    return open.pending ? join(open.path, open.pending->key) : open.path;
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& problem,
                           const std::string& remedy) const {
    throw ConfigError(origin_at(start_, mark.line), path_here(), problem, remedy);
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != kPlain && tag != kQuoted) {
      refuse(mark, "tag '" + abbreviated(tag) + "'", "expected values without tags");
    }
  }

  void begin_entry(const YAML::Mark& mark, const std::string& key) {
    Open& open = open_.back();
    if (key == "<<") {
      refuse(mark, "merge key '<<'", "expected the keys themselves");
    }
    if (const Tree* first = open.node.child(key)) {
      throw ConfigError(origin_at(start_, mark.line), join(open.path, key),
                        "duplicate key, first seen at " + to_string(first->origin()),
                        "expected each key once");
    }
    open.pending = Tree::Entry{key, Tree::null(origin_at(start_, mark.line))};
  }

  void begin_collection(const YAML::Mark& mark, const std::string& tag, Tree node) {
    refuse_tag(mark, tag);
    if (expects_key()) {
      refuse(mark, "a list or map as a key, or an open bracket", "expected a key that is text");
    }
    std::string path = path_here();
    open_.push_back({std::move(node), std::move(path), std::nullopt});
  }

  void end_collection() {
    Tree node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(Tree node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& open = open_.back();
    if (open.node.kind() == Tree::Kind::list) {
      open.node.append(std::move(node));
    } else {
      open.node.put(open.pending->key, std::move(node));
      open.pending.reset();
    }
  }

  Origin start_;
  std::vector<Open> open_;
  std::optional<Tree> root_;
};

/// Refuses what the YAML parser would drop without a word: it ends the input at byte 4, deletes a
/// carriage return inside a line, replaces broken UTF-8 and skips directives.
void check_characters(std::string_view text, const Origin& start) {
  int line = 0;
  bool at_line_start = true;
  while (!text.empty()) {
    const std::size_t length = utf8_character_length(text);
    if (length == 0) {
      throw ConfigError(origin_at(start, line), "", "not UTF-8", "expected text in UTF-8");
    }
    const auto character = static_cast<unsigned char>(text.front());
    const bool is_line_end = character == '\n' || text.substr(0, 2) == "\r\n";
    const bool is_control = character < 0x20 || character == 0x7f;
    if (is_control && !is_line_end && character != '\t') {
      throw ConfigError(origin_at(start, line), "", "a control character",
                        "expected text, with other characters as escapes in double quotes");
    }
    if (at_line_start && character == '%') {
      throw ConfigError(origin_at(start, line), "",
                        "a YAML directive or a line that begins with '%'",
                        "expected keys and values");
    }
    at_line_start = character == '\n';
    line += at_line_start ? 1 : 0;
    text.remove_prefix(length);
  }
}

std::optional<Tree> parse(const std::string& text, const Origin& start) {
  check_characters(text, start);
  // The parser takes a quoted scalar without its end for complete when a line break is all that
  // follows; a comment after the break makes it see the fault.
  const bool ends_line = !text.empty() && text.back() == '\n';
  std::istringstream stream(text + (ends_line ? "#" : "\n#"));
  TreeBuilder builder(start);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw ConfigError(origin_at(start, error.mark.line), "", "not valid YAML (" + error.msg + ")",
                      "expected keys and values");
  }
  return builder.take_root();
}

}  // namespace

Tree parse_yaml(const std::string& text, const std::string& source_name) {
  const Origin start{source_name, 1};
  std::optional<Tree> root = parse(text, start);
  if (!root || root->kind() == Tree::Kind::null) {
    throw ConfigError(start, "", "empty", "expected a map of keys at the top level");
  }
  if (root->kind() != Tree::Kind::map) {
    throw ConfigError(root->origin(), "", "the top level is " + description(*root),
                      "expected a map of keys");
  }
  return *std::move(root);
}

Tree parse_yaml_file(const std::string& path) {
  const Origin file{path, 0};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw ConfigError(file, "", "is a folder", "expected a YAML file");
  }
  if (!std::filesystem::exists(path, ignored)) {
    throw ConfigError(file, "", "no such file", "expected a YAML file");
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    throw ConfigError(file, "", "cannot be read", "expected a readable YAML file");
  }
  return parse_yaml(text, path);
}

Tree parse_yaml_value(const std::string& text, const Origin& origin) {
  std::optional<Tree> root = parse(text, origin);
  return root ? *std::move(root) : Tree::null(origin);
}

}  // namespace eva::config
