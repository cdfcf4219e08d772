#include "hash/statistics_search.h"

namespace manyply {

StatisticsSearch::StatisticsSearch(const Kernel& kernel, const KeySet& keys, StatisticsTable* table)
    : kernel_(kernel.statistics),
      hashed_(hashed_kernel_for(kernel)),
      keys_(keys),
      table_(table),
      levels_(Depth::kMax + 1) {}

void StatisticsSearch::add(const Board& board, int depth, StopView stop, MoveStatistics& sum) {
  below(board, keys_.key_from_scratch(board), depth, stop, sum);
}

void StatisticsSearch::below(const Board& board, const ZobristKey& key, int depth, StopView stop,
                             MoveStatistics& sum) {
  if (depth == 1) return kernel_.add_moves(&board, 1, &sum);
  if (depth == 2) {
    stats_.visited += kernel_.add_two_plies(&board, 1, &sum);
    return;
  }
  if (stop.stop_requested()) return;
  auto& level = levels_[static_cast<std::size_t>(depth)];
  if (!level) level = std::make_unique<KeyedChildren>();
  hashed_.children(board, key, keys_, *level);
  const ZobristKey& depth_word = keys_.depth(depth - 1);
  HashStats::PerDepth& lookups = stats_.by_depth[static_cast<std::size_t>(depth - 1)];
  if (table_ != nullptr) {
    for (const auto& child : level->all()) table_->prefetch(child.key ^ depth_word, depth - 1);
    lookups.probes += level->size;
  }
  for (const auto& child : level->all()) {
    const ZobristKey entry = child.key ^ depth_word;
    MoveStatistics part;
    if (table_ != nullptr && table_->probe(entry, depth - 1, part)) {
      ++lookups.hits;
    } else {
      ++stats_.visited;
      if (depth == 3) {
        missing_boards_.push_back(child.board);
        missing_entries_.push_back(entry);
        continue;
      }
      below(child.board, child.key, depth - 1, stop, part);
      if (stop.stop_requested()) return;  // what came back may be cut short: store nothing
      if (table_ != nullptr) table_->store(entry, depth - 1, part);
    }
    add_checked(sum, part);
  }
  if (depth == 3) count_missing(sum);
}

/// All together: the kernel counts several positions at once.
void StatisticsSearch::count_missing(MoveStatistics& sum) {
  missing_sums_.assign(missing_boards_.size(), {});
  stats_.visited +=
      kernel_.add_two_plies(missing_boards_.data(), missing_boards_.size(), missing_sums_.data());
  for (std::size_t i = 0; i < missing_sums_.size(); ++i) {
    if (table_ != nullptr) table_->store(missing_entries_[i], 2, missing_sums_[i]);
    add_checked(sum, missing_sums_[i]);
  }
  missing_boards_.clear();
  missing_entries_.clear();
}

}  // namespace manyply
