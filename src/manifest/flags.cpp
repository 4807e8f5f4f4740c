#include "manifest/flags.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text.h"
#include "manifest/shapes.h"

namespace dsbuild::manifest {
namespace {

/// How a row's text is compared: with the whole word up to `=`, or with its beginning.
enum class Match { whole, begin };

/// No rule: the flag is allowed, although a later row would take it.
struct FlagRow {
  std::string_view text;
  Match match;
  std::optional<Rule> rule;
  std::string_view key = {};    ///< for flag_has_key: what to write
  bool outermost_only = false;  ///< means something else after -Wl, or -Xcompiler=
};

constexpr auto kArch = Rule::flag_arch;
constexpr auto kProgram = Rule::flag_program;
constexpr auto kOutput = Rule::flag_output;
constexpr auto kKey = Rule::flag_has_key;

// The first row that fits decides. Sources: the option summaries of
// https://gcc.gnu.org/onlinedocs/gcc/Option-Summary.html,
// https://clang.llvm.org/docs/ClangCommandLineReference.html,
// https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/#nvcc-command-options and
// https://sourceware.org/binutils/docs/ld/Options.html
constexpr std::array kFlags{
    FlagRow{"-maxrregcount", Match::whole, {}},
    FlagRow{"-mllvm", Match::whole, {}},
    FlagRow{"-mcmodel", Match::whole, {}},
    FlagRow{"-mprefer-vector-width", Match::whole, {}},
    FlagRow{"-m", Match::begin, kArch},
    FlagRow{"-arch", Match::begin, kArch},
    FlagRow{"--arch", Match::begin, kArch},
    FlagRow{"-code", Match::whole, kArch},
    FlagRow{"-gencode", Match::begin, kArch},
    FlagRow{"--generate-code", Match::begin, kArch},
    FlagRow{"--gpu-", Match::begin, kArch},
    FlagRow{"-gpu-", Match::begin, kArch},
    FlagRow{"--offload", Match::begin, kArch},
    FlagRow{"--no-offload-arch", Match::begin, kArch},
    FlagRow{"--cuda-gpu-arch", Match::begin, kArch},
    FlagRow{"--no-cuda-gpu-arch", Match::begin, kArch},
    FlagRow{"--amdgpu-target", Match::begin, kArch},
    FlagRow{"--target", Match::whole, kArch},
    FlagRow{"-target", Match::whole, kArch},

    FlagRow{"@", Match::begin, kProgram},
    FlagRow{"-fplugin", Match::begin, kProgram},
    FlagRow{"-fpass-plugin", Match::begin, kProgram},
    FlagRow{"-plugin", Match::begin, kProgram},
    FlagRow{"--plugin", Match::begin, kProgram},
    FlagRow{"-load", Match::begin, kProgram},
    FlagRow{"--load", Match::begin, kProgram},
    FlagRow{"-B", Match::begin, kProgram, {}, true},
    FlagRow{"--prefix", Match::whole, kProgram},
    FlagRow{"-specs", Match::begin, kProgram},
    FlagRow{"--specs", Match::begin, kProgram},
    FlagRow{"-wrapper", Match::begin, kProgram},
    FlagRow{"-optf", Match::begin, kProgram},
    FlagRow{"--options-file", Match::begin, kProgram},
    FlagRow{"-ccbin", Match::begin, kProgram},
    FlagRow{"--compiler-bindir", Match::begin, kProgram},
    FlagRow{"-fuse-ld", Match::begin, kProgram},
    FlagRow{"--ld-path", Match::begin, kProgram},
    FlagRow{"-dynamic-linker", Match::begin, kProgram},
    FlagRow{"--dynamic-linker", Match::begin, kProgram},
    FlagRow{"--sysroot", Match::begin, kProgram},
    FlagRow{"-isysroot", Match::begin, kProgram},
    FlagRow{"--gcc-toolchain", Match::begin, kProgram},
    FlagRow{"--gcc-install-dir", Match::begin, kProgram},
    FlagRow{"--cuda-path", Match::begin, kProgram},
    FlagRow{"--rocm-path", Match::begin, kProgram},
    FlagRow{"--hip-path", Match::begin, kProgram},
    FlagRow{"--rocm-device-lib-path", Match::begin, kProgram},
    FlagRow{"-resource-dir", Match::begin, kProgram},
    FlagRow{"--config", Match::begin, kProgram},

    FlagRow{"-objtemp", Match::whole, {}},
    FlagRow{"-o", Match::begin, kOutput},
    FlagRow{"--output", Match::begin, kOutput},
    FlagRow{"-c", Match::whole, kOutput},
    FlagRow{"-S", Match::whole, kOutput},
    FlagRow{"-E", Match::whole, kOutput},
    FlagRow{"-M", Match::begin, kOutput},
    FlagRow{"-x", Match::begin, kOutput},
    FlagRow{"--x", Match::whole, kOutput},
    FlagRow{"-cubin", Match::whole, kOutput},
    FlagRow{"-ptx", Match::whole, kOutput},
    FlagRow{"-fatbin", Match::whole, kOutput},
    FlagRow{"-save-temps", Match::begin, kOutput},
    FlagRow{"--save-temps", Match::begin, kOutput},
    FlagRow{"-keep", Match::begin, kOutput},
    FlagRow{"--keep", Match::begin, kOutput},
    FlagRow{"-dump", Match::begin, kOutput},

    FlagRow{"-include", Match::whole, {}},
    FlagRow{"-imacros", Match::whole, {}},
    FlagRow{"-include", Match::begin, Rule::flag_path},
    FlagRow{"-imacros", Match::begin, Rule::flag_path},
    FlagRow{"-lineinfo", Match::whole, {}},
    FlagRow{"-I", Match::begin, kKey, "\"include\""},
    FlagRow{"-isystem", Match::begin, kKey, "\"include\""},
    FlagRow{"-iquote", Match::begin, kKey, "\"include\""},
    FlagRow{"-idirafter", Match::begin, kKey, "\"include\""},
    FlagRow{"--include-path", Match::begin, kKey, "\"include\""},
    FlagRow{"-L", Match::begin, kKey, "\"libraries\""},
    FlagRow{"-l", Match::begin, kKey, "\"libraries\""},
    FlagRow{"--library", Match::begin, kKey, "\"libraries\""},
};

/// Flags whose value is the word after them.
constexpr std::array<std::string_view, 16> kTakesWord{
    "-D",           "-U",          "-include",      "-imacros", "--param",     "-mllvm",
    "-Xcompiler",   "-Xlinker",    "-Xptxas",       "-Xclang",  "-Xassembler", "-Xpreprocessor",
    "-Xcuda-ptxas", "-Xarch_host", "-Xarch_device", "-z"};

/// What one word of a command line may consist of.
constexpr std::string_view kFlagCharacters = "aA0_+-./=,:%@^#~[]";

const FlagRow* find_row(std::string_view flag, bool outermost) {
  const std::string_view name = flag.substr(0, flag.find('='));
  const auto row = std::find_if(kFlags.begin(), kFlags.end(), [&](const FlagRow& candidate) {
    if (candidate.outermost_only && !outermost) return false;
    return candidate.match == Match::whole ? name == candidate.text
                                           : flag.starts_with(candidate.text);
  });
  return row == kFlags.end() ? nullptr : &*row;
}

bool leaves(std::string_view piece) {
  return piece.starts_with('/') || piece == ".." || piece.starts_with("../") ||
         piece.find("/../") != std::string_view::npos || piece.ends_with("/..");
}

/// Tells of the first thing that is wrong with the word.
void check_word(const Node& node, const std::string& word, bool has_taker) {
  const auto odd =
      std::find_if(word.begin(), word.end(), [](char c) { return !shape_has(kFlagCharacters, c); });
  if (odd != word.end()) {
    return node.complain(Rule::flag_shape, {word, std::string(1, *odd)});
  }
  // "-Wl,-plugin,x.so" and "-Xcompiler=-march=native" hold flags of another tool.
  const std::vector<std::string> pieces = split(word, "=,");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const FlagRow* row = find_row(i == 0 ? word : pieces[i], i == 0);
    if (row != nullptr && row->rule) {
      return node.complain(*row->rule, {word, std::string(row->key)});
    }
    if (leaves(pieces[i])) return node.complain(Rule::flag_path, {word});
  }
  if (!word.starts_with('-') && !has_taker) node.complain(Rule::flag_not_a_flag, {word});
}

}  // namespace

bool is_chosen_by_plan(const std::string& word) {
  const std::vector<std::string> pieces = split(word, "=,");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const FlagRow* row = find_row(i == 0 ? word : pieces[i], i == 0);
    if (row == nullptr || !row->rule) continue;
    if (*row->rule == kArch || *row->rule == kProgram || *row->rule == kOutput) return true;
  }
  return false;
}

void check_flags(const Node& flags) {
  std::string before;
  for (const Node& item : flags.items()) {
    const std::string word = item.text();
    if (item.is_text()) {
      const bool has_taker =
          std::find(kTakesWord.begin(), kTakesWord.end(), before) != kTakesWord.end();
      check_word(item, word, has_taker);
    }
    before = word;
  }
}

}  // namespace dsbuild::manifest
