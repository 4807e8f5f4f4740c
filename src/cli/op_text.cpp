#include "cli/op_text.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace dsbuild::cli {
namespace {

using manifest::ArchFilter;
using manifest::CompileOptions;
using manifest::Needs;

std::vector<std::string> names_of(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> names;
  for (const auto& path : paths) names.push_back(path.string());
  return names;
}

std::string filter_text(const ArchFilter& filter) {
  switch (filter.kind) {
    case ArchFilter::Kind::any:
      return "*";
    case ArchFilter::Kind::at_least:
      return ">=" + join(filter.archs, " ");
    case ArchFilter::Kind::list:
      return join(filter.archs, " ");
  }
  return {};
}

Json options_json(const CompileOptions& options) {
  Json json = Json::object();
  if (!options.include.empty()) json["include"] = names_of(options.include);
  if (!options.defines.empty()) json["defines"] = options.defines;
  if (!options.flags.empty()) json["flags"] = options.flags;
  return json;
}

/// What an op or a kernel set needs, one phrase each.
std::vector<std::string> needs_list(const Needs& needs) {
  std::vector<std::string> list;
  for (const auto& [name, range] : needs.toolchains) list.push_back(name + " " + range.text());
  for (const auto& [name, range] : needs.packages)
    list.push_back("package " + name + " " + range.text());
  for (const std::string& header : needs.headers) list.push_back("header " + header);
  for (const auto& library : needs.libraries) {
    list.push_back(fmt::format("library {} with {}", library.name, library.symbol));
  }
  for (const std::string& command : needs.commands) list.push_back("command " + command);
  for (const std::string& machine : needs.machines) list.push_back("machine " + machine);
  if (needs.openmp) list.push_back("OpenMP");
  return list;
}

void add_rows(report::Section& section, const std::string& name,
              const std::vector<std::string>& values) {
  bool first = true;
  for (const std::string& value : values) {
    section.rows.push_back({{first ? name : ""}, {value}});
    first = false;
  }
}

void add_options(report::Section& section, const CompileOptions& options) {
  add_rows(section, "include", names_of(options.include));
  for (const auto& [name, value] : options.defines) {
    section.rows.push_back({{"define"}, {value.empty() ? name : name + "=" + value}});
  }
  for (const auto& [tool, flags] : options.flags) {
    section.rows.push_back({{tool + " flags"}, {shell_join(flags)}});
  }
}

}  // namespace

report::Document describe_op(const manifest::Op& op) {
  report::Document document;
  document.title = op.name + ": " + op.summary;
  report::Section host{"", {}, {}, {}};
  host.rows.push_back({{"manifest"}, {op.file.string()}});
  host.rows.push_back({{"kind"}, {std::string(manifest::kind_name(op.kind))}});
  add_rows(host, "sources", names_of(op.host_sources));
  add_options(host, op.options);
  add_options(host, op.host_options);
  add_rows(host, "libraries", op.libraries);
  add_rows(host, "exports", op.exports);
  add_rows(host, "needs", needs_list(op.needs));
  document.sections.push_back(std::move(host));
  for (const manifest::KernelSet& set : op.kernels) {
    report::Section section{set.name.empty() ? "kernels" : "kernels " + set.name, {}, {}, {}};
    add_rows(section, "sources", names_of(set.sources));
    for (const auto& [accelerator, filter] : set.on) {
      section.rows.push_back({{"on"}, {accelerator + " " + filter_text(filter)}});
    }
    for (const auto& [macro, values] : set.instances) {
      section.rows.push_back({{"instances"}, {macro + " = " + join(values, " ")}});
    }
    add_options(section, set.options);
    add_rows(section, "exports", set.exports);
    add_rows(section, "needs", needs_list(set.needs));
    document.sections.push_back(std::move(section));
  }
  return document;
}

Json op_to_json(const manifest::Op& op) {
  Json kernels = Json::array();
  for (const manifest::KernelSet& set : op.kernels) {
    Json on = Json::object();
    for (const auto& [accelerator, filter] : set.on) on[accelerator] = filter_text(filter);
    kernels.push_back({{"name", set.name},
                       {"sources", names_of(set.sources)},
                       {"on", on},
                       {"instances", set.instances},
                       {"exports", set.exports},
                       {"freestanding", set.freestanding},
                       {"options", options_json(set.options)},
                       {"needs", needs_list(set.needs)}});
  }
  return {{"name", op.name},
          {"kind", manifest::kind_name(op.kind)},
          {"summary", op.summary},
          {"manifest", op.file.string()},
          {"sources", names_of(op.host_sources)},
          {"options", options_json(op.options)},
          {"host_options", options_json(op.host_options)},
          {"libraries", op.libraries},
          {"exports", op.exports},
          {"needs", needs_list(op.needs)},
          {"kernels", kernels}};
}

}  // namespace dsbuild::cli
