#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/interrupt.h"

namespace dsbuild {
namespace {

using Clock = std::chrono::steady_clock;

/// A pipe whose ends close themselves.
struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error(ExitCode::file_system,
                  fmt::format("can't make a pipe: {}", std::strerror(errno)));
    }
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  static void close_end(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// Where the caller ignores SIGCHLD the kernel reaps children itself, and how they ended is lost.
void want_exit_statuses() {
  struct sigaction action {};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
    ::signal(SIGCHLD, SIG_DFL);
  }
}

/// Starts `command` with its output on `out` and `err`; returns the pid, or an errno as a negative.
pid_t start(const Command& command, int out, int err) {
  want_exit_statuses();
  std::vector<std::string> argv = command.argv;
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  if (!command.folder.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, command.folder.c_str());
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD}) sigaddset(&defaults, number);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(
      &attributes,
      static_cast<short>(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv.front().c_str(), &actions, &attributes,
                                  pointers(argv).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -error;
}

/// Reads what is there; false at the end of the stream.
bool drain(int fd, const std::function<void(std::string_view)>& sink) {
  std::array<char, 1 << 14> buffer{};
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n > 0) sink({buffer.data(), static_cast<std::size_t>(n)});
  return n > 0;
}

/// Waits for the child without blocking; true when it is gone.
bool reap(pid_t pid, ProcessResult& result) {
  int status = 0;
  const pid_t got = ::waitpid(pid, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  if (got < 0) return true;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return true;
}

/// Time for a killed child to be reaped; one stuck in the kernel is left behind.
constexpr std::chrono::seconds kReapLimit{2};
/// Time for a child that was asked to end: compilers remove their temporary files.
constexpr std::chrono::seconds kGrace{2};

std::function<void(std::string_view)> bounded(std::string& text, std::size_t limit) {
  return [&text, limit](std::string_view piece) {
    text.append(piece.substr(0, limit - std::min(limit, text.size())));
  };
}

}  // namespace

std::string ProcessResult::describe() const {
  if (!failure.empty()) return failure;
  if (timed_out && left_behind != 0)
    return fmt::format(
        "no answer within its time limit, and process {} can't be killed: it is "
        "stuck in the kernel and left behind",
        left_behind);
  if (timed_out) return "no answer within its time limit";
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, ::strsignal(signal));
  return fmt::format("exit status {}", exit_code);
}

ProcessResult PosixProcessRunner::run(const Command& command) {
  stop_if_interrupted();
  ProcessResult result;
  Pipe out;
  Pipe err;
  const pid_t pid = start(command, out.write_end, err.write_end);
  if (pid < 0) {
    result.failure = std::strerror(-pid);
    return result;
  }
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);

  const auto started = Clock::now();
  Clock::duration limit = command.limit.count() == 0 ? Clock::duration::max() : command.limit;
  int passed_on = 0;
  const auto take_out = bounded(result.out, command.output_limit);
  const auto take_err = bounded(result.err, command.output_limit);
  std::array<pollfd, 2> fds{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
  bool gone = false;
  // A grandchild may hold the pipes after the child is gone: then what is there is taken, no more.
  while (!gone || fds[0].fd >= 0 || fds[1].fd >= 0) {
    const bool open = fds[0].fd >= 0 || fds[1].fd >= 0;
    const int ready = ::poll(fds.data(), fds.size(), gone ? 0 : open ? 20 : 1);
    for (auto& fd : fds) {
      if (ready > 0 && fd.fd >= 0 && fd.revents != 0 &&
          !drain(fd.fd, &fd == &fds[0] ? take_out : take_err)) {
        fd.fd = -1;
      }
    }
    if (gone && ready <= 0) break;
    if (!gone) gone = reap(pid, result);
    if (gone) continue;
    const auto elapsed = Clock::now() - started;
    if (interrupts() > passed_on) {
      passed_on = interrupts();
      ::kill(-pid, SIGTERM);
      limit = passed_on > 1 ? Clock::duration::zero() : std::min(limit, elapsed + kGrace);
    }
    if (elapsed <= limit) continue;
    result.timed_out = true;
    ::kill(-pid, SIGKILL);
    if (elapsed - limit > kReapLimit) {
      result.left_behind = pid;
      break;
    }
  }
  stop_if_interrupted();
  return result;
}

ProcessResult run_streaming(const Command& command,
                            const std::function<void(std::string_view)>& on_output,
                            const std::function<void()>& on_tick) {
  stop_if_interrupted();
  ProcessResult result;
  Pipe pipe;
  const pid_t pid = start(command, pipe.write_end, pipe.write_end);
  if (pid < 0) {
    result.failure = std::strerror(-pid);
    return result;
  }
  Pipe::close_end(pipe.write_end);
  // Before Linux 5.3 there is none, and the end is noticed at a time limit.
  const Descriptor end{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  std::array<pollfd, 2> fds{{{pipe.read_end, POLLIN, 0}, {end.number(), POLLIN, 0}}};
  pollfd& fd = fds.front();
  bool gone = false;
  int passed_on = 0;
  while (!gone) {
    // A process closes its pipe a moment before it can be reaped: then waiting long would be lost.
    const int ready = ::poll(fds.data(), fds.size(), fd.fd >= 0 || end ? 50 : 1);
    if (ready > 0 && fd.revents != 0 && fd.fd >= 0 && !drain(fd.fd, on_output)) fd.fd = -1;
    if (interrupts() > passed_on) {
      passed_on = interrupts();
      ::kill(-pid, passed_on > 1 ? SIGKILL : SIGINT);
    }
    on_tick();
    gone = reap(pid, result);
  }
  while (fd.fd >= 0 && ::poll(&fd, 1, 0) > 0) {
    if (!drain(fd.fd, on_output)) fd.fd = -1;
  }
  stop_if_interrupted();
  return result;
}

}  // namespace dsbuild
