// What the user demands of a kind of toolchain: --toolkit, or a variable such as CXX, as the
// commands that it names. Knows how such a text is read, not what the commands are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "manifest/catalog.h"
#include "probe/scene.h"

namespace dsbuild::probe {

/// What was demanded. Without commands `reason` says why there are none.
struct Demand {
  std::string origin;  ///< "--toolkit" or the variable
  std::string text;    ///< as the user wrote it
  std::vector<std::filesystem::path> commands;
  std::string reason;
};

/// The commands of a probe in some folders: its plain names first, then NAME-<number>, the highest
/// first.
std::vector<std::filesystem::path> find_probe_commands(const System& system,
                                                       const manifest::ToolchainProbe& probe,
                                                       const std::vector<FolderListing>& folders);

/// Whether a command's real file is that of a compiler cache (/usr/lib/ccache/g++ leads to ccache).
/// dsbuild decides itself what is cached: ccache and sccache are wrong for nvcc
/// (mozilla/sccache#2299).
bool is_compiler_cache(const std::filesystem::path& real);

/// The compiler that such a link would start: the next of its name on PATH.
std::optional<std::filesystem::path> find_cached_compiler(const Scene& scene,
                                                          const std::filesystem::path& command);

/// The demand for a probe's kind. A variable that several kinds share (CXX is gcc's and clang's)
/// belongs to the kind whose command it names; if it names none's, the first of them reports that.
std::optional<Demand> find_demand(const Scene& scene, const manifest::ToolchainProbe& probe);

}  // namespace dsbuild::probe
