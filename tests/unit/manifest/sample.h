// A small catalog in a temporary folder: three descriptors, one of each arch scheme, and an op.
// Tests change one thing in it and look at what is told. Knows the formats, no built-in file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/json.h"
#include "base/system.h"
#include "manifest/read.h"
#include "support/temp_folder.h"

namespace dsbuild::manifest::test {

using dsbuild::test::TempFolder;
using dsbuild::test::write_text;

inline constexpr std::string_view kHost = R"json({
  "schema": 1, "name": "host", "summary": "The CPU", "host": true,
  "archs": {"scheme": "names",
            "names": {"x86_64": ["v2", "v3", "native"], "aarch64": ["armv8", "native"]},
            "default": {"x86_64": ["v2"], "aarch64": ["armv8"]}, "native": "host"},
  "sources": [".cpp", ".c"], "flags": "cxx", "image": "so",
  "canary": {"name": "canary.cpp", "kernel": "canary", "lines": ["extern \"C\" int canary;"]},
  "probes": [{"kind": "gcc", "tool": "cxx", "commands": ["g++"], "env": ["CXX"],
              "folders": ["/opt/bin"],
              "version": {"argv": ["-dumpversion"], "regex": "([0-9.]+)"}}],
  "toolchains": [{
    "kinds": {"gcc": ">=11"}, "hint": "install g++",
    "images": {"so": [
      {"each": "source", "argv": ["{cxx}", "-march={arch}", "{flags}", "-MF", "{depfile}", "{in}",
                                  "-o", "{out}"], "out": "{stem}.o", "depfile": true},
      {"argv": ["{cxx}", "-shared", "{in}", "-o", "{out}"], "out": "{arch}.so"}]},
    "object": {"each": "source", "argv": ["{cxx}", "-c", "{in}", "-o", "{out}"],
               "out": "{stem}.o"},
    "link": {"argv": ["{cxx}", "-shared", "{in}", "-o", "{out}"], "out": "{op}.so"}
  }]
})json";

inline constexpr std::string_view kGpu = R"json({
  "schema": 1, "name": "gpu", "summary": "A GPU with numbers", "aliases": ["card"],
  "archs": {"scheme": "capability", "prefixes": ["sm_", "compute_"], "suffixes": "af",
            "bare": true, "default": "offered", "native": "devices", "settings": ["GPU_ARCHS"]},
  "devices": {"pci": [{"vendor": "0x10de", "classes": ["0x0302"],
                       "devices": [{"first": "0x2300", "last": "0x23ff", "arch": "sm_90"}]}]},
  "sources": [".cu"], "flags": "nvcc", "image": "cubin", "portable": "ptx",
  "probes": [{"kind": "nvcc", "prober": "cuda_toolkit", "gives": ["nvcc"]}],
  "toolchains": [{
    "kinds": {"nvcc": ">=11.8"}, "hint": "install a toolkit", "host_compiler": true,
    "images": {"cubin": [{"each": "source",
                          "argv": ["{nvcc}", "-ccbin", "{host_cxx}", "-arch=sm_{number}", "{in}",
                                   "-o", "{out}"], "out": "{arch}.cubin"}],
               "ptx": [{"each": "source", "argv": ["{nvcc}", "-ptx", "{in}", "-o", "{out}"],
                        "out": "{arch}.ptx"}]},
    "object": {"each": "source",
               "argv": ["{nvcc}", {"for": "cubin", "argv": ["-gencode", "code={arch}"]}, "{in}",
                        "-o", "{out}"], "out": "{stem}.o"},
    "link_flags": ["-lcudart_static"],
    "needs": {"cubin": {"driver": ">={major}.0"}}
  }]
})json";

inline constexpr std::string_view kTile = R"json({
  "schema": 1, "name": "tile", "summary": "A device with processors",
  "archs": {"scheme": "target", "prefixes": ["gfx"], "features": ["xnack", "sramecc"],
            "default": ["gfx90a", "gfx942"]},
  "sources": [".cu"], "flags": "hipcc", "image": "hsaco",
  "probes": [{"kind": "tilecc", "tool": "cxx", "commands": ["tilecc"],
              "version": {"argv": ["--version"], "regex": "([0-9.]+)"},
              "archs": {"argv": ["--list"], "regex": "(gfx[0-9a-f]+)"},
              "beside": {"lld": "ld.lld"}}],
  "toolchains": [{
    "kinds": {"tilecc": ">=1"}, "hint": "install tilecc",
    "images": {"hsaco": [{"each": "source", "argv": ["{cxx}", "{in}", "-o", "{out}"],
                          "out": "{arch}.hsaco"}]}
  }]
})json";

inline constexpr std::string_view kOp = R"json({
  "schema": 1, "name": "my_op", "kind": "library", "summary": "An op",
  "host": {"sources": ["op.cpp"], "include": ["inc"]},
  "kernels": [
    {"sources": ["k.cpp"], "on": {"host": "*"}, "exports": ["my_kernel"]},
    {"sources": ["k.cu"], "on": {"gpu": ">=8.0", "tile": ["gfx90a", "gfx942"]},
     "instances": {"DIM": [64, 128]}},
    {"sources": ["k90.cu"], "on": {"gpu": ["9.0a"]}, "freestanding": false,
     "needs": {"gpu": ">=12.3", "headers": ["lib/lib.h"]}}],
  "defines": {"N": "4"}, "flags": {"cxx": ["-funroll-loops"], "nvcc": ["-Xptxas", "-v"]},
  "libraries": ["m"],
  "needs": {"libraries": [{"name": "aio", "symbol": "io_submit"}], "commands": ["git"],
            "packages": {"liburing": ">=2.0"}, "openmp": true, "machine": ["x86_64"]}
})json";

/// Files of a catalog, by their path in the root. Those that a test adds or changes go here.
class SampleRoot {
 public:
  SampleRoot() {
    write("manifests/accelerators/host.json", kHost);
    write("manifests/accelerators/gpu.json", kGpu);
    write("manifests/accelerators/tile.json", kTile);
    write("manifests/ops/my_op.json", kOp);
    for (const char* name : {"op.cpp", "k.cpp", "k.cu", "k90.cu", "inc/op.h"}) {
      write(std::string("ops/my_op/") + name, "");
    }
    std::filesystem::create_symlink(std::filesystem::path(DSBUILD_SOURCE_DIR) / "manifests/schema",
                                    folder / "manifests/schema");
  }

  void write(const std::string& path, std::string_view text) { write_text(folder / path, text); }

  Catalog read(Diagnostics& diagnostics, CatalogSources sources = {}) const {
    sources.built_in = folder.path;
    return read_catalog(PosixSystem(), sources, diagnostics);
  }
  /// What is told of the catalog, a line each.
  std::vector<std::string> told(const CatalogSources& sources = {}) const {
    Diagnostics diagnostics;
    read(diagnostics, sources);
    std::vector<std::string> lines;
    for (const Diagnostic& d : diagnostics.all()) lines.push_back(render_diagnostic(d));
    return lines;
  }

  TempFolder folder;
};

/// One descriptor read alone, without a problem.
Accelerator read_sample(std::string_view text);

}  // namespace dsbuild::manifest::test
