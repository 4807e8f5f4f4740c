#include "cli/bundle_export.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "bundle/install.h"
#include "bundle/wheel.h"
#include "cli/options.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

struct ExportFlags {
  std::string bundle;
  std::string form;
  std::string out = "out";
  std::string accelerator;
};

std::string read_program(const Context& context) {
  const fs::path file =
      context.built_in_root() / "packaging/python/deepspeed_ops_dsbuild/__init__.py";
  const auto text = read_file(file);
  if (text) return *text;
  throw Error(ExitCode::file_system, "the code of the package is missing", file.string(),
              "unpack or install dsbuild whole");
}

ExitCode run_export(Context& context, const ExportFlags& flags) {
  const manifest::Catalog catalog = context.read_catalog();
  const bundle::BundleIndex index = bundle::read_bundle(flags.bundle);
  const std::string accelerator =
      bundle::choose_accelerator(index, catalog, {flags.bundle, flags.accelerator, {}});
  const std::vector<bundle::Extension> extensions =
      bundle::choose_for_wheel(index, accelerator, split(context.options.ops, ",; \t\n"));
  const bundle::Wheel wheel =
      bundle::make_wheel(index, flags.bundle, extensions, accelerator,
                         bundle::name_for_deepspeed(catalog, accelerator), read_program(context));
  const fs::path path = fs::path(flags.out) / wheel.name;
  write_file(path, wheel.bytes);
  context.note(
      fmt::format("{}, {}", count_of(extensions.size(), "op"), format_size(wheel.bytes.size())));
  context.print(path.string() + "\n");
  return ExitCode::ok;
}

}  // namespace

std::function<ExitCode()> add_bundle_export(CLI::App& bundle, Context& context) {
  const auto flags = std::make_shared<ExportFlags>();
  CLI::App* command =
      bundle.add_subcommand("export", "make a package of a bundle's modules and print its path");
  command->add_option("DIR", flags->bundle, "the bundle")->required()->type_name("");
  command->add_option("--format", flags->form, "wheel, for pip")
      ->required()
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"wheel"}).description(""));
  command->add_option("--out", flags->out, "where the package goes")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--accelerator", flags->accelerator,
                   "whose modules, where the bundle has those of several")
      ->type_name("NAME");
  command->add_option("--ops", context.options.ops, "these alone; all when left away")
      ->type_name("LIST");
  return [&context, flags] { return run_export(context, *flags); };
}

}  // namespace dsbuild::cli
