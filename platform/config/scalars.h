#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eva::config {

/// How integers are written: decimal, or hexadecimal for keys whose name ends in "_address" (which
/// may still be read from decimal).
enum class Radix { decimal, hexadecimal };
Radix radix_of(std::string_view key);

enum class Conversion { done, malformed, out_of_range };

/// Reads an unsigned integer: decimal digits without leading zeros, or "0x" and hexadecimal digits
/// where `radix` allows. Anything else that YAML or C would take (010, 1e3, 4096.0, 1_000, +1) is
/// malformed. A negative integer and one beyond 2^64 - 1 are out of range.
Conversion parse_integer(std::string_view text, Radix radix, std::uint64_t& value);

/// Reads a finite decimal number as in JSON, in any locale: "0.5", "-3", "1e-12". Not ".5", "5.",
/// "010" or ".inf". Out of range when a double cannot hold it.
Conversion parse_number(std::string_view text, double& value);

/// The canonical forms, which the functions above read back to the same value. `value` is finite.
std::string format_integer(std::uint64_t value, Radix radix);
std::string format_number(double value);

/// A text as a YAML scalar: plain where every YAML reader takes it as text, else in double quotes.
/// `text` is UTF-8.
std::string format_text(std::string_view text);

}  // namespace eva::config
