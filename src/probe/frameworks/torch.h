// What an extension needs to know of an installed PyTorch, by its files. A plain value; knows
// nothing of how it is found, nor of the toolkit that compiles for it.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fact.h"
#include "base/json_fwd.h"
#include "base/version.h"

namespace dsbuild::probe {

/// The flags that name a torch and a Python. They are stronger than a variable.
inline constexpr const char* kTorchFlag = "--torch";
inline constexpr const char* kPythonFlag = "--python";

struct Torch {
  std::string id;         ///< unique here: "torch-2.15.0+cu132", with "#2" for a second equal one
  std::string prefix;     ///< of the Python environment; empty: none is known
  std::string site;       ///< its folder of packages, which holds torch/
  std::string path;       ///< site/torch
  std::string origin;     ///< the rule that found it: "--torch", "VIRTUAL_ENV", "PATH"
  bool demanded = false;  ///< by --torch or --python: never fall back to another silently
  Fact<Version> version;  ///< 2.15.0, its text being "2.15.0+cu132"; missing: there is no torch
  Fact<Version> python;   ///< 3.11
  Fact<std::string> interpreter;       ///< PREFIX/bin/python3
  Fact<std::string> python_include;    ///< the folder of Python.h
  Fact<std::string> extension_suffix;  ///< ".cpython-311-x86_64-linux-gnu.so"
  Fact<Version> cuda, hip, xpu;        ///< what it was built with; missing with the reason
  Fact<std::string> cxx11_abi;         ///< _GLIBCXX_USE_CXX11_ABI: "0" or "1"
  std::vector<std::string> includes;   ///< folders of its headers, absolute
  std::vector<std::string> defines;    ///< NAME=VALUE that its own extension builder passes
  std::string lib;                     ///< the folder of libtorch.so
  /// Accelerator -> the libraries of torch that an extension for it links; "cpu": those of every
  /// extension. Only those that are there.
  std::map<std::string, std::vector<std::string>> libraries;
  int standard = 17;  ///< of C++, the oldest that its headers take: 14, 17, 20
  /// Other packages of its environment that ops need.
  std::map<std::string, Fact<Version>> packages;
  std::string identity;  ///< hash of what decides whether an extension for it must be built anew

  /// What it was built with, by the name that torch/version.py gives it: "cuda", "hip", "xpu"; null
  /// for other names.
  const Fact<Version>* built_with(std::string_view name) const;
};

/// What torch can be built with.
struct TorchBackend {
  const char* name;  ///< in torch/version.py
  Fact<Version> Torch::*version;
  const char* title;
  std::string_view runtime;  ///< its library's soname up to its major release; empty: it has none
};
inline constexpr std::array<TorchBackend, 3> kTorchBackends{
    {{"cuda", &Torch::cuda, "CUDA", "libcudart.so."},
     {"hip", &Torch::hip, "HIP", "libamdhip64.so."},
     {"xpu", &Torch::xpu, "SYCL", ""}}};

Json to_json(const std::vector<Torch>& torches);
std::vector<Torch> parse_torches(const Json& json);

}  // namespace dsbuild::probe
