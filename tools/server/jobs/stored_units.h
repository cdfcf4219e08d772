// Writes the finished subtrees of a running job to disk in the background.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tools/server/jobs/job_store.h"

namespace manyply {

/// A UnitStore whose record() never touches the disk. A separate thread stores new records once per
/// interval, so counting never waits for an fsync, and a kill loses about one interval of work. A
/// failing disk does not end the job: records wait in memory for the next attempt, and `on_attempt`
/// receives the error.
class StoredUnits : public UnitStore {
 public:
  static constexpr std::chrono::milliseconds kDefaultInterval{1000};

  /// `on_attempt` is called on the storing thread after each attempt. It may be empty.
  StoredUnits(JobStore& store, JobId job, std::chrono::milliseconds interval = kDefaultInterval,
              std::function<void(const MaybeError&)> on_attempt = {})
      : store_(store), job_(job), interval_(interval), on_attempt_(std::move(on_attempt)) {}
  ~StoredUnits() override;
  StoredUnits(const StoredUnits&) = delete;
  StoredUnits& operator=(const StoredUnits&) = delete;

  Result<UnitPayloads> open(const StoredJob& job) override;
  [[nodiscard]] std::optional<Error> record(std::size_t unit,
                                            std::span<const std::uint64_t> payload) override;
  /// Never returns an error: units that cannot be stored only have to be counted again after a
  /// crash.
  [[nodiscard]] std::optional<Error> flush() override;

 private:
  void store_waiting();

  JobStore& store_;
  const JobId job_;
  const std::chrono::milliseconds interval_;
  const std::function<void(const MaybeError&)> on_attempt_;
  std::optional<UnitRecords> records_;  // set by open, then constant

  Mutex storing_;  // held during an attempt to store; locked before mutex_
  Mutex mutex_;
  std::vector<std::uint64_t> waiting_ MANYPLY_GUARDED_BY(mutex_);  // records
  std::jthread thread_;
};

}  // namespace manyply
