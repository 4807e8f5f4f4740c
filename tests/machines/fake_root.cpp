#include "machines/fake_root.h"

#include <stdlib.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace fs = std::filesystem;

namespace dsbuild::machines {

FakeRoot::FakeRoot() {
  std::string name = (fs::temp_directory_path() / "dsbuild-machine-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("can't make " + name);
  top_ = name;
  fs::create_directories(top_ / "root");
}

FakeRoot::~FakeRoot() {
  std::error_code ignored;
  fs::remove_all(top_, ignored);
}

fs::path FakeRoot::host_path(std::string_view path) const {
  return top_ / "root" / fs::path(path).relative_path();
}

FakeRoot& FakeRoot::file(std::string_view path, std::string_view text) {
  const fs::path host = host_path(path);
  fs::create_directories(host.parent_path());
  std::ofstream out(host, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error("can't write " + host.string());
  return *this;
}

FakeRoot& FakeRoot::program(std::string_view path, std::string_view content) {
  file(path, content);
  fs::permissions(host_path(path), fs::perms(0755));
  return *this;
}

FakeRoot& FakeRoot::tool(std::string_view path, std::string_view body) {
  std::string script = "#!/bin/sh\necho \"" + std::string(path) + " $*\" >> '";
  script += (top_ / "log").string() + "'\n";
  script += body;
  return program(path, script);
}

FakeRoot& FakeRoot::folder(std::string_view path) {
  fs::create_directories(host_path(path));
  return *this;
}

FakeRoot& FakeRoot::link(std::string_view path, std::string_view target) {
  const fs::path host = host_path(path);
  fs::create_directories(host.parent_path());
  fs::create_symlink(fs::path(target), host);
  return *this;
}

FakeRoot& FakeRoot::remove(std::string_view path) {
  fs::remove_all(host_path(path));
  return *this;
}

FakeRoot& FakeRoot::touch(std::string_view path) {
  const fs::path host = host_path(path);
  fs::last_write_time(host, fs::last_write_time(host) + std::chrono::seconds(7));
  return *this;
}

FakeRoot& FakeRoot::make_unexecutable(std::string_view path) {
  fs::permissions(host_path(path), fs::perms(0644));
  return *this;
}

std::string FakeRoot::log() const {
  std::ifstream in(top_ / "log");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

PosixSystem FakeRoot::system(Environment environment) const {
  return PosixSystem(top_ / "root", std::move(environment));
}

}  // namespace dsbuild::machines
