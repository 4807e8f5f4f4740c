// Which step cache was asked for, and how large it may be. Knows the options and variables; nothing
// of what is in a cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/context.h"
#include "run/build.h"
#include "run/cache_store.h"

namespace CLI {
class App;
}

namespace dsbuild::cli {

void add_step_cache_options(CLI::App& app, Options& options);

/// By --cache and --cache-size, or DSBUILD_CACHE and DSBUILD_CACHE_SIZE; off when nothing names a
/// folder, and with --force. Throws Error(bad_input) for a size that is none.
run::CachePlace find_step_cache(const Context& context);

/// The name of the network file system that the folder, or what it will lie in, is on; else empty.
std::string network_file_system(const std::filesystem::path& folder);

/// "5G", "1.5T", "800 MB", "2GiB": k, M, G and T are powers of 1000, Ki to Ti of 1024. Empty for
/// what is no size.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// Notes what is to be known of the step cache after a build that used it: what could not be kept,
/// and that it is on a network file system.
void tell_of_cache(Context& context, const run::CachePlace& cache,
                   const run::BuildOutcome& outcome);

}  // namespace dsbuild::cli
