#include "parallel/pair_stage.h"

#include <algorithm>
#include <atomic>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "parallel/chunk_counter.h"

namespace manyply {
namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

/// What a worker has seen of a ply.
struct Seen {
  std::uint64_t distinct = 0;
  std::vector<std::uint64_t> used_columns;
};

/// Configurations with as many men of each kind, and pawns of each file. They meet the same ones of
/// the other side, more or less.
std::uint64_t class_of(const Configuration& configuration) {
  const Men& men = configuration.men;
  std::uint64_t key = 0;
  for (int file = 0; file < 8; ++file)
    key = key << 3 | static_cast<std::uint64_t>(popcount(men.pawns & file_mask(file)));
  for (const Bitboard set : {men.knights, men.diagonal & ~men.orthogonal,
                             men.orthogonal & ~men.diagonal, men.diagonal & men.orthogonal})
    key = key << 4 | static_cast<std::uint64_t>(popcount(set));
  return key;
}

void end_pair_row(PairChunk& chunk, PairRow& row, Seen& seen) {
  for (std::size_t i = 0; i < row.touched(); ++i) {
    const std::uint32_t block = row.touched(i);
    const std::uint64_t* const from = row.block(block);
    std::uint64_t any = 0;
    for (std::size_t word = 0; word < kBlockWords; ++word) any |= from[word];
    if (any == 0) continue;
    chunk.blocks.push_back(block);
    chunk.words.insert(chunk.words.end(), from, from + kBlockWords);
    for (std::size_t word = 0; word < kBlockWords; ++word)
      seen.used_columns[block * kBlockWords + word] |= from[word];
  }
  chunk.begin.push_back(static_cast<std::uint32_t>(chunk.blocks.size()));
  row.clear();
}

}  // namespace

PlayedPairs play_pairs(const PairPly& ply, const std::vector<std::uint32_t>* rows, bool keep,
                       const Workers& workers, const std::stop_token& stop, Progress& progress,
                       MatrixBudget& budget) {
  PlayedPairs played;
  const std::size_t count = rows != nullptr ? rows->size() : ply.rows();
  played.row_blocks.resize(ply.rows());
  if (keep) {
    played.chunks.resize(pair_chunks_of(count));
    played.rights.resize(played.chunks.size());
  }
  std::vector<Seen> seen(static_cast<std::size_t>(workers.count()));
  ChunkCounter chunks(pair_chunks_of(count), stop);
  std::atomic<std::uint64_t> bytes{0};
  workers.run([&](int worker) {
    Seen& own = seen[static_cast<std::size_t>(worker)];
    own.used_columns.resize(blocks_of(ply.columns().size()) * kBlockWords);
    PairPly::Scratch scratch(ply);
    Progress::Worker& shown = progress.worker(worker);
    while (const auto number = chunks.next()) {
      PairChunk chunk;
      std::vector<PairRight> rights;
      const std::size_t end = std::min(count, (*number + 1) * kPairChunkRows);
      const std::uint64_t before = own.distinct;
      for (std::size_t i = *number * kPairChunkRows; i < end; ++i) {
        const std::size_t row = rows != nullptr ? (*rows)[i] : i;
        ply.make_row(row, scratch);
        own.distinct += ply.count(scratch.row, nullptr) + scratch.rights.size();
        for (const PairRight& right : scratch.rights) scratch.row.add(right.column);
        if (keep) rights.insert(rights.end(), scratch.rights.begin(), scratch.rights.end());
        scratch.rights.clear();
        const std::size_t had = chunk.blocks.size();
        end_pair_row(chunk, scratch.row, own);
        played.row_blocks[row] = static_cast<std::uint32_t>(chunk.blocks.size() - had);
        if (!keep) chunk = {};
      }
      shown.leaves.add(static_cast<double>(own.distinct - before));
      shown.visited.add(end - *number * kPairChunkRows);
      shown.units_done.add(1);
      if (!keep) continue;
      chunk.blocks.shrink_to_fit();
      chunk.words.shrink_to_fit();
      const std::uint64_t taken = chunk.bytes() + rights.capacity() * sizeof(PairRight);
      budget.take(taken);
      bytes.fetch_add(taken, std::memory_order_relaxed);
      played.chunks[*number] = std::move(chunk);
      played.rights[*number] = std::move(rights);
    }
  });
  played.bytes = bytes.load(std::memory_order_relaxed);
  played.used_columns.resize(blocks_of(ply.columns().size()) * kBlockWords);
  for (const Seen& one : seen) {
    played.distinct += one.distinct;
    for (std::size_t word = 0; word < one.used_columns.size(); ++word)
      played.used_columns[word] |= one.used_columns[word];
  }
  if (keep) {
    played.rows.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      played.rows[i] = rows != nullptr ? (*rows)[i] : static_cast<std::uint32_t>(i);
  }
  return played;
}

LeftColumns left_columns(const PairPly& ply, const std::vector<std::uint64_t>& used_columns) {
  LeftColumns left;
  left.number.assign(ply.columns().size(), kNoRow);
  for (std::size_t word = 0; word < used_columns.size(); ++word) {
    for (std::uint64_t bits = used_columns[word]; bits != 0;) {
      const std::size_t column = word * 64 + static_cast<std::size_t>(pop_lowest(bits));
      left.number[column] = left.set.insert(ply.columns()[column]);
    }
  }
  return left;
}

namespace {

/// Rows are taken in blocks, since they become blocks of columns: of each, those columns are listed
/// that any of its rows has pairs in.
class PairTransposition {
 public:
  PairTransposition(const PairPly& ply, PlayedPairs& played, const LeftColumns& left,
                    const Workers& workers, const std::stop_token& stop, MatrixBudget& budget)
      : ply_(ply), played_(played), left_(left), workers_(workers), stop_(stop), budget_(budget) {}

  PairStage run() {
    PairStage stage;
    choose_rows();
    std::vector<std::uint32_t> column_of(ply_.rows(), kNoRow);
    for (const std::uint32_t place : kept_) {
      const std::uint32_t row = played_.rows[place];
      column_of[row] = stage.columns.insert(ply_.graph().targets()[row]);
    }
    place_.assign(static_cast<std::size_t>(workers_.count()), {});
    for_each_part([this](std::size_t part, Gather& gather) { count(part, gather); });
    if (stop_.stop_requested()) return stage;
    lay_out(stage.matrix);
    for_each_part([&](std::size_t part, Gather& gather) { write(part, gather, stage.matrix); });
    for (auto& rights : played_.rights) {
      for (const PairRight& right : rights)
        stage.rights.push_back({left_.number[right.column], column_of[right.row], right.to});
      rights = {};
    }
    return stage;
  }

 private:
  struct Entry {
    std::uint32_t block;
    std::uint32_t row;  // in its block of rows
    const std::uint64_t* words;
  };
  /// The entries of a block of rows, by block of columns.
  struct Gather {
    explicit Gather(std::size_t blocks) : count(blocks) {}
    std::vector<Entry> entries;
    std::vector<Entry> sorted;
    std::vector<std::uint32_t> count;  // by block of columns; all zero between uses
    std::vector<std::uint32_t> blocks;
    std::array<std::array<std::uint64_t, kBlockWords>, kBlockColumns> rows{};
    std::array<std::array<std::uint64_t, kBlockWords>, kBlockColumns> columns{};
  };

  /// Keeps rows that are not empty: those of a kind together, the kinds with most first, among them
  /// the fullest. Otherwise their order stays, in which neighbours have much in common.
  void choose_rows() {
    std::unordered_map<std::uint64_t, std::uint64_t> sizes;
    std::vector<std::uint64_t> kinds(played_.rows.size());
    for (std::uint32_t place = 0; place < played_.rows.size(); ++place) {
      const std::uint32_t row = played_.rows[place];
      if (played_.row_blocks[row] == 0) continue;
      kept_.push_back(place);
      kinds[place] = class_of(ply_.graph().targets()[row]);
      sizes[kinds[place]] += played_.row_blocks[row];
    }
    struct Order {
      std::uint64_t size;
      std::uint64_t kind;
      std::uint32_t fullness;
      auto operator<=>(const Order&) const = default;
    };
    std::vector<Order> orders(played_.rows.size());
    for (const std::uint32_t place : kept_) {
      orders[place] = {sizes[kinds[place]], kinds[place],
                       static_cast<std::uint32_t>(
                           std::bit_width(played_.row_blocks[played_.rows[place]]))};
    }
    std::ranges::stable_sort(kept_, std::ranges::greater{},
                             [&](std::uint32_t place) { return orders[place]; });
  }

  template <typename Body>
  void for_each_part(const Body& body) {
    ChunkCounter parts(place_.size(), stop_);
    workers_.run([&](int) {
      const auto gather = std::make_unique<Gather>(blocks_of(ply_.columns().size()));
      while (const auto part = parts.next()) body(*part, *gather);
    });
  }

  [[nodiscard]] std::size_t row_blocks() const { return blocks_of(kept_.size()); }
  [[nodiscard]] std::size_t part_begin(std::size_t part) const {
    return row_blocks() * part / place_.size();
  }

  /// Calls body(block, entries) for each block of columns that the rows of `row_block` meet.
  template <typename Body>
  void for_each_block(std::size_t row_block, Gather& gather, const Body& body) const {
    gather.entries.clear();
    gather.blocks.clear();
    const std::size_t first = row_block * kBlockColumns;
    const std::size_t rows = std::min(kBlockColumns, kept_.size() - first);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t place = kept_[first + i];
      const PairRowView row =
          played_.chunks[place / kPairChunkRows].row(place % kPairChunkRows);
      for (std::size_t b = 0; b < row.size; ++b) {
        if (gather.count[row.blocks[b]]++ == 0) gather.blocks.push_back(row.blocks[b]);
        gather.entries.push_back(
            {row.blocks[b], static_cast<std::uint32_t>(i), row.words + b * kBlockWords});
      }
    }
    std::uint32_t end = 0;
    for (const std::uint32_t block : gather.blocks)
      end += std::exchange(gather.count[block], end);
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
    counts.resize(left_.set.size());
    for (std::size_t b = part_begin(part); b < part_begin(part + 1); ++b) {
      if (stop_.stop_requested()) return;
      for_each_block(b, gather, [&](std::size_t block, std::span<const Entry> entries) {
        std::array<std::uint64_t, kBlockWords> any{};
        for (const Entry& entry : entries) {
          for (std::size_t word = 0; word < kBlockWords; ++word) any[word] |= entry.words[word];
        }
        for_each_bit(any, [&](std::size_t i) {
          ++counts[left_.number[block * kBlockColumns + i]];
        });
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

  /// Makes rows as long as they will be, and turns each part's counts into the places where it
  /// begins to write.
  void lay_out(PairMatrix& matrix) {
    matrix.chunks.resize(pair_chunks_of(left_.set.size()));
    for (std::size_t row = 0; row < left_.set.size(); ++row) {
      PairChunk& chunk = matrix.chunks[row / kPairChunkRows];
      std::uint32_t at = chunk.begin.back();
      for (auto& counts : place_) at += std::exchange(counts[row], at);
      chunk.begin.push_back(at);
    }
    for (PairChunk& chunk : matrix.chunks) {
      chunk.begin.shrink_to_fit();
      chunk.blocks.resize(chunk.begin.back());
      chunk.words.resize(chunk.begin.back() * kBlockWords);
      budget_.take(chunk.bytes());
    }
  }

  void write(std::size_t part, Gather& gather, PairMatrix& matrix) {
    std::vector<std::uint32_t>& place = place_[part];
    for (std::size_t b = part_begin(part); b < part_begin(part + 1); ++b) {
      if (stop_.stop_requested()) return;
      for_each_block(b, gather, [&](std::size_t block, std::span<const Entry> entries) {
        const auto any = turn_over_block(entries, gather);
        for_each_bit(any, [&](std::size_t i) {
          const std::uint32_t row = left_.number[block * kBlockColumns + i];
          PairChunk& chunk = matrix.chunks[row / kPairChunkRows];
          const std::size_t at = place[row]++;
          chunk.blocks[at] = static_cast<std::uint32_t>(b);
          std::ranges::copy(gather.columns[i], &chunk.words[at * kBlockWords]);
          gather.columns[i] = {};
        });
      });
    }
  }

  /// Fills gather.columns; which of them are not empty.
  static std::array<std::uint64_t, kBlockWords> turn_over_block(std::span<const Entry> entries,
                                                                Gather& gather) {
    std::array<std::uint64_t, kBlockWords> all{};
    for (std::size_t first = 0; first < entries.size();) {
      // Entries are in the order of rows: those of 64 neighbours.
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
  const LeftColumns& left_;
  const Workers& workers_;
  const std::stop_token& stop_;
  MatrixBudget& budget_;
  std::vector<std::uint32_t> kept_;                // places in played_.rows, in order
  std::vector<std::vector<std::uint32_t>> place_;  // by part and row: counts, then places
};

}  // namespace

PairStage turned_over(const PairPly& ply, PlayedPairs played, const LeftColumns& left,
                      const Workers& workers, const std::stop_token& stop, MatrixBudget& budget) {
  PairStage stage = PairTransposition(ply, played, left, workers, stop, budget).run();
  budget.give_back(played.bytes);
  return stage;
}

}  // namespace manyply
