#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "bundle/bundle.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

constexpr int kSchema = 1;

/// The text fields of a file and of a gap, each under its JSON key; empty ones are left out.
struct FileField {
  const char* key;
  std::string BundleFile::*member;
};
constexpr std::array<FileField, 5> kFileTexts{{
    {"op", &BundleFile::op},
    {"accelerator", &BundleFile::accelerator},
    {"arch", &BundleFile::arch},
    {"form", &BundleFile::form},
    {"variant", &BundleFile::variant},
}};

struct GapField {
  const char* key;
  std::string BundleGap::*member;
};
constexpr std::array<GapField, 6> kGapTexts{{
    {"op", &BundleGap::op},
    {"accelerator", &BundleGap::accelerator},
    {"arch", &BundleGap::arch},
    {"code", &BundleGap::code},
    {"text", &BundleGap::text},
    {"hint", &BundleGap::hint},
}};

Json file_to_json(const BundleFile& file) {
  Json json{{"path", file.path}, {"sha256", file.sha256}, {"size", file.size}};
  for (const FileField& field : kFileTexts) {
    if (!(file.*field.member).empty()) json[field.key] = file.*field.member;
  }
  if (!file.archs.empty()) json["archs"] = file.archs;
  if (!file.kernels.empty()) json["kernels"] = file.kernels;
  if (!file.needs.empty()) json["needs"] = file.needs;
  return json;
}

Json gap_to_json(const BundleGap& gap) {
  Json json = Json::object();
  for (const GapField& field : kGapTexts) {
    if (!(gap.*field.member).empty()) json[field.key] = gap.*field.member;
  }
  return json;
}

/// Reads typed members of one JSON object; a wrong type is told at its pointer.
class Reader {
 public:
  Reader(const Json& object, std::string pointer, const std::string& file, Diagnostics& diagnostics)
      : object_(object), pointer_(std::move(pointer)), file_(file), diagnostics_(diagnostics) {}

  bool text(const char* key, std::string& value, bool required = false) {
    const Json* member = find(key, &Json::is_string, "a text", required);
    if (member != nullptr) value = *member;
    return member != nullptr;
  }
  void flag(const char* key, bool& value) {
    if (const Json* member = find(key, &Json::is_boolean, "true or false")) value = *member;
  }
  void number(const char* key, std::uint64_t& value) {
    if (const Json* member = find(key, &Json::is_number_unsigned, "a size", true)) value = *member;
  }
  void texts(const char* key, std::vector<std::string>& values) {
    const Json* list = find(key, &Json::is_array, "a list of texts");
    if (list == nullptr) return;
    for (const Json& item : *list) {
      if (!item.is_string()) return wrong(key, "a list of texts");
      values.push_back(item);
    }
  }
  void texts(const char* key, std::map<std::string, std::string>& values) {
    const Json* object = find(key, &Json::is_object, "an object of texts");
    if (object == nullptr) return;
    for (const auto& [name, item] : object->items()) {
      if (!item.is_string()) return wrong(key, "an object of texts");
      values[name] = item;
    }
  }
  /// Calls `read` with a reader for each object of the list.
  template <typename F>
  void objects(const char* key, const F& read) {
    const Json* list = find(key, &Json::is_array, "a list of objects", true);
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!(*list)[i].is_object()) return wrong(key, "a list of objects");
      Reader item((*list)[i], fmt::format("{}/{}/{}", pointer_, key, i), file_, diagnostics_);
      read(item);
    }
  }
  void wrong(const std::string& key, const std::string& wanted) {
    diagnostics_.error(file_, pointer_ + "/" + key, "expected " + wanted);
  }

 private:
  const Json* find(const char* key, bool (Json::*is_right)() const noexcept, const char* wanted,
                   bool required = false) {
    const auto found = object_.find(key);
    if (found == object_.end()) {
      if (required) wrong(key, wanted);
      return nullptr;
    }
    if (((*found).*is_right)()) return &*found;
    wrong(key, wanted);
    return nullptr;
  }

  const Json& object_;
  std::string pointer_;
  const std::string& file_;
  Diagnostics& diagnostics_;
};

/// A path that stays in the bundle, in the one form that it has there.
bool is_plain_path(const std::string& path) {
  const fs::path name(path);
  return !path.empty() && name.is_relative() && name.lexically_normal().native() == path &&
         *name.begin() != ".." && *name.begin() != "." && !path.ends_with('/');
}

BundleFile read_file_entry(Reader& reader) {
  BundleFile file;
  if (reader.text("path", file.path, true) && !is_plain_path(file.path)) {
    reader.wrong("path", "a path inside the bundle, without . and ..");
  }
  reader.text("sha256", file.sha256, true);
  reader.number("size", file.size);
  for (const FileField& field : kFileTexts) reader.text(field.key, file.*field.member);
  reader.texts("archs", file.archs);
  reader.texts("kernels", file.kernels);
  reader.texts("needs", file.needs);
  return file;
}

BundleGap read_gap(Reader& reader) {
  BundleGap gap;
  for (const GapField& field : kGapTexts) reader.text(field.key, gap.*field.member);
  return gap;
}

}  // namespace

Json to_json(const BundleIndex& index) {
  Json files = Json::array();
  for (const BundleFile& file : index.files) files.push_back(file_to_json(file));
  Json gaps = Json::array();
  for (const BundleGap& gap : index.gaps) gaps.push_back(gap_to_json(gap));
  Json json{{"schema", kSchema},
            {"dsbuild", index.dsbuild_version},
            {"triple", index.triple},
            {"files", std::move(files)},
            {"gaps", std::move(gaps)}};
  if (!index.commit.empty()) json["source"] = {{"commit", index.commit}, {"dirty", index.dirty}};
  if (index.host_bound) json["host"] = {{"features", index.host_features}};
  return json;
}

std::optional<BundleIndex> parse_index(std::string_view text, const std::string& file,
                                       Diagnostics& diagnostics) {
  Diagnostics found;
  const std::optional<Json> json = parse_json(text, file, found);
  BundleIndex index;
  if (json && !json->is_object()) {
    found.error(file, "", "expected an object");
  } else if (json && json->value("schema", Json()) != kSchema) {
    found.error(file, "/schema", fmt::format("expected {}", kSchema),
                "this bundle was made by another version of dsbuild");
  } else if (json) {
    Reader reader(*json, "", file, found);
    reader.text("dsbuild", index.dsbuild_version, true);
    reader.text("triple", index.triple, true);
    reader.objects("files", [&](Reader& item) { index.files.push_back(read_file_entry(item)); });
    reader.objects("gaps", [&](Reader& item) { index.gaps.push_back(read_gap(item)); });
    if (json->contains("source") && (*json)["source"].is_object()) {
      Reader source((*json)["source"], "/source", file, found);
      source.text("commit", index.commit, true);
      source.flag("dirty", index.dirty);
    }
    if (json->contains("host") && (*json)["host"].is_object()) {
      index.host_bound = true;
      Reader((*json)["host"], "/host", file, found).texts("features", index.host_features);
    }
    std::set<std::string> paths;
    for (const BundleFile& entry : index.files) {
      if (!paths.insert(entry.path).second)
        found.error(file, "/files", entry.path + " stands twice");
    }
  }
  for (const Diagnostic& problem : found.all()) {
    diagnostics.error(problem.file, problem.where, problem.message, problem.hint);
  }
  if (found.has_errors()) return std::nullopt;
  return index;
}

BundleIndex read_bundle(const fs::path& folder) {
  const fs::path path = folder / kIndexName;
  const auto text = dsbuild::read_file(path);
  if (!text) {
    throw Error(ExitCode::bad_artifact, "there is no bundle here: no bundle.json can be read",
                folder.string(), "`dsbuild build` makes one");
  }
  Diagnostics problems;
  auto index = parse_index(*text, path.string(), problems);
  if (!index) {
    const Diagnostic& first = problems.all().front();
    throw Error(ExitCode::bad_artifact, first.message,
                first.where.empty() ? first.file : first.file + ": " + first.where, first.hint);
  }
  return std::move(*index);
}

}  // namespace dsbuild::bundle
