// Reads whole files, and writes to disk so that a reader never sees half a file. Every refusal to
// write is an Error(file_system) that names the path. Knows no file's meaning.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace dsbuild {

/// A regular file's whole content; empty optional when it can't be read. (What is read as part of a
/// machine goes through System.)
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Of 16 letters, for the name of a file that is not finished: unique across processes, hosts and
/// containers that share a folder, as a process's number is not.
std::string random_suffix();

/// The folder, or the nearest one above it that is there.
std::filesystem::path nearest_folder(std::filesystem::path folder);

/// Why this user can write nothing in a folder.
struct WriteRefusal {
  std::filesystem::path where;  ///< the folder, or the nearest one above it that is there
  std::string reason;           ///< "Permission denied; it belongs to root, mode 0755"
};
/// Nothing where the folder can be written, or made.
std::optional<WriteRefusal> find_write_refusal(const std::filesystem::path& folder);

/// Makes the folder and its parents.
void write_folder(const std::filesystem::path& folder);

/// Writes a temporary file beside `path`, then renames it over `path`.
void write_file(const std::filesystem::path& path, std::string_view text, bool executable = false);

/// As write_file, but leaves an equal file untouched (and its time). True when it wrote.
bool write_file_if_changed(const std::filesystem::path& path, std::string_view text);

/// All of it to an open file; `path` is what an error names. Throws Error(file_system).
void write_all(int fd, std::string_view text, const std::filesystem::path& path);

/// Makes `link` a symbolic link to `target`, in place of what it was; by rename, so that whoever
/// follows it meanwhile finds the one or the other.
void write_link(const std::filesystem::path& link, const std::filesystem::path& target);

/// What ends the name of a staging folder.
inline constexpr std::string_view kStagingSuffix = ".staging";

/// A new folder beside `target`, private to this process: a place to make what is then renamed to
/// `target`. scratch.h has the form that removes itself.
std::filesystem::path write_staging_folder(const std::filesystem::path& target);

/// Copies a regular file's bytes and its executable bit.
void write_copy(const std::filesystem::path& from, const std::filesystem::path& to);

/// Removes a file or a tree; a missing one is no error.
void write_removal(const std::filesystem::path& path);

/// Turns an errno into the Error that a user can act on.
[[noreturn]] void throw_file_error(std::string_view action, const std::filesystem::path& path,
                                   int error_number);

}  // namespace dsbuild
