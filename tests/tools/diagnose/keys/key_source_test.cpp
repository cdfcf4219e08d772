// Tests keys that are pasted as lines.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/tools/diagnose/keys/planted_source.h"
#include "tools/diagnose/keys/printed_keys.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns lines with the questions to paste and their planted keys.
std::vector<std::string> answered(std::size_t count, const char* faults,
                                  const char* separator = " ; ") {
  const PlantedKeys planted(faults);
  std::vector<std::string> lines;
  for (const KeyQuestion& question : questions_to_paste(count)) {
    lines.push_back(fmt::format("{}{}{:016x}", to_string(question), separator,
                                planted.key(question.fen, question.moves)));
  }
  return lines;
}

KeyReport judged_lines(const std::vector<std::string>& lines) {
  const auto pasted = PastedKeys::read("keys.txt", fmt::format("{}", fmt::join(lines, "\n")));
  EXPECT_TRUE(pasted.ok()) << pasted.error().to_string();
  KeyCheckOptions options = few_questions();
  options.lines = (*pasted)->lines();
  options.positions = (*pasted)->positions();
  return *check_keys(**pasted, options);
}

TEST(PastedKeys, TellWhatAProgramTells) {
  for (const auto& [faults, names] :
       {std::pair("", ""), std::pair("rook-left", "castled-rook-left-behind"),
        std::pair("equal+passed-kept", "en-passant-kept equal-numbers"),
        std::pair("castling-ignored", "castling-ignored")}) {
    const KeyReport report = judged_lines(answered(4000, faults));
    EXPECT_EQ(fault_names(report), names);
    EXPECT_THAT(report.undecided, IsEmpty());
    EXPECT_EQ(report.table.linearity(), KeyLinearity::kXor);
  }
}

TEST(PastedKeys, AFewLinesAccuseNobody) {
  const KeyReport report = judged_lines(
      {"# mine", "", "startpos ; 0x0123456789abcdef",
       "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 = 0x8f8f01d4562f59fb",
       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4, 0x8f8f01d4562f59fb",
       "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;"});
  EXPECT_EQ(report.verdict(), KeyReport::Verdict::kCannotTell);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.table.linearity(), KeyLinearity::kUnknown);
  EXPECT_EQ(report.moves[static_cast<std::size_t>(MoveClass::kDoublePush)].asked, 1U);
}

// The list has only one of two possible FENs, and the program means the other one.
TEST(PastedKeys, AnUnusableSquareIsNoFault) {
  const KeyReport report = judged_lines(
      {"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 ; 0x8f8f01d4562f59fb",
       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ; 0x0123456789abcdef",
       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 ; 0x1122334455667788"});
  EXPECT_EQ(report.verdict(), KeyReport::Verdict::kCannotTell);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.moves[static_cast<std::size_t>(MoveClass::kDoublePush)].asked, 0U);
}

std::string refusal_of(const std::vector<std::string>& lines) {
  return PastedKeys::read("keys.txt", fmt::format("{}", fmt::join(lines, "\n")))
      .error()
      .to_string();
}

TEST(PastedKeys, WhatIsNotUnderstoodIsRefusedWithItsLine) {
  EXPECT_THAT(refusal_of({"startpos ; 123456789", "hello"}),
              HasSubstr("keys.txt:2: expected 'FEN ; KEY'"));
  EXPECT_THAT(refusal_of({"8/8/8/8/8/8/8/8 w - - 0 1 ; 12345"}), HasSubstr("keys.txt:1: "));
  EXPECT_THAT(refusal_of({"startpos moves e2e5 ; 12345"}), HasSubstr("keys.txt:1: "));
  EXPECT_THAT(refusal_of({"startpos ; 12345", "startpos ; 54321"}), HasSubstr("keys.txt:2: "));
  EXPECT_THAT(refusal_of({"# nothing"}), HasSubstr("keys.txt: no line has a position and its key"));
  EXPECT_THAT(refusal_of({"startpos ; 0xffffffffffffffffffffffffffffffffff"}),
              HasSubstr("keys.txt:1"));
}

}  // namespace
}  // namespace manyply
