#include "base/hash.h"

// EVP, which is what these functions are deprecated for, first fills a table with the names of all
// algorithms: half a millisecond at each start of the program, and it starts once per step.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "base/error.h"

namespace dsbuild {

struct Hasher::State {
  SHA256_CTX context{};

  State() { SHA256_Init(&context); }
  void add(const void* data, std::size_t size) { SHA256_Update(&context, data, size); }
  std::string hex() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256_Final(digest.data(), &context);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : digest) {
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    return text;
  }
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;

Hasher& Hasher::field(std::string_view name, std::string_view value) {
  for (const std::string_view text : {name, value}) {
    const std::uint64_t size = text.size();
    state_->add(&size, sizeof size);
    state_->add(text.data(), text.size());
  }
  return *this;
}

std::string Hasher::hex() {
  return state_->hex();
}

Hasher& Hasher::bytes(std::string_view data) {
  state_->add(data.data(), data.size());
  return *this;
}

std::string sha256(std::string_view text) {
  return Hasher().bytes(text).hex();
}

std::string sha256_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const auto cannot_read = [&] {
    return Error(ExitCode::file_system, "can't read the file", path.string());
  };
  if (!in) throw cannot_read();
  Hasher hasher;
  std::array<char, 1 << 16> buffer{};
  while (in.read(buffer.data(), buffer.size()) || in.gcount() > 0) {
    hasher.bytes({buffer.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) throw cannot_read();
  return hasher.hex();
}

}  // namespace dsbuild
