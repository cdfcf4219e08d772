// The short lane: core time that short jobs may use beside long ones.
#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "core/base/result.h"

namespace manyply {

/// Settings of the short lane.
struct ShortLaneOptions {
  /// Largest expected core time of a short job; 0 = no short lane.
  std::chrono::milliseconds limit{2000};
  /// Largest share of all cores' time in any minute, 0 to 1; 0 = no short lane.
  double share = 0.05;

  /// Returns whether there is a short lane.
  [[nodiscard]] bool on() const { return limit.count() > 0 && share > 0; }
};

/// Limits the core time of the short lane, whose jobs run one at a time on one thread. Counts
/// processor time instead of wall-clock time, because other threads may have used the core
/// meanwhile.
///
/// The core time of all jobs that left the lane in the last minute counts towards the lane's share.
/// A job may enter only if the lane would stay within its share even if the job used the whole
/// ShortLaneOptions::limit. The lane therefore exceeds its share only by the time that stopping a
/// job takes. Not thread-safe; the owner locks.
class ShortLane {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kWindow = std::chrono::minutes(1);

  ShortLane(const ShortLaneOptions& options, int cores);

  /// Returns kInvalidInput if the options are out of range, or if `limit` exceeds the core time
  /// that the lane may use per minute. Otherwise returns nullopt.
  [[nodiscard]] static std::optional<Error> judge(const ShortLaneOptions& options, int cores);

  /// Returns whether a job that is expected to need `core_seconds` is short.
  [[nodiscard]] bool takes(double core_seconds) const;
  /// Returns whether a job may enter the lane now.
  [[nodiscard]] bool has_room(Clock::time_point now);
  /// Returns whether a running job that has used this much core time must leave the lane.
  [[nodiscard]] bool outgrown(Clock::duration used) const { return used >= limit_; }
  /// Charges the core time of a job that left the lane at `end`.
  void charge(Clock::duration used, Clock::time_point end);
  /// Returns the core time of all jobs that have left the lane so far, in seconds.
  [[nodiscard]] double total_seconds() const { return total_seconds_; }

 private:
  struct Run {
    Clock::time_point end;
    Clock::duration used;
  };

  Clock::duration limit_;
  Clock::duration allowance_;  // core time per window
  std::deque<Run> runs_;       // runs that ended within the last window, oldest first
  Clock::duration spent_{};    // core time of runs_, including time before the window began
  double total_seconds_ = 0;
};

}  // namespace manyply
