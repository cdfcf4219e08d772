#include "tools/text/move_meaning.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "core/movegen.h"
#include "tools/text/reach.h"

namespace manyply {
namespace {

bool is_castling(Move move) { return move.kind() == MoveKind::kCastling; }

bool is_piece(char letter) { return std::string_view("pnbrqk").find(letter) != std::string::npos; }

std::string squares(Square from, Square to) { return to_string(from) + to_string(to); }

/// Finds the illegal move that a short text means, if only one piece could make it.
class Inventor {
 public:
  Inventor(const WrittenMove& written, const NamedPosition& where)
      : written_(written),
        position_(where.position),
        chess960_(where.notation == CastlingNotation::kChess960),
        us_(position_.side_to_move()) {}

  [[nodiscard]] std::optional<std::string> move() const {
    if (written_.castling != WrittenMove::Castling::kNone)
      return castling(written_.castling == WrittenMove::Castling::kKingSide);
    if (written_.or_bishop || !written_.piece) return std::nullopt;
    if (*written_.piece == PieceType::kPawn) return pawn_move();
    std::optional<Square> from;
    for (int i = 0; i < kSquares; ++i) {
      const Square square = square_at(i);
      const auto piece = position_.piece_on(square);
      if (piece != Piece{us_, *written_.piece} || !is_origin(square)) continue;
      if ((reach(piece->type, square, position_.board().occupied()) & bit(written_.to)) == 0)
        continue;
      if (from) return std::nullopt;
      from = square;
    }
    if (from) return squares(*from, written_.to);
    return king_written_castling();
  }

 private:
  [[nodiscard]] bool is_origin(Square square) const {
    return (!written_.from_file || *written_.from_file == file_of(square)) &&
           (!written_.from_rank || *written_.from_rank == rank_of(square));
  }
  [[nodiscard]] Square king() const { return square_at(lowest(position_.board().of(us_).king)); }
  [[nodiscard]] int home_rank() const { return us_ == Color::kWhite ? 0 : 7; }

  /// Returns the castling move; nullopt if it is impossible. Standard chess requires a king on its
  /// home square; Chess960 uses the outermost rook of that side.
  [[nodiscard]] std::optional<std::string> castling(bool king_side) const {
    if (rank_of(king()) != home_rank()) return std::nullopt;
    if (!chess960_) {
      if (file_of(king()) != 4) return std::nullopt;
      return squares(king(), square_at(king_side ? 6 : 2, home_rank()));
    }
    const int step = king_side ? -1 : 1;
    for (int file = king_side ? 7 : 0; file != file_of(king()); file += step) {
      const Square square = square_at(file, home_rank());
      if (position_.piece_on(square) == Piece{us_, PieceType::kRook})
        return squares(king(), square);
    }
    return std::nullopt;
  }

  /// Returns the castling move for "Kg1" with the king on e1.
  [[nodiscard]] std::optional<std::string> king_written_castling() const {
    const bool home = *written_.piece == PieceType::kKing && !chess960_ && is_origin(king()) &&
                      rank_of(written_.to) == home_rank();
    if (!home || (file_of(written_.to) != 6 && file_of(written_.to) != 2)) return std::nullopt;
    return castling(file_of(written_.to) == 6);
  }

  [[nodiscard]] std::optional<std::string> pawn_move() const {
    const int back = us_ == Color::kWhite ? -1 : 1;
    const int rank = rank_of(written_.to) + back;
    std::optional<Square> from;
    const auto try_from = [&](int from_rank) {
      const bool on_board = from_rank > 0 && from_rank < 7;
      if (from || !on_board) return;
      const Square square = square_at(written_.from_file.value_or(file_of(written_.to)), from_rank);
      if (position_.piece_on(square) == Piece{us_, PieceType::kPawn}) from = square;
    };
    try_from(rank);
    const int second = us_ == Color::kWhite ? 1 : 6;
    if (!written_.from_file && rank + back == second) try_from(second);
    if (!from) return std::nullopt;
    std::string text = squares(*from, written_.to);
    if (written_.promotion != '\0') text += written_.promotion;
    return text;
  }

  const WrittenMove& written_;
  const Position& position_;
  bool chess960_;
  Color us_;
};

}  // namespace

MoveMeaning meaning_of(const WrittenMove& written, const NamedPosition& where) {
  std::vector<Move> meant = legal_moves_meant(where.position, written);
  const auto text = [&](Move move) { return to_uci(move, where.notation); };
  if (written.is_long()) {  // the form of this notation takes precedence
    const std::string exact = squares(written.from(), written.to);
    std::ranges::stable_partition(meant, [&](Move move) { return text(move).starts_with(exact); });
    if (!meant.empty()) return {text(meant[0]), "", true, meant.size() > 1};
    if (written.promotion == '\0') return {exact, ""};
    // The squares are legal without a letter, or with 'q' in place of an unknown one: ask about the
    // letter.
    WrittenMove other = written;
    for (const char promotion : {'\0', 'q'}) {
      const bool known = promotion != '\0' && is_piece(written.promotion);
      other.promotion = promotion;
      if (!known && !legal_moves_meant(where.position, other).empty()) {
        return {"", exact + " is legal, but what means the '" + std::string(1, written.promotion) +
                        "' behind it?"};
      }
    }
    return {exact + written.promotion, ""};
  }
  std::ranges::stable_partition(meant, std::not_fn(is_castling));
  if (meant.size() > 1 && !is_castling(meant[1]))
    return {"", "may be " + text(meant[0]) + " or " + text(meant[1])};
  if (!meant.empty()) {
    bool doubtful = meant.size() > 1;
    if (written.castling !=
        WrittenMove::Castling::kNone)  // some programs write both castlings alike
      doubtful = std::ranges::count_if(legal_moves(where.position), is_castling) > 1;
    if (written.or_bishop) {
      WrittenMove bishop = written;
      bishop.piece = PieceType::kBishop;
      bishop.from_file.reset();
      for (const Move move : legal_moves_meant(where.position, bishop))
        doubtful |= move != meant[0];
    }
    return {text(meant[0]), "", true, doubtful};
  }
  if (auto move = Inventor(written, where).move()) return {*std::move(move), ""};
  return {"", "is not a possible move here"};
}

}  // namespace manyply
