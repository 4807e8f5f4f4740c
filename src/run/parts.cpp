#include "run/parts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "run/log.h"
#include "run/part.h"
#include "run/step_cache.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

constexpr const char* kFolder = "parts";
constexpr std::size_t kHashDigits = 16;
constexpr const char* kPlace = "{stand_ins}";

/// The folder with the compiler's link in it; empty when the compiler has no such configuration.
fs::path write_stand_ins(const plan::StepFile& step, const fs::path& folder) {
  const manifest::Subprograms& subprograms = step.subprograms;
  const fs::path compiler = step.argv.front();
  const auto config = read_file(compiler.parent_path() / subprograms.config);
  if (!compiler.is_absolute() || !config) return {};
  Hasher hasher;
  hasher.field("compiler", compiler.native()).field("config", *config);
  for (const std::string& line : subprograms.lines) hasher.field("line", line);
  for (const std::string& program : subprograms.names) hasher.field("program", program);
  const fs::path own = compiler.parent_path();
  const fs::path toolkit =
      folder / kFolder / hasher.field("folder", folder.native()).hex().substr(0, kHashDigits);
  const fs::path made = toolkit / own.filename();
  std::string text = *config;
  if (!subprograms.own_folder.empty()) {
    text = replace_all(std::move(text), subprograms.own_folder, own.native());
  }
  text += "\n";
  for (const std::string& line : subprograms.lines) {
    text += replace_all(line, kPlace, made.native()) + "\n";
  }
  write_folder(made);
  // A compiler may look at what lies beside its folder, to know its toolkit's layout.
  for (const fs::directory_entry& beside : fs::directory_iterator(own.parent_path())) {
    if (beside.path().filename() != own.filename())
      write_link(toolkit / beside.path().filename(), beside.path());
  }
  write_file_if_changed(made / subprograms.config, text);
  write_link(made / compiler.filename(), compiler);
  for (const std::string& program : subprograms.names) write_link(made / program, folder / "step");
  return made;
}

}  // namespace

fs::path notes_path(const fs::path& folder, const plan::StepFile& step) {
  return folder / (log_path(step.id).native() + ".parts");
}

void write_note(const fs::path& notes, std::string_view what, std::string_view program) {
  const int fd = ::open(notes.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;
  const std::string line = fmt::format("{} {}\n", what, program);
  (void)!::write(fd, line.data(), line.size());
  ::close(fd);
}

std::optional<plan::StepFile> make_parts_command(const plan::StepFile& step,
                                                 const fs::path& step_file, const fs::path& folder,
                                                 const CachePlace& place) {
  if (step.subprograms.names.empty() || !place.on()) return std::nullopt;
  try {
    const fs::path stand_ins = write_stand_ins(step, folder);
    if (stand_ins.empty()) return std::nullopt;
    plan::StepFile command = step;
    command.argv.front() = stand_ins / fs::path(step.argv.front()).filename();
    command.environment[kPartVariable] = (folder / step_file).native();
    command.environment[kCacheVariable] = render_cache_place(place);
    return command;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

PartCounts take_notes(const fs::path& notes) {
  PartCounts counts;
  for (const std::string& line : split_lines(read_file(notes).value_or(""))) {
    if (line.starts_with(kPartTaken)) counts.taken += 1;
    if (line.starts_with(kPartMade)) counts.made += 1;
    if (line.starts_with(kPartFailed)) counts.failed += 1;
  }
  ::unlink(notes.c_str());
  return counts;
}

}  // namespace dsbuild::run
