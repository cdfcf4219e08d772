// Stores finished units in a checkpoint file, so that a killed job can resume.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/base/mutex.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// A checkpoint file. It has a header and then records (UnitRecords). All numbers are
/// little-endian. Numbers in parentheses are sizes in bytes.
///
///   header   magic "MANYPLY2" | identity (16) | units (8) | length of text (8) | text that names
///            the job | XXH3-64 of all this (8)
///
/// If the job has a plan, there are three differences: the magic is "MANYPLY3"; the length of the
/// plan (8) stands before the checksum; and the plan and its own XXH3-64 (8) follow the header.
///
/// Files of version 0.1.0 have the magic "MANYPLY1", and neither the text nor its length. They can
/// still be read and continued.
///
/// Each record is written immediately. The file is synced to the disk at most once per second and
/// at the end. If a record is incomplete or fails its checksum, open() removes this record and
/// everything after it. The file is locked (files::lock), so only one job at a time can use it.
class CheckpointFile : public UnitStore {
 public:
  static constexpr std::chrono::seconds kSyncInterval{1};

  explicit CheckpointFile(std::string path) : path_(std::move(path)) {}
  ~CheckpointFile() override;
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  Result<std::optional<std::string>> plan_of(const StoredJob& job) override;
  Result<UnitPayloads> open(const StoredJob& job) override;
  [[nodiscard]] std::optional<Error> record(std::size_t unit,
                                            std::span<const std::uint64_t> payload) override;
  [[nodiscard]] std::optional<Error> flush() override;

  /// Returns the number of units that open() has found in the file.
  [[nodiscard]] std::size_t resumed_units() const { return resumed_units_; }
  /// Returns true if open() has succeeded.
  [[nodiscard]] bool opened() const { return opened_; }
  /// Returns the number of damaged bytes that open() has removed from the end; 0 if the file was
  /// intact.
  [[nodiscard]] std::uint64_t dropped_bytes() const { return dropped_bytes_; }

 private:
  [[nodiscard]] Error problem(const std::string& what) const;
  /// Opens and locks the file at the first call. Returns the first bytes of the file, including the
  /// header and the plan if there is one.
  Result<std::string> read_beginning();
  [[nodiscard]] std::optional<Error> append_to_file(std::span<const std::byte> bytes)
      MANYPLY_REQUIRES(mutex_);
  [[nodiscard]] std::optional<Error> sync() MANYPLY_REQUIRES(mutex_);

  const std::string path_;
  int file_ = -1;                       // set by the first plan_of() or open(); then constant
  std::optional<UnitRecords> records_;  // open() sets it; constant afterwards
  std::size_t resumed_units_ = 0;
  bool opened_ = false;
  std::uint64_t dropped_bytes_ = 0;

  Mutex mutex_;
  std::uint64_t end_ MANYPLY_GUARDED_BY(mutex_) = 0;  // file offset of the next record
  std::chrono::steady_clock::time_point last_sync_ MANYPLY_GUARDED_BY(mutex_);
};

/// Returns whether the file exists, can be read, and is the checkpoint of a job without a plan.
[[nodiscard]] bool is_checkpoint_without_plan(const std::string& path);

}  // namespace manyply
