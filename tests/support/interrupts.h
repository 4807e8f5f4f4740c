// Interrupts for tests: the signals' own actions whatever started the test, one that comes later,
// and what an action threw. Knows base/interrupt.h's signals only.
#pragma once

#include <catch2/catch.hpp>

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/interrupt.h"

namespace dsbuild::test {

/// A shell starts background jobs with SIGINT ignored, nohup with SIGHUP, and the step launcher,
/// once run in this process, leaves them blocked; tests must not care.
class DefaultSignals {
 public:
  DefaultSignals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      old_[i] = ::signal(kSignals[i], SIG_DFL);
      ::sigaddset(&signals, kSignals[i]);
    }
    ::pthread_sigmask(SIG_UNBLOCK, &signals, &mask_);
  }
  ~DefaultSignals() {
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::signal(kSignals[i], old_[i]);
  }
  DefaultSignals(const DefaultSignals&) = delete;
  DefaultSignals& operator=(const DefaultSignals&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
  std::array<void (*)(int), 3> old_{};
  sigset_t mask_{};
};

/// A watch, under which `times` SIGINTs come, each some time after the last one.
class InterruptSoon {
 public:
  explicit InterruptSoon(std::chrono::milliseconds after, int times = 1)
      : sender_([after, times](const std::stop_token& stop) {
          for (int i = 0; i < times && !stop.stop_requested(); ++i) {
            std::this_thread::sleep_for(after);
            ::kill(::getpid(), SIGINT);
          }
        }) {}

 private:
  DefaultSignals defaults_;
  InterruptWatch watch_;
  std::jthread sender_;  // ends before the watch
};

/// The code of the Error that `action` throws; nothing when it throws none.
template <typename F>
std::optional<ExitCode> code_of(const F& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code;
  }
  return std::nullopt;
}

}  // namespace dsbuild::test
