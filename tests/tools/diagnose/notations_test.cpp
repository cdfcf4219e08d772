// Sixty notations of the same divide. A right divide must agree. A wrong one must be reported for
// its error or as unreadable, never for another error.
#include "tests/tools/text/notations.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/fen.h"
#include "tests/support/budget.h"

namespace manyply {
namespace {

using notation::Case;
using notation::kCases;
using notation::Notation;
using notation::notations;
using notation::Print;

std::string unread_of(const EngineAnswer& answer) {
  std::string text;
  for (const UnreadLine& line : answer.unread) text += to_string(line) + "; ";
  return text;
}

/// Each notation tests some moves of a position; all notations together test every move.
constexpr std::size_t kStep = kIsFastBuild ? 6 : 24;
std::size_t first_tried(const Notation& notation) {
  return static_cast<std::size_t>(&notation - notations().data()) % kStep;
}

TEST(Notations, ARightDivideIsAgreedWith) {
  EXPECT_GE(notations().size(), 60U);
  for (const Notation& notation : notations()) {
    for (const Case& of : kCases) {
      const Print print(of, notation);
      const EngineAnswer answer = print.read();
      EXPECT_EQ(unread_of(answer), "") << notation.name << ' ' << of.fen;
      const Comparison compared = print.compared(answer);
      EXPECT_TRUE(compared.agrees()) << notation.name << ' ' << of.fen;
    }
  }
}

/// Positions with one special rule each, at depths 1 and 2. Each notation prints one position of
/// `step`.
void expect_no_accusation_of_tricky(std::size_t step) {
  std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/tricky.epd");
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    const auto record = parse_epd_line(text);
    ASSERT_TRUE(record.ok()) << text;
    if (!*record) continue;
    for (std::size_t i = ++number % step; i < notations().size(); i += step) {
      for (const int depth : {1, 2}) {
        const Print print({(*record)->fen.c_str(), depth}, notations()[i]);
        const EngineAnswer answer = print.read();
        EXPECT_TRUE(print.compared(answer).agrees())
            << notations()[i].name << ' ' << (*record)->fen << ' ' << unread_of(answer);
      }
    }
  }
  EXPECT_EQ(number, 187U);
}

TEST(Notations, TheRightGeneratorIsNotAccusedOfTricky) { expect_no_accusation_of_tricky(16); }
TEST(Notations, TheRightGeneratorIsNotAccusedOfTrickySlow) { expect_no_accusation_of_tricky(1); }

TEST(Notations, AMissedMoveIsThatMoveAndNoOther) {
  for (const Notation& notation : notations()) {
    for (const Case& of : kCases) {
      Print print(of, notation);
      for (std::size_t i = first_tried(notation); i < print.theirs().size(); i += kStep) {
        const DivideEntry missed = print.theirs()[i];
        print.theirs().erase(print.theirs().begin() + static_cast<std::ptrdiff_t>(i));
        const EngineAnswer answer = print.read();
        EXPECT_EQ(unread_of(answer), "") << notation.name << ' ' << of.fen;
        const Comparison compared = print.compared(answer);
        EXPECT_FALSE(compared.same_moves());
        EXPECT_THAT(compared.invented, testing::IsEmpty());
        for (const Comparison::Row& row : compared.rows)
          EXPECT_EQ(row.engine.has_value(), row.move != missed.move)
              << notation.name << ' ' << of.fen << ' '
              << to_uci(row.move, CastlingNotation::kChess960);
        print.theirs().insert(print.theirs().begin() + static_cast<std::ptrdiff_t>(i), missed);
      }
    }
  }
}

TEST(Notations, AWrongCountIsThatCountAndNoOther) {
  for (const Notation& notation : notations()) {
    for (const Case& of : kCases) {
      Print print(of, notation);
      for (std::size_t i = first_tried(notation); i < print.theirs().size(); i += kStep) {
        DivideEntry& wrong = print.theirs()[i];
        const NodeCount right = wrong.nodes;
        wrong.nodes += 1;
        const Comparison compared = print.compared(print.read());
        EXPECT_TRUE(compared.same_moves()) << notation.name << ' ' << of.fen;
        for (const Comparison::Row& row : compared.rows)
          EXPECT_EQ(row.engine == row.ours, row.move != wrong.move)
              << notation.name << ' ' << of.fen;
        wrong.nodes = right;
      }
    }
  }
}

}  // namespace
}  // namespace manyply
