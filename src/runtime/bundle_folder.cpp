#include "runtime/bundle_folder.h"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/failure.h"
#include "runtime/system.h"

namespace dsops::runtime {
namespace {

constexpr const char* kVariable = "DSOPS_BUNDLE";
constexpr std::string_view kLibraryEnding = ".so";
constexpr std::string_view kRuntimeName = "libdsops";

std::string parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Folder of the file that this code was loaded from, links resolved.
std::string library_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_folder), &info) == 0) return {};
  return parent(real_path(info.dli_fname));
}

// The folder of lib/ for this host: the triple of this library if the bundle has it, else the first
// one whose machine is this one's. Compilers differ in the rest of the triple: x86_64-linux-gnu,
// x86_64-redhat-linux.
std::string find_triple(const std::string& bundle) {
  const std::vector<std::string> triples = list_folder(bundle + "/lib");
  const std::string own = base_name(library_folder());
  if (std::find(triples.begin(), triples.end(), own) != triples.end()) return own;
  const std::string machine = std::string(kMachine) + "-";
  for (const std::string& triple : triples) {
    if (triple.compare(0, machine.size(), machine) == 0) return triple;
  }
  return {};
}

std::vector<std::string> find_ops(const std::string& libraries) {
  std::vector<std::string> ops;
  for (const std::string& file : list_folder(libraries)) {
    if (file.size() <= kLibraryEnding.size() || !std::string_view(file).ends_with(kLibraryEnding)) {
      continue;
    }
    const std::string name = file.substr(0, file.size() - kLibraryEnding.size());
    if (name != kRuntimeName) ops.push_back(name);
  }
  return ops;
}

std::int32_t read_bundle(const std::string& path, const std::string& origin, BundleFolder& out) {
  out.path = real_path(path);
  if (out.path.empty() || !is_folder(out.path)) {
    return fail(DSOPS_NOT_FOUND, "no bundle at %s (%s): %s", path.c_str(), origin.c_str(),
                out.path.empty() ? std::strerror(errno) : "not a folder");
  }
  const std::string triple = find_triple(out.path);
  if (triple.empty()) {
    return fail(DSOPS_NOT_FOUND, "no bundle for this host at %s (%s): it has no folder lib/%s-*",
                out.path.c_str(), origin.c_str(), kMachine);
  }
  out.libraries = out.path + "/lib/" + triple;
  out.ops = find_ops(out.libraries);
  return DSOPS_OK;
}

}  // namespace

std::int32_t find_bundle(const std::string& path, BundleFolder& out) {
  if (!path.empty()) return read_bundle(path, "as given", out);
  if (const char* variable = find_variable(kVariable)) {
    return read_bundle(variable, std::string("from ") + kVariable, out);
  }
  // <bundle>/lib/<triple>/libdsops.so
  const std::string libraries = library_folder();
  const std::string lib = parent(libraries);
  if (base_name(lib) == "lib") return read_bundle(parent(lib), "beside libdsops", out);
  return fail(DSOPS_NOT_FOUND,
              "no bundle: no path was given, %s is not set, and libdsops lies in %s, not in a "
              "bundle's lib/<triple>",
              kVariable, libraries.c_str());
}

}  // namespace dsops::runtime
