// SHA-256 of text, files and tagged fields. Knows nothing of what is hashed.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace dsbuild {

/// Collects named fields; the digest depends on each name, value and their order, and no two
/// different lists of fields collide by concatenation.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& field(std::string_view name, std::string_view value);
  /// Bytes as they are, with no framing.
  Hasher& bytes(std::string_view data);
  /// 64 hexadecimal digits; the hasher is then spent.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// SHA-256 as 64 hexadecimal digits.
std::string sha256(std::string_view text);
/// Of a file's bytes; throws Error(file_system) when it can't be read.
std::string sha256_file(const std::filesystem::path& path);

}  // namespace dsbuild
