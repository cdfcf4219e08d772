// The oracle: a second, deliberately naive chess move generator, the ground truth of the tests.
//
// It shares nothing with the library, so that a mistake there cannot repeat itself here: a 10x12
// mailbox, pseudo-legal generation, and one rule of legality ("the own king is not attacked after
// the move"). Every rule of chess is written in one place of oracle.cpp, for reading beside a rule
// book. No state, every function may be called by any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace manyply::oracle {

/// Index into the 10x12 mailbox: a1 = 21, h1 = 28, a2 = 31, h8 = 98; the rest is border.
using Square = int;

inline constexpr Square kNoSquare = 0;
inline constexpr char kEmpty = '.';
inline constexpr char kBorder = '#';

/// A value. Two positions are the same to perft when `identity` gives the same text.
struct Position {
  /// FEN letters, kEmpty or kBorder. Read and written by operator[].
  std::array<char, 120> board;
  /// Where the rook of each castling right stands, in the order KQkq; kNoSquare without the right.
  std::array<Square, 4> castling_rooks;
  /// The square that the last move, a pawn's double step, passed over; whether a pawn can capture
  /// there is not recorded.
  Square en_passant;
  bool white_to_move;
  /// Changes the text of moves and FENs only; the rules are those of Chess960 always.
  bool chess960;
  int halfmove_clock;
  int fullmove_number;

  [[nodiscard]] char operator[](Square square) const {
    return board[static_cast<std::size_t>(square)];
  }
  [[nodiscard]] char& operator[](Square square) { return board[static_cast<std::size_t>(square)]; }
};

/// Castling is the king moving onto its own rook. `promotion` is one of "qrbn", or 0.
struct Move {
  Square from;
  Square to;
  char promotion;

  bool operator==(const Move&) const = default;
};

/// Reads 4 to 6 fields; castling as FEN, X-FEN or Shredder-FEN. The position is Chess960 if a right
/// is given by a file letter, or for a king or rook away from its standard square, or if forced.
/// Throws std::invalid_argument for text that is no FEN and for positions that cannot be played on:
/// not one king each, more than 16 pieces, pawn on an outer rank, king capturable, right without
/// rook, en passant square that no pawn has just passed.
[[nodiscard]] Position parse(std::string_view fen, bool force_chess960 = false);

/// Six fields. The en passant square is written only if a capture there is legal; castling rights
/// as KQkq, in Chess960 as file letters (HAha).
[[nodiscard]] std::string to_fen(const Position& position);

/// The first four fields of `to_fen`.
[[nodiscard]] std::string identity(const Position& position);

[[nodiscard]] std::vector<Move> legal_moves(const Position& position);

/// What the rules of motion allow, the own king's safety aside: `legal_moves` is what is left of
/// it.
[[nodiscard]] std::vector<Move> candidate_moves(const Position& position);

/// Whether a piece of that side attacks `square`, whatever stands there.
[[nodiscard]] bool attacks(const Position& position, bool by_white, Square square);

/// legal_moves().size(), faster: only moves that could expose the king are tried out.
[[nodiscard]] std::uint64_t count_legal_moves(const Position& position);

/// The move is not checked.
[[nodiscard]] Position after(const Position& position, const Move& move);

/// UCI text; castling is "e1g1", in Chess960 king takes rook, "e1h1".
[[nodiscard]] std::string uci(const Position& position, const Move& move);

/// The legal move of that UCI text. Throws std::invalid_argument if there is none.
[[nodiscard]] Move move_from_uci(const Position& position, std::string_view text);

[[nodiscard]] bool in_check(const Position& position);

/// Number of legal move paths of exactly `depth` plies; perft(0) = 1. The last ply is counted by
/// count_legal_moves().
[[nodiscard]] std::uint64_t perft(const Position& position, int depth);

/// perft(depth - 1) behind each legal move; depth >= 1.
[[nodiscard]] std::map<std::string, std::uint64_t> divide(const Position& position, int depth);

}  // namespace manyply::oracle
