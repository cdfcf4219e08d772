// Checks a program's keys. Finds out how the program computes its keys, and proves which rules the
// keys break.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_source.h"
#include "tools/diagnose/keys/key_table.h"

namespace manyply {

// Names the faults of keys, and explains a wrong key after a move.

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

/// Two questions that prove a fault. Their keys are equal but must differ, or differ but must be
/// equal.
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
/// Returns nullopt if no such set has at most four numbers, or if keys are not linear.
/// `en_passant` is the square that the key of `after` contains.
[[nodiscard]] std::optional<WrongKey> explain_wrong_key(const KeyTable& table,
                                                        const KeyPosition& before, Move move,
                                                        const KeyPosition& after,
                                                        std::optional<Square> en_passant,
                                                        const ZobristKey& wrong);

// Audits the numbers of which keys are made. Different positions have equal keys if numbers are
// zero, are equal, or cancel each other.

/// A number of the program's table.
struct KeyNumber {
  std::size_t feature;
  std::string name;
  ZobristKey value;
};

struct NumberAudit {
  bool four_rights = false;     ///< one number per castling right; otherwise one per set of rights
  bool passed_by_file = false;  ///< the two en passant squares of a file have the same number
  std::vector<KeyNumber> numbers{};
  int rank = 0;           ///< rank over GF(2): the number of useful bits of a key
  int changing_bits = 0;  ///< number of bits that are set in at least one number
  /// Each bit should be set in about half of the numbers. This is the greatest deviation of a bit
  /// from one half, in standard deviations.
  double worst_sigmas = 0;
  int worst_bit = 0;      ///< the bit with this deviation
  double collisions = 0;  ///< expected number of collisions among 2^30 positions
  /// Sets of numbers that cancel by chance because keys are short. Each set has the names of its
  /// numbers.
  std::vector<std::vector<std::string>> by_chance{};
  std::vector<KeyFinding> findings{};
};

/// Audits the numbers of the table. If the keys are not linear, compares the keys of single
/// positions instead. If `sums`, also searches for sets of numbers that cancel. This search takes
/// almost a second. Only this search sets the members `rank`, `worst_sigmas`, `worst_bit`,
/// `collisions` and `by_chance`. Each finding has a pair of positions as proof. If the source is a
/// program, it gave the same keys when both questions were repeated. Precondition: the source
/// has answered telling_positions(), and `table` was made from the answers. Errors: those of the
/// source.
Result<NumberAudit> audit_numbers(KeyAnswers& answers, const KeyTable& table, bool sums = true);

// Checks keys with all rules.

struct KeyCheckOptions {
  KeyBudget budget{};
  std::vector<KeyPosition> more{};              ///< more start positions of lines of play
  std::function<void(std::size_t)> on_asked{};  ///< receives the number of questions so far
  /// Lines of play that replace the built-in ones, for sources with fixed answers.
  std::optional<std::vector<KeyLine>> lines{};
  std::vector<KeyPosition> positions{};  ///< more positions from which to compute the numbers
  bool sums = true;                      ///< see audit_numbers()
};

/// Properties of keys in which correct programs may differ.
struct KeyHabits {
  struct Passed {
    /// Number of double steps after which the key equals that of the position with the en passant
    /// square.
    std::size_t with = 0;
    std::size_t without = 0;  ///< number of keys that equal the key of the FEN with "-"
  };
  std::array<Passed, 4> passed{};   ///< indexed by PassedSquare
  std::optional<int> clock_from{};  ///< the smallest half-move clock that changes a key
  bool counts_moves = false;        ///< keys depend on the move number
  bool remembers = false;           ///< keys depend on earlier moves, which no FEN contains
  bool polyglot = false;            ///< keys equal all published Polyglot keys
  bool mirrored = false;            ///< keys stay the same if the two sides are exchanged
  MoveSpelling spelling{};          ///< the spelling of moves that the program accepts
};

struct KeyReport {
  struct Count {
    std::size_t asked = 0;       ///< moves after which the key was compared
    std::size_t wrong = 0;       ///< moves after which the key is wrong
    std::size_t not_played = 0;  ///< moves that the program does not play, or plays wrong
  };
  enum class Verdict : std::uint8_t { kSound, kWrong, kCannotTell };

  KeyTable table{};
  NumberAudit numbers{};
  KeyHabits habits{};
  std::array<Count, kMoveClasses> moves{};
  std::size_t asked = 0;  ///< number of different questions
  int bits = 64;          ///< width of a key
  std::vector<KeyFinding> findings{};
  std::vector<std::string> undecided{};  ///< observations that prove no fault

  [[nodiscard]] Verdict verdict() const {
    if (!findings.empty()) return Verdict::kWrong;
    return undecided.empty() ? Verdict::kSound : Verdict::kCannotTell;
  }
};

/// Asks the source for keys and reports their faults. Errors: those of the source.
Result<KeyReport> check_keys(KeySource& source, const KeyCheckOptions& options = {});

/// Returns the first `count` questions of check_keys(), for a user who pastes the answers.
[[nodiscard]] std::vector<KeyQuestion> questions_to_paste(std::size_t count);

// Compares keys after moves with the keys of the same positions given as FENs.

/// The comparison of keys after moves. Errors: those of the source. Not thread-safe.
class PlayedKeys {
 public:
  PlayedKeys(KeyAnswers& answers, const KeyTable& table) : answers_(answers), table_(table) {}

  /// Asks for the key after each move of these lines, and for the key of the same position given as
  /// a FEN. Compares each line up to its first wrong or missing key.
  std::optional<Error> compare(const std::vector<KeyLine>& lines);

  /// Adds the findings to the report. Precondition: the report's `habits` and `numbers` are set,
  /// and its `findings` are those of `numbers`.
  std::optional<Error> conclude(KeyReport& report);

  /// Returns the positions after the compared moves, indexed by FEN; at most 50,000.
  [[nodiscard]] const std::map<std::string, KeyPosition>& set_ups() const { return set_ups_; }

 private:
  /// A key that is accepted as right: the program's key for a FEN of the position, or the XOR of
  /// this key and the number of the en passant square.
  struct Reference {
    KeyQuestion told;
    ZobristKey key;
    std::optional<Square> en_passant;  ///< the en passant square that the key contains
  };
  /// A wrong key.
  struct Case {
    WrongKey::Part part{};
    KeyLine line;  ///< the last move is the move whose key is wrong
    KeyPair pair;
    ZobristKey wrong;  ///< the XOR of the wrong key and the right key
    /// Grows with the number of pieces, plies and faults. Cases with a small weight are shown
    /// first.
    std::size_t weight = 0;
  };
  /// The number of cases of one fault, and the cases with the least weight.
  struct Cases {
    std::vector<Case> lightest;
    std::size_t count = 0;

    void add(const Case& found);
  };
  /// A wrong key whose fault is not yet known.
  struct Riddle {
    Case found;
    std::vector<MoveClass> classes;
    bool about_passed = false;  ///< there is an en passant square before or after the move
    bool last_right = false;    ///< the move ends the last castling right

    [[nodiscard]] bool is(MoveClass kind) const;
  };
  using Riddles = std::vector<Riddle>;
  /// The state of the program's board after a move, as shown by further moves.
  enum class Board : std::uint8_t { kRight, kWrong, kUnknown };

  static std::vector<KeyQuestion> questions_of(const std::vector<KeyLine>& lines);
  void compare(const KeyLine& line);
  [[nodiscard]] std::vector<Reference> references_of(const KeyPosition& after) const;
  void judge(const KeyLine& line, const std::vector<KeyPosition>& positions, std::size_t ply,
             bool is_unchanged);
  void note(const WrongKey& wrong, const Case& found);
  void solve(std::map<KeyFlaw, Cases>& cases, Riddles& riddles, KeyFlaw flaw,
             const std::function<bool(const Riddle&)>& is_solved);

  Board board_after(const Case& found);
  std::optional<Case> clear_case(const Case& found);
  Board board_of(const Case& found);
  [[nodiscard]] static std::optional<KeyLine> longer_line(const Case& found);
  [[nodiscard]] bool shows_another_board(const Case& found, const KeyPosition& last,
                                         const ZobristKey& difference) const;

  void settle_unplayed();
  void settle_refused();
  void solve_promotions();
  void solve_set_ups(KeyReport& report);
  void solve_one_number(KeyReport& report);
  void tell(const Cases& cases, KeyReport& report);
  void tell_riddles(KeyReport& report);
  void tell_unplayed(KeyReport& report);
  void tell_unknown_to_board(KeyReport& report);
  [[nodiscard]] std::array<std::size_t, kMoveClasses> counts_of(const Riddles& riddles) const;

  KeyAnswers& answers_;
  const KeyTable& table_;
  std::array<KeyReport::Count, kMoveClasses> moves_{};
  std::array<KeyHabits::Passed, 4> passed_{};
  std::map<KeyFlaw, Cases> cases_;
  std::map<KeyFlaw, Cases> ambiguous_;
  Riddles unexplained_;
  Riddles unplayed_;  ///< moves that do not change the key; perhaps the program did not play them
  std::size_t about_passed_ = 0;
  std::size_t last_rights_ = 0;
  std::size_t compared_ = 0;
  std::size_t wrong_ = 0;
  std::map<std::string, KeyPosition> set_ups_;
  std::optional<Error> error_;
};

}  // namespace manyply
