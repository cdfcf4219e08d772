// Periodic work during a computation. It runs on a separate thread (plain_ticker.cpp), or on the
// only thread (wasm_ticker.cpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace manyply {

/// Calls two functions during its lifetime. Both calls come from one thread, which need not be the
/// thread that constructed the ticker.
class Ticker {
 public:
  /// Calls `tick` every `period` with the number of seconds since construction. Calls `end` once at
  /// the end.
  Ticker(std::chrono::milliseconds period, std::function<void(double)> tick,
         std::function<void()> end = {});
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Handles input while the only thread is counting.

/// Works from construction to destruction. Does nothing if another thread reads the input
/// (plain_ticker.cpp).
class Meanwhile {
 public:
  /// If there is only one thread (wasm_ticker.cpp), stop_requested() calls `hear` from time to
  /// time. The argument of `hear` says whether input can be read without blocking.
  explicit Meanwhile(const std::function<void(bool input)>& hear);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply
