#include <chrono>

#include "tools/cli/framework/meanwhile.h"
#include "tools/cli/framework/ticker.h"

// NOLINTBEGIN(readability-identifier-naming): a name of the host's
/// Returns whether input is available without blocking.
extern "C" __attribute__((import_module("manyply"), import_name("input_there"))) int
manyply_input_there();
// NOLINTEND(readability-identifier-naming)

namespace manyply {

struct Meanwhile::State {
  explicit State(const std::function<void(bool)>& hear)
      : ticker(std::chrono::milliseconds(20),
               [hear](double) { hear(manyply_input_there() != 0); }) {}

  Ticker ticker;
};

Meanwhile::Meanwhile(const std::function<void(bool)>& hear)
    : state_(std::make_unique<State>(hear)) {}
Meanwhile::~Meanwhile() = default;

}  // namespace manyply
