#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace eva::config {

/// Where a value was written: a line of a file, or, with line 0, a place without lines such as
/// "--set chip.clock_mhz=1".
struct Origin {
  std::string source;
  int line = 0;
};

/// "file.yaml:12", or the source alone when it has no lines.
std::string to_string(const Origin& origin);

/// A configuration that cannot be used. The message is one line, "ORIGIN: KEY: problem; remedy".
class ConfigError : public std::runtime_error {
 public:
  /// `key` is the full path of the key ("chip.dram.channels"), empty for a fault of the whole file.
  /// `remedy` says what was expected. Control characters are shown as escapes.
  ConfigError(const Origin& origin, const std::string& key, const std::string& problem,
              const std::string& remedy);
};

/// `text` cut to a length that keeps a message readable.
std::string abbreviated(std::string_view text);

}  // namespace eva::config
