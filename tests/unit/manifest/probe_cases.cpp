#include "unit/manifest/rule_case.h"

namespace dsbuild::manifest::test {

const std::vector<RuleCase>& probe_cases() {
  static const std::vector<RuleCase> cases{
      // Probes.
      {Rule::prober_with_fields,
       "gpu",
       {{"/probes/0/tool", R"("nvcc")"}},
       "/probes/0/tool",
       "a probe with a prober of its own has no key 'tool'",
       "remove \"tool\" or \"prober\""},
      {Rule::probe_incomplete,
       "tile",
       {{"/probes/0/version", ""}},
       "/probes/0",
       "the probe needs the key 'version'",
       "add it"},
      {Rule::folder_not_absolute,
       "host",
       {{"/probes/0/folders/0", R"("opt/bin")"}},
       "/probes/0/folders/0",
       "the folder 'opt/bin' is not absolute",
       "write it from the root, such as /opt/toolkit/bin"},
      {Rule::toolkit_folder,
       "tile",
       {{"/probes/0/toolkit",
         R"({"folders": ["{not a name}/sdk"], "parts": {"sdk": {"in": ["include"], "file": "sdk.h"}}})"}},
       "/probes/0/toolkit/folders/0",
       "'{not a name}/sdk' is no folder of a toolkit",
       "write it from the root, or after {python} or a variable: /opt/toolkit-*, "
       "{TOOLKIT_ROOT}/latest"},
      {Rule::path_leaves_toolkit,
       "tile",
       {{"/probes/0/toolkit",
         R"({"folders": ["{SDK_ROOT}/latest"], "parts": {"sdk": {"in": ["../include"], "file": "sdk.h"}}})"}},
       "/probes/0/toolkit/parts/sdk/in/0",
       "'../include' is not below the toolkit's folder",
       "write it from there, without '..': lib/toolkit"},
      {Rule::unknown_part,
       "tile",
       {{"/probes/0/toolkit",
         R"({"folders": ["{SDK_ROOT}/latest"], "parts": {"sdk": {"in": ["include"], "file": "sdk.h"}},
             "archs": {"part": "kit", "file": "arch_*.bc", "prefix": "t"}})"}},
       "/probes/0/toolkit/archs/part",
       "there is no part 'kit' of the toolkit",
       "name one of \"parts\""},
      {Rule::regex_without_group,
       "host",
       {{"/probes/0/version/regex", R"("[0-9.]+")"}},
       "/probes/0/version/regex",
       "the regular expression '[0-9.]+' has no group",
       "put what is wanted in parentheses"},
      {Rule::bad_regex,
       "tile",
       {{"/probes/0/archs/regex", R"("(gfx[0-9+")"}},
       "/probes/0/archs/regex",
       "'(gfx[0-9+' is no regular expression: missing terminating ] for character class at "
       "offset 9",
       "write it in Perl's syntax, its brackets and parentheses closed"},

      // Drivers.
      {Rule::bad_version,
       "gpu",
       {{"/driver", R"j({"file": "/proc/gpu", "regex": "v([0-9.]+)", "runs": {"R1": "12.0"}})j"}},
       "/driver/runs/R1",
       "'R1' is no version",
       "write dotted numbers: 12.2"},
  };
  return cases;
}

}  // namespace dsbuild::manifest::test
