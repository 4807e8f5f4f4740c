// A librocm_smi64.so.1 for tests.
#include "fake_machine.h"
#include "rocm_smi_types.h"

using namespace fake::rocm_smi;

#define CALL(name, ...) EXPORT int name(__VA_ARGS__);
#include "rocm_smi_calls.h"
#undef CALL

namespace {

const fake::Source& source() {
  static const fake::Source kSource("amd/rocm_smi", "rocm");
  return kSource;
}

/// Calls `use` with what the machine says of the device.
template <typename Use>
int with(std::uint32_t device, Use use) {
  if (device >= source().size()) return Status::invalid_arguments;
  const int code = source().code(device);
  return code != 0 ? code : use(source().device(device));
}

/// A number that the machine says, times `scale`.
template <typename Out>
int give(std::uint32_t device, const char* key, Out* out, Out scale = 1) {
  return with(device, [&](const fake::Json& facts) {
    const int code = fake::give<std::int64_t>(facts, key, out, Status::not_supported);
    if (code == 0) *out *= scale;
    return code;
  });
}

}  // namespace

int rsmi_init(std::uint64_t) {
  return source().init();
}

int rsmi_shut_down() {
  return 0;
}

int rsmi_num_monitor_devices(std::uint32_t* out) {
  *out = source().count();
  return 0;
}

int rsmi_dev_pci_id_get(std::uint32_t device, std::uint64_t* out) {
  return with(device, [&](const fake::Json& facts) {
    const fake::Address at = fake::address_of(facts);
    *out = std::uint64_t{at.domain} << 32 | at.bus << 8 | at.device << 3 | at.function;
    return 0;
  });
}

int rsmi_dev_id_get(std::uint32_t device, std::uint16_t* out) {
  return with(device, [&](const fake::Json& facts) {
    *out = static_cast<std::uint16_t>(fake::pci_id_of(facts).device);
    return 0;
  });
}

int rsmi_dev_vendor_id_get(std::uint32_t device, std::uint16_t* out) {
  return with(device, [&](const fake::Json& facts) {
    *out = static_cast<std::uint16_t>(fake::pci_id_of(facts).vendor);
    return 0;
  });
}

int rsmi_dev_name_get(std::uint32_t device, char* buffer, std::size_t size) {
  return with(device, [&](const fake::Json& facts) {
    const auto name = fake::fact<std::string>(facts, "name");
    if (!name) return int{Status::not_supported};
    source().give_text(*name, buffer, size);
    return 0;
  });
}

/// The number in "GPU-5f1c…" or "0x5f1c…".
int rsmi_dev_unique_id_get(std::uint32_t device, std::uint64_t* out) {
  return with(device, [&](const fake::Json& facts) {
    const auto text = fake::fact<std::string>(facts, "uuid");
    if (!text) return int{Status::not_supported};
    const std::size_t digits = text->find_first_of("-x");
    const std::size_t start = digits == std::string::npos ? 0 : digits + 1;
    std::from_chars(text->data() + start, text->data() + text->size(), *out, 16);
    return 0;
  });
}

int rsmi_dev_memory_total_get(std::uint32_t device, MemoryType, std::uint64_t* out) {
  return give(device, "memory", out);
}

int rsmi_dev_memory_usage_get(std::uint32_t device, MemoryType, std::uint64_t* out) {
  return give(device, "memory_used", out);
}

/// Microwatts of the machine's milliwatts.
int rsmi_dev_power_ave_get(std::uint32_t device, std::uint32_t, std::uint64_t* out) {
  return give(device, "power", out, std::uint64_t{1000});
}

/// Counts of 1000 microjoules each: the machine's millijoules.
int rsmi_dev_energy_count_get(std::uint32_t device, std::uint64_t* counter, float* resolution,
                              std::uint64_t* time) {
  if (resolution != nullptr) *resolution = 1000.0F;
  if (time != nullptr) *time = 0;
  return give(device, "energy", counter);
}

int rsmi_dev_busy_percent_get(std::uint32_t device, std::uint32_t* out) {
  return give(device, "utilization", out);
}

/// Debian's 5.2.3 says this, and so does ROCm 7's with its newer ABI.
int rsmi_version_get(Version* out) {
  *out = {1, 0, 0, "fake"};
  return 0;
}

/// The kernel driver's.
int rsmi_version_str_get(Component, char* buffer, std::uint32_t size) {
  const auto version = fake::fact<std::string>(source().self(), "driver_version");
  if (!version) return int{Status::not_supported};
  source().give_text(*version, buffer, size);
  return 0;
}

int rsmi_status_string(Status, const char** out) {
  *out = "a status of the fake";
  return 0;
}
