// A libcuda.so.1 for tests. As the real one it counts only what CUDA_VISIBLE_DEVICES shows, and as
// a toolkit's stub (the fault `stub`) every call gives 34.
#include "cuda_types.h"
#include "fake_machine.h"

using namespace fake::cuda;

#define CALL(name, ...) EXPORT int name(__VA_ARGS__);
#include "cuda_calls.h"
#undef CALL
EXPORT int cuDeviceGetUuid(Uuid* out, int device);

namespace {

constexpr int kInvalidValue = 1, kNotInitialized = 3, kNoDevice = 100, kInvalidDevice = 101;
bool initialized = false;

const fake::Source& source() {
  static const fake::Source kSource("nvidia/cuda", "cuda");
  return kSource;
}

/// The devices' numbers that the variable shows, up to the first that is none.
std::vector<std::size_t> visible_devices() {
  std::vector<std::size_t> all;
  const char* variable = std::getenv("CUDA_VISIBLE_DEVICES");
  if (variable == nullptr) {
    for (std::size_t i = 0; i < source().size(); ++i) all.push_back(i);
    return all;
  }
  for (const char* at = variable; *at != '\0';) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(at, at + std::strlen(at), number);
    if (error != std::errc() || number >= source().size()) break;
    all.push_back(number);
    at = *end == ',' ? end + 1 : end;
  }
  return all;
}

int refuse() {
  if (source().is_stub()) return fake::Source::kStub;
  return initialized ? 0 : kNotInitialized;
}

/// Calls `use` with what the machine says of the device.
template <typename Use>
int with(int device, Use use) {
  if (const int code = refuse(); code != 0) return code;
  const std::vector<std::size_t> visible = visible_devices();
  if (device < 0 || static_cast<std::size_t>(device) >= visible.size()) return kInvalidDevice;
  const std::size_t index = visible[static_cast<std::size_t>(device)];
  if (const int code = source().code(index); code != 0) return code;
  return use(source().device(index));
}

}  // namespace

int cuInit(unsigned) {
  const int code = source().init();
  if (code == 0 && visible_devices().empty()) return kNoDevice;
  initialized = code == 0;
  return code;
}

int cuDriverGetVersion(int* out) {
  if (source().is_stub()) return fake::Source::kStub;
  *out = fake::api_version_of(source()).value_or(0);
  return 0;
}

int cuDeviceGetCount(int* out) {
  *out = static_cast<int>(source().count() == source().size() ? visible_devices().size()
                                                              : source().count());
  return refuse();
}

int cuDeviceGet(int* out, int ordinal) {
  *out = ordinal;
  return with(ordinal, [](const fake::Json&) { return 0; });
}

int cuDeviceGetAttribute(int* out, Attribute attribute, int device) {
  return with(device, [&](const fake::Json& facts) {
    const int capability = fake::capability_of(facts);
    const fake::Address address = fake::address_of(facts);
    switch (attribute) {
      case Attribute::bus:
        *out = static_cast<int>(address.bus);
        return 0;
      case Attribute::device:
        *out = static_cast<int>(address.device);
        return 0;
      case Attribute::domain:
        *out = static_cast<int>(address.domain);
        return 0;
      case Attribute::major:
        *out = capability / 10;
        return 0;
      case Attribute::minor:
        *out = capability % 10;
        return 0;
      default:
        return kInvalidValue;
    }
  });
}

int cuDeviceGetName(char* buffer, int size, int device) {
  return with(device, [&](const fake::Json& facts) {
    source().give_text(fake::fact<std::string>(facts, "name").value_or(""), buffer,
                       static_cast<std::size_t>(size));
    return 0;
  });
}

/// The bytes of "GPU-7d5f…": the digits without dashes.
int cuDeviceGetUuid(Uuid* out, int device) {
  return with(device, [&](const fake::Json& facts) {
    std::string digits = fake::fact<std::string>(facts, "uuid").value_or("GPU-");
    digits.erase(0, 4);
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    *out = {};
    for (std::size_t i = 0; i < 16 && 2 * i + 1 < digits.size(); ++i) {
      unsigned byte = 0;
      std::from_chars(&digits[2 * i], &digits[2 * i] + 2, byte, 16);
      out->bytes[i] = static_cast<char>(byte);
    }
    return 0;
  });
}

int cuDeviceGetUuid_v2(Uuid* out, int device) {
  return cuDeviceGetUuid(out, device);
}

int cuDeviceGetPCIBusId(char* buffer, int size, int device) {
  return with(device, [&](const fake::Json& facts) {
    source().give_text(facts.value("address", ""), buffer, static_cast<std::size_t>(size));
    return 0;
  });
}

int cuDeviceTotalMem_v2(std::size_t* out, int device) {
  return with(device, [&](const fake::Json& facts) {
    return fake::give<std::int64_t>(facts, "memory", out, kInvalidValue);
  });
}

int cuGetErrorName(Code, const char** out) {
  *out = "a code of the fake";
  return 0;
}
