#include "tools/diagnose/keys/key_table.h"

#include <algorithm>
#include <string_view>

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
    // Every position has both kings. So keys determine only the XOR of two numbers of a king, and
    // one number of each king can be chosen. Choose 0 for the king on its home square.
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

namespace {

/// Pairs of squares for the two kings. For each piece and each square on which the piece can stand,
/// at least one pair of king squares makes a legal position.
constexpr std::array<std::array<Square, 2>, 5> kKings{{{Square::kE1, Square::kE8},
                                                       {Square::kA1, Square::kH8},
                                                       {Square::kH1, Square::kA8},
                                                       {Square::kC4, Square::kF7},
                                                       {Square::kG2, Square::kB5}}};
constexpr Piece kWhiteKing{Color::kWhite, PieceType::kKing};
constexpr Piece kBlackKing{Color::kBlack, PieceType::kKing};

void add_pieces(std::vector<KeyPosition>& all) {
  for (const auto& [white, black] : kKings) {
    for (const Color side : {Color::kWhite, Color::kBlack}) {
      if (auto bare = sparse_position({{kWhiteKing, white}, {kBlackKing, black}}, side))
        all.push_back(*bare);
    }
  }
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    for (int type = 0; type < index(PieceType::kKing); ++type) {
      const Piece piece{color, static_cast<PieceType>(type)};
      for (int s = 0; s < kSquares; ++s) {
        const auto fits = [&] {
          for (const auto& [white, black] : kKings) {
            for (const Color side : {Color::kWhite, Color::kBlack}) {
              auto position = sparse_position(
                  {{kWhiteKing, white}, {kBlackKing, black}, {piece, square_at(s)}}, side);
              if (position) return position;
            }
          }
          return std::optional<KeyPosition>{};
        };
        if (auto position = fits()) all.push_back(*position);
      }
    }
    for (int s = 0; s < kSquares; ++s) {
      for (const auto& kings : kKings) {
        auto position = color == Color::kWhite
                            ? sparse_position({{kWhiteKing, square_at(s)}, {kBlackKing, kings[1]}},
                                              Color::kWhite)
                            : sparse_position({{kWhiteKing, kings[0]}, {kBlackKing, square_at(s)}},
                                              Color::kWhite);
        if (!position) continue;
        all.push_back(*position);
        break;
      }
    }
  }
}

void add_rights(std::vector<KeyPosition>& all) {
  for (const char* side : {"w", "b"}) {
    for (unsigned mask = 0; mask < 16; ++mask) {
      all.push_back(*KeyPosition::parse("r3k2r/8/8/8/8/8/8/R3K2R " + std::string(side) + ' ' +
                                        rights_text(mask) + " - 0 1"));
    }
  }
}

/// Adds positions in which a pawn has just made a double step and may be captured en passant. Adds
/// each position twice: with and without the en passant square in the FEN.
void add_en_passant(std::vector<KeyPosition>& all) {
  for (const Color mover : {Color::kWhite, Color::kBlack}) {
    for (int file = 0; file < 8; ++file) {
      const int rank = mover == Color::kWhite ? 4 : 3;
      const int beside = file > 0 ? file - 1 : file + 1;
      const Piece own{mover, PieceType::kPawn};
      const Piece passer{~mover, PieceType::kPawn};
      auto position = sparse_position({{kWhiteKing, Square::kE1},
                                       {kBlackKing, Square::kE8},
                                       {own, square_at(beside, rank)},
                                       {passer, square_at(file, rank)}},
                                      mover);
      if (!position) continue;
      all.push_back(*position);
      position->passed = square_at(file, mover == Color::kWhite ? 5 : 2);
      if (const auto with = KeyPosition::parse(position->fen())) all.push_back(*with);
    }
  }
}

using Placed = std::vector<std::pair<Piece, Square>>;

/// Builds two positions that differ in the given features only. Each of these features is in
/// exactly one of the positions.
class PairBuilder {
 public:
  explicit PairBuilder(const std::vector<std::size_t>& features) {
    for (const std::size_t feature : features) {
      if (feature == KeyFeature::kSide) {
        sides_differ_ = true;
      } else if (feature < KeyFeature::kSide) {
        const Piece piece = *piece_of_feature(feature);
        auto& kings = kings_[static_cast<std::size_t>(index(piece.color))];
        if (piece.type == PieceType::kKing) {
          kings.push_back(*square_of_feature(feature));
        } else {
          pieces_.emplace_back(piece, *square_of_feature(feature));
        }
      } else if (feature < KeyFeature::kEnPassant) {
        rights_.push_back(static_cast<unsigned>(feature - KeyFeature::kRights + 1));
      } else {
        const auto number = static_cast<int>(feature - KeyFeature::kEnPassant);
        passed_.push_back(square_at(number % 8, number < 8 ? 2 : 5));
      }
    }
    for (std::size_t color = 0; color < kings_.size(); ++color) {
      if (kings_[color].size() == 1)
        kings_[color].push_back(color == 0 ? Square::kE1 : Square::kE8);
    }
    if (!rights_.empty()) add_castlers();
    if (!passed_.empty()) add_pawns();
  }

  [[nodiscard]] std::optional<std::pair<KeyPosition, KeyPosition>> build() const {
    if (kings_[0].size() > 2 || kings_[1].size() > 2 || rights_.size() > 4 || passed_.size() > 2)
      return std::nullopt;
    const std::size_t ways = std::size_t{1} << (pieces_.size() + 2);
    const std::size_t half =
        0xaaaa & (ways - 1);  // the first way puts half of the pieces into each position
    for (const auto& homes : kKings) {
      for (std::size_t way = 0; way < ways; ++way) {
        if (auto found = try_way(homes, way ^ half)) return found;
      }
    }
    return std::nullopt;
  }

 private:
  void add_castlers() {
    for (std::size_t color = 0; color < 2; ++color) {
      const int rank = color == 0 ? 0 : 7;
      for (const int file : {0, 7})
        common_.emplace_back(Piece{static_cast<Color>(color), PieceType::kRook},
                             square_at(file, rank));
    }
  }
  /// For each en passant square, adds the pawn that has made its double step, and an enemy pawn
  /// beside it that may capture it.
  void add_pawns() {
    side_ = rank_of(passed_.front()) == 5 ? Color::kWhite : Color::kBlack;
    const int rank = side_ == Color::kWhite ? 4 : 3;
    std::vector<int> files;
    for (const Square square : passed_) files.push_back(file_of(square));
    for (const int file : files)
      common_.emplace_back(Piece{~*side_, PieceType::kPawn}, square_at(file, rank));
    for (const int file : std::vector<int>(files)) {
      for (const int beside : {file - 1, file + 1}) {
        if (beside < 0 || beside > 7 || std::ranges::count(files, beside) != 0) continue;
        files.push_back(beside);
        common_.emplace_back(Piece{*side_, PieceType::kPawn}, square_at(beside, rank));
        break;
      }
    }
  }

  [[nodiscard]] std::optional<std::pair<KeyPosition, KeyPosition>> try_way(
      const std::array<Square, 2>& homes, std::size_t way) const {
    std::array<Placed, 2> placed{common_, common_};
    for (std::size_t i = 0; i < pieces_.size(); ++i) placed[(way >> i) & 1].push_back(pieces_[i]);
    for (std::size_t color = 0; color < 2; ++color) {
      const Piece king{static_cast<Color>(color), PieceType::kKing};
      const auto& squares = kings_[color];
      const std::size_t flip = (way >> (pieces_.size() + color)) & 1;
      for (std::size_t side = 0; side < 2; ++side) {
        const Square home =
            rights_.empty() ? homes[color] : (color == 0 ? Square::kE1 : Square::kE8);
        placed[side].emplace_back(king, squares.empty() ? home : squares[side ^ flip]);
      }
    }
    // Distribute the castling features. If each feature is a single right ("castling K"), the first
    // position gets all features. If one feature is a set of rights ("castling KQ"), the first
    // position gets features 1 and 3, and the second position gets features 2 and 4.
    const bool sets =
        std::ranges::any_of(rights_, [](unsigned mask) { return (mask & (mask - 1)) != 0; });
    std::array<unsigned, 2> rights{};
    for (std::size_t i = 0; i < rights_.size(); ++i) rights[sets ? i % 2 : 0] |= rights_[i];
    for (const Color side : {Color::kWhite, Color::kBlack}) {
      if (side_ && side != *side_) continue;
      std::array<std::optional<KeyPosition>, 2> made;
      for (std::size_t i = 0; i < 2; ++i) {
        const auto passed = i < passed_.size() ? std::optional(passed_[i]) : std::nullopt;
        made[i] =
            sparse_position(placed[i], sides_differ_ && i == 1 ? ~side : side, rights[i], passed);
      }
      if (made[0] && made[1]) return std::pair(*made[0], *made[1]);
    }
    return std::nullopt;
  }

  bool sides_differ_ = false;
  std::optional<Color> side_;  ///< the side that must be to move
  std::array<std::vector<Square>, 2> kings_;
  Placed pieces_;
  Placed common_;
  std::vector<unsigned> rights_;
  std::vector<Square> passed_;
};

}  // namespace

std::optional<KeyPosition> sparse_position(const std::vector<std::pair<Piece, Square>>& pieces,
                                           Color side_to_move, unsigned rights,
                                           std::optional<Square> en_passant) {
  Setup setup;
  setup.side_to_move = side_to_move;
  setup.en_passant = en_passant;
  for (const auto& [piece, square] : pieces) {
    auto& place = setup.pieces[static_cast<std::size_t>(index(square))];
    if (place) return std::nullopt;
    place = piece;
  }
  for (std::size_t i = 0; i < kRightCorners.size(); ++i) {
    if (((rights >> i) & 1) != 0) setup.castling_rooks |= bit(kRightCorners[i]);
  }
  const Result<Position> position = Position::from_setup(setup);
  if (!position) return std::nullopt;
  if (en_passant && position->board().en_passant == 0) return std::nullopt;
  return KeyPosition{*position, CastlingNotation::kStandard, en_passant};
}

std::optional<std::pair<KeyPosition, KeyPosition>> positions_apart(
    const std::vector<std::size_t>& features) {
  return PairBuilder(features).build();
}

std::vector<KeyPosition> telling_positions() {
  std::vector<KeyPosition> all;
  add_pieces(all);
  add_rights(all);
  add_en_passant(all);
  return all;
}

}  // namespace manyply
