// What a bundle's index says of one file's content, and how cheaply that can be known again.
// Knows files and images; nothing of plans.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/elf.h"

namespace dsbuild::bundle {

/// What the content of a file gives.
struct FileFacts {
  std::string sha256;
  std::uint64_t size = 0;
  std::vector<std::string> kernels;
  std::map<std::string, std::string> needs;  ///< "glibc", "libraries"
};

/// Libraries that every Linux system of that C library has: libc itself and its own parts.
bool is_libc(const std::string& soname);

/// What an image needs to be loaded: {"glibc": ">=2.14", "libraries": "libaio.so.1"}.
std::map<std::string, std::string> content_needs(const ElfFacts& facts);

/// Entry points that an index lists: kernels of device code, exports of host code.
const std::vector<std::string>& entry_points(const ElfFacts& facts);

/// Reads the file. `is_code`: it is a library or an image, not just bytes. Throws
/// Error(file_system), Error(interrupted).
FileFacts read_facts(const std::filesystem::path& path, bool is_code);

/// What tells that a file was not changed without reading it. The change time is set by the kernel
/// alone: who writes to a file, or moves another one into its place, can't give it its old one.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t inode = 0;

  bool operator==(const FileStamp&) const = default;
};

/// Empty when there is no regular file; `follow`: of what a link points to.
std::optional<FileStamp> read_stamp(const std::filesystem::path& path, bool follow);

}  // namespace dsbuild::bundle
