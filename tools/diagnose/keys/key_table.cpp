#include "tools/diagnose/keys/key_table.h"

#include <string_view>
#include <vector>

#include "core/bitboard.h"

namespace manyply {
namespace {

constexpr std::array kKindNames{"pawn", "knight", "bishop", "rook", "queen", "king"};
constexpr std::string_view kRightLetters = "KQkq";

}  // namespace

std::string rights_text(unsigned mask) {
  std::string text;
  for (std::size_t i = 0; i < kRightLetters.size(); ++i) {
    if (((mask >> i) & 1) != 0) text += kRightLetters[i];
  }
  return text.empty() ? "-" : text;
}

std::optional<Piece> piece_of_feature(std::size_t feature) {
  if (feature >= KeyFeature::kSide) return std::nullopt;
  return Piece{static_cast<Color>(feature / 384), static_cast<PieceType>(feature / 64 % 6)};
}

std::optional<Square> square_of_feature(std::size_t feature) {
  if (feature >= KeyFeature::kSide) return std::nullopt;
  return square_at(static_cast<int>(feature % 64));
}

std::string name_of_piece(Piece piece) {
  return std::string(piece.color == Color::kWhite ? "white " : "black ") +
         kKindNames[static_cast<std::size_t>(index(piece.type))];
}

std::string name_of_feature(std::size_t feature) {
  if (const auto piece = piece_of_feature(feature))
    return name_of_piece(*piece) + ' ' + to_string(*square_of_feature(feature));
  if (feature == KeyFeature::kSide) return "black to move";
  if (feature < KeyFeature::kEnPassant)
    return "castling " + rights_text(static_cast<unsigned>(feature - KeyFeature::kRights + 1));
  if (feature == KeyFeature::kConstant) return "the constant in every key";
  const auto number = static_cast<int>(feature - KeyFeature::kEnPassant);
  return "en passant " + to_string(square_at(number % 8, number < 8 ? 2 : 5));
}

std::optional<unsigned> rights_of(const Position& position) {
  Bitboard rooks = position.board().castling;
  unsigned mask = 0;
  for (std::size_t i = 0; i < kRightCorners.size(); ++i) {
    if ((rooks & bit(kRightCorners[i])) == 0) continue;
    const Color color = i < 2 ? Color::kWhite : Color::kBlack;
    const auto king = position.piece_on(color == Color::kWhite ? Square::kE1 : Square::kE8);
    if (king != Piece{color, PieceType::kKing}) return std::nullopt;
    mask |= 1U << i;
    rooks &= ~bit(kRightCorners[i]);
  }
  if (rooks != 0) return std::nullopt;
  return mask;
}

std::optional<FeatureSet> features_of(const Position& position, std::optional<Square> en_passant) {
  const std::optional<unsigned> rights = rights_of(position);
  if (!rights) return std::nullopt;
  FeatureSet set;
  for (int s = 0; s < kSquares; ++s) {
    if (const auto piece = position.piece_on(square_at(s)))
      set.flip(KeyFeature::piece(*piece, square_at(s)));
  }
  if (position.side_to_move() == Color::kBlack) set.flip(KeyFeature::kSide);
  if (*rights != 0) set.flip(KeyFeature::rights(*rights));
  if (en_passant) set.flip(KeyFeature::en_passant(*en_passant));
  set.flip(KeyFeature::kConstant);
  return set;
}

std::size_t KeyEquations::reduce(FeatureSet& features, ZobristKey& key) const {
  // An XOR with a row changes only the row's first feature and features that follow it. So one pass
  // is enough.
  std::size_t left = KeyFeature::kCount;
  for (std::size_t at = features.first(); at < KeyFeature::kCount; at = features.first(at + 1)) {
    if (row_of_[at] == kNone) {
      if (left == KeyFeature::kCount) left = at;
      continue;
    }
    const Row& row = rows_[row_of_[at]];
    features ^= row.features;
    key ^= row.key;
  }
  return left;
}

KeyEquations::Added KeyEquations::add(FeatureSet features, ZobristKey key) {
  const std::size_t left = reduce(features, key);
  if (left == KeyFeature::kCount) return key == ZobristKey{} ? Added::kAgrees : Added::kContradicts;
  row_of_[left] = rows_.size();
  rows_.push_back({features, key});
  return Added::kNew;
}

std::optional<ZobristKey> KeyEquations::value(FeatureSet features) const {
  ZobristKey key;
  if (reduce(features, key) != KeyFeature::kCount) return std::nullopt;
  return key;
}

namespace {

/// If at least this number of keys agrees with the equations, and no key contradicts them, keys are
/// taken as linear. A random 32-bit key agrees with a probability of only 2^-32.
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
    // Skip positions whose en passant square allows no legal capture: only some programs add such a
    // square to the key.
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
    // Every position has both kings. So keys show only the XOR of a king's numbers on two squares.
    // Set the king's number on its home square to 0.
    for (KeyEquations& some : attempt.equations_) {
      for (const auto& [color, home] :
           {std::pair(Color::kWhite, Square::kE1), std::pair(Color::kBlack, Square::kE8)}) {
        some.add({KeyFeature::piece({color, PieceType::kKing}, home)}, {});
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
  return value({feature}, side_to_move);
}

}  // namespace manyply
