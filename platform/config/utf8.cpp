#include "platform/config/utf8.h"

namespace eva::config {

std::size_t utf8_character_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80U) {
    return 1;
  }
  const std::size_t length = lead < 0xc2U   ? 0
                             : lead < 0xe0U ? 2
                             : lead < 0xf0U ? 3
                             : lead < 0xf5U ? 4
                                            : 0;
  if (length == 0 || text.size() < length) {
    return 0;
  }
  // Only the second byte has bounds of its own (RFC 3629, the table of section 4).
  const unsigned lowest = lead == 0xe0U ? 0xa0U : lead == 0xf0U ? 0x90U : 0x80U;
  const unsigned highest = lead == 0xedU ? 0x9fU : lead == 0xf4U ? 0x8fU : 0xbfU;
  if (byte(1) < lowest || byte(1) > highest) {
    return 0;
  }
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) {
      return 0;
    }
  }
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_character_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace eva::config
