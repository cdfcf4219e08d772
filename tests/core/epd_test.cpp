#include <gtest/gtest.h>

#include "core/fen.h"

namespace manyply {
namespace {

constexpr std::string_view kKings = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";

/// Returns the record of a line. The line must contain one.
EpdRecord record_of(std::string_view line) {
  const Result<std::optional<EpdRecord>> record = parse_epd_line(line);
  if (!record) throw std::runtime_error(record.error().to_string());
  return record->value();
}

std::string error_of(const std::string& line) {
  const Result<std::optional<EpdRecord>> record = parse_epd_line(line);
  return record ? "no error" : record.error().to_string();
}

TEST(Epd, ReadsPositionAndCounts) {
  const EpdRecord record =
      record_of(std::string(kStartFen) + " ;D1 20 ;D2 400 ;D15 2015099950053364471960");
  EXPECT_EQ(record.root.position, Position());
  EXPECT_EQ(record.fen, kStartFen);
  ASSERT_EQ(record.counts.size(), 3u);
  EXPECT_EQ(record.counts[1].depth, Depth(2));
  EXPECT_EQ(record.counts[1].nodes, NodeCount(400));
  EXPECT_EQ(record.counts[2].nodes.to_string(), "2015099950053364471960");
}

TEST(Epd, SpacingIsFree) {
  for (const char* counts : {";D1 20;D2 400", " ; D1 20 ; D2 400 ;", "\t;D1\t20   ;D2   400  \r",
                             ";;D1 20;;D2 400;", " ;D1 20 ;D2 400 # twenty"}) {
    const EpdRecord record = record_of("  " + std::string(kStartFen) + counts);
    EXPECT_EQ(record.fen, kStartFen) << counts;
    ASSERT_EQ(record.counts.size(), 2u) << counts;
    EXPECT_EQ(record.counts[1].nodes, NodeCount(400)) << counts;
  }
}

TEST(Epd, TakesFourFieldsNamesAndChess960) {
  EXPECT_EQ(record_of("4k3/8/8/8/8/8/8/4K3 w - - ;D1 5").counts.size(), 1u);
  EXPECT_EQ(record_of("startpos ;D0 1").root.position, Position());
  EXPECT_EQ(record_of("4k3/8/8/8/8/8/8/1R2K3 w B - 0 1 ;D1 15").root.notation,
            CastlingNotation::kChess960);
}

TEST(Epd, ReadsSmallLetters) {
  EXPECT_EQ(record_of("startpos ;d1 20 ;d2 400").counts[1].depth, Depth(2));
}

// Rows of numbers without column names are ambiguous; only other rows show what the numbers mean.
TEST(Epd, GuessesNothingOfRows) {
  for (const char* line : {"startpos,20,400", "startpos,3,8902", "startpos;3;8902"})
    EXPECT_NE(error_of(line), "no error") << line;
}

TEST(Epd, CommentsAndEmptyLinesHoldNothing) {
  for (const char* line : {"", "   ", "\t\r", "# startpos ;D1 20", "   # x"}) {
    const Result<std::optional<EpdRecord>> record = parse_epd_line(line);
    ASSERT_TRUE(record.ok()) << line;
    EXPECT_FALSE(record->has_value()) << line;
  }
}

TEST(Epd, NamesFieldAndColumnOfMistakes) {
  const std::string fen(kKings);  // 29 characters
  EXPECT_EQ(error_of(fen),
            "count: no count given; expected a count such as ' ;D1 20' after the FEN (column 30)");
  EXPECT_EQ(error_of("4k3/8/8/8/8/8/8/4K3 x - - ;D1 5"),
            "side to move: 'x' is neither 'w' nor 'b' (column 21)");
  EXPECT_EQ(error_of("   4k3/8/8/8/8/8/8/4K3 x - - ;D1 5"),
            "side to move: 'x' is neither 'w' nor 'b' (column 24)");
  EXPECT_EQ(error_of(fen + " ;X1 5"),
            "depth: expected a count such as 'D3 8902', found 'X1' (column 32)");
  EXPECT_EQ(error_of(fen + " ;D 5"), "depth: '' is not a whole number from 0 to 64 (column 33)");
  EXPECT_EQ(error_of(fen + " ;D65 5"), "depth: '65' is above the maximum depth of 64 (column 33)");
  EXPECT_EQ(error_of(fen + " ;D1"), "count: no count after 'D1' (column 34)");
  EXPECT_EQ(error_of(fen + " ;D1 5x"), "count: '5x' is not a whole number (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 5 6"), "count: '5 6' is not a whole number (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 -5"), "count: '-5' is not a whole number (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 999999999999999999999999999999999999999"),
            "count: '999999999999999999999999999999999999999' exceeds 128 bits (column 35)");
  EXPECT_EQ(error_of(fen + " ;D1 5 ;D1 5"), "depth: D1 is given twice (column 38)");
  EXPECT_EQ(error_of(";D1 20"), "placement: missing (column 1)");
}

}  // namespace
}  // namespace manyply
