#include "run/log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/files.h"
#include "base/text.h"

namespace fs = std::filesystem;

namespace dsbuild::run {
namespace {

constexpr std::string_view kCommandMark = "$ ";
constexpr std::string_view kCauseMark = "dsbuild: ";

/// The end of the command: a line end outside of quotes, which may hold some themselves.
std::size_t end_of_command(const std::string& text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'') quoted = !quoted;
    if (text[i] == '\\' && !quoted) ++i;
    if (text[i] == '\n' && !quoted) return i;
  }
  return text.size();
}

}  // namespace

fs::path log_path(std::string_view step_id) {
  return fmt::format("logs/{}.log", step_id);
}

std::string render_command(const plan::StepFile& step, const fs::path& folder) {
  std::vector<std::string> words{"env", "-i"};
  for (const auto& [name, value] : step.environment) words.push_back(name + "=" + value);
  words.insert(words.end(), step.argv.begin(), step.argv.end());
  return fmt::format("cd {} && {}", shell_quote(folder.native()), shell_join(words));
}

StepLog::StepLog(const fs::path& folder, const plan::StepFile& step)
    : path_(folder / log_path(step.id)) {
  write_folder(path_.parent_path());
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) throw_file_error("can't write", path_, errno);
  const std::string header = fmt::format("{}{}\n", kCommandMark, render_command(step, folder));
  header_size_ = header.size();
  write_all(fd_, header, path_);
}

StepLog::~StepLog() {
  ::close(fd_);
}

void StepLog::restart() const {
  if (::ftruncate(fd_, static_cast<off_t>(header_size_)) != 0)
    throw_file_error("can't write", path_, errno);
}

void StepLog::finish(const std::string& cause) {
  if (!cause.empty()) {
    write_all(fd_, fmt::format("{}{}\n", kCauseMark, cause), path_);
    return;
  }
  struct stat status {};
  const bool silent =
      ::fstat(fd_, &status) == 0 && static_cast<std::size_t>(status.st_size) == header_size_;
  if (silent) ::unlink(path_.c_str());
}

LogText read_log(const fs::path& path) {
  LogText log;
  std::string text = read_file(path).value_or("");
  if (!text.starts_with(kCommandMark)) return log;
  const std::size_t end = end_of_command(text);
  log.command = text.substr(kCommandMark.size(), end - kCommandMark.size());
  log.output = text.substr(std::min(end + 1, text.size()));
  // The cause is ours and is told by the event.
  const auto last = log.output.rfind(kCauseMark, log.output.size());
  if (last != std::string::npos && (last == 0 || log.output[last - 1] == '\n')) {
    log.output.resize(last);
  }
  return log;
}

}  // namespace dsbuild::run
