// A wait that ends early if a stop is requested.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace manyply {

/// Blocks for `time` or until a stop is requested. Returns true if a stop is requested, false if
/// the time has passed. The caller must not hold a lock.
inline bool stopped_within(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  return wake.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

}  // namespace manyply
