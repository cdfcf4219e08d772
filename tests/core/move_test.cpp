// Tests moves as texts, in UCI notation and SAN, and lines of moves. The games are published, and
// their moves are as printed.
#include "core/move.h"

#include <gmock/gmock.h>

#include <set>
#include <sstream>
#include <vector>

#include "core/fen.h"
#include "core/line.h"
#include "core/move_text.h"
#include "core/position.h"
#include "tests/support/positions.h"

namespace manyply {
namespace {

using enum CastlingNotation;
using enum Square;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Move, HoldsFromToAndKind) {
  const Move push(kE2, kE4, MoveKind::kDoublePush);
  EXPECT_EQ(push.from(), kE2);
  EXPECT_EQ(push.to(), kE4);
  EXPECT_EQ(push.kind(), MoveKind::kDoublePush);
  EXPECT_FALSE(push.is_promotion());
  const Move last(kH7, kH8, MoveKind::kPromoteQueen);
  EXPECT_EQ(last.to(), kH8);
  EXPECT_TRUE(last.is_promotion());
  EXPECT_EQ(last.promoted_to(), PieceType::kQueen);
  EXPECT_EQ(Move(kH7, kH8, MoveKind::kPromoteKnight).promoted_to(), PieceType::kKnight);
}

TEST(UciText, OfEveryKind) {
  EXPECT_EQ(to_uci({kG1, kF3, MoveKind::kNormal}, kStandard), "g1f3");
  EXPECT_EQ(to_uci({kE5, kD6, MoveKind::kEnPassant}, kStandard), "e5d6");
  EXPECT_EQ(to_uci({kA7, kA8, MoveKind::kPromoteQueen}, kStandard), "a7a8q");
  EXPECT_EQ(to_uci({kA7, kB8, MoveKind::kPromoteRook}, kStandard), "a7b8r");
  EXPECT_EQ(to_uci({kA2, kA1, MoveKind::kPromoteBishop}, kChess960), "a2a1b");
  EXPECT_EQ(to_uci({kA2, kA1, MoveKind::kPromoteKnight}, kChess960), "a2a1n");
}

TEST(UciText, OfCastlingDependsOnTheNotation) {
  const Move king_side(kE1, kH1, MoveKind::kCastling);
  const Move queen_side(kE8, kA8, MoveKind::kCastling);
  EXPECT_EQ(to_uci(king_side, kStandard), "e1g1");
  EXPECT_EQ(to_uci(king_side, kChess960), "e1h1");
  EXPECT_EQ(to_uci(queen_side, kStandard), "e8c8");
  EXPECT_EQ(to_uci(queen_side, kChess960), "e8a8");
}

TEST(ParseUci, FindsTheLegalMove) {
  const Position start;
  EXPECT_EQ(*parse_uci(start, "g1f3", kStandard), Move(kG1, kF3, MoveKind::kNormal));
  EXPECT_EQ(*parse_uci(start, "e2e4", kStandard), Move(kE2, kE4, MoveKind::kDoublePush));
  const Position en_passant = position_at("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
  EXPECT_EQ(*parse_uci(en_passant, "e5d6", kStandard), Move(kE5, kD6, MoveKind::kEnPassant));
  const Position promotion = position_at("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
  EXPECT_EQ(*parse_uci(promotion, "a7a8n", kStandard), Move(kA7, kA8, MoveKind::kPromoteKnight));
  EXPECT_EQ(*parse_uci(promotion, "a7a8Q", kStandard), Move(kA7, kA8, MoveKind::kPromoteQueen));
}

TEST(ParseUci, TakesStandardCastlingEitherWayAndChess960OneWay) {
  const Position standard = position_at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  const Move castling(kE1, kH1, MoveKind::kCastling);
  EXPECT_EQ(*parse_uci(standard, "e1g1", kStandard), castling);
  EXPECT_EQ(*parse_uci(standard, "e1h1", kStandard), castling);
  EXPECT_EQ(*parse_uci(standard, "e1h1", kChess960), castling);
  EXPECT_FALSE(parse_uci(standard, "e1g1", kChess960).ok());
  // The king's own step is no castling, even onto the castling square.
  const Position near = position_at("4k3/8/8/8/8/8/8/5K1R w H - 0 1");
  EXPECT_EQ(*parse_uci(near, "f1g1", kChess960), Move(kF1, kG1, MoveKind::kNormal));
  EXPECT_EQ(*parse_uci(near, "f1h1", kChess960), Move(kF1, kH1, MoveKind::kCastling));
}

TEST(ParseUci, SaysWhatIsWrong) {
  const Position start;
  for (const char* text : {"e2e5", "e7e5", "e1g1", "e2e4q", "a1a1", "e3e4"}) {
    const auto move = parse_uci(start, text, kStandard);
    ASSERT_FALSE(move.ok()) << text;
    EXPECT_EQ(move.error().code, ErrorCode::kIllegal) << text;
    EXPECT_EQ(move.error().to_string(), "move: '" + std::string(text) + "' is not legal here");
  }
  for (const char* text : {"", "e2", "e2e", "e2e9", "i2i4", "e2-e4", "e4", "Nf3", "O-O", "0000",
                           "e7e8k", "e7e8p", "e7e8qq", "e2e4 ", " e2e4", "E2E4", "e2\ne4"}) {
    const auto move = parse_uci(start, text, kStandard);
    ASSERT_FALSE(move.ok()) << text;
    EXPECT_EQ(move.error().code, ErrorCode::kInvalidInput) << text;
    EXPECT_THAT(move.error().message, HasSubstr("is not a move in UCI form")) << text;
  }
  const Position promotion = position_at("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
  EXPECT_FALSE(parse_uci(promotion, "a7a8", kStandard).ok());
}

TEST(ParseUci, ErrorsAreOnePrintableLine) {
  for (const std::string& text : {std::string("e2\ne4"), std::string("e2\0e4", 5),
                                  std::string("\xC3\xA9"), std::string(10'000, 'e')}) {
    const std::string line = parse_uci(Position(), text, kStandard).error().to_string();
    EXPECT_LT(line.size(), 200U);
    for (const char c : line)
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) << line;
  }
}

TEST(UciText, NamesEachLegalMoveOnceAndIsReadBack) {
  const Chooser choose = choose_by_seed(12);
  for (int i = 0; i < 2'000; ++i) {
    const auto named = parse_position(piece_soup(choose));
    if (!named) continue;
    for (const Move move : legal_moves(named->position)) {
      const std::string text = to_uci(move, named->notation);
      const auto again = parse_uci(named->position, text, named->notation);
      ASSERT_TRUE(again.ok()) << text;
      EXPECT_EQ(*again, move) << text << " in " << to_fen(named->position, named->notation);
    }
  }
}

// Tests writing and reading SAN. The games are published, and their moves are as printed. Other
// examples are from the PGN standard and from the FIDE laws (appendix C).

/// Reads a game. Each move, written again, must give the same text. Returns the FEN at the end.
std::string replay(const std::string& game) {
  Position position;
  std::istringstream words(game);
  for (std::string word; words >> word;) {
    if (word.back() == '.') continue;
    const Result<Move> move = parse_san(position, word);
    if (!move) return word + ": " + move.error().to_string();
    EXPECT_EQ(to_san(position, *move), word);
    position = position.after_unchecked(*move);
  }
  return to_fen(position);
}

TEST(San, PublishedGamesAreAsPrinted) {
  const std::pair<const char*, const char*> kGames[] = {
      // Fischer and Spassky, Belgrade 1992.
      {"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 "
       "O-O 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15. Nb1 "
       "h6 16. Bh4 c5 17. dxe5 Nxe4 18. Bxe7 Qxe7 19. exd6 Qf6 20. Nbd2 Nxd6 21. Nc4 "
       "Nxc4 22. Bxc4 Nb6 23. Ne5 Rae8 24. Bxf7+ Rxf7 25. Nxf7 Rxe1+ 26. Qxe1 Kxf7 27. "
       "Qe3 Qg5 28. Qxg5 hxg5 29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. Ra5 Nd5 33. f3 "
       "Bc8 34. Kf2 Bf5 35. Ra7 g6 36. Ra6+ Kc5 37. Ke1 Nf4 38. g3 Nxh3 39. Kd2 Kb5 40. "
       "Rd6 Kc5 41. Ra6 Nf2 42. g4 Bd3 43. Re6",
       "8/8/4R1p1/2k3p1/1p4P1/1P1b1P2/3K1n2/8 b - - 0 1"},
      // Morphy's opera game ends in mate.
      {"1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. "
       "Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. "
       "Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8#",
       "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 0 1"},
      // Lasker's trap promotes to a knight.
      {"1. d4 d5 2. c4 e5 3. dxe5 d4 4. e3 Bb4+ 5. Bd2 dxe3 6. Bxb4 exf2+ 7. Ke2 "
       "fxg1=N+ 8. Rxg1 Bg4+",
       "rn1qk1nr/ppp2ppp/8/4P3/1BP3b1/8/PP2K1PP/RN1Q1BR1 w kq - 0 1"},
      // Gundersen and Faul: mate by a capture en passant.
      {"1. e4 e6 2. d4 d5 3. e5 c5 4. c3 cxd4 5. cxd4 Bb4+ 6. Nc3 Nc6 7. Nf3 Nge7 8. Bd3 "
       "O-O 9. Bxh7+ Kxh7 10. Ng5+ Kg6 11. h4 Nxd4 12. Qg4 f5 13. h5+ Kh6 14. Nxe6+ g5 "
       "15. hxg6#",
       "r1bq1r2/pp2n3/4N1Pk/3pPp2/1b1n2Q1/2N5/PP3PP1/R1B1K2R b KQ - 0 1"},
      // Loyd's shortest stalemate.
      {"1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. "
       "Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6",
       "5bnr/4p1pq/4Qpkr/7p/7P/4P3/PPPP1PP1/RNB1KBNR b KQ - 0 1"},
  };
  for (const auto& [game, end] : kGames) EXPECT_EQ(replay(game), end) << game;
}

std::string written(std::string_view fen, std::string_view uci) {
  const Position position = position_at(fen);
  return to_san(position, *parse_uci(position, uci, kStandard));
}

// FIDE laws, appendix C.10: one of two rooks or knights is named by its file or rank.
TEST(San, TellsPiecesApartAsTheLawsOfChessDo) {
  EXPECT_EQ(written("6k1/8/8/6N1/8/8/8/K5N1 w - - 0 1", "g5f3"), "N5f3");
  EXPECT_EQ(written("6k1/8/8/6N1/8/8/8/K5N1 w - - 0 1", "g1f3"), "N1f3");
  EXPECT_EQ(written("6k1/8/8/8/8/8/3N4/K5N1 w - - 0 1", "d2f3"), "Ndf3");
  EXPECT_EQ(written("6k1/8/8/8/8/5b2/3N4/K5N1 w - - 0 1", "g1f3"), "Ngxf3");
  EXPECT_EQ(written("7k/8/8/8/8/7N/3N4/K5N1 w - - 0 1", "g1f3"), "Ngf3");
  // Three queens can reach e1. The queen on h4 shares its rank with one of the others and its file
  // with the other one, so its move needs both.
  EXPECT_EQ(written("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1"), "Qh4e1");
  // A pinned piece cannot move there, so the other piece needs no file.
  EXPECT_EQ(written("4k3/8/8/b7/8/2N5/8/4K1N1 w - - 0 1", "g1e2"), "Ne2");
}

TEST(San, IsUniqueAndReadBackInAnyPosition) {
  const Chooser choose = choose_by_seed(11);
  std::size_t moves = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string fen = i % 3 == 0 ? chess960_start(i) : piece_soup(choose);
    const Result<NamedPosition> named = parse_position(fen);
    if (!named) continue;
    const Position& position = named->position;
    std::set<std::string> texts;
    for (const Move move : legal_moves(position)) {
      const std::string text = to_san(position, move);
      EXPECT_TRUE(texts.insert(text).second) << text << " in " << fen;
      const Result<Move> read = parse_san(position, text);
      ASSERT_TRUE(read) << read.error().to_string() << " in " << fen;
      EXPECT_EQ(*read, move) << text << " in " << fen;
      EXPECT_EQ(*parse_san(position, to_uci(move, kChess960)), move) << fen;
      ++moves;
    }
  }
  EXPECT_GT(moves, 2000U);
}

std::string read(std::string_view fen, std::string_view text) {
  const Result<Move> move = parse_san(position_at(fen), text);
  return move ? to_uci(*move, kStandard) : move.error().to_string();
}

TEST(San, IsReadAsPeopleWriteIt) {
  constexpr const char* kBoth = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
  for (const char* text : {"O-O", "o-o", "0-0", "0-0+", "O-O!?", "Kg1", "Ke1-g1", "e1g1", "e1h1"})
    EXPECT_EQ(read(kBoth, text), "e1g1") << text;
  for (const char* text : {"O-O-O", "0-0-0", "o-o-o", "Kc1", "Ke1c1"})
    EXPECT_EQ(read(kBoth, text), "e1c1") << text;
  constexpr const char* kPassing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
  for (const char* text : {"exd6", "ed6", "exd6 e.p.", "exd6ep", "exd6 (e.p.)", "e5xd6", "e5d6 ep",
                           "e:d6", "e5-d6", "EXD6", "Pe5xd6"})
    EXPECT_EQ(read(kPassing, text), "e5d6") << text;
  constexpr const char* kPromoting = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
  for (const char* text : {"a8=R", "a8R", "a8(R)", "a8/R", "a8=rook", "a7a8r", "a7-a8=R", "a8r"})
    EXPECT_EQ(read(kPromoting, text), "a7a8r") << text;
  EXPECT_EQ(read(kPromoting, "axb8=Q+"), "a7b8q");
  constexpr const char* kKnights = "4k3/8/8/8/8/8/3N4/4K1N1 w - - 0 1";
  for (const char* text : {"Ngf3", "N1f3", "Ng1f3", "Ng1-f3", "ngf3", "NGF3", "g1f3", "Sg1-f3"})
    EXPECT_EQ(read(kKnights, text), "g1f3") << text;
  // If a user writes no capitals, a bishop looks like the b-pawn. A capital letter never means a
  // file.
  constexpr const char* kBishop = "4k3/8/8/8/3p4/2p5/1B6/4K3 w - - 0 1";
  for (const char* text : {"Bxc3", "bxc3", "Bc3", "BXC3", "b2xc3"})
    EXPECT_EQ(read(kBishop, text), "b2c3") << text;
}

TEST(San, SaysWhatIsWrong) {
  constexpr const char* kKnights = "4k3/8/8/8/8/8/3N4/4K1N1 w - - 0 1";
  EXPECT_EQ(read(kKnights, "Nf3"), "move: 'Nf3' is ambiguous: g1f3 or d2f3");
  EXPECT_EQ(read(kKnights, "Nf5"), "move: 'Nf5' is not legal here");
  EXPECT_EQ(read(kKnights, "O-O"), "move: 'O-O' is not legal here");
  for (const char* text : {"", "N", "Nf9", "e", "e9", "D4", "De4", "Xf3", "e2e4e5", "e2e44", "Nf3x",
                           "O-", "O-O-O-O-O", "e8=", "e4 e5", "--", "0000", "a1b2c3d4", "Nff"})
    EXPECT_THAT(read(kKnights, text), HasSubstr("is not a move such as Nf3")) << text;
}

TEST(San, InChess960TheKingsStepComesBeforeCastlingWrittenAlike) {
  constexpr const char* kNear = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
  EXPECT_EQ(*parse_san(position_at(kNear), "Kg1"),
            Move(Square::kF1, Square::kG1, MoveKind::kNormal));
  EXPECT_EQ(*parse_san(position_at(kNear), "O-O"),
            Move(Square::kF1, Square::kH1, MoveKind::kCastling));
  EXPECT_EQ(*parse_san(position_at(kNear), "f1h1"),
            Move(Square::kF1, Square::kH1, MoveKind::kCastling));
}

TEST(WrittenMove, IsReadFromTheBeginningOfALine) {
  std::string_view line = "exd6 e.p.: 20";
  const auto move = read_written_move(line);
  ASSERT_TRUE(move);
  EXPECT_EQ(line, ": 20");
  EXPECT_EQ(move->from_file, 4);
  EXPECT_FALSE(move->is_long());
  line = "e7e8 quite 20";
  EXPECT_EQ(read_written_move(line)->promotion, '\0');
  EXPECT_EQ(line, " quite 20");
  line = "a7a8k";
  EXPECT_EQ(read_written_move(line)->promotion, 'k') << "of a long text any letter";
  for (std::string_view none : {"", "20 e2e4", "e2e9", "hello", "0-1", "1-0", "-"}) {
    const std::string_view before = none;
    EXPECT_FALSE(read_written_move(none)) << none;
    EXPECT_EQ(none, before);
  }
}

TEST(Line, PlaysMoves) {
  Line line = *parse_line("startpos", "", std::nullopt);
  EXPECT_EQ(line.play("  e2e4   e7e5\tg1f3 "), std::nullopt);
  EXPECT_EQ(to_fen(line.here()), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1");
  EXPECT_EQ(line.play(""), std::nullopt);
}

TEST(Line, NamesTheOffendingMoveItsPlaceAndColumn) {
  Line line = *parse_line("startpos", "", std::nullopt);
  const std::optional<Error> illegal = line.play("e2e4 e7e5 e4e5 g8f6");
  ASSERT_TRUE(illegal);
  EXPECT_EQ(illegal->to_string(), "moves: move 3, 'e4e5' is not legal here (column 11)");
  EXPECT_EQ(to_fen(line.here()), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1");

  const std::optional<Error> nonsense = line.play("g1f3 knight");
  ASSERT_TRUE(nonsense);
  EXPECT_EQ(
      nonsense->to_string(),
      "moves: move 2, 'knight' is not a move such as Nf3, exd5, e8=Q, O-O or e2e4 (column 6)");
}

TEST(Line, PlaysMovesAsPeopleWriteThem) {
  Line line = *parse_line("startpos", "1. e4 e5 2.Nf3 Nc6 3.Bc4 3...Bc5 4. O-O!", std::nullopt);
  EXPECT_THAT(line.uci_moves(),
              ElementsAre("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1"));
  EXPECT_EQ(line.play("Ng8-f6 d2d4 exd4"), std::nullopt);
  EXPECT_EQ(line.play("1. Nxd4 7")->to_string(),
            "moves: move 2, '7' is not a move such as Nf3, exd5, e8=Q, O-O or e2e4 (column 9)");
  EXPECT_EQ(line.play("Ke4")->to_string(), "moves: move 1, 'Ke4' is not legal here (column 1)");
}

TEST(Line, RemembersThePassedSquareEvenIfUseless) {
  Line line = *parse_line("startpos", "", std::nullopt);
  EXPECT_EQ(line.passed(), std::nullopt);
  ASSERT_EQ(line.play("e2e4"), std::nullopt);
  EXPECT_EQ(line.passed(), Square::kE3);
  EXPECT_EQ(line.here().board().en_passant, 0u);
  ASSERT_EQ(line.play("g8f6"), std::nullopt);
  EXPECT_EQ(line.passed(), std::nullopt);
  ASSERT_EQ(line.play("a2a3 d7d5"), std::nullopt);
  EXPECT_EQ(line.passed(), Square::kD6);

  EXPECT_EQ(
      parse_line("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "", std::nullopt)
          ->passed(),
      Square::kE3);
}

TEST(Line, NotationIsDetectedOrForced) {
  EXPECT_EQ(parse_line("startpos", "", std::nullopt)->notation(), CastlingNotation::kStandard);
  EXPECT_EQ(parse_line("startpos", "", CastlingNotation::kChess960)->notation(),
            CastlingNotation::kChess960);
  constexpr const char* kShredder = "4k3/8/8/8/8/8/8/1R2K3 w B - 0 1";
  EXPECT_EQ(parse_line(kShredder, "", std::nullopt)->notation(), CastlingNotation::kChess960);
  EXPECT_EQ(parse_line(kShredder, "", CastlingNotation::kStandard)->notation(),
            CastlingNotation::kStandard);
}

TEST(Line, TellsAnyPartOfItselfAsAFen) {
  const Line line = *parse_line("startpos", "e2e4 e7e5 g1f3", std::nullopt);
  EXPECT_THAT(line.uci_moves(), ElementsAre("e2e4", "e7e5", "g1f3"));
  EXPECT_EQ(line.from(0).start_fen(), kStartFen);
  EXPECT_EQ(line.from(1).start_fen(),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
  EXPECT_THAT(line.from(1).uci_moves(), ElementsAre("e7e5", "g1f3"));
  EXPECT_EQ(line.fen_here(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
  EXPECT_EQ(parse_line("startpos", "e2e4", std::nullopt)->fen(),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
  EXPECT_EQ(line.fen(), line.fen_here());
  EXPECT_EQ(line.from(2).here(), line.here());
  EXPECT_EQ(line.from(2).passed(), std::nullopt);
  EXPECT_EQ(line.from(1).passed_at(0), Square::kE3);
}

TEST(Line, CountsTheClocksOfItsFen) {
  const Line line = *parse_line("8/8/8/8/8/k7/7p/K6R b - - 98 80", "a3b3 h1g1 h2g1q", std::nullopt);
  EXPECT_EQ(line.halfmove_clock(), 0);
  EXPECT_THAT(line.from(1).start_fen(), ::testing::EndsWith(" w - - 99 81"));
  EXPECT_THAT(line.from(2).start_fen(), ::testing::EndsWith(" b - - 100 81"));
  EXPECT_EQ(line.from(2).halfmove_clock(), 0);
  EXPECT_THAT(line.from(3).start_fen(), ::testing::EndsWith(" w - - 0 82"));
  EXPECT_EQ(line.from(3).here(), line.here());
  EXPECT_EQ(parse_line("8/8/8/8/8/k7/8/K6R w - - x y", "h1g1", std::nullopt).ok(), false);
}

TEST(Line, KnowsEveryPositionOnItsWay) {
  const Line line = *parse_line("startpos", "g1f3 g8f6 f3g1 f6g8", std::nullopt);
  const std::vector<Position> positions = line.positions();
  ASSERT_EQ(positions.size(), 5u);
  EXPECT_EQ(positions.front(), Position());
  EXPECT_EQ(positions[1], line.from(1).positions().front());
  EXPECT_EQ(positions.back(), line.here());
  EXPECT_EQ(positions.back(), Position());
  EXPECT_EQ(Line().positions(), std::vector<Position>{Position()});
}

TEST(Line, ItsFenIsWhatWasWrittenMadeComplete) {
  EXPECT_EQ(Line().start_fen(), kStartFen);
  EXPECT_EQ(parse_line("kiwipete\n", "", std::nullopt)->start_fen(), kKiwipeteFen);
  EXPECT_EQ(parse_line(" 4k3/8/8/8/8/8/8/4K2R  w H -\r\n", "", std::nullopt)->start_fen(),
            "4k3/8/8/8/8/8/8/4K2R w H - 0 1");
  EXPECT_EQ(parse_line("4k3/8/8/8/8/8/8/4K3 b - - 7", "", std::nullopt)->start_fen(),
            "4k3/8/8/8/8/8/8/4K3 b - - 7 1");
  EXPECT_EQ(parse_line("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "", std::nullopt).error().to_string(),
            "castling: no rook on h1 (column 24)");
}

}  // namespace
}  // namespace manyply
