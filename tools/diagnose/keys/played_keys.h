// Keys after moves, compared with those of the positions that the moves lead to.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_check.h"
#include "tools/diagnose/keys/wrong_key.h"

namespace manyply {

class PlayedKeys {
 public:
  PlayedKeys(KeyAnswers& answers, const KeyTable& table) : answers_(answers), table_(table) {}

  /// Asks for the keys along these lines, and compares them up to the first that is wrong. An error
  /// of the source.
  std::optional<Error> compare(const std::vector<KeyLine>& lines);

  /// Puts into the report what was found; `habits` and static findings are in it. An error of the
  /// source.
  std::optional<Error> conclude(KeyReport& report);

  /// The positions that were set up on the way, each once, and no more than some 50,000.
  [[nodiscard]] const std::map<std::string, KeyPosition>& set_ups() const { return set_ups_; }

 private:
  /// A wrong key: the smallest of its kind.
  struct Case {
    WrongKey::Part part{};
    KeyPair pair;
    std::string move;
    ZobristKey wrong;
    std::size_t weight = 0;  ///< pieces and plies: the smaller, the easier to look at
    std::size_t count = 0;
  };

  static std::vector<KeyQuestion> questions_of(const std::vector<KeyLine>& lines);
  void compare(const KeyLine& line);
  /// A key that is right, as far as it is known from FENs.
  struct Reference {
    KeyQuestion told;
    ZobristKey key;
    std::optional<Square> en_passant;  ///< that is in it
  };
  [[nodiscard]] std::vector<Reference> references_of(const KeyPosition& after) const;
  void judge(const KeyLine& line, std::size_t ply, const KeyPosition& before,
             const KeyPosition& after, const ZobristKey& key);
  void note(const WrongKey& wrong, Case found);
  void note_unexplained(const std::vector<MoveClass>& classes, const Case& found);
  void note_promotion(Piece promoted, Square to, const std::vector<MoveClass>& classes,
                      const Case& found);
  void explain_promotions();
  void tell(const Case& found, KeyReport& report);
  void tell_unexplained(KeyReport& report);
  void tell_not_set_up(KeyReport& report);
  [[nodiscard]] std::size_t right_moves() const;

  KeyAnswers& answers_;
  const KeyTable& table_;
  std::array<KeyReport::Count, kMoveClasses> moves_{};
  std::array<KeyHabits::Passed, 4> passed_{};
  std::map<KeyFlaw, Case> cases_;
  std::map<KeyFlaw, Case> ambiguous_;
  std::array<std::optional<Case>, kMoveClasses> unexplained_{};
  /// What stands in the key for pieces of several kinds that a pawn has become on one square.
  struct Promotions {
    std::vector<PieceType> kinds;
    std::vector<std::vector<MoveClass>> classes;
    Case first;
  };
  std::map<std::pair<Square, ZobristKey>, Promotions> promotions_;
  std::map<ZobristKey, std::size_t> unexplained_values_;
  std::size_t unexplained_count_ = 0;
  std::size_t compared_ = 0;
  std::size_t wrong_ = 0;
  std::size_t not_played_ = 0;  ///< the key after the move is that before it
  std::map<std::string, KeyPosition> set_ups_;
  std::optional<Error> error_;
};

}  // namespace manyply
