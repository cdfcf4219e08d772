// How whoever counts hears of its input meanwhile, where nobody else could read it.
#pragma once

#include <functional>
#include <memory>

namespace manyply {

/// From its construction to its destruction. Where another thread reads, it does nothing
/// (plain_meanwhile.cpp).
class Meanwhile {
 public:
  /// Where there is one thread only (wasm_meanwhile.cpp), `hear` is called now and then, from
  /// within some stop_requested(), with whether there is input that can be read without waiting.
  explicit Meanwhile(const std::function<void(bool input)>& hear);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace manyply
