#include "bundle/publish.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/scratch.h"
#include "bundle/bundle.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

bool try_rename(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

Error mount_point(const fs::path& place) {
  return Error(ExitCode::bad_input, "a mount point can't be replaced in one step", place.string(),
               "name a folder inside it, such as " + (place / "bundle").string());
}

/// overlayfs (a container's own file system) renames no folder of a lower layer: errno EXDEV.
/// Then the old one is taken apart, its index last, so that a rest is still known as a bundle.
void take_apart(const fs::path& place) {
  std::vector<fs::path> parts;
  for (const auto& entry : fs::directory_iterator(place)) {
    if (entry.path().filename() != kIndexName) parts.push_back(entry.path());
  }
  for (const fs::path& part : parts) write_removal(part);
  write_removal(place);
}

}  // namespace

std::optional<Error> check_place(const fs::path& out) {
  std::error_code error;
  const fs::path place = fs::weakly_canonical(out, error);
  const auto status = fs::status(place, error);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_directory(status)) {
    return Error(ExitCode::bad_input, "is no folder, so no bundle can be put there", out.string(),
                 "name another place with --out");
  }
  struct stat here {};
  struct stat above {};
  if (::stat(place.c_str(), &here) == 0 && ::stat((place / "..").c_str(), &above) == 0 &&
      (here.st_dev != above.st_dev || here.st_ino == above.st_ino)) {
    return mount_point(out);
  }
  if (!fs::exists(place / kIndexName) && !fs::is_empty(place, error)) {
    return Error(ExitCode::bad_input,
                 "holds other files and no bundle.json; it would be replaced as a whole",
                 out.string(), "name a new folder with --out, or empty this one");
  }
  return std::nullopt;
}

void replace_folder(const fs::path& fresh, const fs::path& place, bool may_exchange) {
  if (try_rename(fresh, place)) return;  // nothing was there, or an empty folder
  if (errno == EBUSY) throw mount_point(place);
  if (errno != ENOTEMPTY && errno != EEXIST) throw_file_error("can't put in place", place, errno);
  if (may_exchange &&
      ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
    return;
  }
  if (may_exchange && errno == EBUSY) throw mount_point(place);
  const ScratchFolder scratch(place);
  const fs::path old = scratch.path() / "old";
  const bool moved = try_rename(place, old);
  if (!moved && errno != EXDEV) throw_file_error("can't replace", place, errno);
  if (!moved) take_apart(place);
  if (try_rename(fresh, place)) return;
  const int reason = errno;
  if (moved) try_rename(old, place);
  throw_file_error("can't put in place", place, reason);
}

}  // namespace dsbuild::bundle
