#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "probe/frameworks/library_rows.h"
#include "probe/sources.h"
#include "probe/toolchains/toolchains.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// The toolchain that a build would take for host libraries; null: there is none.
const Toolchain* find_host_toolchain(const Scene& scene, const Machine& machine) {
  const std::string& host = scene.catalog.host().name;
  for (const AcceleratorState& state : machine.accelerators.list) {
    if (state.name != host || !state.toolchain) continue;
    for (const Toolchain& toolchain : machine.toolchains) {
      if (toolchain.id == *state.toolchain) return &toolchain;
    }
  }
  return nullptr;
}

std::string make_source(const LibraryRow& row) {
  std::string source = fmt::format("#include <{}>\n", row.header);
  if (row.symbol == nullptr) return source;
  // The symbol's name in assembly, so that no declaration and no builtin is in the way.
  return source + fmt::format(
                      "extern char dsbuild_symbol[] __asm__(\"{}\");\n"
                      "extern \"C\" void* dsbuild_need(void) {{ return dsbuild_symbol; }}\n",
                      row.symbol);
}

/// In the cache, written once: an answer is good as long as its file is the same. Throws Error.
fs::path write_source(const fs::path& cache_folder, const LibraryRow& row) {
  const fs::path file = cache_folder / "libraries" / (std::string(row.name) + ".cpp");
  write_file_if_changed(file, make_source(row));
  return file;
}

/// `{"-I", …}` and what it is linked with, by the files that were found.
std::vector<std::string> make_arguments(const Library& library, const LibraryRow& row,
                                        const Machine& machine, const fs::path& source) {
  const std::string& header = *library.header;
  std::vector<std::string> words{"-std=c++17", "-fPIC", "-shared", "-Wl,-z,defs"};
  const std::size_t below = std::string_view(row.header).size() + 1;
  if (header.size() > below) words.push_back("-I" + header.substr(0, header.size() - below));
  for (const Toolchain& toolchain : machine.toolchains) {
    const auto include = toolchain.values.find("toolkit_include");
    if (row.toolkit == nullptr || toolchain.kind != row.toolkit) continue;
    if (include != toolchain.values.end()) words.push_back("-I" + include->second);
    break;
  }
  words.push_back(source.string());
  if (library.library) {
    const fs::path file = *library.library;
    words.push_back("-L" + file.parent_path().string());
    words.push_back("-l:" + file.filename().string());
  }
  // Linkers leave what is no regular file alone.
  words.insert(words.end(), {"-o", "/dev/null"});
  return words;
}

/// Compilers say "error:", linkers "undefined reference" and "cannot find".
std::string find_first_error(const ProcessResult& answer) {
  const Pattern pattern(
      "((?:fatal )?error: .*|undefined reference .*|undefined symbol.*|cannot find .*)");
  const std::string error = find_in_answer(answer, pattern);
  return error.empty() || answer.timed_out ? describe_answer(answer) : error;
}

Fact<std::string> try_library(const Scene& scene, const Machine& machine, const Toolchain& host,
                              const Library& library, const LibraryRow& row) {
  using Usable = Fact<std::string>;
  try {
    const fs::path source = write_source(scene.options.cache_folder, row);
    std::vector<fs::path> markers{*library.header, source};
    if (library.library) markers.emplace_back(*library.library);
    const fs::path compiler = host.values.at("cxx");
    const ProcessResult answer =
        scene.answers.ask(compiler, make_arguments(library, row, machine, source), markers);
    if (answer.ok()) return Usable::known(host.id, compiler.string());
    return Usable::missing(fmt::format("not with {}: {}", host.id, find_first_error(answer)),
                           compiler.string());
  } catch (const Error& error) {
    return Usable::missing("not tried: " + error.message);
  }
}

}  // namespace

void try_libraries(const Scene& scene, Machine& machine) {
  std::vector<Library>& libraries = machine.survey->libraries;
  const Toolchain* host = find_host_toolchain(scene, machine);
  const auto not_tried = [&](const char* why) {
    for (Library& library : libraries) library.usable = Fact<std::string>::missing(why);
  };
  if (!scene.options.same_host)
    return not_tried("not tried: the root is not the running machine's");
  if (host == nullptr || !host->values.contains("cxx"))
    return not_tried("not tried: no C++ compiler for the host");
  if (scene.options.cache_folder.empty()) return not_tried("not tried: there is no cache folder");
  for_each(scene, libraries.size(), [&](std::size_t i) {
    Library& library = libraries[i];
    const auto row = std::find_if(kLibraries.begin(), kLibraries.end(),
                                  [&](const LibraryRow& r) { return r.name == library.name; });
    if (row == kLibraries.end()) return;
    library.usable = library.complete()
                         ? try_library(scene, machine, *host, library, *row)
                         : Fact<std::string>::missing("not tried: not all of it is there");
  });
}

}  // namespace dsbuild::probe
