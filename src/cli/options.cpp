#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <map>

namespace dsbuild::cli {
namespace {

void offer_formats(CLI::App& app, Options& options, const char* help,
                   const std::map<std::string, Format>& formats) {
  app.add_option("--format", options.format, help)
      ->type_name("FORMAT")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case).description(""));
}

}  // namespace

void add_catalog_options(CLI::App& app, Options& options) {
  app.add_option("--root", options.roots,
                 "catalog root to read besides the built-in one (repeatable; DSBUILD_PATH)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_option("--manifest", options.manifests,
                 "single op manifest; its sources lie beside it (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--source", options.source,
                 "a source tree that dsbuild knows, such as DeepSpeed's (deepspeed: the installed "
                 "one): its ops are the only "
                 "ones")
      ->type_name("DIR");
}

void add_machine_options(CLI::App& app, Options& options, bool with_sysroot) {
  if (with_sysroot) {
    app.add_option("--sysroot", options.sysroot, "look at the machine below this folder instead")
        ->type_name("DIR");
  }
  app.add_option("--toolkit", options.toolkits,
                 "take this toolchain and no other of its kind: nvcc=DIR, gcc=FILE (repeatable)")
      ->type_name("KIND=PATH")
      ->allow_extra_args(false);
  app.add_option(
         "--python", options.python,
         "the interpreter (or its command) or the environment whose torch extensions are built "
         "for")
      ->type_name("PATH");
  app.add_option("--torch", options.torch,
                 "the torch they are built for: its package's folder, or the one around it")
      ->type_name("DIR");
  app.add_option("--cache-dir", options.cache_dir,
                 "where tools' answers and canaries are remembered (DSBUILD_CACHE_DIR)")
      ->type_name("DIR");
}

void add_request_options(CLI::App& app, Options& options) {
  app.add_option("--ops", options.ops, "ops, separated by commas; all when left away")
      ->type_name("LIST");
  app.add_option("--accelerators", options.accelerators,
                 "accelerators, separated by commas; all that can be compiled for when left away "
                 "(DS_ACCELERATOR)")
      ->type_name("LIST");
  app.add_option(
         "--arch", options.archs,
         "archs: 9.0, sm_90a, 9.0+PTX, gfx942, x86-64-v3, all, all-major, cuda:native, cpu:native")
      ->type_name("LIST");
  add_for_option(app, options,
                 "build for a machine that was recorded with 'report --record': its CPU level, its "
                 "devices' archs (repeatable: for all of them)");
}

void add_unity_option(CLI::App& app, Options& options) {
  app.add_flag("--no-unity", options.no_unity,
               "compile each source for itself, also where a manifest says that they may be one "
               "compile");
}

void add_force_option(CLI::App& app, Options& options) {
  app.add_flag("--force", options.force,
               "run every step again, and take nothing from the step cache");
}

void add_for_option(CLI::App& app, Options& options, const char* help) {
  app.add_option("--for", options.machines, help)->type_name("FILE")->allow_extra_args(false);
}

void add_format_option(CLI::App& app, Options& options) {
  offer_formats(app, options, "text or json", {{"text", Format::text}, {"json", Format::json}});
}

void add_document_format_option(CLI::App& app, Options& options) {
  offer_formats(app, options, "text, json, or md (Markdown, for issue trackers)",
                {{"text", Format::text}, {"json", Format::json}, {"md", Format::markdown}});
}

}  // namespace dsbuild::cli
