#include "parallel/matrix/matrix_cone.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <iterator>

#include "core/base/mutex.h"
#include "core/configurations/lone_moves.h"
#include "parallel/chunk_queue.h"
#include "parallel/matrix/insert_all.h"
#include "parallel/matrix/last_rows.h"

namespace manyply {
namespace {

constexpr std::size_t kAtOnce = 4096;  // number of configurations that a worker takes

/// Returns the union of `sight` over those columns of `group` that are in `lanes`.
Bitboard sight_of_group(const std::vector<Bitboard>& sight, std::uint32_t group, unsigned lanes) {
  Bitboard seen = 0;
  for (; lanes != 0; lanes &= lanes - 1)
    seen |= sight[group * kGroupColumns + static_cast<std::size_t>(std::countr_zero(lanes))];
  return seen;
}

/// Configurations of columns, each with a weight: a rough estimate of the number of rows that have
/// paths in the column.
struct WeightedSet {
  ConfigurationSet set{huge_pages()};
  std::vector<std::uint64_t> weight;

  void add(const Configuration& configuration, std::uint64_t more) {
    const std::uint32_t number = set.insert(configuration);
    if (number == weight.size()) weight.push_back(0);
    weight[number] += more;
  }
};

Bitboard all_but_king(const Configuration& configuration) {
  return configuration.pieces.all() ^ configuration.pieces.king;
}

}  // namespace

MatrixCone::MatrixCone(MatrixStage base, int plies, const RowKernel& kernel, const Workers& workers,
                       StopView stop, MatrixBudget& budget)
    : plies_(plies),
      kernel_(kernel),
      workers_(workers),
      stop_(stop),
      budget_(budget),
      mover_(base.mover),
      stage_(std::move(base)),
      levels_(levels()) {
  if (plies_ == 0) {
    for (const std::vector<EnPassantCapture>& captures : stage_->captures)
      captures_.insert(captures_.end(), captures.begin(), captures.end());
  }
  base_bytes_ = static_cast<double>(stage_->matrix.bytes());
  weigh_columns();
  if (plies_ != 0) play_base();
  if (levels() > 1 && !stop_.stop_requested()) add_level_below();
}

void MatrixCone::weigh_columns() {
  column_width_.assign(stage_->columns.size(), 0);
  const std::vector<RowChunk>& chunks = stage_->matrix.chunks;
  for_each_chunk(chunks.size(), workers_, stop_, [&](std::size_t number) {
    const RowChunk& chunk = chunks[number];
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      for_each_column(chunk.row(row), [&](std::size_t column) {
        std::atomic_ref(column_width_[column]).fetch_add(1, std::memory_order_relaxed);
      });
    }
  });
}

/// Plays X's ply from the stage that the constructor received. If the rows after this ply are the
/// base, stores them. Otherwise the ply itself is the base, and its rows are only examined.
void MatrixCone::play_base() {
  const auto before = static_cast<double>(stage_->matrix.bytes());
  const std::uint64_t captures = MatrixStage::bytes_of(stage_->captures);
  MatrixPly ply(std::move(*stage_), kernel_, workers_, stop_);
  if (stop_.stop_requested()) return;
  budget_.give_back(captures);
  const std::uint64_t playing = ply.bytes();
  budget_.take(playing);
  Level& level = levels_.back();
  double bytes = 0;
  level.taken.resize(ply.rows().size());
  level.weight.resize(ply.rows().size());
  if (is_played()) {
    played_ = play_rows(ply, workers_, stop_, budget_, {.slices = 1});
    if (stop_.stop_requested()) return;
    const std::vector<Bitboard> sight = sight_of_columns(ply.columns());
    for_each_range(level.taken.size(), kAtOnce, workers_, stop_,
                   [&](std::size_t begin, std::size_t end) {
                     for (std::size_t row = begin; row < end; ++row) {
                       const RowView view = played_.slices.front().row(row);
                       level.weight[row] = static_cast<double>(view.size);
                       for (std::size_t i = 0; i < view.size; ++i) {
                         level.taken[row] |= sight_of_group(sight, view.groups[i], view.lanes[i]);
                       }
                       level.taken[row] &= all_but_king(ply.rows()[row]);
                     }
                   });
    bytes = static_cast<double>(played_.bytes());
  } else {
    bytes = static_cast<double>(look_at_rows(ply, level));
  }
  growth_ = before > 0 ? std::max(1.0, bytes / before) : 1;
  budget_.take(level.taken.capacity() * sizeof(Bitboard) +
               level.weight.capacity() * sizeof(double));
  if (!is_played()) {
    base_ply_.emplace(std::move(ply));
    return;
  }
  base_bytes_ = bytes;
  level.set = ply.take_rows();
  MatrixStage stage = std::move(ply).take_before();
  budget_.give_back(playing + stage.matrix.bytes());
  played_columns_ = std::move(stage.columns);
  stage_.reset();
  budget_.take(level.set.bytes() + played_columns_.bytes());
}

/// Sets level.taken and level.weight of each row. Returns the bytes that the rows would need if
/// they were stored.
std::uint64_t MatrixCone::look_at_rows(const MatrixPly& ply, Level& level) const {
  std::atomic<std::uint64_t> bytes = 0;  // read after the workers have returned
  const std::size_t rows = ply.rows().size();
  const std::vector<Bitboard> sight = sight_of_columns(ply.columns());
  ChunkQueue chunks(chunks_of(rows), stop_);
  chunks.run_on(workers_, [&](int) {
    RowSums sums(ply.columns().size(), huge_pages());
    std::vector<EnPassantChance> chances;
    std::uint64_t groups = 0;
    std::uint64_t pairs = 0;
    while (const auto chunk = chunks.next()) {
      const std::size_t end = std::min(rows, (*chunk + 1) * kChunkRows);
      for (std::size_t row = *chunk * kChunkRows; row < end && !stop_.stop_requested(); ++row) {
        ply.make_row(row, sums, chances);
        for (std::size_t i = 0; i < sums.touched(); ++i) {
          if (sums.columns_with_paths(i) == 0) continue;
          level.weight[row] += 1;
          groups += 1;
          pairs += static_cast<std::uint64_t>(std::popcount(sums.columns_with_paths(i)));
          level.taken[row] |= sight_of_group(sight, sums.touched(i), sums.columns_with_paths(i));
        }
        for (const EnPassantChance& chance : chances) level.taken[row] |= bit(chance.push.to);
        level.taken[row] &= all_but_king(ply.rows()[row]);
        chances.clear();
        sums.clear();
      }
    }
    bytes.fetch_add(groups * RowChunk::kGroupBytes + pairs * sizeof(std::uint16_t),
                    std::memory_order_relaxed);
  });
  return bytes;
}

/// Makes X's moves from each configuration of levels_.back(). Also makes X's moves from the
/// configurations that are left if Y captures a piece first. Adds the configurations after these
/// moves to levels_.front(), which has the sources of the last ply.
void MatrixCone::add_level_below() {
  const Level& level = levels_.back();
  const ConfigurationSet& set = set_of(levels() - 1);
  Level& below = levels_.front();
  std::vector<LoneStep> steps;
  const auto add_moves = [&](const Configuration& configuration, double weight) {
    steps.clear();
    append_lone_moves(configuration, mover_, steps);
    for (const LoneStep& step : steps) {
      const std::uint32_t number = below.set.insert(step.after);
      if (number == below.weight.size()) {
        below.weight.push_back(0);
        below.taken.push_back(all_but_king(step.after));
      }
      below.weight[number] += weight;
    }
  };
  for (std::size_t number = 0; number < set.size() && !stop_.stop_requested(); ++number) {
    const Configuration& configuration = set[number];
    add_moves(configuration, level.weight[number]);
    for (Bitboard left = level.taken[number]; left != 0;)
      add_moves(without(configuration, pop_lowest(left)), 0);
  }
  budget_.take(below.set.bytes() + below.taken.capacity() * sizeof(Bitboard) +
               below.weight.capacity() * sizeof(double));
}

std::vector<Bitboard> MatrixCone::sight_of_columns(const ConfigurationSet& columns) const {
  std::vector<Bitboard> sight(groups_of(columns.size()) * kGroupColumns);
  for_each_range(columns.size(), kAtOnce, workers_, stop_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t column = begin; column < end; ++column)
      sight[column] = sight_of(columns[column], ~mover_);
  });
  return sight;
}

std::vector<CellSource> MatrixCone::sources(const Cells& cells) const {
  constexpr std::size_t kEnough = 60'000;
  // Y may capture a piece of a source before the last ply. So every kRobbedEvery-th source has a
  // second entry in the sample: its configurations without one piece. They have fewer pairs, so the
  // entry gets the fraction kRobbed of the source's weight. This weight is multiplied by
  // kRobbedEvery, because the entry also represents sources without a second entry.
  constexpr double kRobbed = 0.1;
  constexpr std::size_t kRobbedEvery = 4;
  const bool are_rows = levels() == 0;
  const ConfigurationSet& set = are_rows ? stage_->rows : set_of(0);
  const auto weight_of = [&](std::size_t number) {
    return are_rows ? static_cast<double>(stage_->matrix.row(number).size)
                    : levels_.front().weight[number];
  };
  std::vector<CellSource> sources;
  const std::size_t every = set.size() / kEnough + 1;
  for (std::size_t number = 0; number < set.size() && !stop_.stop_requested(); number += every) {
    if (weight_of(number) == 0) continue;
    CellSource source(cells, set[number], mover_, weight_of(number));
    if (!source.leads.empty()) sources.push_back(std::move(source));
    if (are_rows || number / every % kRobbedEvery != 0) continue;
    CellSource robbed(cells, set[number], levels_.front().taken[number], mover_,
                      kRobbed * kRobbedEvery * weight_of(number));
    if (!robbed.leads.empty()) sources.push_back(std::move(robbed));
  }
  return sources;
}

std::vector<Configuration> MatrixCone::ordinary_columns(const Board& root) const {
  const Configuration of_root = configuration_of(root, ~mover_);
  const Ordinary kind(of_root);
  const int pieces = popcount(of_root.pieces.all());
  WeightedSet reached;
  for (std::size_t column = 0; column < column_width_.size(); ++column) {
    const Configuration& configuration = columns()[column];
    if (popcount(configuration.pieces.all()) == pieces)
      reached.add(configuration, column_width_[column]);
  }
  std::vector<LoneStep> steps;
  for (std::size_t ply = 0; ply < levels(); ++ply) {
    const WeightedSet before = std::exchange(reached, {});
    for (std::size_t i = 0; i < before.set.size() && !stop_.stop_requested(); ++i) {
      steps.clear();
      append_lone_moves(before.set[i], ~mover_, steps);
      const bool last = ply + 1 == levels();
      for (const LoneStep& step : steps) {
        if (!last || kind.includes(step.after)) reached.add(step.after, before.weight[i]);
      }
    }
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t number = 0; number < reached.set.size(); ++number) {
    const Configuration& column = reached.set[number];
    if (kind.includes(column) && RowPlan::fits(column, ~mover_)) order.push_back(number);
  }
  if (levels() > 0) {  // columns with similar weights keep their order
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::uint32_t number) {
      return std::bit_width(reached.weight[number]);
    });
  }
  std::vector<Configuration> columns;
  for (const std::uint32_t number : order) columns.push_back(reached.set[number]);
  return columns;
}

Configuration MatrixCone::ordinary_squares(const Board& root) const {
  const Ordinary kind(configuration_of(root, mover_));
  const ConfigurationSet& set = levels() == 0 ? stage_->rows : set_of(0);
  Configuration squares;
  Mutex mutex;
  for_each_range(set.size(), kAtOnce, workers_, stop_, [&](std::size_t begin, std::size_t end) {
    Pieces found;
    std::vector<LoneStep> steps;
    for (std::size_t number = begin; number < end; ++number)
      append_lone_moves(set[number], mover_, steps);
    for (const LoneStep& step : steps) {
      if (!kind.includes(step.after)) continue;
      found.bishops_queens |= step.after.pieces.bishops_queens;
      found.rooks_queens |= step.after.pieces.rooks_queens;
      found.king |= step.after.pieces.king;
    }
    const MutexLock lock(mutex);
    squares.pieces.bishops_queens |= found.bishops_queens;
    squares.pieces.rooks_queens |= found.rooks_queens;
    squares.pieces.king |= found.king;
  });
  return squares;
}

void MatrixCone::cut(const PartTable& parts, std::span<const Configuration> first_columns) {
  parts_ = &parts;
  first_columns_ = first_columns;
  for (const auto& leads : leads_) budget_.give_back(leads->bytes());
  leads_.clear();
  for (std::size_t level = 0; level < levels(); ++level) {
    const PartLeads* const below = leads_.empty() ? nullptr : leads_.back().get();
    leads_.push_back(std::make_unique<PartLeads>(set_of(level), levels_[level].taken, mover_, parts,
                                                 below, workers_, stop_));
    budget_.take(leads_.back()->bytes());
  }
}

/// Returns whether the part needs `taker`, the configuration of X (matrix_cone.h) after an en
/// passant capture. The capture starts from a configuration of level `below`.
bool MatrixCone::takes(const Configuration& taker, std::size_t below, std::size_t part) const {
  return below == 0 ? parts_->part_of(taker) == part : leads_[below - 1]->is_wanted(taker, part);
}

/// Returns the cut of X's ply that leads to level `level`.
StageCut MatrixCone::cut_rows(const ConfigurationSet& rows, const ConfigurationSet& columns,
                              std::size_t level, std::size_t part) const {
  const PartLeads& leads = *leads_[level];
  std::vector<Bitboard> wanted(rows.size());
  for_each_range(rows.size(), kAtOnce, workers_, stop_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row)
      wanted[row] = leads.wanted_squares(rows[row], part);
  });
  const auto squares = std::make_shared<const std::vector<Bitboard>>(std::move(wanted));
  const auto seen = std::make_shared<const std::vector<Bitboard>>(sight_of_columns(columns));
  return {.row = [squares](std::size_t row) { return (*squares)[row] != 0; },
          .columns =
              [squares, seen](std::size_t row, std::uint32_t group) {
                if ((*squares)[row] == ~Bitboard{0}) return ~0U;
                unsigned kept = 0;
                for (std::size_t lane = 0; lane < kGroupColumns; ++lane) {
                  const bool captures =
                      ((*seen)[group * kGroupColumns + lane] & (*squares)[row]) != 0;
                  kept |= (captures ? 1U : 0U) << lane;
                }
                return kept;
              },
          .is_whole = [squares](std::size_t row) { return (*squares)[row] == ~Bitboard{0}; },
          .capture = [&leads, part](
                         const EnPassantCapture& each) { return leads.leads(each.robbed, part); }};
}

/// Makes the stage after `ply`. The stage before it must be in the budget.
MatrixStage MatrixCone::play(MatrixPly& ply, const StageCut& cut) {
  const std::uint64_t playing = ply.bytes();
  budget_.take(playing);
  MatrixStage next = next_stage_without_paths(ply, workers_, stop_, budget_, cut);
  budget_.give_back(playing);
  return next;
}

/// Plays X's ply that leads to level `level`.
MatrixStage MatrixCone::play_own(MatrixStage stage, std::size_t level, std::size_t part) {
  const std::uint64_t captures = MatrixStage::bytes_of(stage.captures);
  MatrixPly ply(std::move(stage), kernel_, workers_, stop_, {.row = [&](const Configuration& row) {
                  return leads_[level]->is_wanted(row, part);
                }});
  if (stop_.stop_requested()) return MatrixStage(~mover_);
  budget_.give_back(captures);
  return play(ply, cut_rows(ply.rows(), ply.columns(), level, part));
}

/// Plays Y's ply after level `level`.
MatrixStage MatrixCone::play_others(MatrixStage stage, std::size_t level, std::size_t part) {
  const std::uint64_t captures = MatrixStage::bytes_of(stage.captures);
  MatrixPly ply(
      std::move(stage), kernel_, workers_, stop_,
      {.column = [&](const Configuration& column) { return leads_[level]->leads(column, part); }});
  if (stop_.stop_requested()) return MatrixStage(mover_);
  budget_.give_back(captures);
  StageCut cut{
      .columns = [&ply](std::size_t, std::uint32_t group) { return ply.needed_columns(group); },
      .capture = [&](const EnPassantCapture& each) { return takes(each.taker, level, part); }};
  if (level == 0) cut.first_columns = first_columns_;
  return play(ply, cut);
}

MatrixStage MatrixCone::stage_for(std::size_t part) {
  if (plies_ == 0) {
    MatrixStage stage = std::move(*stage_);
    stage.captures.assign(1, {});
    std::ranges::copy_if(captures_, std::back_inserter(stage.captures.front()),
                         [&](const EnPassantCapture& each) { return takes(each.taker, 0, part); });
    return stage;
  }
  std::size_t level = levels() - 1;
  MatrixStage stage(mover_);
  if (is_played()) {
    const ConfigurationSet& rows = set_of(level);
    stage = turn_over(rows, played_columns_, mover_, played_, workers_, stop_, budget_,
                      cut_rows(rows, played_columns_, level, part));
  } else {
    stage = next_stage(*base_ply_, workers_, stop_, budget_,
                       cut_rows(base_ply_->rows(), base_ply_->columns(), level, part));
  }
  if (!stop_.stop_requested()) stage = play_others(std::move(stage), level, part);
  while (level > 0 && !stop_.stop_requested()) {
    --level;
    stage = play_own(std::move(stage), level, part);
    if (!stop_.stop_requested()) stage = play_others(std::move(stage), level, part);
  }
  return stage;
}

}  // namespace manyply
