// Sources of keys, and the questions and answers of a check. Each question is asked only once,
// except to prove a fault. A budget limits the number of questions and the time.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/fen.h"
#include "hash/zobrist.h"

// Positions with all fields of a FEN, lines of play, and the kinds of moves.

namespace manyply {

/// A question for a key: a FEN, and moves in UCI notation, separated by spaces.
struct KeyQuestion {
  std::string fen;
  std::string moves;

  friend auto operator<=>(const KeyQuestion&, const KeyQuestion&) = default;
};

/// Returns the question as text: the FEN, then " moves e2e4 e7e5" if there are moves.
[[nodiscard]] std::string to_string(const KeyQuestion& question);

/// Whether a pawn can capture en passant on the square that the last double step passed. Programs
/// differ in the cases in which they add this square to the key.
enum class PassedSquare : std::uint8_t {
  kNone,
  kAlone,   ///< no pawn of the side to move attacks the square
  kPinned,  ///< a pawn of the side to move attacks the square, but no capture is legal
  kUsable,  ///< a capture is legal
};

/// A position with its clocks. A program's keys may contain the clocks.
struct KeyPosition {
  Position position;
  CastlingNotation notation = CastlingNotation::kStandard;
  /// The square that the last move passed; nullopt if this move was no double step.
  std::optional<Square> passed{};
  int clock = 0;   ///< half-moves since the last capture or pawn move
  int number = 1;  ///< full-move number

  /// Reads all six fields of a FEN. If the last two fields are missing, they are "0 1". Returns an
  /// error if the FEN is wrong or the position is illegal.
  static Result<KeyPosition> parse(std::string_view fen);

  /// Returns the position after `move`. Precondition: the move is legal.
  [[nodiscard]] KeyPosition after(Move move) const;
  [[nodiscard]] PassedSquare passed_kind() const;
  /// Returns the FEN. Its en passant field is the passed square if `with_passed`, otherwise "-".
  [[nodiscard]] std::string fen(bool with_passed) const;
  /// Returns the FEN with the square that a double push has just passed. The FEN standard requires
  /// this square even if no capture is possible.
  [[nodiscard]] std::string fen() const { return fen(true); }
  [[nodiscard]] KeyQuestion set_up() const { return {fen(), {}}; }
};

/// The spelling of moves that a program accepts.
struct MoveSpelling {
  enum class Castling : std::uint8_t { kKing, kRook, kLetters, kDigits };  ///< e1g1 e1h1 O-O 0-0
  enum class Promotion : std::uint8_t { kSmall, kCapital, kEquals, kEqualsSmall };  ///< q Q =Q =q

  Castling castling = Castling::kKing;
  Promotion promotion = Promotion::kSmall;

  friend bool operator==(const MoveSpelling&, const MoveSpelling&) = default;
  /// Returns the move in this spelling. Precondition: `move` is a move of standard chess.
  [[nodiscard]] std::string text(Move move, CastlingNotation notation) const;
};

/// A line of play from a position that is given as a FEN.
struct KeyLine {
  KeyPosition start;
  std::vector<Move> moves{};
  MoveSpelling spelling{};

  /// Returns the start position with the first `plies` moves.
  [[nodiscard]] KeyQuestion question(std::size_t plies) const;
  /// Returns the start position and the position after each move.
  [[nodiscard]] std::vector<KeyPosition> positions() const;
};

/// An endless sequence of lines of play. First come lines of one ply: each legal move from each
/// start position. Then come lines of two plies, and then lines of up to three plies that start at
/// each position of random games. Special moves occur more often than in real games. The sequence
/// is the same on every machine.
class KeyLines {
 public:
  /// Plays from the built-in positions, and from `more`.
  explicit KeyLines(std::vector<KeyPosition> more = {});

  [[nodiscard]] KeyLine next();

  static constexpr std::size_t kSteps = 3;  ///< maximum number of plies of a line

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  [[nodiscard]] Move choose(const KeyPosition& position);
  void refill();

  std::mt19937_64 random_{1};
  std::vector<KeyPosition> starts_;
  std::vector<KeyLine> waiting_;  ///< the next line is at the back
  std::size_t round_ = 0;
};

/// Returns `count` positions. Each is the last position of a line from KeyLines. Their clocks are
/// "0 1". They have an en passant square only if a capture on it is legal.
[[nodiscard]] std::vector<KeyPosition> random_positions(std::size_t count);

/// Kinds of moves for which programs have separate code.
enum class MoveClass : std::uint8_t {
  kQuiet,
  kDoublePush,      ///< no en passant capture is legal after it
  kCapturablePush,  ///< an en passant capture is legal after it
  kCapture,
  kEnPassant,
  kCastling,
  kPromotion,
  kCapturingPromotion,
  kKingLosesRights,  ///< a king's move other than castling
  kRookLosesRight,
  kRookCaptured,  ///< captures of rooks that have a castling right
  kUnderpromotion,
};
inline constexpr std::size_t kMoveClasses = 12;

/// Returns the kind as a plural, such as "en passant captures".
[[nodiscard]] std::string_view name_of(MoveClass kind);

/// Returns the kinds of `move`. Every move has exactly one kind from kQuiet to kCapturingPromotion.
/// This kind comes first. The other kinds follow if they apply.
[[nodiscard]] std::vector<MoveClass> classes_of(const KeyPosition& before, Move move,
                                                const KeyPosition& after);

/// A source of keys: a program, a pasted list, or a function in a test.
class KeySource {
 public:
  using Keys = std::vector<std::optional<ZobristKey>>;

  KeySource() = default;
  virtual ~KeySource() = default;
  KeySource(const KeySource&) = delete;
  KeySource& operator=(const KeySource&) = delete;

  /// Returns a key for each question, in the order of the questions; nullopt for a question without
  /// an answer. Errors: kUnavailable if the program fails, kCancelled after a stop request.
  virtual Result<Keys> keys(std::span<const KeyQuestion> questions) = 0;
  /// Returns the width of a key, 32 to 128 bits.
  [[nodiscard]] virtual int bits() const = 0;
  /// Returns whether a question may contain moves.
  [[nodiscard]] virtual bool plays_moves() const { return true; }
  /// Returns whether the source can answer every question; false for a fixed list.
  [[nodiscard]] virtual bool answers_anything() const { return true; }
};

/// When one of these limits is reached, a check plays no more lines. The limits do not stop two
/// steps: the questions about positions, which come before the lines, and the proofs of faults.
struct KeyBudget {
  std::size_t questions = 20'000;  ///< number of different questions, about positions and lines
  std::optional<std::chrono::duration<double>> seconds{};  ///< time since the check began
};

/// The result of asking a question again.
enum class Standing : std::uint8_t {
  kSame,
  kRefused,  ///< the source gave no key, or the key of the previous question
  kChanged,
};

/// The questions and answers of one check. Errors: those of the source. Not thread-safe.
class KeyAnswers {
 public:
  /// `source` must outlive this object. `on_asked` gets the number of questions so far.
  KeyAnswers(KeySource& source, const KeyBudget& budget,
             std::function<void(std::size_t)> on_asked = {});

  /// Asks the questions that have not been asked before.
  std::optional<Error> ask(std::span<const KeyQuestion> questions);
  /// Returns the known answer. Returns nullopt if the source gave no answer or the question was not
  /// asked.
  [[nodiscard]] std::optional<ZobristKey> key(const KeyQuestion& question) const;

  /// Asks the questions again, with decoy questions in between, and compares the answers with the
  /// known answers. A program that rejects a position may show the key of the previous position.
  /// If it shows the decoy's key, this function returns kRefused. If the source is a fixed list,
  /// asks nothing and returns kSame.
  Result<Standing> stands(std::span<const KeyQuestion> questions);
  /// Asks all of these questions again. If the answer to a question differs from the known answer,
  /// asks a third time, and stores the answer that the program gave twice. Stores nullopt if the
  /// program rejects the question or gives three different answers. Returns the number of questions
  /// to which the program gave different answers, except questions that it rejects. If the source
  /// is a fixed list, asks nothing and returns 0.
  Result<std::size_t> ask_again(std::span<const KeyQuestion> questions);

  /// Returns the number of different questions.
  [[nodiscard]] std::size_t asked() const { return asked_; }
  /// Returns whether a limit of the budget is reached.
  [[nodiscard]] bool is_spent() const;
  [[nodiscard]] KeySource& source() const { return source_; }

 private:
  /// Asks the questions again, with decoy questions in between. Returns the answers; nullopt for a
  /// rejected question.
  Result<KeySource::Keys> fresh(std::span<const KeyQuestion> questions);

  KeySource& source_;
  const KeyBudget budget_;
  const std::function<void(std::size_t)> on_asked_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unordered_map<std::string, std::optional<ZobristKey>> keys_;
  std::size_t asked_ = 0;
};

}  // namespace manyply
