// Readers of what op manifests of all kinds have: needs, compile options, accelerators and archs.
// Knows these keys; no kind of op.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "manifest/op.h"
#include "manifest/shapes.h"

namespace dsbuild::manifest {

Needs read_needs(const Node& node, const OpContext& context);
CompileOptions read_options(const Node& node, const OpContext& context);
std::map<std::string, ArchFilter> read_on(const Node& node,
                                          const std::map<std::string, Accelerator>& accelerators);
/// The texts of a list; tells of those that have not the shape.
std::vector<std::string> read_words(const Node& list, const Shape& shape);
/// Whether the source has one of the accelerator's suffixes. Nothing is known of the sources of
/// some accelerators that dsbuild compiles nothing for: they take all.
bool takes_source(const Accelerator& accelerator, const std::string& source);

/// The ranges of a "when", also as conditions. "source", which no plan knows, is in the map only.
std::map<std::string, VersionRange> read_conditions(const Node& node, Conditions& conditions);

/// What only a python_extension has: module, parts, features.
void read_extension(const Node& root, const OpContext& context, Op& op);

/// What must hold between its parts.
void check_extension(const Node& root, const Op& op,
                     const std::map<std::string, Accelerator>& accelerators);

}  // namespace dsbuild::manifest
