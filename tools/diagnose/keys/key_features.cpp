#include "tools/diagnose/keys/key_features.h"

#include <string_view>

#include "core/bitboard.h"

namespace manyply {
namespace {

constexpr std::array kKindNames{"pawn", "knight", "bishop", "rook", "queen", "king"};
constexpr std::array kCorners{Square::kH1, Square::kA1, Square::kH8, Square::kA8};  // KQkq
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
  if (feature == KeyFeature::kConstant) return "what every key contains";
  const auto number = static_cast<int>(feature - KeyFeature::kEnPassant);
  return "en passant " + to_string(square_at(number % 8, number < 8 ? 2 : 5));
}

std::optional<unsigned> rights_of(const Position& position) {
  Bitboard rooks = position.board().castling;
  unsigned mask = 0;
  for (std::size_t i = 0; i < kCorners.size(); ++i) {
    if ((rooks & bit(kCorners[i])) == 0) continue;
    const Color color = i < 2 ? Color::kWhite : Color::kBlack;
    const auto king = position.piece_on(color == Color::kWhite ? Square::kE1 : Square::kE8);
    if (king != Piece{color, PieceType::kKing}) return std::nullopt;
    mask |= 1U << i;
    rooks &= ~bit(kCorners[i]);
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

}  // namespace manyply
