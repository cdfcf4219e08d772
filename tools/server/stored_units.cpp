#include "tools/server/stored_units.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

namespace manyply {

StoredUnits::~StoredUnits() {
  thread_ = {};  // stops and joins
  store_waiting();
}

Result<std::vector<std::optional<NodeCount>>> StoredUnits::open(const Hash128& identity,
                                                                std::size_t units) {
  identity_ = identity;
  auto known = store_.open_units(job_, identity, units);
  // A disk that takes nothing, or a damaged database, is no reason not to count.
  if (on_attempt_) on_attempt_(known.ok() ? std::nullopt : MaybeError(known.error()));
  if (!known.ok()) return std::vector<std::optional<NodeCount>>(units);
  resumed_ = static_cast<std::uint64_t>(
      std::ranges::count_if(*known, [](const auto& count) { return count.has_value(); }));
  thread_ = std::jthread([this](const std::stop_token& stop) {
    Mutex asleep;
    std::condition_variable_any wake;
    const MutexLock lock(asleep);
    while (!wake.wait_for(asleep, stop, interval_, [&] { return stop.stop_requested(); }))
      store_waiting();
  });
  return known;
}

std::optional<Error> StoredUnits::record(std::size_t unit, NodeCount count) {
  const UnitRecord record = UnitRecord::of(unit, count, identity_);
  const MutexLock lock(mutex_);
  waiting_.push_back(record);
  return std::nullopt;
}

std::optional<Error> StoredUnits::flush() {
  store_waiting();
  return std::nullopt;
}

void StoredUnits::store_waiting() {
  const MutexLock storing(storing_);
  std::vector<UnitRecord> records;
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
