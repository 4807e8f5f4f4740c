// What dsbuild has put into a folder of packages that is not its own, with what it replaced there:
// publishes file by file, and takes it back. Knows files and hashes; nothing of Python or of ops.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dsbuild::bundle {

/// A file that was put there.
struct InstalledFile {
  std::string op;      ///< empty: the record of ops
  std::string sha256;  ///< of what was put there
  std::string kept;    ///< of what it replaced, which is kept; empty: nothing was there
  std::string before;  ///< of what dsbuild had put there before; empty: nothing
};

/// The list of them, installed.json in a folder of ours beside them.
struct Installed {
  bool complete = true;  ///< false: it was interrupted, some of the files may be the old ones
  std::string accelerator;
  std::map<std::string, InstalledFile> files;  ///< by path below the folder of packages
  std::vector<std::string> folders;            ///< that were made for them, the outer ones first
};

/// Where they lie.
struct InstallPlace {
  std::filesystem::path site;  ///< the folder of packages
  std::filesystem::path own;   ///< ours in it: the list, what is kept
  std::filesystem::path like;  ///< a file whose mode new ones get
};

/// Empty when there is none. Throws Error(bad_artifact) for one that can't be understood.
Installed read_installed(const InstallPlace& place);

/// A file to put there: path -> where its content lies now.
struct NewFile {
  std::string op;
  std::filesystem::path from;
};

/// Puts them there in the order of their paths, `last` after all others. What stood there is kept
/// first; the list says what is going on before anything is changed, so that write_uninstall undoes
/// an interrupted call, too. Throws Error(file_system), Error(interrupted).
void write_installed(const InstallPlace& place, Installed installed,
                     const std::map<std::string, NewFile>& files, const std::string& last);

/// What taking back did with a file.
struct TakenBack {
  std::string path;
  enum class What { removed, restored, left } what = What::removed;
};

/// Takes everything back, `first` before all others: what was kept stands there again. A file that
/// somebody else has changed since is left, and every file that `still_wanted` is true of.
std::vector<TakenBack> write_uninstall(
    const InstallPlace& place, const Installed& installed, const std::string& first,
    const std::function<bool(const InstalledFile&)>& still_wanted);

/// Throws Error(file_system) with owner and mode when something can't be written in the folder, or
/// in the nearest one above that exists.
void check_writable(const std::filesystem::path& folder);

}  // namespace dsbuild::bundle
