#include "base/read_from.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/descriptor.h"

namespace dsbuild {

std::optional<std::string> read_from(const System& system, const std::filesystem::path& path,
                                     std::string_view mark, std::size_t bytes) {
  const auto real = system.resolve(path);
  if (!real) return std::nullopt;
  const Descriptor file(::open(system.host_path(*real).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return std::nullopt;
  std::string window;  // from the mark on, else the end of what was read, which may begin one
  bool found = false;
  std::array<char, 1 << 16> buffer{};
  while (!found || window.size() < bytes) {
    const ssize_t n = ::read(file.number(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    window.append(buffer.data(), static_cast<std::size_t>(n));
    if (found) continue;
    const std::size_t at = window.find(mark);
    found = at != std::string::npos;
    window.erase(0, found ? at : window.size() - std::min(window.size(), mark.size() - 1));
  }
  return found ? window.substr(0, bytes) : "";
}

}  // namespace dsbuild
