// Names the faults of keys, and explains a wrong key after a move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_source.h"
#include "tools/diagnose/keys/key_table.h"

namespace manyply {

enum class KeyFlaw : std::uint8_t {
  // The key after a move differs from the key of the same position given as a FEN.
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
  // Different positions have equal keys.
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
  // The key of a position given as a FEN lacks a feature that keys after moves contain.
  kSideNotSetUp,
  kCastlingNotSetUp,
  kEnPassantNotSetUp,
};

/// Returns a stable name for scripts, such as "castled-rook-left-behind".
[[nodiscard]] std::string_view name_of(KeyFlaw fault);
/// Returns the fault in words, such as "a captured piece stays in the key".
[[nodiscard]] std::string_view rule_of(KeyFlaw fault);

/// Two questions that prove a fault. Their keys are equal but must differ, or they differ but must
/// be equal.
struct KeyPair {
  KeyQuestion first;
  KeyQuestion second;
  ZobristKey first_key;
  ZobristKey second_key;
};

/// One fault with its simplest case.
struct KeyFinding {
  KeyFlaw fault;
  std::string detail;                   ///< the move, "e1g1", or the features, "files a and b"
  std::vector<std::string> too_much{};  ///< features in the key but not in the position
  std::vector<std::string> missing{};   ///< features in the position but not in the key
  std::vector<KeyPair> proof{};
  std::size_t cases = 1;  ///< number of times that the check has found this fault
};

struct WrongKey {
  struct Part {
    KeyFlaw fault;
    std::vector<std::string> too_much{};
    std::vector<std::string> missing{};
  };
  std::vector<Part> parts{};  ///< at least one; each has one fault
  /// Size of the smallest set of numbers whose XOR is the difference. A wrong number and the right
  /// number that it replaces count as one.
  std::size_t numbers = 0;
  bool is_ambiguous = false;  ///< another fault also explains the difference
};

/// Explains why the key after `move` differs by `wrong` from the key of `after`. Finds the smallest
/// set of numbers that belong to the move and XOR to `wrong`. Groups these numbers by fault.
/// Returns nullopt if there is no such set of at most four numbers, or if keys are not linear.
/// `en_passant` is the square that the key of `after` contains.
[[nodiscard]] std::optional<WrongKey> explain_wrong_key(const KeyTable& table,
                                                        const KeyPosition& before, Move move,
                                                        const KeyPosition& after,
                                                        std::optional<Square> en_passant,
                                                        const ZobristKey& wrong);

}  // namespace manyply
