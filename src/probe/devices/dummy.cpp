#include <fmt/format.h>

#include <charconv>

#include "probe/devices/device_source.h"

namespace dsbuild::probe {
namespace {

constexpr const char* kSource = "invented";
constexpr std::int64_t kMostDevices = 64;

/// Invented devices, for tests of what shows devices: as many as DSBUILD_DUMMY_DEVICES says.
class Dummy final : public DeviceSource {
 public:
  explicit Dummy(const System* system) : system_(system) {}

  std::string_view id() const override { return "dummy"; }
  std::string_view type() const override { return "dummy"; }

  SourceStatus load() override {
    const std::string text = system_->env(kDummyVariable).value_or("0");
    count_ = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count_);
    if (error != std::errc() || end != text.data() + text.size() || count_ < 0 ||
        count_ > kMostDevices)
      return unusable("degraded",
                      fmt::format("{}={} is no number of devices", kDummyVariable, text),
                      "set it to 0 or more, or not at all");
    if (count_ == 0)
      return unusable("not_applicable", fmt::format("{} is not set", kDummyVariable));
    return {};
  }

  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list;
    for (std::int64_t i = 0; i < count_; ++i) {
      SourceDevice device;
      device.uuid = Fact<std::string>::known(fmt::format("DUMMY-{}", i), kSource);
      device.name = Fact<std::string>::known(fmt::format("dummy {}", i), kSource);
      device.memory = number(1LL << 30);
      list.push_back(std::move(device));
    }
    return list;
  }
  Fact<std::vector<DevicePart>> parts(std::size_t) override {
    return Fact<std::vector<DevicePart>>::known({}, kSource);
  }
  Fact<std::int64_t> memory_used(std::size_t) override { return number(1LL << 20); }
  Fact<std::int64_t> power(std::size_t) override { return number(10'000); }
  Fact<std::int64_t> energy(std::size_t) override { return number(10'000); }
  Fact<std::int64_t> utilization(std::size_t) override { return number(10); }
  Fact<std::vector<ProcessUse>> processes(std::size_t) override {
    return Fact<std::vector<ProcessUse>>::known({}, kSource);
  }

 private:
  static Fact<std::int64_t> number(std::int64_t value) {
    return Fact<std::int64_t>::known(value, kSource);
  }

  const System* system_;
  std::int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<DeviceSource> make_dummy(const SourceScene& scene) {
  return std::make_unique<Dummy>(scene.system);
}

}  // namespace dsbuild::probe
