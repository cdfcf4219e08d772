#include "tools/server/jobs/stored_units.h"

#include <utility>

#include "core/base/stopped_within.h"

namespace manyply {

StoredUnits::~StoredUnits() {
  thread_ = {};  // stops and joins the thread
  store_waiting();
}

Result<UnitPayloads> StoredUnits::open(const StoredJob& job) {
  auto opened = store_.open_units(job_, job);
  // A full disk or a damaged database is no reason not to count.
  if (on_attempt_) on_attempt_(opened.ok() ? std::nullopt : MaybeError(opened.error()));
  if (!opened.ok()) {
    records_.emplace(job);
    return UnitPayloads(job);
  }
  auto [records, known] = std::move(opened).value();
  records_ = records;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stopped_within(interval_, stop)) store_waiting();
  });
  return std::move(known);
}

std::optional<Error> StoredUnits::record(std::size_t unit, std::span<const std::uint64_t> payload) {
  const std::vector<std::uint64_t> record = records_->written(unit, payload);
  const MutexLock lock(mutex_);
  waiting_.insert(waiting_.end(), record.begin(), record.end());
  return std::nullopt;
}

std::optional<Error> StoredUnits::flush() {
  store_waiting();
  return std::nullopt;
}

void StoredUnits::store_waiting() {
  const MutexLock storing(storing_);
  std::vector<std::uint64_t> records;
  {
    const MutexLock lock(mutex_);
    std::swap(records, waiting_);
  }
  if (records.empty()) return;
  const MaybeError error = store_.append_units(job_, records);
  if (on_attempt_) on_attempt_(error);
  if (!error) return;
  const MutexLock lock(mutex_);
  waiting_.insert(waiting_.end(), records.begin(), records.end());
}

}  // namespace manyply
