#include <optional>

#include "probe/frameworks/frameworks.h"
#include "probe/frameworks/torch_files.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {

void read_torch(const System& system, const fs::path& folder, Framework& framework) {
  const std::string file = (folder / "version.py").string();
  const auto text = system.read_file(file);
  prefer_own_version(text, "__version__", file, framework);
  for (const char* name : {"cuda", "hip", "debug", "git_version"}) {
    framework.details[name] =
        text ? read_value(*text, name, file) : Fact<std::string>::missing("can't be read", file);
  }
  framework.details["cxx11_abi"] = find_cxx11_abi(system, folder);
  // In a library of 30 MB and more, at no fixed place: reading it would take most of the report's
  // time.
  framework.details["archs"] = Fact<std::string>::missing(
      "only its libraries know: python3 -c 'import torch; print(torch.cuda.get_arch_list())'",
      (folder / "lib").string());
}

}  // namespace dsbuild::probe
