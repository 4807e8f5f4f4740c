// `bundle export`: a bundle in the form of another packager. Knows the options and what is printed;
// src/bundle makes the package.
#pragma once

#include <functional>

#include "base/exit_code.h"
#include "cli/context.h"

namespace CLI {
class App;
}

namespace dsbuild::cli {

/// Adds `export` to `bundle` and returns what runs it.
std::function<ExitCode()> add_bundle_export(CLI::App& bundle, Context& context);

}  // namespace dsbuild::cli
