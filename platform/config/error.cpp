#include "platform/config/error.h"

#include <cstddef>

namespace eva::config {

namespace {

constexpr std::size_t kLongestShown = 60;

std::string on_one_line(const std::string& text) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string line;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte >= 0x20 && byte != 0x7f) {
      line += character;
    } else if (character == '\n') {
      line += "\\n";
    } else {
      line += std::string("\\x") + kDigits[byte >> 4U] + kDigits[byte & 0xfU];
    }
  }
  return line;
}

std::string message(const Origin& origin, const std::string& key, const std::string& problem,
                    const std::string& remedy) {
  const std::string key_part = key.empty() ? "" : key + ": ";
  return on_one_line(to_string(origin) + ": " + key_part + problem + "; " + remedy);
}

}  // namespace

std::string to_string(const Origin& origin) {
  return origin.line == 0 ? origin.source : origin.source + ":" + std::to_string(origin.line);
}

ConfigError::ConfigError(const Origin& origin, const std::string& key, const std::string& problem,
                         const std::string& remedy)
    : std::runtime_error(message(origin, key, problem, remedy)) {}

std::string abbreviated(std::string_view text) {
  if (text.size() <= kLongestShown) {
    return std::string(text);
  }
  std::size_t end = kLongestShown;
  // Not between the bytes of one UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace eva::config
