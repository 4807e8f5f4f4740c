// A vendor's library in the process that asks it: its calls by name, and what its codes mean.
// Knows no library.
#pragma once

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "base/fact.h"
#include "probe/devices/device_source.h"

namespace dsbuild::probe {

/// A code that says why something can't be asked.
struct CodeRow {
  int code;
  const char* status;
  const char* message;
  const char* fix;
};

/// What a call gives where the library lacks it.
inline constexpr int kNoCall = -1;
/// A library that counts more has no devices but rubbish.
inline constexpr unsigned kMostDevices = 1024;
/// Room for a text.
inline constexpr unsigned kRoom = 256;
using Text = std::array<char, kRoom>;

/// Buffers are not always terminated by who fills them.
inline std::string text_of(const Text& buffer) {
  return {buffer.begin(), std::find(buffer.begin(), buffer.end(), '\0')};
}

/// The open library. It stays open: some crash when they are closed.
class OpenLibrary {
 public:
  /// `name`: of the interface ("NVML"). `unsupported`: the code for what a device can't do.
  OpenLibrary(const char* name, std::span<const CodeRow> codes, int unsupported)
      : name_(name), codes_(codes), unsupported_(unsupported) {}

  /// Opens the file; the loader's message when it can't, else "".
  std::string open(const std::string& path) {
    library_ = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    return library_ != nullptr ? "" : ::dlerror();
  }

  /// Calls the first of these functions that the library has, else kNoCall.
  template <typename... Args>
  int call(std::initializer_list<const char*> names, Args... args) const {
    for (const char* name : names) {
      if (void* function = ::dlsym(library_, name))
        return reinterpret_cast<int (*)(Args...)>(function)(args...);
    }
    return kNoCall;
  }

  /// "the GPU must be reset (NVML code 16)"
  std::string describe(int code) const {
    return fmt::format("{} ({} code {})", row_of(code).message, name_, code);
  }

  /// What a failed start means.
  SourceStatus refused(int code) const {
    if (code == kNoCall)
      return unusable("symbol_missing", fmt::format("the library lacks calls of {}", name_),
                      "reinstall the driver: this file is another's, or damaged");
    return unusable(row_of(code).status, describe(code), row_of(code).fix);
  }

  SourceStatus too_many(unsigned count) const {
    return unusable("degraded", fmt::format("the library counts {} devices", count),
                    "reinstall the driver: this file is another's, or damaged");
  }

  template <typename T>
  Fact<T> fact(int code, T value, const char* source) const {
    if (code == 0) return Fact<T>::known(std::move(value), source);
    if (code == kNoCall)
      return Fact<T>::missing("this version of the library has no such call", source);
    if (code == unsupported_) return Fact<T>::missing("not supported by this device", source);
    return Fact<T>::missing(describe(code), source);
  }

 private:
  CodeRow row_of(int code) const {
    for (const CodeRow& row : codes_) {
      if (row.code == code) return row;
    }
    return {code, "degraded", "the library refused", "look at what the driver's own tool says"};
  }

  const char* name_;
  std::span<const CodeRow> codes_;
  int unsupported_;
  void* library_ = nullptr;
};

}  // namespace dsbuild::probe
