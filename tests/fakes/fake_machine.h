// What a fake of a vendor's library answers from: the machine file that DSBUILD_FAKE_MACHINE names,
// as tests/machines has them. A source's devices are those that it has under machine.sources, else
// the machine's devices of its accelerator; its failures are faults.<source>: init_code, hang_ms,
// crash (abort, segv, exit), stub (every call gives 34), count, unterminated, codes (one for each
// device), devices (what an imitator says instead). Knows no library's calls.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace fake {

using Json = nlohmann::json;

/// What one source of the machine gives.
class Source {
 public:
  Source(const char* id, const char* accelerator) {
    const Json file = Json::parse(std::ifstream(std::getenv("DSBUILD_FAKE_MACHINE")));
    if (file.contains("faults")) faults_ = file.at("faults").value(id, Json::object());
    const Json& machine = file.at("machine");
    devices_ = Json::array();
    for (const Json& device : machine.value("devices", Json::array())) {
      if (device.at("accelerator") == accelerator) devices_.push_back(device);
    }
    for (const Json& source : machine.value("sources", Json::array())) {
      if (source.at("id") != id) continue;
      source_ = source;
      if (source.contains("devices")) devices_ = with_pci_ids(source.at("devices"), devices_);
    }
    if (faults_.contains("devices")) devices_ = faults_.at("devices");
  }

  /// What the library does before anything else: prints, hangs, dies, or refuses with a code.
  int init() const {
    std::puts("a library that prints");
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(fault("hang_ms", 0)));
    const std::string crash = fault("crash", "");
    if (crash == "abort") std::abort();
    if (crash == "segv") std::raise(SIGSEGV);
    if (crash == "exit") std::exit(0);
    return fault("stub", false) ? kStub : fault("init_code", 0);
  }

  bool is_stub() const { return fault("stub", false); }
  static constexpr int kStub = 34;  ///< CUDA_ERROR_STUB_LIBRARY

  std::size_t size() const { return devices_.size(); }
  unsigned count() const { return fault("count", static_cast<unsigned>(size())); }
  /// What asking for the device gives; 0: it can be asked.
  int code(std::size_t index) const {
    const Json codes = fault("codes", Json::array());
    return index < codes.size() ? codes[index].get<int>() : 0;
  }
  const Json& device(std::size_t index) const { return devices_.at(index); }
  const Json& self() const { return source_; }

  /// Fills all of a buffer, and with the fault `unterminated` to its end.
  void give_text(const std::string& text, char* buffer, std::size_t size) const {
    std::memset(buffer, fault("unterminated", false) ? 'x' : 0, size);
    std::memcpy(buffer, text.data(), std::min(text.size(), size));
  }

 private:
  /// A source doesn't say the PCI ids of its devices; the machine does.
  static Json with_pci_ids(Json devices, const Json& known) {
    for (Json& device : devices) {
      for (const Json& other : known) {
        if (other.at("address") == device.value("address", "")) device["id"] = other.at("id");
      }
    }
    return devices;
  }
  template <typename T>
  T fault(const char* name, T otherwise) const {
    return faults_.value(name, std::move(otherwise));
  }
  std::string fault(const char* name, const char* otherwise) const {
    return faults_.value(name, otherwise);
  }

  Json source_ = Json::object(), faults_ = Json::object(), devices_;
};

/// A fact's value; empty: the machine doesn't say it.
template <typename T>
std::optional<T> fact(const Json& object, const char* key) {
  if (!object.contains(key) || !object.at(key).contains("value")) return std::nullopt;
  return object.at(key).at("value").get<T>();
}

/// A fact's value into `out`; else `otherwise`, the library's code for what is not supported.
template <typename T, typename Out>
int give(const Json& object, const char* key, Out* out, int otherwise) {
  const auto value = fact<T>(object, key);
  if (!value) return otherwise;
  *out = static_cast<Out>(*value);
  return 0;
}

/// The parts of "0000:17:00.0".
struct Address {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
};
inline Address address_of(const Json& device) {
  Address address;
  const std::string text = device.value("address", "");
  std::sscanf(text.c_str(), "%x:%x:%x.%x", &address.domain, &address.bus, &address.device,
              &address.function);
  return address;
}

/// The two halves of "10de:2330".
struct PciId {
  unsigned vendor = 0, device = 0;
};
inline PciId pci_id_of(const Json& device) {
  PciId id;
  const std::string text = device.value("id", "");
  std::sscanf(text.c_str(), "%x:%x", &id.vendor, &id.device);
  return id;
}

/// The number behind the prefix: 90 of "sm_90", 121 of "sm_121".
inline int capability_of(const Json& device) {
  const std::string arch = fact<std::string>(device, "arch").value_or("sm_0");
  int number = 0;
  std::from_chars(arch.data() + arch.find('_') + 1, arch.data() + arch.size(), number);
  return number;
}

/// CUDA's number of "13.0": 13000.
inline std::optional<int> api_version_of(const Source& source) {
  const auto text = fact<std::string>(source.self(), "api_version");
  if (!text) return std::nullopt;
  int major = 0, minor = 0;
  std::sscanf(text->c_str(), "%d.%d", &major, &minor);
  return 1000 * major + 10 * minor;
}

}  // namespace fake
