#include "parallel/matrix/matrix_stage.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <memory_resource>
#include <numeric>
#include <utility>

#include "parallel/chunk_queue.h"
#include "parallel/matrix/insert_all.h"

namespace manyply {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A chunk under construction.
class GrowingChunk {
 public:
  void clear() {
    begin_.assign(1, {});
    groups_.clear();
    lanes_.clear();
    size_ = 0;
  }
  /// Appends the paths of the columns in `lanes`, which must not be 0, to the current row.
  void add(std::uint32_t group, unsigned lanes, const std::uint32_t* paths) {
    groups_.push_back(group);
    lanes_.push_back(static_cast<std::uint8_t>(lanes));
    if (paths_.size() < size_ + kMostPacked) paths_.resize(2 * size_ + kMostPacked);
    size_ = static_cast<std::size_t>(pack(lanes, paths, &paths_[size_]) - paths_.data());
  }
  void end_row() {
    begin_.push_back({static_cast<std::uint32_t>(groups_.size()), place_of_paths(size_)});
  }
  [[nodiscard]] RowChunk stored_in(RowMemory& memory) const {
    RowChunk chunk{.begin = begin_};
    memory.give_room(chunk);
    std::ranges::copy(groups_, chunk.groups);
    std::ranges::copy(lanes_, chunk.lanes);
    std::copy_n(paths_.data(), size_, chunk.paths);
    return chunk;
  }

 private:
  std::vector<RowPlace> begin_;
  std::vector<std::uint32_t> groups_;
  std::vector<std::uint8_t> lanes_;
  std::vector<std::uint16_t> paths_;  // the first size_ are valid
  std::size_t size_ = 0;
};

/// Appends row `row` of the ply to a chunk. `sums` has the paths of the row, and is cleared.
/// `chunk` has one element for each slice.
void end_row(std::vector<GrowingChunk>& chunk, const std::vector<std::size_t>& slice_begin,
             RowSums& sums, std::size_t row, const StageCut& cut) {
  std::size_t slice = 0;
  for (std::size_t i = 0; i < sums.touched(); ++i) {
    const std::uint32_t group = sums.touched(i);
    unsigned lanes = sums.columns_with_paths(i);
    if (lanes != 0 && cut.columns) lanes &= cut.columns(row, group);
    if (lanes == 0) continue;
    while (group >= slice_begin[slice + 1]) ++slice;
    chunk[slice].add(group, lanes, sums.group(group));
  }
  for (GrowingChunk& growing : chunk) growing.end_row();
  sums.clear();
}

/// Cuts the groups of columns into `slices` slices that have about the same size after `ply`.
/// Estimates the sizes from the matrix from which `ply` starts. Returns each slice's first group,
/// then the end.
std::vector<std::size_t> cut_columns(const MatrixPly& ply, std::size_t slices,
                                     const Workers& workers, StopView stop) {
  const std::size_t groups = groups_of(ply.columns().size());
  std::vector<std::size_t> begin(slices + 1, groups);
  begin[0] = 0;
  if (slices == 1) return begin;
  const std::vector<RowChunk>& chunks = ply.before().matrix.chunks;
  std::vector<std::uint64_t> rows(groups);  // by group: number of rows with paths in it
  for_each_chunk(chunks.size(), workers, stop, [&](std::size_t chunk) {
    for (std::size_t i = 0; i < chunks[chunk].size(); ++i) {
      std::atomic_ref(rows[chunks[chunk].groups[i]]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  for (std::uint64_t& number : rows) ++number;  // new columns have no rows yet, but need a weight
  std::partial_sum(rows.begin(), rows.end(), rows.begin());
  for (std::size_t slice = 1; slice < slices; ++slice) {
    const auto end = std::ranges::lower_bound(rows, rows.back() / slices * slice);
    begin[slice] = static_cast<std::size_t>(end - rows.begin());
  }
  return begin;
}

/// Returns the number of slices. A small matrix is not cut.
std::size_t slices_for(const MatrixPly& ply, const StageCut& cut) {
  constexpr std::size_t kSlices = 8;
  if (cut.slices != 0) return cut.slices;
  return static_cast<double>(ply.before().matrix.bytes()) < kSlicedStage ? 1 : kSlices;
}

}  // namespace

std::size_t PlayedRows::size_of(std::size_t row) const {
  std::size_t groups = 0;
  for (const Slice& slice : slices) groups += slice.row(row).size;
  return groups;
}

std::uint64_t PlayedRows::bytes() const {
  std::uint64_t sum = 0;
  for (const Slice& slice : slices) {
    for (const RowChunk& chunk : slice.chunks) sum += chunk.bytes();
  }
  return sum;
}

PlayedRows play_rows(const MatrixPly& ply, const Workers& workers, StopView stop,
                     MatrixBudget& budget, const StageCut& cut) {
  const std::size_t rows = ply.rows().size();
  const std::vector<std::size_t> slice_begin =
      cut_columns(ply, slices_for(ply, cut), workers, stop);
  PlayedRows played;
  played.slices.resize(slice_begin.size() - 1);
  for (std::size_t i = 0; i < played.slices.size(); ++i) {
    PlayedRows::Slice& slice = played.slices[i];
    slice.end_group = slice_begin[i + 1];
    slice.memory.resize(static_cast<std::size_t>(workers.count()));
    slice.chunks.resize(chunks_of(rows));
  }
  played.captures.resize(chunks_of(rows));
  ChunkQueue chunks(chunks_of(rows), stop);
  chunks.run_on(workers, [&](int worker) {
    RowSums sums(ply.columns().size(), huge_pages());
    std::vector<EnPassantChance> chances;
    std::vector<GrowingChunk> chunk(played.slices.size());
    while (const auto number = chunks.next()) {
      for (GrowingChunk& growing : chunk) growing.clear();
      const std::size_t end = std::min(rows, (*number + 1) * kChunkRows);
      std::vector<EnPassantCapture>& captures = played.captures[*number];
      for (std::size_t row = *number * kChunkRows; row < end && !stop.stop_requested(); ++row) {
        if (!cut.row || cut.row(row)) ply.make_row(row, sums, chances);
        for (const EnPassantChance& chance : chances) {
          append_en_passant_captures(ply.columns()[chance.column], ply.rows()[row], ply.mover(),
                                     chance, captures);
        }
        chances.clear();
        end_row(chunk, slice_begin, sums, row, cut);
      }
      if (cut.capture) {
        std::erase_if(captures, [&](const EnPassantCapture& each) { return !cut.capture(each); });
      }
      captures.shrink_to_fit();
      budget.take(captures.capacity() * sizeof(EnPassantCapture));
      for (std::size_t i = 0; i < chunk.size(); ++i) {
        PlayedRows::Slice& slice = played.slices[i];
        slice.chunks[*number] = chunk[i].stored_in(slice.memory[static_cast<std::size_t>(worker)]);
        budget.take(slice.chunks[*number].bytes());
      }
    }
  });
  return played;
}

namespace {

/// Transposes played rows: rows become columns, and columns become rows. A group of rows becomes a
/// group of columns. For each group of rows, this class lists the columns in which any row of the
/// group has paths.
///
/// The class transposes slice by slice, and frees each slice afterwards. So only little data is in
/// memory twice. In this class, a part is some consecutive groups of rows that one worker handles.
class Transposition {
 public:
  Transposition(const ConfigurationSet& rows, const ConfigurationSet& columns,
                const Workers& workers, StopView stop, MatrixBudget& budget, const StageCut& cut)
      : rows_(rows),
        columns_(columns),
        workers_(workers),
        stop_(stop),
        budget_(budget),
        cut_(cut) {}

  /// `again` says whether `played` will be transposed again. If it is false, frees each slice of
  /// `played` after transposing it.
  MatrixStage run(PlayedRows& played, Color mover, bool again) {
    MatrixStage stage(~mover);
    choose_rows(played);
    insert_columns(stage.columns);
    stage.column_was = kept_;
    cut_into_parts(played, static_cast<std::size_t>(workers_.count()));
    for (const PlayedRows::Slice& slice : played.slices)
      for_each_part([&](std::size_t part, Gather& gather) { count(slice, part, gather); });
    if (stop_.stop_requested()) return stage;
    lay_out(stage);
    const std::uint64_t sets = stage.rows.bytes() + stage.columns.bytes();
    budget_.take(sets);  // the caller counts these bytes as part of the next ply
    std::vector<RowChunk>& chunks = stage.matrix.chunks;
    std::size_t with_room = 0;
    for (PlayedRows::Slice& slice : played.slices) {
      const auto rows = std::ranges::lower_bound(stage.row_was, slice.end_group * kGroupColumns);
      const std::size_t end = chunks_of(static_cast<std::size_t>(rows - stage.row_was.begin()));
      for (; with_room < end; ++with_room) {
        stage.matrix.memory.give_room(chunks[with_room]);
        budget_.take(chunks[with_room].bytes());
      }
      for_each_part([&](std::size_t part, Gather& gather) { write(slice, part, gather, chunks); });
      if (again) continue;
      for (const RowChunk& chunk : slice.chunks) budget_.give_back(chunk.bytes());
      slice = {};
    }
    budget_.give_back(sets);
    return stage;
  }

 private:
  /// Selects the rows that become columns. Puts them into this order:
  ///   1. the rows of cut_.first_columns, even if they are empty
  ///   2. other rows that are not empty, and that cut_.row and cut_.is_whole accept
  ///   3. other rows that are not empty, and that cut_.row accepts
  /// In 2 and 3, rows with more pieces come first. Among rows with equally many pieces, rows with
  /// paths in more groups come first. So rows with many paths share a group of columns, and columns
  /// that are counted in lanes (last_rows.h) are neighbours.
  ///
  /// Rows with about the same number of groups keep their order, because neighbours have many
  /// pieces in common.
  void choose_rows(const PlayedRows& played) {
    constexpr std::size_t kMostPieces = 64;  // the largest number that a FEN can have
    constexpr std::size_t kWidths = 33;
    constexpr std::size_t kKinds = (kMostPieces + 1) * kWidths;
    std::vector<std::vector<std::uint32_t>> by_kind(2 * kKinds);
    std::vector<char> comes_first(cut_.first_columns.empty() ? 0 : rows_.size());
    for (const Configuration& configuration : cut_.first_columns) {
      kept_.push_back(rows_.find(configuration).value_or(kNone));
      if (kept_.back() != kNone) comes_first[kept_.back()] = 1;
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto width = static_cast<std::size_t>(std::bit_width(played.size_of(row)));
      if (width == 0 || (!comes_first.empty() && comes_first[row] != 0)) continue;
      if (cut_.row && !cut_.row(row)) continue;
      const auto pieces = static_cast<std::size_t>(popcount(rows_[row].pieces.all()));
      const std::size_t kind = pieces * kWidths + width;
      const bool is_first = cut_.is_whole && cut_.is_whole(row);
      by_kind[is_first ? kKinds + kind : kind].push_back(static_cast<std::uint32_t>(row));
    }
    for (auto kind = by_kind.rbegin(); kind != by_kind.rend(); ++kind)
      kept_.insert(kept_.end(), kind->begin(), kind->end());
  }

  void insert_columns(ConfigurationSet& to) const {
    const auto item = [this](std::size_t i) {
      return i < cut_.first_columns.size() ? cut_.first_columns[i] : rows_[kept_[i]];
    };
    insert_each(kept_.size(), item, to, workers_, stop_);
  }

  /// The paths of a group of rows in one column.
  struct Cell {
    std::uint32_t column;
    unsigned rows;  // the rows of the group that have paths
    std::uint32_t paths[kGroupColumns];
  };
  /// The cells of one group of rows, and the index of each column's cell.
  struct Gather {
    explicit Gather(std::size_t columns) : at(columns, huge_pages()) {}
    std::vector<Cell> cells;
    std::pmr::vector<std::uint32_t> at;  // by column; arbitrary for columns without a cell

    Cell& cell_of(std::uint32_t column) {
      std::uint32_t& place = at[column];
      if (place >= cells.size() || cells[place].column != column) {
        place = static_cast<std::uint32_t>(cells.size());
        cells.push_back({column, 0, {}});
      }
      return cells[place];
    }
  };

  template <typename Body>
  void for_each_part(const Body& body) {
    ChunkQueue parts(place_.size(), stop_);
    parts.run_on(workers_, [&](int) {
      Gather gather(columns_.size());
      while (const auto part = parts.next()) body(*part, gather);
    });
  }

  /// Cuts the groups of rows into parts of about equal work. The work differs from group to group,
  /// because the first rows have by far the most paths.
  void cut_into_parts(const PlayedRows& played, std::size_t parts) {
    const std::size_t groups = groups_of(kept_.size());
    std::vector<std::uint64_t> work(groups + 1);  // by group: work of all groups before it
    for (std::size_t i = 0; i < kept_.size(); ++i)
      work[i / kGroupColumns + 1] += kept_[i] == kNone ? 0 : played.size_of(kept_[i]);
    std::partial_sum(work.begin(), work.end(), work.begin());
    place_.assign(parts, std::pmr::vector<RowPlace>(huge_pages()));
    part_begin_.assign(parts + 1, groups);
    for (std::size_t part = 0; part < parts; ++part) {
      const auto begin = std::ranges::lower_bound(work, work.back() * part / parts);
      part_begin_[part] = static_cast<std::size_t>(begin - work.begin());
    }
  }

  /// For each row of a group, calls visit(i, column, paths) for each column in which the row has
  /// paths. `i` is the index of the row in the group. Also calls prefetch(column) some groups of
  /// columns ahead. Its argument is the first column of a group that will be visited soon.
  template <typename Prefetch, typename Visit>
  void for_each_path(const PlayedRows::Slice& slice, std::size_t group, const Prefetch& prefetch,
                     const Visit& visit) const {
    constexpr std::size_t kAhead = 12;
    const std::size_t first = group * kGroupColumns;
    const std::size_t rows = std::min(kGroupColumns, kept_.size() - first);
    for (std::size_t i = 0; i < rows && !stop_.stop_requested(); ++i) {
      const std::size_t number = kept_[first + i];
      if (number == kNone) continue;
      const RowView row = slice.row(number);
      const std::uint16_t* packed = row.paths;
      for (std::size_t g = 0; g < row.size; ++g) {
        if (g + kAhead < row.size) prefetch(row.groups[g + kAhead] * kGroupColumns);
        const unsigned kept = cut_.columns ? cut_.columns(number, row.groups[g]) : ~0U;
        packed =
            for_each_in_group(row.lanes[g], packed, [&](std::size_t lane, std::uint32_t paths) {
              if ((kept >> lane & 1) == 0) return;
              visit(i, static_cast<std::uint32_t>(row.groups[g] * kGroupColumns + lane), paths);
            });
      }
    }
  }

  void count(const PlayedRows::Slice& slice, std::size_t part, Gather& gather) {
    std::pmr::vector<RowPlace>& counts = place_[part];
    counts.resize(columns_.size());
    // By column: 2 * g + 2, where g is the last group of rows that was counted in this column. If
    // a row of this group has more than 0xFFFF paths in the column, the value is 2 * g + 3.
    std::uint32_t* const counted_in = gather.at.data();
    const auto prefetch = [&](std::size_t column) {
      __builtin_prefetch(&counted_in[column]);
      __builtin_prefetch(&counts[column]);
    };
    for (std::size_t g = part_begin_[part]; g < part_begin_[part + 1]; ++g) {
      if (stop_.stop_requested()) return;
      const auto mark = static_cast<std::uint32_t>(2 * g + 2);
      for_each_path(slice, g, prefetch,
                    [&](std::size_t, std::uint32_t column, std::uint32_t paths) {
                      RowPlace& count = counts[column];
                      if ((counted_in[column] & ~1U) != mark) {
                        counted_in[column] = mark;
                        ++count.group;
                      }
                      ++count.paths;
                      if (paths <= 0xFFFF) [[likely]]
                        return;
                      if (counted_in[column] == mark) count.paths += 2;
                      counted_in[column] = mark + 1;
                      ++count.paths;
                    });
    }
  }

  /// Each column that is not empty becomes a row of `stage`. Numbers these rows and determines
  /// their lengths. Replaces the counts in place_: afterwards, place_ has the place in each row
  /// where each part starts to write.
  void lay_out(MatrixStage& stage) {
    row_of_.assign(columns_.size(), kNone);
    std::vector<RowChunk>& chunks = stage.matrix.chunks;
    for (std::size_t column = 0; column < row_of_.size(); ++column) {
      std::uint32_t groups = 0;
      std::uint64_t paths = 0;
      for (const auto& counts : place_) {
        groups += counts[column].group;
        paths += counts[column].paths;
      }
      if (groups == 0) continue;
      row_of_[column] = static_cast<std::uint32_t>(stage.row_was.size());
      stage.row_was.push_back(static_cast<std::uint32_t>(column));
      if (row_of_[column] % kChunkRows == 0) chunks.emplace_back();
      RowPlace at = chunks.back().begin.back();
      chunks.back().begin.push_back({at.group + groups, place_of_paths(at.paths + paths)});
      for (auto& counts : place_) {
        const RowPlace count = std::exchange(counts[column], at);
        at = {at.group + count.group, at.paths + count.paths};
      }
    }
    const auto item = [&](std::size_t i) { return columns_[stage.row_was[i]]; };
    insert_each(stage.row_was.size(), item, stage.rows, workers_, stop_);
  }

  /// Number of cells that are written between two checks for a stop. Each cell may be the first on
  /// its huge page of 2 MiB. The system then has to clear this page.
  static constexpr std::size_t kPagesAtOnce = 64;

  void write(const PlayedRows::Slice& slice, std::size_t part, Gather& gather,
             std::vector<RowChunk>& chunks) {
    constexpr std::size_t kAhead = 8;
    std::pmr::vector<RowPlace>& place = place_[part];
    const auto chunk_of = [&](const Cell& cell) -> RowChunk& {
      return chunks[row_of_[cell.column] / kChunkRows];
    };
    const auto prefetch = [&](std::size_t column) { __builtin_prefetch(&gather.at[column]); };
    const auto prefetch_cell = [&](std::size_t i) {
      if (i + kAhead < gather.cells.size()) {
        __builtin_prefetch(&place[gather.cells[i + kAhead].column]);
        __builtin_prefetch(&row_of_[gather.cells[i + kAhead].column]);
      }
      if (i + kAhead / 2 < gather.cells.size()) {
        const Cell& cell = gather.cells[i + kAhead / 2];
        const RowChunk& chunk = chunk_of(cell);
        const RowPlace at = place[cell.column];
        __builtin_prefetch(&chunk.groups[at.group], 1);
        __builtin_prefetch(&chunk.lanes[at.group], 1);
        __builtin_prefetch(&chunk.paths[at.paths], 1);
      }
    };
    for (std::size_t g = part_begin_[part]; g < part_begin_[part + 1]; ++g) {
      gather.cells.clear();
      for_each_path(slice, g, prefetch,
                    [&](std::size_t i, std::uint32_t column, std::uint32_t paths) {
                      Cell& cell = gather.cell_of(column);
                      cell.rows |= 1U << i;
                      cell.paths[i] = paths;
                    });
      for (std::size_t i = 0; i < gather.cells.size(); ++i) {
        if (i % kPagesAtOnce == 0 && stop_.stop_requested()) return;
        prefetch_cell(i);
        const Cell& cell = gather.cells[i];
        RowChunk& chunk = chunk_of(cell);
        RowPlace& at = place[cell.column];
        chunk.groups[at.group] = static_cast<std::uint32_t>(g);
        chunk.lanes[at.group++] = static_cast<std::uint8_t>(cell.rows);
        std::uint16_t* const end = pack(cell.rows, cell.paths, &chunk.paths[at.paths]);
        at.paths = static_cast<std::uint32_t>(end - chunk.paths);
      }
    }
  }

  const ConfigurationSet& rows_;
  const ConfigurationSet& columns_;
  const Workers& workers_;
  const StopView stop_;
  MatrixBudget& budget_;
  const StageCut& cut_;
  std::vector<std::uint32_t> kept_;      // the selected rows, in the order of the new columns
  std::vector<std::size_t> part_begin_;  // by part: its first group; then the end
  // By part and column. Before lay_out(): the number of groups and packed words that the part has
  // in the column. After lay_out(): where the part writes next in the row that the column becomes.
  std::vector<std::pmr::vector<RowPlace>> place_;
  std::pmr::vector<std::uint32_t> row_of_{huge_pages()};  // indexed by column
};

}  // namespace

MatrixStage turn_over(const ConfigurationSet& rows, const ConfigurationSet& columns, Color mover,
                      PlayedRows& played, const Workers& workers, StopView stop,
                      MatrixBudget& budget, const StageCut& cut) {
  MatrixStage stage =
      Transposition(rows, columns, workers, stop, budget, cut).run(played, mover, true);
  std::vector<EnPassantCapture>& captures = stage.captures.emplace_back();
  for (const std::vector<EnPassantCapture>& chunk : played.captures)
    std::ranges::copy_if(chunk, std::back_inserter(captures), cut.capture);
  budget.take(MatrixStage::bytes_of(stage.captures));
  return stage;
}

namespace {

/// Transposes the rows that play_rows() has made with `cut`.
MatrixStage transposed(const MatrixPly& ply, PlayedRows played, const Workers& workers,
                       StopView stop, MatrixBudget& budget, const StageCut& cut) {
  // play_rows() has already applied cut.row, cut.columns and cut.capture.
  const StageCut whole{.is_whole = cut.is_whole, .first_columns = cut.first_columns};
  MatrixStage stage = Transposition(ply.rows(), ply.columns(), workers, stop, budget, whole)
                          .run(played, ply.mover(), false);
  stage.captures = std::move(played.captures);
  return stage;
}

}  // namespace

MatrixStage next_stage(const MatrixPly& ply, const Workers& workers, StopView stop,
                       MatrixBudget& budget, const StageCut& cut) {
  PlayedRows played = play_rows(ply, workers, stop, budget, cut);
  if (stop.stop_requested()) return MatrixStage(~ply.mover());
  return transposed(ply, std::move(played), workers, stop, budget, cut);
}

MatrixStage next_stage_without_paths(MatrixPly& ply, const Workers& workers, StopView stop,
                                     MatrixBudget& budget, const StageCut& cut) {
  PlayedRows played = play_rows(ply, workers, stop, budget, cut);
  if (stop.stop_requested()) return MatrixStage(~ply.mover());
  // Free large paths before the transposition, so that the transposed rows can use their memory.
  // Small paths leave only gaps, which transposed rows cannot use, so free small paths afterwards.
  const bool is_large = static_cast<double>(ply.before().matrix.bytes()) >= kSlicedStage;
  if (is_large) budget.give_back(ply.free_paths());
  MatrixStage stage = transposed(ply, std::move(played), workers, stop, budget, cut);
  if (!is_large) budget.give_back(ply.free_paths());
  return stage;
}

}  // namespace manyply
