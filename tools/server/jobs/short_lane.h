// What jobs that are expected to be short may use beside long ones.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "core/result.h"

namespace manyply {

struct ShortLaneOptions {
  /// Core time of a job that is short; 0 = there is no lane.
  std::chrono::milliseconds limit{2000};
  /// Of the cores' time in any minute, 0 to 1; 0 = there is no lane.
  double share = 0.05;

  [[nodiscard]] bool on() const { return limit.count() > 0 && share > 0; }
};

/// The lane's account of core time: the processor time of the one thread that runs its jobs, one at
/// a time. How long the clock says that a job has been there does not matter: others may have had
/// the core. A job is let in only where the minute has room for all that it may use, the limit:
/// therefore the share is never exceeded, but for the moment that stopping a job takes. Thread
/// safety: none, its owner locks.
class ShortLane {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kWindow = std::chrono::minutes(1);

  ShortLane(const ShortLaneOptions& options, int cores);

  /// Why nothing could ever run in such a lane: kInvalidInput.
  [[nodiscard]] static std::optional<Error> judge(const ShortLaneOptions& options, int cores);

  /// Is a job short that is expected to take so many seconds of one core?
  [[nodiscard]] bool takes(double core_seconds) const;
  /// May a job begin now?
  [[nodiscard]] bool has_room(Clock::time_point now);
  /// A job that has used so much and has not ended: is it to go?
  [[nodiscard]] bool outgrown(Clock::duration used) const { return used >= limit_; }
  /// A job that was in the lane until `end` has used so much.
  void charge(Clock::duration used, Clock::time_point end);
  /// Core time since the start, in seconds.
  [[nodiscard]] double total_seconds() const { return total_seconds_; }

 private:
  struct Run {
    Clock::time_point end;
    Clock::duration used;
  };

  Clock::duration limit_;
  Clock::duration allowance_;  // in each window
  std::deque<Run> runs_;       // that ended within the last window, oldest first
  Clock::duration spent_{};    // by them, also on what lies before the window
  double total_seconds_ = 0;
};

}  // namespace manyply
