#include "base/zip.h"

#include <zlib.h>

#include <cstdint>
#include <limits>

#include "base/error.h"

namespace dsbuild {
namespace {

constexpr std::uint16_t kVersion = 20;  // compressed, no more
constexpr std::uint16_t kUnix = 3U
                                << 8U;  // who made it: the upper half of the attributes is a mode
constexpr std::uint16_t kUtf8 = 1U << 11U;  // names are UTF-8
constexpr std::uint16_t kFirstDay = 0x21;   // 1980-01-01
constexpr std::uint32_t kRegularFile = 0100000;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

/// Raw deflate; empty when it doesn't make it smaller.
std::string compress(const std::string& content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return {};
  std::string out(content.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool smaller = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(smaller ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::string render_zip(const std::map<std::string, ZipEntry>& entries) {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::uint32_t>::max();
  std::string out;
  std::string directory;
  for (const auto& [name, entry] : entries) {
    if (entry.content.size() >= kLimit || out.size() + entry.content.size() >= kLimit ||
        entries.size() >= std::numeric_limits<std::uint16_t>::max()) {
      throw Error(ExitCode::bad_input,
                  "more than 4 GiB, or 65535 files, don't fit in such an archive", name,
                  "export fewer ops at once with --ops");
    }
    const std::string packed = compress(entry.content);
    const std::string& data = packed.empty() ? entry.content : packed;
    std::string header;
    put(header, kVersion, 2);
    put(header, kUtf8, 2);
    put(header, packed.empty() ? 0 : Z_DEFLATED, 2);
    put(header, 0, 2);  // midnight
    put(header, kFirstDay, 2);
    put(header,
        crc32_z(0, reinterpret_cast<const Bytef*>(entry.content.data()), entry.content.size()), 4);
    put(header, data.size(), 4);
    put(header, entry.content.size(), 4);
    put(header, name.size(), 2);
    put(header, 0, 2);  // no extra field
    put(directory, 0x02014b50, 4);
    put(directory, kUnix | kVersion, 2);
    directory += header;
    put(directory, 0, 2);  // no comment
    put(directory, 0, 2);  // first disk
    put(directory, 0, 2);
    put(directory, std::uint64_t{kRegularFile | (entry.executable ? 0755U : 0644U)} << 16U, 4);
    put(directory, out.size(), 4);
    directory += name;
    put(out, 0x04034b50, 4);
    out += header + name + data;
  }
  const std::size_t start = out.size();
  out += directory;
  put(out, 0x06054b50, 4);
  put(out, 0, 4);  // one disk
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);  // no comment
  return out;
}

}  // namespace dsbuild
