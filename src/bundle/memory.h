// What the last publication learnt of files, kept in the build folder so that the next one need not
// read them again. Knows stamps and facts; nothing of bundles' meaning. It is a cache: when it is
// lost or damaged, files are read.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "bundle/file_facts.h"

namespace dsbuild::bundle {

/// A file as it was seen.
struct Remembered {
  FileStamp stamp;
  FileFacts facts;
};

class Memory {
 public:
  /// An empty one when there is none in `folder`.
  explicit Memory(const std::filesystem::path& folder);

  /// The facts of a file, from memory if its stamp says that it is as it was; else read, and
  /// remembered. `path` is followed if it is a link. Throws Error(file_system).
  const FileFacts& facts(const std::filesystem::path& path, bool is_code);

  /// Remembers facts that are known by other means.
  void put(const std::filesystem::path& path, const FileFacts& facts);

  /// Replaces the file if something new was learnt; one that can't be written is no error.
  void write() const;

 private:
  bool still_holds(const Remembered& file, const FileStamp& now) const;

  std::filesystem::path path_;
  std::int64_t written_ns_ = 0;  ///< when it was written, by the clock of its file system
  std::map<std::string, Remembered> old_;
  std::map<std::string, Remembered> files_;  ///< asked for this time
  bool learnt_ = false;
};

}  // namespace dsbuild::bundle
