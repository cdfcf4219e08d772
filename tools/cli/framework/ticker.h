// Periodic work during a computation. It runs on a separate thread (plain_ticker.cpp), or on the
// only thread (wasm_ticker.cpp).
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace manyply {

/// Calls one function periodically, and another one at the end. All calls come from one thread,
/// which need not be the thread that constructed the ticker. After the destructor, there are no
/// more calls.
class Ticker {
 public:
  /// Calls `tick` every `period` with the number of seconds since construction. The destructor
  /// causes one call of `end`, after the last `tick`, and waits for it.
  Ticker(std::chrono::milliseconds period, std::function<void(double)> tick,
         std::function<void()> end = {});
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Handles input during a count on a system with only one thread.

/// Lets a function handle input that arrives between construction and destruction. Does nothing on
/// systems where another thread reads the input (plain_ticker.cpp).
class Meanwhile {
 public:
  /// If there is only one thread (wasm_ticker.cpp), calls `hear` every 20 ms. The count makes these
  /// calls when it checks stop_requested(). The argument of `hear` says whether input can be read
  /// without blocking.
  explicit Meanwhile(const std::function<void(bool input)>& hear);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply
