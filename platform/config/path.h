#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eva::config {

/// A key of a map or an index into a list.
using PathStep = std::variant<std::string, std::size_t>;
using Path = std::vector<PathStep>;

/// "chip.layers[2].tokens" as steps; nothing when malformed. The empty text is the top level.
std::optional<Path> parse_path(std::string_view text);

/// The path of one step below `parent`: "chip.dram" or "layers[2]".
std::string join(const std::string& parent, const PathStep& step);

}  // namespace eva::config
