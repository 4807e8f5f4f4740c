// Makes a ZIP archive in memory whose bytes depend on nothing but names and contents.
// Knows the format; nothing of what is packed. Not by libarchive: its shared library and all that
// it needs would be loaded by every step that is launched.
#pragma once

#include <map>
#include <string>

namespace dsbuild {

/// A file of an archive.
struct ZipEntry {
  std::string content;
  bool executable = false;
};

/// By name, each at the first moment that the format can tell (1980), compressed where that helps.
/// Throws Error(bad_input) for what needs ZIP64 (4 GiB, or 65535 files).
/// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
std::string render_zip(const std::map<std::string, ZipEntry>& entries);

}  // namespace dsbuild
