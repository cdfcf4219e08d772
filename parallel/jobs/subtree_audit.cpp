#include "parallel/jobs/subtree_audit.h"

#include <algorithm>
#include <utility>

#include "core/counting.h"
#include "core/kernels/scalar_kernel.h"

namespace manyply {
namespace {

/// The children that one generator makes of a position, sorted by move.
using Children = std::vector<std::pair<Move, Board>>;

Children children_by(const Kernel& kernel, const Board& board) {
  MoveList moves;
  kernel.generate(board, moves);
  Children children;
  for (const Move move : moves) children.emplace_back(move, kernel.make_unchecked(board, move));
  std::ranges::sort(children);
  return children;
}

Children children_by(const KeyedChildren& hashed) {
  Children children;
  for (const KeyedChildren::Child& child : hashed.all())
    children.emplace_back(child.move, child.board);
  std::ranges::sort(children);
  return children;
}

KernelFault move_fault(const Board& board, KernelFault::Opinion mine, const Children& my_children,
                       KernelFault::Opinion theirs, const Children& their_children) {
  const auto only = [](const Children& a, const Children& b) {
    Children difference;
    std::ranges::set_difference(a, b, std::back_inserter(difference));
    return difference;
  };
  const Children mine_alone = only(my_children, their_children);
  const Children theirs_alone = only(their_children, my_children);
  for (const auto& [move, after] : mine_alone) mine.moves.push_back(move);
  for (const auto& [move, after] : theirs_alone) theirs.moves.push_back(move);
  if (mine_alone.size() == 1 && mine.moves == theirs.moves) {
    mine.after = position_unchecked(mine_alone.front().second);
    theirs.after = position_unchecked(theirs_alone.front().second);
  }
  return {position_unchecked(board), Depth(1), {std::move(mine), std::move(theirs)}};
}

KeyedChildren& level(std::vector<std::unique_ptr<KeyedChildren>>& levels, int depth) {
  const auto at = static_cast<std::size_t>(depth);
  while (levels.size() <= at) levels.push_back(std::make_unique<KeyedChildren>());
  return *levels[at];
}

std::optional<KeyFault> key_fault(const Board& board, const KeyedChildren::Child& child,
                                  const KeySet& keys) {
  const ZobristKey from_scratch = keys.key_from_scratch(child.board);
  if (child.key == from_scratch) return std::nullopt;
  return KeyFault{position_unchecked(board), child.move, child.key, from_scratch};
}

/// Returns true if a table that stores the count of `a` under a shared key would give a wrong count
/// for `b`.
bool mistaken(const CountedPosition& a, const CountedPosition& b) {
  return (a.position != b.position || a.depth != b.depth) && a.leaves != b.leaves;
}

}  // namespace

void AuditFindings::add(const AuditFindings& other) {
  if (!key_fault) key_fault = other.key_fault;
  if (!kernel_fault) kernel_fault = other.kernel_fault;
  if (!false_match) false_match = other.false_match;
  if (!wrong_entry) wrong_entry = other.wrong_entry;
}

SubtreeAudit::SubtreeAudit(const AuditSubject& subject, const Limits& limits, std::stop_token stop)
    : subject_(subject), reference_(scalar_kernel()), limits_(limits), stop_(std::move(stop)) {}

bool SubtreeAudit::done() {
  if (recounted_ >= limits_.recounted) complete_ = false;
  return !complete_ || findings_.conclusive() || stop_.stop_requested();
}

void SubtreeAudit::recount(const Board& board, int depth) {
  if (!done()) below(board, subject_.keys.key_from_scratch(board), depth);
}

NodeCount SubtreeAudit::below(const Board& board, const ZobristKey& key, int depth) {
  ++recounted_;
  if (depth == 0) return 1;
  const NodeCount leaves = depth == 2 ? two_plies(board) : by_children(board, key, depth);
  if (!done()) compare_count(board, depth, leaves);
  return leaves;
}

NodeCount SubtreeAudit::by_children(const Board& board, const ZobristKey& key, int depth) {
  KeyedChildren& children = level(children_, depth);
  subject_.kernels.hashed.children(board, key, subject_.keys, children);
  compare_moves(board, children);
  if (depth == 1) return children.size;
  NodeCount total;
  for (const KeyedChildren::Child& next : children.all()) {
    if (!findings_.key_fault) findings_.key_fault = key_fault(board, next, subject_.keys);
    if (done()) return {};
    total += child(next.board, next.key, depth - 1);
  }
  return total;
}

NodeCount SubtreeAudit::child(const Board& board, const ZobristKey& key, int depth) {
  if (subject_.tables == nullptr) return below(board, key, depth);
  const TableSlot slot = subject_.tables->slot_of(key, depth);
  const auto known = positions_.find(slot);
  const bool taken = known != positions_.end();
  if (taken && known->second.depth == Depth(depth) && known->second.position.board() == board)
    return known->second.leaves;
  const NodeCount leaves = below(board, key, depth);
  if (done()) return {};
  const CountedPosition counted{position_unchecked(board), Depth(depth), key, leaves};
  if (taken) {
    const CountedPosition& other = positions_.at(slot);
    if (mistaken(other, counted)) findings_.false_match = {other, counted};
    return leaves;
  }
  compare_tables(counted);
  if (positions_.size() < limits_.remembered) {
    positions_.emplace(slot, counted);
  } else {
    complete_ = false;
  }
  return leaves;
}

NodeCount SubtreeAudit::two_plies(const Board& board) {
  const auto count = [&](const Kernel& kernel) {
    std::uint32_t leaves = 0;
    kernel.count_two_plies(&board, 1, &leaves);
    return NodeCount(leaves);
  };
  const NodeCount mine = count(subject_.kernels.plain);
  const NodeCount theirs = count(reference_);
  if (mine == theirs) return theirs;

  // If the generators disagree here or one ply below, they are at fault. Otherwise the counting is
  // wrong.
  compare_moves(board);
  for (const auto& [move, after] : children_by(reference_, board)) compare_moves(after);
  if (!findings_.kernel_fault) {
    findings_.kernel_fault = {position_unchecked(board),
                              Depth(2),
                              {{{std::string(subject_.kernels.plain.name), {}, {}, mine},
                                {std::string(reference_.name), {}, {}, theirs}}}};
  }
  return theirs;
}

void SubtreeAudit::compare_count(Board board, int depth, NodeCount leaves) {
  if (depth > Kernel::kMaxDepth) return;
  CountStats unused;
  const auto count = [&](const Kernel& kernel, const Board& of, int plies) {
    return NodeCount(kernel.count(of, plies, stop_, unused));
  };
  NodeCount mine = count(subject_.kernels.plain, board, depth);
  if (mine == leaves) return;
  // Descend, one ply at a time, to the smallest position with different counts.
  const auto differs_one_less = [&](const Board& at) {
    const NodeCount my_less = count(subject_.kernels.plain, at, depth - 1);
    const NodeCount their_less = count(reference_, at, depth - 1);
    if (my_less == their_less) return false;
    board = at;
    mine = my_less;
    leaves = their_less;
    return true;
  };
  const auto smaller_fault = [&] {
    const Board above = board;
    return differs_one_less(above) ||
           std::ranges::any_of(children_by(reference_, above),
                               [&](const auto& child) { return differs_one_less(child.second); });
  };
  while (depth > 1 && smaller_fault()) --depth;
  if (stop_.stop_requested()) return;
  findings_.kernel_fault = {
      position_unchecked(board),
      Depth(depth),
      {{{std::string(subject_.kernels.plain.name) + ", unhashed", {}, {}, mine},
        {std::string(reference_.name), {}, {}, leaves}}}};
}

void SubtreeAudit::compare_moves(const Board& board) {
  KeyedChildren& children = level(children_, 0);
  subject_.kernels.hashed.children(board, subject_.keys.key_from_scratch(board), subject_.keys,
                                   children);
  compare_moves(board, children);
}

void SubtreeAudit::compare_moves(const Board& board, const KeyedChildren& hashed) {
  if (findings_.kernel_fault) return;
  const Children reference = children_by(reference_, board);
  const auto compare = [&](std::string who, const Children& children) {
    if (children == reference || findings_.kernel_fault) return;
    findings_.kernel_fault = move_fault(board, {std::move(who), {}, {}, {}}, children,
                                        {std::string(reference_.name), {}, {}, {}}, reference);
  };
  compare(std::string(subject_.kernels.plain.name), children_by(subject_.kernels.plain, board));
  compare(std::string(subject_.kernels.plain.name) + ", hashed", children_by(hashed));
}

void SubtreeAudit::compare_tables(const CountedPosition& counted) {
  for (const NodeCount stored : subject_.tables->stored(counted.key, counted.depth.plies())) {
    const auto size = [](const CountedPosition& p) { return std::pair(p.depth, p.leaves); };
    if (stored != counted.leaves &&
        (!findings_.wrong_entry || size(counted) < size(findings_.wrong_entry->recounted)))
      findings_.wrong_entry = {counted, stored};
  }
}

KeyWalk::KeyWalk(const AuditSubject& subject, const AuditedPositions* suspects,
                 std::atomic<std::uint64_t>& keys_left)
    : subject_(subject), suspects_(suspects), keys_left_(keys_left) {}

bool KeyWalk::walk(const Board& board, int depth, const std::stop_token& stop) {
  seen_.clear();
  seen_.resize(static_cast<std::size_t>(depth) + 1);
  return below(board, subject_.keys.key_from_scratch(board), depth, stop);
}

bool KeyWalk::below(const Board& board, const ZobristKey& key, int depth,
                    const std::stop_token& stop) {
  if (depth < HashedKernel::kMinDepth) return true;
  if (stop.stop_requested()) return false;
  KeyedChildren& children = level(children_, depth);
  subject_.kernels.hashed.children(board, key, subject_.keys, children);
  if (!take_keys(children.size)) return false;
  auto& seen = seen_[static_cast<std::size_t>(depth) - 1];
  for (const KeyedChildren::Child& child : children.all()) {
    findings_.key_fault = key_fault(board, child, subject_.keys);
    if (suspects_ != nullptr) compare_with_suspect(child, depth - 1);
    if (findings_.conclusive()) return false;
    if (depth > HashedKernel::kMinDepth && seen.insert(fingerprint(child.board)).second &&
        !below(child.board, child.key, depth - 1, stop))
      return false;
  }
  return true;
}

void KeyWalk::compare_with_suspect(const KeyedChildren::Child& child, int depth) {
  const auto suspect = suspects_->find(subject_.tables->slot_of(child.key, depth));
  if (suspect == suspects_->end() || suspect->second.position.board() == child.board) return;
  const Position position = position_unchecked(child.board);
  const Result<NodeCount> leaves = count_nodes(position, Depth(depth));
  if (!leaves) return;
  const CountedPosition counted{position, Depth(depth), child.key, *leaves};
  if (mistaken(suspect->second, counted)) findings_.false_match = {suspect->second, counted};
}

bool KeyWalk::take_keys(std::size_t count) {
  constexpr std::uint64_t kGrant = 4096;  // large, so that walks seldom contend for the counter
  while (granted_ < count) {
    std::uint64_t left = keys_left_.load(std::memory_order_relaxed);
    std::uint64_t grant = 0;
    do {
      grant = std::min(left, kGrant);
      if (grant == 0) return false;
    } while (!keys_left_.compare_exchange_weak(left, left - grant, std::memory_order_relaxed));
    granted_ += grant;
  }
  granted_ -= count;
  keys_ += count;
  return true;
}

}  // namespace manyply
