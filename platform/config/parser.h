#pragma once

#include <string>

#include "platform/config/tree.h"

namespace eva::config {

/// Parses one YAML document whose top level is a map; `source_name` names it in origins.
///
/// The part of YAML that is supported: UTF-8, block and flow maps and lists, plain, quoted and
/// block scalars, comments; a lone '!' makes text, as quotes do. Refused, because they hide where a
/// value comes from or what it is: anchors, aliases, merge keys, tags, directives, several
/// documents, keys that are not text, duplicate keys. Throws ConfigError with the line for these,
/// for faulty syntax and for an empty document.
Tree parse_yaml(const std::string& text, const std::string& source_name);

/// parse_yaml of a file. Also throws ConfigError for a missing or unreadable file and for a folder.
Tree parse_yaml_file(const std::string& path);

/// Parses one value of any kind that has no line of its own; each node gets `origin`. The empty
/// text is null. Throws ConfigError as parse_yaml does.
Tree parse_yaml_value(const std::string& text, const Origin& origin);

}  // namespace eva::config
