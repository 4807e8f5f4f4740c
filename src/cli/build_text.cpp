#include "cli/build_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "base/text.h"
#include "cli/plan_text.h"

namespace dsbuild::cli {
namespace {

/// Bytes of the bundle's files, by op and accelerator; host libraries count for the op alone.
using Sizes = std::map<std::pair<std::string, std::string>, unsigned long long>;

report::Section size_table(const bundle::BundleIndex& index) {
  Sizes sizes;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> archs;
  for (const bundle::BundleFile& file : index.files) {
    if (file.op.empty() || file.form == "library") continue;
    const std::pair key{file.op, file.accelerator};
    sizes[key] += file.size;
    std::vector<std::string>& list = archs[key];
    const bool again = std::find(list.begin(), list.end(), file.arch) != list.end();
    const std::string name =
        again && file.variant.empty() ? file.arch + "+" + file.form : file.arch;
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  }
  report::Section section{"", {"op", "accelerator", "size", "archs"}, {}, {}};
  std::string last;
  for (auto& [key, list] : archs) {
    std::sort(list.begin(), list.end(), natural_less);
    section.rows.push_back({{key.first == last ? "" : key.first},
                            {key.second},
                            {format_size(sizes[key])},
                            {join(list, " "), report::Tone::good}});
    last = key.first;
  }
  return section;
}

std::string op_and_arch(const plan::Plan& plan, const std::string& step) {
  for (const plan::Entry& entry : plan.entries) {
    if (std::find(entry.steps.begin(), entry.steps.end(), step) == entry.steps.end()) continue;
    return fmt::format("{} {}{}", entry.op, entry.accelerator,
                       entry.arch.empty() ? "" : " " + entry.arch);
  }
  return step;
}

/// How many sources the step compiles together.
std::size_t sources_of(const plan::Plan& plan, const std::string& id) {
  for (const plan::Step& step : plan.steps) {
    if (step.id == id) return step.sources;
  }
  return 0;
}

std::string whole_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// "12 in 3.4 s, 9 of them from the cache"
std::string steps_text(const run::BuildOutcome& outcome) {
  if (outcome.nothing_to_do) return "none: everything was up to date";
  std::string text = fmt::format("{} in {}", outcome.steps_run, format_duration(outcome.seconds));
  if (outcome.cache_hits + outcome.cache_misses == 0) return text;
  text += fmt::format(", {} of them from the cache", outcome.cache_hits);
  const std::size_t parts = outcome.parts_taken + outcome.parts_made;
  if (parts == 0) return text;
  return text +
         fmt::format("; of what compilers ran for each arch, {} of {}", outcome.parts_taken, parts);
}

}  // namespace

report::Document describe_build(const plan::Plan& plan, const bundle::BundleIndex& index,
                                const run::BuildOutcome& outcome, bool bundle_changed,
                                std::string_view out) {
  report::Document document;
  document.sections.push_back(size_table(index));
  unsigned long long bytes = 0;
  for (const bundle::BundleFile& file : index.files) bytes += file.size;
  report::Section last{"", {}, {}, {}};
  last.rows.push_back({{"bundle"},
                       {fmt::format("{}: {}, {}{}", out, count_of(index.files.size(), "file"),
                                    format_size(bytes), bundle_changed ? "" : ", unchanged")}});
  last.rows.push_back({{"steps"}, {steps_text(outcome)}});
  for (const std::string& line : skipped_archs(plan)) {
    last.rows.push_back({{"skipped"}, {line, report::Tone::warning}});
  }
  std::string line = "built " + join(planned_accelerators(plan), ", ");
  const std::vector<std::string> skipped = skipped_accelerators(plan);
  if (!skipped.empty()) line += "; skipped " + join(skipped, "; ");
  document.sections.push_back(std::move(last));
  document.sections.push_back({"", {}, {{{line}}}, {}});
  return document;
}

std::vector<std::string> describe_failures(const run::BuildOutcome& outcome, const plan::Plan& plan,
                                           bool whole_output, bool published) {
  std::vector<std::string> lines;
  for (const run::StepFailure& failure : outcome.failures) {
    lines.push_back("FAILED " + op_and_arch(plan, failure.step) + ": " + failure.step);
    if (!failure.first_error.empty()) lines.push_back("  error:   " + failure.first_error);
    lines.push_back("  cause:   " + failure.cause);
    if (const std::size_t sources = sources_of(plan, failure.step); sources > 1)
      lines.push_back(fmt::format(
          "  note:    {} sources are compiled together here; --no-unity compiles each for itself",
          sources));
    lines.push_back("  command: " + failure.command);
    lines.push_back("  log:     " + failure.log);
    if (whole_output) lines.push_back(whole_file(failure.log));
  }
  if (outcome.failures.empty() && !outcome.ninja_message.empty())
    lines.push_back("ninja: " + outcome.ninja_message);
  lines.push_back(fmt::format(
      "dsbuild: {} failed, {} done; {}", count_of(outcome.failures.size(), "step"),
      outcome.steps_run,
      published ? "the bundle has what could be built" : "the old bundle was left as it was"));
  return lines;
}

std::string render_commands(const plan::Plan& plan) {
  std::string text;
  for (const plan::Step& step : plan.steps) text += shell_join(step.argv) + "\n";
  return text;
}

}  // namespace dsbuild::cli
