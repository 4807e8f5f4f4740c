#include <catch2/catch.hpp>

#include "cli/settings.h"

using namespace dsbuild;

TEST_CASE("G07: a number of jobs is a whole number of at least 1; empty is not set") {
  struct Row {
    const char* text;
    int jobs;  // 0: refused, -1: not set
  };
  for (const Row& row :
       {Row{"1", 1}, Row{" 16 ", 16}, Row{"", -1}, Row{"  ", -1}, Row{"0", 0}, Row{"-1", 0},
        Row{"4x", 0}, Row{"abc", 0}, Row{"1.5", 0}, Row{"99999999999", 0}}) {
    INFO("'" << row.text << "'");
    Diagnostics diagnostics;
    const auto jobs = cli::read_count("MAX_JOBS", row.text, diagnostics);
    CHECK(jobs.has_value() == (row.jobs > 0));
    if (jobs) CHECK(*jobs == row.jobs);
    CHECK(diagnostics.has_errors() == (row.jobs == 0));
    if (row.jobs == 0) CHECK(diagnostics.all().front().file == "MAX_JOBS");
  }
}

TEST_CASE("K07: a misspelt DSBUILD_ variable is told with the nearest name") {
  Diagnostics diagnostics;
  cli::check_variables({{"DSBUILD_JOB", "3"}, {"DSBUILD_JOBS", "3"}, {"OTHER", "x"}}, diagnostics);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].severity == Severity::warning);
  CHECK(diagnostics.all()[0].file == "DSBUILD_JOB");
  CHECK(diagnostics.all()[0].hint == "did you mean 'DSBUILD_JOBS'?");
}

TEST_CASE("descriptors bring their own settings into the table") {
  manifest::Catalog catalog;
  manifest::Accelerator acme;
  acme.name = "acme";
  acme.archs.settings = {"ACME_ARCHS"};
  acme.probes.push_back({});
  acme.probes.back().kind = "acmecc";
  acme.probes.back().env = {"ACME_HOME"};
  catalog.accelerators["acme"] = acme;
  bool archs = false;
  bool home = false;
  for (const cli::SettingRow& row : cli::all_settings(catalog)) {
    archs = archs || (row.variable == "ACME_ARCHS" && row.flag == "--arch");
    home = home || (row.variable == "ACME_HOME" && row.meaning.find("acmecc") != std::string::npos);
  }
  CHECK(archs);
  CHECK(home);
}
