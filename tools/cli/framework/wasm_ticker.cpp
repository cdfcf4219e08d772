#include <chrono>
#include <optional>
#include <utility>

#include "tools/cli/framework/progress_display.h"
#include "tools/wasm/runtime/events.h"

namespace manyply {

struct Ticker::State {
  std::function<void()> end;
  std::optional<wasm::Repeated> repeated;
};

Ticker::Ticker(std::chrono::milliseconds period, std::function<void(double)> tick,
               std::function<void()> end)
    : state_(std::make_unique<State>()) {
  state_->end = std::move(end);
  state_->repeated.emplace(
      static_cast<double>(period.count()),
      [start = wasm::now(), tick = std::move(tick)] { tick((wasm::now() - start) / 1'000); });
}

Ticker::~Ticker() {
  state_->repeated.reset();
  if (state_->end) state_->end();
}

}  // namespace manyply

// NOLINTBEGIN(readability-identifier-naming): a name in the host
/// Returns whether input can be read without blocking.
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
