// Makes the next stage of a count by pairs: next_stage() of pair_ply.h.

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include "core/base/memory.h"
#include "core/base/mutex.h"
#include "parallel/chunk_queue.h"
#include "parallel/matrix/pair_ply.h"

namespace manyply {
namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

/// The rows of one kind that have pairs.
struct PlayedKind {
  std::vector<Configuration> rows;
  PairMatrix matrix;
  std::vector<PairRight> rights;  // PairRight::row is an index of `rows`
  std::uint64_t pairs = 0;
  BudgetShare share;  // the bytes of all members above

  [[nodiscard]] std::uint64_t bytes() const {
    return rows.capacity() * sizeof(Configuration) + matrix.bytes() +
           rights.capacity() * sizeof(PairRight);
  }
};

/// If `row` has pairs, appends it to `kind` and adds its columns to `used_columns`. Then clears
/// `row`.
void keep_row(const Configuration& configuration, PairRow& row, PlayedKind& kind,
              std::vector<std::uint64_t>& used_columns) {
  const bool begins_chunk = kind.rows.size() % kPairChunkRows == 0;
  PairChunk fresh;
  PairChunk& chunk = begins_chunk ? fresh : kind.matrix.chunks.back();
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < row.touched(); ++i) {
    const std::uint32_t block = row.touched(i);
    const std::uint64_t* const from = row.block(block);
    int any = 0;
    for (std::size_t word = 0; word < kBlockWords; ++word) any += popcount(from[word]);
    if (any == 0) continue;
    pairs += static_cast<std::uint64_t>(any);
    chunk.blocks.push_back(block);
    chunk.words.insert(chunk.words.end(), from, from + kBlockWords);
    for (std::size_t word = 0; word < kBlockWords; ++word)
      used_columns[block * kBlockWords + word] |= from[word];
  }
  row.clear();
  const auto end = static_cast<std::uint32_t>(chunk.blocks.size());
  if (pairs == 0) return;
  kind.rows.push_back(configuration);
  kind.pairs += pairs;
  chunk.begin.push_back(end);
  if (chunk.begin.size() == kPairChunkRows + 1) {
    chunk.blocks.shrink_to_fit();
    chunk.words.shrink_to_fit();
  }
  if (begins_chunk) kind.matrix.chunks.push_back(std::move(fresh));
}

/// The result of playing a ply.
struct PlayedPairs {
  std::uint64_t distinct = 0;               // number of positions in the rows that are counted
  std::vector<std::uint64_t> used_columns;  // one bit per column, set if any row has pairs in it
  std::vector<PlayedKind> kinds;
};

PlayedPairs play_pairs(const PairPly& ply, const RowFilter* filter, const Workers& workers,
                       const std::stop_token& stop, Progress& progress, MatrixBudget& budget) {
  const std::size_t words = blocks_of(ply.columns().size()) * kBlockWords;
  PlayedPairs played{.used_columns = std::vector<std::uint64_t>(words), .kinds = {}};
  played.kinds.resize(ply.kinds());
  Mutex mutex;
  ChunkQueue kinds(ply.kinds(), stop);
  kinds.run_on(workers, [&](int worker) {
    std::vector<std::uint64_t> used(words);
    std::uint64_t distinct = 0;
    PairPly::Scratch scratch(ply);
    Progress::Worker& shown = progress.worker(worker);
    while (const auto number = kinds.next()) {
      PlayedKind& kind = played.kinds[*number];
      kind.share = BudgetShare(budget);
      const PairRows rows = ply.rows_of(*number, stop, scratch);
      for (std::size_t row = 0; row < rows.set.size(); ++row) {
        if (row % kPairChunkRows == 0 && stop.stop_requested()) break;
        const Configuration& configuration = rows.set[row];
        if (filter != nullptr && !filter->wanted(configuration)) continue;
        ply.make_row(rows, row, scratch);
        if (filter == nullptr || filter->counted(configuration)) {
          const std::uint64_t pairs = ply.count(scratch.row, nullptr) + scratch.rights.size();
          distinct += pairs;
          shown.leaves.add(static_cast<double>(pairs));
        }
        const auto place = static_cast<std::uint32_t>(kind.rows.size());
        for (const PairRight& right : scratch.rights) {
          scratch.row.add(right.column);
          kind.rights.push_back({place, right.column, right.to});
        }
        scratch.rights.clear();
        keep_row(configuration, scratch.row, kind, used);
        if (kind.rows.size() > place && kind.rows.size() % kPairChunkRows == 0)
          kind.share.add(kind.matrix.chunks.back().bytes());
      }
      shown.visited.add(rows.set.size());
      shown.units_done.add(1);
      kind.share.set(kind.bytes());
    }
    const MutexLock lock(mutex);
    played.distinct += distinct;
    for (std::size_t word = 0; word < words; ++word) played.used_columns[word] |= used[word];
  });
  return played;
}

/// Transposes a ply. Handles rows in blocks, because a block of rows becomes a block of columns.
/// For each block of rows, finds the columns in which any row of the block has pairs. In this
/// class, a part is some consecutive blocks of rows, which one worker handles.
class PairTransposition {
 public:
  PairTransposition(const PairPly& ply, PlayedPairs& played, const Workers& workers,
                    const std::stop_token& stop, MatrixBudget& budget)
      : ply_(ply),
        played_(played),
        workers_(workers),
        stop_(stop),
        budget_(budget),
        own_share_(budget) {}

  PairStage run() {
    PairStage stage(~ply_.mover());
    stage.share = BudgetShare(budget_);
    choose_rows();
    number_columns(stage.rows);
    stage.columns.reserve(kept_.size());
    std::vector<std::vector<std::uint32_t>> column_of;
    for (const PlayedKind& kind : played_.kinds) column_of.emplace_back(kind.rows.size());
    for (const Place& place : kept_) {
      if (stop_.stop_requested()) return stage;
      column_of[place.kind][place.row] =
          stage.columns.insert(played_.kinds[place.kind].rows[place.row]);
    }
    stage.share.set(stage.rows.bytes() + stage.columns.bytes());
    place_.assign(static_cast<std::size_t>(workers_.count()), {});
    own_share_.set(kept_.capacity() * sizeof(Place) + row_of_.capacity() * sizeof(row_of_[0]) +
                   kept_.size() * sizeof(std::uint32_t) +  // column_of
                   place_.size() * rows_ * sizeof(std::uint32_t));
    for_each_part([this](std::size_t part, Gather& gather) { count(part, gather); });
    if (stop_.stop_requested()) return stage;
    lay_out(stage);
    if (stop_.stop_requested()) return stage;
    for_each_part([&](std::size_t part, Gather& gather) { write(part, gather, stage.matrix); });
    for (std::size_t kind = 0; kind < played_.kinds.size(); ++kind) {
      if (stop_.stop_requested()) return stage;
      for (const PairRight& right : played_.kinds[kind].rights)
        stage.rights.push_back({row_of_[right.column], column_of[kind][right.row], right.to});
    }
    stage.share.set(stage.bytes());
    return stage;
  }

 private:
  struct Entry {
    std::uint32_t block;
    std::uint32_t row;  // index in its block of rows
    const std::uint64_t* words;
  };
  /// Working memory for one block of rows. `entries` are the entries of this block in the order of
  /// rows. `sorted` are the same entries, grouped by their block of columns.
  struct Gather {
    explicit Gather(std::size_t blocks) : count(blocks) {}
    std::vector<Entry> entries;
    std::vector<Entry> sorted;
    std::vector<std::uint32_t> count;  // by block of columns; all zero between uses
    std::vector<std::uint32_t> blocks;
    std::array<std::array<std::uint64_t, kBlockWords>, kPairBlock> columns{};
  };

  /// The place of a row in played_.
  struct Place {
    std::uint32_t kind;
    std::uint32_t row;
  };

  /// Decides in which order the rows of played_ become columns. Kinds with more pairs come first.
  /// Within a kind, rows with more blocks come first. Rows with about the same number of blocks
  /// keep their order, because neighbours have much in common.
  void choose_rows() {
    std::vector<std::uint32_t> kinds;
    for (std::uint32_t kind = 0; kind < played_.kinds.size(); ++kind) kinds.push_back(kind);
    std::ranges::stable_sort(kinds, std::ranges::greater{},
                             [this](std::uint32_t kind) { return played_.kinds[kind].pairs; });
    for (const std::uint32_t kind : kinds) {
      const std::size_t first = kept_.size();
      for (std::uint32_t row = 0; row < played_.kinds[kind].rows.size(); ++row)
        kept_.push_back({kind, row});
      std::ranges::stable_sort(
          kept_.begin() + static_cast<std::ptrdiff_t>(first), kept_.end(), std::ranges::greater{},
          [this](const Place& place) {
            return std::bit_width(played_.kinds[place.kind].matrix.row(place.row).size);
          });
    }
  }

  /// Each column that has pairs becomes a row of the new stage. Adds these rows to `rows` and
  /// numbers them. The columns of one kind get consecutive row numbers.
  void number_columns(ConfigurationSet& rows) {
    struct Left {
      ConfigurationKind kind;
      std::uint32_t column;
    };
    std::vector<Left> left;
    for (std::size_t word = 0; word < played_.used_columns.size(); ++word) {
      for (std::uint64_t bits = played_.used_columns[word]; bits != 0;) {
        const std::size_t column = word * 64 + static_cast<std::size_t>(pop_lowest(bits));
        left.push_back({kind_of(ply_.columns()[column]), static_cast<std::uint32_t>(column)});
      }
    }
    std::ranges::stable_sort(left, {}, &Left::kind);
    rows.reserve(left.size());
    row_of_.assign(ply_.columns().size(), kNoRow);
    for (const Left& one : left) {
      if (stop_.stop_requested()) return;
      row_of_[one.column] = rows.insert(ply_.columns()[one.column]);
    }
    rows_ = left.size();
  }

  template <typename Body>
  void for_each_part(const Body& body) {
    ChunkQueue parts(place_.size(), stop_);
    parts.run_on(workers_, [&](int) {
      const auto gather = std::make_unique<Gather>(blocks_of(ply_.columns().size()));
      while (const auto part = parts.next()) body(*part, *gather);
    });
  }

  [[nodiscard]] std::size_t row_blocks() const { return blocks_of(kept_.size()); }
  [[nodiscard]] std::size_t part_begin(std::size_t part) const {
    return row_blocks() * part / place_.size();
  }

  /// Calls body(block, entries) for each block of columns in which rows of `row_block` have pairs.
  template <typename Body>
  void for_each_block(std::size_t row_block, Gather& gather, const Body& body) const {
    gather.entries.clear();
    gather.blocks.clear();
    const std::size_t first = row_block * kPairBlock;
    const std::size_t rows = std::min(kPairBlock, kept_.size() - first);
    for (std::size_t i = 0; i < rows; ++i) {
      const Place& place = kept_[first + i];
      const PairRowView row = played_.kinds[place.kind].matrix.row(place.row);
      for (std::size_t b = 0; b < row.size; ++b) {
        if (gather.count[row.blocks[b]]++ == 0) gather.blocks.push_back(row.blocks[b]);
        gather.entries.push_back(
            {row.blocks[b], static_cast<std::uint32_t>(i), row.words + b * kBlockWords});
      }
    }
    std::uint32_t end = 0;
    for (const std::uint32_t block : gather.blocks) end += std::exchange(gather.count[block], end);
    gather.sorted.resize(gather.entries.size());
    for (const Entry& entry : gather.entries) gather.sorted[gather.count[entry.block]++] = entry;
    std::size_t begin = 0;
    for (const std::uint32_t block : gather.blocks) {
      const std::size_t stop = std::exchange(gather.count[block], 0);
      body(block, std::span(gather.sorted).subspan(begin, stop - begin));
      begin = stop;
    }
  }

  void count(std::size_t part, Gather& gather) {
    std::vector<std::uint32_t>& counts = place_[part];
    counts.resize(rows_);
    for (std::size_t b = part_begin(part); b < part_begin(part + 1); ++b) {
      if (stop_.stop_requested()) return;
      for_each_block(b, gather, [&](std::size_t block, std::span<const Entry> entries) {
        std::array<std::uint64_t, kBlockWords> any{};
        for (const Entry& entry : entries) {
          for (std::size_t word = 0; word < kBlockWords; ++word) any[word] |= entry.words[word];
        }
        for_each_bit(any, [&](std::size_t i) { ++counts[row_of_[block * kPairBlock + i]]; });
      });
    }
  }

  template <typename Body>
  static void for_each_bit(const std::array<std::uint64_t, kBlockWords>& words, const Body& body) {
    for (std::size_t word = 0; word < kBlockWords; ++word) {
      for (std::uint64_t bits = words[word]; bits != 0;)
        body(word * 64 + static_cast<std::size_t>(pop_lowest(bits)));
    }
  }

  /// Allocates the rows. Before the call, place_[part][row] is the number of blocks that the part
  /// will write to the row. After the call, it is the index, in the row's chunk, of the first of
  /// these blocks.
  void lay_out(PairStage& stage) {
    std::vector<PairChunk>& chunks = stage.matrix.chunks;
    chunks.resize((rows_ + kPairChunkRows - 1) / kPairChunkRows);
    for (std::size_t row = 0; row < rows_; ++row) {
      PairChunk& chunk = chunks[row / kPairChunkRows];
      std::uint32_t at = chunk.begin.back();
      for (auto& counts : place_) at += std::exchange(counts[row], at);
      chunk.begin.push_back(at);
    }
    for (PairChunk& chunk : chunks) {
      if (stop_.stop_requested()) return;
      chunk.begin.shrink_to_fit();
      chunk.blocks.resize(chunk.begin.back());
      chunk.words.resize(chunk.begin.back() * kBlockWords);
      stage.share.add(chunk.bytes());
    }
  }

  void write(std::size_t part, Gather& gather, PairMatrix& matrix) {
    std::vector<std::uint32_t>& place = place_[part];
    for (std::size_t b = part_begin(part); b < part_begin(part + 1); ++b) {
      if (stop_.stop_requested()) return;
      for_each_block(b, gather, [&](std::size_t block, std::span<const Entry> entries) {
        const auto any = turn_over_block(entries, gather);
        for_each_bit(any, [&](std::size_t i) {
          const std::uint32_t row = row_of_[block * kPairBlock + i];
          PairChunk& chunk = matrix.chunks[row / kPairChunkRows];
          const std::size_t at = place[row]++;
          chunk.blocks[at] = static_cast<std::uint32_t>(b);
          std::ranges::copy(gather.columns[i], &chunk.words[at * kBlockWords]);
          gather.columns[i] = {};
        });
      });
    }
  }

  /// Transposes `entries`, which belong to one block of columns, into gather.columns. Bit i of the
  /// result is set if gather.columns[i] is not empty.
  static std::array<std::uint64_t, kBlockWords> turn_over_block(std::span<const Entry> entries,
                                                                Gather& gather) {
    std::array<std::uint64_t, kBlockWords> all{};
    for (std::size_t first = 0; first < entries.size();) {
      // Entries are sorted by row. Take the entries of 64 neighbouring rows.
      const std::size_t high = entries[first].row / 64;
      std::size_t end = first;
      std::array<std::uint64_t, kBlockWords> any{};
      std::array<int, kBlockWords> pairs{};
      for (; end < entries.size() && entries[end].row / 64 == high; ++end) {
        for (std::size_t word = 0; word < kBlockWords; ++word) {
          any[word] |= entries[end].words[word];
          pairs[word] += popcount(entries[end].words[word]);
        }
      }
      const auto rows = entries.subspan(first, end - first);
      for (std::size_t word = 0; word < kBlockWords; ++word) {
        constexpr int kFewPairs = 100;
        if (pairs[word] == 0) continue;
        all[word] |= any[word];
        if (pairs[word] < kFewPairs) {
          for (const Entry& entry : rows) {
            const std::uint64_t bit = std::uint64_t{1} << entry.row % 64;
            for (std::uint64_t bits = entry.words[word]; bits != 0;)
              gather.columns[word * 64 + static_cast<std::size_t>(pop_lowest(bits))][high] |= bit;
          }
          continue;
        }
        std::uint64_t square[64] = {};
        for (const Entry& entry : rows) square[entry.row % 64] = entry.words[word];
        turn_over(square);
        for (std::size_t i = 0; i < 64; ++i) gather.columns[word * 64 + i][high] = square[i];
      }
      first = end;
    }
    return all;
  }

  const PairPly& ply_;
  PlayedPairs& played_;
  const Workers& workers_;
  const std::stop_token& stop_;
  MatrixBudget& budget_;
  BudgetShare own_share_;
  std::vector<Place> kept_;                        // rows, in the order of the new columns
  std::vector<std::uint32_t> row_of_;              // by column: its row in the new stage
  std::size_t rows_ = 0;                           // number of rows in the new stage
  std::vector<std::vector<std::uint32_t>> place_;  // by part and row: first counts, then places
};

}  // namespace

PairStage next_stage(const PairPly& ply, const RowFilter* filter, const Workers& workers,
                     const std::stop_token& stop, Progress& progress, MatrixBudget& budget,
                     std::uint64_t& distinct) {
  PlayedPairs played = play_pairs(ply, filter, workers, stop, progress, budget);
  distinct = played.distinct;
  if (stop.stop_requested()) return PairStage(~ply.mover());
  PairStage stage = PairTransposition(ply, played, workers, stop, budget).run();
  played = {};
  return_freed_memory();
  return stage;
}

}  // namespace manyply
