#include <thread>
#include <utility>

#include "core/base/stopped_within.h"
#include "core/base/stopwatch.h"
#include "tools/cli/framework/progress_display.h"

namespace manyply {

struct Ticker::State {
  std::jthread thread;
};

Ticker::Ticker(std::chrono::milliseconds period, std::function<void(double)> tick,
               std::function<void()> end)
    : state_(std::make_unique<State>()) {
  state_->thread = std::jthread(
      [period, tick = std::move(tick), end = std::move(end)](const std::stop_token& stop) {
        const Stopwatch watch;
        while (!stopped_within(period, stop)) tick(watch.seconds());
        if (end) end();
      });
}

Ticker::~Ticker() = default;

struct Meanwhile::State {};

Meanwhile::Meanwhile(const std::function<void(bool)>& /*hear*/) {}
Meanwhile::~Meanwhile() = default;

}  // namespace manyply
