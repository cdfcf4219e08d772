// The numbers of a program's keys, recovered from its keys by linear equations over GF(2).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/position.h"
#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_source.h"

namespace manyply {

/// The number of a feature: a piece on a square; black to move; one of the fifteen sets of castling
/// rights that are not empty; an en passant square; a constant that is in every key. Schemes with
/// fewer numbers (four rights that add up, en passant by file) are special cases.
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

/// Returns "white knight b1", "black to move", "castling KQ" or "en passant e3".
[[nodiscard]] std::string name_of_feature(std::size_t feature);
/// Returns "white knight".
[[nodiscard]] std::string name_of_piece(Piece piece);
/// Returns nullopt for a feature that is no piece.
[[nodiscard]] std::optional<Piece> piece_of_feature(std::size_t feature);
[[nodiscard]] std::optional<Square> square_of_feature(std::size_t feature);
/// Returns "KQkq", or "-" for 0.
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
  /// Returns the first feature from `from` on; KeyFeature::kCount at the end.
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

/// Returns the castling rights as a sum of 1 (K), 2 (Q), 4 (k) and 8 (q); nullopt for rights that
/// only Chess960 has.
[[nodiscard]] std::optional<unsigned> rights_of(const Position& position);

/// Returns the features of a position whose key contains this en passant square; nullopt for
/// castling rights that only Chess960 has.
[[nodiscard]] std::optional<FeatureSet> features_of(const Position& position,
                                                    std::optional<Square> en_passant);

/// Equations "the numbers of these features XOR to that key", solved as they come.
class KeyEquations {
 public:
  enum class Added { kNew, kAgrees, kContradicts };

  KeyEquations() { row_of_.fill(kNone); }

  /// Does not keep an equation that contradicts.
  Added add(FeatureSet features, ZobristKey key);

  /// Returns the XOR of the features' numbers; nullopt if the equations leave it open.
  [[nodiscard]] std::optional<ZobristKey> value(FeatureSet features) const;

  [[nodiscard]] std::size_t rank() const { return rows_.size(); }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Row {
    FeatureSet features;  ///< the first feature is not the first one of an earlier row
    ZobristKey key;
  };

  /// Applies all rows. Returns the first feature that is left, or KeyFeature::kCount.
  std::size_t reduce(FeatureSet& features, ZobristKey& key) const;

  std::vector<Row> rows_;
  std::array<std::size_t, KeyFeature::kCount> row_of_{};  ///< by the row's first feature
};

enum class KeyLinearity : std::uint8_t {
  kUnknown,             ///< too few positions to tell
  kXor,                 ///< XOR of one number for each feature
  kXorBesideEnPassant,  ///< the same, except for en passant
  kXorPerSide,          ///< XOR of other numbers for each side to move
  kSum,                 ///< probably sums of numbers, which are not recovered
  kNone,
};

/// A value.
class KeyTable {
 public:
  /// Solves for the numbers. Ignores positions without an answer and positions of Chess960.
  [[nodiscard]] static KeyTable fit(const KeyAnswers& answers,
                                    std::span<const KeyPosition> positions);

  [[nodiscard]] KeyLinearity linearity() const { return linearity_; }
  void set_linearity(KeyLinearity linearity) { linearity_ = linearity; }
  [[nodiscard]] bool is_linear() const {
    return linearity_ == KeyLinearity::kXor || linearity_ == KeyLinearity::kXorBesideEnPassant ||
           linearity_ == KeyLinearity::kXorPerSide;
  }
  /// Returns whether the numbers are the same for both sides.
  [[nodiscard]] bool is_one() const {
    return is_linear() && linearity_ != KeyLinearity::kXorPerSide;
  }

  /// Returns the XOR of the features' numbers; nullopt if the keys leave it open. No position is
  /// without kings, so the number of a king is known only relative to its home, e1 or e8.
  [[nodiscard]] std::optional<ZobristKey> value(const FeatureSet& features,
                                                Color side_to_move = Color::kWhite) const;
  [[nodiscard]] std::optional<ZobristKey> number(std::size_t feature,
                                                 Color side_to_move = Color::kWhite) const;

  /// Returns the number of positions whose keys follow from earlier ones.
  [[nodiscard]] std::size_t confirmed() const { return confirmed_; }
  /// Returns the number of positions whose keys contradict earlier ones.
  [[nodiscard]] std::size_t contradicting() const { return contradicting_; }

 private:
  KeyLinearity linearity_ = KeyLinearity::kUnknown;
  /// By side to move if each side has its own numbers; else only the first.
  std::array<KeyEquations, 2> equations_;
  std::size_t confirmed_ = 0;
  std::size_t contradicting_ = 0;
};

}  // namespace manyply
