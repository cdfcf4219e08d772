#include "parallel/jobs/unique_job.h"

#include <gmock/gmock.h>

#include "core/counting.h"
#include "tests/parallel/unique_plies.h"
#include "tests/support/budget.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

constexpr std::uint64_t kLittleMemory = UniqueSpec::kMinMemoryBytes;  // about 15,000 positions

UniqueSpec unique_spec(std::string_view fen, int depth, std::uint64_t memory = 64 << 20) {
  UniqueSpec spec{{.root = parse_position(fen).value(), .depth = Depth(depth), .threads = 2},
                  memory};
  spec.method = UniqueMethod::kOneByOne;  // unique_by_pairs_test.cpp tests the other method
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

/// Passes cannot be divided by the pieces of the waiting side, because a lone king has few squares.
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

}  // namespace
}  // namespace manyply
