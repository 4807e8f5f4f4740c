#include "cli/context.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/machine_file.h"
#include "cli/settings.h"
#include "manifest/read_sources.h"
#include "plan/make_plan.h"
#include "plan/scope.h"
#include "probe/devices/ask_sources.h"
#include "probe/devices/join_sources.h"
#include "probe/probe.h"

namespace fs = std::filesystem;

namespace dsbuild::cli {
namespace {

constexpr int kDefaultWidth = 80;

/// Lists on the command line: commas, spaces or semicolons.
std::vector<std::string> words(std::string_view text) {
  return split(text, ",; \t\n");
}

/// Python packages whose versions the op needs to know.
void add_packages(const manifest::Op& op, std::vector<std::string>& packages) {
  for (const auto& [name, range] : op.needs.python_packages) packages.push_back(name);
  for (const manifest::ExtensionPart& part : op.parts) {
    for (const auto& [name, range] : part.needs.python_packages) packages.push_back(name);
  }
}

/// Makes it; why it can't be written is returned.
std::optional<WriteRefusal> make_writable(const fs::path& folder) {
  auto refusal = find_write_refusal(folder);
  std::error_code error;
  if (!refusal) fs::create_directories(folder, error);
  if (error) return WriteRefusal{folder, error.message()};
  return refusal;
}

std::string describe(const WriteRefusal& refusal, const fs::path& folder) {
  return refusal.where == folder ? refusal.reason : refusal.where.string() + ": " + refusal.reason;
}

/// Without a slash at its end.
std::string absolute_path(const std::string& path) {
  const fs::path absolute = fs::absolute(path).lexically_normal();
  return (absolute.has_filename() ? absolute : absolute.parent_path()).string();
}

/// Nothing else is taken for a torch that was named and isn't there.
void check_named_torch(const System& system, const std::vector<probe::Torch>& torches) {
  if (torches.empty() || !torches.front().demanded) return;
  const probe::Torch& torch = torches.front();
  if (torch.version) return;
  const bool there = torch.path.starts_with('/') && system.exists(torch.path);
  throw Error(there ? ExitCode::no_toolchain : ExitCode::bad_input, torch.version.reason,
              torch.origin + " " + torch.path,
              "name an environment or a folder that has a torch; dsbuild report lists those here");
}

/// A folder of our own below the temporary one: private, and really ours.
fs::path private_temporary_folder(const System& system) {
  const fs::path folder =
      fs::path(system.env("TMPDIR").value_or("/tmp")) / fmt::format("dsbuild-{}", ::getuid());
  ::mkdir(folder.c_str(), 0700);
  struct stat st {};
  const bool ours = ::lstat(folder.c_str(), &st) == 0 && S_ISDIR(st.st_mode) &&
                    st.st_uid == ::getuid() && (st.st_mode & 022) == 0;
  return ours ? folder : fs::path();
}

/// Which manifests have the right form, remembered in a file, a line for each.
class KeptForms {
 public:
  explicit KeptForms(Context& context) {
    try {
      const fs::path folder = context.cache_folder();
      if (!folder.empty()) file_ = folder / "forms";
    } catch (const Error&) {  // whoever must have a cache folder tells of it
    }
    if (file_.empty()) return;
    for (std::string& line : split_lines(read_file(file_).value_or(""))) known.insert(line);
    size_ = known.size();
  }
  ~KeptForms() {
    if (file_.empty() || known.size() == size_) return;
    try {
      write_file(file_, join({known.begin(), known.end()}, "\n") + "\n");
    } catch (const Error&) {
    }
  }
  KeptForms(const KeptForms&) = delete;
  KeptForms& operator=(const KeptForms&) = delete;

  manifest::KnownForms known;

 private:
  fs::path file_;
  std::size_t size_ = 0;
};

}  // namespace

Context::Context() {
  std::error_code error;
  executable_ = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    throw Error(ExitCode::file_system, "can't tell where this program is: " + error.message(),
                "/proc/self/exe", "mount /proc");
  }
}

void Context::apply_options() {
  if (options.sysroot != "/") {
    if (!fs::is_directory(options.sysroot)) {
      throw Error(ExitCode::bad_input, "the folder doesn't exist", "--sysroot " + options.sysroot);
    }
    sysroot_ = std::make_unique<PosixSystem>(options.sysroot);
  }
  system_ = sysroot_ ? sysroot_.get() : &host_system_;
}

fs::path Context::built_in_root() const {
  std::error_code error;
  const fs::path root = executable_.parent_path().parent_path() / "share" / "dsbuild";
  fs::path real = fs::canonical(root, error);
  if (error) {
    throw Error(ExitCode::file_system, "the catalog that belongs to this program is missing",
                root.string(),
                "unpack or install dsbuild whole: bin/dsbuild needs share/dsbuild beside bin");
  }
  return real;
}

fs::path Context::cache_folder() {
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"--cache-dir", options.cache_dir},
        {"DSBUILD_CACHE_DIR", host_system_.env("DSBUILD_CACHE_DIR").value_or("")}}) {
    if (value.empty()) continue;
    const fs::path folder = fs::absolute(value);
    if (const auto refusal = make_writable(folder)) {
      throw Error(ExitCode::file_system,
                  "the cache folder can't be written: " + describe(*refusal, folder),
                  name + " " + value, "choose another folder, or leave the setting away");
    }
    return folder;
  }
  if (!usual_cache_folder_) usual_cache_folder_ = find_usual_cache_folder();
  return *usual_cache_folder_;
}

fs::path Context::find_usual_cache_folder() {
  std::vector<fs::path> folders;
  if (const auto xdg = host_system_.env("XDG_CACHE_HOME"); xdg && fs::path(*xdg).is_absolute())
    folders.push_back(fs::path(*xdg) / "dsbuild");
  if (const auto home = host_system_.env("HOME"))
    folders.push_back(fs::path(*home) / ".cache/dsbuild");
  std::string problem;
  const auto taken = [&](fs::path folder) {
    if (!problem.empty()) {
      note(fmt::format(
          "dsbuild: {}; {}", problem,
          folder.empty() ? "nothing is remembered" : folder.string() + " is taken instead"));
    }
    return folder;
  };
  for (const fs::path& folder : folders) {
    const auto refusal = make_writable(folder);
    if (!refusal) return taken(folder);
    if (problem.empty())
      problem = folder.string() + " can't be written: " + describe(*refusal, folder);
  }
  return taken(private_temporary_folder(host_system_));
}

fs::path Context::private_folder() const {
  return private_temporary_folder(host_system_);
}

void Context::tell(const Diagnostics& diagnostics, Problems problems, std::string_view what) {
  for (const Diagnostic& diagnostic : diagnostics.all())
    note("dsbuild: " + render_diagnostic(diagnostic));
  if (diagnostics.has_errors() && problems == Problems::refuse) {
    throw Error(ExitCode::bad_input, std::string(what));
  }
}

manifest::CatalogSources Context::catalog_sources() {
  manifest::CatalogSources sources;
  sources.built_in = built_in_root();
  const auto add = [](std::vector<fs::path>& list, const std::string& path) {
    list.push_back(fs::absolute(path).lexically_normal());
  };
  for (const std::string& root : options.roots) add(sources.roots, root);
  for (const std::string& root : split(host_system_.env("DSBUILD_PATH").value_or(""), ":")) {
    add(sources.roots, root);
  }
  for (const std::string& file : options.manifests) add(sources.manifests, file);
  if (!options.source.empty()) sources.tree = find_source();
  return sources;
}

fs::path Context::find_source() {
  const std::string& word = options.source;
  if (word.find('/') != std::string::npos || fs::exists(word)) return absolute_path(word);
  probe::ProbeOptions wanted = probe_options({});
  wanted.torches = true;
  pythons_ = probe::find_pythons(system(), wanted);
  const std::vector<probe::Torch>& torches = pythons_->torches;
  check_named_torch(system(), torches);
  const std::string site = torches.empty() ? "" : torches.front().site;
  const fs::path package = fs::path(site) / word;
  if (site.empty() || !system().exists(package)) {
    throw Error(ExitCode::bad_input,
                site.empty() ? "no torch was found beside which it could be installed"
                             : "it isn't installed beside the torch in " + site,
                "--source " + word, "name its folder, or another torch with --python PATH");
  }
  return package;
}

manifest::Catalog Context::read_catalog(Problems problems) {
  Diagnostics diagnostics;
  check_variables(host_system_.environment(), diagnostics);
  KeptForms forms(*this);
  manifest::Catalog catalog =
      manifest::read_catalog(host_system_, catalog_sources(), diagnostics, forms.known);
  tell(diagnostics, problems, "the manifests have errors");
  return catalog;
}

probe::ProbeOptions Context::probe_options(const manifest::Catalog& catalog) {
  probe::ProbeOptions wanted;
  for (const std::string& choice : options.toolkits) {
    const auto equals = choice.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == choice.size()) {
      throw Error(ExitCode::bad_input, "'" + choice + "' is no choice of a toolkit", "--toolkit",
                  "write KIND=PATH, for example nvcc=/usr/local/cuda-13.0 or gcc=/usr/bin/g++-12");
    }
    wanted.toolkits[choice.substr(0, equals)] = absolute_path(choice.substr(equals + 1));
  }
  if (!options.torch.empty()) wanted.torch = absolute_path(options.torch);
  // A name without a folder that isn't in this one is a command, to be looked up on PATH.
  const bool command = options.python.find('/') == std::string::npos && !fs::exists(options.python);
  wanted.python = command ? options.python : absolute_path(options.python);
  wanted.torches = !wanted.torch.empty() || !wanted.python.empty();
  for (const auto& [name, op] : catalog.ops) {
    if (op.kind != manifest::OpKind::python_extension) continue;
    wanted.torches = true;
    add_packages(op, wanted.python_packages);
  }
  wanted.cache_folder = cache_folder();
  wanted.same_host = looks_at_this_host();
  return wanted;
}

probe::Machine Context::probe(const manifest::Catalog& catalog) {
  probe::Machine machine = probe(catalog, probe_options(catalog));
  check_named_torch(system(), machine.torches);
  for (const std::string& problem : machine.problems) note("dsbuild: " + problem);
  return machine;
}

probe::Machine Context::survey(const manifest::Catalog& catalog, bool try_libraries) {
  probe::ProbeOptions wanted = probe_options(catalog);
  wanted.torches = wanted.survey = true;
  wanted.try_libraries = try_libraries;
  return probe(catalog, wanted);
}

probe::Machine Context::probe(const manifest::Catalog& catalog, const probe::ProbeOptions& wanted) {
  return probe::probe_machine(system(), processes_, catalog, wanted,
                              pythons_ ? &*pythons_ : nullptr);
}

void Context::ask_devices(probe::Machine& machine) {
  probe::AskOptions asking;
  asking.program = executable();
  asking.same_host = looks_at_this_host();
  machine.sources = probe::ask_sources(system(), processes(), machine, asking);
  probe::join_sources(machine.sources, machine.devices);
  machine.visible = probe::find_visible_devices(system(), machine);
}

plan::Request Context::request(const manifest::Catalog& catalog,
                               const probe::Machine& machine) const {
  plan::Request request;
  request.environment = host_system_.environment();
  request.ops = words(options.ops);
  request.unity = !options.no_unity;
  if (!options.accelerators.empty()) {
    request.accelerators = words(options.accelerators);
    request.accelerators_origin = "--accelerators";
  } else if (const auto value = host_system_.env("DS_ACCELERATOR")) {
    request.accelerators = words(*value);
    request.accelerators_origin = "DS_ACCELERATOR";
  }
  if (!options.archs.empty()) request.archs.push_back({"arch", options.archs, "--arch"});
  for (const auto& [name, accelerator] : catalog.accelerators) {
    for (const std::string& variable : accelerator.archs.settings) {
      if (const auto value = host_system_.env(variable))
        request.archs.push_back({"arch", *value, variable});
    }
  }
  ask_for(read_machine_files(options.machines), catalog, machine.host.machine.value.value_or(""),
          request);
  return request;
}

plan::Plan Context::plan(const plan::Request& request, manifest::Catalog& catalog,
                         const probe::Machine& machine, Problems problems) {
  manifest::read_sources(host_system_, plan::find_asked_ops(request, catalog), catalog);
  Diagnostics diagnostics;
  plan::Plan plan = plan::make_plan(request, catalog, machine, diagnostics);
  tell(diagnostics, problems, "the request can't be understood");
  return plan;
}

void Context::print(std::string_view text) {
  // Not by stdio: what stays in its buffer would be written at exit, to a pipe that nobody reads.
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) throw_file_error("can't write", "standard output", errno);
    text.remove_prefix(n < 0 ? 0 : static_cast<std::size_t>(n));
    if (!text.empty()) stop_if_interrupted();
  }
}

void Context::note(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool Context::terminal(int fd) const {
  return ::isatty(fd) == 1 && host_system_.env("TERM").value_or("") != "dumb";
}

void Context::print(const report::Document& document, const Json& json) {
  switch (options.format) {
    case Format::text:
      return print(report::render_text(document, style(STDOUT_FILENO)));
    case Format::json:
      return print(dump_json(json));
    case Format::markdown:
      return print(report::render_markdown(document));
  }
}

report::TextStyle Context::style(int fd) const {
  report::TextStyle style;
  style.width = kDefaultWidth;
  const bool may = options.colour == "auto" && !host_system_.env("NO_COLOR") && terminal(fd);
  style.colour = options.colour == "always" || may;
  winsize size{};
  if (terminal(fd) && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.width = size.ws_col;
  return style;
}

}  // namespace dsbuild::cli
