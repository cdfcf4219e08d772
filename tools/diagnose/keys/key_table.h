// Recovers the numbers of which a program's keys are made. Uses linear equations over GF(2).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/position.h"
#include "hash/zobrist.h"
#include "tools/diagnose/keys/key_source.h"

namespace manyply {

/// The indices of features. A feature is a piece on a square, Black to move, one of the fifteen
/// non-empty sets of castling rights, an en passant square, or the constant that every key
/// contains. Some programs have fewer numbers than features: one per castling right, or one per en
/// passant file. The equations also hold for such programs.
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
  /// `mask` is the sum of 1 (K), 2 (Q), 4 (k) and 8 (q) for the rights in the set. Precondition:
  /// `mask` is not 0.
  static constexpr std::size_t rights(unsigned mask) { return kRights + mask - 1; }
  /// Precondition: `square` lies on the third or the sixth rank.
  static constexpr std::size_t en_passant(Square square) {
    return kEnPassant + (rank_of(square) == 2 ? 0 : 8) + static_cast<std::size_t>(file_of(square));
  }
};

/// Returns the name of a feature, such as "white knight b1", "black to move" or "castling KQ".
[[nodiscard]] std::string name_of_feature(std::size_t feature);
/// Returns the name of a piece, such as "white knight".
[[nodiscard]] std::string name_of_piece(Piece piece);
/// Return the piece or the square of the feature; nullopt if the feature is no piece on a square.
[[nodiscard]] std::optional<Piece> piece_of_feature(std::size_t feature);
[[nodiscard]] std::optional<Square> square_of_feature(std::size_t feature);
/// Returns the castling field of a FEN: "KQkq" for 15, "-" for 0.
[[nodiscard]] std::string rights_text(unsigned mask);

/// The corners of the rooks to which the castling rights K, Q, k and q belong.
inline constexpr std::array kRightCorners{Square::kH1, Square::kA1, Square::kH8, Square::kA8};

/// All pieces except kings; White's come first.
inline constexpr auto kPiecesButKings = [] {
  std::array<Piece, 10> pieces{};
  for (std::size_t i = 0; i < pieces.size(); ++i)
    pieces[i] = {static_cast<Color>(i / 5), static_cast<PieceType>(i % 5)};
  return pieces;
}();

/// A set of features. It is a vector over GF(2).
class FeatureSet {
 public:
  FeatureSet() = default;
  FeatureSet(std::initializer_list<std::size_t> features) {
    for (const std::size_t feature : features) flip(feature);
  }

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
  /// Returns the first feature whose index is at least `from`; KeyFeature::kCount if there is none.
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

/// Returns the castling rights as the sum of 1 (K), 2 (Q), 4 (k) and 8 (q) for the existing rights.
/// Returns nullopt for castling rights that only Chess960 has.
[[nodiscard]] std::optional<unsigned> rights_of(const Position& position);

/// Returns the features of a position. `en_passant` is the en passant square that the key contains.
/// Returns nullopt for castling rights that only Chess960 has.
[[nodiscard]] std::optional<FeatureSet> features_of(const Position& position,
                                                    std::optional<Square> en_passant);

/// A system of linear equations over GF(2). Each equation says that the numbers of some features
/// XOR to a key. Gaussian elimination is done as equations are added.
class KeyEquations {
 public:
  enum class Added { kNew, kAgrees, kContradicts };

  KeyEquations() { row_of_.fill(kNone); }

  /// Computes the XOR of the features' numbers from the earlier equations. If they do not determine
  /// the XOR, adds the equation and returns kNew. If they do, changes nothing: returns kAgrees if
  /// the XOR equals `key`, and kContradicts if it differs.
  Added add(FeatureSet features, ZobristKey key);

  /// Returns the XOR of the features' numbers; nullopt if the equations do not determine this XOR.
  [[nodiscard]] std::optional<ZobristKey> value(FeatureSet features) const;

  [[nodiscard]] std::size_t rank() const { return rows_.size(); }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Row {
    FeatureSet features;  ///< no earlier row has the same first feature
    ZobristKey key;
  };

  /// Goes through `features` in ascending order. If a feature is the first feature of a row, XORs
  /// the row into `features` and `key`. This removes the feature. Returns the first feature that
  /// remains; KeyFeature::kCount if none remains.
  std::size_t reduce(FeatureSet& features, ZobristKey& key) const;

  std::vector<Row> rows_;
  std::array<std::size_t, KeyFeature::kCount> row_of_{};  ///< indexed by the first feature of a row
};

enum class KeyLinearity : std::uint8_t {
  kUnknown,             ///< too few positions
  kXor,                 ///< XOR of one number for each feature
  kXorBesideEnPassant,  ///< XOR of one number for each feature, except for en passant
  kXorPerSide,          ///< XOR, with separate numbers for each side to move
  kSum,                 ///< probably arithmetic sums, whose numbers the equations cannot give
  kNone,                ///< none of these
};

/// The recovered numbers.
class KeyTable {
 public:
  /// Computes the numbers from the answers. Ignores positions without an answer, with castling
  /// rights that only Chess960 has, or with an en passant square on which no capture is legal.
  [[nodiscard]] static KeyTable fit(const KeyAnswers& answers,
                                    std::span<const KeyPosition> positions);

  [[nodiscard]] KeyLinearity linearity() const { return linearity_; }
  void set_linearity(KeyLinearity linearity) { linearity_ = linearity; }
  [[nodiscard]] bool is_linear() const {
    return linearity_ == KeyLinearity::kXor || linearity_ == KeyLinearity::kXorBesideEnPassant ||
           linearity_ == KeyLinearity::kXorPerSide;
  }
  /// Returns whether keys are linear, and keys with White to move consist of the same numbers as
  /// keys with Black to move. Returns false for kXorPerSide.
  [[nodiscard]] bool is_one() const {
    return is_linear() && linearity_ != KeyLinearity::kXorPerSide;
  }

  /// Returns the XOR of the features' numbers; nullopt if the keys are not linear or do not
  /// determine this XOR. Every position has both kings, so keys do not determine the number of a
  /// king on one square. Here, this number means the XOR of two numbers: of the king on this square
  /// and on e1 (White) or e8 (Black). `side_to_move` matters only for kXorPerSide.
  [[nodiscard]] std::optional<ZobristKey> value(const FeatureSet& features,
                                                Color side_to_move = Color::kWhite) const;
  /// Returns value() of the set that contains only this feature.
  [[nodiscard]] std::optional<ZobristKey> number(std::size_t feature,
                                                 Color side_to_move = Color::kWhite) const;

  /// Returns the number of positions whose keys agree with the equations from earlier positions.
  [[nodiscard]] std::size_t confirmed() const { return confirmed_; }
  /// Returns the number of positions whose keys contradict the equations from earlier positions, if
  /// all keys are taken as KeyLinearity::kXor.
  [[nodiscard]] std::size_t contradicting() const { return contradicting_; }

 private:
  KeyLinearity linearity_ = KeyLinearity::kUnknown;
  /// Indexed by side to move for kXorPerSide; otherwise only the first element is used.
  std::array<KeyEquations, 2> equations_;
  std::size_t confirmed_ = 0;
  std::size_t contradicting_ = 0;
};

// Positions whose keys show the numbers of single features.

/// Returns the position with only these pieces. `rights` has the form of rights_of(). Returns
/// nullopt if the position is illegal, if two pieces have the same square, or if no capture on
/// `en_passant` is legal.
[[nodiscard]] std::optional<KeyPosition> sparse_position(
    const std::vector<std::pair<Piece, Square>>& pieces, Color side_to_move, unsigned rights = 0,
    std::optional<Square> en_passant = {});

/// Returns two positions that differ only in these features; nullopt if the search finds none. If
/// the XOR of the features' numbers is 0, the two positions have equal keys. For the feature "white
/// king g1" alone, the white king stands on g1 in one position and on e1 in the other. For "white
/// king g1" and "white king c1", it stands on g1 in one position and on c1 in the other. The same
/// applies to the black king, with e8.
[[nodiscard]] std::optional<std::pair<KeyPosition, KeyPosition>> positions_apart(
    const std::vector<std::size_t>& features);

/// Returns about 800 positions with few pieces. From their keys one can compute every number that
/// can be computed from keys: the numbers for each piece on each square, for Black to move, for
/// each set of castling rights, and for each en passant square. Clocks are "0 1". All castling
/// rights are those of standard chess.
[[nodiscard]] std::vector<KeyPosition> telling_positions();

}  // namespace manyply
