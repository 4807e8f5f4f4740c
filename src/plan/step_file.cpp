#include "plan/step_file.h"

#include "base/error.h"

namespace dsbuild::plan {
namespace {

constexpr std::string_view kHeader = "dsbuild-step 1";

// After the header each field is one tag letter and its value, ended by NUL. Tags that may stand
// more than once are lists.
constexpr char kId = 'i';
constexpr char kWhat = 'w';
constexpr char kArgument = 'a';
constexpr char kVariable = 'e';
constexpr char kOutput = 'o';
constexpr char kDepfile = 'd';
constexpr char kKernel = 'k';
constexpr char kAnyKernel = 'K';
constexpr char kScanDepfile = 'S';  // begins a scan; its words follow
constexpr char kScanWord = 's';
constexpr char kHeaderMade = 'H';
constexpr char kHeaderDepfile = 'D';
constexpr char kHeaderWord = 'p';
constexpr char kHash = 'h';
constexpr char kInput = 'n';
constexpr char kInputsOnly = 'N';
constexpr char kRoot = 'r';
constexpr char kSubprogram = 'q';
constexpr char kSubprogramConfig = 'Q';
constexpr char kSubprogramFolder = 'y';
constexpr char kSubprogramLine = 'l';
constexpr char kSubprogramIdentifiers = 'Y';
constexpr char kToolchain = 't';
constexpr char kEnd = '.';  // the last field, so that a file that was cut off is seen

constexpr std::size_t kUsualSize = 2048;

class FieldWriter {
 public:
  explicit FieldWriter(const std::string& id) : id_(id) { text.reserve(kUsualSize); }

  void add(char tag, std::string_view value) {
    if (value.find('\0') != std::string_view::npos) {
      throw Error(ExitCode::bad_input, "a command can't hold a NUL byte", "step " + id_);
    }
    text += tag;
    text += value;
    text += '\0';
  }
  void add_all(char tag, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(tag, value);
  }

  std::string text = std::string(kHeader) + '\0';

 private:
  const std::string& id_;
};

template <typename Map>
bool parse_pair(std::string_view text, Map& map) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  map.emplace(text.substr(0, equals), text.substr(equals + 1));
  return true;
}

bool parse_subprogram_field(char tag, std::string_view value, StepFile& step) {
  switch (tag) {
    case kSubprogram:
      step.subprograms.names.emplace_back(value);
      return true;
    case kSubprogramConfig:
      step.subprograms.config = value;
      return true;
    case kSubprogramFolder:
      step.subprograms.own_folder = value;
      return true;
    case kSubprogramLine:
      step.subprograms.lines.emplace_back(value);
      return true;
    case kSubprogramIdentifiers:
      step.subprograms.identifiers = value;
      return true;
    case kToolchain:
      step.toolchain_identity = value;
      return true;
    default:
      return false;
  }
}

void add_subprograms(FieldWriter& writer, const StepFile& step) {
  const manifest::Subprograms& subprograms = step.subprograms;
  if (subprograms.names.empty()) return;
  writer.add_all(kSubprogram, subprograms.names);
  writer.add(kSubprogramConfig, subprograms.config);
  if (!subprograms.own_folder.empty()) writer.add(kSubprogramFolder, subprograms.own_folder);
  writer.add_all(kSubprogramLine, subprograms.lines);
  if (!subprograms.identifiers.empty()) writer.add(kSubprogramIdentifiers, subprograms.identifiers);
  writer.add(kToolchain, step.toolchain_identity);
}

bool parse_field(char tag, std::string_view value, StepFile& step) {
  switch (tag) {
    case kId:
      step.id = value;
      return true;
    case kWhat:
      step.what = value;
      return true;
    case kArgument:
      step.argv.emplace_back(value);
      return true;
    case kVariable:
      return parse_pair(value, step.environment);
    case kOutput:
      step.outputs.emplace_back(value);
      return true;
    case kDepfile:
      step.depfile = value;
      return true;
    case kKernel:
      step.kernels.emplace_back(value);
      return true;
    case kAnyKernel:
      step.any_kernel = true;
      return value.empty();
    case kScanDepfile:
      step.scans.push_back({{}, std::string(value)});
      return true;
    case kScanWord:
      if (step.scans.empty()) return false;
      step.scans.back().argv.emplace_back(value);
      return true;
    case kHeaderMade:
      step.header.made = value;
      return true;
    case kHeaderDepfile:
      step.header.depfile = value;
      return true;
    case kHeaderWord:
      step.header.argv.emplace_back(value);
      return true;
    case kHash:
      step.hash = value;
      return true;
    case kInput:
      step.inputs.emplace_back(value);
      return true;
    case kInputsOnly:
      step.inputs_only = true;
      return value.empty();
    case kRoot:
      return parse_pair(value, step.roots);
    default:
      return parse_subprogram_field(tag, value, step);
  }
}

}  // namespace

std::string render_step_file(const StepFile& step) {
  FieldWriter writer(step.id);
  writer.add(kId, step.id);
  writer.add(kWhat, step.what);
  writer.add_all(kArgument, step.argv);
  for (const auto& [name, value] : step.environment) writer.add(kVariable, name + "=" + value);
  writer.add_all(kOutput, step.outputs);
  if (!step.depfile.empty()) writer.add(kDepfile, step.depfile);
  writer.add_all(kKernel, step.kernels);
  if (step.any_kernel) writer.add(kAnyKernel, "");
  for (const Scan& scan : step.scans) {
    writer.add(kScanDepfile, scan.depfile);
    writer.add_all(kScanWord, scan.argv);
  }
  if (step.header) {
    writer.add(kHeaderMade, step.header.made);
    writer.add(kHeaderDepfile, step.header.depfile);
    writer.add_all(kHeaderWord, step.header.argv);
  }
  if (!step.hash.empty()) writer.add(kHash, step.hash);
  writer.add_all(kInput, step.inputs);
  if (step.inputs_only) writer.add(kInputsOnly, "");
  add_subprograms(writer, step);
  for (const auto& [name, folder] : step.roots) writer.add(kRoot, name + "=" + folder);
  writer.add(kEnd, "");
  return std::move(writer.text);
}

std::optional<StepFile> parse_step_file(std::string_view text) {
  const auto next_field = [&text]() -> std::optional<std::string_view> {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(end + 1);
    return field;
  };
  if (next_field() != kHeader) return std::nullopt;
  StepFile step;
  for (;;) {
    const auto field = next_field();
    if (!field || field->empty()) return std::nullopt;
    if (field->front() == kEnd) break;
    if (!parse_field(field->front(), field->substr(1), step)) return std::nullopt;
  }
  const bool whole =
      text.empty() && !step.id.empty() && !step.argv.empty() && !step.outputs.empty();
  return whole ? std::optional(std::move(step)) : std::nullopt;
}

}  // namespace dsbuild::plan
