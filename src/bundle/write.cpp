#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/scratch.h"
#include "base/text.h"
#include "bundle/bundle.h"
#include "bundle/layout.h"
#include "bundle/memory.h"
#include "bundle/publish.h"

namespace fs = std::filesystem;

namespace dsbuild::bundle {
namespace {

using Sources = std::map<std::string, fs::path>;

/// Whether `place` holds exactly the files of the index, by stamps where they are known.
bool holds(const fs::path& place, const BundleIndex& index, const std::string& index_text,
           Memory& memory) {
  if (read_file(place / kIndexName) != index_text) return false;
  std::set<std::string> wanted{std::string(kIndexName)};
  try {
    for (const BundleFile& file : index.files) {
      if (!read_stamp(place / file.path, false)) return false;
      if (memory.facts(place / file.path, false).sha256 != file.sha256) return false;
      wanted.insert(file.path);
    }
  } catch (const Error&) {
    return false;  // another build has just put its own bundle there
  }
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(place, error)) {
    const std::string path = entry.path().lexically_relative(place);
    if (!fs::is_directory(entry.symlink_status()) && !wanted.contains(path)) return false;
  }
  return !error;
}

/// Everything but the index.
void fill(const fs::path& folder, const Sources& sources, const BundleContent& content) {
  for (const auto& [path, source] : sources) {
    stop_if_interrupted();
    write_copy(source, folder / path);
  }
  for (const auto& [path, text] : content.texts) write_file(folder / path, text);
}

void refuse_mismatches(const std::vector<Diagnostic>& problems) {
  if (problems.empty()) return;
  std::string message = fmt::format("{} what was built; the old bundle was left as it was",
                                    problems.size() == 1 ? "a check refused" : "checks refused");
  for (const Diagnostic& problem : problems) message += "\n  " + render_diagnostic(problem);
  throw Error(ExitCode::bad_artifact, message, "",
              "this is a fault of a compiler or of a manifest; the files are in the build folder");
}

}  // namespace

Publication write_bundle(const plan::Plan& plan, const BundleContent& content,
                         const fs::path& out) {
  if (auto problem = check_place(out)) throw Error(*problem);
  // What is replaced is the folder itself, not a link to it.
  const fs::path place = fs::weakly_canonical(out);
  const Sources sources = find_sources(plan, content);
  Memory memory(content.build_folder);
  BundleIndex index = make_index(plan, content, sources, memory);
  const std::string index_text = dump_json(to_json(index));
  if (holds(place, index, index_text, memory)) {
    memory.write();
    return {std::move(index), false};
  }
  {
    const ScratchFolder scratch(place);
    const fs::path fresh = scratch.path();
    fill(fresh, sources, content);
    refuse_mismatches(check_bundle(fresh, index));
    write_file(fresh / kIndexName, index_text);
    stop_if_interrupted();
    replace_folder(fresh, place);
  }
  for (const BundleFile& file : index.files) {
    memory.put(place / file.path, {file.sha256, file.size, {}, {}});
  }
  memory.write();
  return {std::move(index), true};
}

}  // namespace dsbuild::bundle
