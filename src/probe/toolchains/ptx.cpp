#include "probe/toolchains/ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dsbuild::probe {
namespace {

Version make_version(int major, int minor) {
  Version version{{major, minor}, {}};
  version.text = version.number();
  return version;
}

/// CUDA 12.6 brought no PTX version, so the later ones of 12 lag by one.
constexpr int kLaggingMajor = 12;
constexpr int kFirstLagging = 6;
constexpr int kMajorOffset = 4;

/// The newest "ptx<N>" in the NVPTX back end of each clang release (its subtarget features: looked
/// up in the libraries of 14 to 22).
struct ClangRow {
  int clang;
  int major;
  int minor;
};
constexpr std::array<ClangRow, 9> kClang{{
    {14, 7, 5},
    {15, 7, 5},
    {16, 7, 8},
    {17, 8, 1},
    {18, 8, 3},
    {19, 8, 5},
    {20, 8, 7},
    {21, 8, 8},
    {22, 9, 0},
}};

}  // namespace

Version ptx_of_cuda(const Version& release) {
  const bool lags = release.part(0) == kLaggingMajor && release.part(1) >= kFirstLagging;
  return make_version(release.part(0) - kMajorOffset, release.part(1) - (lags ? 1 : 0));
}

Version cuda_of_ptx(const Version& ptx) {
  const int major = ptx.part(0) + kMajorOffset;
  const bool lags = major == kLaggingMajor && ptx.part(1) >= kFirstLagging;
  return make_version(major, ptx.part(1) + (lags ? 1 : 0));
}

std::optional<Version> ptx_of_clang(const Version& clang) {
  const auto row = std::find_if(kClang.begin(), kClang.end(),
                                [&](const ClangRow& r) { return r.clang == clang.major_part(); });
  if (row == kClang.end()) return std::nullopt;
  return make_version(row->major, row->minor);
}

std::string render_ptx(const Version& ptx) {
  return fmt::format("ptx{}{}", ptx.part(0), ptx.part(1));
}

}  // namespace dsbuild::probe
