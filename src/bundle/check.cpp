#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/elf.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "bundle/check_image.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

/// "x86_64" of "x86_64-linux-gnu", as uname says it.
std::string machine_of(const std::string& triple) {
  const std::string machine = triple.substr(0, triple.find('-'));
  return machine == "powerpc64le" ? "ppc64le" : machine;
}

class Check {
 public:
  Check(const fs::path& folder, const BundleIndex& index) : folder_(folder), index_(index) {}

  std::vector<Diagnostic> run() {
    for (const BundleFile& file : index_.files) check_file(file);
    check_unlisted();
    return std::move(problems_);
  }

 private:
  void tell(const std::string& file, std::string message, std::string hint = {}) {
    problems_.push_back({Severity::error, file, "", std::move(message), std::move(hint)});
  }

  void check_file(const BundleFile& file) {
    stop_if_interrupted();
    const fs::path path = folder_ / file.path;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(path, error);
    if (!fs::exists(status)) return tell(file.path, "is missing");
    if (fs::is_symlink(status)) return tell(file.path, "is a link; a bundle has files of its own");
    if (!fs::is_regular_file(status)) return tell(file.path, "is no regular file");
    const std::uint64_t size = fs::file_size(path, error);
    if (size != file.size) {
      tell(file.path, fmt::format("has {} bytes, the index says {}", size, file.size));
    } else if (sha256_file(path) != file.sha256) {
      tell(file.path, "holds other bytes than the index says (SHA-256)");
    }
    if (file.op.empty()) return;
    for (std::string& problem : check_image(file, read_image(path), machine_of(index_.triple))) {
      tell(file.path, std::move(problem));
    }
  }

  /// Links are not followed, so nothing out of the bundle is looked at.
  void check_unlisted() {
    std::set<std::string> listed{std::string(kIndexName)};
    for (const BundleFile& file : index_.files) listed.insert(file.path);
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder_, error)) {
      const fs::file_status status = entry.symlink_status();
      if (!fs::is_directory(status)) found.push_back(entry.path().lexically_relative(folder_));
    }
    std::sort(found.begin(), found.end());
    for (const std::string& path : found) {
      if (!listed.contains(path)) tell(path, "is not in the index");
    }
  }

  const fs::path& folder_;
  const BundleIndex& index_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

std::vector<Diagnostic> check_bundle(const fs::path& folder, const BundleIndex& index) {
  return Check(folder, index).run();
}

}  // namespace dsbuild::bundle
