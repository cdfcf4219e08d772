#include "parallel/root_splitter.h"

#include <algorithm>
#include <utility>

namespace manyply {
namespace {

struct Child {
  Board board;
  std::uint32_t parent;
};

/// Merges equal children; each distinct one inherits the shares of all its parents.
void merge(std::vector<Child>& children, const RootSplit& parents, RootSplit& merged) {
  std::ranges::sort(children, {}, &Child::board);
  merged.boards.reserve(children.size());
  merged.share_begin.reserve(children.size() + 1);
  merged.shares.reserve(2 * children.size());
  merged.share_begin.push_back(0);
  std::vector<RootSplit::Share> inherited;
  for (auto first = children.begin(); first != children.end();) {
    inherited.clear();
    auto last = first;
    for (; last != children.end() && last->board == first->board; ++last) {
      const auto shares = parents.shares_of(last->parent);
      inherited.insert(inherited.end(), shares.begin(), shares.end());
    }
    std::ranges::sort(inherited, {}, &RootSplit::Share::root_move);
    for (const RootSplit::Share& share : inherited) {
      const bool new_to_unit = merged.shares.size() == merged.share_begin.back() ||
                               merged.shares.back().root_move != share.root_move;
      if (new_to_unit) {
        merged.shares.push_back(share);
      } else {
        merged.shares.back().paths += share.paths;
      }
    }
    merged.boards.push_back(first->board);
    merged.share_begin.push_back(merged.shares.size());
    first = last;
  }
}

RootSplit first_ply(const Position& root) {
  RootSplit moves;  // as if each root move were a unit
  RootSplit split;
  std::vector<Child> children;
  for (const Move move : legal_moves(root)) {
    const auto number = static_cast<std::uint32_t>(children.size());
    children.push_back({root.after_unchecked(move).board(), number});
    moves.share_begin.push_back(number);
    moves.shares.push_back({number, 1});
    split.root_moves.push_back(move);
  }
  moves.share_begin.push_back(children.size());
  split.ply = 1;
  split.generated = children.size();
  merge(children, moves, split);
  split.growth = static_cast<double>(split.size());
  return split;
}

RootSplit next_ply(RootSplit parents, const Kernel& kernel) {
  std::size_t moves_in_all = 0;
  CountStats unused;
  for (const Board& board : parents.boards) moves_in_all += kernel.count(board, 1, {}, unused);
  std::vector<Child> children;
  children.reserve(moves_in_all);
  for (std::uint32_t parent = 0; parent < parents.size(); ++parent) {
    const Board& board = parents.boards[parent];
    MoveList moves;
    kernel.generate(board, moves);
    for (const Move move : moves) children.push_back({kernel.make_unchecked(board, move), parent});
  }
  RootSplit split;
  split.ply = parents.ply + 1;
  split.generated = parents.generated + children.size();
  split.root_moves = std::move(parents.root_moves);
  merge(children, parents, split);
  split.growth = static_cast<double>(split.size()) / static_cast<double>(parents.size());
  return split;
}

}  // namespace

RootSplit split_root(const Position& root, Depth depth, const Kernel& kernel,
                     const SplitLimits& limits, const std::stop_token& stop) {
  MANYPLY_CHECK(depth.plies() >= 1);
  RootSplit split = first_ply(root);
  while (split.size() > 0 && split.size() < limits.enough_units &&
         split.ply + limits.min_unit_depth < depth.plies() && !stop.stop_requested()) {
    split = next_ply(std::move(split), kernel);
  }
  return split;
}

}  // namespace manyply
