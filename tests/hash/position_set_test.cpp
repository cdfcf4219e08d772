#include <gmock/gmock.h>

#include <map>

#include "core/fen.h"
#include "core/position.h"
#include "hash/fingerprint.h"
#include "hash/packed_board.h"
#include "tests/hash/table_helpers.h"
#include "tests/support/budget.h"
#include "tests/support/random_positions.h"

namespace manyply {
namespace {

using Inserted = PositionSet::Inserted;

constexpr std::uint64_t kBytes = 1 << 20;  // 26214 slots in 4 shards

PositionSet make_set() { return PositionSet(TableMemory::allocate(kBytes).value()); }

PackedBoard numbered(std::uint64_t i) { return {{i, 0, ~i, 1}}; }

std::uint64_t place_of(const PackedBoard& board) {
  return xxh3_64(std::as_bytes(std::span(board.planes)));
}

std::map<PackedBoard, std::uint64_t> held_by(PositionSet& set) {
  std::map<PackedBoard, std::uint64_t> held;
  for (std::size_t shard = 0; shard < set.shards(); ++shard) {
    const auto positions = set.gather(shard);
    EXPECT_EQ(positions.size(), set.size_of(shard));
    for (const auto& [board, paths] : positions) {
      EXPECT_TRUE(held.emplace(board, paths).second);
    }
  }
  return held;
}

TEST(PackedBoard, HoldsAllOfABoard) {
  const Chooser choose = choose_by_seed(77);
  int with_en_passant = 0;
  int with_castling = 0;
  const auto unpacks = [&](const Board& board) {
    with_en_passant += board.en_passant != 0 ? 1 : 0;
    with_castling += board.castling != 0 ? 1 : 0;
    EXPECT_EQ(PackedBoard::of(board).unpack(board.side_to_move), board);
  };
  for (std::uint64_t i = 0; i < budget(5'000); ++i) {
    const auto parsed = parse_position(piece_soup(choose));
    if (!parsed.ok()) continue;
    unpacks(parsed->position.board());
    for (const Move move : legal_moves(parsed->position))
      unpacks(parsed->position.after_unchecked(move).board());
  }
  EXPECT_GT(with_en_passant, 0);
  EXPECT_GT(with_castling, 0);
}

TEST(PositionSet, AddsUpPathsOfEqualBoards) {
  PositionSet set = make_set();
  std::map<PackedBoard, std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    const PackedBoard board = numbered(i * i % 9'973);
    expected[board] += i + 1;
    ASSERT_EQ(set.insert(place_of(board), board, i + 1), Inserted::kYes);
  }
  EXPECT_EQ(held_by(set), expected);
}

TEST(PositionSet, TellsBoardsApartThatShareAPlace) {
  PositionSet set = make_set();
  for (std::uint64_t round = 1; round <= 2; ++round) {
    for (std::uint64_t i = 0; i < 300; ++i)  // last slot; its shard continues with the first
      ASSERT_EQ(set.insert(UINT64_MAX, numbered(i), round), Inserted::kYes);
  }
  const auto held = held_by(set);
  EXPECT_EQ(held.size(), 300U);
  for (const auto& [board, paths] : held) EXPECT_EQ(paths, 3U);
}

TEST(PositionSet, RefusesNewOnesWhenAShardIsFull) {
  PositionSet set = make_set();
  std::uint64_t i = 0;
  while (set.insert(place_of(numbered(i)), numbered(i), 1) == Inserted::kYes) ++i;
  EXPECT_EQ(set.insert(place_of(numbered(i)), numbered(i), 1), Inserted::kFull);
  const double load = static_cast<double>(i) / static_cast<double>(set.slots());
  EXPECT_GT(load, PositionSet::kPlannedLoad);
  EXPECT_LE(load, PositionSet::kMaxLoad);
  EXPECT_EQ(set.insert(place_of(numbered(0)), numbered(0), 1), Inserted::kYes);  // not new
  EXPECT_THAT(set.sample(UINT64_MAX), ::testing::SizeIs(i));
  EXPECT_THAT(set.sample(100).size(), ::testing::AllOf(::testing::Ge(50U), ::testing::Le(101U)));

  for (std::size_t shard = 0; shard < set.shards(); ++shard) set.clear(shard);
  EXPECT_THAT(held_by(set), ::testing::IsEmpty());
  EXPECT_EQ(set.insert(place_of(numbered(i)), numbered(i), 1), Inserted::kYes);
}

TEST(PositionSet, NoticesTooManyPaths) {
  PositionSet set = make_set();
  EXPECT_EQ(set.insert(5, numbered(5), UINT64_MAX - 1), Inserted::kYes);
  EXPECT_EQ(set.insert(5, numbered(5), 1), Inserted::kYes);
  EXPECT_EQ(set.insert(5, numbered(5), 1), Inserted::kOverflow);
}

TEST(PositionSetStress, ManyThreadsLoseNothing) {
  PositionSet set = make_set();
  constexpr std::uint64_t kBoards = 1'000;
  const std::uint64_t rounds = budget(320);
  run_together(4, [&](int) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (std::uint64_t i = 0; i < kBoards; ++i) {
        const PackedBoard board = numbered(i);
        if (set.insert(place_of(board), board, i + 1) != Inserted::kYes) ADD_FAILURE();
      }
    }
  });
  const auto held = held_by(set);
  EXPECT_EQ(held.size(), kBoards);
  for (const auto& [board, paths] : held) EXPECT_EQ(paths, 4 * rounds * (board.planes[0] + 1));
}

}  // namespace
}  // namespace manyply
