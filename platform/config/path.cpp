#include "platform/config/path.h"

#include <charconv>

namespace eva::config {

namespace {

std::optional<std::size_t> parse_index(std::string_view digits) {
  std::size_t index = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, index);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return index;
}

}  // namespace

std::optional<Path> parse_path(std::string_view text) {
  Path path;
  while (!text.empty()) {
    if (!path.empty() && text.front() == '[') {
      const std::size_t close = text.find(']');
      if (close == std::string_view::npos) {
        return std::nullopt;
      }
      const std::optional<std::size_t> index = parse_index(text.substr(1, close - 1));
      if (!index) {
        return std::nullopt;
      }
      path.emplace_back(*index);
      text.remove_prefix(close + 1);
      continue;
    }
    if (!path.empty()) {
      if (text.front() != '.') {
        return std::nullopt;
      }
      text.remove_prefix(1);
    }
    const std::string_view key = text.substr(0, text.find_first_of(".[]"));
    if (key.empty()) {
      return std::nullopt;
    }
    path.emplace_back(std::string(key));
    text.remove_prefix(key.size());
  }
  return path;
}

std::string join(const std::string& parent, const PathStep& step) {
  if (const auto* index = std::get_if<std::size_t>(&step)) {
    return parent + "[" + std::to_string(*index) + "]";
  }
  const auto& key = std::get<std::string>(step);
  return parent.empty() ? key : parent + "." + key;
}

}  // namespace eva::config
