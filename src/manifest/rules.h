// What a manifest or descriptor must keep: the one table of everything that can be wrong with it,
// each with what is said and what to write instead. Knows no file and finds no problem.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

namespace dsbuild::manifest {

enum class Rule {
  // What a schema says.
  wrong_type,
  unknown_key,
  missing_key,
  not_allowed_value,
  empty_list,
  empty_object,
  empty_text,
  equal_items,
  schema_other,
  // What no schema can say, of both formats.
  control_character,
  not_a_name,
  bad_range,
  not_an_arch,
  // Files and roots.
  unreadable_file,
  not_a_root,
  name_taken,
  // Descriptors.
  alias_taken,
  bare_taken,
  kind_taken,
  setting_taken,
  host_taken,
  no_host,
  key_of_other_scheme,
  scheme_needs_key,
  default_of_other_scheme,
  no_native_arch,
  pci_range_backwards,
  prober_with_fields,
  probe_incomplete,
  folder_not_absolute,
  bad_regex,
  regex_without_group,
  kind_not_probed,
  form_not_made,
  host_without_recipe,
  link_without_host,
  canary_suffix,
  placeholder_unclosed,
  placeholder_unknown,
  placeholder_elsewhere,
  placeholder_of_names,
  placeholder_not_alone,
  host_cxx_without_host,
  step_without,
  depfile_not_written,
  depfile_not_said,
  // Ops.
  reserved_kind,
  kind_needs,
  key_of_other_kind,
  no_sources,
  unknown_accelerator,
  unknown_need,
  bad_filter,
  bound_with_suffix,
  path_absolute,
  path_leaves,
  path_leaves_by_link,
  path_missing,
  path_is_no,
  source_suffix,
  same_object,
  one_source_per_image,
  same_image,
  macro_twice,
  bad_define,
  unknown_tool,
  flag_shape,
  flag_not_a_flag,
  flag_arch,
  flag_program,
  flag_output,
  flag_has_key,
  flag_path,
};

/// `message` and `hint` hold `{0}`, `{1}`, … for what the finder of the problem gives.
struct RuleRow {
  Rule rule;
  std::string_view message;
  std::string_view hint;
};

// The rows are in the order of the enum (a test walks them, and has a case for each).
inline constexpr std::array kRules{
    RuleRow{Rule::wrong_type, "{0} is needed here, not {1}", "{2}"},
    RuleRow{Rule::unknown_key, "the key '{0}' is not known here", "{1}"},
    RuleRow{Rule::missing_key, "the key '{0}' is missing", "{1}"},
    RuleRow{Rule::not_allowed_value, "{0} is not allowed here", "{1}"},
    RuleRow{Rule::empty_list, "the list has too few items", "{0}"},
    RuleRow{Rule::empty_object, "the object has too few keys", "{0}"},
    RuleRow{Rule::empty_text, "the text is empty", "{0}"},
    RuleRow{Rule::equal_items, "the items {0} and {1} are equal", "keep one of them"},
    RuleRow{Rule::schema_other, "{0}", "{1}"},

    RuleRow{Rule::control_character, "the text holds the control character {0}",
            "write one line of plain text"},
    RuleRow{Rule::not_a_name, "'{0}' is no {1}", "write one such as {2}"},
    RuleRow{Rule::bad_range, "'{0}' is no version range: {1}", ""},
    RuleRow{Rule::not_an_arch, "'{0}' is no arch of {1}", "write one such as {2}"},

    RuleRow{Rule::unreadable_file, "can't read the file", "check the path and its permissions"},
    RuleRow{Rule::not_a_root, "no catalog root: it has no folder manifests",
            "name the folder that holds manifests/ and ops/"},
    RuleRow{Rule::name_taken, "the {0} '{1}' is already described by {2}",
            "rename or remove one of them"},

    RuleRow{Rule::alias_taken, "'{0}' is already a name or alias of {1}, in {2}",
            "choose another alias"},
    RuleRow{Rule::bare_taken, "bare numbers already mean {0}, in {1}", "remove \"bare\""},
    RuleRow{Rule::kind_taken, "toolchains of kind '{0}' are already probed by {1}",
            "remove this probe, or give its kind another name"},
    RuleRow{Rule::setting_taken, "the variable '{0}' already restricts {1}, in {2}",
            "choose another variable"},
    RuleRow{Rule::host_taken, "the host accelerator is already {0}, in {1}", "remove \"host\""},
    RuleRow{Rule::no_host, "no accelerator descriptor says \"host\": true",
            "the installation is damaged: install dsbuild again"},
    RuleRow{Rule::key_of_other_scheme, "the scheme '{0}' has no key '{1}'", "remove it"},
    RuleRow{Rule::scheme_needs_key, "the scheme '{0}' needs the key '{1}'", "add it"},
    RuleRow{Rule::default_of_other_scheme, "the scheme '{0}' has no default \"{1}\"",
            "write {2}, or a list of archs"},
    RuleRow{Rule::no_native_arch,
            "\"native\" means the host, but the names for {0} have no "
            "\"native\"",
            "add it at the end of the list"},
    RuleRow{Rule::pci_range_backwards, "the last device id {0} is before the first, {1}",
            "swap them"},
    RuleRow{Rule::prober_with_fields, "a probe with a prober of its own has no key '{0}'",
            "remove \"{0}\" or \"prober\""},
    RuleRow{Rule::probe_incomplete, "the probe needs the key '{0}'", "add it"},
    RuleRow{Rule::folder_not_absolute, "the folder '{0}' is not absolute",
            "write it from the root, such as /opt/toolkit/bin"},
    RuleRow{Rule::bad_regex, "'{0}' is no regular expression: {1}",
            "write it in Perl's syntax, its brackets and parentheses closed"},
    RuleRow{Rule::regex_without_group, "the regular expression '{0}' has no group",
            "put what is wanted in parentheses"},
    RuleRow{Rule::kind_not_probed, "no descriptor probes toolchains of kind '{0}'", "{1}"},
    RuleRow{Rule::form_not_made, "no step makes images of the form '{0}'", "{1}"},
    RuleRow{Rule::host_without_recipe,
            "the host accelerator needs a recipe with \"object\" and "
            "\"link\"",
            "add them to one of its toolchains"},
    RuleRow{Rule::link_without_host, "only the host accelerator links",
            "remove \"link\", and say what the link needs in \"link_flags\""},
    RuleRow{Rule::canary_suffix, "the canary '{0}' has none of the accelerator's suffixes",
            "end its name with {1}"},
    RuleRow{Rule::placeholder_unclosed, "'{0}' has a brace without its partner",
            "write a placeholder as {name}"},
    RuleRow{Rule::placeholder_unknown, "'{{0}}' is no placeholder", "{1}"},
    RuleRow{Rule::placeholder_elsewhere, "'{{0}}' has no meaning here", "{1}"},
    RuleRow{Rule::placeholder_of_names, "'{number}' has no meaning in the scheme 'names'",
            "write {arch}"},
    RuleRow{Rule::placeholder_not_alone, "'{{0}}' is a list and must be a word of its own",
            "write \"{{0}}\" as one item of the list"},
    RuleRow{Rule::host_cxx_without_host, "'{host_cxx}' needs \"host_compiler\": true",
            "add it to the recipe"},
    RuleRow{Rule::step_without, "the step has no word with '{{0}}'", "{1}"},
    RuleRow{Rule::depfile_not_written, "\"depfile\" is true, but no word has '{depfile}'",
            "add the compiler's flags that write it, or remove \"depfile\""},
    RuleRow{Rule::depfile_not_said, "'{depfile}' is written, but \"depfile\" is not true",
            "add \"depfile\": true"},

    RuleRow{Rule::reserved_kind, "the kind '{0}' is reserved: not in this version",
            "write library or shared_library"},
    RuleRow{Rule::kind_needs, "the kind '{0}' needs the key '{1}'", "add it"},
    RuleRow{Rule::key_of_other_kind, "the kind '{0}' has no key '{1}'", "remove it"},
    RuleRow{Rule::no_sources, "the op has no sources", "add \"host\" or \"kernels\""},
    RuleRow{Rule::unknown_accelerator, "there is no accelerator '{0}'", "{1}"},
    RuleRow{Rule::unknown_need, "'{0}' is neither a need nor an accelerator", "{1}"},
    RuleRow{Rule::bad_filter, "'{0}' says no archs of {1}",
            "write \"*\", \">={2}\" or a list such as [\"{2}\"]"},
    RuleRow{Rule::bound_with_suffix,
            "the bound '{0}' has a suffix or feature, which no later arch "
            "is bound to have",
            "write \">={1}\", or list the archs"},
    RuleRow{Rule::path_absolute, "the path '{0}' is absolute", "write it relative to {1}"},
    RuleRow{Rule::path_leaves, "the path '{0}' leaves the folder {1}",
            "keep the file inside that folder"},
    RuleRow{Rule::path_leaves_by_link, "the path '{0}' leaves the folder {1} through a link to {2}",
            "copy the file into that folder"},
    RuleRow{Rule::path_missing, "there is no {0} '{1}' in {2}", "{3}"},
    RuleRow{Rule::path_is_no, "'{1}' in {2} is no {0}", "name a {0}"},
    RuleRow{Rule::source_suffix, "{0} takes no source such as '{1}'", "its sources end with {2}"},
    RuleRow{Rule::same_object, "'{0}' and '{1}' would make the same object file, {2}.o",
            "rename one of them"},
    RuleRow{Rule::one_source_per_image, "{0} makes an image of one source, here are {1}",
            "include the others in one, or make a kernel set of each, with a \"name\""},
    RuleRow{Rule::same_image, "this set and /kernels/{0} would make the same image for {1}",
            "give one of them a \"name\""},
    RuleRow{Rule::macro_twice, "the macro '{0}' is an instance and a define", "keep one of them"},
    RuleRow{Rule::bad_define, "the value '{0}' holds '{1}': no shell expands it",
            "write the value itself"},
    RuleRow{Rule::unknown_tool, "no compiler's flags are called '{0}'", "{1}"},
    RuleRow{Rule::flag_shape,
            "the flag '{0}' holds '{1}': each item is one word, and no shell "
            "expands it",
            "write one item for each word; macros with odd values belong in "
            "\"defines\""},
    RuleRow{Rule::flag_not_a_flag, "'{0}' is no flag",
            "files belong in \"sources\"; write a flag and its value as one word: --flag=value"},
    RuleRow{Rule::flag_arch, "the flag '{0}' chooses an arch",
            "archs come from \"on\" and --arch: remove it"},
    RuleRow{Rule::flag_program,
            "the flag '{0}' makes the compiler load or run what the manifest "
            "doesn't show",
            "remove it"},
    RuleRow{Rule::flag_output, "the flag '{0}' changes what is made or where",
            "outputs come from the accelerator's descriptor: remove it"},
    RuleRow{Rule::flag_has_key, "the flag '{0}' has a key of its own", "write it as {1}"},
    RuleRow{Rule::flag_path, "the flag '{0}' names a path outside the op",
            "only relative paths without '..' are allowed"},
};

constexpr const RuleRow& rule_row(Rule rule) {
  return kRules[static_cast<std::size_t>(rule)];
}

/// `{0}`, `{1}`, … of `text` replaced by `arguments`; other braces stay.
std::string expand_rule(std::string_view text, std::initializer_list<std::string> arguments);

}  // namespace dsbuild::manifest
