#include <algorithm>

#include "manifest/accelerator.h"
#include "manifest/words.h"

namespace dsbuild::manifest {
namespace {

ArchScheme parse_scheme(const std::string& word) {
  if (word == "capability") return ArchScheme::capability;
  return word == "target" ? ArchScheme::target : ArchScheme::names;
}

void add_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& item : more) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  }
}

/// "all" is every name but `native`, which must be asked for.
void read_defaults(const Node& node, ArchRules& rules) {
  rules.default_offered = node.text() == "offered";
  if (node.text() == "all") {
    for (const auto& [machine, names] : rules.names) add_new(rules.defaults, names);
    std::erase(rules.defaults, "native");
  }
  add_new(rules.defaults, node.texts());
  for (const auto& [machine, list] : node.members()) add_new(rules.defaults, list.texts());
}

ArchRules read_archs(const Node& node) {
  ArchRules rules;
  rules.scheme = parse_scheme(node.at("scheme").text());
  for (const auto& [machine, names] : node.at("names").members()) {
    rules.names.emplace(machine, names.texts());
  }
  rules.prefixes = node.at("prefixes").texts();
  rules.suffixes = node.at("suffixes").text();
  rules.features = node.at("features").texts();
  rules.bare = node.at("bare").flag();
  rules.native_is_host = node.at("native").text() == "host";
  rules.settings = node.at("settings").texts();
  for (const auto& [machine, level] : node.at("extension").members())
    rules.extension.emplace(machine, level.text());
  read_defaults(node.at("default"), rules);
  return rules;
}

PciRule read_pci(const Node& node) {
  PciRule rule;
  rule.vendor = read_hex(node.at("vendor"));
  for (const Node& item : node.at("classes").items()) rule.classes.push_back(read_hex(item));
  for (const Node& device : node.at("devices").items()) {
    PciRange range;
    range.first = read_hex(device.at("first"));
    range.last = device.has("last") ? read_hex(device.at("last")) : range.first;
    range.arch = device.at("arch").text();
    range.chip = device.at("chip").text();
    rule.devices.push_back(std::move(range));
  }
  rule.only_listed = node.at("only_listed").flag();
  return rule;
}

DetectRule read_detect(const Node& node) {
  DetectRule rule;
  for (const DetectKey& row : kDetectKeys) {
    const std::string key(row.key);
    if (node.has(key)) {
      rule.kind = row.kind;
      rule.name = node.at(key).text();
    }
  }
  rule.regex = node.at("regex").text();
  rule.folders = node.at("folders").texts();
  return rule;
}

DriverRule read_driver(const Node& node) {
  DriverRule rule{node.at("file").text(), node.at("regex").text(), {}};
  for (const auto& [driver, release] : node.at("runs").members()) {
    const auto from = Version::parse(driver);
    const auto runs = Version::parse(release.text());
    if (from && runs) rule.runs.emplace(*from, *runs);
    if (!from) release.complain(Rule::bad_version, {driver});
    if (!runs && release.is_text()) release.complain(Rule::bad_version, {release.text()});
  }
  return rule;
}

RuntimeFacts read_runtime(const Node& node) {
  return {node.at("torch").texts(), node.at("communication").texts(),
          node.at("visible_devices").text(), node.at("exports").texts(), node.at("dtypes").texts()};
}

ToolkitRule read_toolkit(const Node& node) {
  ToolkitRule rule;
  rule.folders = node.at("folders").texts();
  for (const Node& version : node.at("version").items()) {
    rule.versions.push_back({version.at("file").text(), version.at("regex").texts()});
  }
  for (const auto& [placeholder, part] : node.at("parts").members()) {
    rule.parts.emplace(placeholder,
                       ToolkitPart{part.at("in").texts(), part.at("file").text(),
                                   part.at("common").flag(), part.at("optional").flag()});
  }
  if (node.has("archs")) {
    const Node archs = node.at("archs");
    rule.archs = {archs.at("part").text(), archs.at("file").text(), archs.at("prefix").text()};
  }
  return rule;
}

ToolchainProbe read_probe(const Node& node) {
  ToolchainProbe probe;
  probe.kind = node.at("kind").text();
  probe.prober = node.at("prober").text();
  probe.tool = node.at("tool").text();
  probe.commands = node.at("commands").texts();
  probe.versioned = node.at("versioned").flag();
  probe.env = node.at("env").texts();
  probe.folders = node.at("folders").texts();
  probe.version_argv = node.at("version").at("argv").texts();
  probe.version_regex = node.at("version").at("regex").text();
  probe.newest = node.at("prefer").text() == "newest";
  probe.archs_argv = node.at("archs").at("argv").texts();
  probe.archs_regex = node.at("archs").at("regex").text();
  for (const auto& [placeholder, file] : node.at("beside").members()) {
    probe.beside.emplace(placeholder, file.text());
  }
  probe.gives = node.at("gives").texts();
  if (!probe.tool.empty()) probe.gives.push_back(probe.tool);
  for (const auto& [placeholder, file] : probe.beside) probe.gives.push_back(placeholder);
  if (node.has("toolkit")) {
    probe.toolkit = read_toolkit(node.at("toolkit"));
    probe.gives.emplace_back("toolkit");
    for (const auto& [placeholder, part] : probe.toolkit->parts) probe.gives.push_back(placeholder);
  }
  return probe;
}

StepTemplate read_step(const Node& node) {
  StepTemplate step;
  step.each_source = node.at("each").text() == "source";
  step.suffixes = node.at("suffixes").texts();
  for (const Node& word : node.at("argv").items()) {
    step.argv.push_back({word.text(), word.at("for").text(), word.at("argv").texts()});
  }
  step.out = node.at("out").text();
  step.depfile = node.at("depfile").flag();
  for (const Node& scan : node.at("scans").items()) {
    step.scans.push_back({{}, scan.at("for").text(), scan.at("argv").texts()});
  }
  step.inputs_only = node.at("inputs_only").flag();
  return step;
}

ExtensionRecipe read_extension_recipe(const Node& node) {
  ExtensionRecipe recipe;
  if (node.has("header")) recipe.header = read_step(node.at("header"));
  for (const Node& step : node.at("object").items()) recipe.object.push_back(read_step(step));
  if (node.has("link")) recipe.link = read_step(node.at("link"));
  if (node.has("translation")) recipe.translation = read_step(node.at("translation"));
  if (node.has("device_link")) recipe.device_link = read_step(node.at("device_link"));
  recipe.host_sources = node.at("host_sources").flag();
  for (const auto& [macro, values] : node.at("macros").members()) {
    for (const auto& [value, archs] : values.members())
      recipe.macros[macro].emplace(value, archs.texts());
  }
  recipe.host_flags = node.at("host_flags").texts();
  recipe.link_flags = node.at("link_flags").texts();
  return recipe;
}

std::shared_ptr<const Subprograms> read_subprograms(const Node& node) {
  Subprograms result;
  result.names = node.at("names").texts();
  result.config = node.at("config").text();
  result.own_folder = node.at("own_folder").text();
  result.lines = node.at("lines").texts();
  result.identifiers = node.at("identifiers").text();
  return std::make_shared<const Subprograms>(std::move(result));
}

ToolchainRecipe read_recipe(const Node& node) {
  ToolchainRecipe recipe;
  for (const auto& [kind, range] : node.at("kinds").members()) {
    read_range(range, kind, recipe.kinds);
  }
  recipe.hint = node.at("hint").text();
  recipe.host_compiler = node.at("host_compiler").flag();
  for (const auto& [form, steps] : node.at("images").members()) {
    for (const Node& step : steps.items()) recipe.images[form].push_back(read_step(step));
  }
  if (node.has("object")) recipe.object = read_step(node.at("object"));
  if (node.has("link")) recipe.link = read_step(node.at("link"));
  recipe.host_flags = node.at("host_flags").texts();
  recipe.link_flags = node.at("link_flags").texts();
  if (node.has("extension")) recipe.extension = read_extension_recipe(node.at("extension"));
  if (node.has("subprograms")) recipe.subprograms = read_subprograms(node.at("subprograms"));
  for (const auto& [form, needs] : node.at("needs").members()) {
    for (const auto& [what, text] : needs.members()) recipe.needs[form][what] = text.text();
  }
  return recipe;
}

}  // namespace

Accelerator read_accelerator(const Node& root) {
  Accelerator accelerator;
  accelerator.name = root.at("name").text();
  accelerator.summary = root.at("summary").text();
  accelerator.aliases = root.at("aliases").texts();
  accelerator.host = root.at("host").flag();
  accelerator.archs = read_archs(root.at("archs"));
  for (const Node& rule : root.at("devices").at("pci").items()) {
    accelerator.pci.push_back(read_pci(rule));
  }
  for (const Node& rule : root.at("detect").items()) {
    accelerator.detect.push_back(read_detect(rule));
  }
  accelerator.imitates = root.at("imitates").texts();
  accelerator.rank = root.at("rank").number(accelerator.rank);
  accelerator.runtime = read_runtime(root.at("runtime"));
  if (root.has("driver")) accelerator.driver = read_driver(root.at("driver"));
  accelerator.unbuilt = root.at("unbuilt").text();
  accelerator.suffixes = root.at("sources").texts();
  accelerator.flags = root.at("flags").text();
  accelerator.image_form = root.at("image").text();
  accelerator.portable_form = root.at("portable").text();
  for (const Node& probe : root.at("probes").items()) {
    accelerator.probes.push_back(read_probe(probe));
  }
  for (const Node& recipe : root.at("toolchains").items()) {
    accelerator.toolchains.push_back(read_recipe(recipe));
  }
  const Node canary = root.at("canary");
  accelerator.canary_name = canary.at("name").text();
  accelerator.canary_kernel = canary.at("kernel").text();
  for (const std::string& line : canary.at("lines").texts()) accelerator.canary += line + "\n";
  accelerator.file = root.file();
  return accelerator;
}

}  // namespace dsbuild::manifest
