// The oracle: a second, deliberately naive chess move generator. Its results are the ground truth
// of the tests.
//
// It shares no code with the library, so that it cannot repeat a mistake of the library. It uses a
// 10x12 mailbox, pseudo-legal generation, and one rule of legality: the king must not be attacked
// after its side's move. Each rule of chess is in one place of oracle.cpp and can be compared with
// a rule book. There is no state; all functions are safe to call from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace manyply::oracle {

/// Index into the 10x12 mailbox: a1 = 21, h1 = 28, a2 = 31, h8 = 98; all other squares are border.
using Square = int;

inline constexpr Square kNoSquare = 0;
inline constexpr char kEmpty = '.';
inline constexpr char kBorder = '#';

/// A position. Two positions have the same perft if identity() returns the same text for both.
struct Position {
  /// FEN letters, kEmpty or kBorder. Use operator[] to read and write them.
  std::array<char, 120> board;
  /// The square of the rook of each castling right, in the order KQkq; kNoSquare if the right is
  /// absent.
  std::array<Square, 4> castling_rooks;
  /// If the last move was a double step of a pawn, the square that the pawn passed, even if no pawn
  /// can capture there; otherwise kNoSquare.
  Square en_passant;
  bool white_to_move;
  /// Affects only the text of moves and FENs; the rules are always those of Chess960.
  bool chess960;
  int halfmove_clock;
  int fullmove_number;

  [[nodiscard]] char operator[](Square square) const {
    return board[static_cast<std::size_t>(square)];
  }
  [[nodiscard]] char& operator[](Square square) { return board[static_cast<std::size_t>(square)]; }
};

/// Castling is a move of the king onto the square of its own rook. `promotion` is one of "qrbn", or
/// 0.
struct Move {
  Square from;
  Square to;
  char promotion;

  bool operator==(const Move&) const = default;
};

/// Reads 4 to 6 fields of a FEN. Castling rights are read as in FEN, X-FEN or Shredder-FEN. The
/// position is Chess960 if `force_chess960` is set, if a castling right is a file letter, or if a
/// king or rook with a right is not on its standard square.
///
/// Throws std::invalid_argument if the text is not a FEN, or if no game can continue from the
/// position: a side does not have exactly one king, or has more than 16 pieces; a pawn is on the
/// first or last rank; a king can be captured; a castling right has no rook, or its king is not on
/// the side's first rank; or no pawn has just passed the en passant square.
[[nodiscard]] Position parse(std::string_view fen, bool force_chess960 = false);

/// Returns six fields. The en passant square is present only if a capture there is legal. Castling
/// rights are written as KQkq, or as files of rooks (HAha) if position.chess960 is true.
[[nodiscard]] std::string to_fen(const Position& position);

/// Returns the first four fields of to_fen().
[[nodiscard]] std::string identity(const Position& position);

[[nodiscard]] std::vector<Move> legal_moves(const Position& position);

/// Returns the pseudo-legal moves: those that follow the rules of motion, even if their king can
/// then be captured. Excludes castling out of check or through an attacked square.
[[nodiscard]] std::vector<Move> candidate_moves(const Position& position);

/// Returns whether a piece of White (if `by_white`) or Black attacks `square`, which may be empty
/// or hold any piece.
[[nodiscard]] bool attacks(const Position& position, bool by_white, Square square);

/// Returns legal_moves().size(), but faster: makes only the moves that could expose the king.
[[nodiscard]] std::uint64_t count_legal_moves(const Position& position);

/// Returns the position after a move. Does not check that the move is legal.
[[nodiscard]] Position after(const Position& position, const Move& move);

/// Returns the move in UCI notation. Castling is written "e1g1", or as the king's move to its rook,
/// "e1h1", if position.chess960 is true.
[[nodiscard]] std::string uci(const Position& position, const Move& move);

/// Returns the legal move with that UCI text. Throws std::invalid_argument if there is none.
[[nodiscard]] Move move_from_uci(const Position& position, std::string_view text);

[[nodiscard]] bool in_check(const Position& position);

/// Returns the number of legal move sequences of exactly `depth` plies; perft(0) = 1. Uses
/// count_legal_moves() for the last ply.
[[nodiscard]] std::uint64_t perft(const Position& position, int depth);

/// Returns perft(depth - 1) after each legal move; depth >= 1.
[[nodiscard]] std::map<std::string, std::uint64_t> divide(const Position& position, int depth);

}  // namespace manyply::oracle
