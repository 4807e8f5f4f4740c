// Groups of options that several subcommands share, so that one flag means one thing everywhere.
// Knows the flags' names and help, not what is done with them.
#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace dsbuild::cli {

/// Where build publishes its bundle when nothing else is said.
inline constexpr const char* kUsualBundle = "out/bundle";

/// --root, --manifest: which manifests are read.
void add_catalog_options(CLI::App& app, Options& options);
/// --sysroot, --toolkit, --python, --torch, --cache-dir: which machine is looked at, and how.
void add_machine_options(CLI::App& app, Options& options, bool with_sysroot);
/// --for: machines that were recorded.
void add_for_option(CLI::App& app, Options& options, const char* help);
/// --ops, --accelerators, --arch, --for: what is asked for.
void add_request_options(CLI::App& app, Options& options);
/// --no-unity: of what compiles.
void add_unity_option(CLI::App& app, Options& options);
/// --force: of what builds.
void add_force_option(CLI::App& app, Options& options);
/// --format text|json.
void add_format_option(CLI::App& app, Options& options);
/// --format text|json|md, of what prints a report::Document.
void add_document_format_option(CLI::App& app, Options& options);

}  // namespace dsbuild::cli
