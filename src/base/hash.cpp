#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>

#include "base/error.h"

namespace dsbuild {

namespace {

/// Looked up once, not per hash, and whatever the user's openssl.cnf or OPENSSL_CONF says.
const EVP_MD* find_sha256() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  const EVP_MD* found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (found == nullptr) throw std::runtime_error("libcrypto has no SHA-256");
  return found;
}

}  // namespace

struct Hasher::State {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};

  State() {
    static const EVP_MD* const kSha256 = find_sha256();
    if (EVP_DigestInit_ex(context.get(), kSha256, nullptr) != 1) throw std::bad_alloc();
  }
  void add(const void* data, std::size_t size) { EVP_DigestUpdate(context.get(), data, size); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context.get(), digest.data(), &size);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
      text += kDigits[digest[i] >> 4];
      text += kDigits[digest[i] & 15];
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
