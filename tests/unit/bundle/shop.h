// A build folder with artifacts of the test's own, and the plan that names them.
// Knows the bundle's input; compiles nothing.
#pragma once

#include <string>

#include "bundle/bundle.h"
#include "manifest/read.h"
#include "support/temp_folder.h"

namespace dsbuild::bundle {

/// A form that no rule knows, so that any bytes will do.
inline constexpr const char* kBlob = "blob";

/// The one that dsbuild comes with.
inline const manifest::Catalog& catalog() {
  static const manifest::Catalog kCatalog = [] {
    Diagnostics diagnostics;
    manifest::CatalogSources sources;
    sources.built_in = DSBUILD_SOURCE_DIR;
    return manifest::read_catalog(PosixSystem(), sources, diagnostics);
  }();
  return kCatalog;
}

class Shop {
 public:
  Shop() {
    plan.triple = "x86_64-linux-gnu";
    content.build_folder = temp / "build";
    content.dsbuild_version = "0.1.0";
    std::filesystem::create_directories(content.build_folder);
  }

  /// An artifact that is planned and lies in the build folder.
  plan::Entry& add(const std::string& path, std::string_view bytes) {
    test::write_text(content.build_folder / path, bytes);
    plan::Entry entry;
    entry.op = "op";
    entry.accelerator = "acme";
    entry.arch = "wh";
    entry.form = kBlob;
    entry.state = plan::EntryState::planned;
    entry.artifact = path;
    plan.entries.push_back(std::move(entry));
    return plan.entries.back();
  }

  bool write() { return write_bundle(plan, content, out()).changed; }
  std::filesystem::path out() const { return temp / "out/bundle"; }
  std::string text(const std::string& path) const { return test::read_text(out() / path); }
  std::vector<Diagnostic> check() const { return check_bundle(out(), read_bundle(out())); }
  /// What lies beside the bundle: leftovers.
  std::vector<std::string> beside() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(temp / "out")) {
      if (entry.path() != out()) names.push_back(entry.path().filename());
    }
    return names;
  }

  test::TempFolder temp;
  plan::Plan plan;
  BundleContent content;
};

}  // namespace dsbuild::bundle
