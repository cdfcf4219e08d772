// Compares keys after moves with the keys of the same positions given as FENs.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_flaw.h"
#include "tools/diagnose/keys/key_rules.h"

namespace manyply {

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
  Riddles unplayed_;  ///< moves that do not change the key; the program may not have played them
  std::size_t about_passed_ = 0;
  std::size_t last_rights_ = 0;
  std::size_t compared_ = 0;
  std::size_t wrong_ = 0;
  std::map<std::string, KeyPosition> set_ups_;
  std::optional<Error> error_;
};

}  // namespace manyply
