// Tests which causes a diagnosis names for wrong moves, and which kinds of moves occur in a tree.
#include "tools/diagnose/diagnosis.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "core/position.h"
#include "tests/tools/diagnose/fake_program.h"
#include "tests/tools/diagnose/hunts.h"
#include "tools/diagnose/bisect.h"
#include "tools/diagnose/kinds_in_tree.h"
#include "tools/engine/engine.h"

namespace manyply {
namespace {

using enum MoveKindSeen;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

Line line_at(const std::string& fen, const std::string& moves = "") {
  const NamedPosition root = *parse_position(fen);
  Line line(root, fen, parse_fen(fen)->en_passant);
  std::istringstream words(moves);
  for (std::string text; words >> text;)
    line = line.after(*parse_uci(line.here(), text, line.notation()));
  return line;
}

/// Returns "cause: detail" for one invented move.
std::string invented(const std::string& fen, const std::string& move,
                     const std::string& moves = "") {
  const Line line = line_at(fen, moves);
  const auto findings = diagnose(line, {.invented = {move}});
  EXPECT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings.at(0).moves, ElementsAre(move));
  return std::string(name_of(findings.at(0).cause)) + ": " + findings.at(0).detail;
}

std::string missed(const std::string& fen, const std::string& move) {
  const Line line = line_at(fen);
  const auto findings =
      diagnose(line, {.missed = {*parse_uci(line.here(), move, line.notation())}});
  EXPECT_THAT(findings, SizeIs(1));
  return std::string(name_of(findings.at(0).cause)) + ": " + findings.at(0).detail;
}

TEST(Diagnosis, InventedCastling) {
  EXPECT_EQ(invented("4k3/8/8/8/2b5/8/8/4K2R w K - 0 1", "e1g1"),
            "castling-through-attack: f1 is attacked by the bishop on c4");
  EXPECT_EQ(invented("4k3/8/8/2b5/8/8/8/4K2R w K - 0 1", "e1g1"),
            "castling-into-attack: g1 is attacked by the bishop on c5");
  EXPECT_EQ(invented("4k3/8/8/8/1b6/8/8/4K2R w K - 0 1", "e1g1"),
            "castling-out-of-check: check is given by the bishop on b4");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4KN1R w K - 0 1", "e1g1"),
            "castling-through-men: the knight on f1 stands in the way");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4KBNR w K - 0 1", "e1g1"),
            "castling-through-men: the bishop on f1 and the knight on g1 stand in the way");
  EXPECT_EQ(invented("r3k3/8/8/8/8/8/8/RNBQK3 w Q - 0 1", "e1c1"),
            "castling-through-men: the knight on b1, the bishop on c1 and the queen on d1 stand in "
            "the way");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1g1"),
            "castling-without-right: the position gives no right to castle with the rook on h1");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e1c1"),
            "castling-without-rook: no rook stands on a1");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "e1f1 e8d8 f1e1 d8e8"),
            "castling-right-after-move: e1f1 moved the king, move 1 of the line");
  EXPECT_EQ(invented("r3k3/8/8/8/8/8/8/R3K3 b Qq - 0 1", "e8c8", "a8b8 e1e2 b8a8 e2e1"),
            "castling-right-after-move: a8b8 moved the rook away from a8, move 1 of the line");
  // There is a queen instead of a rook on the square.
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4K2Q w - - 0 1", "e1g1"),
            "castling-without-rook: no rook stands on h1");
}

TEST(Diagnosis, InventedCastlingOfChess960) {
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/rRK5 w B - 0 1", "c1b1"),
            "castling-uncovers-king: then check is given by the rook on a1");
  EXPECT_EQ(invented("1k6/8/8/8/8/8/8/RNK5 w A - 0 1", "c1a1"),
            "castling-through-men: the knight on b1 stands in the way");
}

TEST(Diagnosis, InventedPawnMoves) {
  EXPECT_EQ(invented("4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5"),
            "double-push-wrong-rank: the pawn on e3 has moved already");
  EXPECT_EQ(invented("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e4"),
            "double-push-over-man: the knight on e3 stands in the way");
  EXPECT_EQ(invented("4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e3"),
            "pawn-captures-ahead: it captures the knight on e3");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2d3"),
            "pawn-slants-without-capture: d3 is empty");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e1"),
            "captures-own: it captures the king on e1");
  EXPECT_EQ(invented("4k3/8/8/8/8/4P3/8/6K1 w - - 0 1", "e3e2"),
            "impossible: the pawn on e3 cannot reach e2 in one move");
  EXPECT_EQ(invented("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8"),
            "promotion-without-piece: the move does not name the piece");
  EXPECT_EQ(invented("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8k"),
            "promotion-wrong: no pawn becomes 'k'");
  EXPECT_EQ(invented("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "a6a7q"),
            "promotion-wrong: the pawn on a6 does not promote there");
  EXPECT_EQ(invented("4k3/8/8/7p/P7/8/8/4K3 w - - 0 1", "a4h5"),
            "impossible: the pawn on a4 cannot reach h5 in one move");
  EXPECT_EQ(invented("4k3/8/8/7p/8/P7/8/4K3 w - - 0 1", "a3h3"),
            "wraps-around: the pawn on a3 cannot reach h3 in one move");
}

TEST(Diagnosis, InventedEnPassant) {
  EXPECT_EQ(invented("8/8/8/8/R3Pp1k/8/8/4K3 b - e3 0 1", "f4e3"),
            "en-passant-opens-rank: then check is given by the rook on a4");
  EXPECT_EQ(invented("8/7k/8/8/4Pp2/3B4/8/4K3 b - e3 0 1", "f4e3"),
            "en-passant-opens-line: then check is given by the bishop on d3");
  EXPECT_EQ(invented("8/8/5k2/8/4Pp2/8/8/4KR2 b - e3 0 1", "f4e3"),
            "pinned-leaves-line: the pawn on f4 is pinned by the rook on f1");
  EXPECT_EQ(invented("4k3/8/8/8/5p2/8/4P3/4K3 w - - 0 1", "f4e3", "e2e4 e8d8 e1d1"),
            "en-passant-too-late: the pawn passed e3 3 plies ago");
  EXPECT_EQ(invented("4k3/8/8/8/5p2/4P3/8/4K3 w - - 0 1", "f4e3", "e3e4"),
            "en-passant-without-double-push: the last move was e3e4");
  EXPECT_EQ(invented("4k3/8/8/8/4Pp2/8/8/4K3 b - - 0 1", "f4e3"),
            "en-passant-without-double-push: the position has no en passant square e3");
}

TEST(Diagnosis, InventedMovesOfTheKing) {
  EXPECT_EQ(invented("4k3/8/8/r3K3/8/8/8/8 w - - 0 1", "e5f5"),
            "king-along-ray: f5 is attacked by the rook on a5");
  EXPECT_EQ(invented("4k3/8/8/8/8/2n5/4p3/4K3 w - - 0 1", "e1e2"),
            "king-captures-protected: the pawn on e2 is protected by the knight on c3");
  EXPECT_EQ(invented("4k3/8/8/8/8/2n5/8/4K3 w - - 0 1", "e1d1"),
            "king-into-attack: d1 is attacked by the knight on c3");
  EXPECT_EQ(invented("8/8/8/8/8/4k3/8/4K3 w - - 0 1", "e1e2"),
            "kings-adjacent: the king on e3 stands next to it");
}

TEST(Diagnosis, InventedMovesThatLeaveTheKingInCheck) {
  EXPECT_EQ(invented("4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3"),
            "pinned-leaves-line: the knight on e2 is pinned by the rook on e8");
  EXPECT_EQ(invented("4r1k1/8/8/8/8/N7/8/4K3 w - - 0 1", "a3b5"),
            "check-ignored: check is given by the rook on e8");
  EXPECT_EQ(invented("4r1k1/8/8/8/8/3n4/8/R3K3 w - - 0 1", "a1a2"),
            "double-check-ignored: check is given by the knight on d3 and the rook on e8");
}

TEST(Diagnosis, ANullMoveIsNoCastlingAndNoCapture) {
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1e8"),
            "null-move: it takes the king on e8 from afar");
  EXPECT_EQ(invented("8/8/8/8/1K5k/8/8/8 w - - 0 1", "b4h4"),
            "null-move: it takes the king on h4 from afar");
  EXPECT_EQ(invented("8/8/8/8/8/8/8/k3K2R w K - 0 1", "e1a1"),
            "null-move: it takes the king on a1 from afar");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a1"),
            "null-move: the rook on a1 stays where it is");
}

TEST(Diagnosis, AStepOfTwoSquaresIsCastlingOnlyWhereAKingCastles) {
  EXPECT_EQ(invented("8/8/8/8/1K6/8/8/7k w - - 0 1", "b4d4"),
            "impossible: the king on b4 cannot reach d4 in one move");
  EXPECT_EQ(invented("7k/8/8/8/8/8/8/1K6 w - - 0 1", "b1d1"),
            "impossible: the king on b1 cannot reach d1 in one move");
  EXPECT_EQ(invented("7k/8/8/8/8/8/8/4K3 w - - 0 1", "e1b1"),
            "impossible: the king on e1 cannot reach b1 in one move");
  EXPECT_EQ(invented("7k/8/8/8/8/8/8/1K6 w - - 0 1", "b1h1"),
            "impossible: the king on b1 cannot reach h1 in one move");
  EXPECT_EQ(invented("4K3/8/7k/8/8/8/8/8 w - - 0 1", "e8g8"),
            "impossible: the king on e8 cannot reach g8 in one move");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "d1f1", "e1d1 e8e7"),
            "castling-right-after-move: e1d1 moved the king, move 1 of the line");
  EXPECT_EQ(invented("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1h1"),
            "castling-without-right: the position gives no right to castle with the rook on h1");
}

TEST(Diagnosis, InChess960TheKingMayBeWrittenToWhereCastlingLeads) {
  EXPECT_EQ(invented("4k3/8/8/3b4/8/8/8/1K5R b H - 0 1", "b1g1", "d5h1"),
            "castling-without-rook: no rook stands on h1: d5h1 captured the rook on h1, move 1 of "
            "the line");
}

TEST(Diagnosis, MissedMovesOfPinnedPawns) {
  const Line line = line_at("2b5/1P5k/K7/8/8/8/8/8 w - - 0 1");
  Observation observation;
  for (const Move move : legal_moves(line.here())) {
    if (move.is_promotion() && to_string(move.to()) == "c8") observation.missed.push_back(move);
  }
  ASSERT_EQ(observation.missed.size(), 4U);
  EXPECT_EQ(diagnose(line, observation).at(0).cause, Cause::kPinnedPawnMissed);
  EXPECT_EQ(missed("7k/8/8/8/8/2b5/1P6/K7 w - - 0 1", "b2c3"),
            "pinned-pawn-missed: the pawn on b2 is pinned by the bishop on c3");
  EXPECT_EQ(missed("k3r3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e3"),
            "pinned-missed: the pawn on e2 is pinned by the rook on e8");
}

TEST(Diagnosis, WhereNothingIsListedTheOnlyMoveSaysWhy) {
  const auto nothing = [](const char* fen) {
    const Line line = line_at(fen);
    Observation observation{.lists_nothing = true};
    for (const Move move : legal_moves(line.here())) observation.missed.push_back(move);
    const Finding finding = diagnose(line, observation).at(0);
    return std::string(name_of(finding.cause)) + ": " + finding.detail;
  };
  EXPECT_EQ(
      nothing("6rk/8/8/5ppP/7K/r7/8/8 w - g6 0 1"),
      "en-passant-evasion-missed: check is given by the pawn on g5; the move captures the checking "
      "piece");
  EXPECT_EQ(nothing("4k3/8/8/8/8/8/7P/4K3 w - - 0 1"),
            "stops-early: the engine lists no move at all");
}

TEST(Diagnosis, EachWayOutOfACheckIsAFindingOfItsOwn) {
  const Line line = line_at("4r1k1/8/8/8/7B/8/3R4/4K3 w - - 0 1");
  Observation observation;
  for (const Move move : legal_moves(line.here())) observation.missed.push_back(move);
  std::vector<std::string> details;
  for (const Finding& finding : diagnose(line, observation)) {
    EXPECT_EQ(finding.cause, Cause::kEvasionMissed);
    details.push_back(finding.detail.substr(finding.detail.find("; ") + 2));
  }
  EXPECT_THAT(details,
              testing::UnorderedElementsAre("the king may step away", "the move blocks the line"));
}

TEST(Diagnosis, MovesNoPieceCanMake) {
  constexpr const char* kStart = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  EXPECT_EQ(invented(kStart, "e4e5"), "no-man-there: e4 is empty");
  EXPECT_EQ(invented(kStart, "e7e5"), "wrong-side: the pawn on e7 is not to move");
  EXPECT_EQ(invented(kStart, "d1d2"), "captures-own: it captures the pawn on d2");
  EXPECT_EQ(invented(kStart, "f1a6"), "jumps: the pawn on e2 stands between");
  EXPECT_EQ(invented(kStart, "b1b3"), "impossible: the knight on b1 cannot reach b3 in one move");
  EXPECT_EQ(invented("4k3/8/8/8/8/7N/8/4K3 w - - 0 1", "h3b5"),
            "wraps-around: the knight on h3 cannot reach b5 in one move");
  EXPECT_EQ(invented("4k3/8/4Q3/8/8/8/8/4K3 b - - 0 1", "e8e7"),
            "king-into-attack: e7 is attacked by the queen on e6");
}

TEST(Diagnosis, MissedMoves) {
  EXPECT_EQ(missed("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1").substr(0, 16), "castling-missed:");
  // Only another question shows whether the attack on b1 is the reason.
  const std::string attacked = missed("1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1");
  EXPECT_THAT(attacked, StartsWith("castling-missed: "));
  EXPECT_THAT(attacked, HasSubstr("the rook on b8"));
  EXPECT_EQ(missed("4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 1", "f4e3"),
            "en-passant-missed: it captures the pawn on e4");
  EXPECT_EQ(
      missed("8/8/8/3k4/4Pp2/8/8/4K3 b - e3 0 1", "f4e3"),
      "en-passant-evasion-missed: check is given by the pawn on e4; the move captures the checking "
      "piece");
  EXPECT_EQ(missed("8/8/8/8/4Pp2/R6k/8/4K3 b - e3 0 1", "f4e3"),
            "en-passant-block-missed: check is given by the rook on a3; the move blocks the line");
  EXPECT_EQ(missed("b6k/8/8/2pP4/4K3/8/8/8 w - c6 0 1", "d5c6"),
            "en-passant-pinned-missed: the pawn on d5 is pinned by the bishop on a8");
  EXPECT_EQ(missed("4r1k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2e8"),
            "pinned-missed: the rook on e2 is pinned by the rook on e8");
  EXPECT_EQ(missed("4r1k1/8/8/8/8/8/3R4/4K3 w - - 0 1", "d2e2"),
            "evasion-missed: check is given by the rook on e8; the move blocks the line");
  EXPECT_EQ(missed("4r1k1/8/6N1/8/8/8/8/4K3 w - - 0 1", "e1d1"),
            "evasion-missed: check is given by the rook on e8; the king may step away");
  EXPECT_EQ(missed("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4"),
            "double-push-missed: its way is free");
  EXPECT_EQ(missed("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e1d1"),
            "king-move-missed: d1 is not attacked");
  EXPECT_EQ(missed("4k3/8/8/2p5/8/1N6/8/4K3 w - - 0 1", "b3c5"),
            "move-missed: the knight on b3 may capture the pawn on c5");
}

TEST(Diagnosis, GroupsMovesByCause) {
  const Line line = line_at("4k3/P7/8/8/8/8/8/4K2R w K - 0 1");
  const auto of = [&](const char* text) { return *parse_uci(line.here(), text, line.notation()); };
  const auto findings = diagnose(line, {.missed = {of("a7a8r"), of("a7a8n"), of("e1g1")},
                                        .invented = {"e1e3", "h1g3", "e1g3"}});
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    texts.emplace_back(name_of(finding.cause));
    for (const std::string& move : finding.moves) texts.back() += ' ' + move;
  }
  EXPECT_THAT(texts, ElementsAre("impossible e1e3 h1g3 e1g3", "underpromotion-missed a7a8r a7a8n",
                                 "castling-missed e1g1"));
}

TEST(Diagnosis, AnEmptyListMayBeADrawTheEngineSees) {
  Line line = line_at("8/8/8/3k4/8/3K4/8/8 w - - 0 1");
  Observation nothing{.lists_nothing = true};
  for (const Move move : legal_moves(line.here())) nothing.missed.push_back(move);
  EXPECT_EQ(diagnose(line, nothing).at(0).cause, Cause::kStopsAtDraw);
  EXPECT_EQ(diagnose(line, nothing).at(0).moves.size(), nothing.missed.size());

  line = line_at("4k3/8/8/8/8/8/7P/4K3 w - - 0 1", "e1d1 e8d8 d1e1 d8e8");
  EXPECT_EQ(draw_reason(line), "the position has occurred before");
  line = line_at("4k3/8/8/8/8/8/7P/4K3 w - - 0 1", "e1d1");
  EXPECT_EQ(draw_reason(line), "");
}

TEST(Diagnosis, EveryCauseHasItsOwnNameAndRule) {
  std::set<std::string_view> names;
  std::set<std::string_view> rules;
  for (int i = 0; i <= static_cast<int>(Cause::kUnknown); ++i) {
    names.insert(name_of(static_cast<Cause>(i)));
    rules.insert(rule_of(static_cast<Cause>(i)));
  }
  EXPECT_THAT(names, SizeIs(static_cast<std::size_t>(Cause::kUnknown) + 1));
  EXPECT_THAT(rules, SizeIs(names.size()));
}

std::set<MoveKindSeen> kinds(std::string_view fen, int depth) {
  const MoveKinds found = kinds_below(*parse_line(fen, "", std::nullopt), Depth(depth));
  std::set<MoveKindSeen> kinds;
  for (std::size_t i = 0; i < kMoveKindsSeen; ++i) {
    if (found[i]) kinds.insert(static_cast<MoveKindSeen>(i));
  }
  return kinds;
}

bool has(std::string_view fen, MoveKindSeen kind, int depth = 1) {
  return kinds(fen, depth).contains(kind);
}

using Kinds = std::set<MoveKindSeen>;

// The kinds must be those of the published tables at each depth.
TEST(MoveKinds, OfKiwipeteGrowWithDepth) {
  EXPECT_EQ(kinds("kiwipete", 0), Kinds{});
  EXPECT_EQ(kinds("kiwipete", 1),
            (Kinds{kCapture, kDoubleStep, kCastlingKingSide, kCastlingQueenSide, kRightLost}));
  EXPECT_EQ(kinds("kiwipete", 2),
            (Kinds{kCapture, kDoubleStep, kEnPassant, kCastlingKingSide, kCastlingQueenSide,
                   kRightLost, kCheck, kCastlingForbidden, kPinned}));
  const Kinds deep = kinds("kiwipete", 3);
  EXPECT_TRUE(deep.contains(kMate) && deep.contains(kEvasion) && deep.contains(kRightCaptured));
  EXPECT_FALSE(deep.contains(kPromotion) || deep.contains(kDoubleCheck) ||
               deep.contains(kDiscoveredCheck) || deep.contains(kCastlingCheck));
  EXPECT_TRUE(kinds("startpos", 3).contains(kCheck));
  EXPECT_FALSE(kinds("startpos", 2).contains(kCheck));
}

TEST(MoveKinds, OfPositionsWithOneTrickEach) {
  EXPECT_TRUE(has("8/P6k/8/8/8/8/8/K7 w - - 0 1", kPromotion));
  EXPECT_FALSE(has("8/P6k/8/8/8/8/8/K7 w - - 0 1", kPromotionCheck));
  EXPECT_TRUE(has("7k/P7/8/8/8/8/8/K7 w - - 0 1", kPromotionCheck));
  EXPECT_TRUE(has("1n5k/P7/8/8/8/8/8/K7 w - - 0 1", kPromotionCapture));
  EXPECT_TRUE(has("5k2/8/8/8/8/8/8/4K2R w K - 0 1", kCastlingCheck));
  EXPECT_TRUE(has("7k/8/8/8/8/8/R7/K7 w - - 0 1", kCheck));
  EXPECT_FALSE(has("7k/8/8/8/8/8/P7/K7 w - - 0 1", kCheck));
  EXPECT_TRUE(has("k7/8/8/8/8/N7/8/R5K1 w - - 0 1", kDiscoveredCheck));
  EXPECT_TRUE(has("2k1B2R/Q7/5K2/8/8/1r6/3b4/7n w - - 0 1", kDiscoveredCheck));  // a mate
  EXPECT_FALSE(has("k7/8/8/8/8/N7/8/R5K1 w - - 0 1", kDoubleCheck));
  EXPECT_TRUE(has("k7/8/N7/8/8/8/8/R5K1 w - - 0 1", kDoubleCheck));
  EXPECT_TRUE(has("3k4/8/8/8/8/8/3r4/3K4 w - - 0 1", kEvasion));
  EXPECT_TRUE(has("4k3/8/8/8/1b6/8/4r3/4K3 w - - 0 1", kDoubleEvasion));
  EXPECT_TRUE(has("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", kMate));
  EXPECT_TRUE(has("7k/8/8/5KQ1/8/8/8/8 w - - 0 1", kStalemate));
  EXPECT_TRUE(has("4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1", kRightCaptured));
  EXPECT_FALSE(has("4k3/8/8/8/8/5b2/7R/4K2R b - - 0 1", kRightCaptured));
}

TEST(MoveKinds, EnPassantThatAnswersACheckOrStaysOnThePinsLine) {
  EXPECT_TRUE(has("6rk/8/8/5ppP/7K/r7/8/8 w - g6 0 1", kEnPassantEvasion));
  EXPECT_FALSE(has("6rk/8/8/5ppP/7K/r7/8/8 w - g6 0 1", kEnPassantPinned));
  EXPECT_TRUE(has("b6k/8/8/2pP4/4K3/8/8/8 w - c6 0 1", kEnPassantPinned));
  EXPECT_FALSE(has("b6k/8/8/2pP4/4K3/8/8/8 w - c6 0 1", kEnPassantEvasion));
  EXPECT_FALSE(has("7k/8/8/2pP4/4K3/8/8/8 w - c6 0 1", kEnPassantPinned));
}

TEST(MoveKinds, ForbiddenOnesCountToo) {
  EXPECT_TRUE(has("8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1", kEnPassant));
  EXPECT_FALSE(has("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("4k3/8/8/p6P/8/8/8/4K3 w - a6 0 1", kEnPassantForbidden));
  EXPECT_FALSE(has("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", kEnPassantForbidden));
  EXPECT_TRUE(has("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", kEnPassantForbidden, 2));

  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_TRUE(has("4k3/8/8/8/8/3r4/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_TRUE(has("4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_FALSE(has("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingForbidden));
  EXPECT_TRUE(has("4k3/8/8/8/8/8/8/rRK5 w B - 0 1", kCastlingForbidden));

  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", kCastlingBlocked));
  EXPECT_TRUE(has("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", kCastlingBlocked));
  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/RN2K2R w K - 0 1", kCastlingBlocked)) << "no right";
  EXPECT_FALSE(has("4k3/8/8/8/8/8/8/R1N1K2R w KQ - 0 1", kCastlingBlocked)) << "the king's";
  EXPECT_TRUE(has("4k3/8/8/8/8/N7/8/R3K2R w KQ - 0 1", kCastlingBlocked, 3));
  EXPECT_FALSE(has("4k3/8/8/8/8/N7/8/R3K2R w KQ - 0 1", kCastlingBlocked, 2));
  EXPECT_TRUE(has("4k3/8/8/8/8/8/8/1RKN4 w B - 0 1", kCastlingBlocked)) << "where the rook arrives";

  EXPECT_FALSE(has("3k4/8/8/8/8/8/4R3/4K3 w - - 0 1", kPinned));
  EXPECT_TRUE(has("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", kPinned));
  EXPECT_FALSE(has("4k3/4r3/8/8/4N3/8/4R3/4K3 w - - 0 1", kPinned));
  EXPECT_TRUE(has("4k3/8/8/8/1b6/8/3P4/4K3 w - - 0 1", kPinned));
}

TEST(MoveKinds, HaveWords) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < kMoveKindsSeen; ++i)
    words.insert(words_for(static_cast<MoveKindSeen>(i)));
  EXPECT_EQ(words.size(), kMoveKindsSeen);
  EXPECT_EQ(words_for(kStalemate), "stalemates");
  EXPECT_EQ(words_for(kEnPassant), "en passant captures");
}

// Runs each fault of the test engine on many positions. The right cause must be named, and no
// other.

struct MatrixPosition {
  std::string fen;
  int depth = 1;
};

/// Returns positions after random moves from the start position, the same ones each time.
std::vector<std::string> random_positions(std::size_t number) {
  std::mt19937 random(20'26);  // NOLINT: the same sequence is wanted
  std::vector<std::string> fens;
  while (fens.size() < number) {
    Line line;
    const std::size_t plies = 6 + random() % 90;
    for (std::size_t ply = 0; ply < plies; ++ply) {
      const MoveList moves = legal_moves(line.here());
      if (moves.empty()) break;
      line.play(moves[random() % moves.size()]);
    }
    if (!legal_moves(line.here()).empty()) fens.push_back(line.fen_here());
  }
  return fens;
}

std::vector<std::string> tricky_positions() {
  std::ifstream file(MANYPLY_SOURCE_DIR "/tools/suites/tricky.epd");
  std::vector<std::string> fens;
  for (std::string text; std::getline(file, text);) {
    if (text.find(';') == std::string::npos || text.starts_with('#')) continue;
    fens.push_back(text.substr(0, text.find(" ;")));
  }
  return fens;
}

/// Returns the largest depth up to three that has at most `most` paths.
int affordable(const std::string& fen, std::uint64_t most) {
  const Result<Line> line = parse_line(fen, "", std::nullopt);
  int depth = 1;
  for (; depth < 3; ++depth) {
    NodeCount sum;
    const Result<std::vector<DivideEntry>> rows = divide(line->here(), Depth(depth + 1));
    for (const DivideEntry& row : *rows) sum += row.nodes;
    if (sum > NodeCount(most)) break;
  }
  return depth;
}

std::vector<MatrixPosition> matrix_positions(std::size_t every, std::size_t random,
                                             std::uint64_t most) {
  std::vector<MatrixPosition> positions;
  const std::vector<std::string> tricky = tricky_positions();
  EXPECT_GT(tricky.size(), 20U);
  for (std::size_t i = 0; i < tricky.size(); i += every)
    positions.push_back({tricky[i], affordable(tricky[i], most)});
  for (const std::string& fen : random_positions(random))
    positions.push_back({fen, affordable(fen, most)});
  return positions;
}

/// Returns the names of all causes in the order in which they were found. If something failed,
/// returns the error instead.
std::vector<std::string> causes_of(const Hunt& hunt, std::vector<MatrixPosition> positions,
                                   const std::string& style) {
  EngineWords said;
  const auto engine = Engine::open(
      {.command = std::string("\"") + MANYPLY_BROKEN_ENGINE "\" " + hunt.bug + ' ' + style,
       .timeout_seconds = 300},
      {}, said);
  if (!engine) return {engine.error().to_string()};
  positions.insert(positions.begin(), {hunt.fen, std::stoi(hunt.depth)});
  std::vector<std::string> names;
  std::vector<Cause> known;
  for (const auto& [fen, depth] : positions) {
    BisectOptions options;
    options.known = known;
    options.divide = [](const Line& line, Depth plies) { return divide(line.here(), plies); };
    const Result<Line> line = parse_line(fen, "", std::nullopt);
    const auto report = bisect(**engine, *line, Depth(depth), options);
    if (!report || report->not_understood) {
      names.push_back((report ? "not understood" : report.error().to_string()) + " at " + fen);
      break;
    }
    for (const Cause cause : report->causes()) {
      if (std::ranges::count(known, cause) != 0) continue;
      known.push_back(cause);
      names.emplace_back(name_of(cause));
      if (names.size() > 1) names.back() += " at " + fen + " depth " + std::to_string(depth);
    }
  }
  return names;
}

/// Faults of other kinds than those of kHunts.
const std::vector<Hunt> kOtherHunts{
    {"right-lost-by-rook", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "3", "", "", "",
     "castling-right-lost"},
    {"right-of-inner-rook", "4k3/8/8/8/8/8/8/4K1RR w K - 0 1", "1", "", "", "",
     "castling-right-misread"},
    {"en-passant-bulk", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "2", "", "", "", "bulk-count"},
    {"bishop-jumps", "startpos", "1", "", "", "", "jumps"},
    {"queen-captures-own", "startpos", "1", "", "", "", "captures-own"},
    {"double-check-blocked", "4k3/8/8/8/1b2r3/8/8/1N2K3 w - - 0 1", "1", "", "", "",
     "double-check-ignored"},
    {"pawn-slants", "startpos", "1", "", "", "", "pawn-slants-without-capture"},
    {"double-step-from-third", "startpos", "3", "", "", "", "double-push-wrong-rank"},
    {"promotes-to-king", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "1", "", "", "", "promotion-wrong"},
    {"no-blocks", "4r2k/8/8/8/8/8/8/4K1N1 w - - 0 1", "1", "", "", "", "evasion-missed"},
    {"king-never-slants", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "1", "", "", "", "king-move-missed"},
    {"knight-never-back", "4k3/8/8/8/4N3/8/8/4K3 w - - 0 1", "1", "", "", "", "move-missed"},
    {"castling-by-place", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "1", "", "", "",
     "castling-without-right"},
    {"mover-stays", "4k3/8/8/8/8/8/8/3RK3 w - - 0 1", "2", "", "", "", "mover-stays"},
};

/// Fails if more than `wrong_allowed` faults get a wrong cause, or if the correct generator gets
/// any cause.
void expect_causes(const std::vector<MatrixPosition>& positions, std::size_t wrong_allowed,
                   const std::string& style = "stockfish") {
  std::vector<Hunt> hunts = kHunts;
  hunts.insert(hunts.end(), kOtherHunts.begin(), kOtherHunts.end());
  std::vector<std::string> wrong;
  for (const Hunt& hunt : hunts) {
    const std::vector<std::string> found = causes_of(hunt, positions, style);
    if (found == std::vector<std::string>{hunt.cause}) continue;
    wrong.push_back(hunt.bug + std::string(":"));
    for (const std::string& name : found) wrong.back() += "\n    " + name;
  }
  std::string text;
  for (const std::string& one : wrong) text += one + '\n';
  EXPECT_LE(wrong.size(), wrong_allowed) << text;
  const Hunt none{"none", "startpos", "3", "", "", "", ""};
  EXPECT_THAT(causes_of(none, positions, style), testing::IsEmpty());
}

std::string name_of_style(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

// The last two styles get each position as a FEN, so errors in making moves show only in counts.
class FaultMatrix : public ::testing::TestWithParam<const char*> {};
TEST_P(FaultMatrix, OneCauseOfEachFaultOnASample) {
  expect_causes(matrix_positions(9, 6, 1'000), 1, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Styles, FaultMatrix, ::testing::Values("stockfish", "no-moves", "xboard"),
                         name_of_style);

class FaultMatrixSlow : public ::testing::TestWithParam<const char*> {};
TEST_P(FaultMatrixSlow, OneCauseOfEachFaultOnAllPositions) {
  expect_causes(matrix_positions(1, 200, 10'000), 1, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Styles, FaultMatrixSlow,
                         ::testing::Values("stockfish", "rows", "lines", "no-moves", "xboard",
                                           "console", "lines-two"),
                         name_of_style);

/// Returns the only finding for the test engine with this bug and style.
std::string finding_of(const std::string& bug, const std::string& fen, int depth) {
  EngineWords said;
  const auto engine = Engine::open(
      {.command = std::string("\"") + MANYPLY_BROKEN_ENGINE "\" " + bug, .timeout_seconds = 300},
      {}, said);
  if (!engine) return engine.error().to_string();
  const auto report = bisected(**engine, fen, depth);
  if (!report) return report.error().to_string();
  if (report->differences.size() != 1 || report->differences[0].findings.size() != 1)
    return "not one finding";
  const Finding& finding = report->differences[0].findings[0];
  return std::string(name_of(finding.cause)) + ": " + finding.detail;
}

TEST(FirstCause, IsTheMoveThatBrokeThePosition) {
  EXPECT_EQ(finding_of("castling-rook-stays", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 3),
            "castling-rook-stays: after e1c1 the rook is still on a1");
  EXPECT_EQ(finding_of("promoted-stays-pawn", "8/P6k/8/8/8/8/8/K7 w - - 0 1", 3),
            "promoted-stays-pawn: after a7a8q the promoted piece is still a pawn");
  EXPECT_EQ(finding_of("en-passant-victim-stays", "7k/8/8/8/1Pp5/8/8/K7 b - b3 0 1", 3),
            "en-passant-victim-stays: after c4b3 the captured pawn is still on b4");
}

TEST(FirstCause, OfAnEngineThatIsToldFensIsTheMoveToo) {
  EXPECT_EQ(finding_of("castling-rook-stays no-moves", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", 3),
            "castling-rook-stays: after e1c1 the rook is still on a1");
  EXPECT_EQ(finding_of("right-lost-by-rook no-moves", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", 3),
            "castling-right-lost: every count is what it would be if a rook's move ended both "
            "castling rights");
}

// The counts of depth 2 alone would also fit an engine that omits en passant captures only in the
// last ply.
TEST(FirstCause, OneMorePlyTellsTheLastPlyFromAFaultOfAllPlies) {
  const char* const fen = "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1";
  EXPECT_THAT(finding_of("en-passant-never no-moves", fen, 2),
              testing::StartsWith("en-passant-missed: "));
  EXPECT_THAT(finding_of("en-passant-bulk no-moves", fen, 2), testing::StartsWith("bulk-count: "));
}

TEST(FirstCause, IsTheReadingOfTheFensCastlingRight) {
  const std::string read =
      "castling-right-misread: the castling right of the rook on h1 is read "
      "as a right of the rook on g1";
  for (const std::string style : {"stockfish", "no-moves"}) {
    const std::string engine = "right-of-inner-rook " + style;
    EXPECT_EQ(finding_of(engine, "4k3/8/8/8/8/8/8/4K1RR w K - 0 1", 1), read) << style;
    EXPECT_EQ(finding_of(engine, "4k3/8/8/8/8/8/7r/4K1RR b K - 0 1", 2), read) << style;
  }
  // The engine has the right of the inner rook and loses it when that rook moves.
  EXPECT_EQ(finding_of("right-of-inner-rook", "4k3/8/8/8/2b5/8/8/4K1RR w K - 0 1", 3), read);
}

TEST(FirstCause, ShowsWhereNoMoveIsLegal) {
  const char* const back_rank_mate = "6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1";
  EXPECT_EQ(finding_of("king-along-ray", back_rank_mate, 2),
            "king-along-ray: h8 is attacked by the rook on e8");
  EXPECT_THAT(finding_of("stalemate-counts", back_rank_mate, 2),
              testing::StartsWith("no-moves-counted: the right count of e1e8 "));
}

TEST(FirstCause, IsTheDrawAtWhichTheSearchStops) {
  const char* const late = "8/8/8/8/8/k7/8/K6R w - - 98 80";
  for (const std::string style : {"stockfish", "no-moves", "xboard"}) {
    EXPECT_THAT(finding_of("fifty-moves-end " + style, late, 3),
                testing::AllOf(testing::StartsWith("stops-at-draw: "),
                               testing::HasSubstr("the fifty-move rule allows a draw: 100")))
        << style;
  }
}

TEST(FirstCause, ClaimsNoAttackWithoutProof) {
  const char* const attacked = "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1";
  EXPECT_THAT(finding_of("castling-never", attacked, 1), testing::StartsWith("castling-missed: "));
  EXPECT_THAT(finding_of("castling-long-never", attacked, 1),
              testing::StartsWith("castling-missed: "));
  EXPECT_EQ(finding_of("castling-refused-b1", attacked, 1),
            "castling-missed-rook-attacked: it is listed without the rook on b8");
}

TEST(FirstCause, IsACheckOrPinOnlyIfTheMoveIsListedWithoutIt) {
  EXPECT_EQ(finding_of("king-never-slants", "4k3/8/8/8/8/8/8/K6r w - - 0 1", 1),
            "king-move-missed: a1b2 is missing, too, without the rook on h1");
  EXPECT_THAT(finding_of("knight-never-back", "7k/8/8/8/8/4N3/8/K6r w - - 0 1", 1),
              testing::AllOf(testing::StartsWith("move-missed: "),
                             testing::HasSubstr("is missing, too, without the rook on h1")));
  EXPECT_THAT(finding_of("no-blocks", "4r2k/8/8/8/8/8/8/4K1N1 w - - 0 1", 1),
              testing::StartsWith("evasion-missed: "));
  EXPECT_THAT(finding_of("pinned-stuck", "4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", 1),
              testing::StartsWith("pinned-missed: "));
}

// A promotion that is missing in check, and a list without moves.
TEST(FirstCause, IsTheOneThatExplainsOtherPositions) {
  EXPECT_THAT(finding_of("no-blocks", "8/8/8/8/8/K7/3p4/k6R b - - 0 1", 1),
              testing::StartsWith("evasion-missed: "));
  EXPECT_EQ(finding_of("king-never-slants", "7k/7p/8/8/8/2n5/8/K7 w - - 0 1", 1),
            "king-move-missed: a1b2 is missing, too, without the other pieces");
}

TEST(FirstCause, OfMovesOfPinnedPawnsIsTheMoreGeneralOne) {
  const char* const pinned = "2b5/1P5k/K7/8/8/8/8/8 w - - 0 1";
  EXPECT_THAT(finding_of("promotion-capture-missing", pinned, 1),
              testing::StartsWith("promotion-capture-missed: "));
}

TEST(UnreachablePositions, AreKnownByTheirChecksAndPieces) {
  const auto reason = [](const char* fen) {
    return unreachable_reason(parse_line(fen, "", std::nullopt)->here());
  };
  EXPECT_EQ(reason("4k3/8/8/b7/8/2K5/8/4b3 w - - 0 1"),
            "two pieces give check along one line, from opposite sides of the king");
  EXPECT_EQ(reason("k7/8/8/4b3/4b3/2K5/2n5/8 w - - 0 1"), "");
  EXPECT_NE(reason("k7/8/8/1n3n2/3K4/8/8/8 w - - 0 1"), "");
  EXPECT_NE(reason("k7/8/8/8/QQQQQQQQ/Q7/Q7/7K b - - 0 1"), "");
  EXPECT_EQ(reason("4k3/8/8/8/7b/8/3n4/4K2R w K - 0 1"), "");
  EXPECT_EQ(reason("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "");
}

}  // namespace
}  // namespace manyply
