#include "hash/fingerprint.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>

#include "core/fen.h"
#include "core/position.h"
#include "tests/support/position_at.h"

namespace manyply {
namespace {

/// Returns the number of distinct positions at `plies`; it must be the same by fingerprint and by
/// board.
std::size_t distinct_positions(const Position& root, int plies) {
  std::map<Hash128, Board> level{{fingerprint(root.board()), root.board()}};
  for (int ply = 0; ply < plies; ++ply) {
    std::map<Hash128, Board> next;
    for (const auto& [print, board] : level) {
      const Position position = position_unchecked(board);
      for (const Move move : legal_moves(position)) {
        const Board child = position.after_unchecked(move).board();
        const auto [at, is_new] = next.emplace(fingerprint(child), child);
        if (!is_new) {
          EXPECT_EQ(at->second, child) << "two boards with one fingerprint";
        }
      }
    }
    level = std::move(next);
  }
  std::set<Board> boards;
  for (const auto& [print, board] : level) boards.insert(board);
  EXPECT_EQ(boards.size(), level.size()) << "one board with two fingerprints";
  return level.size();
}

TEST(Fingerprint, XxhIsTheReferenceOne) {
  // XXH3 of an empty input, as the reference implementation publishes it.
  EXPECT_EQ(xxh3_64({}), 0x2d06800538d394c2U);
  EXPECT_EQ(xxh3_128({}), (Hash128{0x6001c324468d497f, 0x99aa06d3014798d8}));
}

TEST(Fingerprint, SeedsMatter) {
  const std::uint64_t number = 7;
  const auto bytes = std::as_bytes(std::span(&number, 1));
  EXPECT_NE(xxh3_64(bytes, 1), xxh3_64(bytes, 2));
  EXPECT_NE(xxh3_128(bytes, 1), xxh3_128(bytes, 2));
}

// The values must never change, because other builds and machines look up results by them.
TEST(Fingerprint, IsTheSameOnEveryMachine) {
  EXPECT_EQ(fingerprint(board_at(kStartFen)), (Hash128{0x00de1a0407bb1b30, 0x8d0471c1f9a4662e}));
}

TEST(Fingerprint, KnowsDistinctPositionsByPly) {
  const Position start;
  EXPECT_EQ(distinct_positions(start, 1), 20U);
  EXPECT_EQ(distinct_positions(start, 2), 400U);
  EXPECT_EQ(distinct_positions(start, 3), 5362U);
  EXPECT_EQ(distinct_positions(start, 4), 72078U);
}

TEST(Fingerprint, EachFieldCounts) {
  const std::set<Hash128> prints{
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w K - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R w - - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/R3K2R b KQ - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/Q3K2Q w - - 0 1")),
      fingerprint(board_at("4k3/8/8/8/8/8/8/B3K2B w - - 0 1")),
      fingerprint(board_at("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")),
      fingerprint(board_at("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1")),
  };
  EXPECT_EQ(prints.size(), 9U);
}

TEST(Fingerprint, ClocksAndUselessEnPassantSquaresDoNot) {
  EXPECT_EQ(fingerprint(board_at("4k3/8/8/8/8/8/8/4K3 w - - 0 1")),
            fingerprint(board_at("4k3/8/8/8/8/8/8/4K3 w - - 42 99")));
  EXPECT_EQ(fingerprint(board_at("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1")),
            fingerprint(board_at("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1")));
  // The capture would expose the king on the rank, so it is illegal.
  EXPECT_EQ(fingerprint(board_at("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1")),
            fingerprint(board_at("8/8/8/K2pP2r/8/8/8/4k3 w - - 0 1")));
}

}  // namespace
}  // namespace manyply
