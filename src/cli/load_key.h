// What `dsbuild load` makes is for: the name of its folder, and in words, so that who asks can be
// told why another one isn't taken. Knows plans; no files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "probe/machine.h"

namespace dsbuild::cli {

struct LoadKey {
  /// Of what decides the content: another torch, toolchain, arch, source tree or command has a
  /// folder of its own.
  std::string folder;
  std::map<std::string, std::string> words;  ///< "torch" -> "torch-2.15.0+cpu in /env"
};

/// `torch`: that of an extension, else null.
LoadKey make_load_key(const std::string& op, const plan::Plan& plan, const probe::Torch* torch);

/// "for cpu x86-64-v3, torch-2.15.0+cpu in /env": what a person asks for.
std::string describe_key(const LoadKey& key);

/// "archs x86-64-v4 instead of x86-64-v3", by word.
std::vector<std::string> describe_difference(const std::map<std::string, std::string>& other,
                                             const std::map<std::string, std::string>& wanted);

}  // namespace dsbuild::cli
