// A libnvidia-ml.so.1 for tests: answers from the JSON file that DSBUILD_FAKE_MACHINE names, and
// fails as it says: init_code, hang_ms, crash (abort, segv, exit), count, unterminated, and a
// device's code. Built with OLD it has only the first versions of the calls.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace {

const nlohmann::json& fake() {
  static const nlohmann::json kFake =
      nlohmann::json::parse(std::ifstream(std::getenv("DSBUILD_FAKE_MACHINE")));
  return kFake;
}

constexpr int kNotSupported = 3;

int give_text(const std::string& text, char* buffer, unsigned size) {
  std::memset(buffer, fake().value("unterminated", false) ? 'x' : 0, size);
  std::memcpy(buffer, text.data(), std::min<std::size_t>(text.size(), size));
  return 0;
}

const nlohmann::json& device(void* handle) {
  return fake().at("devices").at(reinterpret_cast<std::size_t>(handle) - 1);
}

template <typename T>
int give(void* handle, const char* key, T* out) {
  if (!device(handle).contains(key)) return kNotSupported;
  *out = device(handle).at(key).get<T>();
  return 0;
}

int init() {
  std::puts("a library that prints");
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::milliseconds(fake().value("hang_ms", 0)));
  const std::string crash = fake().value("crash", "");
  if (crash == "abort") std::abort();
  if (crash == "segv") std::raise(SIGSEGV);
  if (crash == "exit") std::exit(0);
  return fake().value("init_code", 0);
}

int handle_by_index(unsigned index, void** out) {
  if (index >= fake().at("devices").size()) return 2;
  *out = reinterpret_cast<void*>(static_cast<std::size_t>(index) + 1);
  return device(*out).value("code", 0);
}

int count(unsigned* out) {
  *out = fake().value("count", static_cast<unsigned>(fake().at("devices").size()));
  return 0;
}

struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
};

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))
#ifdef OLD
EXPORT int nvmlInit() {
  return init();
}
EXPORT int nvmlDeviceGetCount(unsigned* out) {
  return count(out);
}
EXPORT int nvmlDeviceGetHandleByIndex(unsigned i, void** out) {
  return handle_by_index(i, out);
}
EXPORT int nvmlDeviceGetPciInfo_v2(void* handle, PciInfo* out) {
  return give(handle, "bus", &out->bus);
}
#else
EXPORT int nvmlInit_v2() {
  return init();
}
EXPORT int nvmlDeviceGetCount_v2(unsigned* out) {
  return count(out);
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** out) {
  return handle_by_index(i, out);
}
EXPORT int nvmlDeviceGetPciInfo_v3(void* handle, PciInfo* out) {
  return give(handle, "bus", &out->bus);
}
EXPORT int nvmlDeviceGetPowerUsage(void* handle, unsigned* out) {
  return give(handle, "power", out);
}
EXPORT int nvmlDeviceGetMigMode(void* handle, unsigned* mode, unsigned*) {
  *mode = device(handle).contains("mig") ? 1 : 0;
  return 0;
}
EXPORT int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* out) {
  *out = 7;
  return 0;
}
EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(void* handle, unsigned i, void** out) {
  *out = handle;
  return i < device(handle).at("mig").get<unsigned>() ? 0 : 6;
}
#endif
EXPORT int nvmlSystemGetDriverVersion(char* buffer, unsigned size) {
  return give_text("580.65.06", buffer, size);
}
EXPORT int nvmlDeviceGetName(void* handle, char* buffer, unsigned size) {
  return give_text(device(handle).value("name", ""), buffer, size);
}
EXPORT int nvmlDeviceGetCudaComputeCapability(void* handle, int* major, int* minor) {
  const int capability = device(handle).at("capability").get<int>();
  *major = capability / 10;
  *minor = capability % 10;
  return 0;
}
EXPORT int nvmlDeviceGetMemoryInfo(void* handle, unsigned long long* out) {
  return give(handle, "memory", out);
}
