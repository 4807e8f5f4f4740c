#include <limits.h>
#include <unistd.h>

#include <vector>

#include "run/events.h"
#include "support/temp_folder.h"

namespace dsbuild::run {
namespace {

TEST_CASE("an event is one line and comes back as it was", "[events]") {
  for (const Event& event :
       {Event{StepState::started, "obj/a b.o", 0, 0, ""},
        Event{StepState::done, "obj/tab\there.o", 1.5, 1 << 20, ""},
        Event{StepState::done, "hit.o", 0, 0, "", CacheUse::hit, ""},
        Event{StepState::done, "miss.o", 1, 0, "", CacheUse::miss, "/ro: Read-only file system"},
        Event{StepState::done, "parts.o", 1, 0, "", CacheUse::miss, "", 4, 3},
        Event{StepState::failed, "ä.o", 0.001, 0, "killed by signal 9 (Killed)"},
        Event{StepState::interrupted, "x", 3, 7, ""}}) {
    const std::string line = render_event(event);
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(parse_event(std::string_view(line).substr(0, line.size() - 1)) == event);
  }
}

TEST_CASE("an event is never longer than what the kernel writes in one piece", "[events]") {
  const Event event{StepState::failed, std::string(9000, 's'), 0, 0, std::string(9000, 'c')};
  const std::string line = render_event(event);
  CHECK(line.size() <= PIPE_BUF);
  CHECK(line.back() == '\n');
}

TEST_CASE("a cause of several lines stays in its field", "[events]") {
  const std::string line = render_event({StepState::failed, "x", 0, 0, "a\nb\tc"});
  CHECK(parse_event(line.substr(0, line.size() - 1))->cause == "a b c");
}

TEST_CASE("lines that are no events are left out", "[events]") {
  for (const char* line :
       {"", "started", "started\t0\t0\t-\t0\t0\t\t\t", "begun\t0\t0\t-\t0\t0\t\t\tx",
        "done\tx\t0\t-\t0\t0\t\t\tx", "done\t1\t1e3\t-\t0\t0\t\t\tx",
        "done\t1\t0\tperhaps\t0\t0\t\t\tx", "done\t1\t0\t-\tx\t0\t\t\tx",
        "done\t1\t0\t-\t0\t\t\t\tx", "done\t1\t"}) {
    INFO(line);
    CHECK_FALSE(parse_event(line));
  }
}

TEST_CASE("a pipe hands over whole lines, however they come", "[events]") {
  EventPipe pipe;
  std::vector<std::string> steps;
  const auto take = [&](const Event& event) { steps.push_back(event.step); };
  const std::string two = render_event({StepState::started, "a", 0, 0, ""}) +
                          render_event({StepState::done, "b", 0, 0, ""});
  REQUIRE(::write(pipe.write_end(), two.data(), two.size() - 3) > 0);
  pipe.drain(take);
  CHECK(steps == std::vector<std::string>{"a"});
  REQUIRE(::write(pipe.write_end(), two.data() + two.size() - 3, 3) == 3);
  pipe.drain(take);
  CHECK(steps == std::vector<std::string>{"a", "b"});
  pipe.drain(take);
  CHECK(steps.size() == 2);
}

}  // namespace
}  // namespace dsbuild::run
