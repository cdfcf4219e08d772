// Does something now and then while something else is done: by a thread of its own
// (plain_ticker.cpp), or by the only one that there is (wasm_ticker.cpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace manyply {

/// From its construction to its destruction. Both functions are called by one thread, which may be
/// another one than that which made it.
class Ticker {
 public:
  /// Calls `tick` every `period`, with the seconds since the beginning, and `end` at the end.
  Ticker(std::chrono::milliseconds period, std::function<void(double)> tick,
         std::function<void()> end = {});
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply
