// The machine as the program reads it: files and environment, through a root folder that can be
// replaced, so that a machine can be faked and a chroot probed. Knows no file's meaning; writes
// nothing (files.h writes) and starts nothing (process.h does).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsbuild {

/// What identifies a file's content without reading it.
struct FileStatus {
  enum class Kind { file, folder, other } kind = Kind::other;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t inode = 0;
  bool executable = false;  ///< by the calling user

  bool is_file() const { return kind == Kind::file; }
  bool is_folder() const { return kind == Kind::folder; }
};

/// Environment variables, by name.
using Environment = std::map<std::string, std::string, std::less<>>;

/// Read access to a machine. Paths are absolute and lie inside the root; no call throws for a file
/// that is missing or unreadable.
class System {
 public:
  virtual ~System() = default;

  /// The file's first `bytes` bytes, all of a shorter one; empty optional when it can't be read.
  virtual std::optional<std::string> read_start(const std::filesystem::path& path,
                                                std::uint64_t bytes) const = 0;
  /// Names in a folder, in byte order; empty when there is none.
  virtual std::vector<std::string> list_folder(const std::filesystem::path& path) const = 0;
  /// Follows links, those out of the root too, as the root itself would.
  virtual std::optional<FileStatus> status(const std::filesystem::path& path) const = 0;
  /// The path with every link followed, still inside the root; empty when it doesn't exist.
  virtual std::optional<std::filesystem::path> resolve(const std::filesystem::path& path) const = 0;
  /// Whether the last name of the path is a link.
  virtual bool is_link(const std::filesystem::path& path) const = 0;
  /// Where a process outside the root finds this path.
  virtual std::filesystem::path host_path(const std::filesystem::path& path) const = 0;
  virtual const Environment& environment() const = 0;

  /// The file's text; empty optional when it can't be read or is larger than `limit` bytes.
  std::optional<std::string> read_file(const std::filesystem::path& path,
                                       std::uint64_t limit = 64u << 20) const;
  bool exists(const std::filesystem::path& path) const { return status(path).has_value(); }
  /// A variable's value; unset and empty are both "not set", as most tools take them.
  std::optional<std::string> env(std::string_view name) const;
};

/// The running machine, or the part of it below `root`.
class PosixSystem final : public System {
 public:
  explicit PosixSystem(std::filesystem::path root = "/");
  PosixSystem(std::filesystem::path root, Environment environment);

  std::optional<std::string> read_start(const std::filesystem::path& path,
                                        std::uint64_t bytes) const override;
  std::vector<std::string> list_folder(const std::filesystem::path& path) const override;
  std::optional<FileStatus> status(const std::filesystem::path& path) const override;
  std::optional<std::filesystem::path> resolve(const std::filesystem::path& path) const override;
  bool is_link(const std::filesystem::path& path) const override;
  std::filesystem::path host_path(const std::filesystem::path& path) const override;
  const Environment& environment() const override { return environment_; }

 private:
  std::filesystem::path root_;
  Environment environment_;
};

/// The variables of this process.
Environment current_environment();

/// Folders of `PATH`, in order; relative and empty ones (the current folder) are left out.
std::vector<std::filesystem::path> path_folders(const System& system);

/// The first executable of that name on `PATH`.
std::optional<std::filesystem::path> find_program(const System& system, std::string_view name);

}  // namespace dsbuild
