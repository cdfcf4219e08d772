// Counts that stop at a chosen point.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "core/base/stopped_within.h"
#include "tools/server/jobs/job_manager.h"

namespace manyply {

inline void wait_for(const std::stop_token& stop) {
  while (!stopped_within(std::chrono::hours(1), stop)) {
  }
}

/// A runner whose jobs run until they are stopped.
inline Result<Answer> run_until_stopped(const JobRequest&, const Resources& resources) {
  wait_for(resources.stop);
  return cancelled();
}

/// For jobs that must be stopped in the middle, on machines of any speed. A running count may
/// outlive this object.
class HeldCount {
 public:
  /// Each attempt stores `most` records and then waits for a stop request.
  explicit HeldCount(std::size_t most) { state_->most = most; }

  [[nodiscard]] JobRunner runner() const {
    return [state = state_](const JobRequest& request, const Resources& resources) {
      if (resources.store == nullptr) return answer_job(request, resources);
      state->taken = 0;
      Store store(*resources.store, *state, resources.stop);
      Resources with_store = resources;
      with_store.store = &store;
      return answer_job(request, with_store);
    };
  }
  /// Attempts from now on run to their end.
  void let_go() { state_->most = SIZE_MAX; }
  /// Returns the number of records of the latest attempt.
  [[nodiscard]] std::size_t taken() const { return state_->taken; }

 private:
  struct State {
    std::atomic<std::size_t> most = 0;
    std::atomic<std::size_t> taken = 0;
  };

  class Store final : public UnitStore {
   public:
    Store(UnitStore& store, State& state, const std::stop_token& stop)
        : store_(store), state_(state), most_(state.most), stop_(stop) {}
    Result<UnitPayloads> open(const StoredJob& job) override { return store_.open(job); }
    std::optional<Error> record(std::size_t unit, std::span<const std::uint64_t> payload) override {
      if (begun_++ < most_) {
        auto error = store_.record(unit, payload);
        ++state_.taken;
        return error;
      }
      wait_for(stop_);
      return cancelled();
    }
    std::optional<Error> flush() override { return store_.flush(); }

   private:
    UnitStore& store_;
    State& state_;
    const std::size_t most_;
    std::atomic<std::size_t> begun_ = 0;
    const std::stop_token stop_;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace manyply
