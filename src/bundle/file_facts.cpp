#include "bundle/file_facts.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

// libpthread, libdl and librt are parts of libc since glibc 2.34 and come with it before. libm
// comes with it too, and is not here: two machines' libm don't give the same bits.
constexpr auto kLibc = std::to_array<std::string_view>({
    "libc.so.",
    "libc.musl-",
    "ld-linux",
    "ld64.so.",
    "libpthread.so.",
    "libdl.so.",
    "librt.so.",
});

}  // namespace

bool is_libc(const std::string& soname) {
  return std::any_of(kLibc.begin(), kLibc.end(),
                     [&](std::string_view prefix) { return soname.starts_with(prefix); });
}

std::map<std::string, std::string> content_needs(const ElfFacts& facts) {
  std::map<std::string, std::string> needs;
  if (!facts.glibc.empty()) needs["glibc"] = ">=" + facts.glibc;
  std::vector<std::string> others;
  std::copy_if(facts.needed.begin(), facts.needed.end(), std::back_inserter(others),
               [](const std::string& name) { return !is_libc(name); });
  if (!others.empty()) needs["libraries"] = join(others, " ");
  return needs;
}

const std::vector<std::string>& entry_points(const ElfFacts& facts) {
  return facts.device ? facts.kernels : facts.exported;
}

FileFacts read_facts(const fs::path& path, bool is_code) {
  stop_if_interrupted();
  FileFacts facts;
  facts.sha256 = sha256_file(path);
  facts.size = fs::file_size(path);
  if (is_code) {
    const ElfFacts image = read_image(path);
    facts.kernels = entry_points(image);
    facts.needs = content_needs(image);
  }
  return facts;
}

std::optional<FileStamp> read_stamp(const fs::path& path, bool follow) {
  struct stat status {};
  const int failed = follow ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status);
  if (failed != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto nanoseconds = [](const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return FileStamp{static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
                   nanoseconds(status.st_ctim), status.st_ino};
}

}  // namespace dsbuild::bundle
