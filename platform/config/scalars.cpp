#include "platform/config/scalars.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace eva::config {

namespace {

// Not the functions of <cctype>: those follow the locale.
bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

/// Removes the digits at the front of `text`; returns how many there were.
std::size_t take_digits(std::string_view& text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto count = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(count);
  return count;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

/// Digits without a leading zero, which YAML 1.1 and C take for octal.
bool take_decimal(std::string_view& text) {
  const bool starts_with_zero = !text.empty() && text.front() == '0';
  const std::size_t count = take_digits(text);
  return count == 1 || (count > 1 && !starts_with_zero);
}

bool is_decimal(std::string_view text) {
  return take_decimal(text) && text.empty();
}

/// The number grammar of JSON (RFC 8259, section 6).
bool is_json_number(std::string_view text) {
  take_one_of(text, "-");
  if (!take_decimal(text)) {
    return false;
  }
  if (take_one_of(text, ".") && take_digits(text) == 0) {
    return false;
  }
  if (take_one_of(text, "eE")) {
    take_one_of(text, "+-");
    if (take_digits(text) == 0) {
      return false;
    }
  }
  return text.empty();
}

Conversion parse_digits(std::string_view digits, int base, std::uint64_t& value) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
  if (error == std::errc::result_out_of_range && stop == end) {
    return Conversion::out_of_range;
  }
  return error == std::errc() && stop == end ? Conversion::done : Conversion::malformed;
}

/// Whether no YAML reader, of version 1.1 or 1.2, takes `text` for anything but text.
bool is_plain_text(std::string_view text) {
  constexpr std::array<std::string_view, 9> kOtherMeaning = {"null", "true", "false", "yes", "no",
                                                             "on",   "off",  "y",     "n"};
  const auto starts_well = [](char c) { return is_letter(c) || c == '_' || c == '/'; };
  const auto goes_on_well = [&](char c) {
    return starts_well(c) || is_digit(c) || c == '.' || c == '-';
  };
  if (text.empty() || !starts_well(text.front()) ||
      !std::all_of(text.begin(), text.end(), goes_on_well)) {
    return false;
  }
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  return std::find(kOtherMeaning.begin(), kOtherMeaning.end(), lowered) == kOtherMeaning.end();
}

}  // namespace

Radix radix_of(std::string_view key) {
  constexpr std::string_view kSuffix = "_address";
  const bool is_address =
      key.size() >= kSuffix.size() && key.substr(key.size() - kSuffix.size()) == kSuffix;
  return is_address ? Radix::hexadecimal : Radix::decimal;
}

Conversion parse_integer(std::string_view text, Radix radix, std::uint64_t& value) {
  if (radix == Radix::hexadecimal && text.substr(0, 2) == "0x") {
    return parse_digits(text.substr(2), 16, value);
  }
  if (is_decimal(text)) {
    return parse_digits(text, 10, value);
  }
  const bool is_negative = text.substr(0, 1) == "-" && text != "-0" && is_decimal(text.substr(1));
  return is_negative ? Conversion::out_of_range : Conversion::malformed;
}

Conversion parse_number(std::string_view text, double& value) {
  if (!is_json_number(text)) {
    return Conversion::malformed;
  }
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? Conversion::done : Conversion::out_of_range;
}

std::string format_integer(std::uint64_t value, Radix radix) {
  std::array<char, 20> digits{};  // 2^64 - 1 has 20
  const int base = radix == Radix::hexadecimal ? 16 : 10;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, base);
  return (radix == Radix::hexadecimal ? "0x" : "") + std::string(digits.data(), end);
}

std::string format_number(double value) {
  std::array<char, 32> digits{};  // the longest shortest form has 24: -2.2250738585072014e-308
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end};
}

std::string format_text(std::string_view text) {
  if (is_plain_text(text)) {
    return std::string(text);
  }
  constexpr const char* kDigits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      quoted += {'\\', character};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 0xfU]};
    } else {
      quoted += character;
    }
  }
  return quoted + "\"";
}

}  // namespace eva::config
