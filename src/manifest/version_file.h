// Where the version of a toolkit, a source tree or another folder is written: read by one rule for
// all of them. Knows the folder's files; nothing of what it is.
#pragma once

#include <filesystem>

#include "base/fact.h"
#include "base/system.h"
#include "base/version.h"
#include "manifest/catalog.h"

namespace dsbuild::manifest {

/// Each pattern over the file's lines gives one part of the version, or several.
Fact<Version> find_version(const System& system, const std::filesystem::path& folder,
                           const VersionFile& rule);

}  // namespace dsbuild::manifest
