#include "core/configurations/leaf_columns.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/geometry.h"

namespace manyply {
namespace {

/// Squares that a configuration's pawns, knights and king attack.
Bitboard stepping_attacks(const Configuration& configuration, Color side) {
  const Pieces& pieces = configuration.pieces;
  Bitboard attacked = kKingAttacks[static_cast<std::size_t>(lowest(pieces.king))];
  attacked |= side == Color::kWhite ? pawn_attacks<Color::kWhite>(pieces.pawns)
                                    : pawn_attacks<Color::kBlack>(pieces.pawns);
  for (Bitboard knights = pieces.knights; knights != 0;)
    attacked |= kKnightAttacks[static_cast<std::size_t>(pop_lowest(knights))];
  return attacked;
}

/// What a block's columns have along a ray.
struct WalkedRay {
  std::array<std::uint64_t, 3> distance{};  ///< in binary, a set of columns for each bit
  std::uint64_t sliders = 0;
  std::uint8_t nearest_slider = kNoSlider;
};

/// Goes along a ray for all columns at once. `occupied` and `fitting` are their pieces and those
/// that attack along the ray, by square.
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
  // The bits of a byte, lowest first, in a byte each.
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

/// Neighbours in this order have much in common, kings above all.
bool stands_before(const Configuration& a, const Configuration& b) {
  return std::tuple(a.pieces.king, a.pieces.bishops_queens, a.pieces.all()) <
         std::tuple(b.pieces.king, b.pieces.bishops_queens, b.pieces.all());
}

}  // namespace

/// Lists the moves of all columns, and sorts what they lead to into blocks.
class LeafColumns::Builder {
 public:
  explicit Builder(LeafColumns& made) : made_(made) {}

  void build() {
    std::vector<LoneStep> steps;
    for (std::uint32_t column = 0; column < made_.columns_.size(); ++column) {
      steps.clear();
      append_lone_moves(made_.columns_[column], made_.mover_, steps);
      for (const LoneStep& step : steps) list(column, step);
    }
    group(LeafPath::kQuiet);  // first: all rows have some
    for (int square = 0; square < LeafPath::kQuiet; ++square) group(square);
    place_sources();
  }

 private:
  /// A move, and what it leads to: the group of configurations, and the number there.
  struct Step {
    int captured;
    std::uint32_t number;
    LeafSource source;
    LoneMove move;
  };

  void list(std::uint32_t column, const LoneStep& step) {
    const LoneMove& move = step.move;
    if (move.kind == LoneMove::Kind::kCastling) {
      made_.castlings_.push_back({column, move});
      add(column, step,
          {move.path, LeafPath::kQuiet, static_cast<int>(made_.castlings_.size()) - 1});
      return;
    }
    if (move.kind != LoneMove::Kind::kPawnCapture) {
      add(column, step, {move.path | move.captures(), LeafPath::kQuiet, LeafPath::kNoCastling});
    }
    if (move.captures() != 0) add(column, step, {move.path, move.to, LeafPath::kNoCastling});
  }

  void add(std::uint32_t column, const LoneStep& step, const LeafPath& path) {
    const auto [known, is_new] =
        path_numbers_.try_emplace({path.empty, path.captured, path.castling},
                                  static_cast<std::uint32_t>(made_.paths_.size()));
    if (is_new) made_.paths_.push_back(path);
    steps_.push_back({path.captured,
                      groups_[static_cast<std::size_t>(path.captured)].insert(step.after),
                      {column, known->second},
                      step.move});
  }

  /// Makes the blocks of one group.
  void group(int captured) {
    const ConfigurationSet& set = groups_[static_cast<std::size_t>(captured)];
    std::vector<std::uint32_t> order(set.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(
        order, [&](std::uint32_t a, std::uint32_t b) { return stands_before(set[a], set[b]); });
    std::vector<std::uint32_t>& column_of = column_of_[static_cast<std::size_t>(captured)];
    column_of.resize(set.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i % kBlockColumns == 0) {
        made_.blocks_.emplace_back();
        made_.blocks_.back().captured = captured;
        made_.blocks_.back().first = static_cast<std::uint32_t>(made_.moved_.size());
      }
      column_of[order[i]] = static_cast<std::uint32_t>(made_.moved_.size());
      made_.moved_.push_back(set[order[i]]);
      put(made_.blocks_.back(), set[order[i]]);
    }
  }

  void put(LeafBlock& block, const Configuration& configuration) const {
    const std::uint64_t column = std::uint64_t{1} << block.count++;
    const auto mark = [&](std::array<std::uint64_t, 64>& sets, Bitboard squares) {
      while (squares != 0) sets[static_cast<std::size_t>(pop_lowest(squares))] |= column;
    };
    const Pieces& pieces = configuration.pieces;
    mark(block.occupied, pieces.all());
    mark(block.pawns, pieces.pawns);
    mark(block.knights, pieces.knights);
    mark(block.kings, pieces.king);
    mark(block.stepping, stepping_attacks(configuration, made_.mover_));
    block.any_piece |= pieces.all();
    block.any_king |= pieces.king;
  }

  void place_sources() {
    const auto column_of = [this](const Step& step) {
      return column_of_[static_cast<std::size_t>(step.captured)][step.number];
    };
    std::vector<std::uint32_t>& first = made_.first_source_;
    first.assign(made_.moved_.size() + 1, 0);
    for (const Step& step : steps_) ++first[column_of(step) + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    made_.sources_.resize(steps_.size());
    for (const Step& step : steps_) {
      const std::uint32_t column = column_of(step);
      made_.sources_[next[column]++] = step.source;
      if (step.move.kind == LoneMove::Kind::kDoublePush)
        made_.double_pushes_.push_back({step.source, column, step.move});
    }
  }

  LeafColumns& made_;
  std::array<ConfigurationSet, LeafPath::kQuiet + 1> groups_;  // by the square of the capture
  std::array<std::vector<std::uint32_t>, LeafPath::kQuiet + 1> column_of_;  // by number
  std::map<std::tuple<Bitboard, int, int>, std::uint32_t> path_numbers_;
  std::vector<Step> steps_;
};

LeafColumns::LeafColumns(Color mover, std::vector<Configuration> columns,
                         const std::vector<Configuration>& rows)
    : mover_(mover), columns_(std::move(columns)) {
  Builder(*this).build();
  Bitboard kings = 0;
  for (const LeafBlock& block : blocks_) kings |= block.any_king;
  want_distances(rows, ~mover_, kings, slots_);
  // Not zeroed: fill() writes all of it, on the worker's own part of the machine.
  const std::size_t blocks = blocks_.size();
  distances_ = LargeArray<LeafDistances>(blocks * slots_.count);
  sliders_ = LargeArray<std::uint64_t>(blocks * slots_.sliders);
  nearest_slider_ = LargeArray<std::uint8_t>(blocks * slots_.sliders);
}

void LeafColumns::fill(std::size_t number) {
  const LeafBlock& block = blocks_[number];
  std::array<std::uint64_t, 64> bishops_queens{};
  std::array<std::uint64_t, 64> rooks_queens{};
  for (std::uint32_t column = 0; column < block.count; ++column) {
    const Pieces& pieces = moved_[block.first + column].pieces;
    for (Bitboard left = pieces.bishops_queens; left != 0;)
      bishops_queens[static_cast<std::size_t>(pop_lowest(left))] |= std::uint64_t{1} << column;
    for (Bitboard left = pieces.rooks_queens; left != 0;)
      rooks_queens[static_cast<std::size_t>(pop_lowest(left))] |= std::uint64_t{1} << column;
  }
  for (int square = 0; square < 64; ++square) {
    for (int direction = 0; direction < kDirections; ++direction) {
      const std::size_t slot = slots_.of[ray_number(square, direction)];
      if (slot == DistanceSlots::kNone) continue;
      const WalkedRay ray = walk(square, direction, block.occupied,
                                 is_diagonal(direction) ? bishops_queens : rooks_queens);
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
