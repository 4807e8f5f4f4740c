#include "bundle/wheel.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "base/zip.h"
#include "bundle/consumer.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

constexpr std::string_view kPackage = "deepspeed_ops_dsbuild";
constexpr std::string_view kFramework = "deepspeed";

using Files = std::map<std::string, ZipEntry>;

/// The one value that a need has in all extensions, without its operator: "2.15" of "==2.15".
std::string common_need(const std::vector<Extension>& extensions, const std::string& need) {
  std::set<std::string> values;
  for (const Extension& extension : extensions) {
    const auto found = extension.file.needs.find(need);
    values.insert(found == extension.file.needs.end() ? "" : found->second);
  }
  if (values.size() == 1) {
    const auto digit = values.begin()->find_first_of("0123456789");
    return digit == std::string::npos ? "" : values.begin()->substr(digit);
  }
  throw Error(ExitCode::bad_artifact,
              fmt::format("the modules need different releases of {}: {}", need,
                          join({values.begin(), values.end()}, ", ")),
              "bundle.json", "choose some of them with --ops");
}

/// The major release of each toolkit whose runtime library they need, by torch's name of it.
std::map<std::string, std::string> common_toolkits(const std::vector<Extension>& extensions) {
  std::map<std::string, std::string> toolkits;
  for (const Extension& extension : extensions) {
    const auto need = find_toolkit_need(extension.file);
    if (!need) continue;
    const auto [known, is_new] =
        toolkits.emplace(need->backend->name, std::to_string(need->release));
    if (is_new || known->second == std::to_string(need->release)) continue;
    throw Error(ExitCode::bad_artifact,
                fmt::format("the modules need different releases of {}: {}, {}",
                            need->backend->title, known->second, need->release),
                "bundle.json", "choose some of them with --ops");
  }
  return toolkits;
}

/// The newest glibc that one of them needs; pip takes no wheel that is for a newer one than there
/// is. https://peps.python.org/pep-0600/
std::string platform_tag(const std::vector<Extension>& extensions, const std::string& machine) {
  std::optional<Version> newest;
  for (const Extension& extension : extensions) {
    const auto need = extension.file.needs.find("glibc");
    if (need == extension.file.needs.end()) continue;
    const auto digit = need->second.find_first_of("0123456789");
    const auto version = Version::parse(need->second.substr(std::min(digit, need->second.size())));
    if (version && (!newest || *newest < *version)) newest = version;
  }
  return newest ? fmt::format("manylinux_{}_{}_{}", newest->part(0), newest->part(1), machine)
                : "linux_" + machine;
}

/// As RECORD has it: urlsafe base64 of SHA-256, without padding.
/// https://packaging.python.org/en/latest/specifications/recording-installed-packages/
std::string record_hash(const std::string& content) {
  const std::string hex = sha256(content);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text.substr(0, text.find('='));
}

void add_record(const std::string& path, Files& files) {
  std::string record;
  for (const auto& [name, entry] : files) {
    record +=
        fmt::format("{},sha256={},{}\n", name, record_hash(entry.content), entry.content.size());
  }
  files[path] = {record + path + ",,\n"};
}

std::string ops_json(const std::vector<Extension>& extensions, const std::string& name,
                     const std::string& torch) {
  Json ops = Json::array();
  Json modules = Json::object();
  for (const Extension& extension : extensions) {
    ops.push_back(extension.file.op);
    modules[extension.module] = "modules/" + extension.place;
  }
  Json json{{"accelerator", name}, {"torch", torch}, {"ops", ops}, {"modules", modules}};
  // What torch must be built with, by its own name of it and the major release.
  for (const auto& [backend, release] : common_toolkits(extensions)) json[backend] = release;
  return dump_json(json);
}

}  // namespace

std::vector<Extension> choose_for_wheel(const BundleIndex& index, const std::string& accelerator,
                                        const std::vector<std::string>& ops) {
  std::map<std::string, Extension> found;
  const auto refuse = [](const std::string& message, const std::string& hint) {
    throw Error(ExitCode::bad_input, message, "bundle export", hint);
  };
  for (const Extension& extension : find_extensions(index)) {
    const std::string& op = extension.file.op;
    const bool wanted = ops.empty() || std::find(ops.begin(), ops.end(), op) != ops.end();
    if (!wanted || extension.file.accelerator != accelerator) continue;
    if (!found.emplace(op, extension).second)
      refuse(op + " is there for several CPU levels, and a wheel has one",
             "build for one: --arch x86-64-v3");
  }
  for (const std::string& op : ops) {
    if (!found.contains(op))
      refuse(fmt::format("the bundle has no module of {} for {}", op, accelerator), "leave it out");
  }
  std::vector<Extension> chosen;
  for (const auto& [op, extension] : found) {
    for (const std::string& before : extension.after) {
      if (!found.contains(before))
        refuse(fmt::format("{} needs {} beside it", op, before), "name both, or neither");
    }
    chosen.push_back(extension);
  }
  return chosen;
}

Wheel make_wheel(const BundleIndex& index, const fs::path& bundle,
                 const std::vector<Extension>& extensions, const std::string& accelerator,
                 const std::string& name, const std::string& program) {
  const std::string torch = common_need(extensions, "torch");
  const std::string python = common_need(extensions, "python");
  if (python.empty()) {
    throw Error(ExitCode::bad_input,
                "modules for every Python have no tag in common with the others", "bundle export",
                "choose some of them with --ops");
  }
  const std::string framework = common_need(extensions, std::string(kFramework));
  const std::string machine = index.triple.substr(0, index.triple.find('-'));
  const std::string version = fmt::format(
      "{}+torch{}.{}", framework.empty() ? index.dsbuild_version : framework, torch, accelerator);
  const std::string interpreter = "cp" + replace_all(python, ".", "");
  const std::string tag =
      fmt::format("{}-{}-{}", interpreter, interpreter, platform_tag(extensions, machine));
  const std::string info = fmt::format("{}-{}.dist-info/", kPackage, version);

  Files files;
  for (const Extension& extension : extensions) {
    const std::string content = read_file(bundle / extension.file.path).value_or("");
    if (sha256(content) != extension.file.sha256) {
      throw Error(ExitCode::bad_artifact, "is not as bundle.json says",
                  (bundle / extension.file.path).string(),
                  "dsbuild bundle verify tells more; build it anew");
    }
    files[fmt::format("{}/modules/{}", kPackage, extension.place)] = {content, true};
  }
  files[fmt::format("{}/__init__.py", kPackage)] = {program};
  files[fmt::format("{}/ops.json", kPackage)] = {ops_json(extensions, name, torch)};
  // https://docs.python.org/3/library/site.html: a line that begins with import is run.
  files[fmt::format("{}.pth", kPackage)] = {fmt::format("import {0}; {0}.connect()\n", kPackage)};
  files[info + "METADATA"] = {fmt::format(
      "Metadata-Version: 2.1\nName: {}\nVersion: {}\nSummary: Ops of DeepSpeed, built ahead of "
      "time "
      "for {}\nRequires-Python: =={}.*\nRequires-Dist: torch ~={}.0\nRequires-Dist: {}{}\n",
      replace_all(std::string(kPackage), "_", "-"), version, accelerator, python, torch, kFramework,
      framework.empty() ? "" : " ==" + framework)};
  files[info + "WHEEL"] = {
      fmt::format("Wheel-Version: 1.0\nGenerator: dsbuild {}\nRoot-Is-Purelib: false\nTag: {}\n",
                  index.dsbuild_version, tag)};
  add_record(info + "RECORD", files);
  return {fmt::format("{}-{}-{}.whl", kPackage, version, tag), render_zip(files)};
}

}  // namespace dsbuild::bundle
