#include "bundle/check_image.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "bundle/file_facts.h"

namespace dsbuild::bundle {
namespace {

/// The one symbol of an op's host library (src/runtime/include/dsops/dsops.h).
constexpr const char* kLibrarySymbol = "dsops_library_v1";

/// torch's namespaces as names of symbols spell them: at, c10, torch.
constexpr std::array<std::string_view, 3> kTorchSpaces{"2at", "3c10", "5torch"};

enum class Code { host, device };

/// What a form is made of. Other forms belong to accelerators that only their descriptor knows:
/// what can't be read in them is not judged.
struct FormRow {
  std::string_view form;
  Code code;
};
constexpr auto kForms = std::to_array<FormRow>({
    {"so", Code::host},
    {"library", Code::host},
    {plan::kExtensionForm, Code::host},
    {"cubin", Code::device},
    {"ptx", Code::device},
    {"hsaco", Code::device},
});

/// Functions that NVIDIA's driver brings to what it loads: "System Calls" in
/// https://docs.nvidia.com/cuda/ptx-writers-guide-to-interoperability/
constexpr auto kSystemCalls =
    std::to_array<std::string_view>({"__assertfail", "free", "malloc", "vprintf"});
/// Its own names: ptxas 13 leaves .nv.reservedSmem.offset0 undefined in code for sm_90 and newer.
constexpr std::string_view kDriverPrefix = ".nv.";

bool comes_from_driver(const std::string& name) {
  return name.starts_with(kDriverPrefix) ||
         std::find(kSystemCalls.begin(), kSystemCalls.end(), name) != kSystemCalls.end();
}

std::optional<Code> code_of(const std::string& form) {
  for (const FormRow& row : kForms) {
    if (row.form == form) return row.code;
  }
  return std::nullopt;
}

/// "gfx90a:xnack-:sramecc+" and "gfx90a:sramecc+:xnack-" are one target.
bool is_same_target(const std::string& a, const std::string& b) {
  std::vector<std::string> left = split(a, ":");
  std::vector<std::string> right = split(b, ":");
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  return left == right;
}

std::vector<std::string> missing_of(const std::vector<std::string>& wanted,
                                    const std::vector<std::string>& found) {
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    if (std::find(found.begin(), found.end(), name) == found.end()) missing.push_back(name);
  }
  return missing;
}

/// In the new one std::string lies in a namespace of its own, and what returns one has a tag.
bool has_new_string(const std::string& name) {
  return name.find("__cxx11") != std::string::npos || name.find("B5cxx11") != std::string::npos;
}

/// In the old one std::string is spelled "Ss", which may also be a part of somebody's own name.
bool has_old_string(const std::string& name) {
  if (name.find("Ss") == std::string::npos) return false;
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  int status = 0;
  const std::unique_ptr<char, Free> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status));
  return plain && std::string_view(plain.get()).find("std::string") != std::string_view::npos;
}

class ImageCheck {
 public:
  ImageCheck(const BundleFile& file, const ElfFacts& facts, const std::string& machine)
      : file_(file), facts_(facts), machine_(machine) {}

  std::vector<std::string> run() {
    const std::optional<Code> code = code_of(file_.form);
    if (!facts_.problem.empty()) {
      if (code) tell("can't be used: " + facts_.problem);
      return std::move(problems_);
    }
    if (code) check_kind(*code);
    if (facts_.device) {
      check_arch();
      check_undefined();
    }
    if (!facts_.device && code) {
      check_machine();
      check_host_library();
    }
    check_entry_points();
    check_needs();
    return std::move(problems_);
  }

 private:
  void tell(std::string problem) { problems_.push_back(std::move(problem)); }

  void check_kind(Code wanted) {
    const Code found = facts_.device ? Code::device : Code::host;
    if (found == wanted) return;
    tell(fmt::format("holds code for {}, which is no {}", facts_.target, file_.form));
  }

  void check_arch() {
    if (!is_same_target(facts_.target, file_.arch)) {
      tell(fmt::format("is compiled for {}, the index says {}", facts_.target, file_.arch));
    }
  }

  /// Images are loaded one by one: nothing else brings what one lacks.
  void check_undefined() {
    std::vector<std::string> nowhere;
    std::copy_if(facts_.undefined.begin(), facts_.undefined.end(), std::back_inserter(nowhere),
                 [](const std::string& name) { return !comes_from_driver(name); });
    if (!nowhere.empty()) tell(fmt::format("uses {}, which it does not hold", join(nowhere, ", ")));
  }

  void check_machine() {
    if (facts_.target != machine_) {
      tell(fmt::format("is compiled for {}, the bundle is for {}", facts_.target, machine_));
    }
  }

  /// What may be in any bundle that is to load everywhere.
  void check_host_library() {
    const bool is_op = std::binary_search(facts_.exported.begin(), facts_.exported.end(),
                                          std::string(kLibrarySymbol));
    if (is_op && facts_.exported.size() > 1) {
      tell(fmt::format("exports {}, where a library op exports {} alone",
                       join(facts_.exported, ", "), kLibrarySymbol));
    }
    // A shared_library is its author's own, and lists what it needs.
    check_stable_abi();
    check_cxx11_abi();
    const bool ours = file_.form == "library" || file_.path.starts_with("images/");
    if (ours) check_libc_only();
    check_runpath();
    check_embedded();
  }

  /// An extension that says it loads in every later torch may use none of its C++, which changes:
  /// only C functions and what is inline.
  /// https://docs.pytorch.org/docs/stable/notes/libtorch_stable_abi.html
  void check_stable_abi() {
    const auto torch = file_.needs.find("torch");
    if (torch == file_.needs.end() || !torch->second.starts_with(">=")) return;
    const std::vector<std::string> unstable = names_of_torch();
    if (!unstable.empty())
      tell(fmt::format("uses {}, which is not of torch's stable ABI", join(unstable, ", ")));
  }

  /// torch was compiled with one of two std::string, and what is called with the other one isn't in
  /// it. https://gcc.gnu.org/onlinedocs/libstdc++/manual/using_dual_abi.html
  void check_cxx11_abi() {
    const auto abi = file_.needs.find("cxx11_abi");
    if (abi == file_.needs.end()) return;
    std::vector<std::string> others = names_of_torch();
    std::erase_if(others, [&](const std::string& name) {
      const bool is_new = has_new_string(name);
      return abi->second == "0" ? !is_new : is_new || !has_old_string(name);
    });
    if (others.empty()) return;
    tell(fmt::format("uses {}, which a torch with _GLIBCXX_USE_CXX11_ABI={} does not have",
                     join(others, ", "), abi->second));
  }

  /// Those names of torch's C++ that it takes from elsewhere.
  std::vector<std::string> names_of_torch() const {
    std::vector<std::string> names;
    for (const std::string& name : facts_.undefined) {
      // _ZN2at… a function, _ZNK2at… a const one, _ZTIN2at… a type's information.
      const std::string_view start = std::string_view(name).substr(0, 12);
      const bool of_torch = std::any_of(kTorchSpaces.begin(), kTorchSpaces.end(), [&](auto space) {
        return start.find(space) != std::string_view::npos;
      });
      if (start.starts_with("_Z") && of_torch) names.push_back(name);
    }
    return names;
  }

  void check_libc_only() {
    std::vector<std::string> others;
    std::copy_if(facts_.needed.begin(), facts_.needed.end(), std::back_inserter(others),
                 [](const std::string& name) { return !is_libc(name); });
    if (!others.empty())
      tell(fmt::format("needs {}, where only libc may be needed", join(others, ", ")));
    // glibc gives each of its symbols a version; a symbol without one comes from nowhere.
    const bool glibc = facts_.needed.empty() || !facts_.glibc.empty();
    std::vector<std::string> nowhere;
    std::copy_if(facts_.undefined.begin(), facts_.undefined.end(), std::back_inserter(nowhere),
                 [](const std::string& name) { return name.find('@') == std::string::npos; });
    if (glibc && !nowhere.empty()) {
      tell(fmt::format("uses {}, which no library that it needs has", join(nowhere, ", ")));
    }
  }

  void check_runpath() {
    for (const std::string& folder : split(facts_.runpath, ":")) {
      if (folder != "$ORIGIN" && !folder.starts_with("$ORIGIN/")) {
        tell(fmt::format(
            "looks for libraries in {} (RUNPATH), which is of the machine it was built on",
            folder));
      }
    }
  }

  void check_embedded() {
    // A module may hold other vendors' device code, too, which isn't read.
    if (file_.archs.empty() || file_.form == plan::kExtensionForm) return;
    std::vector<std::string> found;
    for (const EmbeddedImage& image : facts_.embedded) {
      found.push_back(image.form == "ptx" ? image.target + "+ptx" : image.target);
    }
    const auto missing = missing_of(file_.archs, found);
    const auto extra = missing_of(found, file_.archs);
    if (!missing.empty()) tell(fmt::format("holds no code for {}", join(missing, ", ")));
    if (!extra.empty()) {
      tell(fmt::format("holds code for {}, which the index does not list", join(extra, ", ")));
    }
  }

  void check_entry_points() {
    const std::vector<std::string>& found = entry_points(facts_);
    const auto missing = missing_of(file_.kernels, found);
    const auto extra = missing_of(found, file_.kernels);
    if (!missing.empty()) tell(fmt::format("does not hold {}", join(missing, ", ")));
    // An extension is C++: what it exports besides is its compiler's.
    if (!extra.empty() && file_.form != plan::kExtensionForm)
      tell(fmt::format("holds {}, which the index does not list", join(extra, ", ")));
  }

  void check_needs() {
    const auto needs = content_needs(facts_);
    const auto value = [](const std::map<std::string, std::string>& map, const char* key) {
      const auto found = map.find(key);
      return found == map.end() ? std::string("none") : found->second;
    };
    for (const char* key : {"glibc", "libraries"}) {
      if (value(needs, key) != value(file_.needs, key)) {
        tell(fmt::format("needs {}: {}, the index says {}", key, value(needs, key),
                         value(file_.needs, key)));
      }
    }
  }

  const BundleFile& file_;
  const ElfFacts& facts_;
  const std::string& machine_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> check_image(const BundleFile& file, const ElfFacts& facts,
                                     const std::string& machine) {
  return ImageCheck(file, facts, machine).run();
}

}  // namespace dsbuild::bundle
