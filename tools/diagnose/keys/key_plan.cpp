#include "tools/diagnose/keys/key_plan.h"

#include <algorithm>
#include <array>

#include "core/bitboard.h"
#include "core/position.h"

namespace manyply {
namespace {

constexpr std::array kStarts{
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    // Positions for castling, for moves of kings and rooks that lose castling rights, and for
    // captures of rooks in their corners.
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    "r3k2r/p6p/8/8/8/8/P6P/R3K2R w Kq - 3 9", "r3k2r/p6p/8/8/8/8/P6P/R3K2R b Qk - 3 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
    "r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1", "r3k2r/7b/8/8/8/8/1B4BQ/R3K2R b KQkq - 0 1",
    // Promotions, some of which capture a rook with a castling right.
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1", "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R b KQkq - 0 1",
    "1n1n4/P1P1P2k/8/8/8/8/p1p1p2K/1N1N4 w - - 0 1",
    "1n1n4/P1P1P2k/8/8/8/8/p1p1p2K/1N1N4 b - - 0 1",
    // Double pushes with and without an enemy pawn beside them; en passant captures, some illegal.
    "4k3/1p1p1p1p/8/P1P1P1P1/1p1p1p1p/8/P1P1P1P1/4K3 w - - 0 1",
    "4k3/1p1p1p1p/8/P1P1P1P1/1p1p1p1p/8/P1P1P1P1/4K3 b - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 b - - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "rnbqkbnr/pppp1ppp/8/8/3PpP2/8/PPP1P1PP/RNBQKBNR b KQkq f3 0 3",
    "8/2p1p3/8/KP1P3r/1R3p1k/8/4P1P1/8 w - - 0 1", "8/2p1p3/8/KP1P3r/1R3p1k/8/4P1P1/8 b - - 0 1",
    // Captures by each kind of piece, and of each kind of piece.
    "3k4/2q1r3/1n1b1n2/2P1p3/2p1P3/1N1B1N2/2Q1R3/3K4 w - - 5 20",
    "3k4/2q1r3/1n1b1n2/2P1p3/2p1P3/1N1B1N2/2Q1R3/3K4 b - - 5 20",
    "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"};

/// Pairs of squares for the two kings. If a piece can stand on a square, at least one of these
/// pairs gives a legal position with this piece there.
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
    // If each castling feature is a single right, the first position gets all these rights. If a
    // feature is a set of several rights, the features go to the two positions alternately.
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

KeyLines::KeyLines(std::vector<KeyPosition> more) {
  for (const char* fen : kStarts) starts_.push_back(*KeyPosition::parse(fen));
  starts_.insert(starts_.end(), more.begin(), more.end());
}

Move KeyLines::choose(const KeyPosition& position) {
  const MoveList moves = legal_moves(position.position);
  Move move = moves[below(moves.size())];
  const bool quiet = move.kind() == MoveKind::kNormal && !position.position.piece_on(move.to());
  return quiet && below(3) == 0 ? moves[below(moves.size())] : move;
}

void KeyLines::refill() {
  constexpr std::size_t kPairs = 3;  // number of replies to each move of each position
  constexpr std::size_t kGamePlies = 80;
  const std::size_t round = round_++;
  if (round <= kPairs) {
    for (const KeyPosition& start : starts_) {
      for (const Move move : legal_moves(start.position)) {
        KeyLine line{start, {move}};
        const KeyPosition next = start.after(move);
        if (round > 0 && !legal_moves(next.position).empty()) line.moves.push_back(choose(next));
        waiting_.push_back(std::move(line));
      }
    }
  } else {
    KeyPosition position = starts_[below(starts_.size())];
    for (std::size_t ply = 0; ply < kGamePlies; ++ply) {
      KeyLine line{position, {}};
      KeyPosition next = position;
      while (line.moves.size() < kSteps && !legal_moves(next.position).empty()) {
        line.moves.push_back(choose(next));
        next = next.after(line.moves.back());
      }
      if (line.moves.empty()) break;
      position = position.after(line.moves.front());
      waiting_.push_back(std::move(line));
    }
  }
  std::ranges::reverse(waiting_);
}

KeyLine KeyLines::next() {
  while (waiting_.empty()) refill();
  KeyLine line = std::move(waiting_.back());
  waiting_.pop_back();
  return line;
}

std::vector<KeyPosition> random_positions(std::size_t count) {
  KeyLines lines;
  std::vector<KeyPosition> all;
  for (std::size_t i = 0; all.size() < count; ++i) {
    KeyPosition last = lines.next().positions().back();
    // The first lines start from the same few positions. So one line in five is enough.
    if (all.size() < count / 2 && i % 5 != 0) continue;
    if (last.passed_kind() != PassedSquare::kUsable) last.passed.reset();
    last.clock = 0;
    last.number = 1;
    all.push_back(last);
  }
  return all;
}

}  // namespace manyply
