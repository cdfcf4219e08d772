// A configuration: one side's half of a position.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/board.h"
#include "core/geometry.h"

namespace manyply {

/// The pieces of one side, and the squares of its rooks that may still castle. A position consists
/// of a configuration of White, a configuration of Black, the side to move, and in some positions
/// an en passant right.
struct Configuration {
  Pieces pieces;
  Bitboard castling = 0;
  friend constexpr bool operator==(const Configuration&, const Configuration&) = default;
};

/// Returns the configuration of `side` in `board`.
constexpr Configuration configuration_of(const Board& board, Color side) {
  return {.pieces = board.of(side), .castling = board.castling & back_rank(side)};
}

/// Returns `configuration` after the capture of its piece on `square`, which must not be its king.
constexpr Configuration without(Configuration configuration, int square) {
  const Bitboard rest = ~bit(square);
  Pieces& pieces = configuration.pieces;
  pieces.pawns &= rest;
  pieces.knights &= rest;
  pieces.bishops_queens &= rest;
  pieces.rooks_queens &= rest;
  configuration.castling &= rest;
  return configuration;
}

/// Returns `configuration` after an en passant capture by its pawn, from `from` to `to`.
constexpr Configuration with_pawn_moved(Configuration configuration, int from, int to) {
  configuration.pieces.pawns ^= bit(from) | bit(to);
  return configuration;
}

/// Returns the position that consists of two configurations, without an en passant square.
/// `to_move` is the side of `mover`. Too slow for hot paths.
constexpr Board board_of(const Configuration& mover, const Configuration& other, Color to_move) {
  Board board;
  board.of(to_move) = mover.pieces;
  board.of(~to_move) = other.pieces;
  board.castling = mover.castling | other.castling;
  board.side_to_move = to_move;
  return board;
}

/// Returns the squares that a pawn of `side` on `square` attacks.
constexpr Bitboard pawn_attacks_of(Color side, int square) {
  return side == Color::kWhite ? pawn_attacks<Color::kWhite>(bit(square))
                               : pawn_attacks<Color::kBlack>(bit(square));
}

/// Returns the squares that the pawns, knights and king of `pieces` attack. `side` is the side of
/// the pieces.
constexpr Bitboard stepping_attacks(const Pieces& pieces, Color side) {
  Bitboard attacked = kKingAttacks[static_cast<std::size_t>(lowest(pieces.king))];
  attacked |= side == Color::kWhite ? pawn_attacks<Color::kWhite>(pieces.pawns)
                                    : pawn_attacks<Color::kBlack>(pieces.pawns);
  for (Bitboard knights = pieces.knights; knights != 0;)
    attacked |= kKnightAttacks[static_cast<std::size_t>(pop_lowest(knights))];
  return attacked;
}

/// Returns the number of pawns on each file, in three bits each. It changes if a pawn captures, is
/// captured or promotes.
constexpr std::uint64_t pawn_files(const Pieces& pieces) {
  std::uint64_t files = 0;
  for (int file = 0; file < 8; ++file)
    files = files << 3 | static_cast<std::uint64_t>(popcount(pieces.pawns & file_mask(file)));
  return files;
}

/// The number of pawns on each file, and the numbers of knights, bishops, rooks and queens. Two
/// configurations of the same kind form pairs with mostly the same configurations of the other
/// side. Only a pawn's capture, a promotion, or the loss of a piece changes the kind.
using ConfigurationKind = std::uint64_t;

/// Returns the kind of `configuration`.
constexpr ConfigurationKind kind_of(const Configuration& configuration) {
  const Pieces& pieces = configuration.pieces;
  ConfigurationKind kind = pawn_files(pieces);
  for (const Bitboard set :
       {pieces.knights, pieces.bishops_queens & ~pieces.rooks_queens,
        pieces.rooks_queens & ~pieces.bishops_queens, pieces.bishops_queens & pieces.rooks_queens})
    kind = kind << 4 | static_cast<std::uint64_t>(popcount(set));
  return kind;
}

/// Returns the number of pawns on `file` in configurations of kind `kind`.
constexpr int pawns_of_kind(ConfigurationKind kind, int file) {
  return static_cast<int>(kind >> (16 + 3 * (7 - file)) & 7);
}

}  // namespace manyply
