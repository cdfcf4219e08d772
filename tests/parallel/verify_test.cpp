// Verification finds nothing where nothing is wrong, and names what is: faults are put into keys,
// tables and kernels, and each must be told from the others, with its position and move.
#include "parallel/jobs/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/parallel/jobs.h"
#include "tests/support/budget.h"
#include "tests/support/random_positions.h"
#include "tests/support/sizes.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Castling to either side for both, one ply away.
constexpr std::string_view kCastlingFen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
constexpr std::string_view kChess960CastlingFen = "1rk4r/8/8/8/8/8/8/1RK4R w HBhb - 0 1";
/// So few moves that depth 11 is cheap, and so many positions that units are four plies deep.
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

/// What was found in the first run; nothing if it agrees.
AuditFindings findings_of(const VerifyReport& report) {
  const auto& explanation = report.runs.front().explanation;
  return explanation ? explanation->findings : AuditFindings{};
}

std::string fen_of(const Position& position) {
  return to_fen(position, CastlingNotation::kChess960);
}

std::string uci(Move move) { return to_uci(move, CastlingNotation::kChess960); }

/// A count by a kernel that no test damages.
NodeCount true_count(const Position& position, Depth depth) {
  return count_nodes(position, depth).value();
}

// No fault.

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
  struct Case {
    std::string_view fen;
    int depth;
  };
  const Case cases[] = {
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

bool has_knight_on_f3(const Position& position) {
  return (position.board().of(Color::kWhite).knights & bit(index(Square::kF3))) != 0;
}

TEST(Verify, TellsWhatIsWrongByConfigurationsAlone) {
  const MatrixHook damage = [](const Position& root, MatrixCount& count) {
    for (DivideEntry& entry : count.divide) {
      if (!has_knight_on_f3(root) && uci(entry.move) == "g1f3") {
        entry.nodes += 1;
        count.nodes += 1;
      }
    }
    if (has_knight_on_f3(root)) count.nodes += 1;
  };
  for (const auto sample : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(1)}) {
    const VerifyReport report = verify(hashed_spec(kStartFen, 5), {.sample = sample}, {}, damage);
    EXPECT_FALSE(report.agrees());
    EXPECT_EQ(report.recount.subtrees, report.subtrees) << "the sample has grown";
    EXPECT_EQ(report.recount.nodes, NodeCount(4'865'609));
    ASSERT_TRUE(report.third);
    EXPECT_EQ(report.third->nodes, NodeCount(4'865'610));
    ASSERT_EQ(report.third->root_moves.size(), 1U);
    EXPECT_EQ(uci(report.third->root_moves[0].move), "g1f3");
    const VerifiedRun& run = report.runs.front();
    EXPECT_EQ(run.differing_subtrees, 0U);
    ASSERT_TRUE(run.explanation);
    EXPECT_FALSE(run.explanation->findings.any());
    ASSERT_TRUE(run.explanation->configurations_fault);
    const ConfigurationsFault& fault = *run.explanation->configurations_fault;
    EXPECT_TRUE(has_knight_on_f3(fault.position)) << fen_of(fault.position);
    EXPECT_EQ(fault.depth, Depth(3)) << "the shallowest there is";
    EXPECT_EQ(fault.nodes, true_count(fault.position, Depth(3)));
    EXPECT_EQ(fault.by_configurations, fault.nodes + 1);
  }
}

/// What no published value tells, a third opinion does: a sample that met no difference goes on.
TEST(Verify, ASampleGrowsWhereTheThirdOpinionDiffers) {
  JobSpec spec = hashed_spec("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", 5,
                             {.bytes = kMiB, .keys = {.bits = 16}});
  spec.threads = 1;
  const VerifyReport report = verify(spec, {.sample = 1, .key_checks = 0});
  ASSERT_EQ(report.runs.front().report.known, KnownVerdict::kUnknown);
  ASSERT_TRUE(report.third);
  EXPECT_EQ(report.third->nodes, true_count(spec.root.position, spec.depth));
  ASSERT_NE(report.third->nodes, report.runs.front().report.nodes) << "keys are too good";
  EXPECT_FALSE(report.agrees());
  EXPECT_GT(report.runs.front().differing_subtrees, 0U);
  EXPECT_FALSE(report.runs.front().explanation->configurations_fault);
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

/// One position below one unit of a job, whose stored count a test flips bits of.
struct Victim {
  Position position;
  Depth depth;
  NodeCount leaves;
};

/// Flips `mask` in the stored count of `key` at `depth`, wherever it is stored. How many were.
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

/// Before the count, all workers count one unit, and `mask` is flipped in what they stored for its
/// first child that has moves.
Victim corrupt(const JobSpec& spec, std::uint64_t mask, TableHook& on_tables) {
  const RootSplit split = split_root(spec.root.position, spec.depth, best_kernel());
  const int depth = spec.depth.plies() - split.ply - 1;
  const Board& unit = split.boards[split.size() / 2];
  const Position parent = position_unchecked(unit);
  Position child;
  for (const Move move : legal_moves(parent)) {
    child = parent.after_unchecked(move);
    if (legal_moves(child).size() > 1) break;
  }
  on_tables = [=, threads = spec.threads](JobTables& tables) {
    HashStats stats;
    for (int worker = 0; worker < threads; ++worker)
      tables.count(unit, depth + 1, KernelPair(best_kernel()), worker, {}, stats);
    EXPECT_GT(flip_count(tables, tables.keys().key_from_scratch(child.board()), depth, mask), 0);
  };
  return {child, Depth(depth), true_count(child, Depth(depth))};
}

void expect_corruption_named(const JobSpec& spec, int victim_depth, const VerifyOptions& options) {
  TableHook on_tables;
  constexpr std::uint64_t kMask = 1U << 9;
  const Victim victim = corrupt(spec, kMask, on_tables);
  ASSERT_EQ(victim.depth, Depth(victim_depth));
  const VerifyReport report = verify(spec, options, on_tables);
  EXPECT_FALSE(report.agrees());
  EXPECT_GT(report.runs[0].differing_subtrees, 0U);
  const AuditFindings found = findings_of(report);
  EXPECT_FALSE(found.conclusive());
  ASSERT_TRUE(found.wrong_entry);
  EXPECT_EQ(fen_of(found.wrong_entry->recounted.position), fen_of(victim.position));
  EXPECT_EQ(found.wrong_entry->recounted.depth, victim.depth);
  EXPECT_EQ(found.wrong_entry->recounted.leaves, victim.leaves);
  EXPECT_EQ(found.wrong_entry->recounted.key,
            KeySet(spec.hash->keys).key_from_scratch(victim.position.board()));
  EXPECT_EQ(found.wrong_entry->stored, victim.leaves.low() ^ kMask);
  if (!options.sample) {
    EXPECT_FALSE(report.runs[0].root_moves.empty());
    JobSpec unhashed = spec;
    unhashed.hash.reset();
    EXPECT_EQ(report.recount.nodes, run_job(unhashed, {})->nodes);
  }
}

TEST(Verify, NamesACorruptedEntryOfAWindow) {
  expect_corruption_named(hashed_spec(kStartFen, 5), 2, {});
  expect_corruption_named(
      hashed_spec(kIsFastBuild ? kKiwipeteFen : kStartFen, 5, {.bytes = 64 * kMiB}), 2, {});
  expect_corruption_named(hashed_spec(kChess960CastlingFen, 5), 2, {});
}

TEST(Verify, NamesACorruptedEntryOfTheDeepTable) {
  expect_corruption_named(hashed_spec(kDeepUnitsFen, kDeepUnitsDepth), 3, {});
  expect_corruption_named(hashed_spec(kDeepChess960Fen, kDeepChess960Depth), 3, {});
}

// Which subtrees are sampled does not matter: a published total is known to be wrong.
TEST(Verify, ASampleGrowsUntilItMeetsWhatMadeTheTotalWrong) {
  VerifyOptions options{.sample = 1};
  const JobSpec spec = hashed_spec(kStartFen, 5);
  TableHook on_tables;
  corrupt(spec, 1, on_tables);
  const VerifyReport report = verify(spec, options, on_tables);
  EXPECT_EQ(report.runs[0].report.known, KnownVerdict::kMismatch);
  EXPECT_GT(report.runs[0].differing_subtrees, 0U);
  EXPECT_GT(report.recount.subtrees, 1U);
  EXPECT_TRUE(findings_of(report).wrong_entry);
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

/// The broken word is XORed into castling moves' keys only.
void expect_castling_named(std::string_view fen, std::string_view move) {
  const TableHook on_tables = [](JobTables& tables) { tables.break_castling_keys_for_testing(); };
  const JobSpec spec = hashed_spec(fen, 5);
  const VerifyReport report = verify(spec, {}, on_tables);
  EXPECT_FALSE(report.agrees()) << fen;
  const AuditFindings found = findings_of(report);
  ASSERT_TRUE(found.key_fault) << fen;
  EXPECT_FALSE(found.kernel_fault || found.false_match || found.wrong_entry) << fen;
  const KeyFault& fault = *found.key_fault;
  EXPECT_EQ(fault.move.kind(), MoveKind::kCastling) << fen;
  const MoveList moves = legal_moves(fault.position);
  EXPECT_NE(std::ranges::find(moves, fault.move), moves.end());
  EXPECT_EQ(uci(fault.move).substr(0, 2), move.substr(0, 2)) << fen;
  EXPECT_EQ(fault.from_scratch,
            KeySet().key_from_scratch(fault.position.after_unchecked(fault.move).board()));
  EXPECT_EQ(fault.incremental ^ fault.from_scratch, (ZobristKey{1, 1}));
}

// Only one side can castle, and from one square.
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

/// Verifies with weak keys and, if a run differs, checks what it is explained with. How many did.
int expect_false_matches_named(const JobSpec& spec, const VerifyOptions& options) {
  int differing = 0;
  const VerifyReport report = verify(spec, options);
  for (const VerifiedRun& run : report.runs) {
    EXPECT_EQ(run.agrees(), run.differing_subtrees == 0);
    if (run.agrees()) continue;
    ++differing;
    const AuditFindings& found = run.explanation->findings;
    EXPECT_FALSE(found.key_fault || found.kernel_fault);
    EXPECT_TRUE(found.false_match) << fen_of(spec.root.position);
    if (!found.false_match) continue;
    const auto& [a, b] = *found.false_match;
    EXPECT_NE(fen_of(a.position), fen_of(b.position));
    EXPECT_NE(a.leaves, b.leaves);
    EXPECT_EQ(a.key, b.key);
    EXPECT_EQ(run.report.hash->keys.bits, spec.hash->keys.bits);
    const KeySet keys(run.report.hash->keys);
    for (const CountedPosition& side : {a, b}) {
      EXPECT_EQ(side.key, keys.key_from_scratch(side.position.board()));
      EXPECT_EQ(side.leaves, true_count(side.position, side.depth));
    }
  }
  return differing;
}

TEST(Verify, NamesTwoPositionsWithOneKey) {
  const int depth = kIsFastBuild ? 6 : 5;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const KeySpec keys{.seed = seed, .bits = kIsFastBuild ? 24 : 18};
    EXPECT_EQ(expect_false_matches_named(hashed_spec(kStartFen, depth, {.keys = keys}), {}), 1);
    EXPECT_EQ(
        expect_false_matches_named(hashed_spec(kStartFen, depth, {.keys = keys}), {.reseed = true}),
        2);
  }
  EXPECT_GT(expect_false_matches_named(hashed_spec(kDeepUnitsFen, kDeepUnitsDepth,
                                                   {.bytes = 16 * kMiB, .keys = {.bits = 16}}),
                                       {}),
            0);
}

TEST(Verify, NamesTwoChess960PositionsWithOneKey) {
  int differing = 0;
  for (const int start : {0, 333, 959}) {
    const std::string fen = chess960_start(start);
    differing += expect_false_matches_named(
        hashed_spec(fen, 5, {.bytes = 4 * kMiB, .keys = {.bits = 17}}), {});
  }
  EXPECT_GT(differing, 1);
}

// Depth 5: 400 units, of which few differ. A sample of one finds them, because the total is known.
TEST(Verify, NamesTwoPositionsWithOneKeyFromASample) {
  const HashSpec hash{.bytes = 4 * kMiB, .keys = {.bits = 17}};
  EXPECT_EQ(expect_false_matches_named(hashed_spec(kStartFen, 5, hash), {.sample = 1}), 1);
  EXPECT_EQ(
      expect_false_matches_named(hashed_spec(kStartFen, 5, hash), {.sample = 1, .reseed = true}),
      2);
}

TEST(Verify, SaysThatABoundCutTheSearchShort) {
  const JobSpec spec = hashed_spec(kStartFen, 5, {.bytes = 4 * kMiB, .keys = {.bits = 17}});
  const VerifyReport whole = verify(spec);
  ASSERT_FALSE(whole.agrees());
  EXPECT_TRUE(whole.runs[0].explanation->complete);
  EXPECT_GT(whole.runs[0].explanation->keys, 0U);

  const VerifyReport elsewhere = verify(spec, {.searched_keys = 1});
  EXPECT_FALSE(elsewhere.agrees());
  EXPECT_FALSE(elsewhere.runs[0].explanation->complete);
  EXPECT_FALSE(findings_of(elsewhere).false_match);

  const VerifyReport inside = verify(spec, {.audit = {.recounted = 1}, .searched_keys = 1});
  EXPECT_FALSE(inside.agrees());
  EXPECT_FALSE(inside.runs[0].explanation->complete);
  EXPECT_FALSE(findings_of(inside).conclusive());
}

// Kernels. The crooked ones call themselves so; they are the portable one but for their fault.

const Kernel& portable() { return all_kernels().back(); }

Kernel crooked() {
  Kernel kernel = portable();
  kernel.name = "crooked";
  return kernel;
}

bool white_castled_short(const Board& board) {
  return board.of(Color::kWhite).king == bit(index(Square::kG1));
}

KernelFault expect_kernel_fault(const JobSpec& spec, const VerifyOptions& options = {}) {
  const VerifyReport report = verify(spec, options);
  EXPECT_FALSE(report.agrees());
  const AuditFindings found = findings_of(report);
  EXPECT_FALSE(found.key_fault || found.false_match);
  EXPECT_TRUE(found.kernel_fault);
  return found.kernel_fault.value_or(KernelFault{spec.root.position, Depth(0), {}});
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
    const KernelFault fault = expect_kernel_fault(spec);
    EXPECT_TRUE(white_castled_short(fault.position.board())) << fen_of(fault.position);
    EXPECT_EQ(fault.depth, Depth(2));
    EXPECT_EQ(fault.opinions[0].who, "crooked");
    EXPECT_EQ(fault.opinions[1].who, "scalar");
    EXPECT_THAT(fault.opinions[0].moves, IsEmpty());
    EXPECT_THAT(fault.opinions[1].moves, IsEmpty());
    EXPECT_EQ(fault.opinions[1].leaves, true_count(fault.position, Depth(2)));
    EXPECT_EQ(fault.opinions[0].leaves, fault.opinions[1].leaves + 1);
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
  const KernelFault fault = expect_kernel_fault(spec);
  EXPECT_EQ(fault.depth, Depth(1)) << "the smallest difference there is";
  EXPECT_NE(fault.position.board().en_passant, 0U) << fen_of(fault.position);
  EXPECT_EQ(fault.opinions[0].who, "crooked, unhashed");
  EXPECT_EQ(fault.opinions[0].leaves + 1, fault.opinions[1].leaves);
  EXPECT_EQ(fault.opinions[1].leaves, true_count(fault.position, Depth(1)));
}

/// Kiwipete at a known depth. Faults at the second ply are in the splitter's boards, which both
/// counts believe: only the published value tells that something is wrong.
KernelFault expect_fault_above_the_units(const Kernel& kernel) {
  JobSpec spec = hashed_spec(kKiwipeteFen, 5);
  spec.kernel = &kernel;
  KernelFault fault = expect_kernel_fault(spec);
  EXPECT_EQ(fault.depth, Depth(1));
  return fault;
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
  const KernelFault fault = expect_fault_above_the_units(kernel);
  EXPECT_EQ(fault.position.board().side_to_move, Color::kBlack) << fen_of(fault.position);
  EXPECT_EQ(fault.opinions[0].who, "crooked");
  EXPECT_THAT(fault.opinions[0].moves, IsEmpty());
  EXPECT_EQ(fault.opinions[1].who, "scalar");
  ASSERT_EQ(fault.opinions[1].moves.size(), 1U);
  EXPECT_EQ(uci(fault.opinions[1].moves[0]), "e8a8");
  EXPECT_FALSE(fault.opinions[1].after) << "the other has no such move";
}

TEST(Verify, NamesAMoveThatIsMadeWrong) {
  Kernel kernel = crooked();
  kernel.make_unchecked = [](const Board& board, Move move) {
    Board child = portable().make_unchecked(board, move);
    child.en_passant = 0;
    return child;
  };
  const KernelFault fault = expect_fault_above_the_units(kernel);
  ASSERT_EQ(fault.opinions[0].moves.size(), 1U);
  EXPECT_EQ(fault.opinions[0].moves, fault.opinions[1].moves);
  EXPECT_EQ(fen_of(fault.position),
            to_fen(parse_position(kKiwipeteFen)->position, CastlingNotation::kChess960));
  EXPECT_EQ(uci(fault.opinions[0].moves[0]), "a2a4") << "beside a pawn on b4";
  ASSERT_TRUE(fault.opinions[0].after && fault.opinions[1].after);
  EXPECT_EQ(fault.opinions[0].after->board().en_passant, 0U);
  EXPECT_EQ(fault.opinions[1].after->board(),
            fault.position.after_unchecked(fault.opinions[1].moves[0]).board());
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

  // What two runs with weak keys disagree about is recounted in any case.
  const VerifyReport weak =
      verify(hashed_spec(kKiwipeteFen, 5, {.keys = {.bits = 20}}), {.sample = 3, .reseed = true});
  EXPECT_FALSE(weak.agrees());
  EXPECT_GT(weak.recount.subtrees, 3U);
}

// How often weak keys err, against the formula. A table that is full all the time, as the formula
// supposes, and bits for about one false match in 200 subtrees, so that few subtrees have two.
TEST(Verify, WeakKeysErrAsOftenAsPredicted) {
  const std::uint64_t seeds = budget(32);
  double differing = 0;
  double expected = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const VerifyReport report = verify(
        hashed_spec(kStartFen, 6, {.bytes = kMinHashBytes, .keys = {.seed = seed, .bits = 22}}),
        {.key_checks = 0, .audit = {.recounted = 1}, .searched_keys = 1});
    differing += static_cast<double>(report.runs[0].differing_subtrees);
    expected += report.runs[0].report.hash->expected_false_matches;
  }
  // The formula is an upper bound; the table is empty at first, two wrong counts in one subtree are
  // one subtree, and a false match may bring the right count: together less than a tenth. Chance
  // adds five standard deviations, with the variance of clusters of four.
  const double margin = 5 * std::sqrt(4 * expected);
  EXPECT_GT(differing, 0.9 * expected - margin);
  EXPECT_LT(differing, expected + margin);
}

// Errors.

TEST(Verify, StopsWhenAsked) {
  for (const int milliseconds : {0, 5, 100, 400}) {
    std::stop_source stop;
    const std::jthread asking([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      stop.request_stop();
    });
    const auto report = verify_job(hashed_spec(kStartFen, 12), {}, stop.get_token());
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
  }
}

TEST(Verify, StopsInEveryPhase) {
  // A fault, so that all phases come about: the key check is off, or it would find it at once.
  const JobSpec spec = hashed_spec(kStartFen, 5, {.bytes = 4 * kMiB, .keys = {.bits = 17}});
  std::vector<std::string> phases;
  const auto watch = [&](std::string_view phase) -> Progress* {
    phases.emplace_back(phase);
    return nullptr;
  };
  ASSERT_TRUE(verify_job(spec, {.reseed = true}, {}, watch).ok());
  EXPECT_THAT(std::vector(phases.begin(), phases.begin() + 5),
              ElementsAre("hashed", "hashed again", "by configurations", "keys", "unhashed"));
  EXPECT_THAT(phases, testing::Contains("looking for the cause elsewhere"));
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
  const auto huge =
      verify_job(hashed_spec(kStartFen, 6, {.bytes = std::uint64_t{1} << 50}), {}, {});
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kUnavailable);
  JobSpec no_table = hashed_spec(kStartFen, 5);
  no_table.hash.reset();
  EXPECT_FALSE(verify_job(no_table, {}, {}).ok());
}

}  // namespace
}  // namespace manyply
