#include <algorithm>

#include "base/text.h"
#include "manifest/arch_name.h"

namespace dsbuild::manifest {
namespace {

constexpr std::string_view kFamily = "-generic";

bool begins_with(const std::vector<int>& number, const std::vector<int>& prefix) {
  return prefix.size() <= number.size() && std::equal(prefix.begin(), prefix.end(), number.begin());
}

/// Code for (major, minor) runs on that major from that minor on; "a" on that very one; "f" within
/// the family. The portable form is compiled by the driver for anything later. Between boards and
/// integrated chips NVIDIA promises less: that isn't told by the number.
/// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#binary-compatibility
bool capability_runs(const ArchName& image, bool portable, const ArchName& device) {
  if (image.suffix == "a") return image.number == device.number;
  if (portable && image.suffix.empty()) return image.number <= device.number;
  return image.number.front() == device.number.front() && image.number <= device.number;
}

/// The same processor, or one of the family; a feature that the image was built for must be as the
/// device has it, where that is known. https://llvm.org/docs/AMDGPUUsage.html#target-id
bool target_runs(const ArchName& image, const ArchName& device) {
  std::string features = image.suffix;
  if (features.starts_with(kFamily)) {
    if (!begins_with(device.number, image.number)) return false;
    features.erase(0, kFamily.size());
  } else if (image.number != device.number) {
    return false;
  }
  const std::vector<std::string> has = split(device.suffix, ":");
  const std::vector<std::string> wants = split(features, ":");
  return std::none_of(wants.begin(), wants.end(), [&](std::string feature) {
    feature.back() = feature.back() == '+' ? '-' : '+';
    return std::find(has.begin(), has.end(), feature) != has.end();
  });
}

}  // namespace

bool arch_runs_on(const Accelerator& accelerator, const ArchName& image, bool portable,
                  const ArchName& device) {
  switch (accelerator.archs.scheme) {
    case ArchScheme::capability:
      return capability_runs(image, portable, device);
    case ArchScheme::target:
      return target_runs(image, device);
    case ArchScheme::names:
      return image.number <= device.number;
  }
  return false;
}

}  // namespace dsbuild::manifest
