#include "base/interrupt.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/error.h"
#include "support/interrupts.h"

using namespace dsbuild;
using dsbuild::test::code_of;

namespace {

/// How a child ends that does `action`; as a shell would tell it.
template <typename F>
int status_of(const F& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    action();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("signals that ask to end are counted, and stop whoever asks", "[interrupt]") {
  const test::DefaultSignals defaults;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const InterruptWatch watch;
    CHECK(interrupts() == 0);
    CHECK_NOTHROW(stop_if_interrupted());
    ::raise(number);
    CHECK(interrupts() == 1);
    CHECK(code_of(stop_if_interrupted) == ExitCode::interrupted);
    ::raise(number);
    CHECK(interrupts() == 2);
  }
  CHECK(interrupts() == 0);
}

TEST_CASE("a third signal ends the process at once, with 130", "[interrupt]") {
  const test::DefaultSignals defaults;
  const int status = status_of([] {
    const InterruptWatch watch;
    for (int i = 0; i < 3; ++i) ::raise(SIGINT);
  });
  CHECK(status == 130);
}

TEST_CASE("after the watch signals do again what they did before", "[interrupt]") {
  const test::DefaultSignals defaults;
  const int status = status_of([] {
    { const InterruptWatch watch; }
    ::raise(SIGTERM);
  });
  CHECK(status == 128 + SIGTERM);
}

TEST_CASE("what was ignored stays ignored, as nohup and background jobs want it", "[interrupt]") {
  const test::DefaultSignals defaults;
  ::signal(SIGHUP, SIG_IGN);
  {
    const InterruptWatch watch;
    ::raise(SIGHUP);
    CHECK(interrupts() == 0);
    ::raise(SIGTERM);
    CHECK(interrupts() == 1);
  }
  ::raise(SIGHUP);
}
