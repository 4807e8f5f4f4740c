// What all toolchain sources share: reading versions and archs out of a tool's answer, and putting
// found toolchains in order. Knows no compiler by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fact.h"
#include "base/pattern.h"
#include "base/process.h"
#include "base/version.h"
#include "manifest/catalog.h"
#include "probe/machine.h"

namespace dsbuild::probe {

/// A toolchain that isn't there: what was looked at, and why that is none.
Toolchain make_absent(std::string kind, std::string path, std::string reason, std::string origin,
                      bool demanded);

/// First group of the pattern in the first line of the answer that it matches, standard output
/// first; empty when none does.
std::string find_in_answer(const ProcessResult& answer, const Pattern& pattern);
/// The same for every line that matches.
std::vector<std::string> find_all_in_answer(const ProcessResult& answer, const Pattern& pattern);

/// The first line with something in it, made printable and cut to 80 bytes; else how it ended.
std::string describe_answer(const ProcessResult& answer);

/// The version in an answer, or "version not understood: <first line>". `source`: what was run.
Fact<Version> parse_version_answer(const ProcessResult& answer, const Pattern& pattern,
                                   std::string source);

/// Spellings to canonical names in numeric order, each once; what is no arch of the accelerator is
/// dropped.
std::vector<std::string> parse_archs(const manifest::Accelerator& accelerator,
                                     const std::vector<std::string>& spellings,
                                     std::string_view machine);

/// "partial" when something is missing, else "complete".
void set_state(Toolchain& toolchain);

/// The chosen one first: demanded, then complete before partial, then the newest or the first
/// found.
void order_toolchains(std::vector<Toolchain>& toolchains, bool newest);

/// Gives every toolchain of a list its id: kind and version, "#2" for the second equal one.
void name_toolchains(std::vector<Toolchain>& toolchains);

}  // namespace dsbuild::probe
