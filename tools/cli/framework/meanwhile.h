// Handles input while the only thread counts.
#pragma once

#include <functional>
#include <memory>

namespace manyply {

/// Active from construction to destruction. Does nothing if another thread reads the input
/// (plain_meanwhile.cpp).
class Meanwhile {
 public:
  /// With a single thread (wasm_meanwhile.cpp), calls `hear` from time to time, from within a
  /// stop_requested(). Its argument says whether input can be read without blocking.
  explicit Meanwhile(const std::function<void(bool input)>& hear);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply
