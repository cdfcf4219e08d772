// Finished subtrees of a running job, on their way to the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "tools/server/jobs/job_store.h"

namespace manyply {

/// A UnitStore whose record() never touches the disk: a thread of its own stores what has come once
/// in an interval, so that a killed job loses about that much work and counting waits for no fsync.
/// A disk that takes nothing ends no job: records wait in memory, the next attempt
/// takes them too, and `on_attempt` hears of it.
class StoredUnits : public UnitStore {
 public:
  static constexpr std::chrono::milliseconds kDefaultInterval{1000};

  /// `on_attempt`, called with each attempt's outcome on the storing thread, may be empty.
  StoredUnits(JobStore& store, JobId job, std::chrono::milliseconds interval = kDefaultInterval,
              std::function<void(const MaybeError&)> on_attempt = {})
      : store_(store), job_(job), interval_(interval), on_attempt_(std::move(on_attempt)) {}
  ~StoredUnits() override;
  StoredUnits(const StoredUnits&) = delete;
  StoredUnits& operator=(const StoredUnits&) = delete;

  Result<UnitPayloads> open(const StoredJob& job) override;
  [[nodiscard]] std::optional<Error> record(std::size_t unit,
                                            std::span<const std::uint64_t> payload) override;
  /// Answers no error: what could not be stored is only counted again after a crash.
  [[nodiscard]] std::optional<Error> flush() override;

 private:
  void store_waiting();

  JobStore& store_;
  const JobId job_;
  const std::chrono::milliseconds interval_;
  const std::function<void(const MaybeError&)> on_attempt_;
  std::optional<UnitRecords> records_;  // set by open, then constant

  Mutex storing_;  // before mutex_: one attempt at a time
  Mutex mutex_;
  std::vector<std::uint64_t> waiting_ MANYPLY_GUARDED_BY(mutex_);  // records
  std::jthread thread_;
};

}  // namespace manyply
