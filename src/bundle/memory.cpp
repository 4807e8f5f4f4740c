#include "bundle/memory.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/diagnostics.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

constexpr const char* kName = "published.json";
constexpr int kSchema = 1;

/// Longer than the tick by which kernels stamp files (1 to 10 ms).
constexpr std::chrono::milliseconds kTick{11};

Json to_json(const Remembered& file) {
  return Json::array({file.stamp.size, file.stamp.mtime_ns, file.stamp.ctime_ns, file.stamp.inode,
                      file.facts.sha256, file.facts.kernels, file.facts.needs});
}

/// Throws Json::exception for what this version did not write.
Remembered from_json(const Json& json) {
  Remembered file;
  file.stamp = {json.at(0), json.at(1), json.at(2), json.at(3)};
  file.facts = {json.at(4), file.stamp.size, json.at(5), json.at(6)};
  return file;
}

}  // namespace

Memory::Memory(const fs::path& folder) : path_(folder / kName) {
  const auto stamp = read_stamp(path_, false);
  const auto text = stamp ? read_file(path_) : std::nullopt;
  if (!text) return;
  written_ns_ = stamp->mtime_ns;
  try {
    const Json json = Json::parse(*text);
    if (json.at("schema") != kSchema) return;
    for (const auto& [path, file] : json.at("files").items()) old_.emplace(path, from_json(file));
  } catch (const Json::exception&) {
    old_.clear();
  }
}

/// A file that was changed in the very tick in which it was seen has the stamp that was seen: what
/// is as young as the memory itself is not believed (git does the same with its index).
bool Memory::still_holds(const Remembered& file, const FileStamp& now) const {
  return file.stamp == now && now.ctime_ns < written_ns_ && now.mtime_ns < written_ns_;
}

const FileFacts& Memory::facts(const fs::path& path, bool is_code) {
  const std::string& key = path.native();
  const auto known = files_.find(key);
  if (known != files_.end()) return known->second.facts;
  const auto stamp = read_stamp(path, true);
  if (!stamp) throw Error(ExitCode::file_system, "there is no such file", path.string());
  const auto old = old_.find(key);
  Remembered file{*stamp, {}};
  if (old != old_.end() && still_holds(old->second, *stamp)) {
    file.facts = old->second.facts;
  } else {
    file.facts = read_facts(path, is_code);
    learnt_ = true;
  }
  return files_.emplace(key, std::move(file)).first->second.facts;
}

void Memory::put(const fs::path& path, const FileFacts& facts) {
  if (const auto stamp = read_stamp(path, true)) files_[path.native()] = {*stamp, facts};
  learnt_ = true;
}

void Memory::write() const {
  if (!learnt_) return;
  // Now nothing that was seen is as young as what is written here.
  std::this_thread::sleep_for(kTick);
  Json files = Json::object();
  for (const auto& [path, file] : files_) files[path] = to_json(file);
  try {
    write_file(path_, Json({{"schema", kSchema}, {"files", std::move(files)}}).dump());
  } catch (const Error&) {
    // The bundle is published; the next time takes longer.
  }
}

}  // namespace dsbuild::bundle
