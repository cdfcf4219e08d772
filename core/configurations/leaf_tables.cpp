#include "core/configurations/leaf_tables.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/geometry.h"

namespace manyply {

// --- rows ---------------------------------------------------------------------------------------

namespace {

Bitboard knight_attacks(int square) { return kKnightAttacks[static_cast<std::size_t>(square)]; }
Bitboard king_attacks(int square) { return kKingAttacks[static_cast<std::size_t>(square)]; }

template <Color Us>
PawnPlan pawn_plan(Bitboard pawns, Bitboard own) {
  PawnPlan plan;
  plan.single = forward<Us>(pawns) & ~own;
  plan.twice = forward<Us>(plan.single & relative_rank<Us>(2)) & ~own;
  plan.west = forward_west<Us>(pawns) & ~own;
  plan.east = forward_east<Us>(pawns) & ~own;
  return plan;
}

PawnPlan pawn_plan(Color side, Bitboard pawns, Bitboard own) {
  return side == Color::kWhite ? pawn_plan<Color::kWhite>(pawns, own)
                               : pawn_plan<Color::kBlack>(pawns, own);
}

/// Returns the squares of the pieces that slide in `direction`.
Bitboard sliders_of(const Pieces& pieces, int direction) {
  return is_diagonal(direction) ? pieces.bishops_queens : pieces.rooks_queens;
}

std::uint8_t narrow(int value) { return static_cast<std::uint8_t>(value); }

}  // namespace

DistanceSlots::DistanceSlots() { of.fill(kNone); }

void DistanceSlots::want(int square, int direction) {
  std::uint16_t& slot = of[ray_number(square, direction)];
  if (slot == kNone) slot = static_cast<std::uint16_t>(count++);
}

void want_distances(const std::vector<Configuration>& rows, Color side, Bitboard column_kings,
                    DistanceSlots& slots) {
  Pieces anywhere;
  for (const Configuration& row : rows) {
    anywhere.bishops_queens |= row.pieces.bishops_queens;
    anywhere.rooks_queens |= row.pieces.rooks_queens;
    anywhere.king |= row.pieces.king;
  }
  // Squares on which attacks matter to the king: its own square, the squares to which it steps, and
  // the squares of castling.
  Bitboard guarded = anywhere.king | back_rank(side);
  for (Bitboard kings = anywhere.king; kings != 0;) guarded |= king_attacks(pop_lowest(kings));
  for (int direction = 0; direction < kDirections; ++direction) {
    Bitboard attacked = guarded;  // pins also need all squares on the king's rays
    for (Bitboard kings = anywhere.king; kings != 0;)
      attacked |= ray_of(pop_lowest(kings), direction);
    while (attacked != 0) slots.want(pop_lowest(attacked), direction);
  }
  slots.sliders = slots.count;
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Bitboard pieces = sliders_of(anywhere, direction) | anywhere.king | column_kings;
         pieces != 0;)
      slots.want(pop_lowest(pieces), direction);
  }
}

bool RowPlan::fits(const Configuration& configuration, Color side) {
  const Pieces& pieces = configuration.pieces;
  const Bitboard own = pieces.all();
  const PawnPlan pawns = pawn_plan(side, pieces.pawns, own);
  int most = 8 + 2 + popcount(pawns.twice);
  for (const Bitboard targets : {pawns.single, pawns.west, pawns.east})
    most += popcount(targets) + 3 * popcount(targets & back_rank(~side));
  for (Bitboard knights = pieces.knights; knights != 0;)
    most += popcount(knight_attacks(pop_lowest(knights)) & ~own);
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Bitboard sliders = sliders_of(pieces, direction); sliders != 0;)
      most += free_squares(pop_lowest(sliders), direction, own);
  }
  // After the loss of a piece, up to eight rays may become longer, and moves to the piece's square
  // become possible.
  constexpr int kFreed = 8 * 7 + 24;
  return most + kFreed <= 255;
}

void RowPlan::make(const Configuration& of, Color of_side, const DistanceSlots& slots) {
  const Pieces& pieces = of.pieces;
  configuration = of;
  side = of_side;
  own = pieces.all();
  sight = sight_of(of, of_side);
  king = lowest(pieces.king);
  pawns = pawn_plan(of_side, pieces.pawns, own);
  slots_ = &slots;
  knight_moves = 0;
  rays.clear();
  for (auto& ways : ways_) ways.clear();
  for (Bitboard knights = pieces.knights; knights != 0;)
    knight_moves = narrow(knight_moves + popcount(knight_attacks(pop_lowest(knights)) & ~own));
  for (int direction = 0; direction < kDirections; ++direction) {
    for (Bitboard sliders = sliders_of(pieces, direction); sliders != 0;) {
      const int square = pop_lowest(sliders);
      const int length = free_squares(square, direction, own);
      if (length == 0) continue;
      rays.push_back({slots.of[ray_number(square, direction)], narrow(length), narrow(square),
                      narrow(direction)});
    }
  }
  plan_king();
  plan_pins();
}

GuardedSquare RowPlan::guarded(int square, Bitboard blockers) const {
  GuardedSquare guarded;
  guarded.square = narrow(square);
  for (int direction = 0; direction < kDirections; ++direction) {
    const int length = free_squares(square, direction, blockers);
    if (length == 0) continue;
    guarded.tests[guarded.count++] = {slots_->of[ray_number(square, direction)], narrow(length),
                                      narrow(direction)};
  }
  return guarded;
}

void RowPlan::plan_king() {
  // `rest` excludes the king, because a slider that attacks the king also attacks the squares
  // behind the king.
  const Bitboard rest = own ^ configuration.pieces.king;
  KingPlan& plan = king_plan = {};
  plan.king = guarded(king, own);
  for (Bitboard steps = king_attacks(king) & ~own; steps != 0;)
    plan.squares[plan.steps++] = guarded(pop_lowest(steps), rest);
  std::uint8_t end = plan.steps;
  for (Bitboard rooks = configuration.castling; rooks != 0;) {
    const int rook = pop_lowest(rooks);
    const CastlingPath path = castling_path(side, king, rook);
    if ((path.empty & own) != 0) continue;
    KingPlan::Castling& castling = plan.castling[plan.castlings++];
    castling.empty = path.empty;
    castling.begin = end;
    for (Bitboard way = path.safe & ~configuration.pieces.king; way != 0;)
      plan.squares[end++] = guarded(pop_lowest(way), rest);
    castling.end = end;
    // In Chess960, a slider behind the castling rook attacks the king after the rook has moved.
    constexpr int kEast = 2;
    const int away = rook > king ? kEast : opposite(kEast);
    const int behind = free_squares(rook, away, own);
    if (behind != 0)
      castling.shield = {slots_->of[ray_number(rook, away)], narrow(behind), narrow(away)};
  }
}

void RowPlan::plan_pins() {
  pins.clear();
  for (int direction = 0; direction < kDirections; ++direction) {
    const Bitboard piece = first_met(king, direction, own);
    if (piece == 0) continue;
    const int square = lowest(piece);
    const int length = free_squares(square, direction, own);
    if (length == 0) continue;
    pins.push_back({{slots_->of[ray_number(square, direction)], narrow(length), narrow(direction)},
                    slots_->of[ray_number(king, direction)],
                    narrow(free_squares(king, direction, own) + 1),
                    narrow(square)});
  }
}

WayTo RowPlan::way_to(int square) const {
  const Pieces& pieces = configuration.pieces;
  const Bitboard target = bit(square);
  const int back = side == Color::kWhite ? -8 : 8;
  const std::uint8_t each = (target & back_rank(~side)) != 0 ? 4 : 1;
  WayTo way;
  way.always = narrow(popcount(knight_attacks(square) & pieces.knights));
  way.if_taking = narrow(each * popcount(pawn_attacks_of(~side, square) & pieces.pawns));
  if ((target & pawns.single) != 0) way.if_empty = each;
  if ((target & pawns.twice) != 0) {
    way.if_passed = 1;
    way.passed = narrow(square + back);
  }
  for (int direction = 0; direction < kDirections; ++direction) {
    const Bitboard slider = first_met(square, direction, own);
    if ((slider & sliders_of(pieces, direction)) == 0) continue;
    way.slider[way.sliders++] = {slots_->of[ray_number(lowest(slider), opposite(direction))],
                                 narrow(free_squares(square, direction, own) + 1)};
  }
  return way;
}

const std::vector<WayTo>& RowPlan::ways(std::size_t check) {
  std::vector<WayTo>& ways = ways_[check];
  if (ways.empty()) {
    const RayTest& test = king_plan.king.tests[check];
    for (int i = 1; i <= test.length; ++i)
      ways.push_back(way_to(king + i * step_of(test.direction)));
  }
  return ways;
}

// --- columns ------------------------------------------------------------------------------------

namespace {

/// The first piece along a ray, for each column of a block.
struct WalkedRay {
  std::array<std::uint64_t, 3> distance{};  ///< one set of columns for each binary digit
  std::uint64_t sliders = 0;                ///< columns whose first piece attacks along the ray
  std::uint8_t nearest_slider = kNoSlider;  ///< smallest distance in these columns
};

/// Follows a ray for all columns at once. occupied[s] is the set of columns with a piece on square
/// s. fitting[s] is the set of columns whose piece on s attacks along the ray.
WalkedRay walk(int square, int direction, const std::array<std::uint64_t, 64>& occupied,
               const std::array<std::uint64_t, 64>& fitting) {
  WalkedRay ray;
  const auto arrive = [&ray](std::uint64_t columns, int distance) {
    for (std::size_t bit = 0; bit < ray.distance.size(); ++bit)
      ray.distance[bit] |= (distance >> bit & 1) != 0 ? columns : 0;
  };
  std::uint64_t going = ~std::uint64_t{0};
  const int length = popcount(ray_of(square, direction));
  for (int distance = 1; distance <= length && going != 0; ++distance) {
    const auto at = static_cast<std::size_t>(square + distance * step_of(direction));
    arrive(going & occupied[at], distance);
    const std::uint64_t met = going & fitting[at];
    if (met != 0 && ray.sliders == 0) ray.nearest_slider = static_cast<std::uint8_t>(distance);
    ray.sliders |= met;
    going &= ~occupied[at];
  }
  arrive(going, length);
  return ray;
}

LeafDistances distances_of(const WalkedRay& ray) {
  // kBits[b] has the bits of byte b as eight bytes, lowest bit first.
  static constexpr std::array<std::array<std::uint8_t, 8>, 256> kBits = [] {
    std::array<std::array<std::uint8_t, 8>, 256> bits{};
    for (std::size_t byte = 0; byte < 256; ++byte) {
      for (std::size_t i = 0; i < 8; ++i) bits[byte][i] = byte >> i & 1;
    }
    return bits;
  }();
  LeafDistances distances;
  constexpr std::size_t kHalf = kBlockColumns / 2;
  for (std::size_t column = 0; column < kHalf; column += 8) {
    std::uint64_t eight = 0;
    for (std::size_t bit = 0; bit < ray.distance.size(); ++bit) {
      const auto at = [&](std::size_t first) {
        std::uint64_t word = 0;
        std::memcpy(&word, kBits[ray.distance[bit] >> first & 0xFF].data(), sizeof word);
        return word << bit;
      };
      eight |= at(column) | at(column + kHalf) << 4;
    }
    std::memcpy(&distances.bytes[column], &eight, sizeof eight);
  }
  return distances;
}

/// Returns whether `a` comes before `b`. The order compares the kings' squares first. Neighbours in
/// this order have many pieces in common.
bool stands_before(const Configuration& a, const Configuration& b) {
  return std::tuple(a.pieces.king, a.pieces.bishops_queens, a.pieces.all()) <
         std::tuple(b.pieces.king, b.pieces.bishops_queens, b.pieces.all());
}

}  // namespace

/// Lists the moves of all columns, and sorts the resulting configurations into blocks.
class LeafColumns::Builder {
 public:
  Builder(LeafColumns& made, const ForEach& for_each, StopView stop)
      : made_(made), for_each_(for_each), stop_(stop) {}

  void build() {
    constexpr std::size_t kColumnsAtOnce = 128;
    const std::size_t columns = made_.columns_.size();
    listed_.resize((columns + kColumnsAtOnce - 1) / kColumnsAtOnce);
    for_each_(listed_.size(), [&](std::size_t part) {
      const std::size_t begin = part * kColumnsAtOnce;
      list(begin, std::min(columns, begin + kColumnsAtOnce), listed_[part]);
    });
    if (stop_.stop_requested()) return;
    number_paths();
    if (stop_.stop_requested()) return;
    // Start with the group of quiet moves, because it is the largest and takes longest.
    for_each_(kGroups, [this](std::size_t i) { number_columns(kGroups - 1 - i); });
    for (Group& group : groups_) {
      sort_all(
          group.order,
          [&group](std::uint32_t a, std::uint32_t b) {
            return stands_before(group.set[a], group.set[b]);
          },
          for_each_, stop_);
    }
    if (stop_.stop_requested()) return;
    lay_out();
    if (stop_.stop_requested()) return;
    for_each_(kGroups, [this](std::size_t i) { write_columns(kGroups - 1 - i); });
    if (stop_.stop_requested()) return;
    std::vector<std::uint32_t>& first = made_.first_source_;
    std::partial_sum(first.begin(), first.end(), first.begin());
    made_.sources_.resize(first.back());
    if (stop_.stop_requested()) return;
    for_each_(kGroups, [this](std::size_t i) { place_sources(kGroups - 1 - i); });
  }

 private:
  // Each group except the last has the results of captures on one square. The last group has the
  // results of quiet moves.
  static constexpr std::size_t kGroups = LeafPath::kQuiet + 1;
  static constexpr std::uint32_t kNoPath = UINT32_MAX;

  struct Step {
    LeafSource source;
    LoneMove move;
    Configuration after;
    std::uint32_t number;  ///< number of `after` in its group
  };
  /// The moves of some neighbouring columns, in one vector for each group.
  using Listed = std::array<std::vector<Step>, kGroups>;
  struct Group {
    ConfigurationSet set;
    std::vector<std::uint32_t> order;      // numbers in `set`, in the order of the moved columns
    std::vector<std::uint32_t> column_of;  // number of the moved column, by number in `set`
    std::size_t first_column = 0;
    std::size_t first_block = 0;
  };

  void list(std::size_t begin, std::size_t end, Listed& listed) const {
    std::vector<LoneStep> steps;
    for (std::size_t column = begin; column < end; ++column) {
      steps.clear();
      append_lone_moves(made_.columns_[column], made_.mover_, steps);
      for (const LoneStep& step : steps) {
        const LoneMove& move = step.move;
        const Step item{{static_cast<std::uint32_t>(column), kNoPath}, move, step.after, 0};
        if (move.kind != LoneMove::Kind::kPawnCapture) listed[LeafPath::kQuiet].push_back(item);
        if (move.captures() != 0) listed[move.to].push_back(item);
      }
    }
  }

  void number_paths() {
    std::map<std::pair<Bitboard, int>, std::uint32_t> numbers;  // by condition
    std::vector<std::uint32_t> of_quiet(kLoneMoves, kNoPath);   // indexed by move
    std::vector<std::uint32_t> of_capture(kLoneMoves, kNoPath);
    for (Listed& listed : listed_) {
      if (stop_.stop_requested()) return;
      for (int group = 0; group <= LeafPath::kQuiet; ++group) {
        const bool quiet = group == LeafPath::kQuiet;
        for (Step& step : listed[static_cast<std::size_t>(group)]) {
          const LoneMove& move = step.move;
          if (move.kind == LoneMove::Kind::kCastling) {
            step.source.path = new_path({move.path, group, static_cast<int>(castlings().size())});
            castlings().push_back({step.source.column, move});
            continue;
          }
          std::uint32_t& path = (quiet ? of_quiet : of_capture)[move.number()];
          if (path == kNoPath) {
            const Bitboard empty = quiet ? move.path | move.captures() : move.path;
            const auto [known, is_new] = numbers.try_emplace({empty, group}, kNoPath);
            if (is_new) known->second = new_path({empty, group, LeafPath::kNoCastling});
            path = known->second;
          }
          step.source.path = path;
        }
      }
    }
  }
  std::uint32_t new_path(const LeafPath& path) {
    made_.paths_.push_back(path);
    return static_cast<std::uint32_t>(made_.paths_.size() - 1);
  }
  std::vector<LeafCastling>& castlings() { return made_.castlings_; }

  void number_columns(std::size_t number) {
    Group& group = groups_[number];
    for (Listed& listed : listed_) {
      if (stop_.stop_requested()) return;
      for (Step& step : listed[number]) step.number = group.set.insert(step.after);
    }
    group.order.resize(group.set.size());
    std::iota(group.order.begin(), group.order.end(), 0U);
  }

  void lay_out() {
    std::size_t columns = 0;
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < kGroups; ++i) {
      // Blocks of quiet moves come first, because every row is counted with them.
      Group& group = groups_[(i + LeafPath::kQuiet) % kGroups];
      group.first_column = columns;
      group.first_block = blocks;
      columns += group.set.size();
      blocks += (group.set.size() + kBlockColumns - 1) / kBlockColumns;
    }
    made_.moved_.resize(columns);
    made_.blocks_.resize(blocks);
    made_.first_source_.resize(columns + 1);
  }

  /// Writes the moved columns of a group, and counts the origins of each moved column.
  void write_columns(std::size_t number) {
    Group& group = groups_[number];
    group.column_of.resize(group.order.size());
    for (std::size_t i = 0; i < group.order.size(); ++i) {
      if (i % kSortedAtOnce == 0 && stop_.stop_requested()) return;
      const std::size_t column = group.first_column + i;
      const Configuration& configuration = group.set[group.order[i]];
      LeafBlock& block = made_.blocks_[group.first_block + i / kBlockColumns];
      if (block.count++ == 0) {
        block.captured = static_cast<int>(number);
        block.first = static_cast<std::uint32_t>(column);
      }
      block.any_king |= configuration.pieces.king;
      made_.moved_[column] = configuration;
      group.column_of[group.order[i]] = static_cast<std::uint32_t>(column);
    }
    for (const Listed& listed : listed_) {
      if (stop_.stop_requested()) return;
      for (const Step& step : listed[number])
        ++made_.first_source_[group.column_of[step.number] + 1];
    }
  }

  void place_sources(std::size_t number) {
    const Group& group = groups_[number];
    const auto first =
        made_.first_source_.begin() + static_cast<std::ptrdiff_t>(group.first_column);
    std::vector<std::uint32_t> next(first, first + static_cast<std::ptrdiff_t>(group.set.size()));
    for (Listed& listed : listed_) {
      if (stop_.stop_requested()) return;
      for (const Step& step : listed[number]) {
        const std::uint32_t column = group.column_of[step.number];
        made_.sources_[next[column - group.first_column]++] = step.source;
        // All double pushes are in one group, so only one thread writes here.
        if (step.move.kind == LoneMove::Kind::kDoublePush)
          made_.double_pushes_.push_back({step.source, column, step.move});
      }
      listed[number] = {};
    }
  }

  LeafColumns& made_;
  const ForEach& for_each_;
  const StopView stop_;
  std::vector<Listed> listed_;
  std::array<Group, kGroups> groups_;
};

LeafColumns::LeafColumns(Color mover, std::vector<Configuration> columns,
                         const std::vector<Configuration>& rows, const ForEach& for_each,
                         std::pmr::memory_resource* memory, StopView stop)
    : mover_(mover), columns_(std::move(columns)) {
  Builder(*this, for_each, stop).build();
  if (stop.stop_requested()) return;
  Bitboard kings = 0;
  for (const LeafBlock& block : blocks_) kings |= block.any_king;
  want_distances(rows, ~mover_, kings, slots_);
  // The memory is not zeroed here. fill() writes all of it, so each page is allocated near the
  // worker that first writes to it.
  const std::size_t blocks = blocks_.size();
  distances_ = LargeArray<LeafDistances>(blocks * slots_.count, memory);
  sliders_ = LargeArray<std::uint64_t>(blocks * slots_.sliders, memory);
  nearest_slider_ = LargeArray<std::uint8_t>(blocks * slots_.sliders, memory);
}

/// Computes the sets of `block` and the sets in `sliders`. fill() uses `sliders` only to find the
/// sliders along each ray, and does not store these sets.
void LeafColumns::fill_sets(LeafBlock& block, SliderSets& sliders) const {
  for (std::uint32_t i = 0; i < block.count; ++i) {
    const Pieces& pieces = moved_[block.first + i].pieces;
    const std::uint64_t column = std::uint64_t{1} << i;
    const auto mark = [&](std::array<std::uint64_t, 64>& sets, Bitboard squares) {
      while (squares != 0) sets[static_cast<std::size_t>(pop_lowest(squares))] |= column;
    };
    mark(block.occupied, pieces.all());
    mark(block.pawns, pieces.pawns);
    mark(block.knights, pieces.knights);
    mark(block.kings, pieces.king);
    mark(block.stepping, stepping_attacks(pieces, mover_));
    mark(sliders.bishops_queens, pieces.bishops_queens);
    mark(sliders.rooks_queens, pieces.rooks_queens);
    block.any_piece |= pieces.all();
  }
}

void LeafColumns::fill(std::size_t number) {
  LeafBlock& block = blocks_[number];
  SliderSets sliders;
  fill_sets(block, sliders);
  for (int square = 0; square < 64; ++square) {
    for (int direction = 0; direction < kDirections; ++direction) {
      const std::size_t slot = slots_.of[ray_number(square, direction)];
      if (slot == DistanceSlots::kNone) continue;
      const WalkedRay ray =
          walk(square, direction, block.occupied,
               is_diagonal(direction) ? sliders.bishops_queens : sliders.rooks_queens);
      distances_[number * slots_.count + slot] = distances_of(ray);
      if (slot >= slots_.sliders) continue;
      sliders_[number * slots_.sliders + slot] = ray.sliders;
      nearest_slider_[number * slots_.sliders + slot] = ray.nearest_slider;
    }
  }
}

std::uint64_t LeafColumns::bytes() const {
  return blocks_.size() *
             (slots_.count * sizeof(LeafDistances) + slots_.sliders * (sizeof sliders_[0] + 1)) +
         blocks_.capacity() * sizeof(LeafBlock) + sources_.capacity() * sizeof(LeafSource) +
         moved_.capacity() * sizeof(Configuration);
}

}  // namespace manyply
