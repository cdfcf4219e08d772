// Verification must find no fault in correct code. If a test puts a fault into keys, tables or
// kernels, verification must name the faulty part.
#include "parallel/jobs/verify.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/positions.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Castling to both sides for both colours, one ply away.
constexpr std::string_view kCastlingFen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
constexpr std::string_view kChess960CastlingFen = "1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1";
/// Few moves, so that depth 11 is cheap, but enough positions that units are four plies deep.
constexpr std::string_view kDeepUnitsFen = "4k3/8/p6p/P6P/8/8/8/4KN2 w - - 0 1";
constexpr int kDeepUnitsDepth = 11;
constexpr std::string_view kDeepChess960Fen = "4k3/8/p6p/P6P/8/8/8/1K1R4 w D - 0 1";
constexpr int kDeepChess960Depth = 10;

JobSpec hashed_spec(std::string_view fen, int depth, const HashSpec& hash = {.bytes = 16 * kMiB}) {
  return job_spec(fen, depth, 2, hash);
}

VerifyReport verify(const JobSpec& spec, const VerifyOptions& options = {},
                    const TableHook& on_tables = {}, const MatrixHook& on_matrix = {}) {
  return verify_job(spec, options, {}, {}, on_tables, on_matrix).value();
}

/// Expects a disagreement. Returns the part that the first run blames; kUnknown if the run has no
/// explanation.
FaultyPart part_of(const VerifyReport& report) {
  EXPECT_FALSE(report.agrees());
  const auto& explanation = report.runs.front().explanation;
  return explanation ? explanation->part : FaultyPart::kUnknown;
}

std::string uci(Move move) { return to_uci(move, CastlingNotation::kChess960); }

/// Returns the count of a kernel that no test changes.
NodeCount true_count(const Position& position, Depth depth) {
  return count_nodes(position, depth).value();
}

// Cases without a fault.

void expect_agreement(const JobSpec& spec, const VerifyOptions& options, const std::string& what,
                      const TableHook& on_tables = {}) {
  const VerifyReport report = verify(spec, options, on_tables);
  EXPECT_TRUE(report.agrees()) << what;
  EXPECT_EQ(report.runs.size(), options.reseed ? 2U : 1U) << what;
  for (const VerifiedRun& run : report.runs) {
    EXPECT_TRUE(run.agrees()) << what;
    EXPECT_EQ(run.differing_subtrees, 0U) << what;
    EXPECT_THAT(run.subtrees, IsEmpty()) << what;
    EXPECT_THAT(run.root_moves, IsEmpty()) << what;
    if (!options.sample) {
      EXPECT_EQ(report.recount.nodes, run.report.nodes) << what;
    }
  }
  EXPECT_EQ(report.recount.subtrees,
            std::min(report.subtrees, options.sample.value_or(report.subtrees)))
      << what;
}

TEST(Verify, FindsNothingWhereNothingIsWrong) {
  const FenAndDepth cases[] = {
      {kStartFen, 5},
      {kKiwipeteFen, kIsFastBuild ? 5 : 4},
      {"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6},
      {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 5},
      {kCastlingFen, kIsFastBuild ? 5 : 4},
      {kChess960CastlingFen, kIsFastBuild ? 5 : 4},
      {"8/8/8/2k5/8/8/5K2/8 w - - 0 1", 12},
      {"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 6},  // stalemate: no move, no subtree
  };
  for (const auto& [fen, depth] : cases) {
    for (const std::uint64_t seed : {KeySpec::kDefaultSeed, std::uint64_t{7}}) {
      const std::string what = std::string(fen) + " seed " + std::to_string(seed);
      const JobSpec spec = hashed_spec(fen, depth, {.bytes = 4 * kMiB, .keys = {.seed = seed}});
      expect_agreement(spec, {}, what);
      expect_agreement(spec, {.sample = 10, .reseed = true}, what + " sampled");
    }
  }
}

TEST(Verify, FindsNothingWhereNothingIsWrongWhateverThreadsAndTables) {
  for (const int threads : {1, 3, 8}) {
    for (const std::uint64_t bytes : {kMinHashBytes, 64 * kMiB}) {
      JobSpec spec = hashed_spec(kDeepUnitsFen, kDeepUnitsDepth, {.bytes = bytes, .stripes = 1});
      spec.threads = threads;
      expect_agreement(spec, {.sample = budget(10'000)}, std::to_string(threads));
    }
  }
}

TEST(Verify, FindsNothingWrongWithRandomPositions) {
  const Chooser choose = choose_by_seed(77);
  const std::uint64_t positions = budget(64);
  for (std::uint64_t verified = 0; verified < positions;) {
    const std::string fen = piece_soup(choose);
    if (!parse_position(fen).ok()) continue;
    expect_agreement(hashed_spec(fen, 5, {.bytes = kMiB, .keys = {.seed = verified}}),
                     {.sample = 2, .reseed = verified % 2 == 0}, fen);
    ++verified;
  }
}

TEST(Verify, HasAThirdOpinion) {
  const VerifyReport report = verify(hashed_spec(kKiwipeteFen, 4));
  ASSERT_TRUE(report.third);
  EXPECT_EQ(report.third->nodes, NodeCount(4'085'603));
  EXPECT_EQ(report.third->divide, report.runs.front().report.divide);
  EXPECT_THAT(report.third->root_moves, IsEmpty());
  EXPECT_FALSE(verify(hashed_spec(kKiwipeteFen, 2)).third) << "too shallow";
}

TEST(Verify, TellsWhatIsWrongByConfigurationsAlone) {
  const MatrixHook damage = [](MatrixCount& count) {
    for (DivideEntry& entry : count.divide) entry.nodes += uci(entry.move) == "g1f3" ? 1 : 0;
    count.nodes += 1;
  };
  for (const auto sample : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(1)}) {
    const VerifyReport report = verify(hashed_spec(kStartFen, 5), {.sample = sample}, {}, damage);
    EXPECT_EQ(part_of(report), FaultyPart::kConfigurations);
    EXPECT_EQ(report.recount.subtrees, report.subtrees) << "the sample has grown";
    EXPECT_EQ(report.recount.nodes, NodeCount(4'865'609));
    ASSERT_TRUE(report.third);
    EXPECT_EQ(report.third->nodes, NodeCount(4'865'610));
    ASSERT_EQ(report.third->root_moves.size(), 1U);
    EXPECT_EQ(uci(report.third->root_moves[0].move), "g1f3");
    EXPECT_EQ(report.runs.front().differing_subtrees, 0U);
  }
  EXPECT_EQ(part_of(verify(hashed_spec(kChess960CastlingFen, 4), {}, {}, damage)),
            FaultyPart::kUnknown)
      << "no total is published";
}

/// If no value is published, a third count decides. If the third count differs from the run but the
/// sample shows no difference, the sample grows.
TEST(Verify, ASampleGrowsWhereTheThirdOpinionDiffers) {
  JobSpec spec = hashed_spec("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", 5,
                             {.bytes = kMiB, .keys = {.bits = 16}});
  spec.threads = 1;
  const VerifyReport report = verify(spec, {.sample = 1, .key_checks = 0});
  ASSERT_EQ(report.runs.front().report.known, KnownVerdict::kUnknown);
  ASSERT_TRUE(report.third);
  EXPECT_EQ(report.third->nodes, true_count(spec.root.position, spec.depth));
  ASSERT_NE(report.third->nodes, report.runs.front().report.nodes) << "keys are too good";
  EXPECT_EQ(part_of(report), FaultyPart::kTable);
  EXPECT_GT(report.runs.front().differing_subtrees, 0U);
}

TEST(Verify, ComparesEveryKeyOnceUnlessTold) {
  const VerifyReport all = verify(hashed_spec(kStartFen, 5));
  EXPECT_EQ(all.key_check.subtrees, 400U);
  EXPECT_EQ(all.key_check.keys, 8'902U) << "the children of all positions at ply 2";
  const VerifyReport some = verify(hashed_spec(kStartFen, 5), {.key_checks = 100});
  EXPECT_GT(some.key_check.keys, 0U);
  EXPECT_LE(some.key_check.keys, 100U);
  EXPECT_LE(some.key_check.subtrees, 5U) << "none has fewer than 19";
  EXPECT_EQ(verify(hashed_spec(kStartFen, 5), {.key_checks = 0}).key_check.keys, 0U);
}

TEST(Verify, ShallowCountsHaveNoTableToVerify) {
  for (const int depth : {0, 1, 2, 3, 4}) {
    const VerifyReport report = verify(hashed_spec(kStartFen, depth), {.reseed = true});
    EXPECT_TRUE(report.agrees());
    EXPECT_EQ(report.recount.nodes, true_count(Position(), Depth(depth)));
    EXPECT_EQ(report.key_check.keys, 0U);
  }
}

// Corrupted entries.

/// Flips `mask` in all stored counts of `key` at `depth`. Returns their number.
int flip_count(JobTables& tables, const ZobristKey& key, int depth, std::uint64_t mask) {
  int flipped = 0;
  if (depth == 2) {
    for (const std::span<WindowLine> window : tables.windows_for_testing()) {
      for (WindowLine& line : window) {
        for (std::size_t i = 0; i < WindowLine::kWays; ++i) {
          if (line.tag[i] != key.high || line.tag_low[i] != static_cast<std::uint16_t>(key.low))
            continue;
          line.count[i] ^= static_cast<std::uint16_t>(mask);
          ++flipped;
        }
      }
    }
    return flipped;
  }
  const ZobristKey entry_key = key ^ tables.keys().depth(depth);
  for (DeepBucket& bucket : tables.deep().buckets_for_testing()) {
    for (DeepEntry& entry : bucket.entries) {
      const bool same = entry.tag == entry_key.high &&
                        (entry.rest & ~DeepEntry::kMaxCount) == DeepEntry::low_tag(entry_key);
      if (!same || entry.count() == 0) continue;
      entry.rest ^= mask;
      ++flipped;
    }
  }
  return flipped;
}

/// Before the count, all workers count one unit. Then flips `mask` in the entries that they stored
/// for the unit's first child with moves.
TableHook corrupt(const JobSpec& spec, int victim_depth, std::uint64_t mask) {
  const RootSplit split = split_root(spec.root.position, spec.depth, best_kernel());
  const int depth = spec.depth.plies() - split.ply - 1;
  EXPECT_EQ(depth, victim_depth);
  const Board& unit = split.boards[split.size() / 2];
  const Position parent = position_unchecked(unit);
  Position child;
  for (const Move move : legal_moves(parent)) {
    child = parent.after_unchecked(move);
    if (legal_moves(child).size() > 1) break;
  }
  return [=, threads = spec.threads](JobTables& tables) {
    HashStats stats;
    for (int worker = 0; worker < threads; ++worker)
      tables.count(unit, depth + 1, KernelPair(best_kernel()), worker, {}, stats);
    EXPECT_GT(flip_count(tables, tables.keys().key_from_scratch(child.board()), depth, mask), 0);
  };
}

void expect_corruption_named(const JobSpec& spec, int victim_depth) {
  const VerifyReport report = verify(spec, {}, corrupt(spec, victim_depth, 1U << 9));
  EXPECT_EQ(part_of(report), FaultyPart::kTable);
  const VerifiedRun& run = report.runs[0];
  EXPECT_GT(run.differing_subtrees, 0U);
  EXPECT_FALSE(run.root_moves.empty());
  const SubtreeDifference& least = run.subtrees.front();
  EXPECT_NE(least.hashed, least.recounted);
  EXPECT_EQ(least.recounted, true_count(least.position, least.depth));
  for (const SubtreeDifference& subtree : run.subtrees)
    EXPECT_GE(subtree.recounted, least.recounted);
  JobSpec unhashed = spec;
  unhashed.hash.reset();
  EXPECT_EQ(report.recount.nodes, run_job(unhashed, {})->nodes);
}

TEST(Verify, NamesACorruptedEntryOfAWindow) {
  expect_corruption_named(hashed_spec(kStartFen, 5), 2);
  expect_corruption_named(
      hashed_spec(kIsFastBuild ? kKiwipeteFen : kStartFen, 5, {.bytes = 64 * kMiB}), 2);
  expect_corruption_named(hashed_spec(kChess960CastlingFen, 5), 2);
}

TEST(Verify, NamesACorruptedEntryOfTheDeepTable) {
  expect_corruption_named(hashed_spec(kDeepUnitsFen, kDeepUnitsDepth), 3);
  expect_corruption_named(hashed_spec(kDeepChess960Fen, kDeepChess960Depth), 3);
}

// It does not matter which subtrees are sampled, because the total is known to differ from the
// published one.
TEST(Verify, ASampleGrowsUntilItMeetsWhatMadeTheTotalWrong) {
  VerifyOptions options{.sample = 1};
  const JobSpec spec = hashed_spec(kStartFen, 5);
  const VerifyReport report = verify(spec, options, corrupt(spec, 2, 1));
  EXPECT_EQ(report.runs[0].report.known, KnownVerdict::kMismatch);
  EXPECT_GT(report.runs[0].differing_subtrees, 0U);
  EXPECT_GT(report.recount.subtrees, 1U);
  EXPECT_EQ(part_of(report), FaultyPart::kTable);
}

TEST(Verify, AFlippedTagLosesAnEntryAndNothingElse) {
  const TableHook on_tables = [](JobTables& tables) {
    HashStats stats;
    tables.count(Position().board(), 5, KernelPair(best_kernel()), 0, {}, stats);
    for (DeepBucket& bucket : tables.deep().buckets_for_testing()) {
      for (DeepEntry& entry : bucket.entries) entry.tag ^= entry.count() != 0 ? 1 : 0;
    }
    for (const std::span<WindowLine> window : tables.windows_for_testing()) {
      for (WindowLine& line : window) {
        for (std::uint64_t& tag : line.tag) tag ^= tag != 0 ? 1 : 0;
      }
    }
  };
  expect_agreement(hashed_spec(kStartFen, 5), {}, "flipped tags", on_tables);
}

// Keys.

/// Breaks a word that only the keys of castling moves contain. Verification must name a castling
/// move from the same square as `move`.
void expect_castling_named(std::string_view fen, std::string_view move) {
  const TableHook on_tables = [](JobTables& tables) { tables.break_castling_keys_for_testing(); };
  const JobSpec spec = hashed_spec(fen, 5);
  const VerifyReport report = verify(spec, {}, on_tables);
  ASSERT_EQ(part_of(report), FaultyPart::kKey) << fen;
  const KeyFault& fault = report.runs.front().explanation->key_fault.value();
  EXPECT_EQ(fault.move.kind(), MoveKind::kCastling) << fen;
  const MoveList moves = legal_moves(fault.position);
  EXPECT_NE(std::ranges::find(moves, fault.move), moves.end());
  EXPECT_EQ(uci(fault.move).substr(0, 2), move.substr(0, 2)) << fen;
  EXPECT_EQ(fault.from_scratch,
            KeySet().key_from_scratch(fault.position.after_unchecked(fault.move).board()));
  EXPECT_EQ(fault.incremental ^ fault.from_scratch, (ZobristKey{1, 1}));
}

// Only one side can castle, from one square.
TEST(Verify, NamesABrokenCastlingKey) {
  expect_castling_named("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1");
  expect_castling_named("r3k2r/8/8/8/8/8/8/4K3 b kq - 0 1", "e8");
  expect_castling_named("2k5/8/8/8/8/8/8/1RK4R w HB - 0 1", "c1");
  expect_castling_named("1rk4r/8/8/8/8/8/8/2K5 b hb - 0 1", "c8");
}

TEST(Verify, ABrokenCastlingKeyDoesNoHarmWhereNobodyCastles) {
  const TableHook on_tables = [](JobTables& tables) { tables.break_castling_keys_for_testing(); };
  expect_agreement(hashed_spec("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", 5), {}, "no rights", on_tables);
}

TEST(Verify, WeakKeysAreTheTablesFault) {
  const int depth = kIsFastBuild ? 6 : 5;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const KeySpec keys{.seed = seed, .bits = kIsFastBuild ? 24 : 18};
    const VerifyReport report =
        verify(hashed_spec(kStartFen, depth, {.keys = keys}), {.reseed = true});
    for (const VerifiedRun& run : report.runs) {
      EXPECT_EQ(run.report.hash->keys.bits, keys.bits);
      EXPECT_GT(run.differing_subtrees, 0U);
      ASSERT_TRUE(run.explanation);
      EXPECT_EQ(run.explanation->part, FaultyPart::kTable);
    }
  }
  const HashSpec weaker{.bytes = 4 * kMiB, .keys = {.bits = 17}};
  EXPECT_EQ(part_of(verify(hashed_spec(chess960_start(333), 5, weaker))), FaultyPart::kTable);
  EXPECT_EQ(part_of(verify(hashed_spec(kStartFen, 5, weaker), {.sample = 1})), FaultyPart::kTable)
      << "the sample grows, because the total is known";
}

// The faulty kernels have other names. Except for their fault, they equal the portable one.

const Kernel& portable() { return all_kernels().back(); }

Kernel crooked() {
  Kernel kernel = portable();
  kernel.name = "crooked";
  return kernel;
}

bool white_castled_short(const Board& board) {
  return board.of(Color::kWhite).king == bit(index(Square::kG1));
}

TEST(Verify, NamesATwoPlyCountThatIsWrong) {
  Kernel kernel = crooked();
  kernel.count_two_plies = [](const Board* boards, std::size_t count, std::uint32_t* leaves) {
    const std::uint64_t children = portable().count_two_plies(boards, count, leaves);
    for (std::size_t i = 0; i < count; ++i) leaves[i] += white_castled_short(boards[i]) ? 1 : 0;
    return children;
  };
  for (const std::string_view fen : {kCastlingFen, kChess960CastlingFen}) {
    JobSpec spec = hashed_spec(fen, 5);
    spec.kernel = &kernel;
    EXPECT_EQ(part_of(verify(spec)), FaultyPart::kTable) << "only hashed counts use this function";
    EXPECT_EQ(part_of(verify(spec, {.reseed = true})), FaultyPart::kKernel)
        << "other keys give the same wrong total";
  }
}

/// Counts without en passant captures.
std::uint64_t count_without_en_passant(const Board& board, int depth) {
  MoveList moves;
  portable().generate(board, moves);
  std::uint64_t leaves = 0;
  for (const Move move : moves) {
    if (move.kind() == MoveKind::kEnPassant) continue;
    leaves += depth == 1
                  ? 1
                  : count_without_en_passant(portable().make_unchecked(board, move), depth - 1);
  }
  return leaves;
}

TEST(Verify, NamesAnUnhashedCountThatIsWrong) {
  Kernel kernel = crooked();
  kernel.count = [](const Board& board, int depth, StopView, CountStats&) {
    return count_without_en_passant(board, depth);
  };
  JobSpec spec = hashed_spec("4k3/2p5/8/1P6/8/8/8/4K3 b - - 0 1", 5);
  spec.kernel = &kernel;
  EXPECT_EQ(part_of(verify(spec)), FaultyPart::kKernel)
      << "configurations confirm the hashed count";
}

/// Kiwipete at a depth with a published count. A fault at the second ply is in the boards of the
/// splitter, which both counts use, so only the published value shows it.
void expect_fault_above_the_units(const Kernel& kernel) {
  JobSpec spec = hashed_spec(kKiwipeteFen, 5);
  spec.kernel = &kernel;
  EXPECT_EQ(part_of(verify(spec)), FaultyPart::kKernel);
}

TEST(Verify, NamesAMoveThatAGeneratorForgets) {
  Kernel kernel = crooked();
  kernel.generate = [](const Board& board, MoveList& moves) {
    MoveList all;
    portable().generate(board, all);
    for (const Move move : all) {
      if (move.kind() != MoveKind::kCastling || move.to() != Square::kA8) moves.push_back(move);
    }
  };
  expect_fault_above_the_units(kernel);
}

TEST(Verify, NamesAMoveThatIsMadeWrong) {
  Kernel kernel = crooked();
  kernel.make_unchecked = [](const Board& board, Move move) {
    Board child = portable().make_unchecked(board, move);
    child.en_passant = 0;
    return child;
  };
  expect_fault_above_the_units(kernel);
}

// Samples and second runs.

TEST(Verify, ASampleIsAsLargeAsAskedAndTheSameForTheSameSeed) {
  const JobSpec spec = hashed_spec(kStartFen, 5);
  const auto sampled = [&](std::uint64_t sample, std::uint64_t seed) {
    return verify(spec, {.sample = sample, .sample_seed = seed}).recount;
  };
  EXPECT_EQ(sampled(7, 1).subtrees, 7U);
  EXPECT_EQ(sampled(7, 1).nodes, sampled(7, 1).nodes);
  EXPECT_NE(sampled(7, 1).nodes, sampled(7, 2).nodes);
  EXPECT_LT(sampled(7, 1).nodes, sampled(8, 1).nodes) << "the larger contains the smaller";
  for (const std::uint64_t all : {400U, 1000U}) {
    EXPECT_EQ(sampled(all, 1).subtrees, 400U);
    EXPECT_EQ(sampled(all, 1).nodes, 4'865'609U);
  }
}

TEST(Verify, TheSecondRunHasOtherKeysAndSharpensTheSample) {
  const VerifyReport right = verify(hashed_spec(kStartFen, 5), {.sample = 3, .reseed = true});
  ASSERT_EQ(right.runs.size(), 2U);
  EXPECT_NE(right.runs[0].report.hash->keys.seed, right.runs[1].report.hash->keys.seed);
  EXPECT_EQ(right.runs[0].report.divide, right.runs[1].report.divide);
  EXPECT_EQ(right.recount.subtrees, 3U);

  // Subtrees in which two runs with weak keys differ are always counted again.
  const VerifyReport weak =
      verify(hashed_spec(kKiwipeteFen, 5, {.keys = {.bits = 20}}), {.sample = 3, .reseed = true});
  EXPECT_FALSE(weak.agrees());
  EXPECT_GT(weak.recount.subtrees, 3U);
}

// Compares the number of errors of weak keys with the formula. The formula assumes a full table, so
// the table here is small and is soon full. The number of bits of the keys is chosen so that about
// one of 200 subtrees has a false match. So few subtrees have two.
TEST(Verify, WeakKeysErrAsOftenAsPredicted) {
  const std::uint64_t seeds = budget(32);
  double differing = 0;
  double expected = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const VerifyReport report = verify(
        hashed_spec(kStartFen, 6, {.bytes = kMinHashBytes, .keys = {.seed = seed, .bits = 22}}),
        {.key_checks = 0});
    differing += static_cast<double>(report.runs[0].differing_subtrees);
    expected += report.runs[0].report.hash->expected_false_matches;
  }
  // The formula is an upper bound, for three reasons: the table is empty at first, a subtree with
  // two wrong counts counts once, and a false match may give the right count. Together they account
  // for less than a tenth. The margin for chance is five standard deviations, with the variance of
  // clusters of four.
  const double margin = 5 * std::sqrt(4 * expected);
  EXPECT_GT(differing, 0.9 * expected - margin);
  EXPECT_LT(differing, expected + margin);
}

// Errors.

TEST(Verify, StopsWhenAsked) {
  for (const int milliseconds : {0, 5, 100, 400}) {
    const DelayedStop stop(std::chrono::milliseconds{milliseconds});
    EXPECT_EQ(verify_job(hashed_spec(kStartFen, 12), {}, stop.token()).error().code,
              ErrorCode::kCancelled);
  }
}

TEST(Verify, StopsInEveryPhase) {
  const JobSpec spec = hashed_spec(kStartFen, 5, {.bytes = 4 * kMiB, .keys = {.bits = 17}});
  std::vector<std::string> phases;
  const auto watch = [&](std::string_view phase) -> Progress* {
    phases.emplace_back(phase);
    return nullptr;
  };
  ASSERT_TRUE(verify_job(spec, {.reseed = true}, {}, watch).ok());
  EXPECT_THAT(phases,
              ElementsAre("hashed", "hashed again", "by configurations", "keys", "unhashed"));
  for (const std::string& last : std::set(phases.begin(), phases.end())) {
    std::stop_source stop;
    const auto report = verify_job(spec, {.reseed = true}, stop.get_token(),
                                   [&](std::string_view phase) -> Progress* {
                                     if (phase == last) stop.request_stop();
                                     return nullptr;
                                   });
    ASSERT_FALSE(report.ok()) << last;
    EXPECT_EQ(report.error().code, ErrorCode::kCancelled) << last;
  }
}

TEST(Verify, PassesErrorsOn) {
  EXPECT_EQ(
      verify_job(hashed_spec(kStartFen, 6, {.bytes = std::uint64_t{1} << 50}), {}, {}).error().code,
      ErrorCode::kUnavailable);
  JobSpec no_table = hashed_spec(kStartFen, 5);
  no_table.hash.reset();
  EXPECT_FALSE(verify_job(no_table, {}, {}).ok());
}

}  // namespace
}  // namespace manyply
