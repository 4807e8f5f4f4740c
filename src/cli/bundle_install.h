// `bundle install`, and the same at the end of a build: a bundle's extensions put where a framework
// looks for them, and taken back. Knows the options and what is printed; src/bundle does the work.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/exit_code.h"
#include "bundle/install.h"
#include "cli/context.h"

namespace CLI {
class App;
}

namespace dsbuild::cli {

/// Adds `install` to `bundle` and returns what runs it.
std::function<ExitCode()> add_bundle_install(CLI::App& bundle, Context& context);

/// `python`: an interpreter, its command, or an environment; empty: the active environment's, else
/// the first on PATH. Throws Error(bad_input) when there is none, or it has no DeepSpeed.
bundle::PythonHost find_install_host(Context& context, const std::string& python);

/// Installs what a build has just published, and tells of it.
void install_bundle(Context& context, const manifest::Catalog& catalog,
                    const probe::Machine& machine, const bundle::PythonHost& host,
                    const bundle::InstallRequest& request);

}  // namespace dsbuild::cli
