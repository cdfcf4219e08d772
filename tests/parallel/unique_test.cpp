// Compares distinct positions, found one by one and by pairs of configurations, with an oracle,
// with published values, and with each other.
#include <gmock/gmock.h>

#include <set>
#include <utility>

#include "core/counting.h"
#include "parallel/jobs/unique_job.h"
#include "parallel/matrix/pair_ply.h"
#include "parallel/matrix/unique_by_pairs.h"
#include "parallel/units/unit_store.h"
#include "tests/parallel/matrix_jobs.h"
#include "tests/parallel/unique_plies.h"
#include "tests/support/budget.h"
#include "tests/support/kernels_here.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

constexpr std::uint64_t kLittleMemory = UniqueSpec::kMinMemoryBytes;  // about 15,000 positions

UniqueSpec unique_spec(std::string_view fen, int depth, std::uint64_t memory = 64 << 20) {
  UniqueSpec spec{{.root = parse_position(fen).value(), .depth = Depth(depth), .threads = 2},
                  memory};
  spec.method = UniqueMethod::kOneByOne;  // UniqueByPairs tests the other method
  return spec;
}

struct Found {
  std::vector<UniquePly> plies;
  std::vector<std::pair<std::string, std::uint64_t>> positions;  ///< of the last ply, with paths
};

Found find(const UniqueSpec& spec) {
  Found found;
  UniqueObserver observer;
  observer.on_position = [&](const Position& position, std::uint64_t paths) {
    found.positions.emplace_back(to_fen(position, CastlingNotation::kChess960), paths);
    return std::optional<Error>();
  };
  found.plies = plies_of(spec, observer);
  return found;
}

/// Finds the paths to each position by the oracle.
void walk(const oracle::Position& position, int depth,
          std::map<std::string, std::uint64_t>& found) {
  if (depth == 0) {
    ++found[oracle::identity(position)];
    return;
  }
  for (const oracle::Move& move : oracle::legal_moves(position))
    walk(oracle::after(position, move), depth - 1, found);
}

TEST(Unique, KnownNumbersFromTheStart) {
  const int depth = kIsFastBuild ? 5 : 3;
  const auto plies = plies_of(unique_spec("startpos", depth, 128 << 20));
  expect_known_plies(plies, depth);
  for (const UniquePly& ply : plies) EXPECT_EQ(ply.passes, 1U) << ply.ply;
}

TEST(Unique, AsTheOracleFindsThem) {
  const int depth = kIsFastBuild ? 3 : 2;
  for (const std::string& fen :
       {std::string(kKiwipeteFen), std::string("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
        std::string("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
        std::string("rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"),
        chess960_start(73), std::string("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1")}) {
    std::map<std::string, std::uint64_t> expected;
    walk(oracle::parse(fen, true), depth, expected);
    std::map<std::string, std::uint64_t> found;
    for (const auto& [text, paths] : find(unique_spec(fen, depth)).positions) {
      EXPECT_TRUE(found.emplace(oracle::identity(oracle::parse(text, true)), paths).second) << text;
    }
    EXPECT_EQ(found, expected) << fen;
  }
}

TEST(Unique, MemoryThreadsAndKernelsChangeNothing) {
  UniqueSpec spec = unique_spec("kiwipete", 3);
  const auto all = find(spec).positions;
  EXPECT_EQ(all.size(), 57'548U);
  spec.memory_bytes = kLittleMemory;
  const Found little = find(spec);
  EXPECT_GT(little.plies.back().passes, 3U);
  EXPECT_EQ(little.positions, all);
  spec.threads = 1;
  spec.kernel = *find_kernel("portable");
  EXPECT_EQ(find(spec).positions, all);
}

/// The waiting side has only a king, which can be on few squares. So its pieces cannot divide the
/// work into passes.
TEST(Unique, ManyPositionsWithOneWaitingPiece) {
  constexpr const char* kLoneKing = "4k3/8/8/8/8/8/4P3/RN1QK1NR w KQ - 0 1";
  const int depth = kIsFastBuild ? 5 : 3;
  const auto found = plies_of(unique_spec(kLoneKing, depth, 3 * kLittleMemory));
  expect_same_plies(found, plies_of(unique_spec(kLoneKing, depth)), kLoneKing);
  const auto root = parse_position(kLoneKing)->position;
  EXPECT_EQ(found.back().paths, *count_nodes(root, Depth(depth)));
  if (kIsFastBuild) {
    EXPECT_GT(found.back().passes, 1U);
  }
}

TEST(Unique, RootsWithFewMovesOrNone) {
  const auto mated = find(unique_spec("R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", 3));
  ASSERT_EQ(mated.plies.size(), 4U);
  EXPECT_EQ(mated.plies[0].distinct, 1U);
  EXPECT_EQ(mated.plies[1].distinct, 0U);
  EXPECT_EQ(mated.plies[3].paths, NodeCount(0));
  EXPECT_THAT(mated.positions, ::testing::IsEmpty());
  const auto root = find(unique_spec("startpos", 0));
  EXPECT_THAT(root.positions, ::testing::ElementsAre(
                                  std::pair(to_fen(Position(), CastlingNotation::kChess960), 1U)));
  // Two kings reach all of their 3612 positions. With 20 plies, there are too many paths to walk.
  const auto kings = find(unique_spec("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 20)).plies;
  EXPECT_EQ(kings.back().distinct, 3'612U);
  EXPECT_GT(kings.back().paths, NodeCount(1'000'000'000'000'000));
}

TEST(Unique, ErrorsAreTold) {
  const auto error_of = [](const UniqueSpec& spec, const UniqueObserver& observer = {},
                           const std::stop_token& stop = {}) {
    const auto error = find_unique(spec, observer, stop);
    return error ? error->to_string() : "none";
  };
  EXPECT_EQ(error_of(unique_spec("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 40)),
            "more than 2^64 - 1 paths lead to one position");
  EXPECT_THAT(error_of(unique_spec("startpos", 1, std::uint64_t{1} << 60)),
              ::testing::MatchesRegex("memory: .* requested, but only .* are available"));

  // Memory must hold all plies except the last one.
  EXPECT_THAT(error_of(unique_spec("kiwipete", 5, kLittleMemory)),
              ::testing::AllOf(::testing::StartsWith("memory: ply 3 "),
                               ::testing::EndsWith(", but the limit is 1 MiB")));

  UniqueObserver observer;
  observer.on_ply = [](const UniquePly& ply) {
    return ply.ply < 2 ? std::nullopt
                       : std::optional(Error{ErrorCode::kUnavailable, "", 0, "enough"});
  };
  EXPECT_EQ(error_of(unique_spec("startpos", 3), observer), "enough");
  observer.on_ply = {};
  observer.on_position = [](const Position&, std::uint64_t) {
    return std::optional(Error{ErrorCode::kUnavailable, "", 0, "no more"});
  };
  EXPECT_EQ(error_of(unique_spec("startpos", 3), observer), "no more");

  std::stop_source stop;
  observer.on_position = [&stop](const Position&, std::uint64_t) -> std::optional<Error> {
    stop.request_stop();
    return std::nullopt;
  };
  const auto cancelled = find_unique(unique_spec("startpos", 3), observer, stop.get_token());
  EXPECT_EQ(cancelled.value().code, ErrorCode::kCancelled);
}

TEST(UniqueSlow, KnownNumbersFromTheStart) {
  expect_known_plies(plies_of(unique_spec("startpos", 7, std::uint64_t{4} << 30)), 7);
}

UniqueSpec by_pairs(std::string_view fen, int depth) {
  UniqueSpec spec{{.root = parse_position(fen).value(), .depth = Depth(depth), .threads = 2},
                  64 << 20};
  spec.method = UniqueMethod::kByPairs;
  return spec;
}

/// A kind has up to millions of rows, so a stop must also end the listing of rows.
TEST(PairPly, AStopEndsTheListingOfRows) {
  const Workers workers(1);
  MatrixBudget budget(std::uint64_t{1} << 30);
  const PairPly ply(PairStage(Position().board()), best_kernel(), workers, {}, budget);
  PairPly::Scratch scratch(ply);
  std::stop_source stop;
  EXPECT_GT(ply.rows_of(0, stop.get_token(), scratch).set.size(), 0U);
  stop.request_stop();
  EXPECT_EQ(ply.rows_of(0, stop.get_token(), scratch).set.size(), 0U);
}

std::vector<std::uint64_t> distinct_of(const UniqueSpec& spec) {
  std::vector<std::uint64_t> distinct;
  for (const UniquePly& ply : plies_of(spec)) distinct.push_back(ply.distinct);
  return distinct;
}

/// Returns the number of distinct positions of each ply, by the oracle.
std::vector<std::uint64_t> naive_distinct(const std::string& fen, int depth) {
  std::vector<oracle::Position> positions{oracle::parse(fen, true)};
  std::vector<std::uint64_t> distinct{1};
  for (int ply = 1; ply <= depth; ++ply) {
    std::set<std::string> seen;
    std::vector<oracle::Position> next;
    for (const oracle::Position& position : positions) {
      for (const oracle::Move& move : oracle::legal_moves(position)) {
        const oracle::Position after = oracle::after(position, move);
        if (seen.insert(oracle::identity(after)).second) next.push_back(after);
      }
    }
    positions = std::move(next);
    distinct.push_back(positions.size());
  }
  return distinct;
}

TEST(UniqueByPairs, KnownNumbersFromTheStart) {
  const int depth = kIsFastBuild ? 6 : 4;
  expect_known_plies(plies_of(by_pairs("startpos", depth)), depth);
}

TEST(UniqueByPairs, AsTheOracleFindsThem) {
  for (const std::string& fen : {
           std::string(kKiwipeteFen),
           std::string("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
           std::string("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1"),
           std::string("rnbqkb1r/ppppp1pp/7n/4Pp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"),
           chess960_start(73),
           std::string("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"),
           // A right that two pawns can use; a pair that can have either of two rights.
           std::string("4k3/8/8/8/2p1p3/8/3P4/4K3 w - - 0 1"),
           std::string("4k3/8/8/8/2p1p1p1/8/3P1P2/4K3 w - - 0 1"),
           // Illegal pushes, and rights that no legal capture can use.
           std::string("4k3/8/8/8/2p1p3/8/3P4/2r1K3 w - - 0 1"),
           std::string("8/8/8/8/k3p2R/8/3P4/4K3 w - - 0 1"),
           std::string("4r3/8/8/8/4p3/8/3P4/4K2k w - - 0 1"),
           std::string("8/8/8/8/8/2k5/3p4/K7 b - - 0 1"),
           // En passant answers a check or opens one.
           std::string("8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1"),
           std::string("7b/3p4/8/4P3/8/2K5/8/7k b - - 0 1"),
           // The same pair with and without a right.
           std::string("4k3/8/8/8/p7/8/1P6/4K2R w - - 0 1"),
       }) {
    const int depth = kIsFastBuild ? 3 : 2;
    EXPECT_EQ(distinct_of(by_pairs(fen, depth)), naive_distinct(fen, depth)) << fen;
  }
}

TEST(UniqueByPairs, RandomPositionsAsTheOracleAndOneByOne) {
  const Chooser choose = choose_by_seed(20);
  for (std::uint64_t tried = 1; tried <= budget(320); ++tried) {
    const std::string fen = random_root(choose);
    UniqueSpec spec = by_pairs(fen, 2);
    spec.threads = 1;
    EXPECT_EQ(distinct_of(spec), naive_distinct(fen, 2)) << fen;
    if (tried % 8 != 0) continue;
    spec.depth = Depth(3);
    const auto found = plies_of(spec);
    spec.method = UniqueMethod::kOneByOne;
    expect_same_plies(found, plies_of(spec), fen);
  }
}

/// Ten thousand random positions, with larger depths.
TEST(UniqueByPairsSlow, RandomPositionsOneByOne) {
  const Chooser choose = choose_by_seed(21);
  for (std::uint64_t tried = 1; tried <= budget(10'000); ++tried) {
    const std::string fen = random_root(choose);
    UniqueSpec spec = by_pairs(fen, tried % 10 == 0 ? 4 : 3);
    spec.memory_bytes = std::uint64_t{1} << 30;
    const auto found = distinct_of(spec);
    spec.method = UniqueMethod::kOneByOne;
    EXPECT_EQ(found, distinct_of(spec)) << fen;
  }
}

TEST(UniqueByPairs, KernelsThreadsAndPartsChangeNothing) {
  UniqueSpec spec = by_pairs("kiwipete", 3);
  const std::vector<std::uint64_t> expected{1, 48, 2'038, 57'548};
  for (const Kernel* kernel : kernels_here()) {
    spec.kernel = kernel;
    EXPECT_EQ(distinct_of(spec), expected) << kernel->name;
  }
  spec.kernel = nullptr;
  spec.threads = 3;
  EXPECT_EQ(distinct_of(spec), expected);

  spec = by_pairs("startpos", 6);
  spec.memory_bytes = 6 << 20;
  const auto plies = plies_of(spec);
  EXPECT_GE(plies.back().passes, 4U);
  expect_known_plies(plies, 6);
}

TEST(UniqueByPairs, PartsHoldWhatCapturesLead) {
  const Board board = parse_position("kiwipete")->position.board();
  const Configuration root = configuration_of(board, Color::kWhite);
  const UniqueParts parts(root, 16);
  EXPECT_LT(parts.part_of(root), 16U);
  for (std::uint32_t part = 0; part < 16; ++part) {
    bool leads = parts.part_of(root) == part;
    for (Bitboard rest = root.pieces.all() & ~root.pieces.king; rest != 0;) {
      if (parts.part_of(without(root, pop_lowest(rest))) == part) leads = true;
    }
    EXPECT_EQ(parts.needs(part, root), leads) << part;
  }
}

/// Shares must add up even if they are counted with different amounts of memory and therefore with
/// different parts.
TEST(UniqueByPairs, SharesAddUp) {
  for (const auto& [fen, depth] : {std::pair{"startpos", 6}, std::pair{"kiwipete", 4}}) {
    UniqueSpec spec = by_pairs(fen, depth);
    const auto whole = plies_of(spec);
    for (const std::size_t of : {2U, 3U, 7U}) {
      UniquePly sum{.ply = depth, .distinct = 0, .paths = 0};
      std::size_t shares_with_rows = 0;
      std::set<std::uint64_t> passes;
      for (std::size_t number = 0; number < of; ++number) {
        spec.memory_bytes = number == 1 ? 6 << 20 : 64 << 20;
        spec.share = {.number = number, .of = of};
        const auto plies = plies_of(spec);
        ASSERT_EQ(plies.size(), whole.size());
        for (std::size_t ply = 0; ply + 1 < plies.size(); ++ply) {
          EXPECT_EQ(plies[ply].distinct, whole[ply].distinct);
          EXPECT_EQ(plies[ply].paths, whole[ply].paths);
        }
        sum.distinct += plies.back().distinct;
        sum.paths += plies.back().paths;
        shares_with_rows += plies.back().distinct > 0 ? 1 : 0;
        passes.insert(plies.back().passes);
      }
      EXPECT_EQ(sum.distinct, whole.back().distinct) << fen << " in " << of;
      EXPECT_EQ(sum.paths, whole.back().paths) << fen << " in " << of;
      EXPECT_EQ(shares_with_rows, of);
      EXPECT_GT(passes.size(), 1U) << "all shares were counted in the same parts";
    }
  }
}

TEST(UniqueByPairs, GoesOnWhereAStoreEnds) {
  UniqueSpec spec = by_pairs("startpos", 6);
  spec.memory_bytes = 6 << 20;
  const auto expected = distinct_of(spec);
  MemoryStore store;
  spec.store = &store;
  for (const std::size_t most : {1U, 3U, 100U, 600U}) {
    store.most = most;
    EXPECT_EQ(find_unique(spec, {}, {}).value().message, "full");
    EXPECT_EQ(store.units.size(), most);
  }
  store.most = SIZE_MAX;
  spec.memory_bytes = 8 << 20;  // the number of parts does not change
  EXPECT_EQ(distinct_of(spec), expected);
  EXPECT_EQ(store.what,
            "distinct positions of 6 plies of "
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
  // Stored units are not counted again. The last units belong to a part of the ply before the last
  // one.
  const std::size_t known = store.units.size();
  auto last = std::prev(store.units.end(), 2);
  last->second[0] += 1'000'000;
  spec.memory_bytes = 64 << 20;  // with so much memory, a new count would have one part
  EXPECT_EQ(distinct_of(spec).back(), expected.back() + 1'000'000);
  EXPECT_EQ(store.units.size(), known);
}

/// A resumed count keeps the number of parts that it planned at first, even if it has less memory
/// now. A part that no longer fits is counted in smaller parts, which are cut again if necessary.
TEST(UniqueByPairs, PartsThatDoNotFitAreCut) {
  UniqueSpec spec = by_pairs("startpos", 6);
  MemoryStore store;
  spec.store = &store;
  store.most = 20;
  EXPECT_EQ(find_unique(spec, {}, {}).value().message, "full");
  store.most = SIZE_MAX;
  spec.memory_bytes = 3 << 20;
  const auto plies = plies_of(spec);
  EXPECT_GT(plies.back().passes, 4U);
  expect_known_plies(plies, 6);
  // All these units are stored.
  const std::size_t known = store.units.size();
  EXPECT_EQ(plies_of(spec).back().passes, plies.back().passes);
  EXPECT_EQ(store.units.size(), known);
}

TEST(UniqueByPairs, ErrorsAreTold) {
  const auto error_of = [](const UniqueSpec& spec, const std::stop_token& stop = {}) {
    const auto error = find_unique(spec, {}, stop);
    return error ? error->to_string() : "none";
  };
  UniqueSpec spec = by_pairs("kiwipete", 5);
  spec.memory_bytes = UniqueSpec::kMinMemoryBytes;
  EXPECT_THAT(error_of(spec), ::testing::MatchesRegex("memory: .*; the limit is 1 MiB"));

  spec = by_pairs("startpos", 3);
  MemoryStore store;
  spec.store = &store;
  spec.method = UniqueMethod::kOneByOne;
  EXPECT_EQ(error_of(spec), "checkpoint: cannot store positions that are found one by one");

  std::stop_source stop;
  spec = by_pairs("startpos", 5);
  UniqueObserver observer;
  observer.on_plan = [&](const UniquePlan&) {
    stop.request_stop();
    return std::optional<Error>();
  };
  EXPECT_EQ(find_unique(spec, observer, stop.get_token()).value().code, ErrorCode::kCancelled);

  observer.on_plan = [](const UniquePlan&) {
    return std::optional(Error{ErrorCode::kUnavailable, "", 0, "too much"});
  };
  EXPECT_EQ(find_unique(spec, observer, {})->message, "too much");
}

/// Ply 7 needs 307 MB while it is made. The error must come two plies earlier.
TEST(UniqueByPairs, WhatWillNotFitIsRefusedBeforeItIsMade) {
  UniqueSpec spec = by_pairs("startpos", 9);
  spec.memory_bytes = std::uint64_t{100} << 20;
  UniqueObserver observer;
  int told = 0;
  observer.on_ply = [&](const UniquePly& ply) {
    told = ply.ply;
    return std::optional<Error>();
  };
  const auto refused = find_unique(spec, observer, {});
  ASSERT_TRUE(refused);
  EXPECT_THAT(
      refused->to_string(),
      ::testing::MatchesRegex("memory: ply 7 needs about .* MiB, but the limit is 100 MiB"));
  EXPECT_EQ(told, 5);
}

/// Gives the counts a tenth of the memory that pairs need. Counting one by one then makes more
/// passes, and needs no more memory.
TEST(UniqueByPairs, TooLittleMemoryIsAnErrorUnlessPositionsAreFoundOneByOne) {
  constexpr const char* kFen = "4k3/2p5/8/8/8/8/4P3/RN1QK1NR w KQ - 0 1";
  if (!kIsFastBuild) GTEST_SKIP() << "what does not fit is too large for a slow build";
  const int depth = 5;
  const auto expected = plies_of(by_pairs(kFen, depth));
  UniqueSpec spec = by_pairs(kFen, depth);
  for (const UniqueMethod method : {UniqueMethod::kByPairs, UniqueMethod::kWhateverPays}) {
    spec.method = method;
    spec.memory_bytes = UniqueSpec::kMinMemoryBytes;
    const auto refused = find_unique(spec, {}, {});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "memory");
    EXPECT_THAT(refused->message, ::testing::EndsWith("; the limit is 1 MiB"));
  }
  spec.method = UniqueMethod::kOneByOne;
  EXPECT_EQ(find_unique(spec, {}, {})->field, "memory") << "ply 4 must fit";
  spec.memory_bytes = 10 * 40 * expected[4].distinct;
  UniqueObserver observer;
  std::optional<UniquePlan> plan;
  observer.on_plan = [&](const UniquePlan& told) {
    plan = told;
    return std::optional<Error>();
  };
  const auto found = plies_of(spec, observer);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->method, UniqueMethod::kOneByOne);
  EXPECT_EQ(plan->ply, depth);
  EXPECT_GT(plan->parts, 1U);
  EXPECT_LE(plan->memory_bytes, spec.memory_bytes);
  expect_same_plies(found, expected, kFen);
}

TEST(UniqueByPairs, IsWhatPaysUnlessPositionsAreWanted) {
  bool planned = false;
  UniqueObserver observer;
  observer.on_plan = [&](const UniquePlan& plan) {
    planned = plan.method == UniqueMethod::kByPairs;
    return std::optional<Error>();
  };
  UniqueSpec spec = by_pairs("4k3/8/8/8/8/8/8/4K3 w - - 0 1", kMinPairDepth);
  spec.method = UniqueMethod::kWhateverPays;
  EXPECT_FALSE(find_unique(spec, observer, {}));
  EXPECT_TRUE(planned);
  planned = true;
  observer.on_position = [](const Position&, std::uint64_t) { return std::optional<Error>(); };
  EXPECT_FALSE(find_unique(spec, observer, {}));
  EXPECT_FALSE(planned);
}

/// Counts the same tree with exchanged sides: the rows of one count are the columns of the other.
TEST(UniqueByPairs, SidesExchangedFindAsMany) {
  const int depth = kIsFastBuild ? 5 : 4;
  EXPECT_EQ(
      distinct_of(by_pairs("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", depth)),
      distinct_of(by_pairs("startpos", depth)));
}

/// Takes one minute.
TEST(UniqueByPairsSlow, KnownNumbersFromTheStartToPly9) {
  for (const char* fen : {"startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"}) {
    UniqueSpec spec = by_pairs(fen, 9);
    spec.memory_bytes = std::uint64_t{4} << 30;
    spec.threads = 0;
    expect_known_plies(plies_of(spec), 9);
  }
}

}  // namespace
}  // namespace manyply
