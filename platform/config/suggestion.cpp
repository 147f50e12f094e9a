#include "platform/config/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace eva::config {

namespace {

/// Levenshtein distance, one row of the table at a time.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view written, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t shortest = written.size() + 1;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(written, name);
    if (distance < shortest && distance <= name.size() / 2) {
      nearest = name;
      shortest = distance;
    }
  }
  return nearest;
}

std::string comma_separated(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

}  // namespace eva::config
