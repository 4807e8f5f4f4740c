// The two interfaces over devices: a source (a library or files that tell of devices of one kind)
// and the accelerator that owns one, starts and stops it and takes what it says. After Kepler's
// Device and Accelerator. Knows no library's calls and no process.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"
#include "probe/devices/source_report.h"
#include "probe/machine.h"

namespace dsbuild::probe {

/// Whether a source can be asked: "ok", or what is wrong, why, and what mends it.
struct SourceStatus {
  std::string status = "ok";
  std::string message;
  std::string fix;
  bool usable = true;  ///< it can be asked, whatever is wrong
};

/// Why nothing can be asked.
SourceStatus unusable(std::string status, std::string message, std::string fix = {});

/// What a source may look at. In a child process that is the library alone.
struct SourceScene {
  std::string library;  ///< the file to load; empty for sources that read files
  const System* system = nullptr;
  std::vector<Device> devices;  ///< those that the PCI bus has of the source's kind
};

/// How the reason ends where a source can't tell a fact at all.
inline constexpr std::string_view kUntold = "doesn't tell it";
inline std::string untold_by(std::string_view id) {
  return std::string(id) + " " + std::string(kUntold);
}

/// A source of facts about devices. A device is named by its place in what devices() gave, good
/// and bad ones; its address or UUID says which it is. What is not overridden, a source can't tell.
class DeviceSource {
 public:
  virtual ~DeviceSource() = default;
  virtual std::string_view id() const = 0;    ///< "nvidia/nvml"
  virtual std::string_view type() const = 0;  ///< the accelerator of its devices: "cuda"
  virtual Confidence confidence() const { return Confidence::measured; }

  /// Finds what it asks, and whether that answers. May be called again after unload().
  virtual SourceStatus load() = 0;
  virtual void unload() {}

  virtual Fact<std::string> driver_version() { return untold<std::string>(); }
  virtual Fact<std::string> api_version() { return untold<std::string>(); }
  /// What names each device, its arch and its memory; one that can't be asked has `problem`.
  virtual std::vector<SourceDevice> devices() = 0;
  virtual Fact<std::vector<DevicePart>> parts(std::size_t) {
    return untold<std::vector<DevicePart>>();
  }
  virtual Fact<std::int64_t> memory_used(std::size_t) { return untold<std::int64_t>(); }
  virtual Fact<std::int64_t> power(std::size_t) { return untold<std::int64_t>(); }
  virtual Fact<std::int64_t> energy(std::size_t) { return untold<std::int64_t>(); }
  virtual Fact<std::int64_t> utilization(std::size_t) { return untold<std::int64_t>(); }
  virtual Fact<std::vector<ProcessUse>> processes(std::size_t) {
    return untold<std::vector<ProcessUse>>();
  }

 protected:
  template <typename T>
  Fact<T> untold() const {
    return Fact<T>::missing(untold_by(id()));
  }
};

/// A source and its state: stopped, or running once its source could be loaded.
class DeviceAccelerator {
 public:
  /// Throws std::invalid_argument when there is no source.
  explicit DeviceAccelerator(std::unique_ptr<DeviceSource> source);
  ~DeviceAccelerator() { stop(); }
  DeviceAccelerator(const DeviceAccelerator&) = delete;
  DeviceAccelerator& operator=(const DeviceAccelerator&) = delete;

  std::string_view type() const { return source_->type(); }
  std::string_view implementation() const { return source_->id(); }
  DeviceSource& source() { return *source_; }

  /// Loads the source; what it throws is a status too. Does nothing while it runs.
  const SourceStatus& start();
  void stop();
  bool running() const { return running_; }

  /// Everything that the source says, started or not. What goes wrong with one device is that
  /// device's problem.
  SourceReport report();

 private:
  std::unique_ptr<DeviceSource> source_;
  SourceStatus status_;
  bool running_ = false;
};

/// How many devices the source "dummy" invents.
inline constexpr const char* kDummyVariable = "DSBUILD_DUMMY_DEVICES";

// One file each.
std::unique_ptr<DeviceSource> make_dummy(const SourceScene& scene);
std::unique_ptr<DeviceSource> make_nvml(const SourceScene& scene);
std::unique_ptr<DeviceSource> make_cuda(const SourceScene& scene);
std::unique_ptr<DeviceSource> make_nvidia_files(const SourceScene& scene);
std::unique_ptr<DeviceSource> make_kfd(const SourceScene& scene);
std::unique_ptr<DeviceSource> make_rocm_smi(const SourceScene& scene);
std::unique_ptr<DeviceSource> make_amd_pci(const SourceScene& scene);
std::unique_ptr<DeviceSource> make_other_pci(const SourceScene& scene);

}  // namespace dsbuild::probe
