#include "platform/config/writer.h"

#include <cmath>
#include <stdexcept>

#include "platform/config/scalars.h"
#include "platform/config/utf8.h"

namespace eva::config {

namespace {

[[noreturn]] void refuse(const std::string& key, const std::string& problem,
                         const std::string& expected) {
  throw std::invalid_argument("cannot write " + key + ": " + problem + "; expected " + expected);
}

}  // namespace

void TreeWriter::integer(const char* key, std::uint64_t& value, IntegerRange /*range*/,
                         const char* meaning) {
  write_line(std::string(key) + ": " + format_integer(value, radix_of(key)), meaning);
}

void TreeWriter::number(const char* key, double& value, double /*minimum*/, double /*maximum*/,
                        const char* meaning) {
  if (!std::isfinite(value)) {
    refuse(key, "the number is " + format_number(value), "a finite one");
  }
  write_line(std::string(key) + ": " + format_number(value), meaning);
}

void TreeWriter::boolean(const char* key, bool& value, const char* meaning) {
  write_line(std::string(key) + (value ? ": true" : ": false"), meaning);
}

void TreeWriter::text(const char* key, std::string& value, const char* meaning) {
  if (!is_utf8(value)) {
    refuse(key, "the text is not UTF-8", "UTF-8");
  }
  write_line(std::string(key) + ": " + format_text(value), meaning);
}

void TreeWriter::choice(const char* key, std::size_t& value, const std::vector<const char*>& names,
                        const char* meaning) {
  if (value >= names.size()) {
    refuse(key, "choice " + std::to_string(value) + " has no name",
           "one of " + std::to_string(names.size()));
  }
  write_line(std::string(key) + ": " + format_text(names[value]), meaning);
}

void TreeWriter::begin_group(const char* key, const char* meaning) {
  open(key, meaning);
}

void TreeWriter::end_group() {
  close(" {}");
}

std::size_t TreeWriter::begin_list(const char* key, std::size_t current, const char* meaning) {
  open(key, meaning);
  return current;
}

void TreeWriter::begin_item(std::size_t /*index*/) {
  yaml_ += std::string(2 * depth_, ' ') + "- ";
  ++depth_;
  after_dash_ = true;
}

void TreeWriter::end_item() {
  if (after_dash_) {
    yaml_ += "{}\n";
    after_dash_ = false;
  }
  --depth_;
}

void TreeWriter::end_list() {
  close(" []");
}

std::string TreeWriter::yaml() const {
  return yaml_.empty() ? "{}\n" : yaml_;
}

void TreeWriter::write_line(const std::string& key_and_value, const char* meaning) {
  if (!after_dash_) {
    yaml_.append(2 * depth_, ' ');
  }
  after_dash_ = false;
  yaml_ += key_and_value;
  if (with_comments_) {
    yaml_ += std::string("  # ") + meaning;
  }
  yaml_ += '\n';
}

void TreeWriter::open(const char* key, const char* meaning) {
  const std::string key_and_colon = std::string(key) + ":";
  const std::size_t start = yaml_.size() + (after_dash_ ? 0 : 2 * depth_);
  write_line(key_and_colon, meaning);
  openings_.push_back({start + key_and_colon.size(), yaml_.size()});
  ++depth_;
}

void TreeWriter::close(const char* if_empty) {
  const Opening opening = openings_.back();
  openings_.pop_back();
  if (yaml_.size() == opening.line_end) {
    yaml_.insert(opening.after_colon, if_empty);
  }
  --depth_;
}

}  // namespace eva::config
