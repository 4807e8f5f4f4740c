// Knows how to make bundles out of the toy op's files, and how to call a function of one.
// Does not know what a test expects.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "dsops/op.h"

/// Where CMake leaves the compiled files of toy/.
inline const std::filesystem::path kToyFiles = DSOPS_TOY_FILES;

/// A folder that goes away with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dsops-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::filesystem::path path;
};

/// A bundle that grows by copies of toy files.
class ToyBundle : public TempFolder {
 public:
  ToyBundle() { std::filesystem::create_directories(path / "lib" / DSOPS_TOY_TRIPLE); }

  /// `file` is the name in kToyFiles, `place` the one in the bundle.
  ToyBundle& add(const std::string& file, const std::string& place) {
    const std::filesystem::path to = path / place;
    std::filesystem::create_directories(to.parent_path());
    std::filesystem::copy_file(kToyFiles / file, to);
    return *this;
  }
  ToyBundle& add_op() { return add("toy.so", std::string("lib/" DSOPS_TOY_TRIPLE) + "/toy.so"); }
  ToyBundle& add_all() {
    add_op();
#if defined(__x86_64__)
    for (const char* level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
      add(std::string(level) + ".so", std::string("images/toy/cpu/") + level + ".so");
    }
    return add("emu.so", "images/toy/emu/x86_64.so");
#else
    add("armv8-a.so", "images/toy/cpu/armv8-a.so");
    return add("emu.so", "images/toy/emu/aarch64.so");
#endif
  }
};

/// An open bundle; the test fails if it can't be opened.
class OpenBundle {
 public:
  explicit OpenBundle(const std::filesystem::path& path) {
    INFO(dsops_last_error());
    REQUIRE(dsops_bundle_open(path.c_str(), &bundle) == DSOPS_OK);
  }
  ~OpenBundle() { dsops_bundle_close(bundle); }
  OpenBundle(const OpenBundle&) = delete;
  OpenBundle& operator=(const OpenBundle&) = delete;

  dsops_callable* find(const char* function) const {
    dsops_callable* callable = nullptr;
    INFO(dsops_last_error());
    REQUIRE(dsops_find(bundle, "toy", function, &callable) == DSOPS_OK);
    return callable;
  }

  dsops_bundle* bundle = nullptr;
};

/// A tensor with one dimension over a vector's memory, which must stay.
template <typename T>
struct Vector {
  explicit Vector(std::vector<T>& values, std::uint8_t code = DSOPS_CODE_FLOAT)
      : length(static_cast<std::int64_t>(values.size())) {
    tensor.data = values.data();
    tensor.device.device_type = DSOPS_DEVICE_CPU;
    tensor.ndim = 1;
    tensor.dtype = {code, sizeof(T) * 8, 1};
    tensor.shape = &length;
  }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  std::int64_t length;
  DLTensor tensor = {};
};

/// Calls with default exec unless one is given.
inline std::int32_t call(dsops_callable* callable, std::initializer_list<dsops_value> args,
                         const dsops_exec* exec = nullptr) {
  return dsops_call(callable, exec, args.begin(), static_cast<std::uint32_t>(args.size()));
}

/// An exec for a device, and for a number of threads.
inline dsops_exec exec_on(std::int32_t device_type, std::int32_t threads = 0) {
  dsops_exec exec = DSOPS_EXEC_INIT;
  exec.device_type = device_type;
  exec.num_threads = threads;
  return exec;
}

/// An environment variable while the object lives; nullptr unsets it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    had_ = std::getenv(name) != nullptr;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
  bool had_ = false;
};
