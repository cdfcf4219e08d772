#include "parallel/matrix/matrix_divide.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "parallel/chunk_queue.h"

namespace manyply {
namespace {

constexpr std::uint64_t kDigitMask = (std::uint64_t{1} << Digits::kBits) - 1;

NodeCount count_of(const Digits& number) {
  NodeCount count = 0;
  for (std::size_t i = Digits::kMost; i-- > 0;) {
    count *= kDigitMask + 1;
    count += number.digit[i];
  }
  return count;
}

/// Finds rows by group of columns. Each group has a list of cells. A cell is a row that has paths
/// in the group, and the place of the group in this row.
class GroupIndex {
 public:
  struct Cell {
    std::uint32_t row;
    std::uint32_t place;  // index of the group in the row
  };

  GroupIndex(const Matrix& matrix, std::size_t rows, std::size_t groups, const Workers& workers,
             const std::stop_token& stop)
      : first_(groups + 1) {
    // Each worker handles some consecutive groups. In each row, these groups are stored one after
    // the other.
    constexpr std::size_t kWorthAPart = 64;
    const std::size_t parts =
        std::min(static_cast<std::size_t>(workers.count()), groups / kWorthAPart + 1);
    const auto for_each_cell = [&](const auto& visit) {
      for_each_chunk(parts, workers, {}, [&](std::size_t part) {
        const std::size_t begin = groups * part / parts;
        const std::size_t end = groups * (part + 1) / parts;
        for (std::uint32_t row = 0; row < rows && !stop.stop_requested(); ++row) {
          const RowView view = matrix.row(row);
          const auto* const cell = std::lower_bound(view.groups, view.groups + view.size, begin);
          for (auto i = static_cast<std::uint32_t>(cell - view.groups);
               i < view.size && view.groups[i] < end; ++i)
            visit(view.groups[i], Cell{row, i});
        }
      });
    };
    for_each_cell([this](std::uint32_t group, const Cell&) { ++first_[group + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    cells_ = LargeArray<Cell>(first_.back(), huge_pages());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for_each_cell([&](std::uint32_t group, const Cell& cell) { cells_[next[group]++] = cell; });
  }

  [[nodiscard]] std::span<const Cell> cells_of(std::size_t group) const {
    return {cells_.data() + first_[group], first_[group + 1] - first_[group]};
  }

 private:
  std::vector<std::size_t> first_;  // by group: index of its first cell; last: number of cells
  LargeArray<Cell> cells_;
};

}  // namespace

template <typename Number>
PairValues<Number>::PairValues(const Matrix& matrix, int plies, const Workers& workers,
                               const std::stop_token& stop)
    : matrix_(matrix),
      digits_(digits_for(plies)),
      locks_(std::make_unique<std::array<Mutex, kLocks>>()) {
  for (const RowChunk& chunk : matrix.chunks) {
    first_.push_back(size_);
    size_ += digits_ * chunk.size() * kGroupColumns;
  }
  first_.push_back(size_);
  numbers_ = LargeArray<Number>(size_, huge_pages());
  for_each_chunk(matrix.chunks.size(), workers, stop, [this](std::size_t chunk) {
    std::fill(&numbers_[first_[chunk]], &numbers_[first_[chunk + 1]], Number{0});
  });
}

template <typename Number>
void PairValues<Number>::add(std::size_t row, std::uint32_t column, const Digits& amount) {
  const RowView view = matrix_.row(row);
  const auto* const groups_end = view.groups + view.size;
  const auto* const group = std::lower_bound(view.groups, groups_end, column / kGroupColumns);
  MANYPLY_CHECK(group != groups_end && *group == column / kGroupColumns);
  const std::size_t place =
      static_cast<std::size_t>(group - view.groups) * kGroupColumns + column % kGroupColumns;
  add_to_row(row, [&](Number* numbers, std::size_t digit) {
    numbers[place] += static_cast<Number>(amount.digit[digit]);
  });
}

template <typename Number>
void PairValues<Number>::finish(const Workers& workers, const std::stop_token& stop) {
  for_each_chunk(matrix_.chunks.size(), workers, stop, [this](std::size_t number) {
    const RowChunk& chunk = matrix_.chunks[number];
    Number* const all = &numbers_[first_[number]];
    for (std::size_t i = 0; i < digits_ * chunk.size(); ++i) {
      const unsigned lanes = chunk.lanes[i % chunk.size()];
      for (std::size_t lane = 0; lane < kGroupColumns; ++lane)
        all[i * kGroupColumns + lane] *= lanes >> lane & 1;
    }
  });
  if (digits_ == 1) return;
  if constexpr (sizeof(Number) * 8 > Digits::kBits) {
    for_each_chunk(matrix_.chunks.size(), workers, stop, [this](std::size_t chunk) {
      const std::size_t size = (first_[chunk + 1] - first_[chunk]) / digits_;
      Number* const all = &numbers_[first_[chunk]];
      for (std::size_t i = 0; i < size * (digits_ - 1); ++i)
        all[i + size] += std::exchange(all[i], all[i] & kDigitMask) >> Digits::kBits;
    });
  }
}

template <typename Number>
std::uint64_t PairValues<Number>::bytes_for(const Matrix& matrix, int plies) {
  std::uint64_t numbers = 0;
  for (const RowChunk& chunk : matrix.chunks) numbers += chunk.size() * kGroupColumns;
  return numbers * digits_for(plies) * sizeof(Number);
}

MatrixDivide::MatrixDivide(std::span<const std::unique_ptr<MatrixPly>> plies, int depth,
                           const Workers& workers, MatrixBudget& budget,
                           const std::stop_token& stop)
    : plies_(plies),
      depth_(depth),
      workers_(workers),
      values_(plies.size()),
      root_values_(plies.front()->rows().size()) {
  // Reserve the memory of all values in the budget now, because the budget must not run out after
  // leaves are counted.
  const std::size_t last = plies.size();
  for (std::size_t before = 1; before + 1 < last; ++before)
    budget.take(Values::bytes_for(ply(before + 1).before().matrix, plies_below(before)));
  if (last == 1) return;  // only the root comes before the last ply
  const Matrix& matrix = ply(last).before().matrix;
  budget.take(LastValues::bytes_for(matrix, plies_below(last - 1)));
  last_values_ = std::make_unique<LastValues>(matrix, plies_below(last - 1), workers, stop);
  open_values(last - 2, stop);
}

/// Allocates values_[before], the values of the pairs after ply number `before`. Does nothing for
/// ply 0, because root_values_ has the values of the root.
void MatrixDivide::open_values(std::size_t before, const std::stop_token& stop) {
  if (before == 0) return;
  values_[before] = std::make_unique<Values>(ply(before + 1).before().matrix, plies_below(before),
                                             workers_, stop);
}

void MatrixDivide::add_to_root(std::size_t row, const Digits& leaves) {
  const MutexLock lock(root_mutex_);
  root_values_[row] += count_of(leaves);
}

/// Carries values back over ply `number`. `below` has the values of row `row` after the ply. Adds
/// them to `values`, which has the values of the pairs before the ply. `values` is null if the ply
/// starts from the root.
template <typename Number>
void MatrixDivide::take(std::size_t number, std::size_t row, const RowValues<Number>& below,
                        std::size_t digits, PairValues<Number>* values) {
  const MatrixPly& played = ply(number);
  const auto [first_edge, end_edge] = played.edges_of(row);
  for (std::size_t i = first_edge; i < end_edge; ++i) {
    const MatrixPly::Edge& edge = played.edge(i);
    if (values != nullptr) {
      constexpr std::size_t kAhead = 3;  // rows are short and scattered in memory
      if (i + kAhead < end_edge) values->prefetch(played.edge(i + kAhead).source);
      values->add_to_row(edge.source, [&](Number* to, std::size_t digit) {
        if (digit < digits) played.carry_back(edge, below[digit], to);
      });
    } else {
      Digits leaves;
      for (std::size_t digit = 0; digit < digits; ++digit) {
        std::array<Number, kGroupColumns> only{};  // the root is a single pair
        played.carry_back(edge, below[digit], only.data());
        leaves.digit[digit] = only[0];
      }
      add_to_root(row, leaves);
    }
  }
  for (const MatrixPly::ExtraPaths& extra : played.extra_of(row)) {
    Digits leaves;
    for (std::size_t digit = 0; digit < digits; ++digit)
      leaves.digit[digit] = below[digit][extra.column];
    if (number > 1) {
      take_more(number - 1, extra.edge, extra.pushed_column, leaves);
    } else {
      add_to_root(row, leaves);  // the capture is a move of the root
    }
  }
}

void MatrixDivide::take_more(std::size_t number, std::uint32_t edge, std::uint32_t column,
                             const Digits& leaves) {
  const MatrixPly& played = ply(number);
  if (number == 1) {
    add_to_root(played.row_of_edge(edge), leaves);
  } else if (number == plies_.size()) {
    last_values_->add(played.edge(edge).source, column, leaves);
  } else {
    values_[number - 1]->add(played.edge(edge).source, column, leaves);
  }
}

void MatrixDivide::take_row(std::size_t row, const std::uint32_t* leaves) {
  take<std::uint32_t>(plies_.size(), row, {leaves}, 1, last_values_.get());
}
void MatrixDivide::take_more(std::uint32_t edge, std::uint32_t column, std::uint64_t leaves) {
  take_more(plies_.size(), edge, column, {{leaves}});
}

/// Carries the values of pairs after ply `number` back to the pairs from which this ply starts.
/// take() needs whole rows of the ply. After the ply, the matrix was transposed, so the rows of the
/// ply are the columns of `values`. Each step collects one group of these columns.
template <typename Number>
void MatrixDivide::carry_back(std::size_t number, PairValues<Number>& values,
                              const std::stop_token& stop) {
  const MatrixStage& stage = ply(number + 1).before();
  values.finish(workers_, stop);
  const std::size_t digits = values.digits();
  const std::size_t rows = stage.column_was.size();
  const GroupIndex index(stage.matrix, stage.row_was.size(), groups_of(rows), workers_, stop);
  ChunkQueue groups(groups_of(rows), stop);
  groups.run_on(workers_, [&](int) {
    const std::size_t room = groups_of(ply(number).column_count()) * kGroupColumns;
    std::array<std::vector<std::uint64_t>, Digits::kMost> below;
    RowValues<std::uint64_t> views{};
    for (std::size_t digit = 0; digit < digits; ++digit) {
      below[digit].resize(room);
      views[digit] = below[digit].data();
    }
    while (const auto group = groups.next()) {
      const auto cells = index.cells_of(*group);
      const std::size_t first = *group * kGroupColumns;
      const std::size_t lanes = std::min(kGroupColumns, rows - first);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        for (const GroupIndex::Cell& cell : cells) {
          const std::size_t at = cell.place * kGroupColumns + lane;
          for (std::size_t digit = 0; digit < digits; ++digit)
            below[digit][stage.row_was[cell.row]] = values.values(cell.row, digit)[at];
        }
        take(number, stage.column_was[first + lane], views, digits, values_[number - 1].get());
        for (const GroupIndex::Cell& cell : cells) {
          for (std::size_t digit = 0; digit < digits; ++digit)
            below[digit][stage.row_was[cell.row]] = 0;
        }
      }
    }
  });
}

std::vector<DivideEntry> MatrixDivide::finish(const Position& root, const std::stop_token& stop) {
  for (std::size_t number = plies_.size() - 1; number >= 1; --number) {
    if (number > 2) open_values(number - 2, stop);
    if (number == plies_.size() - 1) {
      carry_back(number, *last_values_, stop);
      last_values_.reset();
    } else {
      carry_back(number, *values_[number], stop);
      values_[number].reset();
    }
    if (stop.stop_requested()) return {};
  }
  const ConfigurationSet& rows = ply(1).rows();
  const MutexLock lock(root_mutex_);
  std::vector<DivideEntry> divide;
  for (const Move move : legal_moves(root)) {
    const Configuration own =
        configuration_of(root.after_unchecked(move).board(), root.side_to_move());
    std::size_t row = 0;  // two moves never lead to the same configuration
    while (row < rows.size() && rows[row] != own) ++row;
    MANYPLY_CHECK(row < rows.size());
    divide.push_back({move, root_values_[row]});
  }
  return divide;
}

}  // namespace manyply
