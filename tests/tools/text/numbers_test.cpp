// Tests numbers and keys as programs print them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/tools/text/read_lines.h"
#include "tools/diagnose/keys/printed_keys.h"
#include "tools/text/json_text.h"
#include "tools/text/line_tokens.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Numbers, GroupsByThreeDigits) {
  EXPECT_EQ(grouped("1"), "1");
  EXPECT_EQ(grouped("123"), "123");
  EXPECT_EQ(grouped("1234"), "1,234");
  EXPECT_EQ(grouped("61885021521585529237"), "61,885,021,521,585,529,237");
}

TEST(Numbers, RatesHaveThreeDigits) {
  EXPECT_EQ(si(0), "0");
  EXPECT_EQ(si(12), "12");
  EXPECT_EQ(si(999), "999");
  EXPECT_EQ(si(1000), "1.00 k");
  EXPECT_EQ(si(12'345), "12.3 k");
  EXPECT_EQ(si(231'512'345), "232 M");
  EXPECT_EQ(si(999'600), "1.00 M");
  EXPECT_EQ(si(2e21), "2.00 Z");
  EXPECT_EQ(si(8.03e32), "803 Q");
}

TEST(Numbers, RatesBeyond64BitsStayRates) {
  EXPECT_EQ(rate_json(0).dump(), "0");
  EXPECT_EQ(rate_json(1234567.5).dump(), "1234568");
  EXPECT_EQ(rate_json(9.2e18).dump(), "9200000000000000000");
  EXPECT_EQ(rate_json(2.5e23).dump(), "2.5e+23");
}

TEST(Numbers, DurationsSuitTheirLength) {
  EXPECT_EQ(duration(7.4), "7 s");
  EXPECT_EQ(duration(99), "99 s");
  EXPECT_EQ(duration(150), "2 min");
  EXPECT_EQ(duration(3 * 3600.0), "3.0 h");
  EXPECT_EQ(duration(5 * 86400.0), "5.0 days");
}

// Tests which of the numbers beside a move, or in the line of a total, is a count.

TEST(PrintedNumber, HowDeepWasCountedIsNoCount) {
  for (const std::string_view line :
       each_of("2. a2a3 moves = 20 (0.000 sec)", "2. a2a3 nodes = 20", "2. a2a3 = 20", "2) a2a3 20",
               "2 a2a3 moves: 20", "a2a3 depth 2 20", "a2a3 (depth 2): 20", "a2a3 at depth 2: 20",
               "a2a3 2 plies: 20", "a2a3 for 2 plies: 20", "a2a3 (2 plies) 20",
               "a2a3 perft(2) = 20", "a2a3 perft 2 20", "a2a3 perft 20", "perft(2) a2a3 = 20",
               "depth 2 a2a3 20", "ply=2 move=a2a3 20", "[2] a2a3 has 20 moves",
               "a2a3 ply 2: 20 leaf nodes", "2 plies a2a3: 20"))
    EXPECT_EQ(rows_of({line}), "a2a3 20; no total") << line;
  for (const std::string_view line :
       each_of("Perft 1 leaf nodes: 20", "Number of possible positions for 1 plies: 20",
               "Number of possible positions for 1 ply: 20", "Depth 1 leaf nodes: 20",
               "perft 1 leaf nodes = 20", "Perft(1) leaf nodes: 20", "Leaf nodes at depth 1: 20",
               "Total nodes for depth 1 is 20", "Positions after 1 ply = 20", "1 ply: 20 nodes",
               "ply 1: 20 nodes", "Perft 1 20", "perft 1: 20 leaf nodes", "nodes 20 ply 1",
               "nodes: 20, depth: 1", "20 positions at depth 1", "total (depth 1): 20",
               "Nodes counted in 1 plies: 20", "leaves at ply 1 = 20", "Depth 1: 20",
               "1 plies = 20", "nodes(1) = 20", "Nodes[1]: 20", "perft[1] 20"))
    EXPECT_EQ(read({line}), "total 20") << line;
  for (const std::string_view line : {"perft 1", "perft(1)", "depth 1"})
    EXPECT_EQ(read({line}), "no total") << line;
}

TEST(PrintedNumber, OfTwoReadingsTheTotalTells) {
  // The number before the move may be that of the line or of the ply. The meaning of the words
  // after the move is unknown.
  EXPECT_EQ(read({"2 e2e4 leads somewhere 20", "2 d2d4 leads somewhere 22", "Nodes: 42"}),
            "e2e4 20; d2d4 22; total 42");
  EXPECT_EQ(read({"20 e2e4 leads somewhere 2", "22 d2d4 leads somewhere 2", "Nodes: 42"}),
            "e2e4 20; d2d4 22; total 42");
  EXPECT_THAT(read_in(kOneKnight, {"2 a1a2 leads somewhere 20", "2 a1b1 leads somewhere 22"}),
              HasSubstr("no total; unread '2 a1a2 leads somewhere 20', it is ambiguous which "
                        "number is the count"));
  EXPECT_THAT(
      read({"2. e2e4", "2. d2d4"}),
      HasSubstr("no total; unread '2. e2e4', has only the number of a line or move, but no count"));
  EXPECT_EQ(read({"1. e2e4", "1. d2d4", "Total: 2"}), "e2e4 1; d2d4 1; total 2");
}

TEST(PrintedNumber, OfTwoTotalsNoneIsChosen) {
  EngineOutputParser parser({});
  parser.feed("positions 1 plies: 20");
  const EngineAnswer answer = parser.answer();
  EXPECT_TRUE(answer.may_count(20));
  EXPECT_TRUE(answer.may_count(1));
  EXPECT_FALSE(answer.other_totals.empty());
}

TEST(PrintedNumber, AUsageLineIsNoEmptyList) {
  EngineOutputParser parser({});
  EXPECT_FALSE(parser.feed("usage: engine DEPTH FEN, as in engine 3 e2e4: 20"));
  EXPECT_FALSE(parser.feed("time 34 ms"));
  const EngineAnswer answer = parser.answer();
  EXPECT_TRUE(answer.rows.empty());
  EXPECT_FALSE(answer.total);
  ASSERT_EQ(answer.remarks.size(), 1U);
  EXPECT_THAT(answer.remarks[0].text, HasSubstr("usage"));
}

/// The keys of four positions; the last position equals the first.
constexpr std::uint64_t kKeys[] = {0x8f8f01d4562f59fb, 0x0123456789abcdef, 0xfedcba9876543210,
                                   0x1122334455667788, 0x8f8f01d4562f59fb};

using PrintKey = std::string (*)(std::uint64_t);

std::vector<ShownPosition> printed_by(PrintKey print, const std::string& before = "",
                                      bool last_differs = false) {
  std::vector<ShownPosition> answers;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t key = kKeys[i] ^ (last_differs && i == 4 ? 1U : 0U);
    answers.push_back({i % 4, {" +---+---+", " | r | n | 8", before, print(key), "Checkers: e4"}});
  }
  return answers;
}

std::string hex_key(std::uint64_t key) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llX", static_cast<unsigned long long>(key));
  return text;
}

/// Returns the low halves of the keys that were read.
std::vector<std::uint64_t> read_all(const std::vector<ShownPosition>& answers,
                                    std::string_view label = "") {
  const auto reading = chosen_reading(answers, label);
  EXPECT_TRUE(reading.ok()) << reading.error().to_string();
  std::vector<std::uint64_t> keys;
  for (const ShownPosition& answer : answers) keys.push_back(reading->read(answer.lines)->low);
  return keys;
}

TEST(PrintedKey, IsReadHoweverItIsWritten) {
  const std::vector<PrintKey> prints{
      [](std::uint64_t key) { return "Key: " + hex_key(key); },
      [](std::uint64_t key) { return "Zobrist: 0x" + hex_key(key) + "ULL"; },
      [](std::uint64_t key) { return "hash = " + std::to_string(key); },
      [](std::uint64_t key) {
        return "hash key: " + std::to_string(static_cast<std::int64_t>(key));
      },
      [](std::uint64_t key) { return "info string hash " + std::to_string(key) + "n"; },
      [](std::uint64_t key) { return hex_key(key); },
      [](std::uint64_t key) { return hex_key(key) + " is the key"; },
      [](std::uint64_t key) { return "fen 8/8 w - - 0 1 key " + hex_key(key); },
      [](std::uint64_t key) { return "{\"hash\": \"" + hex_key(key) + "\"}"; },
      [](std::uint64_t key) {
        return "Key: " + hex_key(key).substr(0, 8) + "_" + hex_key(key).substr(8);
      }};
  for (std::size_t i = 0; i < prints.size(); ++i) {
    EXPECT_THAT(read_all(printed_by(prints[i])),
                ElementsAre(kKeys[0], kKeys[1], kKeys[2], kKeys[3], kKeys[4]))
        << "the way " << i;
  }
}

TEST(PrintedKey, TellsHowWideKeysAre) {
  const auto bits = [](PrintKey print) { return chosen_reading(printed_by(print), "")->bits; };
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key); }), 64);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key).substr(8); }), 32);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key).substr(4); }), 48);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + hex_key(key) + hex_key(~key); }), 128);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + std::to_string(key); }), 64);
  EXPECT_EQ(bits([](std::uint64_t key) { return "key " + std::to_string(key >> 32); }), 32);
  EXPECT_EQ(bits([](std::uint64_t key) {
              return "key " + std::to_string(static_cast<std::int32_t>(key));
            }),
            32);
}

TEST(PrintedKey, OneHundredAndTwentyEightBitsAreReadWhole) {
  const auto answers =
      printed_by([](std::uint64_t key) { return "key " + hex_key(key) + hex_key(~key); });
  EXPECT_EQ(chosen_reading(answers, "")->read(answers[0].lines), (ZobristKey{~kKeys[0], kKeys[0]}));
}

TEST(PrintedKey, OtherNumbersAreNone) {
  // Numbers that are equal for all positions, or small, or different when a position returns.
  EXPECT_THAT(readings_of(printed_by([](std::uint64_t) { return std::string("Hash: 16777216"); })),
              IsEmpty());
  EXPECT_THAT(readings_of(printed_by(
                  [](std::uint64_t key) { return "nodes " + std::to_string(key % 1000); })),
              IsEmpty());
  EXPECT_THAT(
      readings_of(printed_by([](std::uint64_t key) { return "key " + hex_key(key); }, "", true)),
      IsEmpty());
  EXPECT_THAT(
      readings_of(printed_by([](std::uint64_t) { return std::string("added face to bad cafe"); })),
      IsEmpty());
  const auto none =
      chosen_reading(printed_by([](std::uint64_t) { return std::string("nothing"); }), "");
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
}

// Keys that are too small may be the error that the user looks for.
TEST(PrintedKey, SmallNumbersMayBeKeysIfTheyAreCalledSo) {
  EXPECT_EQ(
      read_all(printed_by([](std::uint64_t key) { return "key " + hex_key(key & 0x7fff); }))[0],
      kKeys[0] & 0x7fff);
}

TEST(PrintedKey, OfSeveralNumbersOneIsChosen) {
  const PrintKey two = [](std::uint64_t key) {
    return "Key: " + hex_key(key) + " Pawn key: " + hex_key(key * 3);
  };
  const auto unclear = chosen_reading(printed_by(two), "");
  EXPECT_EQ(unclear.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(unclear.error().message, HasSubstr("'key', 'pawn key'; choose one with --label"));
  EXPECT_EQ(read_all(printed_by(two), "PAWN")[0], kKeys[0] * 3);
  EXPECT_THAT(chosen_reading(printed_by(two), "material").error().message,
              HasSubstr("the labels are"));
  // The number that is called a key is preferred, and a repeated number counts once.
  EXPECT_EQ(read_all(printed_by([](std::uint64_t key) {
              return "seed " + hex_key(key * 5) + " key " + hex_key(key) +
                     " again: " + std::to_string(key);
            }))[0],
            kKeys[0]);
}

}  // namespace
}  // namespace manyply
