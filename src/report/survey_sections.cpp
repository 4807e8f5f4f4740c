#include "report/survey_sections.h"

#include <fmt/format.h>

#include "base/text.h"

namespace dsbuild::report {
namespace {

using probe::FolderLimits;
using probe::Framework;
using probe::Library;
using probe::PrebuiltOp;

std::string size_text(std::int64_t bytes) {
  return format_size(static_cast<unsigned long long>(bytes));
}

/// "claims 3 ops; of these without a file: cpu_adam"
std::string ops_text(const Framework& framework) {
  std::vector<std::string> claimed;
  std::vector<std::string> missing;
  for (const PrebuiltOp& op : framework.ops) {
    if (op.claimed) claimed.push_back(op.name);
    if (op.claimed && !op.file) missing.push_back(op.name);
  }
  if (framework.ops.empty()) return {};
  if (claimed.empty()) return "no op is built ahead of time";
  std::string text = "built ahead of time: " + join(claimed, ", ");
  if (!missing.empty()) text += "; of these there is no file of: " + join(missing, ", ");
  return text;
}

std::string details_text(const Framework& framework) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : framework.details) {
    if (value) parts.push_back(name + " " + *value);
  }
  return join(parts, ", ");
}

Cell where_cell(const Framework& framework) {
  std::vector<std::string> parts{framework.path ? *framework.path : framework.path.reason};
  for (std::string more : {details_text(framework), ops_text(framework)}) {
    if (!more.empty()) parts.push_back(std::move(more));
  }
  return {join(parts, "; "), framework.path ? Tone::plain : Tone::warning};
}

Cell folder_cell(const FolderLimits& folder) {
  if (!folder.size) return {folder.path + ": " + folder.size.reason, Tone::warning};
  std::string text =
      fmt::format("{} free of {}, {} ({})", size_text(folder.free.value.value_or(0)),
                  size_text(*folder.size), folder.file_system.value.value_or("?"), folder.path);
  const bool small = folder.use == probe::kSharedMemory && *folder.size < probe::kSmallSharedMemory;
  if (small) text += "; less than 512 MiB: data loaders and NCCL run out of it (docker --shm-size)";
  if (folder.network) text += "; other hosts write there, too: locks and times may be off";
  if (folder.noexec) text += "; noexec: nothing that is built there can be started";
  return {text, small || folder.network || folder.noexec ? Tone::warning : Tone::plain};
}

}  // namespace

Section frameworks_section(const probe::Survey& survey) {
  Section section{"frameworks", {"name", "version", "python", "where"}, {}, {}};
  for (const Framework& framework : survey.frameworks) {
    section.rows.push_back({{framework.name},
                            {framework.version ? *framework.version : "-"},
                            {framework.python ? framework.python->number() : "-"},
                            where_cell(framework)});
  }
  if (survey.frameworks.empty()) section.notes.push_back("none; building needs none");
  return section;
}

Section libraries_section(const probe::Survey& survey) {
  Section section{"libraries", {"name", "version", "where"}, {}, {}};
  std::vector<std::string> absent;
  for (const Library& library : survey.libraries) {
    if (!library.header && !library.library) {
      absent.push_back(library.name + " (" + library.package + ")");
      continue;
    }
    std::vector<std::string> where;
    for (const Fact<std::string>* file : {&library.header, &library.library}) {
      if (*file) where.push_back(**file);
    }
    if (!library.complete())
      where.push_back(
          "not all of it: " + (library.header ? library.library.reason : library.header.reason) +
          "; install " + library.package);
    const bool refused = library.complete() && !library.usable && !library.usable.reason.empty();
    if (library.usable) where.push_back("usable with " + *library.usable);
    if (refused) where.push_back(library.usable.reason);
    section.rows.push_back(
        {{library.name},
         {library.version ? library.version->number() : "-"},
         {join(where, ", "), library.complete() && !refused ? Tone::plain : Tone::warning}});
  }
  if (!absent.empty()) section.notes.push_back("not here: " + join(absent, ", "));
  return section;
}

Section limits_section(const probe::Survey& survey) {
  Section section{"limits", {}, {}, {}};
  for (const FolderLimits& folder : survey.limits.folders)
    section.rows.push_back({{folder.use}, folder_cell(folder)});
  for (const auto& [name, value] : survey.limits.ulimits)
    section.rows.push_back({{name}, value ? Cell{*value} : Cell{value.reason, Tone::dim}});
  return section;
}

}  // namespace dsbuild::report
