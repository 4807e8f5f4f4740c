#include "run/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

namespace dsbuild::run {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a command that was told to end may take, before it is killed.
constexpr int kGraceMilliseconds = 3000;

constexpr std::array<int, 3> kStopSignals{SIGINT, SIGTERM, SIGHUP};

/// Signals as a file descriptor that can be waited for together with the pipe. They stay blocked
/// for good: after its command the launcher only has to clean up, and must not die of a late one.
class SignalFile {
 public:
  SignalFile() {
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    for (const int number : kStopSignals) sigaddset(&watched, number);
    ::sigprocmask(SIG_BLOCK, &watched, nullptr);
    fd_ = ::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalFile() { ::close(fd_); }
  SignalFile(const SignalFile&) = delete;
  SignalFile& operator=(const SignalFile&) = delete;

  int fd() const { return fd_; }
  /// Takes the signals that came; true when one of them says to stop.
  bool told_to_stop() const {
    bool stop = false;
    signalfd_siginfo info{};
    while (::read(fd_, &info, sizeof info) == sizeof info) {
      stop = stop || info.ssi_signo != SIGCHLD;
    }
    return stop;
  }

 private:
  int fd_ = -1;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// The new process's id, or an errno as a negative.
pid_t spawn(const plan::StepFile& step, int log) {
  std::vector<std::string> argv = step.argv;
  std::vector<std::string> variables;
  for (const auto& [name, value] : step.environment) variables.push_back(name + "=" + value);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  for (const int number : kStopSignals) sigaddset(&defaults, number);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv.front().c_str(), &actions, &attributes,
                                  pointers(argv).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -error;
}

/// True when the process has ended.
bool reap(pid_t pid, LaunchResult& result) {
  int status = 0;
  rusage usage{};
  if (::wait4(pid, &status, WNOHANG, &usage) != pid) return false;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.peak_memory = std::int64_t{usage.ru_maxrss} * 1024;
  return true;
}

}  // namespace

std::string LaunchResult::describe(const std::string& program) const {
  if (!failure.empty()) return fmt::format("can't start {}: {}", program, failure);
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
  return fmt::format("exit status {}", exit_code);
}

LaunchResult launch(const plan::StepFile& step, int log, int events) {
  LaunchResult result;
  const auto started = Clock::now();
  const SignalFile signals;
  const pid_t pid = spawn(step, log);
  if (pid < 0) {
    result.failure = std::strerror(-pid);
    return result;
  }
  // Compilers have children of their own. Under a build we have a process group to ourselves
  // (Ninja makes one per step), and can end all of them; else only the one we know.
  const pid_t target = events >= 0 ? 0 : pid;
  // Asking for no event still tells of POLLERR: the reader has gone.
  std::array<pollfd, 2> fds{{{signals.fd(), POLLIN, 0}, {events, 0, 0}}};
  bool grace = false;
  while (!reap(pid, result)) {
    const int ready = ::poll(fds.data(), fds.size(), grace ? kGraceMilliseconds : -1);
    if (ready == 0) ::kill(target, SIGKILL);
    if (ready < 0) continue;
    if (signals.told_to_stop()) grace = result.interrupted = true;
    if (fds[1].revents != 0) {
      fds[1].fd = -1;
      grace = result.interrupted = true;
      ::kill(target, SIGTERM);
    }
  }
  // One signal may have ended the command before we came to read ours.
  if (signals.told_to_stop()) result.interrupted = true;
  result.seconds = std::chrono::duration<double>(Clock::now() - started).count();
  return result;
}

}  // namespace dsbuild::run
