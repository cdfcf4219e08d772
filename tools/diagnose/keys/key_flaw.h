// What programs get wrong about their keys, by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_source.h"

namespace manyply {

enum class KeyFlaw : std::uint8_t {
  // The key after a move is not that of the position.
  kSideNotChanged,
  kPieceLeftBehind,
  kPieceNotPut,
  kPieceNotMoved,
  kCaptureKept,
  kCaptureWrongPiece,
  kEnPassantPawnKept,
  kEnPassantPawnWrongSquare,
  kCastledRookLeftBehind,
  kCastledRookNotPut,
  kCastledRookNotMoved,
  kCastledRookWrongSquare,
  kPromotionAsPawn,
  kPromotionWrongPiece,
  kPromotionPawnKept,
  kRightKeptAfterKingMove,
  kRightKeptAfterCastling,
  kRightKeptAfterRookMove,
  kRightKeptAfterRookCapture,
  kRightLostWithoutCause,
  kRightComesBack,
  kEnPassantKept,
  kEnPassantNotSet,
  kEnPassantWrongSquare,
  kEnPassantWithoutDoublePush,
  kOtherPiece,
  kNotUpdated,
  kNoSquareNumber,
  kLastRightNumber,
  kUnexplained,
  // Different positions have one key.
  kSideIgnored,
  kCastlingIgnored,
  kRightIgnored,
  kRightsAlike,
  kEnPassantIgnored,
  kEnPassantFilesAlike,
  kColoursAlike,
  kPiecesAlike,
  kSquaresAlike,
  kPieceIgnored,
  kZeroNumber,
  kEqualNumbers,
  kDependentNumbers,
  kShortNumbers,
  kOneKey,
  // A position that is set up has another key than the same one played.
  kSideNotSetUp,
  kCastlingNotSetUp,
  kEnPassantNotSetUp,
};

/// Stable, for scripts: "castled-rook-left-behind".
[[nodiscard]] std::string_view name_of(KeyFlaw fault);
/// For people: "after castling the rook stays in its corner in the key".
[[nodiscard]] std::string_view rule_of(KeyFlaw fault);
/// Two questions and their keys: equal where they must differ, or different where they must be
/// equal.
struct KeyPair {
  KeyQuestion first;
  KeyQuestion second;
  ZobristKey first_key;
  ZobristKey second_key;
};

/// One fault, with the smallest case of it.
struct KeyFinding {
  KeyFlaw fault;
  std::string detail;                   ///< "e1g1: white rook h1 is too much"
  std::vector<std::string> too_much{};  ///< features in the key that the position has not
  std::vector<std::string> missing{};   ///< features of the position that are not in the key
  std::vector<KeyPair> proof{};
  std::size_t cases = 1;  ///< in which it was seen
};

}  // namespace manyply
