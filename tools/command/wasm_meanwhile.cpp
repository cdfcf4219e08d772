#include "tools/command/meanwhile.h"
#include "tools/wasm/runtime/events.h"

// NOLINTBEGIN(readability-identifier-naming): a name of the host's
/// Whether standard input has been read ahead.
extern "C" __attribute__((import_module("manyply"), import_name("input_there"))) int
manyply_input_there();
// NOLINTEND(readability-identifier-naming)

namespace manyply {

struct Meanwhile::State {
  wasm::Repeated repeated;
};

Meanwhile::Meanwhile(const std::function<void(bool)>& hear) {
  constexpr double kLookMilliseconds = 20;
  state_ = std::unique_ptr<State>(
      new State{wasm::Repeated(kLookMilliseconds, [hear] { hear(manyply_input_there() != 0); })});
}
Meanwhile::~Meanwhile() = default;

}  // namespace manyply
