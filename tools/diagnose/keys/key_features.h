// What Zobrist keys are made of: the features of a position, in the widest scheme that programs
// use.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/position.h"

namespace manyply {

/// Number of a feature: a piece on a square; black to move; which castling rights there are, one
/// feature for each of the fifteen sets of some; the en passant square; what every key contains.
/// Schemes with fewer numbers (rights that are added up, en passant by file) are special cases.
struct KeyFeature {
  static constexpr std::size_t kSide = std::size_t{12} * 64;
  static constexpr std::size_t kRights = kSide + 1;
  static constexpr std::size_t kEnPassant = kRights + 15;
  static constexpr std::size_t kConstant = kEnPassant + 16;
  static constexpr std::size_t kCount = kConstant + 1;

  static constexpr std::size_t piece(Piece piece, Square square) {
    return (static_cast<std::size_t>(index(piece.color)) * 6 +
            static_cast<std::size_t>(index(piece.type))) *
               64 +
           static_cast<std::size_t>(index(square));
  }
  /// Precondition: `mask`, a sum of 1 (K), 2 (Q), 4 (k) and 8 (q), is not 0.
  static constexpr std::size_t rights(unsigned mask) { return kRights + mask - 1; }
  /// Precondition: `square` lies on the third or the sixth rank.
  static constexpr std::size_t en_passant(Square square) {
    return kEnPassant + (rank_of(square) == 2 ? 0 : 8) + static_cast<std::size_t>(file_of(square));
  }
};

/// "white knight b1", "black to move", "castling KQ", "en passant e3".
[[nodiscard]] std::string name_of_feature(std::size_t feature);
/// "white knight".
[[nodiscard]] std::string name_of_piece(Piece piece);
[[nodiscard]] std::optional<Piece> piece_of_feature(std::size_t feature);
[[nodiscard]] std::optional<Square> square_of_feature(std::size_t feature);
/// "KQkq", "-".
[[nodiscard]] std::string rights_text(unsigned mask);

/// A set of features, a vector over GF(2).
class FeatureSet {
 public:
  void flip(std::size_t feature) { words_[feature / 64] ^= std::uint64_t{1} << (feature % 64); }
  [[nodiscard]] bool has(std::size_t feature) const {
    return ((words_[feature / 64] >> (feature % 64)) & 1) != 0;
  }
  FeatureSet& operator^=(const FeatureSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] ^= other.words_[i];
    return *this;
  }
  friend FeatureSet operator^(FeatureSet a, const FeatureSet& b) { return a ^= b; }
  [[nodiscard]] bool empty() const { return first() == KeyFeature::kCount; }
  /// The first one from `from` on; KeyFeature::kCount if there is none.
  [[nodiscard]] std::size_t first(std::size_t from = 0) const {
    for (std::size_t word = from / 64; word < kWords; ++word) {
      const std::uint64_t low =
          word == from / 64 ? ~std::uint64_t{0} << (from % 64) : ~std::uint64_t{0};
      const std::uint64_t rest = words_[word] & low;
      if (rest != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
    }
    return KeyFeature::kCount;
  }
  friend bool operator==(const FeatureSet&, const FeatureSet&) = default;

 private:
  static constexpr std::size_t kWords = (KeyFeature::kCount + 63) / 64;
  std::array<std::uint64_t, kWords> words_{};
};

/// Those of castling in the standard places: K, Q, k, q as 1, 2, 4, 8; nothing for rights that only
/// Chess960 has.
[[nodiscard]] std::optional<unsigned> rights_of(const Position& position);

/// The features of a position whose key contains that en passant square. Nothing for rights that
/// only Chess960 has.
[[nodiscard]] std::optional<FeatureSet> features_of(const Position& position,
                                                    std::optional<Square> en_passant);

}  // namespace manyply
