#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <string>
#include <vector>

#include "models/base/parameters.h"
#include "platform/config/error.h"
#include "platform/config/overrides.h"
#include "platform/config/parser.h"
#include "platform/config/reader.h"
#include "platform/config/tree.h"
#include "platform/config/writer.h"

using eva::ParameterVisitor;
using eva::config::ConfigError;
using eva::config::merge;
using eva::config::Origin;
using eva::config::parse_yaml;
using eva::config::parse_yaml_file;
using eva::config::read;
using eva::config::set;
using eva::config::Tree;
using eva::config::write_yaml;

namespace {

enum class Kind { ddr3, lpddr4, off };

struct Dram {
  std::uint64_t channels = 2;
  double energy_pj = 1.5;
  Kind kind = Kind::ddr3;
  bool refresh = true;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("channels", channels, {1, 16}, "channels of the memory");
    visitor.number("energy_pj", energy_pj, 0, 1000, "pJ per bit");
    eva::visit_choice(visitor, "kind", kind, {"ddr3", "lpddr4", "off"}, "standard");
    visitor.boolean("refresh", refresh, "whether rows are refreshed");
  }
};

struct Layer {
  std::uint64_t tokens = 1;

  void visit(ParameterVisitor& visitor) {
    visitor.integer("tokens", tokens, {0, UINT64_MAX}, "tokens in flight");
  }
};

struct Nothing {
  void visit(ParameterVisitor& /*visitor*/) {}
};

struct Chip {
  std::string name = "eva";
  std::uint64_t base_address = 0x80000000;
  Dram dram;
  std::vector<Layer> layers;

  void visit(ParameterVisitor& visitor) {
    visitor.text("name", name, "label in reports");
    visitor.integer("base_address", base_address, {0, 0xffffffffff}, "first byte of the memory");
    eva::visit_group(visitor, "dram", dram, "external memory");
    eva::visit_list(visitor, "layers", layers, "layers to run");
  }
};

template <class Struct>
Struct read_text(const std::string& text) {
  return read<Struct>(parse_yaml(text, "chip.yaml"));
}

/// The message of the ConfigError that `action` throws.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string parse_error(const std::string& text) {
  return error_of([&] { parse_yaml(text, "chip.yaml"); });
}

std::string read_error(const std::string& text) {
  return error_of([&] { read_text<Chip>(text); });
}

std::string set_error(const std::string& text, const std::string& assignment) {
  return error_of([&] {
    Tree tree = parse_yaml(text, "chip.yaml");
    set(tree, assignment);
    read<Chip>(tree);
  });
}

/// The error for `channels: WRITTEN`, without the part that is the same for all.
std::string channels_problem(const std::string& written) {
  const std::string prefix = "chip.yaml:2: dram.channels: ";
  const std::string suffix = "; expected an integer from 1 to 16 (channels of the memory)";
  std::string message = read_error("dram:\n  channels: " + written + "\n");
  if (message.size() < prefix.size() + suffix.size() ||
      message.compare(0, prefix.size(), prefix) != 0 ||
      message.compare(message.size() - suffix.size(), suffix.size(), suffix) != 0) {
    return message;
  }
  return message.substr(prefix.size(), message.size() - prefix.size() - suffix.size());
}

/// The error for `energy_pj: WRITTEN`, without the part that is the same for all.
std::string energy_problem(const std::string& written) {
  std::string message = read_error("dram: {energy_pj: " + written + "}");
  const std::string suffix = "; expected a number from 0 to 1000 (pJ per bit)";
  const std::string prefix = "chip.yaml:1: dram.energy_pj: ";
  REQUIRE(message.substr(0, prefix.size()) == prefix);
  REQUIRE(message.substr(message.size() - suffix.size()) == suffix);
  return message.substr(prefix.size(), message.size() - prefix.size() - suffix.size());
}

/// A folder that goes away with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() { REQUIRE(mkdtemp(path_.data()) != nullptr); }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "eva_config_test_XXXXXX";
};

/// Makes the process write 1234.5 as "1.234,5", as a German locale does, whether or not the system
/// has one installed.
class GermanLocale {
 public:
  GermanLocale() : previous_(std::locale::global(std::locale(std::locale(), new Punctuation))) {}
  ~GermanLocale() { std::locale::global(previous_); }
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;

 private:
  class Punctuation : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

  std::locale previous_;
};

}  // namespace

TEST_CASE("an origin prints as file and line, or as its source where there are no lines") {
  CHECK(to_string(Origin{"chips/eva.yaml", 12}) == "chips/eva.yaml:12");
  CHECK(to_string(Origin{"--set chip.clock_mhz=1", 0}) == "--set chip.clock_mhz=1");
}

TEST_CASE("an error is one line, whatever it quotes") {
  const ConfigError error({"a\nb.yaml", 3}, "chip.name", "a tab\tinside", "expected none");
  CHECK(std::string(error.what()) == "a\\nb.yaml:3: chip.name: a tab\\x09inside; expected none");
}

// Parsing

TEST_CASE("a map keeps the order of its keys and knows the line of each") {
  const Tree tree = parse_yaml("b: 1\n\na:\n  c:\n    - 4\n    - 5\n", "chip.yaml");
  REQUIRE(tree.entries().size() == 2);
  CHECK(tree.entries()[0].key == "b");
  CHECK(tree.entries()[1].key == "a");
  CHECK(to_string(tree.find("a")->origin()) == "chip.yaml:3");
  CHECK(to_string(tree.find("a.c")->origin()) == "chip.yaml:4");
  CHECK(tree.find("a.c[1]")->text() == "5");
  CHECK(to_string(tree.find("a.c[1]")->origin()) == "chip.yaml:6");
}

TEST_CASE("a path that leads nowhere finds nothing") {
  const Tree tree = parse_yaml("a: {b: [1]}", "chip.yaml");
  CHECK(tree.has("a.b[0]"));
  for (const char* path :
       {"c", "a.c", "a.b[1]", "a.b.c", "a[0]", "a.b[0].c", "a.", ".a", "a..b", "a.b[", "a.b[]",
        "a.b[x]", "a.b[-1]", "a.b[0]c", "[0]", "a.b[99999999999999999999]"}) {
    CAPTURE(path);
    CHECK_FALSE(tree.has(path));
  }
}

TEST_CASE("the origin of a key that was left out is that of the map around it") {
  const Tree tree = parse_yaml("chip:\n  dram:\n    channels: 4\n", "chip.yaml");
  CHECK(to_string(tree.origin_of("chip.dram.channels")) == "chip.yaml:3");
  CHECK(to_string(tree.origin_of("chip.dram.banks")) == "chip.yaml:2");
  CHECK(to_string(tree.origin_of("host.clock_mhz")) == "chip.yaml:1");
}

TEST_CASE("a duplicate key is an error that names both lines") {
  CHECK(parse_error("dram:\n  channels: 4\n  refresh: true\n  channels: 4\n") ==
        "chip.yaml:4: dram.channels: duplicate key, first seen at chip.yaml:2; "
        "expected each key once");
  CHECK(parse_error("layers:\n  - tokens: 1\n    \"tokens\": 2\n") ==
        "chip.yaml:3: layers[0].tokens: duplicate key, first seen at chip.yaml:2; "
        "expected each key once");
}

TEST_CASE("a syntax error names its line") {
  CHECK(parse_error("a: 1\nb: c: d\n") ==
        "chip.yaml:2: not valid YAML (illegal map value); expected keys and values");
  CHECK(parse_error("a: 1\nb: \"open\n") ==
        "chip.yaml:3: not valid YAML (illegal EOF in scalar); expected keys and values");
}

TEST_CASE("a quote or a bracket that is not closed is an error, also on the last line") {
  for (const char* text : {"a: \"b", "a: \"b\n", "a: 'b\n\n", "a: \"b\\\n", "a: [b\n", "a: {b: 1\n",
                           "a: [[[", "{a: 1", "a: [1, 2]]\n", "a: 1\n}\n"}) {
    CAPTURE(text);
    CHECK(parse_error(text).substr(0, 10) == "chip.yaml:");
  }
}

TEST_CASE("an empty file is an error") {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "~\n", "\xEF\xBB\xBF"}) {
    CAPTURE(text);
    CHECK(parse_error(text) == "chip.yaml:1: empty; expected a map of keys at the top level");
  }
}

TEST_CASE("a top level that is not a map is an error") {
  CHECK(parse_error("\n- a\n- b\n") ==
        "chip.yaml:2: the top level is a list; expected a map of keys");
  CHECK(parse_error("channels:4\n") ==
        "chip.yaml:1: the top level is 'channels:4'; expected a map of keys");
}

TEST_CASE("YAML that hides what a value is or where it comes from is refused") {
  CHECK(parse_error("a: 1\nb: &x 1\nc: *x\n") ==
        "chip.yaml:2: b: anchor '&x'; expected values without anchors");
  CHECK(parse_error("a:\n  <<: {b: 1}\n") ==
        "chip.yaml:2: a: merge key '<<'; expected the keys themselves");
  CHECK(parse_error("a: [1, !!str 2]\n") ==
        "chip.yaml:1: a[1]: tag 'tag:yaml.org,2002:str'; expected values without tags");
  CHECK(parse_error("a: 1\n---\nb: 2\n") ==
        "chip.yaml:2: a second YAML document or a stray line; "
        "expected one document, indented consistently");
  CHECK(parse_error("a: 1\n%TAG ! x\n") ==
        "chip.yaml:2: a YAML directive or a line that begins with '%'; expected keys and values");
  CHECK(parse_error("a: 1\n? [b]\n: 2\n") ==
        "chip.yaml:2: a list or map as a key, or an open bracket; expected a key that is text");
  CHECK(parse_error("a: 1\n: 2\n") ==
        "chip.yaml:2: a key without a name; expected a key that is text");
}

TEST_CASE("characters that the YAML parser would drop or break are refused") {
  CHECK(parse_error("a: 1\nb: 2\x04\nc: 3\n") ==
        "chip.yaml:2: a control character; "
        "expected text, with other characters as escapes in double quotes");
  CHECK(parse_error("a: 1\rb\n").substr(0, 32) == "chip.yaml:1: a control character");
  CHECK(parse_error(std::string("a: 1\0", 5)).substr(0, 32) == "chip.yaml:1: a control character");
  CHECK(parse_error("a: 1\nb: \xC0\xAF\n") == "chip.yaml:2: not UTF-8; expected text in UTF-8");
  CHECK(parse_error("a: \"\\N\"") ==
        "chip.yaml:1: a: an escape that does not give UTF-8; "
        "expected the character or \\u and its code");
}

TEST_CASE("line ends of Windows and a byte order mark are accepted") {
  const Chip chip = read_text<Chip>("\xEF\xBB\xBFname: a\r\ndram:\r\n  channels: 4\r\n");
  CHECK(chip.name == "a");
  CHECK(chip.dram.channels == 4);
}

TEST_CASE("nesting without end is an error, not a crash") {
  std::string deep = "\n";
  for (int i = 0; i < 100000; ++i) {
    deep += "- ";
  }
  CHECK(parse_error("a: " + deep).substr(0, 28) == "chip.yaml:2: not valid YAML ");
}

TEST_CASE("a file that cannot be read is named") {
  const TemporaryFolder folder;
  CHECK(error_of([&] { parse_yaml_file(folder.path()); }) ==
        folder.path() + ": is a folder; expected a YAML file");
  CHECK(error_of([&] { parse_yaml_file(folder.path() + "/none.yaml"); }) ==
        folder.path() + "/none.yaml: no such file; expected a YAML file");
}

TEST_CASE("a file gives its path to the origins") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/chip.yaml";
  std::ofstream(path) << "name: b\ndram: {channels: 8}\n";
  const Tree tree = parse_yaml_file(path);
  CHECK(read<Chip>(tree).dram.channels == 8);
  CHECK(to_string(tree.origin_of("dram.channels")) == path + ":2");
}

// Reading

TEST_CASE("keys that the file has replace the defaults, the others stay") {
  const Chip chip = read_text<Chip>(
      "name: small\n"
      "dram:\n"
      "  kind: lpddr4\n"
      "  energy_pj: 0.25\n"
      "  refresh: false\n"
      "layers:\n"
      "  - tokens: 128\n"
      "  - {}\n");
  CHECK(chip.name == "small");
  CHECK(chip.base_address == 0x80000000);
  CHECK(chip.dram.channels == 2);
  CHECK(chip.dram.energy_pj == 0.25);
  CHECK(chip.dram.kind == Kind::lpddr4);
  CHECK_FALSE(chip.dram.refresh);
  REQUIRE(chip.layers.size() == 2);
  CHECK(chip.layers[0].tokens == 128);
  CHECK(chip.layers[1].tokens == 1);
}

TEST_CASE("defaults can be given, and a list that the file lacks keeps its items") {
  Chip defaults;
  defaults.layers = {{7}, {8}};
  const Chip chip = read(parse_yaml("name: a", "chip.yaml"), defaults);
  REQUIRE(chip.layers.size() == 2);
  CHECK(chip.layers[1].tokens == 8);
}

TEST_CASE("an empty list in the file replaces the default items") {
  Chip defaults;
  defaults.layers = {{7}, {8}};
  CHECK(read(parse_yaml("layers: []", "chip.yaml"), defaults).layers.empty());
}

TEST_CASE("an integer is plain decimal digits") {
  CHECK(read_text<Chip>("dram: {channels: 16}").dram.channels == 16);
  for (const char* written :
       {"010", "0x10", "0b1", "0o7", "1e3", "4096.0", "64KB", "4k", "1_000", "+4", "-0", "4 4",
        ".inf", "-.inf", ".nan", "inf", "true", "four", "\xD9\xA3"}) {
    CAPTURE(written);
    CHECK(channels_problem(written) ==
          "'" + std::string(written) + "' is not an integer in plain decimal digits");
  }
}

TEST_CASE("an integer in quotes is text") {
  CHECK(channels_problem("\"4\"") == "quoted text \"4\" is not an integer in plain decimal digits");
  CHECK(channels_problem("'4'") == "quoted text \"4\" is not an integer in plain decimal digits");
  CHECK(channels_problem("\"\"") == "quoted text \"\" is not an integer in plain decimal digits");
}

TEST_CASE("a list or a map is not an integer") {
  CHECK(channels_problem("[4]") == "a list is not an integer in plain decimal digits");
  CHECK(channels_problem("{a: 4}") == "a map is not an integer in plain decimal digits");
}

TEST_CASE("an integer out of range is an error, also beyond 64 bits and below zero") {
  CHECK(channels_problem("0") == "0 is out of range");
  CHECK(channels_problem("17") == "17 is out of range");
  CHECK(channels_problem("-1") == "-1 is out of range");
  CHECK(channels_problem("3000000000") == "3000000000 is out of range");
  CHECK(channels_problem("18446744073709551616") == "18446744073709551616 is out of range");
  CHECK(read_text<Chip>("layers: [{tokens: 18446744073709551615}]").layers[0].tokens == UINT64_MAX);
  CHECK(read_error("layers: [{tokens: 18446744073709551616}]") ==
        "chip.yaml:1: layers[0].tokens: 18446744073709551616 is out of range; "
        "expected an integer from 0 to 18446744073709551615 (tokens in flight)");
}

TEST_CASE("a key without a value is an error, not the default") {
  for (const char* nothing : {"", "~", "null", "Null", "# 4"}) {
    CAPTURE(nothing);
    CHECK(channels_problem(nothing) == "has no value");
  }
  CHECK(read_error("name:\ndram: {}\n") ==
        "chip.yaml:1: name: has no value; expected text (label in reports)");
  CHECK(read_error("name: a\ndram:\n") ==
        "chip.yaml:2: dram: has no value; expected a map (external memory)");
  CHECK(read_error("layers:\n") ==
        "chip.yaml:1: layers: has no value; expected a list (layers to run)");
  CHECK(read_error("layers:\n  -\n  - tokens: 1\n") ==
        "chip.yaml:1: layers[0]: nothing is not a map; expected a map of keys");
}

TEST_CASE("an address may be hexadecimal, another integer may not") {
  CHECK(read_text<Chip>("base_address: 0x40000000").base_address == 0x40000000);
  CHECK(read_text<Chip>("base_address: 0xFFffFFffFF").base_address == 0xffffffffff);
  CHECK(read_text<Chip>("base_address: 4096").base_address == 4096);
  CHECK(read_error("base_address: 0x10000000000") ==
        "chip.yaml:1: base_address: 0x10000000000 is out of range; "
        "expected an address from 0x0 to 0xffffffffff (first byte of the memory)");
  CHECK(read_error("base_address: 0x11112222333344445") ==
        "chip.yaml:1: base_address: 0x11112222333344445 is out of range; "
        "expected an address from 0x0 to 0xffffffffff (first byte of the memory)");
  for (const char* written : {"0x", "0X10", "0x1g", "-0x1", "0x-1", "0x 1", "010", "80000000h"}) {
    CAPTURE(written);
    CHECK(read_error("base_address: " + std::string(written)) ==
          "chip.yaml:1: base_address: '" + std::string(written) +
              "' is not an integer in hexadecimal (0x...) or decimal digits; "
              "expected an address from 0x0 to 0xffffffffff (first byte of the memory)");
  }
}

TEST_CASE("a number is a finite decimal") {
  CHECK(read_text<Chip>("dram: {energy_pj: 12}").dram.energy_pj == 12.0);
  CHECK(read_text<Chip>("dram: {energy_pj: 0.1}").dram.energy_pj == 0.1);
  CHECK(read_text<Chip>("dram: {energy_pj: 1e-3}").dram.energy_pj == 0.001);
  CHECK(read_text<Chip>("dram: {energy_pj: 2.5E+2}").dram.energy_pj == 250.0);
  for (const char* written : {".inf", "-.inf", ".nan", "nan", "inf", "infinity", ".5", "5.", "+1",
                              "010", "00.5", "0x1p3", "1e", "1e+", "1_0", "0.5pJ", "--1", "true"}) {
    CAPTURE(written);
    CHECK(energy_problem(written) ==
          "'" + std::string(written) + "' is not a finite decimal number");
  }
  CHECK(energy_problem("\"0.5\"") == "quoted text \"0.5\" is not a finite decimal number");
  CHECK(energy_problem("\"0,5\"") == "quoted text \"0,5\" is not a finite decimal number");
  CHECK(energy_problem("[1]") == "a list is not a finite decimal number");
}

TEST_CASE("a number out of range is an error") {
  CHECK(energy_problem("-0.5") == "-0.5 is out of range");
  CHECK(energy_problem("1000.001") == "1000.001 is out of range");
  CHECK(energy_problem("1e400") == "1e400 is beyond what a double can hold");
  CHECK(energy_problem("1e-400") == "1e-400 is beyond what a double can hold");
}

TEST_CASE("numbers are read and written alike under a locale with a decimal comma") {
  const GermanLocale locale;
  const Chip chip = read_text<Chip>("dram: {energy_pj: 0.5}\nlayers: [{tokens: 1234567}]\n");
  CHECK(chip.dram.energy_pj == 0.5);
  CHECK(write_yaml(chip) ==
        "name: eva\n"
        "base_address: 0x80000000\n"
        "dram:\n"
        "  channels: 2\n"
        "  energy_pj: 0.5\n"
        "  kind: ddr3\n"
        "  refresh: true\n"
        "layers:\n"
        "  - tokens: 1234567\n");
  CHECK(parse_error(std::string(1234, '\n') + "a: b: c") ==
        "chip.yaml:1235: not valid YAML (illegal map value); expected keys and values");
}

TEST_CASE("a boolean is true or false and nothing else") {
  CHECK_FALSE(read_text<Chip>("dram: {refresh: false}").dram.refresh);
  for (const char* written : {"on", "No", "yes", "1", "0", "True", "TRUE", "y", "f"}) {
    CAPTURE(written);
    CHECK(read_error("dram: {refresh: " + std::string(written) + "}") ==
          "chip.yaml:1: dram.refresh: '" + std::string(written) +
              "' is not a boolean; expected true or false (whether rows are refreshed)");
  }
  CHECK(read_error("dram: {refresh: \"true\"}") ==
        "chip.yaml:1: dram.refresh: quoted text \"true\" is not a boolean; "
        "expected true or false (whether rows are refreshed)");
}

TEST_CASE("a choice that is not a name lists the names and suggests the nearest") {
  CHECK(read_error("dram: {kind: lpdr4}") ==
        "chip.yaml:1: dram.kind: 'lpdr4' is not a choice; did you mean 'lpddr4'? "
        "expected one of ddr3, lpddr4, off (standard)");
  CHECK(read_error("dram: {kind: DDR3}") ==
        "chip.yaml:1: dram.kind: 'DDR3' is not a choice; "
        "expected one of ddr3, lpddr4, off (standard)");
  CHECK(read_error("dram: {kind: [ddr3]}") ==
        "chip.yaml:1: dram.kind: found a list; expected one of ddr3, lpddr4, off (standard)");
}

TEST_CASE("a choice is matched as written: off is a name, not a boolean") {
  CHECK(read_text<Chip>("dram: {kind: off}").dram.kind == Kind::off);
}

TEST_CASE("text is a scalar, plain or quoted") {
  CHECK(read_text<Chip>("name: 8").name == "8");
  CHECK(read_text<Chip>("name: \"8\"").name == "8");
  CHECK(read_text<Chip>("name: \"\"").name.empty());
  CHECK(read_text<Chip>("name: \"null\"").name == "null");
  CHECK(read_error("name: [a]") ==
        "chip.yaml:1: name: found a list; expected text (label in reports)");
}

TEST_CASE("an unknown key is an error with the nearest known key") {
  CHECK(read_error("name: a\ndram:\n  chanels: 8\n") ==
        "chip.yaml:3: dram.chanels: unknown key 'chanels'; did you mean 'channels'? "
        "known keys: channels, energy_pj, kind, refresh");
  CHECK(read_error("nam: a\n") ==
        "chip.yaml:1: nam: unknown key 'nam'; did you mean 'name'? "
        "known keys: name, base_address, dram, layers");
  CHECK(read_error("name: a\n\nplease: 1\n") ==
        "chip.yaml:3: please: unknown key 'please'; known keys: name, base_address, dram, layers");
}

TEST_CASE("a key at the wrong depth is unknown there") {
  CHECK(read_error("channels: 4\n") ==
        "chip.yaml:1: channels: unknown key 'channels'; "
        "known keys: name, base_address, dram, layers");
}

TEST_CASE("an unknown key inside a list item names the item") {
  CHECK(read_error("layers:\n  - tokens: 1\n  - tokens: 2\n    token: 3\n") ==
        "chip.yaml:4: layers[1].token: unknown key 'token'; did you mean 'tokens'? "
        "known keys: tokens");
}

TEST_CASE("a group that is not a map and a list that is not a list are errors") {
  CHECK(read_error("dram: 4") == "chip.yaml:1: dram: found '4'; expected a map (external memory)");
  CHECK(read_error("dram: []") ==
        "chip.yaml:1: dram: found a list; expected a map (external memory)");
  CHECK(read_error("layers: {tokens: 1}") ==
        "chip.yaml:1: layers: found a map; expected a list (layers to run)");
  CHECK(read_error("layers:\n  - tokens: 1\n  - 2\n") ==
        "chip.yaml:3: layers[1]: '2' is not a map; expected a map of keys");
}

TEST_CASE("a long value is cut in messages, between characters") {
  CHECK(channels_problem(std::string(59, '9') + "\xC3\xA9" + std::string(1000, '9')) ==
        "'" + std::string(59, '9') + "...' is not an integer in plain decimal digits");
}

// Overrides

TEST_CASE("merging replaces key by key and keeps the rest with its origin") {
  Tree base = parse_yaml("name: a\ndram:\n  channels: 4\n  refresh: false\n", "base.yaml");
  merge(base, parse_yaml("dram: {channels: 8}\nlayers: []\n", "over.yaml"));
  CHECK(base.find("dram.channels")->text() == "8");
  CHECK(to_string(base.origin_of("dram.channels")) == "over.yaml:1");
  CHECK(base.find("dram.refresh")->text() == "false");
  CHECK(to_string(base.origin_of("dram.refresh")) == "base.yaml:4");
  CHECK(base.entries().back().key == "layers");
}

TEST_CASE("merging replaces lists as a whole") {
  Tree base = parse_yaml("layers: [{tokens: 1}, {tokens: 2}]", "base.yaml");
  merge(base, parse_yaml("layers: [{tokens: 3}]", "over.yaml"));
  const Chip chip = read<Chip>(base);
  REQUIRE(chip.layers.size() == 1);
  CHECK(chip.layers[0].tokens == 3);
}

TEST_CASE("an assignment replaces a value, in maps and in list items") {
  Tree tree = parse_yaml("dram: {channels: 4}\nlayers: [{tokens: 1}, {tokens: 2}]", "chip.yaml");
  set(tree, "dram.channels=8");
  set(tree, "layers[1].tokens=64");
  const Chip chip = read<Chip>(tree);
  CHECK(chip.dram.channels == 8);
  CHECK(chip.layers[1].tokens == 64);
  CHECK(to_string(tree.origin_of("dram.channels")) == "--set dram.channels=8");
}

TEST_CASE("an assignment adds keys and the maps around them") {
  Tree tree = parse_yaml("name: a", "chip.yaml");
  set(tree, "dram.energy_pj=0.5");
  CHECK(read<Chip>(tree).dram.energy_pj == 0.5);
}

TEST_CASE("an assigned value is a YAML scalar or a flow list") {
  Tree tree = parse_yaml("name: a", "chip.yaml");
  set(tree, "name=\"b = c\"");
  set(tree, "layers=[{tokens: 5}, {tokens: 6}]");
  const Chip chip = read<Chip>(tree);
  CHECK(chip.name == "b = c");
  CHECK(chip.layers[1].tokens == 6);
}

TEST_CASE("what an assignment gets wrong is reported with the assignment") {
  CHECK(set_error("name: a", "dram.channels=64KB") ==
        "--set dram.channels=64KB: dram.channels: '64KB' is not an integer in plain decimal "
        "digits; expected an integer from 1 to 16 (channels of the memory)");
  CHECK(set_error("name: a", "dram.chanels=4") ==
        "--set dram.chanels=4: dram.chanels: unknown key 'chanels'; did you mean 'channels'? "
        "known keys: channels, energy_pj, kind, refresh");
  CHECK(set_error("name: a", "dram.channels=") ==
        "--set dram.channels=: dram.channels: has no value; "
        "expected an integer from 1 to 16 (channels of the memory)");
  CHECK(set_error("name: a", "name={b: c}") ==
        "--set name={b: c}: name: the value is a map; "
        "expected one value or a list in brackets (text with ': ' needs quotes)");
  CHECK(set_error("name: a", "name=[1") ==
        "--set name=[1: a list or map as a key, or an open bracket; expected a key that is text");
}

TEST_CASE("an assignment cannot go through what is not a map or a list") {
  CHECK(set_error("name: a", "name.first=1") ==
        "--set name.first=1: name: holds 'a' (chip.yaml:1); expected a map to hold keys");
  CHECK(set_error("name: a", "name[0]=1") ==
        "--set name[0]=1: name: holds 'a' (chip.yaml:1); expected a list to index");
  CHECK(set_error("layers: [{tokens: 1}]", "layers.tokens=1") ==
        "--set layers.tokens=1: layers: holds a list (chip.yaml:1); expected a map to hold keys");
  CHECK(set_error("layers: [{tokens: 1}]", "layers[1].tokens=1") ==
        "--set layers[1].tokens=1: layers[1]: beyond the end of the list; "
        "expected an index below 1");
  CHECK(set_error("name: a", "layers[0].tokens=1") ==
        "--set layers[0].tokens=1: layers: holds nothing (--set layers[0].tokens=1); "
        "expected a list to index");
}

TEST_CASE("a malformed assignment is an error") {
  for (const char* assignment :
       {"", "name", "=1", "dram.=1", ".name=1", "layers[=1", "layers[x]=1"}) {
    CAPTURE(assignment);
    CHECK(set_error("name: a", assignment) ==
          "--set " + std::string(assignment) +
              ": not an assignment; "
              "expected KEY=VALUE with a key such as chip.dram.channels or layers[2].tokens");
  }
}

// Writing

TEST_CASE("a struct is written in canonical form, with meanings on demand") {
  Chip chip;
  chip.layers = {{3}};
  CHECK(write_yaml(chip, true) ==
        "name: eva  # label in reports\n"
        "base_address: 0x80000000  # first byte of the memory\n"
        "dram:  # external memory\n"
        "  channels: 2  # channels of the memory\n"
        "  energy_pj: 1.5  # pJ per bit\n"
        "  kind: ddr3  # standard\n"
        "  refresh: true  # whether rows are refreshed\n"
        "layers:  # layers to run\n"
        "  - tokens: 3  # tokens in flight\n");
}

TEST_CASE("what is empty is written as empty, not as without value") {
  struct Sparse {
    Nothing group;
    std::vector<Nothing> items = {{}, {}};
    std::vector<Nothing> none;

    void visit(ParameterVisitor& visitor) {
      eva::visit_group(visitor, "group", group, "no keys");
      eva::visit_list(visitor, "items", items, "items without keys");
      eva::visit_list(visitor, "none", none, "no items");
    }
  };
  CHECK(write_yaml(Sparse{}) == "group: {}\nitems:\n  - {}\n  - {}\nnone: []\n");
  CHECK(write_yaml(Sparse{}, true) ==
        "group: {}  # no keys\nitems:  # items without keys\n  - {}\n  - {}\n"
        "none: []  # no items\n");
  CHECK(write_yaml(Nothing{}) == "{}\n");
  CHECK(read_text<Sparse>("group: {}\nitems: [{}]\nnone: []\n").items.size() == 1);
}

TEST_CASE("lists in list items and groups first in an item are indented under the dash") {
  struct Stage {
    Layer first;
    std::vector<Layer> rest = {{2}};

    void visit(ParameterVisitor& visitor) {
      eva::visit_group(visitor, "first", first, "first");
      eva::visit_list(visitor, "rest", rest, "rest");
    }
  };
  struct Pipeline {
    std::vector<Stage> stages;

    void visit(ParameterVisitor& visitor) { eva::visit_list(visitor, "stages", stages, "stages"); }
  };
  const std::string yaml =
      "stages:\n"
      "  - first:\n"
      "      tokens: 1\n"
      "    rest:\n"
      "      - tokens: 2\n"
      "  - first:\n"
      "      tokens: 9\n"
      "    rest: []\n";
  Pipeline pipeline;
  pipeline.stages.resize(2);
  pipeline.stages[1] = {{9}, {}};
  CHECK(write_yaml(pipeline) == yaml);
  CHECK(write_yaml(read_text<Pipeline>(yaml)) == yaml);
}

TEST_CASE("text is quoted where a YAML reader would take it for something else") {
  struct Label {
    std::string label;
    void visit(ParameterVisitor& visitor) { visitor.text("label", label, "label"); }
  };
  const auto written = [](const std::string& text) { return write_yaml(Label{text}); };
  CHECK(written("chips/eva-2.yaml") == "label: chips/eva-2.yaml\n");
  CHECK(written("") == "label: \"\"\n");
  CHECK(written("8") == "label: \"8\"\n");
  CHECK(written("No") == "label: \"No\"\n");
  CHECK(written("null") == "label: \"null\"\n");
  CHECK(written("a: b # c") == "label: \"a: b # c\"\n");
  CHECK(written("say \"x\\y\"\n") == "label: \"say \\\"x\\\\y\\\"\\x0a\"\n");

  for (const std::string& text :
       {std::string("a\0b", 3), std::string("\x01\x04\x1f\x7f\t\r\n"), std::string(" padded "),
        std::string("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBB\xBF\xC2\x85\xE2\x80\xA8"),
        std::string("%x"), std::string("- a"), std::string("\\x41"), std::string(5000, 'x'),
        std::string("~"), std::string(".inf"), std::string("<<"), std::string("&a *a !a")}) {
    CAPTURE(text);
    CHECK(read_text<Label>(written(text)).label == text);
  }
}

TEST_CASE("numbers come back exactly from their shortest form") {
  for (const double number : {0.0, 0.1, 1.0 / 3.0, 1e-12, 123456789.125, 1e22, 5e-324,
                              std::numeric_limits<double>::max()}) {
    struct Value {
      double value;
      void visit(ParameterVisitor& visitor) {
        visitor.number("value", value, 0, std::numeric_limits<double>::max(), "anything");
      }
    };
    CAPTURE(number);
    CHECK(read(parse_yaml(write_yaml(Value{number}), "chip.yaml"), Value{-1}).value == number);
  }
}

TEST_CASE("a configuration that is fed back reproduces itself byte for byte") {
  Chip chip;
  chip.name = "8x8: draft";
  chip.base_address = 0xfedcba9876;
  chip.dram = {16, 1.0 / 3.0, Kind::off, false};
  chip.layers = {{0}, {UINT64_MAX}};
  for (const bool with_comments : {false, true}) {
    const std::string once = write_yaml(chip, with_comments);
    const Chip back = read_text<Chip>(once);
    CHECK(write_yaml(back, with_comments) == once);
    CHECK(back.name == "8x8: draft");
    CHECK(back.base_address == 0xfedcba9876);
    CHECK(back.dram.channels == 16);
    CHECK(back.dram.energy_pj == 1.0 / 3.0);
    CHECK(back.dram.kind == Kind::off);
    CHECK_FALSE(back.dram.refresh);
    REQUIRE(back.layers.size() == 2);
    CHECK(back.layers[1].tokens == UINT64_MAX);
  }
}

TEST_CASE("a choice whose name YAML takes for a boolean is written in quotes") {
  Chip chip;
  chip.dram.kind = Kind::off;
  CHECK(write_yaml(chip.dram) == "channels: 2\nenergy_pj: 1.5\nkind: \"off\"\nrefresh: true\n");
}

TEST_CASE("what YAML cannot hold is not written") {
  Chip chip;
  SECTION("a number that is not finite") {
    chip.dram.energy_pj = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(write_yaml(chip),
                      "cannot write energy_pj: the number is nan; expected a finite one");
  }
  SECTION("text that is not UTF-8") {
    chip.name = "\xff";
    CHECK_THROWS_WITH(write_yaml(chip), "cannot write name: the text is not UTF-8; expected UTF-8");
  }
  SECTION("a choice without a name") {
    chip.dram.kind = static_cast<Kind>(3);
    CHECK_THROWS_WITH(write_yaml(chip),
                      "cannot write kind: choice 3 has no name; expected one of 3");
  }
}
