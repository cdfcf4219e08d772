#include "hash/key_audit.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/fen.h"
#include "tests/hash/table_helpers.h"
#include "tests/support/budget.h"
#include "tests/support/position_at.h"
#include "tests/support/stops.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Returns random words with the names "0", "1" …; tests add relations to them.
WordList random_words(std::uint64_t count, std::uint64_t first = 0) {
  WordList list;
  for (std::uint64_t i = 0; i < count; ++i)
    list.words.push_back({std::to_string(i), key_number(first + i)});
  return list;
}

TEST(WordsOf, AreAllWordsOfAKeySet) {
  const KeySet keys;
  const WordList list = words_of(keys);
  EXPECT_EQ(list.words.size(), 2 * 6 * 64U + 64 + 8 + 1 + Depth::kMax + 1);
  EXPECT_EQ(std::ranges::count(list.words, true, &WordList::Word::derived), 2 * 64);
  const auto word = [&](std::string_view name) {
    const auto found = std::ranges::find(list.words, name, &WordList::Word::name);
    return found == list.words.end() ? ZobristKey{} : found->word;
  };
  EXPECT_EQ(word("white knight b1"), keys.pieces(Color::kWhite, KeyKind::kKnight)[1]);
  EXPECT_EQ(word("black queen h8"), keys.pieces(Color::kBlack, KeyKind::kQueen)[63]);
  EXPECT_EQ(word("castling rook h1"), keys.castling(7));
  EXPECT_EQ(word("en passant file e"), keys.en_passant(4));
  EXPECT_EQ(word("black to move"), keys.black_to_move());
  EXPECT_EQ(word("depth 3"), keys.depth(3));
  // The key of a position is the XOR of the words in its list.
  ZobristKey key;
  for (const char* name :
       {"white king e1", "black king e8", "white rook h1", "castling rook h1", "black to move"})
    key ^= word(name);
  EXPECT_EQ(key, keys.key_from_scratch(position_at("4k3/8/8/8/8/8/8/4K2R b K - 0 1").board()));
}

TEST(WordsOf, TheIntendedRelationsHold) {
  const WordList list = words_of(KeySet({.seed = 5}));
  EXPECT_EQ(list.intended.size(), 128U);
  for (const auto& [a, b, c] : list.intended)
    EXPECT_EQ(list.words[a].word ^ list.words[b].word, list.words[c].word);
}

// Most other programs have keys of 64 bits.
TEST(AuditWords, AreJudgedByTheBitsThatTheyHave) {
  WordList list = random_words(300);
  for (WordList::Word& word : list.words) word.word.high = 0;
  const WordAudit narrow = audit_words(list, 64);
  EXPECT_TRUE(narrow.passed());
  EXPECT_EQ(narrow.rank, 64);
  EXPECT_EQ(narrow.expected_rank, 64);
  EXPECT_LT(narrow.worst_bit, 64);
  EXPECT_LT(narrow.least_allowed_distance, audit_words(random_words(300)).least_allowed_distance);
  EXPECT_FALSE(audit_words(list).passed()) << "as words of 128 bits they are no good";
}

TEST(AuditWords, SoundKeySetsPass) {
  for (const std::uint64_t seed : {~std::uint64_t{0}, KeySpec::kDefaultSeed}) {
    WordList list = words_of(KeySet({.seed = seed}));
    // Slow builds test only the default seed, because they test the code and not the seeds.
    if (!kIsFastBuild || budget_divisor() > 1 || seed != KeySpec::kDefaultSeed) {
      list.words.resize(300);
      list.intended.clear();
      EXPECT_TRUE(audit_words(list).passed()) << seed;
      continue;
    }
    const WordAudit audit = audit_words(list);
    EXPECT_TRUE(audit.passed()) << seed;
    EXPECT_EQ(audit.duplicates, 0U);
    EXPECT_THAT(audit.dependences, IsEmpty());
    EXPECT_EQ(audit.rank, 128);
    EXPECT_EQ(audit.derived, 128U);
    EXPECT_LT(audit.worst_sigmas, 5) << "of 128 bits";
    EXPECT_GE(audit.min_distance, audit.least_allowed_distance);
    EXPECT_LE(audit.min_distance, 40) << "4e5 pairs of random words";
  }
}

TEST(AuditWords, WeakKeysDoNot) {
  WordList list = words_of(KeySet({.bits = 30}));
  list.words.resize(300);  // so few that the test is quick
  list.intended.clear();
  const WordAudit audit = audit_words(list);
  EXPECT_FALSE(audit.passed());
  EXPECT_FALSE(audit.dependences.empty()) << "2e10 sets of five among 2^30 values";
  EXPECT_EQ(audit.rank, 30);
}

TEST(AuditWords, FindsDependentSetsOfEverySize) {
  for (std::size_t size = 1; size <= WordAudit::kLargestSubset; ++size) {
    WordList list = random_words(200);
    // The last of the words 10, 20 … becomes the XOR of the earlier ones.
    std::vector<std::string> names{"10"};
    ZobristKey sum = list.words[10].word;
    for (std::size_t i = 2; i < size; ++i) {
      sum ^= list.words[10 * i].word;
      names.push_back(std::to_string(10 * i));
    }
    if (size == 1) {
      list.words[10].word = {};
    } else {
      list.words[10 * size].word = sum;
      names.push_back(std::to_string(10 * size));
    }
    const WordAudit audit = audit_words(list);
    EXPECT_FALSE(audit.passed());
    ASSERT_EQ(audit.dependences.size(), 1U) << size;
    EXPECT_EQ(audit.dependences[0], names) << size;
    EXPECT_EQ(audit.duplicates, size == 2 ? 1U : 0U);
    EXPECT_EQ(audit.rank, 128) << "200 words, a few of them dependent";
  }
}

TEST(AuditWords, IntendedRelationsAreNoFault) {
  WordList list = random_words(100);
  list.words[3].word = list.words[1].word ^ list.words[2].word;
  EXPECT_FALSE(audit_words(list).passed());
  list.intended.push_back({1, 2, 3});
  list.words[3].derived = true;
  const WordAudit audit = audit_words(list);
  EXPECT_TRUE(audit.passed());
  EXPECT_EQ(audit.rank, 99);
  EXPECT_EQ(audit.expected_rank, 99);
}

TEST(AuditWords, FindsALowRankThatNoSmallSetShows) {
  // With words of only 100 bits, 300 words have rank 100, even if small sets of them are
  // independent.
  WordList list = random_words(300);
  for (WordList::Word& word : list.words) word.word.high >>= 28;
  const WordAudit audit = audit_words(list);
  EXPECT_THAT(audit.dependences, IsEmpty());
  EXPECT_EQ(audit.rank, 100);
  EXPECT_EQ(audit.expected_rank, 128);
  EXPECT_FALSE(audit.passed());
}

TEST(AuditWords, FindsTheNearestPair) {
  WordList list = random_words(300);
  list.words[17].word = list.words[4].word ^ ZobristKey { 0b101, std::uint64_t{1} << 63 };
  const WordAudit audit = audit_words(list);
  EXPECT_EQ(audit.min_distance, 3);
  EXPECT_THAT(audit.nearest, UnorderedElementsAre("4", "17"));
  EXPECT_GT(audit.least_allowed_distance, 20);
  EXPECT_FALSE(audit.passed());
  // A word with few ones is close to zero.
  list.words[17].word = {1, 1};
  EXPECT_THAT(audit_words(list).nearest, ElementsAre("17", "zero"));
}

TEST(AuditWords, FindsABitThatLeans) {
  WordList list = random_words(400);
  for (std::size_t i = 0; i < 400; i += 2) list.words[i].word.high |= 1U << 9;
  const WordAudit audit = audit_words(list);
  EXPECT_EQ(audit.worst_bit, 64 + 9);
  EXPECT_GT(audit.worst_bit_ones, 260U);
  EXPECT_NEAR(audit.worst_sigmas, (static_cast<double>(audit.worst_bit_ones) - 200) / 10, 1e-9);
  EXPECT_FALSE(audit.passed());
}

// Collisions.

constexpr std::array kWidths{16, 20, 24, 28, 32, 36, 40};

CollisionAudit measure(std::string_view fen, std::uint64_t seed, std::uint64_t positions) {
  return measure_collisions(position_at(fen), seed, kWidths, positions).value();
}

TEST(MeasureCollisions, ExpectsPairsOverKeys) {
  const std::uint64_t n = budget(320'000);
  const CollisionAudit audit = measure(kStartFen, 1, n);
  EXPECT_EQ(audit.positions, n);
  EXPECT_GE(audit.games, n / (CollisionAudit::kGamePlies + 1));
  EXPECT_GE(audit.clustering, 1);
  EXPECT_LT(audit.clustering, 4);
  ASSERT_EQ(audit.counts.size(), kWidths.size());
  const auto positions = static_cast<double>(n);
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    const CollisionCount& count = audit.counts[i];
    EXPECT_EQ(count.bits, kWidths[i]);
    EXPECT_DOUBLE_EQ(count.expected, positions * (positions - 1) / 2 / std::exp2(count.bits));
    EXPECT_LT(count.most, count.expected + 5 * std::sqrt(4 * count.expected) + 20);
    EXPECT_GE(count.least, 0);
  }
  EXPECT_GT(audit.counts[0].least, 0.8 * audit.counts[0].expected) << "bounds that bind";
}

TEST(MeasureCollisions, AreAsManyAsPredicted) {
  for (const std::string_view fen : {kStartFen, kKiwipeteFen}) {
    for (const CollisionCount& count : measure(fen, 1, budget(320'000)).counts)
      EXPECT_TRUE(count.within_bounds()) << count.bits << ": " << count.measured;
  }
}

// Averages over many sets of keys vary less, so the bounds are five times narrower.
TEST(MeasureCollisions, OnAverageOverSeedsTheyAreAsManyAsPredicted) {
  const int seeds = kIsFastBuild ? 25 : 3;
  constexpr std::array kNarrow{16, 20, 24, 26};
  std::array<double, kNarrow.size()> measured{};
  std::array<double, kNarrow.size()> expected{};
  double clustering = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const CollisionAudit audit =
        measure_collisions(Position(), static_cast<std::uint64_t>(seed), kNarrow, budget(64'000))
            .value();
    clustering = std::max(clustering, audit.clustering);
    for (std::size_t i = 0; i < kNarrow.size(); ++i) {
      measured[i] += static_cast<double>(audit.counts[i].measured);
      expected[i] += audit.counts[i].expected;
    }
  }
  for (std::size_t i = 0; i < kNarrow.size(); ++i)
    EXPECT_NEAR(measured[i], expected[i], 5 * std::sqrt(clustering * expected[i]) + 5)
        << kNarrow[i];
}

TEST(MeasureCollisions, SlowWithinBoundsFrom24To40Bits) {
  if (!kIsFastBuild || available_memory_bytes() < std::uint64_t{2} << 30)
    GTEST_SKIP() << "needs 2 GiB and half a minute";
  constexpr std::array kAll{24, 28, 32, 36, 40};
  for (const std::uint64_t seed : {KeySpec::kDefaultSeed, std::uint64_t{1}, std::uint64_t{2}}) {
    const CollisionAudit audit = measure_collisions(Position(), seed, kAll, 8'000'000).value();
    for (const CollisionCount& count : audit.counts) {
      EXPECT_TRUE(count.within_bounds()) << seed << ' ' << count.bits << ": " << count.measured;
      EXPECT_GT(count.least, 0) << count.bits << ": bounds that bind below, too";
    }
  }
}

TEST(MeasureCollisions, BoundsRefuseWhatIsFarOff) {
  CollisionCount count{.bits = 24, .measured = 100, .expected = 100, .least = 50, .most = 155};
  EXPECT_TRUE(count.within_bounds());
  count.measured = 49;
  EXPECT_FALSE(count.within_bounds());
  count.measured = 156;
  EXPECT_FALSE(count.within_bounds());
}

TEST(MeasureCollisions, TheSameEverywhereAndOtherForOtherSeeds) {
  const auto measured = [](std::uint64_t seed) {
    std::vector<std::uint64_t> counts;
    for (const CollisionCount& count : measure(kStartFen, seed, 20'000).counts)
      counts.push_back(count.measured);
    return counts;
  };
  EXPECT_EQ(measured(1), measured(1));
  EXPECT_NE(measured(1), measured(2));
}

// Two kings and a side to move: random games soon find no new positions.
TEST(MeasureCollisions, FewPositionsAreAllMeasured) {
  const CollisionAudit audit = measure("8/8/8/2k5/8/8/5K2/8 w - - 0 1", 1, 1'000'000);
  EXPECT_GT(audit.positions, 7'000U);
  EXPECT_LE(audit.positions, 7'224U) << "two kings not beside each other, either to move";
  EXPECT_GT(audit.clustering, 2) << "few words, so many pairs differ in the same ones";
  for (const CollisionCount& count : audit.counts) EXPECT_TRUE(count.within_bounds()) << count.bits;
  const CollisionAudit none = measure("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 1, 100);
  EXPECT_EQ(none.positions, 1U) << "stalemate";
  for (const CollisionCount& count : none.counts) EXPECT_EQ(count.measured, 0U);
}

TEST(MeasureCollisions, MorePositionsThanMemoryHoldsAreRefused) {
  const auto audit = measure_collisions(Position(), 1, kWidths, std::uint64_t{1} << 40);
  EXPECT_EQ(audit.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(audit.error().field, "positions");
}

TEST(MeasureCollisions, Stops) {
  EXPECT_EQ(measure_collisions(Position(), 1, kWidths, 1'000'000, stopped_before()).error().code,
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace manyply
