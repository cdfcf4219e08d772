#include "parallel/workers.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/machine.h"

namespace manyply {
int available_threads() { return std::max(1, usable_processors()); }

Workers::Workers(int count)
    : count_(count),
      arena_(WorkerArena::of(count)),
      all_busy_(std::make_shared<std::atomic<std::int64_t>>(0)) {}

Result<Workers> Workers::of(int threads, const Placement& placement) {
  if (threads < 0 || threads > kMaxThreads) {
    return Error{ErrorCode::kInvalidInput, "threads", 0,
                 std::to_string(threads) + " is not between 0 and " + std::to_string(kMaxThreads)};
  }
  Workers workers(threads > 0 ? threads : available_threads());
  workers.placement_ = placement;
  if (placement != Placement{}) {
    auto topology = Topology::load();
    if (!topology) return topology.error();
    workers.topology_ = std::move(topology).value();
  }
  return workers;
}

void Workers::run(const std::function<void(int)>& body) const {
  using Clock = std::chrono::steady_clock;
  struct Span {
    Clock::time_point begin, end;
  };
  std::vector<Span> spans(static_cast<std::size_t>(count_));  // by worker
  arena_->run(
      [&](int worker) {
        Span& span = spans[static_cast<std::size_t>(worker)];
        span.begin = Clock::now();
        body(worker);
        span.end = Clock::now();
      },
      placement_.pin_workers ? &*topology_ : nullptr);
  const Clock::duration all_busy =
      std::ranges::min(spans, {}, &Span::end).end - std::ranges::max(spans, {}, &Span::begin).begin;
  if (all_busy.count() > 0) *all_busy_ += std::chrono::nanoseconds(all_busy).count();
}

std::optional<Error> Workers::spread(const TableMemory& memory) const {
  if (!placement_.interleave_tables) return std::nullopt;
  return topology_->interleave(memory.data(), static_cast<std::size_t>(memory.bytes()));
}

}  // namespace manyply
