// Periodic work beside a running computation: on a separate thread (plain_ticker.cpp), or on the
// only thread (wasm_ticker.cpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace manyply {

/// Active from construction to destruction. Both functions are called by one thread, which may
/// differ from the thread that constructed the ticker.
class Ticker {
 public:
  /// Calls `tick` every `period` with the seconds since construction, and `end` once at the end.
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
