#include "probe/answer_cache.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "probe/toolchains/command_files.h"

namespace fs = std::filesystem;

namespace dsbuild::probe {
namespace {

/// A tool that says nothing for so long says nothing (https://reviews.llvm.org/D94751: a wedged
/// driver hung clang's own probes).
constexpr std::chrono::seconds kLimit{10};
/// More than any version or help text; nvcc's help has 52 kB.
constexpr std::size_t kOutputLimit = 1u << 20;
/// How long an answer is kept.
constexpr std::chrono::hours kKept{24 * 30};
/// All that tools get of the environment; each may change what a tool says.
constexpr std::array<const char*, 4> kVariables{"HOME", "LD_LIBRARY_PATH", "PATH", "TMPDIR"};

Command make_command(const System& system, const fs::path& path,
                     const std::vector<std::string>& arguments) {
  // Below another root a link may point to where only that root's own processes find something.
  fs::path start = system.host_path(path);
  if (start != path) start = system.host_path(system.resolve(path).value_or(path));
  Command command;
  command.argv.push_back(start.string());
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment.emplace("LC_ALL", "C");  // messages as the descriptors' patterns expect them
  for (const char* name : kVariables) {
    if (const auto value = system.env(name)) command.environment.emplace(name, *value);
  }
  command.limit = kLimit;
  command.output_limit = kOutputLimit;
  return command;
}

/// Everything that the answer depends on, as one line.
std::string make_question(const System& system, const Command& command, const fs::path& path,
                          const std::vector<fs::path>& markers) {
  Json question;
  question["argv"] = command.argv;
  question["environment"] = command.environment;
  Json& files = question["files"];
  for (const fs::path& file : find_command_files(system, path).files) {
    files.push_back(render_file_state(system, file));
  }
  for (const fs::path& file : markers) files.push_back(render_file_state(system, file));
  return question.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A kept answer is the question (a line of JSON), a line with the sizes of the two streams, and
/// both as they were. No JSON string: nvcc's help has 52 kB, and reading that out of one took a
/// third of a warm probe.
std::optional<ProcessResult> read_answer(const fs::path& file, const std::string& question) {
  const std::string text = read_file(file).value_or("");
  const std::size_t line = question.size() + 1;
  if (text.size() < line || !text.starts_with(question) || text[line - 1] != '\n') {
    return std::nullopt;
  }
  const std::size_t end = text.find('\n', line);
  if (end == std::string::npos) return std::nullopt;
  std::size_t out_size = 0;
  std::size_t err_size = 0;
  const char* const last = text.data() + end;
  const auto out = std::from_chars(text.data() + line, last, out_size);
  if (out.ec != std::errc() || out.ptr == last || *out.ptr != ' ') return std::nullopt;
  const auto err = std::from_chars(out.ptr + 1, last, err_size);
  if (err.ec != std::errc() || err.ptr != last) return std::nullopt;
  if (out_size > text.size() || text.size() != end + 1 + out_size + err_size) return std::nullopt;
  ProcessResult answer;
  answer.exit_code = 0;
  answer.out = text.substr(end + 1, out_size);
  answer.err = text.substr(end + 1 + out_size);
  return answer;
}

/// Those of tools and settings that are long gone; one that is still of use is asked for again.
void write_removal_of_old_answers(const fs::path& folder) {
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - kKept;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.last_write_time(error) < oldest && !error) fs::remove(entry.path(), error);
  }
}

void write_answer(const fs::path& file, const std::string& question, const ProcessResult& answer) {
  try {
    write_removal_of_old_answers(file.parent_path());
    write_file(file, fmt::format("{}\n{} {}\n{}{}", question, answer.out.size(), answer.err.size(),
                                 answer.out, answer.err));
  } catch (const Error&) {
    // Nothing can be kept there: the next run asks again.
  }
}

}  // namespace

AnswerCache::AnswerCache(const System& system, ProcessRunner& processes, fs::path folder)
    : system_(system), processes_(processes), folder_(std::move(folder)) {}

ProcessResult AnswerCache::ask(const fs::path& path, const std::vector<std::string>& arguments,
                               const std::vector<fs::path>& markers) {
  const Command command = make_command(system_, path, arguments);
  std::string name = path.string();
  for (const std::string& argument : arguments) name += '\0' + argument;
  Entry* entry = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    auto& slot = entries_[name];
    if (!slot) slot = std::make_unique<Entry>();
    entry = slot.get();
  }
  std::call_once(entry->asked, [&] { entry->answer = find_answer(command, path, markers); });
  return entry->answer;
}

ProcessResult AnswerCache::run_tool(const Command& command) {
  if (!tools_allowed_) throw NotKept();
  const std::string& tool = command.argv.front();
  {
    // What gave no answer to one question gives none to the next: it costs its limit once.
    const std::scoped_lock lock(mutex_);
    if (const auto silent = silent_.find(tool); silent != silent_.end()) return silent->second;
  }
  try {
    ProcessResult result = processes_.run(command);
    if (result.timed_out) {
      const std::scoped_lock lock(mutex_);
      silent_.emplace(tool, result);
    }
    return result;
  } catch (const Error& error) {  // no pipe left is a reason like any other
    ProcessResult failed;
    failed.failure = error.message;
    return failed;
  }
}

ProcessResult AnswerCache::find_answer(const Command& command, const fs::path& path,
                                       const std::vector<fs::path>& markers) {
  if (folder_.empty()) return run_tool(command);
  const std::string question = make_question(system_, command, path, markers);
  Hasher slot;
  for (const std::string& word : command.argv) slot.field("word", word);
  // A shell with a virtual environment and one without don't take each other's place.
  for (const auto& [name, value] : command.environment) slot.field(name, value);
  const fs::path file = folder_ / "answers" / (slot.hex().substr(0, 16));
  if (auto kept = read_answer(file, question)) return *std::move(kept);
  ProcessResult answer = run_tool(command);
  if (answer.ok()) write_answer(file, question, answer);
  return answer;
}

}  // namespace dsbuild::probe
