#include "parallel/position_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "hash/memory.h"

namespace manyply {

PositionStore::~PositionStore() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<Error> PositionStore::grow(std::uint64_t size) {
  MANYPLY_CHECK(size >= size_);
  const std::uint64_t bytes = size * sizeof(ReachedPosition);
  const std::uint64_t in_files = other_file_bytes_ + bytes;
  if (bytes > most_bytes_ && in_files > most_file_bytes_) {
    return Error{ErrorCode::kUnavailable, "temporary file", 0,
                 "would take " + format_bytes(in_files) + ", and may take " +
                     format_bytes(most_file_bytes_)};
  }
  size_ = size;
  if (fd_ >= 0) return std::nullopt;
  if (bytes <= most_bytes_) {
    in_memory_.reserve(size);  // no more than that
    in_memory_.resize(size);
    return std::nullopt;
  }
  if (auto error = open_file()) return error;
  const std::vector<ReachedPosition> so_far = std::move(in_memory_);
  return write(0, so_far);
}

std::optional<Error> PositionStore::open_file() {
  fd_ = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {  // a file system that needs names
    std::string name = (directory_ / "perft-XXXXXX").string();
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ >= 0) ::unlink(name.c_str());
  }
  return fd_ < 0 ? std::optional(problem()) : std::nullopt;
}

Error PositionStore::problem() const {
  return {ErrorCode::kUnavailable, "temporary file", 0,
          directory_.string() + ": " + std::error_code(errno, std::generic_category()).message()};
}

template <typename Bytes, typename Call>
std::optional<Error> PositionStore::transfer(Bytes bytes, std::uint64_t at, Call call) const {
  auto offset = static_cast<off_t>(at * sizeof(ReachedPosition));
  while (!bytes.empty()) {
    const ssize_t done = call(bytes.data(), bytes.size(), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = EIO;
    if (done <= 0) return problem();
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    offset += done;
  }
  return std::nullopt;
}

std::optional<Error> PositionStore::write(std::uint64_t at,
                                          std::span<const ReachedPosition> positions) {
  MANYPLY_CHECK(at + positions.size() <= size_);
  if (fd_ < 0) {
    std::ranges::copy(positions, in_memory_.begin() + static_cast<std::ptrdiff_t>(at));
    return std::nullopt;
  }
  return transfer(std::as_bytes(positions), at,
                  [this](const std::byte* data, std::size_t size, off_t offset) {
                    return ::pwrite(fd_, data, size, offset);
                  });
}

std::optional<Error> PositionStore::read(std::uint64_t at,
                                         std::span<ReachedPosition> positions) const {
  MANYPLY_CHECK(at + positions.size() <= size_);
  if (fd_ < 0) {
    std::ranges::copy(std::span(in_memory_).subspan(at, positions.size()), positions.begin());
    return std::nullopt;
  }
  return transfer(std::as_writable_bytes(positions), at,
                  [this](std::byte* data, std::size_t size, off_t offset) {
                    return ::pread(fd_, data, size, offset);
                  });
}

}  // namespace manyply
