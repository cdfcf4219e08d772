#include "tools/diagnose/keys/key_table.h"

#include <vector>

namespace manyply {
namespace {

/// Keys that follow from others by chance do so once in 2^32; a few are enough.
constexpr std::size_t kEnough = 20;

struct Equation {
  FeatureSet features;
  ZobristKey key;
  Color side;
  bool en_passant;
};

std::vector<Equation> equations_of(const KeyAnswers& answers,
                                   std::span<const KeyPosition> positions) {
  std::vector<Equation> all;
  for (const KeyPosition& position : positions) {
    // Programs differ in whether such a square is in their keys.
    if (position.passed && position.passed_kind() != PassedSquare::kUsable) continue;
    const auto features = features_of(position.position, position.passed);
    const auto key = answers.key(position.set_up());
    if (features && key)
      all.push_back(
          {*features, *key, position.position.side_to_move(), position.passed.has_value()});
  }
  return all;
}

}  // namespace

KeyTable KeyTable::fit(const KeyAnswers& answers, std::span<const KeyPosition> positions) {
  const std::vector<Equation> equations = equations_of(answers, positions);
  KeyTable table;
  std::size_t first_contradictions = 0;
  for (const KeyLinearity linearity :
       {KeyLinearity::kXor, KeyLinearity::kXorBesideEnPassant, KeyLinearity::kXorPerSide}) {
    KeyTable attempt;
    attempt.linearity_ = linearity;
    for (const auto& [features, key, side, en_passant] : equations) {
      if (linearity == KeyLinearity::kXorBesideEnPassant && en_passant) continue;
      const bool own = linearity == KeyLinearity::kXorPerSide && side == Color::kBlack;
      switch (attempt.equations_[own ? 1 : 0].add(features, key)) {
        case KeyEquations::Added::kNew:
          break;
        case KeyEquations::Added::kAgrees:
          ++attempt.confirmed_;
          break;
        case KeyEquations::Added::kContradicts:
          ++attempt.contradicting_;
      }
    }
    if (linearity == KeyLinearity::kXor) first_contradictions = attempt.contradicting_;
    if (attempt.contradicting_ > 0) continue;
    if (attempt.confirmed_ < kEnough) attempt.linearity_ = KeyLinearity::kUnknown;
    attempt.contradicting_ = first_contradictions;
    // No position is without kings, so that a number of one is told beside that of its home alone.
    for (KeyEquations& some : attempt.equations_) {
      for (const auto& [color, home] :
           {std::pair(Color::kWhite, Square::kE1), std::pair(Color::kBlack, Square::kE8)}) {
        FeatureSet king;
        king.flip(KeyFeature::piece({color, PieceType::kKing}, home));
        some.add(king, {});
      }
    }
    return attempt;
  }
  table.linearity_ = KeyLinearity::kNone;
  table.contradicting_ = first_contradictions;
  return table;
}

std::optional<ZobristKey> KeyTable::value(const FeatureSet& features, Color side_to_move) const {
  if (!is_linear()) return std::nullopt;
  const bool own = linearity_ == KeyLinearity::kXorPerSide && side_to_move == Color::kBlack;
  return equations_[own ? 1 : 0].value(features);
}

std::optional<ZobristKey> KeyTable::number(std::size_t feature, Color side_to_move) const {
  FeatureSet one;
  one.flip(feature);
  return value(one, side_to_move);
}

}  // namespace manyply
