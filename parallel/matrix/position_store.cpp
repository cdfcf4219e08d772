#include "parallel/matrix/position_store.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/base/files.h"
#include "core/base/memory.h"

namespace manyply {

PositionStore::~PositionStore() {
  if (fd_ >= 0) files::close(fd_);
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
    in_memory_.reserve(static_cast<std::size_t>(size));  // resize() might allocate more
    in_memory_.resize(static_cast<std::size_t>(size));
    return std::nullopt;
  }
  if (auto error = open_file()) return error;
  const std::vector<ReachedPosition> so_far = std::move(in_memory_);
  return write(0, so_far);
}

std::optional<Error> PositionStore::open_file() {
  fd_ = files::open_unnamed(directory_);
  return fd_ < 0 ? std::optional(problem()) : std::nullopt;
}

Error PositionStore::problem() const {
  return {ErrorCode::kUnavailable, "temporary file", 0,
          directory_ + ": " + std::error_code(errno, std::generic_category()).message()};
}

std::optional<Error> PositionStore::write(std::uint64_t at,
                                          std::span<const ReachedPosition> positions) {
  MANYPLY_CHECK(at + positions.size() <= size_);
  if (fd_ < 0) {
    std::ranges::copy(positions, in_memory_.begin() + static_cast<std::ptrdiff_t>(at));
    return std::nullopt;
  }
  if (files::write_at(fd_, at * sizeof(ReachedPosition), std::as_bytes(positions)))
    return std::nullopt;
  return problem();
}

std::optional<Error> PositionStore::read(std::uint64_t at,
                                         std::span<ReachedPosition> positions) const {
  MANYPLY_CHECK(at + positions.size() <= size_);
  if (fd_ < 0) {
    std::ranges::copy(std::span(in_memory_).subspan(static_cast<std::size_t>(at), positions.size()),
                      positions.begin());
    return std::nullopt;
  }
  const auto have =
      files::read_at(fd_, at * sizeof(ReachedPosition), std::as_writable_bytes(positions));
  if (have == positions.size_bytes()) return std::nullopt;
  if (have) errno = EIO;
  return problem();
}

}  // namespace manyply
