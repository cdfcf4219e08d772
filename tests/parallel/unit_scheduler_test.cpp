#include "parallel/unit_scheduler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <numeric>
#include <thread>

#include "parallel/worker_arena.h"
#include "tests/support/eventually.h"

namespace manyply {
namespace {

using namespace std::chrono_literals;

constexpr int kWorkerCounts[] = {1, 2, 3, 8};
constexpr std::size_t kUnits = 500;

UnitOrder ascending(std::size_t units, std::size_t group_size = SIZE_MAX) {
  UnitOrder order;
  order.units.resize(units);
  std::iota(order.units.begin(), order.units.end(), 0U);
  for (std::size_t unit = 0; unit < units; ++unit) {
    if (unit % group_size == 0) order.group_begin.push_back(unit);
  }
  return order;
}

const UnitOrder kOrder = ascending(kUnits);

/// Blocks until the unit is told to stop; as a kernel does, but without counting.
Result<NodeCount> wait_for(const std::stop_token& stop) {
  while (!stop.stop_requested()) std::this_thread::sleep_for(100us);
  return cancelled();
}

TEST(WorkerArena, RunsEachBodyOnce) {
  for (const int workers : kWorkerCounts) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(workers));
    run_workers(workers, [&](int worker) { ++calls.at(static_cast<std::size_t>(worker)); });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
}

TEST(WorkerArena, StartsMoreThreadsThanCoresWhenAsked) {
  const int workers = static_cast<int>(std::thread::hardware_concurrency()) + 6;
  std::atomic<int> here{0};
  std::atomic<int> together{0};
  run_workers(workers, [&](int) {
    ++here;
    if (eventually([&] { return here == workers; })) ++together;
  });
  EXPECT_EQ(together, workers);
}

TEST(WorkerArena, HandsOnTheFirstException) {
  for (const int workers : kWorkerCounts) {
    std::atomic<int> calls{0};
    const auto throwing = [&](int) {
      ++calls;
      throw CountOverflow();
    };
    EXPECT_THROW(run_workers(workers, throwing), CountOverflow);
    EXPECT_EQ(calls, workers);
  }
}

TEST(WorkerArena, ServesSeveralCallersAtOnce) {
  std::atomic<int> calls{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] { run_workers(3, [&](int) { ++calls; }); });
    }
  }
  EXPECT_EQ(calls, 12);
}

TEST(UnitScheduler, CountsEachUnitOnceWhateverTheOrder) {
  auto backwards = kOrder;
  std::ranges::reverse(backwards.units);
  for (const UnitOrder& order : {kOrder, backwards, ascending(kUnits, 1), ascending(kUnits, 7),
                                 ascending(kUnits, kUnits / 2)}) {
    for (const int workers : kWorkerCounts) {
      std::vector<std::atomic<int>> calls(kUnits);
      const auto result = count_units(order, workers, {}, [&](int, std::size_t unit, const auto&) {
        ++calls[unit];
        return NodeCount(unit * unit);
      });
      ASSERT_TRUE(result.ok());
      for (std::size_t unit = 0; unit < kUnits; ++unit) {
        EXPECT_EQ(calls[unit], 1);
        EXPECT_EQ(result->counts[unit], unit * unit);
      }
      EXPECT_GE(result->idle_seconds, 0);
    }
  }
}

TEST(UnitScheduler, OneWorkerStartsUnitsInOrder) {
  auto order = kOrder;
  std::ranges::reverse(order.units);
  std::vector<std::uint32_t> started;
  const auto result = count_units(order, 1, {}, [&](int, std::size_t unit, const auto&) {
    started.push_back(static_cast<std::uint32_t>(unit));
    return NodeCount(0);
  });
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(started, order.units);
}

TEST(UnitScheduler, EachWorkerIsOneThreadAtATime) {
  constexpr int kWorkers = 8;
  std::vector<std::atomic<int>> inside(kWorkers);
  std::atomic<bool> shared{false};
  const auto result = count_units(kOrder, kWorkers, {}, [&](int worker, std::size_t, const auto&) {
    auto& own = inside.at(static_cast<std::size_t>(worker));
    if (++own != 1) shared = true;
    std::this_thread::yield();
    --own;
    return NodeCount(1);
  });
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(shared);
}

TEST(UnitScheduler, NoUnitsAndFewUnitsAreFine) {
  for (const std::size_t units : {0U, 1U, 2U}) {
    const auto result = count_units(ascending(units), 8, {},
                                    [](int, std::size_t, const auto&) { return NodeCount(7); });
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->counts, std::vector<NodeCount>(units, 7));
  }
}

TEST(UnitScheduler, AnErrorStopsTheOthersAndIsReported) {
  for (const int workers : kWorkerCounts) {
    std::atomic<int> started{0};
    const auto result =
        count_units(kOrder, workers, {},
                    [&](int, std::size_t unit, const std::stop_token& stop) -> Result<NodeCount> {
                      ++started;
                      if (unit == 0) return Error{ErrorCode::kInternal, "", 0, "unit 0 broke"};
                      return wait_for(stop);
                    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message, "unit 0 broke");
    EXPECT_LE(started, workers);
  }
}

template <typename Exception>
ErrorCode code_after(const Exception& exception) {
  const auto result = count_units(
      kOrder, 2, {}, [&](int, std::size_t unit, const std::stop_token&) -> Result<NodeCount> {
        if (unit == kUnits / 2) throw exception;
        return NodeCount(1);
      });
  return result.ok() ? ErrorCode{-1} : result.error().code;
}

TEST(UnitScheduler, ExceptionsBecomeErrors) {
  EXPECT_EQ(code_after(CountOverflow()), ErrorCode::kOverflow);
  EXPECT_EQ(code_after(BugError("check failed: 1 == 2")), ErrorCode::kInternal);
  EXPECT_EQ(code_after(std::bad_alloc()), ErrorCode::kUnavailable);
  EXPECT_EQ(code_after(std::runtime_error("no")), ErrorCode::kInternal);
  EXPECT_EQ(code_after(42), ErrorCode::kInternal);
}

TEST(UnitScheduler, AStopBeforeTheStartCountsNothing) {
  std::stop_source source;
  source.request_stop();
  std::atomic<int> started{0};
  const auto result =
      count_units(kOrder, 3, source.get_token(), [&](int, std::size_t, const auto&) {
        ++started;
        return NodeCount(1);
      });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(started, 0);
}

TEST(UnitScheduler, AStopFromAnotherThreadReachesEveryUnit) {
  for (const int workers : kWorkerCounts) {
    std::stop_source source;
    std::atomic<bool> running{false};
    const std::jthread canceller([&] {
      running.wait(false);
      source.request_stop();
    });
    const auto result = count_units(kOrder, workers, source.get_token(),
                                    [&](int, std::size_t, const std::stop_token& stop) {
                                      running = true;
                                      running.notify_all();
                                      return wait_for(stop);
                                    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
  }
}

TEST(UnitScheduler, AStopAfterTheLastUnitLosesNothing) {
  std::stop_source source;
  std::atomic<std::size_t> left{kUnits};
  const auto result =
      count_units(kOrder, 2, source.get_token(), [&](int, std::size_t, const auto&) {
        if (--left == 0) source.request_stop();
        return NodeCount(1);
      });
  EXPECT_TRUE(result.ok());
}

}  // namespace
}  // namespace manyply
