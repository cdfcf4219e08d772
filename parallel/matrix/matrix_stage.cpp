#include "parallel/matrix/matrix_stage.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "parallel/matrix/insert_all.h"
#include "parallel/split/chunk_counter.h"

namespace manyply {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// What a ply leaves: all of its rows, empty ones among them.
struct PlayedRows {
  std::vector<RowMemory> memory;  // by worker
  std::vector<RowChunk> chunks;
  std::vector<std::vector<EnPassantCapture>> captures;  // by chunk
};

/// A chunk that is being made.
struct GrowingChunk {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> paths;

  void clear() {
    begin.assign(1, 0);
    groups.clear();
    paths.clear();
  }
  [[nodiscard]] RowChunk stored_in(RowMemory& memory) const {
    RowChunk chunk{.begin = begin};
    memory.give_room(chunk);
    std::ranges::copy(groups, chunk.groups);
    std::ranges::copy(paths, chunk.paths);
    return chunk;
  }
};

/// Ends a chunk's last row with what is in `sums`, and clears them.
void end_row(GrowingChunk& chunk, RowSums& sums) {
  for (std::size_t i = 0; i < sums.touched(); ++i) {
    const std::uint32_t group = sums.touched(i);
    if (sums.columns_with_paths(i) == 0) continue;
    const std::uint32_t* const from = sums.group(group);
    chunk.groups.push_back(group);
    chunk.paths.insert(chunk.paths.end(), from, from + kGroupColumns);
  }
  chunk.begin.push_back(static_cast<std::uint32_t>(chunk.groups.size()));
  sums.clear();
}

PlayedRows play(const MatrixPly& ply, const Workers& workers, StopView stop, MatrixBudget& budget) {
  const std::size_t rows = ply.rows().size();
  PlayedRows played;
  played.memory.resize(static_cast<std::size_t>(workers.count()));
  played.chunks.resize(chunks_of(rows));
  played.captures.resize(played.chunks.size());
  ChunkCounter chunks(played.chunks.size(), stop);
  workers.run([&](int worker) {
    RowSums sums(ply.columns().size());
    std::vector<EnPassantChance> chances;
    GrowingChunk chunk;
    RowMemory& memory = played.memory[static_cast<std::size_t>(worker)];
    while (const auto number = chunks.next()) {
      chunk.clear();
      const std::size_t end = std::min(rows, (*number + 1) * kChunkRows);
      for (std::size_t row = *number * kChunkRows; row < end && !stop.stop_requested(); ++row) {
        ply.make_row(row, sums, chances);
        for (const EnPassantChance& chance : chances) {
          append_en_passant_captures(ply.columns()[chance.column], ply.rows()[row], ply.mover(),
                                     chance, played.captures[*number]);
        }
        chances.clear();
        end_row(chunk, sums);
      }
      played.chunks[*number] = chunk.stored_in(memory);
      budget.take(played.chunks[*number].bytes());
    }
  });
  return played;
}

/// Turns played rows into rows of what were columns. Rows are taken in groups, since they become
/// groups of columns: of each group, those columns are listed that any of its rows has paths in.
class Transposition {
 public:
  Transposition(const MatrixPly& ply, PlayedRows& played, const Workers& workers, StopView stop,
                MatrixBudget& budget)
      : ply_(ply), played_(played), workers_(workers), stop_(stop), budget_(budget) {}

  MatrixStage run() {
    MatrixStage stage(~ply_.mover());
    choose_rows();
    insert_these(ply_.rows(), kept_, stage.columns);
    stage.column_was = kept_;
    cut_into_parts(static_cast<std::size_t>(workers_.count()));
    for_each_part([this](std::size_t part, Gather& gather) { count(part, gather); });
    if (stop_.stop_requested()) return stage;
    lay_out(stage);
    for_each_part([&](std::size_t part, Gather& gather) { write(part, gather, stage.matrix); });
    stage.captures = std::move(played_.captures);
    return stage;
  }

 private:
  /// Keeps rows that are not empty, those that have lost least and the fullest first: what is full
  /// becomes full groups of columns, and what is counted in lanes (last_rows.h) stands together.
  /// Among rows about as full the order stays, in which neighbours have much in common.
  void choose_rows() {
    constexpr std::size_t kMostPieces = 64;  // whatever a FEN may say
    constexpr std::size_t kWidths = 33;
    std::vector<std::vector<std::uint32_t>> by_kind((kMostPieces + 1) * kWidths);
    for (std::size_t row = 0; row < ply_.rows().size(); ++row) {
      const auto pieces = static_cast<std::size_t>(popcount(ply_.rows()[row].pieces.all()));
      const auto width = static_cast<std::size_t>(std::bit_width(size_of(row)));
      if (width != 0) by_kind[pieces * kWidths + width].push_back(static_cast<std::uint32_t>(row));
    }
    for (auto kind = by_kind.rbegin(); kind != by_kind.rend(); ++kind)
      kept_.insert(kept_.end(), kind->begin(), kind->end());
  }
  /// Inserts those of `from` whose numbers are `numbers` into `to`, which is empty; not all after
  /// a stop.
  void insert_these(const ConfigurationSet& from, const std::vector<std::uint32_t>& numbers,
                    ConfigurationSet& to) const {
    constexpr std::size_t kAtOnce = std::size_t{1} << 16;
    std::vector<Configuration> items;
    std::vector<std::uint32_t> unused;
    for (std::size_t first = 0; first < numbers.size() && !stop_.stop_requested();
         first += kAtOnce) {
      items.clear();
      for (std::size_t i = first; i < std::min(numbers.size(), first + kAtOnce); ++i)
        items.push_back(from[numbers[i]]);
      unused.resize(items.size());
      insert_all(to, items, unused, workers_);
    }
  }
  [[nodiscard]] std::size_t size_of(std::size_t row) const {
    return played_.chunks[row / kChunkRows].row(row % kChunkRows).size;
  }

  /// What a group of rows has in one column.
  struct Cell {
    std::uint32_t column;
    std::uint32_t paths[kGroupColumns];
  };
  /// The cells of one group of rows, and where each column's is.
  struct Gather {
    explicit Gather(std::size_t columns) : at(columns) {}
    std::vector<Cell> cells;
    std::vector<std::uint32_t> at;  // of cells that are not there, anything

    Cell& cell_of(std::uint32_t column) {
      std::uint32_t& place = at[column];
      if (place >= cells.size() || cells[place].column != column) {
        place = static_cast<std::uint32_t>(cells.size());
        cells.push_back({column, {}});
      }
      return cells[place];
    }
  };

  template <typename Body>
  void for_each_part(const Body& body) {
    ChunkCounter parts(place_.size(), stop_);
    workers_.run([&](int) {
      Gather gather(ply_.columns().size());
      while (const auto part = parts.next()) body(*part, gather);
    });
  }

  /// Parts of as much work each: the first rows are the fullest by far.
  void cut_into_parts(std::size_t parts) {
    const std::size_t groups = groups_of(kept_.size());
    std::vector<std::uint64_t> work(groups + 1);  // of all groups before
    for (std::size_t i = 0; i < kept_.size(); ++i) work[i / kGroupColumns + 1] += size_of(kept_[i]);
    std::partial_sum(work.begin(), work.end(), work.begin());
    place_.assign(parts, {});
    part_begin_.assign(parts + 1, groups);
    for (std::size_t part = 0; part < parts; ++part) {
      const auto begin = std::ranges::lower_bound(work, work.back() * part / parts);
      part_begin_[part] = static_cast<std::size_t>(begin - work.begin());
    }
  }

  void gather_group(std::size_t group, Gather& gather) const {
    gather.cells.clear();
    const std::size_t first = group * kGroupColumns;
    const std::size_t rows = std::min(kGroupColumns, kept_.size() - first);
    for (std::size_t i = 0; i < rows && !stop_.stop_requested(); ++i) {
      const std::size_t number = kept_[first + i];
      const RowView row = played_.chunks[number / kChunkRows].row(number % kChunkRows);
      for (std::size_t g = 0; g < row.size; ++g) {
        for (std::size_t lane = 0; lane < kGroupColumns; ++lane) {
          const std::uint32_t paths = row.paths[g * kGroupColumns + lane];
          if (paths == 0) continue;
          const std::size_t column = row.groups[g] * kGroupColumns + lane;
          gather.cell_of(static_cast<std::uint32_t>(column)).paths[i] = paths;
        }
      }
    }
  }

  void count(std::size_t part, Gather& gather) {
    std::vector<std::uint32_t>& counts = place_[part];
    counts.resize(ply_.columns().size());
    for (std::size_t g = part_begin_[part]; g < part_begin_[part + 1]; ++g) {
      if (stop_.stop_requested()) return;
      gather_group(g, gather);
      for (const Cell& cell : gather.cells) ++counts[cell.column];
    }
  }

  /// Numbers the columns that are not empty, makes their rows as long as they will be, and turns
  /// each part's counts into the places where it begins to write.
  void lay_out(MatrixStage& stage) {
    row_of_.assign(ply_.columns().size(), kNone);
    std::vector<RowChunk>& chunks = stage.matrix.chunks;
    for (std::size_t column = 0; column < row_of_.size(); ++column) {
      std::uint32_t groups = 0;
      for (const auto& counts : place_) groups += counts[column];
      if (groups == 0) continue;
      row_of_[column] = static_cast<std::uint32_t>(stage.row_was.size());
      stage.row_was.push_back(static_cast<std::uint32_t>(column));
      if (row_of_[column] % kChunkRows == 0) chunks.emplace_back();
      std::uint32_t at = chunks.back().begin.back();
      chunks.back().begin.push_back(at + groups);
      for (auto& counts : place_) at += std::exchange(counts[column], at);
    }
    insert_these(ply_.columns(), stage.row_was, stage.rows);
    for (RowChunk& chunk : chunks) {
      stage.matrix.memory.give_room(chunk);
      budget_.take(chunk.bytes());
    }
  }

  /// Each cell of a full group may be the first one on its page, which the system then clears: 2
  /// MiB.
  static constexpr std::size_t kPagesAtOnce = 64;

  void write(std::size_t part, Gather& gather, Matrix& matrix) {
    std::vector<std::uint32_t>& place = place_[part];
    for (std::size_t g = part_begin_[part]; g < part_begin_[part + 1]; ++g) {
      gather_group(g, gather);
      for (std::size_t i = 0; i < gather.cells.size(); ++i) {
        if (i % kPagesAtOnce == 0 && stop_.stop_requested()) return;
        const Cell& cell = gather.cells[i];
        RowChunk& chunk = matrix.chunks[row_of_[cell.column] / kChunkRows];
        const std::size_t at = place[cell.column]++;
        chunk.groups[at] = static_cast<std::uint32_t>(g);
        std::copy_n(cell.paths, kGroupColumns, &chunk.paths[at * kGroupColumns]);
      }
    }
  }

  const MatrixPly& ply_;
  PlayedRows& played_;
  const Workers& workers_;
  const StopView stop_;
  MatrixBudget& budget_;
  std::vector<std::uint32_t> kept_;                // rows with paths, in order
  std::vector<std::size_t> part_begin_;            // groups; and the end of the last
  std::vector<std::vector<std::uint32_t>> place_;  // by part and column: counts, then places
  std::vector<std::uint32_t> row_of_;              // by column
};

}  // namespace

void MatrixBudget::take(std::uint64_t bytes) {
  const std::uint64_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (used > limit_) throw MatrixDoesNotFit("matrices take too much memory");
  for (std::uint64_t most = most_.load(std::memory_order_relaxed);
       used > most && !most_.compare_exchange_weak(most, used, std::memory_order_relaxed);) {
  }
}

MatrixStage next_stage(const MatrixPly& ply, const Workers& workers, StopView stop,
                       MatrixBudget& budget) {
  PlayedRows played = play(ply, workers, stop, budget);
  if (stop.stop_requested()) return MatrixStage(~ply.mover());
  std::uint64_t bytes = 0;
  for (const RowChunk& chunk : played.chunks) bytes += chunk.bytes();
  MatrixStage stage = Transposition(ply, played, workers, stop, budget).run();
  budget.give_back(bytes);
  return stage;
}

}  // namespace manyply
