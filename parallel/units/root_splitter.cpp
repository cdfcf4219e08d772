#include "parallel/units/root_splitter.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace manyply {
namespace {

struct Child {
  Board board;
  std::uint32_t parent;
};
using ChildList = std::vector<Child>;

/// Merges equal children into one unit. The unit gets the shares (RootSplit::Share) of all parents
/// of these children. Shares with the same root move become one share with the sum of their paths.
void merge(ChildList& children, const RootSplit& parents, RootSplit& merged) {
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
  RootSplit moves;  // each root move is a unit here, for merge()
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
  split.growth_above = split.growth;
  return split;
}

template <typename Visit>
void visit_children(const RootSplit& parents, std::uint32_t parent, const Kernel& kernel,
                    Visit visit) {
  const Board& board = parents.boards[parent];
  MoveList moves;
  kernel.generate(board, moves);
  for (const Move move : moves) visit(Child{kernel.make_unchecked(board, move), parent});
}

/// A ply with fewer parents takes less time than the start of threads.
constexpr std::size_t kParentsWorthSharing = 1'000;
/// Number of ranges into which boards in sorted order are divided. The number is large enough to
/// occupy 64 workers and small enough for little overhead.
constexpr std::size_t kRanges = 64;

/// Returns the limits between ranges of boards, in ascending order. Each range contains about the
/// same number of children of `parents`. A sample of the children determines the limits.
std::vector<Board> cuts_between_ranges(const RootSplit& parents, const Kernel& kernel) {
  std::vector<Board> sample;
  const std::size_t step = parents.size() / kRanges + 1;
  for (std::size_t parent = 0; parent < parents.size(); parent += step) {
    visit_children(parents, static_cast<std::uint32_t>(parent), kernel,
                   [&](const Child& child) { sample.push_back(child.board); });
  }
  std::ranges::sort(sample);
  std::vector<Board> cuts;
  for (std::size_t range = 1; range < kRanges && !sample.empty(); ++range) {
    cuts.push_back(sample[range * sample.size() / kRanges]);
  }
  return cuts;
}

using SortedApart = std::vector<std::vector<ChildList>>;  // by slice of the parents, then by range

/// Generates the children of all parents. Each worker handles one slice of the parents. The worker
/// has one list for each range of boards between two `cuts`, and puts each child into the list of
/// the child's range. After a stop request the result is incomplete.
SortedApart generate(const RootSplit& parents, const Kernel& kernel, const std::vector<Board>& cuts,
                     const std::stop_token& stop, const Workers& workers) {
  const auto slices = static_cast<std::size_t>(workers.count());
  SortedApart children(slices, std::vector<ChildList>(cuts.size() + 1));
  workers.run([&](int worker) {
    const auto slice = static_cast<std::size_t>(worker);
    for (std::size_t parent = parents.size() * slice / slices;
         parent < parents.size() * (slice + 1) / slices && !stop.stop_requested(); ++parent) {
      visit_children(parents, static_cast<std::uint32_t>(parent), kernel, [&](const Child& child) {
        const auto range = std::ranges::upper_bound(cuts, child.board) - cuts.begin();
        children[slice][static_cast<std::size_t>(range)].push_back(child);
      });
    }
  });
  return children;
}

/// Merges the children of all slices, range by range. After a stop request the result is
/// incomplete.
std::vector<RootSplit> merge_ranges(SortedApart& children, const RootSplit& parents,
                                    const std::stop_token& stop, const Workers& workers) {
  const std::size_t ranges = children.front().size();
  std::vector<RootSplit> parts(ranges);
  std::atomic<std::size_t> next_range{0};
  workers.run([&](int /*worker*/) {
    for (std::size_t range; !stop.stop_requested() && (range = next_range.fetch_add(1)) < ranges;) {
      ChildList all = std::move(children.front()[range]);
      for (std::size_t slice = 1; slice < children.size(); ++slice) {
        ChildList more = std::move(children[slice][range]);
        all.insert(all.end(), more.begin(), more.end());
      }
      merge(all, parents, parts[range]);
    }
  });
  return parts;
}

/// Joins the ranges into one split. After a stop request the result is incomplete.
RootSplit join(std::vector<RootSplit> parts, const std::stop_token& stop) {
  if (parts.size() == 1) return std::move(parts.front());
  RootSplit whole;
  whole.share_begin.push_back(0);
  for (const RootSplit& part : parts) {
    if (stop.stop_requested()) break;
    const std::size_t shares_before = whole.shares.size();
    whole.boards.insert(whole.boards.end(), part.boards.begin(), part.boards.end());
    whole.shares.insert(whole.shares.end(), part.shares.begin(), part.shares.end());
    for (std::size_t unit = 0; unit < part.size(); ++unit) {
      whole.share_begin.push_back(shares_before + part.share_begin[unit + 1]);
    }
  }
  return whole;
}

/// Returns the split at the ply after `parents`. After a stop request, returns `parents`, because
/// an incomplete ply cannot be used.
RootSplit next_ply(RootSplit parents, const Kernel& kernel, const std::stop_token& stop,
                   const Workers& workers) {
  const Workers alone(1);
  const bool shared = parents.size() >= kParentsWorthSharing;
  const Workers& by = shared ? workers : alone;
  const std::vector<Board> cuts =
      shared ? cuts_between_ranges(parents, kernel) : std::vector<Board>();
  SortedApart children = generate(parents, kernel, cuts, stop, by);
  std::uint64_t generated = 0;
  for (const auto& slice : children) {
    for (const ChildList& range : slice) generated += range.size();
  }
  std::vector<RootSplit> parts = merge_ranges(children, parents, stop, by);
  RootSplit split = join(std::move(parts), stop);
  if (stop.stop_requested()) return parents;
  split.ply = parents.ply + 1;
  split.generated = parents.generated + generated;
  split.root_moves = std::move(parents.root_moves);
  split.growth = static_cast<double>(split.size()) / static_cast<double>(parents.size());
  split.growth_above = parents.growth;
  return split;
}

}  // namespace

RootSplit split_root(const Position& root, Depth depth, const Kernel& kernel,
                     const SplitLimits& limits, const std::stop_token& stop,
                     const Workers& workers) {
  MANYPLY_CHECK(depth.plies() >= 1);
  RootSplit split = first_ply(root);
  const auto enough = [&] {
    const int unit_depth = depth.plies() - split.ply;
    if (split.size() == 0 || unit_depth <= limits.min_unit_depth) return true;
    if (split.size() < limits.enough_units) return false;
    return unit_depth <= limits.good_unit_depth ||
           static_cast<double>(split.size()) * split.growth >
               static_cast<double>(limits.most_units);
  };
  while (!enough() && !stop.stop_requested()) {
    split = next_ply(std::move(split), kernel, stop, workers);
  }
  return split;
}

}  // namespace manyply
