// Checkpoint files: finished units appended, so that a killed job resumes where it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "parallel/mutex.h"
#include "parallel/units/unit_record.h"

namespace manyply {

/// An append-only file, little-endian: a header, and then UnitRecords.
///
///   header   magic "MANYPLY2" | identity (16) | units (8) | bytes of text (8) | text, which says
///            what the file holds | XXH3-64 of these (8)
///
/// Version 0.1.0 wrote no text, and the magic "MANYPLY1"; what it began is read and goes on so.
/// Written as records come, synced to the disk at most once a second and at the end. A tail that is
/// cut short or fails its checksum is dropped at the next start. One job at a time: the file is
/// locked (flock).
class CheckpointFile : public UnitStore {
 public:
  static constexpr std::chrono::seconds kSyncInterval{1};

  explicit CheckpointFile(std::string path) : path_(std::move(path)) {}
  ~CheckpointFile() override;
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  Result<UnitPayloads> open(const StoredJob& job) override;
  [[nodiscard]] std::optional<Error> record(std::size_t unit,
                                            std::span<const std::uint64_t> payload) override;
  [[nodiscard]] std::optional<Error> flush() override;

  /// Units found at open.
  [[nodiscard]] std::size_t resumed_units() const { return resumed_units_; }
  /// It holds this job's units: open() has succeeded.
  [[nodiscard]] bool opened() const { return opened_; }
  /// Bytes of a damaged tail that open cut off; 0 when the file was whole.
  [[nodiscard]] std::uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  [[nodiscard]] Error problem(const std::string& what) const;
  [[nodiscard]] std::optional<Error> append_to_file(std::span<const std::byte> bytes)
      MANYPLY_REQUIRES(mutex_);
  [[nodiscard]] std::optional<Error> sync() MANYPLY_REQUIRES(mutex_);

  const std::string path_;
  int file_ = -1;                       // set by open, then constant
  std::optional<UnitRecords> records_;  // set by open, then constant
  std::size_t resumed_units_ = 0;
  bool opened_ = false;
  std::uint64_t dropped_bytes_ = 0;

  Mutex mutex_;
  std::uint64_t end_ MANYPLY_GUARDED_BY(mutex_) = 0;  // of what was written
  std::chrono::steady_clock::time_point last_sync_ MANYPLY_GUARDED_BY(mutex_);
};

}  // namespace manyply
