#pragma once

#include <string>

#include "platform/config/tree.h"

namespace eva::config {

/// Lays `overrides` over `base`: maps merge key by key, everything else (lists too) replaces. Each
/// node keeps its own origin.
void merge(Tree& base, const Tree& overrides);

/// Applies "PATH=VALUE", such as "chip.dram.channels=4" or "layers[2].tokens=128". VALUE is a YAML
/// scalar or a flow list ("[...]"). It replaces the node at PATH or adds a key; maps on the way
/// that are missing are added, list items are not. New nodes have the origin "--set PATH=VALUE".
/// Throws ConfigError for a malformed assignment, a path through a node that is not a map (or a
/// list at an index), and an index beyond the end.
void set(Tree& tree, const std::string& assignment);

}  // namespace eva::config
