// What a process of this user may use here: folders and ulimits. Knows how the kernel tells it.
#pragma once

#include <cstdint>

#include "probe/scene.h"
#include "probe/survey.h"

namespace dsbuild::probe {

/// A file system by the number that statfs gives.
/// https://man7.org/linux/man-pages/man2/statfs.2.html
struct FileSystemRow {
  std::uint32_t magic;
  const char* name;
  bool network;
};
/// Null for one that isn't in the table.
const FileSystemRow* find_file_system(std::uint32_t magic);

/// Asks the kernel, so it is known for the running machine only.
Limits find_limits(const Scene& scene);

}  // namespace dsbuild::probe
