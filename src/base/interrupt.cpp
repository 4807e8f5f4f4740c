#include "base/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "base/error.h"

namespace dsbuild {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr int kPatience = 2;

std::atomic<int> g_count = 0;
static_assert(std::atomic<int>::is_always_lock_free, "or a signal handler must not touch it");
std::array<struct sigaction, kSignals.size()> g_old{};

void count_signal(int) {
  if (++g_count > kPatience) ::_exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

InterruptWatch::InterruptWatch() {
  g_count = 0;
  struct sigaction action {};
  // No SA_RESTART: a write to a pipe that nobody reads must end, too.
  action.sa_handler = count_signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &g_old[i]);
    if (g_old[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &g_old[i], nullptr);
  g_count = 0;
}

int interrupts() {
  return g_count;
}

void stop_if_interrupted() {
  if (g_count > 0) {
    throw Error(ExitCode::interrupted, "interrupted; what was finished is kept for the next time");
  }
}

}  // namespace dsbuild
