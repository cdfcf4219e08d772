#include "tools/server/jobs/live_progress.h"

namespace manyply {

Progress* LiveProgress::start_phase(std::string_view name) {
  const MutexLock lock(mutex_);
  phase_ = name;
  return phases_.emplace_back(std::make_unique<Progress>()).get();
}

LiveProgress::Reading LiveProgress::read() const {
  const MutexLock lock(mutex_);
  Reading reading;
  reading.phase = phase_;
  for (const auto& phase : phases_) {
    reading.earlier_leaves += reading.snapshot.leaves;
    reading.earlier_visited += reading.snapshot.visited;
    reading.snapshot = phase->snapshot();
  }
  return reading;
}

}  // namespace manyply
