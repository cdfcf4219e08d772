// Wrong values that are published for positions, and their explanations. Statistics of the last ply
// are those of the Chess Programming Wiki.
#include <gmock/gmock.h>

#include "tools/report/value_check.h"

namespace manyply {
namespace {

struct WrongValue {
  const char* fen;
  int depth;
  std::uint64_t ours;
  std::uint64_t value;
  const char* hints;  ///< "name: text; …"
};

std::string hints_for(const WrongValue& of) {
  const Question question = validated({.fen = of.fen, .depth = Depth(of.depth)}).value();
  Resources resources{.count_options = {.threads = 1}};
  const auto hints =
      explain_value(question, NodeCount(of.ours), {NodeCount(of.value)}, resources, {});
  if (!hints) return hints.error().to_string();
  std::string text;
  for (const auto& [name, what] : *hints) text += (text.empty() ? "" : "; ") + name + ": " + what;
  return text;
}

constexpr const char* kPosition4 =
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";

TEST(ValueHints, NameWhatTheValueIs) {
  for (const WrongValue& wrong : {
           WrongValue{"kiwipete", 2, 2039, 2087,
                      "every-ply: counts every ply, not only the last: 48 + 2039 = 2087"},
           {"kiwipete", 2, 2039, 2088,
            "every-ply: counts every ply, not only the last: 1 + 48 + 2039 = 2088"},
           {"kiwipete", 3, 97862, 2039, "another-depth: is the count of depth 2"},
           {"kiwipete", 2, 2039, 97862, "another-depth: is the count of depth 3"},
           {"startpos", 7, 3195901860, 1048418212,
            "modulo: is the count modulo 2^31: a counter of 31 or 32 bits has overflowed"},
           {"startpos", 8, 84998978956, 3394600332,
            "modulo: is the count modulo 2^32: a counter of 32 bits has overflowed"},
           {"startpos", 5, 4865609, 4865351,
            "without-en-passant: is the count without the 258 en passant captures of the last "
            "ply"},
           {"kiwipete", 1, 48, 46,
            "without-castling: is the count without the 2 castling moves of the last ply"},
           {kPosition4, 2, 264, 216,
            "without-promotions: is the count without the 48 promotions of the last ply"},
           {kPosition4, 2, 264, 228,
            "promotion-once: is the count if each of the 12 promotions of the last ply counts as "
            "one move, not four"},
           {"startpos", 3, 8902, 8868,
            "without-captures: is the count without the 34 captures of the last ply"},
           {"startpos", 4, 197281, 197273,
            "without-mates: is the count without the 8 mates of the last ply"},
           {"startpos", 4, 197281, 196812,
            "without-checks-and-mates: is the count without the 469 checks and mates of the last "
            "ply"},
           {"kiwipete", 3, 97862, 17102,
            "only-captures: is the number of the captures in the last ply"},
           {"startpos", 4, 197281, 72078,
            "distinct-positions: is the number of distinct positions; perft counts paths, and "
            "several may lead to one position"},
           {"kiwipete", 3, 97862, 8902,
            "another-position: is the count of another position at depth 3: startpos"},
           {"startpos", 3, 8902, 97862,
            "another-position: is the count of another position at depth 3: kiwipete"},
       }) {
    EXPECT_EQ(hints_for(wrong), wrong.hints) << wrong.fen << ' ' << wrong.value;
  }
}

/// Returns the hints for the value `-size` of the start position, whose count is `ours`.
std::string hints_for_negative(std::uint64_t ours, std::uint64_t size) {
  const Question question = validated({.fen = "startpos", .depth = Depth(7)}).value();
  const auto hints = explain_value(question, NodeCount(ours), {NodeCount(size), true},
                                   {.count_options = {.threads = 1}}, {});
  EXPECT_EQ(hints->size(), 1U);
  return hints->front().name + ": " + hints->front().text;
}

TEST(ValueHints, KnowSignedCountersThatOverflowed) {
  EXPECT_EQ(hints_for_negative(3195901860, (std::uint64_t{1} << 32) - 3195901860),
            "modulo: is the count modulo 2^32, with a sign: a signed counter of 32 bits has "
            "overflowed");
  EXPECT_EQ(hints_for_negative(10'000'000'000'000'000'000U, 8'446'744'073'709'551'616U),
            "modulo: is the count modulo 2^64, with a sign: a signed counter of 64 bits has "
            "overflowed");
  EXPECT_EQ(hints_for_negative(3195901860, 5),
            "negative: is negative, which is impossible for a count");
}

TEST(ValueHints, SayNothingOfNumbersThatAreNothing) {
  EXPECT_EQ(hints_for({"startpos", 3, 8902, 8903, ""}), "");
  EXPECT_EQ(hints_for({"startpos", 3, 8902, 8901, ""}), "");
  EXPECT_EQ(hints_for({"startpos", 3, 8902, 0, ""}), "");
  EXPECT_EQ(hints_for({"startpos", 1, 20, 6, ""}), "")
      << "the count of some position at depth 1, and of no use";
}

TEST(ValueHints, LookIntoTheSuitesThatAreGiven) {
  const Question question = validated({.fen = "startpos", .depth = Depth(2)}).value();
  const std::vector<EpdRecord> suite{
      **parse_epd_line("4k3/8/8/8/8/8/8/4K2R w K - 0 1 ;D1 15 ;D2 66 ;D3 1197")};
  const auto hints = explain_value(question, NodeCount(400), {NodeCount(66)},
                                   {.count_options = {.threads = 1}}, suite);
  ASSERT_TRUE(hints.ok());
  ASSERT_EQ(hints->size(), 1U);
  EXPECT_EQ(hints->front().text,
            "is the count of another position at depth 2: 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
}

}  // namespace
}  // namespace manyply
