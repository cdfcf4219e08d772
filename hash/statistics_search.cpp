#include "hash/statistics_search.h"

namespace manyply {

StatisticsSearch::StatisticsSearch(const Kernel& kernel, const KeySet& keys, StatisticsTable* table)
    : kernel_(kernel.statistics),
      hashed_(hashed_kernel_for(kernel)),
      keys_(keys),
      table_(table),
      levels_(Depth::kMax + 1),
      threes_(std::make_unique<std::array<ListedThree, 2>>()) {}

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
  if (depth == 3) return below_three(board, key, sum);
  auto& level = levels_[static_cast<std::size_t>(depth)];
  if (!level) level = std::make_unique<KeyedChildren>();
  hashed_.children(board, key, keys_, *level);
  const ZobristKey& depth_word = keys_.depth(depth - 1);
  HashStats::PerDepth& lookups = stats_.by_depth[static_cast<std::size_t>(depth - 1)];
  if (table_ != nullptr) {
    for (const auto& child : level->all()) table_->prefetch(child.key ^ depth_word, depth - 1);
    lookups.probes += level->size;
  }
  if (depth == 4) return below_four(*level, sum);
  for (const auto& child : level->all()) {
    const ZobristKey entry = child.key ^ depth_word;
    MoveStatistics part;
    if (table_ != nullptr && table_->probe(entry, depth - 1, part)) {
      ++lookups.hits;
    } else {
      ++stats_.visited;
      below(child.board, child.key, depth - 1, stop, part);
      if (stop.stop_requested()) return;  // The sums may be incomplete, so do not store them.
      if (table_ != nullptr) table_->store(entry, depth - 1, part);
    }
    add_checked(sum, part);
  }
}

void StatisticsSearch::below_three(const Board& board, const ZobristKey& key, MoveStatistics& sum) {
  clear_pending();
  look_up_children(list_children(board, key, {}));
  count_waiting();
  add_checked(sum, pending_.front().sum);
}

/// Adds the statistics below a node at remaining depth 4 to `sum`. `children` has the node's
/// children. First collects all grandchildren that the kernel must count. Then the kernel counts
/// these positions together, so that its lanes are full.
void StatisticsSearch::below_four(const KeyedChildren& children, MoveStatistics& sum) {
  clear_pending();
  const ListedThree* listed = nullptr;
  for (const auto& child : children.all()) {
    const ZobristKey entry = child.key ^ keys_.depth(3);
    MoveStatistics found;
    if (table_ != nullptr && table_->probe(entry, 3, found)) {
      ++stats_.by_depth[3].hits;
      add_checked(sum, found);
      continue;
    }
    ++stats_.visited;
    const ListedThree& next = list_children(child.board, child.key, entry);
    if (listed != nullptr) look_up_children(*listed);
    listed = &next;
  }
  if (listed == nullptr) return;
  look_up_children(*listed);
  count_waiting();
  for (const Pending& node : pending_) {
    if (table_ != nullptr) table_->store(node.entry, 3, node.sum);
    add_checked(sum, node.sum);
  }
}

/// Adds a node to pending_ and lists its children. Only two lists are kept; the new list replaces
/// the older one.
StatisticsSearch::ListedThree& StatisticsSearch::list_children(const Board& board,
                                                               const ZobristKey& key,
                                                               const ZobristKey& entry) {
  ListedThree& node = (*threes_)[pending_.size() % threes_->size()];
  node.of = pending_.size();
  pending_.push_back({entry, {}});
  hashed_.children(board, key, keys_, node.children);
  if (table_ != nullptr) {
    for (const auto& child : node.children.all()) table_->prefetch(child.key ^ keys_.depth(2), 2);
  }
  return node;
}

/// Looks up each child of `node` in the table. If the table has its statistics, adds them to the
/// sum of `node`. Otherwise appends the child to the positions that wait for the kernel.
void StatisticsSearch::look_up_children(const ListedThree& node) {
  HashStats::PerDepth& lookups = stats_.by_depth[2];
  if (table_ != nullptr) lookups.probes += node.children.size;
  for (const auto& child : node.children.all()) {
    const ZobristKey entry = child.key ^ keys_.depth(2);
    MoveStatistics found;
    if (table_ != nullptr && table_->probe(entry, 2, found)) {
      ++lookups.hits;
      add_checked(pending_[node.of].sum, found);
    } else {
      waiting_.push_back({entry, node.of});
      waiting_boards_.push_back(child.board);
    }
  }
}

void StatisticsSearch::count_waiting() {
  waiting_sums_.assign(waiting_.size(), {});
  stats_.visited += waiting_.size();
  stats_.visited +=
      kernel_.add_two_plies(waiting_boards_.data(), waiting_.size(), waiting_sums_.data());
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (table_ != nullptr) table_->store(waiting_[i].entry, 2, waiting_sums_[i]);
    add_checked(pending_[waiting_[i].of].sum, waiting_sums_[i]);
  }
}

/// Empties pending_ and the vectors of waiting positions. Before this call, they contain the data
/// of the node at depth 3 or 4 that was counted last.
void StatisticsSearch::clear_pending() {
  pending_.clear();
  waiting_.clear();
  waiting_boards_.clear();
}

}  // namespace manyply
