#pragma once

#include <cstddef>
#include <string_view>

namespace eva::config {

/// Length in bytes of the UTF-8 character at the start of `text` (RFC 3629, section 4: shortest
/// form, no surrogates, at most U+10FFFF); 0 when there is none. `text` must not be empty.
std::size_t utf8_character_length(std::string_view text);

/// Whether `text` is UTF-8 throughout.
bool is_utf8(std::string_view text);

}  // namespace eva::config
