// Files, as whoever keeps work in them needs them of the operating system. Descriptors are small
// numbers; functions that fail answer -1 or false, and errno says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace manyply::files {

int open_to_read(const std::string& path);
/// To read and to write; made if there is none.
int open_to_keep(const std::string& path);
/// To write, from the start: what was there is gone.
int open_to_replace(const std::string& path);
/// To read and to write, below `directory`, without a name: gone with the descriptor, and with the
/// process, however that ends.
int open_unnamed(const std::string& directory);
void close(int file);

enum class Kind { kNothing, kRegular, kOther };
Kind kind(const std::string& path);
/// Of an open file; nothing if it cannot be told. Only a regular one has bytes.
std::optional<Kind> kind(int file);
std::optional<std::uint64_t> bytes(int file);

/// Keeps others from locking it until it is closed; false if another one has done that.
bool lock(int file);

/// Read are so many bytes as there are; written are all of them.
std::optional<std::size_t> read_at(int file, std::uint64_t at, std::span<std::byte> bytes);
bool write_at(int file, std::uint64_t at, std::span<const std::byte> bytes);
/// Where it stands: of a pipe or a terminal, too. EPIPE where nobody reads it any more.
bool write(int file, std::span<const std::byte> bytes);
bool cut(int file, std::uint64_t bytes);  ///< to so many
bool sync(int file);                      ///< what was written is on the disk

/// Bytes that the disk below `directory` has left for this process; nothing if it cannot be told.
std::optional<std::uint64_t> bytes_left(const std::string& directory);

/// `to` is what `from` was, from one moment to the next.
bool replace(const std::string& from, const std::string& to);
void remove(const std::string& path);

}  // namespace manyply::files
