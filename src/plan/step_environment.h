// The environment that a step runs with: complete, and nothing of the user's but what one table
// names. Knows variables, not commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"

namespace dsbuild::plan {

/// `user` gives the few variables that are inherited; `tool_folders` begin the PATH, in order and
/// each once.
Environment make_step_environment(const Environment& user,
                                  const std::vector<std::string>& tool_folders);

/// Variables in `user` that compilers, or builds with make, would obey, and that steps don't get:
/// sorted. They would change what is built without a trace.
std::vector<std::string> find_left_out(const Environment& user);

/// Whether a change of the variable means that the output may change. TMPDIR doesn't.
bool changes_output(std::string_view variable);

}  // namespace dsbuild::plan
