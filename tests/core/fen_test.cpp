#include "core/fen.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "tests/support/random_positions.h"

namespace manyply {
namespace {

using ::testing::HasSubstr;
using enum CastlingNotation;

NamedPosition parsed(std::string_view fen) { return parse_position(fen).value(); }

std::string canonical(std::string_view fen) {
  const NamedPosition named = parsed(fen);
  return to_fen(named.position, named.notation);
}

/// A text that is refused. '^' marks the column that the error must name.
struct Refusal {
  std::string marked;
  std::string field;
  std::string message;
};

void expect_refusals(const std::vector<Refusal>& refusals, ErrorCode code) {
  for (const auto& [marked, field, message] : refusals) {
    std::string text = marked;
    const std::size_t mark = text.find('^');
    ASSERT_NE(mark, std::string::npos) << marked;
    text.erase(mark, 1);
    const auto result = parse_position(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().field, field) << text;
    EXPECT_EQ(result.error().column, static_cast<int>(mark) + 1) << text;
    EXPECT_THAT(result.error().message, HasSubstr(message)) << text;
    EXPECT_EQ(result.error().code, code) << text;
  }
}

TEST(Fen, ALineEndBehindItIsNoPartOfIt) {
  const std::string fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
  for (const char* end : {"\r", "\n", "\r\n", " \r\n"}) EXPECT_EQ(canonical(fen + end), fen);
  EXPECT_EQ(canonical("startpos\r\n"), kStartFen);
  EXPECT_EQ(canonical("kiwipete\r"), kKiwipeteFen);
}

TEST(Fen, NamesTheFieldThatIsMissing) {
  expect_refusals(
      {
          {"^", "placement", "missing"},
          {"  ^", "placement", "missing"},
          {"4k3/8/8/8/8/8/8/4K3^", "side to move", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 ^", "side to move", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 w^", "castling", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 w -^", "en passant", "missing"},
          {"4k3/8/8/8/8/8/8/4K3 w - - 0 1 ^7", "FEN", "'7' follows the last of the six fields"},
          {"^startpos ", "placement", "'s' is no"},
      },
      ErrorCode::kInvalidInput);
}

TEST(Fen, PointsIntoThePlacement) {
  expect_refusals(
      {
          {"4k3/8/8/8/8/8/4K3^ w - - 0 1", "placement", "7 ranks, not 8"},
          {"4k3/8/8/8/8/8/8/4K3^/8 w - - 0 1", "placement", "more than 8 ranks"},
          {"4k3/8/8/8/8/8/8/4K3^/ w - - 0 1", "placement", "more than 8 ranks"},
          {"^/4k3/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has 0 squares, not 8"},
          {"4k3/8/^/8/8/8/8/4K3 w - - 0 1", "placement", "rank 6 has 0 squares, not 8"},
          {"4k2^/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has 7 squares, not 8"},
          {"4k3/8/8/8/8/8/8/4K2^ w - - 0 1", "placement", "rank 1 has 7 squares, not 8"},
          {"4k3^1/8/8/8/8/8/8/4K3 w - - 0 1", "placement",
           "two digits follow each other; write their sum"},
          {"4k2^1/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "two digits follow each other"},
          {"4k3^p/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has more than 8 squares"},
          {"pppp^5/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 8 has more than 8 squares"},
          {"4k3/^9/8/8/8/8/8/4K3 w - - 0 1", "placement",
           "'9' is not a piece letter (pnbrqk or PNBRQK)"},
          {"4k3/^0/8/8/8/8/8/4K3 w - - 0 1", "placement", "'0' is not a piece letter"},
          {"4k3/8/3^x4/8/8/8/8/4K3 w - - 0 1", "placement", "'x' is not a piece letter"},
          {"4k3/8/3^-4/8/8/8/8/4K3 w - - 0 1", "placement", "'-' is not a piece letter"},
          {"4k3/8^\\8/8/8/8/8/4K3 w - - 0 1", "placement", "'\\' is not a piece letter"},
          {"   4k3/^9/8/8/8/8/8/4K3 w - - 0 1", "placement", "'9' is not a piece letter"},
          {"4k3/8/8/8/8/8/8/4K3^\n w - - 0 1", "placement", "is not a piece letter"},
          {"4k3/8/8/8/8/8/8/^\xC3\xA9 w - - 0 1", "placement", "is not a piece letter"},
      },
      ErrorCode::kInvalidInput);
}

TEST(Fen, PointsIntoTheOtherFields) {
  expect_refusals(
      {
          {"4k3/8/8/8/8/8/8/4K3 ^W - - 0 1", "side to move", "'W' is neither 'w' nor 'b'"},
          {"4k3/8/8/8/8/8/8/4K3 ^white - - 0 1", "side to move", "'white' is neither"},
          {"4k3/8/8/8/8/8/8/4K3 ^- - - 0 1", "side to move", "'-' is neither 'w' nor 'b'"},

          {"r3k2r/8/8/8/8/8/8/R3K2R w KQ^xq - 0 1", "castling",
           "'x' is not a castling letter (KQkq, or the rook's file)"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w ^-KQ - 0 1", "castling", "'-' is not a castling letter"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w KQ^- - 0 1", "castling", "'-' is not a castling letter"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w ^1 - 0 1", "castling", "'1' is not a castling letter"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w KQ^K - 0 1", "castling", "'K' repeats a castling right"},
          {"r3k2r/8/8/8/8/8/8/R3K2R w K^H - 0 1", "castling", "'H' repeats a castling right"},
          {"r3k2r/8/8/8/8/8/8/R3K3 w ^KQkq - 0 1", "castling", "no rook on h1"},
          {"4k2r/8/8/8/8/8/8/R3K2R w KQk^q - 0 1", "castling", "no rook on a8"},
          {"r3k2r/8/8/8/8/8/4K3/R6R w ^KQkq - 0 1", "castling", "White's king is not on its back"},
          {"r6r/4k3/8/8/8/8/8/R3K2R w KQ^kq - 0 1", "castling", "Black's king is not on its back"},
          {"8/8/8/8/8/8/8/R6R w ^K - 0 1", "castling", "White's king is not on its back rank"},

          {"4k3/8/8/8/8/8/8/4K3 w - ^e 0 1", "en passant", "'e' is neither a square nor '-'"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e9 0 1", "en passant", "'e9' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e0 0 1", "en passant", "'e0' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^i6 0 1", "en passant", "'i6' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^E6 0 1", "en passant", "'E6' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e66 0 1", "en passant", "'e66' is neither a square"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^-- 0 1", "en passant", "'--' is neither a square"},

          {"4k3/8/8/8/8/8/8/4K3 w - - ^x 1", "halfmove clock",
           "'x' is not a whole number of moves"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^-1 1", "halfmove clock", "'-1' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^+1 1", "halfmove clock", "'+1' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^1.5 1", "halfmove clock", "'1.5' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - ^100000 1", "halfmove clock",
           "'100000' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - - 0 ^-", "fullmove number", "'-' is not a whole number"},
          {"4k3/8/8/8/8/8/8/4K3 w - -   0   ^1x", "fullmove number", "'1x' is not a whole number"},
      },
      ErrorCode::kInvalidInput);
}

TEST(Fen, PointsAtWhatIsIllegal) {
  expect_refusals(
      {
          {"^8/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "Black has no king"},
          {"^4k3/8/8/8/8/8/8/8 w - - 0 1", "placement", "White has no king"},
          {"4k3/8/8/8/8/8/4^K3/4K3 w - - 0 1", "placement", "White has more than one king"},
          {"4k^k2/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "Black has more than one king"},
          {"4k2^P/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "a pawn on h8"},
          {"4k3/8/8/8/8/8/8/^p3K3 w - - 0 1", "placement", "a pawn on a1"},
          {"^4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1", "placement",
           "White has more than 16 pieces"},
          {" ^qqqqkqqq/qqqqqqqq/q7/8/8/8/8/4K3 w - - 0 1", "placement",
           "Black has more than 16 pieces"},
          {"4^k3/8/8/8/8/8/8/4RK2 w - - 0 1", "placement",
           "Black's king on e8 is in check, but White is to move"},
          {"4k3/8/8/8/8/8/5p2/4^K3 b - - 0 1", "placement",
           "White's king on e1 is in check, but Black is to move"},
          {"8/8/8/3k^K3/8/8/8/8 b - - 0 1", "placement", "White's king on e5 is in check"},

          {"4k3/8/8/8/8/8/8/4K2N w ^H - 0 1", "castling", "no rook on h1"},
          {"4k3/8/8/8/8/8/8/4K2q w ^H - 0 1", "castling", "no rook on h1"},
          {"4k3/8/8/8/8/8/8/4K2r w ^H - 0 1", "castling", "no rook on h1"},
          {"4k3/8/8/8/8/8/8/4K3 w ^E - 0 1", "castling", "no rook on e1"},
          {"4k3/8/8/8/8/8/4K3/7R w ^H - 0 1", "castling", "White's king is not on its back rank"},
          {"4k3/8/8/8/8/8/8/4K1RR w K^G - 0 1", "castling",
           "two castling rights on the same side of the king"},

          {"4k3/8/8/8/8/8/8/4K3 w - ^e3 0 1", "en passant", "e3 is not on the sixth rank"},
          {"4k3/8/8/8/8/8/8/4K3 b - ^e6 0 1", "en passant", "e6 is not on the third rank"},
          {"4k3/8/8/8/4P3/8/8/4K3 b - ^e4 0 1", "en passant", "e4 is not on the third rank"},
          {"4k3/8/8/8/8/8/8/4K3 w - ^e6 0 1", "en passant", "no pawn can have passed e6"},
          {"4k3/8/8/4P3/8/8/8/4K3 w - ^e6 0 1", "en passant", "no pawn can have passed e6"},
          {"4k3/8/8/3pP3/8/8/8/4K3 b - ^d3 0 1", "en passant", "no pawn can have passed d3"},
          {"3nk3/3n4/8/3pP3/8/8/8/4K3 w - ^d6 0 1", "en passant",
           "a pawn's path over d6 is not free"},
          {"4k3/8/3n4/3pP3/8/8/8/4K3 w - ^d6 0 1", "en passant", "path over d6 is not free"},
      },
      ErrorCode::kIllegal);
}

TEST(Fen, ErrorsAreOnePrintableLine) {
  for (const char* text : {"4k3/8/8/8/8/8/8/4K3 w\n- - 0 1", "4k3/8/8/8/8/8/8/4K3 \x01 - - 0 1",
                           "4k3/8/8/8/8/8/8/4K3 w - \xC3\xA9 0 1"}) {
    const auto result = parse_position(text);
    ASSERT_FALSE(result.ok());
    for (const char c : result.error().to_string())
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << text;
  }
  const auto long_field = parse_position("4k3/8/8/8/8/8/8/4K3 w - " + std::string(10'000, 'e'));
  EXPECT_LT(long_field.error().to_string().size(), 200U);
}

TEST(Fen, ClocksAreOptionalAndIgnored) {
  const Position position = parsed("4k3/8/8/8/8/8/8/4K3 w - -").position;
  for (const char* fen :
       {"4k3/8/8/8/8/8/8/4K3 w - - 0", "4k3/8/8/8/8/8/8/4K3 w - - 99 120",
        "  4k3/8/8/8/8/8/8/4K3\tw  -   - 0 1  ", "4k3/8/8/8/8/8/8/4K3 w - - 0 99999"}) {
    EXPECT_EQ(parsed(fen).position, position) << fen;
  }
  EXPECT_EQ(to_fen(position), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
}

TEST(Fen, KnowsTwoNames) {
  EXPECT_EQ(parsed("startpos").position, Position());
  EXPECT_EQ(canonical("startpos"), kStartFen);
  EXPECT_EQ(canonical("kiwipete"), kKiwipeteFen);
  EXPECT_EQ(parsed("kiwipete").notation, kStandard);
  EXPECT_EQ(canonical("StartPos"), kStartFen);
  EXPECT_FALSE(parse_position("startpo").ok());
}

TEST(Fen, DetectsChess960FromTheCastlingField) {
  const auto notation = [](std::string_view fen) { return parsed(fen).notation; };
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), kStandard);
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"), kChess960);
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1"), kStandard);
  EXPECT_EQ(notation("r3k2r/8/8/8/8/8/8/R3K2R w Ka - 0 1"), kChess960);
  EXPECT_EQ(notation("r2k3r/8/8/8/8/8/8/R2K3R w KQkq - 0 1"), kChess960);  // king not on e
  EXPECT_EQ(notation("4k3/8/8/8/8/8/8/R3K1R1 w K - 0 1"), kChess960);      // rook not on h
  EXPECT_EQ(notation("r2k3r/8/8/8/8/8/8/R2K3R w - - 0 1"), kStandard);
}

TEST(Fen, ReadsXFenAndShredderFenAlike) {
  using enum Square;
  const auto rights = [](std::string_view fen) { return parsed(fen).position.board().castling; };
  // K and Q mean the outermost rook.
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1"), bit(kH1) | bit(kA1));
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1"), bit(kG1) | bit(kB1));
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/RR2K1RR w KB - 0 1"), bit(kH1) | bit(kB1));
  EXPECT_EQ(rights("1r1k1r2/8/8/8/8/8/8/4K3 w kq - 0 1"), bit(kF8) | bit(kB8));
  EXPECT_EQ(rights("1r1k1r2/8/8/8/8/8/8/4K3 w fb - 0 1"), bit(kF8) | bit(kB8));
  // A piece of any kind beyond the outermost rook changes nothing.
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/1R2K1RN w KQ - 0 1"), bit(kG1) | bit(kB1));
  EXPECT_EQ(rights("4k3/8/8/8/8/8/8/4KR1r w K - 0 1"), bit(kF1));
}

TEST(Fen, WritesCastlingAsTheNotationNeeds) {
  EXPECT_EQ(canonical("r3k2r/8/8/8/8/8/8/R3K2R b qkQK - 3 9"),
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
  EXPECT_EQ(canonical("r3k2r/8/8/8/8/8/8/R3K2R b ahAH - 0 1"),
            "r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1");
  EXPECT_EQ(canonical("1r1k1r2/8/8/8/8/8/8/4K3 w kq - 0 1"), "1r1k1r2/8/8/8/8/8/8/4K3 w fb - 0 1");
  EXPECT_EQ(to_fen(Position(), kChess960),
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
  // Rights that KQkq cannot express are written by file, even in standard notation.
  const Position inner = parsed("4k3/8/8/8/8/8/8/RR2K3 w B - 0 1").position;
  EXPECT_EQ(to_fen(inner, kStandard), "4k3/8/8/8/8/8/8/RR2K3 w B - 0 1");
}

TEST(Fen, KeepsEnPassantOnlyWhenACaptureIsLegal) {
  const auto same_without = [](std::string with, std::string without) {
    return parsed(with).position == parsed(without).position;
  };
  // There is no pawn that could capture.
  EXPECT_TRUE(same_without("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"));
  // There is a pawn that can capture.
  EXPECT_FALSE(
      same_without("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1"));
  // The only capturing pawn is pinned on the file or on a diagonal, or removing both pawns exposes
  // the king on the rank.
  EXPECT_TRUE(
      same_without("3k4/8/8/8/3pP3/8/8/3RK3 b - e3 0 1", "3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1"));
  EXPECT_TRUE(
      same_without("7k/8/8/8/3pP3/2B5/8/4K3 b - e3 0 1", "7k/8/8/8/3pP3/2B5/8/4K3 b - - 0 1"));
  EXPECT_TRUE(
      same_without("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"));
  // The king is in check by the pawn that can be captured, or by another piece.
  EXPECT_FALSE(
      same_without("8/8/8/3k4/3pP3/8/8/4K3 b - e3 0 1", "8/8/8/3k4/3pP3/8/8/4K3 b - - 0 1"));
  EXPECT_TRUE(
      same_without("k7/8/8/8/3pP3/8/8/R3K3 b - e3 0 1", "k7/8/8/8/3pP3/8/8/R3K3 b - - 0 1"));
}

TEST(Fen, SurvivesTheRoundTrip) {
  const Chooser choose = choose_by_seed(11);
  int legal = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string fen = piece_soup(choose);
    const auto named = parse_position(fen);
    if (!named) {
      EXPECT_EQ(named.error().code, ErrorCode::kIllegal) << fen;
      continue;
    }
    ++legal;
    for (const CastlingNotation notation : {kStandard, kChess960, named->notation}) {
      const std::string text = to_fen(named->position, notation);
      const auto again = parse_position(text);
      ASSERT_TRUE(again.ok()) << text;
      EXPECT_EQ(again->position, named->position) << text;
      EXPECT_EQ(to_fen(again->position, notation), text);
    }
  }
  EXPECT_GT(legal, 2'000);
}

TEST(Fen, ReadsEveryChess960Start) {
  EXPECT_EQ(chess960_start(518), kStartFen);
  std::vector<Position> starts;
  for (int number = 0; number < 960; ++number) {
    const NamedPosition named = parsed(chess960_start(number));
    EXPECT_EQ(popcount(named.position.board().castling), 4) << number;
    starts.push_back(named.position);
  }
  std::ranges::sort(starts);
  EXPECT_EQ(std::ranges::unique(starts).size(), 0U);
}

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
