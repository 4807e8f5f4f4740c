#include "report/survey_sections.h"

#include <catch2/catch.hpp>

namespace dsbuild::report {
namespace {

using Text = Fact<std::string>;

TEST_CASE("a framework's row says where it is, and which claimed ops have no file") {
  probe::Survey survey;
  probe::Framework& deepspeed = survey.frameworks.emplace_back();
  deepspeed.name = "deepspeed";
  deepspeed.version = Text::known("0.19.8", "METADATA");
  deepspeed.path = Text::known("/venv/deepspeed", "");
  deepspeed.ops = {{"cpu_adam", true, Text::known("/venv/cpu_adam_op.so", "")},
                   {"fused_adam", true, Text::missing("no such file")},
                   {"async_io", false, Text::missing("no such file")}};
  const Section section = frameworks_section(survey);
  REQUIRE(section.rows.size() == 1);
  CHECK(section.rows[0][3].text ==
        "/venv/deepspeed; built ahead of time: cpu_adam, fused_adam; of these there is no file of: "
        "fused_adam");
  CHECK(frameworks_section({}).notes.front() == "none; building needs none");
}

TEST_CASE("a library that was tried is told as usable, or with the first error") {
  probe::Library good{"aio", Text::known("/i/aio.h", "file"), Text::known("/l/libaio.so", "file")};
  good.version = Fact<Version>::missing("its headers tell none");
  probe::Library bad = good;
  probe::Library untried = good;
  good.usable = Text::known("gcc-12.2.0", "g++");
  bad.usable = Text::missing("not with gcc-12.2.0: undefined reference to `io_setup'");
  probe::Survey survey;
  survey.libraries = {good, bad, untried};
  const Section section = libraries_section(survey);
  CHECK(section.rows[0][2].text == "/i/aio.h, /l/libaio.so, usable with gcc-12.2.0");
  CHECK(section.rows[0][2].tone == Tone::plain);
  CHECK(section.rows[1][2].text ==
        "/i/aio.h, /l/libaio.so, not with gcc-12.2.0: undefined reference to `io_setup'");
  CHECK(section.rows[1][2].tone == Tone::warning);
  CHECK(section.rows[2][2].text == "/i/aio.h, /l/libaio.so");
}

TEST_CASE("libraries that aren't here are told in one line, with what brings them") {
  probe::Survey survey;
  survey.libraries = {{"libaio", Text::missing("no"), Text::missing("no"), {}, false, "libaio-dev"},
                      {"cufile",
                       Text::known("/i/cufile.h", ""),
                       Text::missing("no libcufile.so"),
                       {},
                       false,
                       "cuda-cufile"}};
  const Section section = libraries_section(survey);
  REQUIRE(section.rows.size() == 1);
  CHECK(section.rows[0][2].text ==
        "/i/cufile.h, not all of it: no libcufile.so; install cuda-cufile");
  CHECK(section.notes.front() == "not here: libaio (libaio-dev)");
}

TEST_CASE("small shared memory, network file systems and noexec are told, with what follows") {
  probe::Survey survey;
  const auto folder = [](const char* use, std::int64_t size, bool network, bool noexec) {
    return probe::FolderLimits{use,
                               "/x",
                               Fact<std::int64_t>::known(size, ""),
                               Fact<std::int64_t>::known(size, ""),
                               Text::known("nfs", ""),
                               network,
                               noexec};
  };
  survey.limits.folders = {
      folder("shared memory", 64 << 20, false, false), folder("cache", 1LL << 40, true, false),
      folder("temp", 1LL << 40, false, true), folder("temp", 1LL << 40, false, false)};
  const Section section = limits_section(survey);
  REQUIRE(section.rows.size() == 4);
  const char* expected[] = {"less than 512 MiB", "locks and times may be off", "noexec"};
  for (int i = 0; i < 3; ++i) {
    CHECK(section.rows[static_cast<std::size_t>(i)][1].text.find(expected[i]) != std::string::npos);
    CHECK(section.rows[static_cast<std::size_t>(i)][1].tone == Tone::warning);
  }
  CHECK(section.rows[3][1].tone == Tone::plain);
}

}  // namespace
}  // namespace dsbuild::report
