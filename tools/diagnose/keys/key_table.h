// The numbers of a program's keys, recovered, and how its keys are made of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "tools/diagnose/keys/key_algebra.h"
#include "tools/diagnose/keys/key_answers.h"
#include "tools/diagnose/keys/key_position.h"

namespace manyply {

enum class KeyLinearity : std::uint8_t {
  kUnknown,             ///< too few positions to tell
  kXor,                 ///< XOR of numbers, one for each feature
  kXorBesideEnPassant,  ///< so it is without en passant
  kXorPerSide,          ///< other numbers for each side to move
  kSum,                 ///< sums of numbers, it seems; they are not recovered
  kNone,
};

/// A value.
class KeyTable {
 public:
  /// Of positions that are told as FENs; those without an answer, and those of Chess960, count not.
  [[nodiscard]] static KeyTable fit(const KeyAnswers& answers,
                                    std::span<const KeyPosition> positions);

  [[nodiscard]] KeyLinearity linearity() const { return linearity_; }
  void set_linearity(KeyLinearity linearity) { linearity_ = linearity; }
  [[nodiscard]] bool is_linear() const {
    return linearity_ == KeyLinearity::kXor || linearity_ == KeyLinearity::kXorBesideEnPassant ||
           linearity_ == KeyLinearity::kXorPerSide;
  }
  /// Whether all numbers are the same for both sides.
  [[nodiscard]] bool is_one() const {
    return is_linear() && linearity_ != KeyLinearity::kXorPerSide;
  }

  /// What the features' numbers XOR to; nothing where keys do not tell. Of a king alone that is the
  /// number beside that of its home, e1 or e8: no key tells more.
  [[nodiscard]] std::optional<ZobristKey> value(const FeatureSet& features,
                                                Color side_to_move = Color::kWhite) const;
  [[nodiscard]] std::optional<ZobristKey> number(std::size_t feature,
                                                 Color side_to_move = Color::kWhite) const;

  /// Positions whose keys followed from those before, and did so rightly.
  [[nodiscard]] std::size_t confirmed() const { return confirmed_; }
  /// Positions whose keys did not.
  [[nodiscard]] std::size_t contradicting() const { return contradicting_; }

 private:
  KeyLinearity linearity_ = KeyLinearity::kUnknown;
  std::array<KeyEquations, 2>
      equations_;  ///< by side to move, where each has its own; else the first
  std::size_t confirmed_ = 0;
  std::size_t contradicting_ = 0;
};

}  // namespace manyply
