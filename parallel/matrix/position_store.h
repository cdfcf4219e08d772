// Counted positions in a row: in memory while they are few, in a temporary file beyond.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "hash/packed_board.h"

namespace manyply {

/// The file has no name, so that it goes when the process does, however that ends. Errors are
/// kUnavailable: the directory cannot be written to, or is full, or may not have more. write() and
/// read() by any thread, for rows that grow() has made; grow() while nobody else does anything.
class PositionStore {
 public:
  /// Up to `most_bytes` are kept in memory, twice that while growing; in the file, up to
  /// `most_file_bytes` together with the `other_file_bytes` that its owner has there already.
  PositionStore(std::string directory, std::uint64_t most_bytes,
                std::uint64_t most_file_bytes = UINT64_MAX, std::uint64_t other_file_bytes = 0)
      : directory_(std::move(directory)),
        most_bytes_(most_bytes),
        most_file_bytes_(most_file_bytes),
        other_file_bytes_(other_file_bytes) {}
  ~PositionStore();
  PositionStore(const PositionStore&) = delete;
  PositionStore& operator=(const PositionStore&) = delete;

  /// Makes it `size` positions long, not less than before.
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
  [[nodiscard]] Error problem() const;  // by errno

  std::string directory_;
  std::uint64_t most_bytes_;
  std::uint64_t most_file_bytes_;
  std::uint64_t other_file_bytes_;
  std::uint64_t size_ = 0;
  std::vector<ReachedPosition> in_memory_;  // empty once there is a file
  int fd_ = -1;
};

}  // namespace manyply
