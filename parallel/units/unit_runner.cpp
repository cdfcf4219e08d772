#include "parallel/units/unit_runner.h"

#include <atomic>
#include <new>
#include <utility>

namespace manyply {
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
