// A stop request that counts how often the work polls it.
#pragma once

#include <atomic>
#include <cstdint>

namespace manyply {

/// Requests a stop from poll number `stops_at` on. Safe to use from any thread.
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
