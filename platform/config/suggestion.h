#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eva::config {

/// The name that differs from `written` by the fewest inserted, removed or replaced characters (the
/// first of equals); empty when even that one differs in more than half of its characters.
std::string nearest_name(std::string_view written, const std::vector<std::string>& names);

/// "a, b, c".
std::string comma_separated(const std::vector<std::string>& names);

}  // namespace eva::config
