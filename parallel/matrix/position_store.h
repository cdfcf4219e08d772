// A sequence of counted positions: in memory if they are few, else in a temporary file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "hash/packed_board.h"

namespace manyply {

/// The file has no name, so it disappears with the process. Errors: kUnavailable if the directory
/// is not writable, is full or would exceed the limit. Any thread may call write() and read() for
/// positions that grow() has made; no other thread may use the store during grow().
class PositionStore {
 public:
  /// Keeps up to `most_bytes` in memory, twice that while growing. The file may have up to
  /// `most_file_bytes`, less the `other_file_bytes` that its owner already has in the directory.
  PositionStore(std::string directory, std::uint64_t most_bytes,
                std::uint64_t most_file_bytes = UINT64_MAX, std::uint64_t other_file_bytes = 0)
      : directory_(std::move(directory)),
        most_bytes_(most_bytes),
        most_file_bytes_(most_file_bytes),
        other_file_bytes_(other_file_bytes) {}
  ~PositionStore();
  PositionStore(const PositionStore&) = delete;
  PositionStore& operator=(const PositionStore&) = delete;

  /// Sets the number of positions to `size`, which must not be less than before.
  [[nodiscard]] std::optional<Error> grow(std::uint64_t size);
  [[nodiscard]] std::optional<Error> write(std::uint64_t at,
                                           std::span<const ReachedPosition> positions);
  [[nodiscard]] std::optional<Error> read(std::uint64_t at,
                                          std::span<ReachedPosition> positions) const;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t file_bytes() const {
    return fd_ < 0 ? 0 : size_ * sizeof(ReachedPosition);
  }

 private:
  [[nodiscard]] std::optional<Error> open_file();
  [[nodiscard]] Error problem() const;  // from errno

  std::string directory_;
  std::uint64_t most_bytes_;
  std::uint64_t most_file_bytes_;
  std::uint64_t other_file_bytes_;
  std::uint64_t size_ = 0;
  std::vector<ReachedPosition> in_memory_;  // empty once there is a file
  int fd_ = -1;
};

}  // namespace manyply
