// Tests counts whose last plies run on a device. With PoCL, the processor is the device, so the
// tests need no GPU.

#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <tuple>

#include "core/known_values.h"
#include "parallel/device/opencl.h"
#include "parallel/jobs/verify.h"
#include "tests/parallel/device_fixture.h"
#include "tests/parallel/matrix_jobs.h"
#include "tests/support/process.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using HowDense = DeviceSpec::Dense;

constexpr std::string_view kKiwi = "kiwipete";
constexpr HowDense kDenseOrNot[] = {HowDense::kAlways, HowDense::kNever};

class DeviceCount : public DeviceTest {};
class DeviceCountSlow : public DeviceCount {};

JobSpec on_device(std::string_view fen, int depth, LastPliesDevice& device) {
  JobSpec spec = by_configurations(fen, depth, 1);
  spec.divide = false;
  spec.device = &device;
  return spec;
}

/// Returns the count. The device must have made it.
NodeCount counted_on(LastPliesDevice& device, std::string_view fen, int depth) {
  const auto report = run_job(on_device(fen, depth, device), {});
  EXPECT_TRUE(report.ok()) << fen << ": " << report.error().to_string();
  if (!report) return 0;
  EXPECT_TRUE(report->matrix && report->matrix->device) << fen;
  return report->nodes;
}

/// Compares the device's count with a count that plays every move.
void compare_with_moves(LastPliesDevice& device, std::string_view fen, int depth) {
  EXPECT_EQ(counted_on(device, fen, depth), run(job_spec(fen, depth, 1)).nodes)
      << fen << ", depth " << depth;
}

void compare_known(std::string_view fen, int first, int last, LastPliesDevice& device) {
  for (int depth = first; depth <= last; ++depth) {
    const auto known = known_value(parse_position(fen).value().position, Depth(depth));
    ASSERT_TRUE(known) << fen;
    EXPECT_EQ(counted_on(device, fen, depth), *known) << fen << ", depth " << depth;
  }
}

struct CountedDepths {
  std::string_view fen;
  int first_depth;
  int last_depth;
};

// Named positions, Chess960, en passant, promotions, castling, and Black to move.
constexpr CountedDepths kCounts[] = {
    {"startpos", 3, 7},
    {kKiwi, 3, 5},
    {"position3", 3, 6},
    {"position4", 3, 5},
    {"position5", 3, 5},
    {"position6", 3, 5},
    {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 3, 4},
    {"2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 3, 4},
    {"b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", 3, 4},
    {"8/8/1k6/2b5/2pP4/8/5K2/8 b - d3 0 1", 3, 4},
    {"8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 1", 3, 4},
    {"1k6/1b6/8/8/7R/8/8/4K2R b K - 0 1", 3, 4},
    {"r3k2r/8/3Q4/8/8/5q2/8/R3K2R b KQkq - 0 1", 3, 4},
    {"2K2r2/4P3/8/8/8/8/8/3k4 w - - 0 1", 3, 4},
    {"8/P1k5/K7/8/8/8/8/8 w - - 0 1", 3, 4},
    {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 3, 4},
    {"r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", 3, 4},
    {"8/k1P5/8/1K6/8/8/8/8 w - - 0 1", 3, 4},
};

// Makes 45 counts by tables, and the same counts again with all pairs in the other kernels.
TEST_F(DeviceCount, EachKindOfPosition) {
  int counts = 0;
  for (const HowDense dense : kDenseOrNot) {
    const auto device = first_device({.dense = dense});
    for (const auto& [fen, first, last] : kCounts) {
      for (int depth = first; depth <= last; ++depth, ++counts) {
        if (known_value(parse_position(fen).value().position, Depth(depth)))
          compare_known(fen, depth, depth, *device);
        else
          compare_with_moves(*device, fen, depth);
      }
    }
  }
  EXPECT_EQ(counts, 90);
}

TEST_F(DeviceCountSlow, PublishedTotals) {
  for (const HowDense dense : kDenseOrNot)
    compare_known("startpos", 8, 8, *first_device({.dense = dense}));
}

TEST_F(DeviceCount, RulesOfBothSides) {
  for (const HowDense dense : kDenseOrNot) {
    const auto device = first_device({.dense = dense});
    for (const std::string_view fen : kRulesOfBothSides) {
      compare_with_moves(*device, fen, 3);
      compare_with_moves(*device, fen, 4);
    }
  }
}

// A row's plan has a table of rays. It is too small for the sliders of these rows.
TEST_F(DeviceCount, MoreSlidersThanAPlanHolds) {
  for (const HowDense dense : kDenseOrNot) {
    const auto device = first_device({.dense = dense});
    for (const char* fen : {"6rk/6pp/8/8/8/QQQQQ3/QQQQQ3/7K w - - 0 1",
                            "rnb1kbnr/pp1ppppp/8/8/8/QQQQQQ2/8/RNBQKBNR w KQkq - 0 1",
                            "rnbqkbnr/8/qqqqqq2/8/8/8/PP1PPPPP/RNB1KBNR b KQkq - 0 1"})
      compare_with_moves(*device, fen, 3);
  }
}

void compare_random(int positions, std::uint64_t seed) {
  const Chooser choose = choose_by_seed(seed);
  const std::unique_ptr<LastPliesDevice> devices[] = {first_device({.dense = HowDense::kAlways}),
                                                      first_device({.dense = HowDense::kNever})};
  for (int i = 0; i < positions; ++i) compare_with_moves(*devices[i % 2], random_root(choose), 3);
}

TEST_F(DeviceCount, RandomPositions) { compare_random(300, 53); }
TEST_F(DeviceCountSlow, RandomPositions) { compare_random(2000, 54); }

TEST_F(DeviceCount, InParts) {
  const auto device = first_device();
  for (const std::size_t parts : {1U, 7U, 64U}) {
    JobSpec spec = on_device("startpos", 6, *device);
    spec.parts = parts;
    const Report report = run(spec);
    EXPECT_EQ(report.nodes, 119'060'324U) << parts;
    EXPECT_EQ(report.matrix->parts, parts);
    EXPECT_TRUE(report.matrix->device.has_value());
  }
}

TEST_F(DeviceCount, InBatches) {
  for (const HowDense dense : kDenseOrNot) {
    for (const std::uint32_t rows : {1U, 7U, 64U}) {
      const auto device = first_device({.dense = dense, .most_rows = rows});
      compare_known("startpos", 5, 5, *device);
      compare_known(kKiwi, 4, 4, *device);
      compare_with_moves(*device, "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1", 4);
    }
  }
}

// The less memory, the smaller the batches and the parts, until even these do not fit.
TEST_F(DeviceCount, InLittleMemory) {
  std::optional<std::uint64_t> too_small;
  for (std::uint64_t bytes = std::uint64_t{32} << 20; !too_small; bytes /= 2) {
    ASSERT_GT(bytes, 1000U);
    for (const HowDense dense : kDenseOrNot) {
      const auto opened =
          open_device({.number = 0, .most_bytes = bytes, .dense = dense, .least_stored_bytes = 0});
      if (!opened) {
        EXPECT_THAT(opened.error().message, HasSubstr("too little memory"));
        too_small = bytes;
        continue;
      }
      const auto report = run_job(on_device("startpos", 6, **opened), {});
      if (report) {
        EXPECT_EQ(report->nodes, 119'060'324U) << bytes;
        EXPECT_LE(report->matrix->device->bytes, bytes);
        continue;
      }
      EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
      EXPECT_EQ(report.error().field, "device");
      EXPECT_THAT(report.error().message, HasSubstr("too little memory"));
      too_small = bytes;
    }
  }
  EXPECT_LT(*too_small, std::uint64_t{8} << 20);
}

// More and more paths lead to one position. The result must be an exact count or an error.
TEST_F(DeviceCount, TooManyPathsAreAnError) {
  for (const HowDense dense : kDenseOrNot) {
    const auto device = first_device({.dense = dense});
    int errors = 0;
    for (int depth = 12; depth <= 22; ++depth) {
      JobSpec hashed = job_spec(kWalledKings, depth, 1, HashSpec{});
      hashed.hash->bytes = std::uint64_t{1} << 24;
      const auto report = run_job(on_device(kWalledKings, depth, *device), {});
      if (report) {
        EXPECT_EQ(report->nodes, run(hashed).nodes) << depth;
      } else {
        ++errors;
        EXPECT_THAT(report.error().message, HasSubstr("paths to one position"));
      }
    }
    EXPECT_GT(errors, 0);
    EXPECT_LT(errors, 11);
  }
}

TEST_F(DeviceCount, DividesBelowEachRootMove) {
  const auto device = first_device();
  JobSpec spec = on_device(kKiwi, 4, *device);
  spec.divide = true;
  const Report report = run(spec);
  EXPECT_TRUE(report.matrix->device.has_value());
  EXPECT_EQ(report.divide, run(job_spec(kKiwi, 4, 1)).divide);
  spec.depth = Depth(3);  // too shallow for the device
  EXPECT_EQ(run(spec).divide, run(job_spec(kKiwi, 3, 1)).divide);
}

// A stopped count leaves nothing for the next one, even if the next batch was on its way.
TEST_F(DeviceCount, CanBeCancelledAtAnyTime) {
  const std::unique_ptr<LastPliesDevice> devices[] = {first_device(),
                                                      first_device({.most_rows = 64})};
  const Chooser choose = choose_by_seed(10);
  for (int i = 0; i < 20; ++i) {
    const auto& device = devices[i % 2];
    const DelayedStop stop(std::chrono::microseconds(choose(60'000)));
    const auto report = run_job(on_device("startpos", 6, *device), stop.token());
    if (report) {
      EXPECT_EQ(report->nodes, 119'060'324U);
    } else {
      EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
    }
    EXPECT_EQ(counted_on(*device, kKiwi, 3), 97'862U);
  }
}

/// OpenCL whose device is lost after a given number of calls that talk to the device.
struct LostDevice {
  static inline opencl::Api real;
  static inline std::atomic<int> calls_left;  // counted down by all threads of the job

  /// Calls a function of the real OpenCL, unless the device is lost.
  template <typename... Arguments>
  static opencl::Int call(opencl::Int (*function)(Arguments...), Arguments... arguments) {
    constexpr opencl::Int kInvalidCommandQueue = -36;
    return --calls_left < 0 ? kInvalidCommandQueue : function(arguments...);
  }
  static const opencl::Api& api() {
    real = **opencl::load();
    static opencl::Api failing;
    failing = real;
    failing.EnqueueWriteBuffer = [](auto... a) { return call(real.EnqueueWriteBuffer, a...); };
    failing.EnqueueReadBuffer = [](auto... a) { return call(real.EnqueueReadBuffer, a...); };
    failing.EnqueueNDRangeKernel = [](auto... a) { return call(real.EnqueueNDRangeKernel, a...); };
    failing.Flush = [](auto... a) { return call(real.Flush, a...); };
    failing.Finish = [](auto... a) { return call(real.Finish, a...); };
    failing.WaitForEvents = [](auto... a) { return call(real.WaitForEvents, a...); };
    return failing;
  }
};

TEST_F(DeviceCount, ALostDeviceIsAnError) {
  const opencl::Api& api = LostDevice::api();
  int errors = 0;
  for (int calls = 0;; calls += calls / 8 + 1) {
    LostDevice::calls_left = 1'000'000;
    const auto device = open_device({.number = 0, .most_rows = 100, .least_stored_bytes = 0}, api);
    ASSERT_TRUE(device.ok());
    LostDevice::calls_left = calls;
    const auto report = run_job(on_device(kKiwi, 4, **device), {});
    LostDevice::calls_left = 1'000'000;
    if (report) {
      EXPECT_EQ(report->nodes, 4'085'603U);
      break;
    }
    ++errors;
    EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(report.error().field, "device");
    EXPECT_THAT(report.error().message, HasSubstr("failed: cl"));
  }
  EXPECT_GT(errors, 10);
}

/// OpenCL that records how data travels.
struct Recorded {
  static inline opencl::Api real;
  static inline std::set<opencl::Handle> of_kernels, of_sends;  // queues
  static inline const char* pinned;
  static inline std::size_t pinned_bytes;
  static inline std::atomic<int> sends_beside_pinned;

  static const opencl::Api& api() {
    real = **opencl::load();
    static opencl::Api recording;
    recording = real;
    recording.EnqueueMapBuffer = [](auto... a) -> void* {
      const auto all = std::make_tuple(a...);
      pinned_bytes = std::get<5>(all);
      void* const memory = real.EnqueueMapBuffer(a...);
      pinned = static_cast<const char*>(memory);
      return memory;
    };
    recording.EnqueueNDRangeKernel = [](auto... a) {
      of_kernels.insert(std::get<0>(std::make_tuple(a...)));
      return real.EnqueueNDRangeKernel(a...);
    };
    recording.EnqueueWriteBuffer = [](auto... a) {
      const auto all = std::make_tuple(a...);
      if (std::get<2>(all) == 0) {  // does not block
        of_sends.insert(std::get<0>(all));
        const char* const from = static_cast<const char*>(std::get<5>(all));
        if (from < pinned || from + std::get<4>(all) > pinned + pinned_bytes) ++sends_beside_pinned;
      }
      return real.EnqueueWriteBuffer(a...);
    };
    return recording;
  }
};

// Pinned memory and a separate queue allow sending the next batch while the device counts.
TEST_F(DeviceCount, SendsThroughPinnedMemoryAndAQueueOfItsOwn) {
  const auto device = open_device({.number = 0, .most_rows = 1000}, Recorded::api()).value();
  compare_known("startpos", 7, 7, *device);  // has tables that are larger than the pinned memory
  EXPECT_EQ(Recorded::of_kernels.size(), 1U);
  EXPECT_EQ(Recorded::of_sends.size(), 1U);
  EXPECT_NE(Recorded::of_kernels, Recorded::of_sends);
  EXPECT_EQ(Recorded::sends_beside_pinned, 0);
}

/// OpenCL that has no memory for the thread that sends the next batch.
struct OneBatchAtATime {
  static inline opencl::Api real;
  static inline std::thread::id counting;
  static inline std::atomic<int> refused;

  static const opencl::Api& api() {
    real = **opencl::load();
    counting = std::this_thread::get_id();
    static opencl::Api refusing;
    refusing = real;
    refusing.CreateBuffer = [](auto... a) -> opencl::Handle {
      if (std::this_thread::get_id() == counting) return real.CreateBuffer(a...);
      constexpr opencl::Int kNoMemory = -4;
      *std::get<4>(std::make_tuple(a...)) = kNoMemory;
      ++refused;
      return nullptr;
    };
    return refusing;
  }
};

TEST_F(DeviceCount, ABatchThatDoesNotFitBesideTheOtherIsSentLater) {
  const auto device = open_device({.number = 0, .most_rows = 64}, OneBatchAtATime::api()).value();
  compare_known(kKiwi, 4, 4, *device);
  EXPECT_GT(OneBatchAtATime::refused, 2);
}

/// A server's job, which may count without its device.
JobSpec one_of_many(int depth, LastPliesDevice& device) {
  JobSpec spec = on_device("startpos", depth, device);
  spec.one_of_many = true;
  return spec;
}

TEST_F(DeviceCount, OneOfManyCountsUsesTheDeviceIfItIsLargeAndTheDeviceIsFree) {
  const auto device = first_device();
  EXPECT_TRUE(run(one_of_many(7, *device)).matrix->device.has_value());
  EXPECT_FALSE(run(one_of_many(4, *device)).matrix->device.has_value());
  {
    const DeviceLease other(device.get());
    ASSERT_EQ(other.device(), device.get());
    const Report report = run(one_of_many(7, *device));
    EXPECT_EQ(report.nodes, 3'195'901'860U);
    EXPECT_FALSE(report.matrix->device.has_value());
    EXPECT_THAT(report.method_reason, HasSubstr(DeviceLease(device.get()).why_not()));
    EXPECT_EQ(run_job(on_device("startpos", 7, *device), {}).error().field, "device");
  }
  const Report report = run(one_of_many(7, *device));
  ASSERT_TRUE(report.matrix->device.has_value());
  EXPECT_LE(report.matrix->device->seconds, report.seconds * report.threads + 1) << "of one job";
}

TEST_F(DeviceCount, OneOfManyCountsGoesOnWithoutADeviceThatFails) {
  const opencl::Api& api = LostDevice::api();
  LostDevice::calls_left = 1'000'000;
  const auto device = open_device({.number = 0}, api).value();
  LostDevice::calls_left = 20;
  for (const bool has_failed_before : {false, true}) {
    const Report report = run(one_of_many(7, *device));
    EXPECT_EQ(report.nodes, 3'195'901'860U);
    EXPECT_FALSE(report.matrix->device.has_value());
    EXPECT_THAT(report.method_reason, HasSubstr(has_failed_before ? "has failed" : "failed: cl"));
    LostDevice::calls_left = 1'000'000;
  }
  const auto small = open_device({.number = 0, .most_bytes = 1 << 20}).value();
  const Report report = run(one_of_many(7, *small));
  EXPECT_EQ(report.nodes, 3'195'901'860U);
  EXPECT_THAT(report.method_reason, HasSubstr("too little memory"));
  EXPECT_EQ(DeviceLease(small.get()).device(), small.get()) << "not a failure";
}

/// OpenCL that builds our program with one change.
struct ChangedProgram {
  static inline opencl::Api real;
  static inline std::string original;
  static inline std::string replacement;

  static opencl::Handle create(opencl::Handle context, opencl::UInt, const char** text,
                               const std::size_t*, opencl::Int* code) {
    std::string changed = *text;
    for (std::size_t at = 0; (at = changed.find(original, at)) != std::string::npos;) {
      changed.replace(at, original.size(), replacement);
      at += replacement.size();
    }
    EXPECT_NE(changed, *text) << original;
    const char* all = changed.c_str();
    return real.CreateProgramWithSource(context, 1, &all, nullptr, code);
  }
  static std::unique_ptr<LastPliesDevice> device(std::string from, std::string to, HowDense dense) {
    original = std::move(from);
    replacement = std::move(to);
    real = **opencl::load();
    static opencl::Api changing;
    changing = real;
    changing.CreateProgramWithSource = create;
    return open_device({.number = 0, .dense = dense, .least_stored_bytes = 0}, changing).value();
  }
};

// A row with more pairs than its table holds is made again, in more parts.
TEST_F(DeviceCount, RowsWithMorePairsThanTheTableHolds) {
  const auto device =
      ChangedProgram::device("#define TABLE_BITS 11", "#define TABLE_BITS 8", HowDense::kNever);
  compare_known("startpos", 5, 6, *device);
  compare_known(kKiwi, 4, 4, *device);
}

// This test lowers the program's limits. A sum that exceeds a limit must be an error.
TEST_F(DeviceCount, SumsThatExceedTheLimitAreAnError) {
  const auto expect_error = [](const char* from, const char* to, HowDense dense) {
    const auto device = ChangedProgram::device(from, to, dense);
    const auto report = run_job(on_device("startpos", 6, *device), {});
    ASSERT_FALSE(report.ok()) << from;
    EXPECT_THAT(report.error().message, HasSubstr("paths to one position"));
  };
  expect_error("if (all_sums >> 31)", "if (all_sums >> 2)", HowDense::kAlways);
  expect_error("if (sum >> 31)", "if (sum >> 1)", HowDense::kNever);
  expect_error("if (use.seen_bits >> 31)", "if (use.seen_bits >> 1)", HowDense::kNever);
}

/// Makes counts that use every rule. Returns whether all results are right. Deep counts of walled
/// kings may also be errors.
bool all_right(LastPliesDevice& device, HowDense dense) {
  const auto is_right = [&](std::string_view fen, int depth) {
    const auto report = run_job(on_device(fen, depth, device), {});
    return report && report->nodes == run(job_spec(fen, depth, 1)).nodes;
  };
  for (const std::string_view fen : kRulesOfBothSides) {
    if (!is_right(fen, 3) || !is_right(fen, 4)) return false;
  }
  if (!is_right("6rk/6pp/8/8/8/QQQQQ3/QQQQQ3/7K w - - 0 1", 3) || !is_right(kKiwi, 4)) return false;
  if (!is_right("position3", 5) || !is_right("startpos", 5)) return false;
  for (int depth = dense == HowDense::kAlways ? 12 : 14; depth <= 18; ++depth) {
    JobSpec hashed = job_spec(kWalledKings, depth, 1, HashSpec{});
    hashed.hash->bytes = std::uint64_t{1} << 24;
    const auto report = run_job(on_device(kWalledKings, depth, device), {});
    if (report && report->nodes != run(hashed).nodes) return false;
  }
  return true;
}

// Each of these changes makes a count wrong. WithoutABarrier makes other changes.
TEST_F(DeviceCountSlow, ChangesOfTheProgramAreSeen) {
  struct Change {
    const char* from;
    const char* to;
    HowDense dense;
  };
  constexpr HowDense kTables = HowDense::kAlways;
  constexpr HowDense kOther = HowDense::kNever;
  const Change changes[] = {
      // Easy and hard pairs.
      {"((column.steps & plan->checked_from) |", "(0 |", kTables},
      {"(column.bishops_queens & plan->pinned_by_b)", "0", kTables},
      {"(column.rooks_queens & plan->pinned_by_r)", "0", kOther},
      {"plan->checked_from = plan->is_overfull ? ~0UL : pieces.king;",
       "plan->checked_from = pieces.king;", kTables},
      {"moves -= count_moves_off(", "moves -= 0 * count_moves_off(", kTables},
      {"    return NONE;\n", "    ;\n", kTables},
      {"u64 free = ~count_pinned(p, !checkers, &moves);", "u64 free = ~0UL;", kOther},
      // The flag of sums in tables. SumsThatExceedTheLimitAreAnError has the other flag.
      {"if (all_sums >> 31) *overflow = 1;", "", kTables},
      // En passant.
      {"u64 captured = passed >> 8, capturers", "u64 captured = passed << 8, capturers", kTables},
      {"u64 captured = passed >> 8, capturers", "u64 captured = passed << 8, capturers", kOther},
      {"u64 captured = passed << 8, occupied", "u64 captured = passed >> 8, occupied", kOther},
      {"move.from >> 16 == move.to ? move.from >> 8", "move.from >> 16 == move.to ? move.from",
       kOther},
      {"if (pawn_attacks_down(from >> 8) & plan->pieces.pawns) loud |= to & from >> 16;", "",
       kOther},
      // Illegal moves.
      {"continue;  // the columns' move was illegal", ";", kTables},
      {"table.column[at] = NONE;  // the rows' move was illegal", "++mine;", kOther},
      {"if (row_attacks(row, pop_lowest(&path), occupied)) return 0;", "pop_lowest(&path);",
       kOther},
      {"if (column_attacks(pieces, pop_lowest(&castling.safe), occupied)) return 0;",
       "pop_lowest(&castling.safe);", kOther},
      // The pieces of a set, one in each round.
      {"rounds = work.rounds[set];", "rounds = 1;", kOther},
      // Captures and promotions.
      {"if (plan->promotes) moves += 3", "if (plan->promotes) moves += 2", kTables},
      {"u64 captured = move.kind == CASTLES ? 0 : move.to;", "u64 captured = 0;", kOther},
      {"if (their & edge.path) continue;", "if (their & edge.path && their & to) continue;",
       kOther},
      {"} else if (edge.is_capture ||", "} else if (", kOther},
      // Stored plies.
      {"|| move.kind == CAPTURE_ONLY) continue;", ") continue;", kOther},
      {"move.kind == CASTLING_MOVE && ", "0 && ", kOther},
      {"if (sums[i] && !is_legal(", "if (0 && !is_legal(", kOther},
      {"          is_legal(ply, move.row, pieces, their)) {", "1) {", kOther},
      {"if (move.to == lost.square && ", "if (move.kind != CAPTURE_ONLY && ", kOther},
  };
  for (const HowDense dense : kDenseOrNot)
    ASSERT_TRUE(all_right(*first_device({.dense = dense}), dense));
  for (const Change& change : changes) {
    const auto device = ChangedProgram::device(change.from, change.to, change.dense);
    EXPECT_FALSE(all_right(*device, change.dense)) << change.from;
  }
}

// The test below runs these two under oclgrind.
TEST_F(DeviceCountSlow, DISABLED_UnderOclgrindInTables) {
  const auto device = open_device({.number = 0, .dense = HowDense::kAlways}).value();
  EXPECT_EQ(counted_on(*device, "4k3/8/8/3q4/8/3Q4/8/4K3 w - - 0 1", 3), 13231U);
}
TEST_F(DeviceCountSlow, DISABLED_UnderOclgrindOneByOne) {
  const auto device = open_device({.number = 0, .dense = HowDense::kNever}).value();
  EXPECT_EQ(counted_on(*device, "k7/8/8/7p/8/8/1Q6/1N2K3 w - - 0 1", 4), 8400U);
}

#ifndef _WIN32  // run_process() and oclgrind do not exist there
// PoCL runs a group on one thread, so it hides races. Oclgrind reports each barrier that is
// missing, as a race or as a read of memory that was never written.
TEST_F(DeviceCountSlow, WithoutABarrier) {
  constexpr const char* kOclgrind = "/usr/bin/oclgrind";
  if (!std::filesystem::exists(kOclgrind)) GTEST_SKIP() << "oclgrind is not installed";
  const auto report = [&](std::vector<std::string> checks, const std::string& options,
                          const std::string& test) {
    std::vector<std::string> command{kOclgrind, "--num-threads", "1", "--max-errors", "2"};
    command.insert(command.end(), checks.begin(), checks.end());
    for (const std::string& word : {std::string("--build-options"),
                                    "-DPLAIN_REVERSAL -cl-opt-disable -DTABLE_BITS=4 " + options,
                                    std::filesystem::read_symlink("/proc/self/exe").string(),
                                    std::string("--gtest_also_run_disabled_tests"),
                                    "--gtest_filter=Device*Slow.DISABLED_UnderOclgrind" + test})
      command.push_back(word);
    const ProcessResult result = run_process(command);
    return result.exit_code == 0 ? result.err : "the count is wrong";
  };
  // Barriers have numbers in the order of the program.
  constexpr int kOfTables = 6;  // in moves.cl, pull and leaf
  constexpr int kOfCounts = 17;
  constexpr int kBarriers = 23;
  const std::vector<std::string> all{"--data-races", "--uninitialized"};
  // In stored plies, oclgrind reports local memory as never written although the kernel has cleared
  // it.
  const std::vector<std::string> races{"--data-races"};
  EXPECT_EQ(report(all, "", "InTables"), "");
  EXPECT_EQ(report(all, "", "OneByOne"), "");
  EXPECT_EQ(report(races, "", "Stored"), "");
  for (int barrier = 0; barrier < kBarriers; ++barrier) {
    EXPECT_NE(
        report(barrier < kOfCounts ? all : races, "-DWITHOUT_BARRIER=" + std::to_string(barrier),
               barrier < kOfTables   ? "InTables"
               : barrier < kOfCounts ? "OneByOne"
                                     : "Stored"),
        "")
        << barrier;
  }
}
#endif

/// Verifies a count, with the device's count as a further opinion.
VerifyReport verified(LastPliesDevice& device, std::string_view fen, int depth,
                      const MatrixHook& on_matrix = {}) {
  JobSpec spec = job_spec(fen, depth, 1, HashSpec{.bytes = std::size_t{1} << 22});
  spec.device = &device;
  return verify_job(spec, {}, {}, {}, {}, on_matrix).value();
}

TEST_F(DeviceCount, IsAnotherOpinionOfVerification) {
  const MatrixHook one_too_many = [](MatrixCount& count) {
    count.nodes += 1;
    count.divide.front().nodes += 1;
  };
  constexpr const char* kUnpublished = "4k3/8/8/2pPp3/8/8/PPPP4/4K3 w - - 0 1";
  const auto right = first_device({.dense = HowDense::kNever});
  for (const auto& [fen, depth] :
       {std::pair(kKiwi, 4), std::pair(std::string_view("startpos"), 5)}) {
    const VerifyReport report = verified(*right, fen, depth);
    EXPECT_TRUE(report.agrees());
    ASSERT_TRUE(report.device);
    EXPECT_EQ(report.device->nodes, report.recount.nodes);
    EXPECT_FALSE(report.device->use.name.empty());
  }
  // Two counts without an error outvote the third, even if no total is published.
  const VerifyReport by_processor = verified(*right, kUnpublished, 4, one_too_many);
  ASSERT_TRUE(by_processor.runs[0].explanation);
  EXPECT_EQ(by_processor.runs[0].explanation->part, FaultyPart::kConfigurations);

  // This program counts illegal moves of kings. It must not read memory that the right program
  // does not read.
  const auto wrong =
      ChangedProgram::device("  if ((plan->sight & view.king) &&",
                             "  if (0 && (plan->sight & view.king) &&", HowDense::kNever);
  for (const std::string_view fen : {kKiwi, std::string_view(kUnpublished)}) {
    const VerifyReport report = verified(*wrong, fen, 4);
    ASSERT_TRUE(report.device);
    EXPECT_NE(report.device->nodes, report.recount.nodes) << fen;
    ASSERT_TRUE(report.runs[0].explanation) << fen;
    EXPECT_EQ(report.runs[0].explanation->part, FaultyPart::kDevice);
    EXPECT_EQ(report.runs[0].differing_subtrees, 0U);
  }
  const VerifyReport both = verified(*wrong, kUnpublished, 4, one_too_many);
  ASSERT_TRUE(both.runs[0].explanation);
  EXPECT_EQ(both.runs[0].explanation->part, FaultyPart::kUnknown);
  EXPECT_FALSE(verified(*right, kKiwi, 2).device) << "too shallow";
}

TEST_F(DeviceCount, VerificationNeedsItsDevice) {
  const auto device = first_device();
  JobSpec spec = job_spec(kKiwi, 3, 1, HashSpec{.bytes = std::size_t{1} << 22});
  spec.device = device.get();
  const DeviceLease other(device.get());
  EXPECT_EQ(verify_job(spec, {}, {}).error().field, "device");
  spec.one_of_many = true;
  const auto one_of_many = verify_job(spec, {}, {});
  EXPECT_FALSE(one_of_many->device);
}

TEST_F(DeviceCount, DevicesThatDoNotExist) {
  EXPECT_EQ(open_device({.number = 1000}).error().code, ErrorCode::kInvalidInput);
  static opencl::Api none;
  none = **opencl::load();
  none.GetPlatformIDs = [](opencl::UInt, opencl::Handle*, opencl::UInt*) { return -1001; };
  const auto nothing = open_device({}, none);
  EXPECT_EQ(nothing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(nothing.error().message, HasSubstr("opencl-icd"));
}

}  // namespace
}  // namespace manyply
