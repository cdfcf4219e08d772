#include "parallel/matrix/last_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "parallel/chunk_queue.h"

namespace manyply {
namespace {

using Sum = NodeCount::Word;

/// Takes positions two plies above the leaves and counts their leaves in batches. Each worker has
/// its own sink.
class TwoPlySink {
 public:
  explicit TwoPlySink(const Kernel& kernel) : kernel_(kernel) {}

  void add(const Board& board, std::uint32_t paths) {
    waiting_.add(board, paths);
    if (waiting_.are_enough()) count(WaitingPairs::kEnough);
  }
  /// Adds all pairs of row `row` that have paths in `sums`.
  void add(const MatrixPly& ply, std::size_t row, const RowSums& sums) {
    for (std::size_t next = 0; next < sums.touched();) {
      next = ply.add_pairs(row, sums, next, waiting_);
      if (waiting_.are_enough()) count(WaitingPairs::kEnough);
    }
  }
  void flush() {
    if (waiting_.size != 0) count(waiting_.size);
  }
  /// Counts one position, and returns its leaves. Precondition: no other position is waiting.
  std::uint32_t count_one(const Board& board, std::uint32_t paths) {
    add(board, paths);
    flush();
    return leaves_[0];
  }
  /// After this call, the sink appends the leaves of each position to `leaves`, in the order in
  /// which positions are added. If `leaves` is null, the sink no longer does this.
  void list_in(std::vector<std::uint32_t>* leaves) { list_ = leaves; }
  /// Subtracts the leaves of a position that was counted without its en passant right. The caller
  /// counts the position with the right instead.
  void take_out(std::uint64_t paths, std::uint64_t leaves) { sum_ -= Sum{paths} * leaves; }

  // Totals of the positions counted up to now. Positions that still wait are not included.
  [[nodiscard]] Sum sum() const { return sum_; }
  [[nodiscard]] std::uint64_t positions() const { return positions_; }
  [[nodiscard]] std::uint64_t children() const { return children_; }

 private:
  void count(std::size_t size) {
    children_ += kernel_.count_two_plies_in_lanes(waiting_.boards, size, leaves_.data());
    for (std::size_t i = 0; i < size; ++i) sum_ += Sum{waiting_.paths[i]} * leaves_[i];
    if (list_ != nullptr) list_->insert(list_->end(), leaves_.data(), leaves_.data() + size);
    positions_ += size;
    waiting_.drop(size);
  }

  const Kernel& kernel_;
  WaitingPairs waiting_;
  std::array<std::uint32_t, BoardLanes::kRoom> leaves_;
  std::vector<std::uint32_t>* list_ = nullptr;
  Sum sum_ = 0;
  std::uint64_t positions_ = 0;
  std::uint64_t children_ = 0;
};

/// Calls the function `is` with each number below `count`. Element i of the result is 1 if is(i)
/// returned true, otherwise 0.
template <typename Is>
std::vector<char> all_that(std::size_t count, const ForEach& for_each, const Is& is) {
  constexpr std::size_t kAtOnce = 4096;
  std::vector<char> are(count);
  for_each((count + kAtOnce - 1) / kAtOnce, [&](std::size_t chunk) {
    const std::size_t end = std::min(count, (chunk + 1) * kAtOnce);
    for (std::size_t i = chunk * kAtOnce; i < end; ++i) are[i] = is(i) ? 1 : 0;
  });
  return are;
}

/// Returns whether `a` comes before `b` in the order in which lanes count rows. In this order,
/// neighbours have much data in common, and lanes compute such data only once.
bool stands_before(const Configuration& a, const Configuration& b) {
  return std::tuple(a.pieces.pawns, a.pieces.bishops_queens, a.pieces.all()) <
         std::tuple(b.pieces.pawns, b.pieces.bishops_queens, b.pieces.all());
}

/// Returns the number of pairs in each row of a matrix.
std::vector<std::uint32_t> pairs_by_row(const Matrix& matrix, const Workers& workers,
                                        StopView stop) {
  std::vector<std::uint32_t> pairs(matrix.chunks.size() * kChunkRows);
  for_each_chunk(matrix.chunks.size(), workers, stop, [&](std::size_t number) {
    const RowChunk& chunk = matrix.chunks[number];
    for (std::size_t i = 0; i < chunk.rows(); ++i) {
      const RowView row = chunk.row(i);
      for (std::size_t j = 0; j < row.size; ++j) {
        pairs[number * kChunkRows + i] +=
            static_cast<std::uint32_t>(std::popcount(unsigned{row.lanes[j]}));
      }
    }
  });
  return pairs;
}

}  // namespace

/// The pairs of some whole rows, for a divide. A divide needs the leaves of each pair separately. A
/// batch has many rows, because a short row alone would not fill the kernel's lanes.
class LastRows::PairBatch {
 public:
  explicit PairBatch(const LastRows& rows) : rows_(rows) {}

  /// Moves all pairs from `sums` to `sink`, and all `chances` to this batch.
  void take_row(std::size_t row, RowSums& sums, std::vector<EnPassantChance>& chances,
                TwoPlySink& sink) {
    sink.list_in(&counted_);
    sink.add(rows_.ply_, row, sums);
    for (std::size_t t = 0; t < sums.touched(); ++t) {
      const std::size_t first = sums.touched(t) * kGroupColumns;
      for (std::size_t column = first; column < first + kGroupColumns; ++column) {
        if (sums[column] != 0) columns_.push_back(static_cast<std::uint32_t>(column));
      }
    }
    sums.clear();
    chances_.insert(chances_.end(), chances.begin(), chances.end());
    chances.clear();
    ends_.push_back({row, columns_.size(), chances_.size()});
  }
  [[nodiscard]] bool is_full() const { return columns_.size() >= kEnough; }

  /// Counts the pairs with `sink` and adds their leaves to `divide`. If lanes have counted the
  /// ordinary columns, `ordinary` must have the leaves of these columns for each row of the batch.
  /// Otherwise `ordinary` must be empty.
  void count(TwoPlySink& sink, MatrixDivide& divide, std::span<const std::uint16_t> ordinary = {}) {
    std::size_t pair = 0;
    std::size_t chance = 0;
    const bool lanes_counted = !ordinary.empty();
    sink.flush();
    sink.list_in(nullptr);
    leaves_.resize(groups_of(rows_.ply_.column_count()) * kGroupColumns);
    for (const RowEnd& end : ends_) {
      const std::size_t in_lanes = lanes_counted ? rows_.ordinary_columns_.size() : 0;
      for (std::size_t i = 0; i < in_lanes; ++i) leaves_[rows_.ordinary_columns_[i]] = ordinary[i];
      if (lanes_counted) ordinary = ordinary.subspan(rows_.leaf_stride_);
      for (std::size_t i = pair; i < end.pair; ++i) leaves_[columns_[i]] = counted_[i];
      for (; chance < end.chance; ++chance) {
        const EnPassantChance& each = chances_[chance];
        const std::uint64_t more =
            sink.count_one(rows_.pushed(end.row, each), each.paths) - leaves_[each.column];
        sink.take_out(each.paths, leaves_[each.column]);
        if (more != 0) divide.take_more(each.edge, each.column, more);
      }
      divide.take_row(end.row, leaves_.data());
      for (; pair < end.pair; ++pair) leaves_[columns_[pair]] = 0;
    }
    if (lanes_counted) {
      for (const std::uint32_t column : rows_.ordinary_columns_) leaves_[column] = 0;
    }
    columns_.clear();
    counted_.clear();
    chances_.clear();
    ends_.clear();
  }

 private:
  static constexpr std::size_t kEnough = 4096;
  struct RowEnd {
    std::size_t row;
    std::size_t pair;    // one past the index of the row's last pair
    std::size_t chance;  // one past the index of the row's last chance
  };

  const LastRows& rows_;
  std::vector<std::uint32_t> columns_;
  std::vector<EnPassantChance> chances_;
  std::vector<RowEnd> ends_;
  std::vector<std::uint32_t> counted_;  // indexed by pair
  std::vector<std::uint32_t> leaves_;   // of one row, indexed by column; all 0 between rows
};

/// The buffers and counts of a worker.
struct LastRows::Worker {
  Worker(const LastRows& rows, StopView stop_by)
      : stop(stop_by),
        sums(rows.ply_.column_count(), huge_pages()),
        kernel(rows.kernel_),
        pairs(rows) {
    if (rows.leaf_ != nullptr) {
      paths.resize(rows.leaf_stride_ * kLeafRows);
      lane_bits.resize(paths.size() / kBlockColumns);
      scratch = rows.lanes_.make_scratch(*rows.leaf_);
    }
  }

  [[nodiscard]] Sum sum() const { return kernel.sum() + lane_leaves; }
  [[nodiscard]] std::uint64_t visited() const {
    return kernel.positions() + kernel.children() + lane_pairs;
  }

  const StopView stop;  // checked before each row, because a chunk can take long
  RowSums sums;
  std::vector<EnPassantChance> chances;
  TwoPlySink kernel;
  PairBatch pairs;                       // for divides
  std::vector<std::uint32_t> paths;      // as LeafChunk::paths, with leaf_stride_
  std::vector<std::uint64_t> lane_bits;  // as LeafChunk::pairs
  std::vector<std::uint16_t> values;     // as LeafChunk::values, for divides
  std::unique_ptr<LeafScratch> scratch;
  Sum lane_leaves = 0;
  std::uint64_t lane_pairs = 0;
};

LastRows::LastRows(const MatrixPly& ply, const Board& root, const Kernel& kernel,
                   const Workers& workers, StopView stop)
    : ply_(ply), kernel_(kernel), lanes_(leaf_kernel_for(kernel)) {
  const Ordinary row_kind(configuration_of(root, ply.mover()));
  const Ordinary column_kind(configuration_of(root, ~ply.mover()));
  const ForEach for_each = on_all(workers, stop);
  const std::vector<char> rows = all_that(ply.rows().size(), for_each, [&](std::size_t row) {
    const Configuration& configuration = ply.rows()[row];
    return row_kind.includes(configuration) && RowPlan::fits(configuration, ply.mover());
  });
  for (std::uint32_t row = 0; row < rows.size(); ++row)
    (rows[row] != 0 ? ordinary_rows_ : other_rows_).push_back(row);
  const std::vector<char> columns = all_that(ply.column_count(), for_each, [&](std::size_t column) {
    const Configuration configuration = ply.column(column);
    return column_kind.includes(configuration) && RowPlan::fits(configuration, ~ply.mover());
  });
  for (std::uint32_t column = 0; column < columns.size(); ++column) {
    if (columns[column] != 0) ordinary_columns_.push_back(column);
  }
}

// kLeastDensity and kFewestPairs were measured from the start position, the Ruy Lopez and other
// positions, at depths 7 to 9 (bench/results).
bool LastRows::lanes_pay(double density) {
  constexpr double kLeastDensity = 0.6;
  return density >= kLeastDensity;
}

bool LastRows::has_enough_for_lanes(double density) const {
  // For two counts, the table shows `density * pairs` and then the seconds with three kernels. For
  // each kernel, the first time is with lanes and the second is without lanes:
  //
  //                          portable        AVX2            AVX-512
  //   perft(7)     0.79e6    0.11   0.20     0.09   0.13     0.09   0.13
  //   Kiwipete(6)  0.47e6    0.71   0.89     0.45   0.38     0.36   0.29
  constexpr double kFewestPairs = 6e5;
  const double pairs = density * static_cast<double>(ordinary_rows_.size()) *
                       static_cast<double>(ordinary_columns_.size());
  return density * pairs >= kFewestPairs;
}

void LastRows::sort_rows(const Workers& workers, StopView stop) {
  const auto stand = [this](std::uint32_t a, std::uint32_t b) {
    return stands_before(ply_.rows()[a], ply_.rows()[b]);
  };
  sort_all(ordinary_rows_, stand, on_all(workers, stop), stop);
}

void LastRows::use_lanes(const Workers& workers, StopView stop) {
  const ForEach for_each = on_all(workers, stop);
  sort_rows(workers, stop);
  if (stop.stop_requested()) return;
  std::vector<Configuration> rows;
  std::vector<Configuration> columns;
  for (const std::uint32_t row : ordinary_rows_) rows.push_back(ply_.rows()[row]);
  for (const std::uint32_t column : ordinary_columns_) columns.push_back(ply_.column(column));
  leaf_stride_ = leaf_stride(columns.size());
  own_leaf_ = std::make_unique<LeafColumns>(~ply_.mover(), std::move(columns), rows, for_each,
                                            huge_pages(), stop);
  for_each_chunk(own_leaf_->blocks().size(), workers, stop,
                 [this](std::size_t block) { own_leaf_->fill(block); });
  leaf_ = own_leaf_.get();
}

void LastRows::use_lanes(const LeafColumns& tables, const Workers& workers, StopView stop) {
  ConfigurationSet in_tables;
  for (const Configuration& column : tables.columns()) in_tables.insert(column);
  std::vector<std::uint32_t> numbers(in_tables.size());
  std::size_t found = 0;
  for (const std::uint32_t column : ordinary_columns_) {
    const std::optional<std::uint32_t> place = in_tables.find(ply_.column(column));
    if (!place) continue;
    numbers[*place] = column;
    ++found;
  }
  MANYPLY_CHECK(found == numbers.size());
  ordinary_columns_ = std::move(numbers);
  leaf_stride_ = leaf_stride(ordinary_columns_.size());
  leaf_ = &tables;
  sort_rows(workers, stop);
}

std::uint64_t LastRows::worker_bytes(bool divides) const {
  constexpr std::uint64_t kOfSums = 5;  // bytes of a column: 4 for its sum, 1 for its group
  const std::uint64_t of_column = kOfSums + (divides ? sizeof(std::uint32_t) : 0);
  const std::uint64_t of_pair =
      sizeof(std::uint32_t) + (divides ? 2 : 1) * sizeof(std::uint16_t);  // bytes in lanes
  return ply_.column_count() * of_column +
         (leaf_ != nullptr ? leaf_stride_ * kLeafRows * of_pair : 0);
}

std::size_t LastRows::lane_chunks() const {
  return leaf_ != nullptr ? (ordinary_rows_.size() + kLeafRows - 1) / kLeafRows : 0;
}

NodeCount LastRows::count(const Workers& workers, StopView stop, Progress& progress,
                          MatrixDivide* divide, CountShare share) {
  if (leaf_ == nullptr) {
    other_rows_.insert(other_rows_.end(), ordinary_rows_.begin(), ordinary_rows_.end());
    std::ranges::sort(other_rows_);
  }
  const std::size_t all_chunks = lane_chunks() + chunks_of(other_rows_.size());
  const std::size_t chunks = (all_chunks + share.of - 1 - share.number) / share.of;
  // A few chunks take most of the time, so progress is measured in weights of chunks. The queue
  // takes chunks from all places (kSpread), so that errors of the weights cancel out
  // (bench/results/zen4-2-cores/notes.md).
  const std::vector<std::uint32_t> pairs = pairs_by_row(ply_.before().matrix, workers, stop);
  std::vector<std::uint64_t> weights(chunks);
  for_each_chunk(chunks, workers, stop, [&](std::size_t i) {
    weights[i] = weight_of(i * share.of + share.number, pairs);
  });
  progress.start(workers.count(), std::reduce(weights.begin(), weights.end()));
  ChunkQueue queue(chunks, stop, ChunkQueue::Order::kSpread);
  queue.run_on(workers, [&](int number) {
    Worker worker(*this, stop);
    Progress::Worker& shown = progress.worker(number);
    while (const auto next = queue.next()) {
      const std::size_t chunk = *next * share.of + share.number;
      const Sum sum_before = worker.sum();
      const std::uint64_t visited_before = worker.visited();
      if (chunk < lane_chunks()) {
        count_in_lanes(chunk, worker, divide);
      } else if (divide != nullptr) {
        count_pairs(chunk - lane_chunks(), worker, *divide);
      } else {
        count_plain(chunk - lane_chunks(), worker);
      }
      worker.kernel.flush();
      shown.leaves.add(static_cast<double>(worker.sum() - sum_before));
      shown.visited.add(worker.visited() - visited_before);
      shown.units_done.add(weights[*next]);
    }
    const MutexLock lock(mutex_);
    sum_ += NodeCount::from_words(static_cast<std::uint64_t>(worker.sum() >> 64),
                                  static_cast<std::uint64_t>(worker.sum()));
    kernel_pairs_ += worker.kernel.positions();
    lane_pairs_ += worker.lane_pairs;
  });
  const MutexLock lock(mutex_);
  return sum_;
}

/// Returns the expected cost of a chunk: 1, plus a cost for each move that leads to a row of the
/// chunk. The cost of a move is the number of pairs in its source row. `pairs` has this number for
/// each row of the previous matrix. Lanes and kernel take about the same time for each pair.
std::uint64_t LastRows::weight_of(std::size_t chunk,
                                  const std::vector<std::uint32_t>& pairs) const {
  const bool in_lanes = chunk < lane_chunks();
  const std::vector<std::uint32_t>& rows = in_lanes ? ordinary_rows_ : other_rows_;
  const std::size_t size = in_lanes ? kLeafRows : kChunkRows;
  const std::size_t begin = (in_lanes ? chunk : chunk - lane_chunks()) * size;
  std::uint64_t weight = 1;
  for (std::size_t i = begin; i < std::min(rows.size(), begin + size); ++i) {
    const auto [edge, end_edge] = ply_.edges_of(rows[i]);
    for (std::size_t each = edge; each < end_edge; ++each) weight += pairs[ply_.edge(each).source];
  }
  return weight;
}

/// Returns the position after the push of `chance`, with the en passant right that results from it.
Board LastRows::pushed(std::size_t row, const EnPassantChance& chance) const {
  const LoneMove& push = chance.push;
  const Board before = board_of(with_pawn_moved(ply_.rows()[row], push.to, push.from),
                                ply_.column(chance.column), ply_.mover());
  const Move move(square_at(push.from), square_at(push.to), MoveKind::kDoublePush);
  return kernel_.make_unchecked(before, move);
}

/// For each double push in worker.chances, the two-ply kernel counts the position after the push,
/// with its en passant right. Subtracts the paths to this position from worker.sums. A chance is a
/// double push after which an en passant capture may be possible.
void LastRows::give_chances(std::size_t row, Worker& worker) const {
  for (const EnPassantChance& chance : worker.chances) {
    worker.kernel.add(pushed(row, chance), chance.paths);
    worker.sums.group(chance.column / kGroupColumns)[chance.column % kGroupColumns] -= chance.paths;
  }
  worker.chances.clear();
}

void LastRows::count_plain(std::size_t chunk, Worker& worker) const {
  const std::size_t end = std::min(other_rows_.size(), (chunk + 1) * kChunkRows);
  for (std::size_t i = chunk * kChunkRows; i < end && !worker.stop.stop_requested(); ++i) {
    ply_.make_row(other_rows_[i], worker.sums, worker.chances);
    give_chances(other_rows_[i], worker);
    worker.kernel.add(ply_, other_rows_[i], worker.sums);
    worker.sums.clear();
  }
}

void LastRows::count_pairs(std::size_t chunk, Worker& worker, MatrixDivide& divide) const {
  const std::size_t end = std::min(other_rows_.size(), (chunk + 1) * kChunkRows);
  for (std::size_t i = chunk * kChunkRows; i < end && !worker.stop.stop_requested(); ++i) {
    ply_.make_row(other_rows_[i], worker.sums, worker.chances);
    worker.pairs.take_row(other_rows_[i], worker.sums, worker.chances, worker.kernel);
    if (worker.pairs.is_full() || i + 1 == end) worker.pairs.count(worker.kernel, divide);
  }
}

/// Moves the paths of ordinary columns from worker.sums to row `place` of worker.paths, and sets
/// the bits of their pairs in worker.lane_bits.
void LastRows::take_ordinary(std::size_t place, Worker& worker) const {
  RowSums& sums = worker.sums;
  const std::size_t count = ordinary_columns_.size();
  std::uint32_t* const paths = &worker.paths[place * leaf_stride_];
  std::uint64_t* const pairs = &worker.lane_bits[place * leaf_stride_ / kBlockColumns];
  for (std::size_t first = 0; first < count; first += kBlockColumns) {
    std::uint64_t bits = 0;
    for (std::size_t i = first; i < std::min(count, first + kBlockColumns); i += kGroupColumns) {
      const std::size_t size = std::min(kGroupColumns, count - i);
      const std::uint32_t* const columns = &ordinary_columns_[i];
      std::uint64_t group_bits = 0;
      if (size == kGroupColumns && columns[0] % kGroupColumns == 0 &&
          columns[kGroupColumns - 1] == columns[0] + kGroupColumns - 1) {
        std::uint32_t* const from = sums.group(columns[0] / kGroupColumns);
        for (std::size_t lane = 0; lane < kGroupColumns; ++lane) {
          paths[i + lane] = from[lane];
          group_bits |= std::uint64_t{from[lane] != 0} << lane;
        }
        std::memset(from, 0, kGroupColumns * sizeof *from);
      } else {
        for (std::size_t lane = 0; lane < size; ++lane) {
          std::uint32_t& from =
              sums.group(columns[lane] / kGroupColumns)[columns[lane] % kGroupColumns];
          group_bits |= std::uint64_t{from != 0} << lane;
          paths[i + lane] = std::exchange(from, 0);
        }
      }
      bits |= group_bits << (i - first);
    }
    pairs[first / kBlockColumns] = bits;
  }
}

void LastRows::count_in_lanes(std::size_t chunk, Worker& worker, MatrixDivide* divide) const {
  const std::size_t begin = chunk * kLeafRows;
  const std::size_t count = std::min(kLeafRows, ordinary_rows_.size() - begin);
  std::array<Configuration, kLeafRows> rows;
  for (std::size_t i = 0; i < count; ++i) {
    if (worker.stop.stop_requested()) return;
    const std::size_t row = ordinary_rows_[begin + i];
    rows[i] = ply_.rows()[row];
    ply_.make_row(row, worker.sums, worker.chances);
    if (divide == nullptr) give_chances(row, worker);
    take_ordinary(i, worker);
    if (divide != nullptr) {
      worker.pairs.take_row(row, worker.sums, worker.chances, worker.kernel);
    } else {
      worker.kernel.add(ply_, row, worker.sums);
      worker.sums.clear();
    }
  }
  if (divide != nullptr) worker.values.resize(worker.paths.size());
  const LeafChunk leaf_chunk{.rows = std::span(rows).first(count),
                             .pairs = worker.lane_bits.data(),
                             .paths = worker.paths.data(),
                             .stride = leaf_stride_,
                             .values = divide != nullptr ? worker.values.data() : nullptr,
                             .stop = worker.stop};
  const LeafCount counted = lanes_.count(*leaf_, leaf_chunk, kernel_, *worker.scratch);
  worker.lane_leaves += counted.leaves;
  worker.lane_pairs += counted.pairs;
  if (divide != nullptr && !worker.stop.stop_requested())
    worker.pairs.count(worker.kernel, *divide, worker.values);
}

}  // namespace manyply
