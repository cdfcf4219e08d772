#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "tools/command/ticker.h"

namespace manyply {

struct Ticker::State {
  std::jthread thread;
};

Ticker::Ticker(std::chrono::milliseconds period, std::function<void(double)> tick,
               std::function<void()> end)
    : state_(std::make_unique<State>()) {
  state_->thread = std::jthread(
      [period, tick = std::move(tick), end = std::move(end)](const std::stop_token& stop) {
        using Clock = std::chrono::steady_clock;
        const Clock::time_point start = Clock::now();
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        while (!wake.wait_for(lock, stop, period, [&] { return stop.stop_requested(); }))
          tick(std::chrono::duration<double>(Clock::now() - start).count());
        if (end) end();
      });
}

Ticker::~Ticker() = default;

}  // namespace manyply
