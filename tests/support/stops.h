// Stop requests before the start, after some time, and from a given poll on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>

namespace manyply {

/// Returns the token of a stop that has already been requested.
inline std::stop_token stopped_before() {
  std::stop_source stop;
  stop.request_stop();
  return stop.get_token();
}

/// Requests a stop from another thread after some time.
class DelayedStop {
 public:
  explicit DelayedStop(std::chrono::microseconds delay)
      : stopper_([this, delay] {
          std::this_thread::sleep_for(delay);
          stop_.request_stop();
        }) {}

  [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }

 private:
  std::stop_source stop_;
  std::jthread stopper_;
};

/// Counts the calls of stop_requested(). Call number `stops_at` and all later calls return true.
/// Any thread may use it.
class CountedLooks {
 public:
  explicit CountedLooks(std::uint64_t stops_at = ~std::uint64_t{0}) : stops_at_(stops_at) {}

  [[nodiscard]] bool stop_requested() const { return ++looks_ >= stops_at_; }
  [[nodiscard]] std::uint64_t looks() const { return looks_; }

 private:
  const std::uint64_t stops_at_;
  mutable std::atomic<std::uint64_t> looks_{0};
};

}  // namespace manyply
