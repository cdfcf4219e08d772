#include "parallel/units/unit_runner.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

#include "core/base/check.h"

namespace manyply {

UnitOrder ascending_order(std::size_t units) {
  UnitOrder order;
  order.units.resize(units);
  std::iota(order.units.begin(), order.units.end(), 0U);
  if (units > 0) order.group_begin.push_back(0);
  return order;
}

UnitOrder range_of(const UnitOrder& order, std::size_t begin, std::size_t end) {
  MANYPLY_CHECK(begin <= end && end <= order.units.size());
  UnitOrder range;
  range.units.assign(order.units.begin() + static_cast<std::ptrdiff_t>(begin),
                     order.units.begin() + static_cast<std::ptrdiff_t>(end));
  if (begin == end) return range;
  range.group_begin.push_back(0);
  auto next = std::ranges::upper_bound(order.group_begin, begin);
  for (; next != order.group_begin.end() && *next < end; ++next) {
    range.group_begin.push_back(*next - begin);
  }
  return range;
}

UnitQueue::UnitQueue(UnitOrder order) : order_(std::move(order)), next_(order_.groups()) {
  for (std::size_t group = 0; group < order_.groups(); ++group)
    next_[group].store(order_.group_begin[group], std::memory_order_relaxed);
}

std::optional<UnitQueue::Portion> UnitQueue::take(std::size_t team) {
  const MutexLock lock(mutex_);
  if (at_.size() <= team) at_.resize(team + 1);
  std::optional<std::size_t>& at = at_[team];
  if (!at || exhausted(*at)) {
    at.reset();
    if (next_whole_ < order_.groups()) at = next_whole_++;
  }
  if (at) return Portion(*this, *at);
  while (next_shared_ < order_.groups() && exhausted(next_shared_)) ++next_shared_;
  if (next_shared_ == order_.groups()) return std::nullopt;
  return Portion(*this, next_shared_);
}

UnitOrder biggest_first(const RootSplit& split, const Kernel& kernel) {
  // This is a counting sort. A sort by comparisons would take three times as long, and all threads
  // wait for the result.
  std::vector<std::size_t> rank(split.size());  // rank 0 has the most moves
  std::vector<std::size_t> place(MoveList::kCapacity + 1);
  CountStats unused;
  for (std::size_t unit = 0; unit < split.size(); ++unit) {
    rank[unit] = MoveList::kCapacity -
                 static_cast<std::size_t>(kernel.count(split.boards[unit], 1, {}, unused));
    ++place.at(rank[unit]);
  }
  std::exclusive_scan(place.begin(), place.end(), place.begin(), std::size_t{0});
  UnitOrder order = ascending_order(split.size());
  for (std::uint32_t unit = 0; unit < split.size(); ++unit) order.units[place[rank[unit]]++] = unit;
  return order;
}

UnitOrder grouped_for_window(const RootSplit& split, int unit_depth) {
  UnitOrder order = ascending_order(split.size());
  if (split.size() == 0) return order;
  const Color unit_side = split.boards.front().side_to_move;
  const Color side_at_three = (unit_depth - 3) % 2 == 0 ? unit_side : ~unit_side;
  const auto common_pieces = [&](std::uint32_t unit) -> const Pieces& {
    return split.boards[unit].of(~side_at_three);
  };
  std::ranges::sort(order.units, [&](std::uint32_t a, std::uint32_t b) {
    const auto by_pieces = common_pieces(a) <=> common_pieces(b);
    return by_pieces != 0 ? by_pieces < 0 : a < b;
  });
  for (std::size_t i = 1; i < order.units.size(); ++i) {
    if (common_pieces(order.units[i]) != common_pieces(order.units[i - 1]))
      order.group_begin.push_back(i);
  }
  return order;
}

UnitOrder order_for(const RootSplit& split, int unit_depth, bool has_table, const Kernel& kernel) {
  return has_table ? grouped_for_window(split, unit_depth) : biggest_first(split, kernel);
}

namespace {

class Runner {
 public:
  Runner(const UnitOrder& order, const UnitRun& run, const UnitBody& body)
      : queue_(order), run_(run), body_(body), halt_token_(halt_.get_token()) {}

  std::optional<Error> run() {
    {
      const std::stop_callback on_stop(run_.by.stop(), [this] { halt_.request_stop(); });
      if (run_.alone) {
        work(0);
      } else {
        run_.by.workers().run([this](int worker) { work(worker); });
      }
    }
    if (run_.kept != nullptr) {
      if (auto error = run_.kept->flush(); error && !error_) return error;
    }
    return std::move(error_);
  }

 private:
  void work(int number) noexcept {
    const int workers = run_.by.count();
    const Team team = team_of(number, workers, run_.teams == 0 ? workers : run_.teams);
    try {
      const UnitWorker worker{number, halt_token_, run_.by.progress().worker(number)};
      while (auto portion = queue_.take(static_cast<std::size_t>(team.number)))
        if (!count(*portion, worker)) break;
    } catch (...) {
      fail(current_exception_as_error());
    }
  }

  /// Counts units of the portion. Returns false if the run is over.
  bool count(UnitQueue::Portion& portion, const UnitWorker& worker) {
    while (const auto unit = portion.next()) {
      // A worker must either count a unit that it has taken, or end the run with an error. It never
      // skips a unit silently.
      auto error = worker.stop.stop_requested() ? cancelled() : do_unit(*unit, worker);
      if (!error) continue;
      fail(*std::move(error));
      return false;
    }
    return true;
  }

  std::optional<Error> do_unit(std::size_t unit, const UnitWorker& worker) {
    if (run_.kept != nullptr && run_.kept->knows(unit)) return std::nullopt;
    if (auto error = body_(unit, worker)) return error;
    if (run_.kept != nullptr) {
      if (auto error = run_.kept->record(unit)) return error;
    }
    worker.progress.units_done.add(run_.weight);
    return std::nullopt;
  }

  void fail(Error error) {
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::move(error);
    halt_.request_stop();
  }

  UnitQueue queue_;
  const UnitRun& run_;
  const UnitBody& body_;
  std::stop_source halt_;  // requested by the caller's stop token or by the first error
  const std::stop_token halt_token_;
  std::atomic<bool> failed_{false};  // only the one worker that sets it writes error_
  std::optional<Error> error_;       // read after all workers have returned
};

}  // namespace

std::optional<Error> for_each_unit(const UnitOrder& order, const UnitRun& run,
                                   const UnitBody& body) {
  return Runner(order, run, body).run();
}

Error current_exception_as_error() {
  try {
    throw;
  } catch (const CountOverflow& overflow) {
    return {ErrorCode::kOverflow, "", 0, overflow.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kUnavailable, "", 0, "out of memory"};
  } catch (const std::exception& bug) {
    return {ErrorCode::kInternal, "", 0, bug.what()};
  } catch (...) {
    return {ErrorCode::kInternal, "", 0, "unknown exception"};
  }
}

}  // namespace manyply
