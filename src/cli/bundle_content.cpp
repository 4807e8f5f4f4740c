#include "cli/bundle_content.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "cli/version.h"
#include "report/build_report.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

struct CopyRule {
  std::string_view from;    ///< folder in the catalog root
  std::string_view to;      ///< folder in the bundle
  std::string_view suffix;  ///< of the files that go along
};

constexpr std::array<CopyRule, 3> kCopies{{
    {"src/runtime/include/dsops", "include/dsops", ".h"},
    {"packaging/python/dsops", "python/dsops", ".py"},
    {"packaging/python/dsops/deepspeed", "python/dsops/deepspeed", ".py"},
}};

void add_copies(const System& system, const fs::path& root,
                std::map<std::string, fs::path>& copies) {
  for (const CopyRule& rule : kCopies) {
    for (const std::string& name : system.list_folder(root / rule.from)) {
      if (name.ends_with(rule.suffix))
        copies[std::string(rule.to) + "/" + name] = root / rule.from / name;
    }
  }
  copies["LICENSE"] = root / "LICENSE";
}

/// Modules for several levels have a shim under the module's own name, which imports the best one.
void add_level_shims(const plan::Plan& plan, const fs::path& root,
                     std::map<std::string, fs::path>& copies) {
  for (const plan::Entry& entry : plan.entries) {
    if (entry.state != plan::EntryState::planned || !entry.is_extension() || entry.variant.empty())
      continue;
    // "extensions/cpu/pkg/adam_op.x86-64-v3.cpython-311….so"
    const std::string stem = entry.artifact.substr(0, entry.artifact.find("." + entry.variant));
    copies[stem + ".py"] = root / "packaging/python/level_shim.py";
  }
}

/// The commit that a checkout is at, read from its files: HEAD, then the ref it names, loose or
/// packed.
std::string read_commit(const System& system, const fs::path& root) {
  fs::path git = root / ".git";
  // In a linked work tree `.git` is a file: "gitdir: PATH"; the refs lie in its "commondir".
  if (const auto link = system.read_file(git); link && link->starts_with("gitdir: ")) {
    git = (root / std::string(trim(std::string_view(*link).substr(8)))).lexically_normal();
  }
  const auto head = system.read_file(git / "HEAD");
  if (!head) return {};
  const std::string text(trim(*head));
  if (!text.starts_with("ref: ")) return text;
  const std::string ref = text.substr(5);
  const auto common = system.read_file(git / "commondir");
  const fs::path refs = common ? (git / std::string(trim(*common))).lexically_normal() : git;
  if (const auto loose = system.read_file(refs / ref)) return std::string(trim(*loose));
  for (const std::string& line : split_lines(system.read_file(refs / "packed-refs").value_or(""))) {
    const auto words = split(line, " ");
    if (words.size() == 2 && words[1] == ref) return words[0];
  }
  return {};
}

/// Whether the checkout differs from its commit. Only git can say; without it the answer is
/// "unknown", told as dirty.
bool is_dirty(Context& context, const fs::path& root) {
  const auto git = find_program(context.host_system(), "git");
  if (!git) return true;
  Command command;
  // Looking must change nothing, nor stand in the way of the user's own git.
  command.argv = {git->string(), "--no-optional-locks", "-C", root.string(), "status",
                  "--porcelain", "--untracked-files=no"};
  command.environment = context.host_system().environment();
  // A hook of git's runs with GIT_DIR and its like set, for a repository that need not be this one.
  std::erase_if(command.environment,
                [](const auto& variable) { return variable.first.starts_with("GIT_"); });
  const ProcessResult result = context.processes().run(command);
  return !result.ok() || !trim(result.out).empty();
}

}  // namespace

Revision read_revision(Context& context, const fs::path& root) {
  Revision revision;
  revision.commit = read_commit(context.host_system(), root);
  revision.dirty = !revision.commit.empty() && is_dirty(context, root);
  return revision;
}

bundle::BundleContent collect_content(const System& system, const manifest::Catalog& catalog,
                                      const probe::Machine& machine, const plan::Plan& plan,
                                      const fs::path& build_folder, const Revision& revision) {
  const fs::path& root = catalog.roots.front();
  bundle::BundleContent content;
  content.build_folder = build_folder;
  content.dsbuild_version = kVersion;
  content.commit = revision.commit;
  content.dirty = revision.dirty;
  const bool has_libraries =
      std::any_of(plan.entries.begin(), plan.entries.end(), [](const auto& entry) {
        return entry.state == plan::EntryState::planned && !entry.is_extension();
      });
  if (has_libraries) add_copies(system, root, content.copies);
  add_level_shims(plan, root, content.copies);
  content.texts["report.json"] = dump_json(report::make_report_json(machine, plan, kVersion));
  content.texts["report.txt"] =
      report::render_text(report::make_report(machine, plan, kVersion), {});
  return content;
}

}  // namespace dsbuild::cli
