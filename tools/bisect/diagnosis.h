// Which rule of chess an engine breaks, judged from the moves that it misses and invents in one
// position and from how that position came about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fen.h"
#include "core/node_count.h"

namespace manyply {

/// A position and the moves that led there.
class Line {
 public:
  /// `fen` is what an engine is told: the position as its user wrote it, or its canonical FEN.
  Line(const NamedPosition& start, std::string fen, std::optional<Square> passed);

  [[nodiscard]] const Position& here() const { return positions_.back(); }
  [[nodiscard]] CastlingNotation notation() const { return notation_; }
  [[nodiscard]] const std::string& start_fen() const { return fen_; }
  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
  /// The position before move `ply`; positions()[moves().size()] is here().
  [[nodiscard]] const std::vector<Position>& positions() const { return positions_; }
  /// The square that the last move, a pawn's double step, passed over.
  [[nodiscard]] std::optional<Square> passed() const { return passed_.back(); }
  /// The same before move `ply`.
  [[nodiscard]] std::optional<Square> passed_at(std::size_t ply) const { return passed_[ply]; }

  /// Precondition: `move` is legal here.
  void play(Move move);
  /// The line with `move` at its end; precondition as of play().
  [[nodiscard]] Line after(Move move) const;
  /// This position told as a FEN, without its past; the passed square always stands in it.
  [[nodiscard]] Line as_fen() const { return from(moves_.size()); }
  /// The position before move `ply` as a FEN, and the moves from there on.
  [[nodiscard]] Line from(std::size_t ply) const;
  [[nodiscard]] std::string fen_here() const { return as_fen().start_fen(); }
  [[nodiscard]] std::vector<std::string> uci_moves() const;

 private:
  CastlingNotation notation_;
  std::string fen_;
  std::vector<Move> moves_;
  std::vector<Position> positions_;
  std::vector<std::optional<Square>> passed_;
};

enum class Cause {
  kCastlingThroughAttack,
  kCastlingIntoAttack,
  kCastlingOutOfCheck,
  kCastlingThroughMen,
  kCastlingUncoversKing,
  kCastlingRightAfterCapture,
  kCastlingRightAfterMove,
  kCastlingWithoutRook,
  kCastlingWithoutRight,
  kCastlingRightLost,
  kCastlingMissedRookAttacked,
  kCastlingMissed,
  kEnPassantOpensRank,
  kEnPassantOpensLine,
  kEnPassantTooLate,
  kEnPassantWithoutDoublePush,
  kEnPassantEvasionMissed,
  kEnPassantMissed,
  kPromotionWithoutPiece,
  kUnderpromotionMissed,
  kPromotionMissed,
  kPromotionWrong,
  kPinnedLeavesLine,
  kPinnedMissed,
  kKingAlongRay,
  kKingCapturesProtected,
  kKingIntoAttack,
  kKingsAdjacent,
  kCheckIgnored,
  kDoubleCheckIgnored,
  kEvasionMissed,
  kCapturesOwn,
  kCapturesKing,
  kWrapsAround,
  kJumps,
  kImpossible,
  kWrongSide,
  kNoManThere,
  kDoublePushWrongRank,
  kDoublePushOverMan,
  kDoublePushMissed,
  kPawnCapturesAhead,
  kPawnSlantsWithoutCapture,
  kKingMoveMissed,
  kMoveMissed,
  kNoMovesCounted,
  kStopsAtDraw,
  kStopsEarly,
  kListedTwice,
  kCountAtDepthOne,
  kBulkCount,
  kUndoDamage,
  kMoveListWrong,
  kPlayedWrong,
  kUnknown,
};

/// A short name for programs, "castling-through-attack", and the rule in words.
[[nodiscard]] std::string_view name_of(Cause cause);
[[nodiscard]] std::string_view rule_of(Cause cause);

struct CountDifference {
  std::string move;
  NodeCount ours;
  NodeCount engine;
};

/// What an engine says about one position, compared with the truth.
struct Observation {
  std::vector<Move> missed{};           ///< legal moves that it does not list
  std::vector<std::string> invented{};  ///< moves that it lists and that are not legal
  std::vector<std::string> repeated{};  ///< moves that it lists more than once
  std::vector<CountDifference>
      counts{};  ///< wrong counts behind legal moves, where the search ends
  bool lists_nothing = false;
  /// Whether the engine is right when it is given the same position as a FEN.
  std::optional<bool> right_as_fen{};
};

/// One rule and all the moves that break it.
struct Finding {
  Cause cause = Cause::kUnknown;
  std::string detail;  ///< about the first of the moves, "f1 is attacked by the bishop on b5"
  std::vector<std::string> moves;
};

/// Every difference is in exactly one finding; the findings that explain most come first.
[[nodiscard]] std::vector<Finding> diagnose(const Line& line, const Observation& observation);

/// Why a search might take this position for drawn, empty if it has no reason to: too few men, or a
/// position that stood on the board before.
[[nodiscard]] std::string draw_reason(const Line& line);

/// Pieces as people call them: "the bishop on b5".
[[nodiscard]] std::string man_on(const Position& position, Square square);

}  // namespace manyply
