#include "report/torch_section.h"

#include <catch2/catch.hpp>

namespace dsbuild::report {
namespace {

TEST_CASE("a torch's row says what it is for and what it lacks, and how to take another one") {
  using Text = Fact<std::string>;
  probe::Torch torch;
  torch.path = "/venv/torch";
  torch.origin = "VIRTUAL_ENV";
  torch.version = Fact<Version>::known(*Version::parse("2.15.0+cu132"), "");
  torch.python = Fact<Version>::known(*Version::parse("3.11"), "");
  torch.cuda = Fact<Version>::known(*Version::parse("13.2"), "");
  torch.standard = 20;
  torch.includes = {"/venv/torch/include"};
  torch.interpreter = torch.extension_suffix = torch.cxx11_abi = Text::known("x", "");
  torch.python_include = Text::missing("no Python.h", "/usr/include/python3.11");
  const Section one = torch_section({torch});
  REQUIRE(one.rows.size() == 1);
  CHECK(one.rows[0][0].text == "2.15.0+cu132");
  CHECK(one.rows[0][1].text == "CUDA 13.2, C++20");
  CHECK(one.rows[0][3].text == "VIRTUAL_ENV");
  CHECK(one.rows[0][4].text == "/venv/torch; /usr/include/python3.11: no Python.h");
  CHECK(one.rows[0][4].tone == Tone::warning);
  CHECK(one.notes.empty());
  torch.cuda = Fact<Version>::missing("a build for CPU only");
  torch.python_include = Text::known("y", "");
  const Section two = torch_section({torch, torch});
  CHECK(two.rows[0][1].text == "CPU, C++20");
  CHECK(two.rows[0][4].tone == Tone::plain);
  CHECK(two.notes.front() == "the first is taken; --python or --torch names another");
}

}  // namespace
}  // namespace dsbuild::report
