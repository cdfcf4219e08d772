#include "core/configurations/lone_moves.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/configurations/rays.h"
#include "core/geometry.h"

namespace manyply {
namespace {

using Kind = LoneMove::Kind;

template <Color Us>
class Lister {
 public:
  Lister(const Configuration& configuration, std::vector<LoneStep>& steps)
      : before_(configuration), own_(configuration.pieces.all()), steps_(steps) {}

  void list() {
    list_pawns(before_.pieces.pawns);
    list_pieces();
  }

  void list_within_kind() {
    for (Bitboard pawns = before_.pieces.pawns & ~kRankBeforeLast; pawns != 0;)
      push(pop_lowest(pawns));
    list_pieces();
  }

  void list_captures(Bitboard from_file, Bitboard to_file) {
    for (Bitboard pawns = before_.pieces.pawns & from_file & ~kRankBeforeLast; pawns != 0;)
      capture(pop_lowest(pawns), to_file & ~own_);
  }

  void list_promotions(Bitboard from_file) {
    list_pawns(before_.pieces.pawns & from_file & kRankBeforeLast);
  }

 private:
  static constexpr int kUp = Us == Color::kWhite ? 8 : -8;
  static constexpr Bitboard kLastRank = relative_rank<Us>(7);
  static constexpr Bitboard kRankBeforeLast = relative_rank<Us>(6);

  void list_pawns(Bitboard pawns) {
    while (pawns != 0) {
      const int from = pop_lowest(pawns);
      push(from);
      capture(from, ~own_);
    }
  }

  void list_pieces() {
    const Pieces& pieces = before_.pieces;
    for (Bitboard knights = pieces.knights; knights != 0;) {
      const int from = pop_lowest(knights);
      leap(from, kKnightAttacks[static_cast<std::size_t>(from)]);
    }
    for (Bitboard sliders = pieces.bishops_queens; sliders != 0;)
      slide(pop_lowest(sliders), detail::kDiagonalSteps);
    for (Bitboard sliders = pieces.rooks_queens; sliders != 0;)
      slide(pop_lowest(sliders), detail::kOrthogonalSteps);
    const int king = lowest(pieces.king);
    leap(king, kKingAttacks[static_cast<std::size_t>(king)]);
    for (Bitboard rooks = before_.castling; rooks != 0;) castle(king, pop_lowest(rooks));
  }

  void push(int from) {
    const int once = from + kUp;
    if ((own_ & bit(once)) == 0) {
      step_or_promote({bit(once), square(from), square(once), Kind::kPush});
      const int twice = once + kUp;
      if ((bit(from) & relative_rank<Us>(1)) != 0 && (own_ & bit(twice)) == 0)
        step({bit(once) | bit(twice), square(from), square(twice), Kind::kDoublePush});
    }
  }

  void capture(int from, Bitboard allowed) {
    for (Bitboard targets = pawn_attacks<Us>(bit(from)) & allowed; targets != 0;)
      step_or_promote({0, square(from), square(pop_lowest(targets)), Kind::kPawnCapture});
  }

  void leap(int from, Bitboard targets) {
    for (targets &= ~own_; targets != 0;)
      step({0, square(from), square(pop_lowest(targets)), Kind::kPiece});
  }

  void slide(int from, const std::array<detail::Step, 4>& directions) {
    for (const detail::Step direction : directions) {
      Bitboard passed = 0;
      for (Bitboard ray = detail::ray(from, direction, own_) & ~own_; ray != 0;) {
        // Visit the nearest square first: the lowest square of an upward ray, the highest square of
        // a downward ray.
        const bool upwards = direction.rank > 0 || (direction.rank == 0 && direction.file > 0);
        const int to = upwards ? lowest(ray) : 63 - std::countl_zero(ray);
        step({passed, square(from), square(to), Kind::kPiece});
        passed |= bit(to);
        ray ^= bit(to);
      }
    }
  }

  void castle(int king, int rook) {
    const CastlingPath path = castling_path<Us>(king, rook);
    if ((path.empty & own_) != 0) return;
    Configuration after = before_;
    after.pieces.king = bit(path.king_to);
    after.pieces.rooks_queens = (after.pieces.rooks_queens & ~bit(rook)) | bit(path.rook_to);
    after.castling = 0;
    steps_.push_back({{path.empty, square(king), square(rook), Kind::kCastling}, after});
  }

  void step_or_promote(const LoneMove& move) {
    if ((bit(move.to) & kLastRank) == 0) {
      step(move);
      return;
    }
    Configuration base = before_;
    base.pieces.pawns ^= bit(move.from);
    for (const auto& [diagonal, orthogonal] :
         {std::pair(true, true), {false, true}, {true, false}, {false, false}}) {
      Configuration after = base;
      (diagonal || orthogonal ? diagonal ? after.pieces.bishops_queens : after.pieces.rooks_queens
                              : after.pieces.knights) |= bit(move.to);
      if (diagonal && orthogonal) after.pieces.rooks_queens |= bit(move.to);
      steps_.push_back({move, after});
    }
  }

  void step(const LoneMove& move) {
    const Bitboard from = bit(move.from);
    const Bitboard change = from | bit(move.to);
    Configuration after = before_;
    Pieces& pieces = after.pieces;
    for (Bitboard Pieces::* const set : {&Pieces::pawns, &Pieces::knights, &Pieces::bishops_queens,
                                         &Pieces::rooks_queens, &Pieces::king}) {
      if ((pieces.*set & from) != 0) pieces.*set ^= change;
    }
    after.castling &= (before_.pieces.king & from) != 0 ? 0 : ~from;
    steps_.push_back({move, after});
  }

  static std::uint8_t square(int at) { return static_cast<std::uint8_t>(at); }

  const Configuration& before_;
  const Bitboard own_;
  std::vector<LoneStep>& steps_;
};

template <typename List>
void with_lister(const Configuration& configuration, Color mover, std::vector<LoneStep>& steps,
                 const List& list) {
  if (mover == Color::kWhite) {
    list(Lister<Color::kWhite>(configuration, steps));
  } else {
    list(Lister<Color::kBlack>(configuration, steps));
  }
}

}  // namespace

Bitboard sight_of(const Configuration& configuration, Color side) {
  const Pieces& pieces = configuration.pieces;
  const Bitboard own = pieces.all();
  Bitboard sight = stepping_attacks(pieces, side);
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Bitboard sliders = is_diagonal(direction) ? pieces.bishops_queens : pieces.rooks_queens;
         sliders != 0;)
      sight |= squares_before(pop_lowest(sliders), direction, own);
  }
  return sight;
}

void append_lone_moves(const Configuration& configuration, Color mover,
                       std::vector<LoneStep>& steps) {
  with_lister(configuration, mover, steps, [](auto lister) { lister.list(); });
}

void append_moves_within_kind(const Configuration& configuration, Color mover,
                              std::vector<LoneStep>& steps) {
  with_lister(configuration, mover, steps, [](auto lister) { lister.list_within_kind(); });
}

MovesToKind::MovesToKind(ConfigurationKind before, ConfigurationKind after) : after_(after) {
  for (int file = 0; file < 8; ++file) {
    const int change = pawns_of_kind(after, file) - pawns_of_kind(before, file);
    if (change != 0) (change < 0 ? from_ : to_) = file_mask(file);
  }
}

void MovesToKind::append(const Configuration& configuration, Color mover,
                         std::vector<LoneStep>& steps) const {
  if (to_ != 0) {
    with_lister(configuration, mover, steps,
                [this](auto lister) { lister.list_captures(from_, to_); });
    return;
  }
  const std::size_t first = steps.size();
  with_lister(configuration, mover, steps, [this](auto lister) { lister.list_promotions(from_); });
  const auto leads_elsewhere = [this](const LoneStep& step) {
    return kind_of(step.after) != after_;
  };
  steps.erase(std::remove_if(steps.begin() + static_cast<std::ptrdiff_t>(first), steps.end(),
                             leads_elsewhere),
              steps.end());
}

}  // namespace manyply
