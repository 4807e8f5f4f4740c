#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/text.h"
#include "probe/devices/device_source.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

constexpr const char* kNodes = "/sys/class/kfd/kfd/topology/nodes";
constexpr std::int64_t kVendor = 0x1002;

std::optional<std::int64_t> parse_whole(std::string_view text) {
  // unique_id takes all 64 bits.
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

/// "key value" lines, split at the first space: `properties` has "capability" and "capability2".
using Properties = std::map<std::string, std::int64_t>;
Properties parse_properties(std::string_view text) {
  Properties properties;
  for (const std::string& line : split_lines(text)) {
    const auto space = line.find(' ');
    if (space == std::string::npos) continue;
    const auto value = parse_whole(trim(std::string_view(line).substr(space + 1)));
    if (value) properties[line.substr(0, space)] = *value;
  }
  return properties;
}

std::int64_t value_of(const Properties& properties, const char* key) {
  const auto found = properties.find(key);
  return found == properties.end() ? 0 : found->second;
}

/// 90402 is gfx942, 90010 gfx90a: two decimal digits each, of which the stepping is shown in
/// hexadecimal, as LLVM's offload-arch takes it apart. Empty: a node without a GPU.
std::string parse_gfx_version(std::int64_t version) {
  if (version <= 0) return {};
  return fmt::format("gfx{}{:x}{:x}", version / 10000, version / 100 % 100, version % 100);
}

std::string address_of(const Properties& properties) {
  const std::int64_t location = value_of(properties, "location_id");
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", value_of(properties, "domain"),
                     location >> 8 & 0xff, location >> 3 & 0x1f, location & 7);
}

/// What the node's own memory holds; heaps 1 and 2 are the GPU's, visible and not.
Fact<std::int64_t> node_memory(const System& system, const fs::path& node) {
  const fs::path banks = node / "mem_banks";
  std::int64_t bytes = 0;
  for (const std::string& bank : system.list_folder(banks)) {
    const Properties properties =
        parse_properties(system.read_file(banks / bank / "properties").value_or(""));
    const std::int64_t heap = value_of(properties, "heap_type");
    if (heap == 1 || heap == 2) bytes += value_of(properties, "size_in_bytes");
  }
  if (bytes == 0) return Fact<std::int64_t>::missing("no memory bank of its own", banks.string());
  return Fact<std::int64_t>::known(bytes, banks.string());
}

/// AMD's kernel driver by its files. A card in CPX mode is several nodes at one address: parts of
/// one device.
class Kfd final : public DeviceSource {
 public:
  explicit Kfd(const SourceScene& scene) : system_(*scene.system), known_(scene.devices) {}

  std::string_view id() const override { return "amd/kfd"; }
  std::string_view type() const override { return "rocm"; }
  Confidence confidence() const override { return Confidence::kernel; }

  SourceStatus load() override {
    cards_.clear();
    if (known_.empty()) return unusable("not_applicable", "this machine has no such device");
    if (!system_.exists(kNodes))
      return unusable("driver_not_loaded", fmt::format("there is no {}", kNodes),
                      "modprobe amdgpu; look at dmesg for amdgpu and kfd");
    const std::size_t hidden = read_nodes();
    if (hidden > 0)
      return {"degraded",
              fmt::format("{} can't be read: a cgroup keeps it away",
                          hidden == 1 ? "a node" : fmt::format("{} nodes", hidden)),
              "give this container or job the device", true};
    const std::string device = system_.host_path("/dev/kfd").string();
    if (!system_.exists("/dev/kfd"))
      return {"no_permission", "there is no /dev/kfd, so no program can use the devices",
              "give the container --device=/dev/kfd --device=/dev/dri", true};
    if (::access(device.c_str(), R_OK | W_OK) != 0)
      return {"no_permission", "this user can't open /dev/kfd",
              "add the user to the groups render and video", true};
    return {};
  }

  std::vector<SourceDevice> devices() override {
    std::vector<SourceDevice> list;
    for (const Card& card : cards_) list.push_back(card.device);
    return list;
  }
  Fact<std::vector<DevicePart>> parts(std::size_t place) override {
    std::vector<DevicePart> parts = cards_[place].nodes;
    if (parts.size() == 1) parts.clear();
    return Fact<std::vector<DevicePart>>::known(std::move(parts), kNodes);
  }

 private:
  struct Card {
    SourceDevice device;
    std::vector<DevicePart> nodes;
  };

  /// Returns how many can't be read.
  std::size_t read_nodes() {
    std::vector<std::int64_t> numbers;
    for (const std::string& name : system_.list_folder(kNodes)) {
      if (const auto number = parse_whole(name)) numbers.push_back(*number);
    }
    std::sort(numbers.begin(), numbers.end());
    std::size_t hidden = 0;
    for (const std::int64_t number : numbers) {
      const fs::path node = fs::path(kNodes) / std::to_string(number);
      const auto text = system_.read_file(node / "properties");
      if (text) {
        add_node(node, parse_properties(*text));
      } else if (system_.exists(node / "properties")) {
        ++hidden;
      }
    }
    return hidden;
  }

  void add_node(const fs::path& node, const Properties& properties) {
    const std::string arch = parse_gfx_version(value_of(properties, "gfx_target_version"));
    // Other vendors' drivers register nodes, too.
    if (arch.empty() || value_of(properties, "vendor_id") != kVendor) return;
    const std::string file = (node / "properties").string();
    const std::string address = address_of(properties);
    auto card = std::find_if(cards_.begin(), cards_.end(), [&](const Card& candidate) {
      return candidate.device.address == address;
    });
    if (card == cards_.end()) {
      card = cards_.insert(cards_.end(), Card{});
      card->device.address = address;
      card->device.arch = Fact<std::string>::known(arch, file);
    }
    DevicePart part;
    part.id = "node " + node.filename().string();
    part.memory = node_memory(system_, node);
    if (const std::int64_t unique = value_of(properties, "unique_id"); unique != 0)
      part.uuid = Fact<std::string>::known(
          fmt::format("GPU-{:016x}", static_cast<std::uint64_t>(unique)), file);
    if (!card->device.uuid) card->device.uuid = part.uuid;
    if (part.memory) {
      card->device.memory = Fact<std::int64_t>::known(
          card->device.memory.value.value_or(0) + *part.memory, part.memory.source);
    }
    card->nodes.push_back(std::move(part));
  }

  const System& system_;
  std::vector<Device> known_;
  std::vector<Card> cards_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_kfd(const SourceScene& scene) {
  return std::make_unique<Kfd>(scene);
}

}  // namespace dsbuild::probe
