// Readers of an installed torch's files. Knows what each file says of which release, not where a
// torch is.
#pragma once

#include <filesystem>

#include "base/system.h"
#include "probe/frameworks/torch.h"

namespace dsbuild::probe {

/// "0" or "1", as _GLIBCXX_USE_CXX11_ABI.
Fact<std::string> find_cxx11_abi(const System& system, const std::filesystem::path& folder);

/// What the files of `torch.path` say: version, CUDA, HIP or SYCL, C++ ABI, headers, defines,
/// libraries, the C++ standard.
void read_torch_files(const System& system, Torch& torch);

}  // namespace dsbuild::probe
