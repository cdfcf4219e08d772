#include "parallel/packed_split.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace manyply {
namespace {

void merge(std::vector<ReachedPosition>& positions) {
  std::ranges::sort(positions, {}, &ReachedPosition::board);
  std::size_t size = 0;
  for (const ReachedPosition& position : positions) {
    if (size > 0 && positions[size - 1].board == position.board) {
      positions[size - 1].paths += position.paths;
    } else {
      positions[size++] = position;
    }
  }
  positions.resize(size);
}

}  // namespace

std::size_t PackedSplit::group_of(std::uint64_t unit) const {
  const auto above = std::ranges::upper_bound(groups_, unit, {}, &Group::first);
  return static_cast<std::size_t>(above - groups_.begin()) - 1;
}

class PackedSplitter {
 public:
  static Result<PackedSplit> split(const Position& root, int ply, const Kernel& kernel,
                                   std::uint64_t most_units, const std::stop_token& stop) {
    PackedSplit split;
    split.ply_ = ply;
    Color side = root.board().side_to_move;
    std::vector<ReachedPosition> positions{{PackedBoard::of(root.board()), 1}};
    for (int made = 0; made < ply; ++made, side = ~side) {
      std::vector<ReachedPosition> children;
      for (const ReachedPosition& position : positions) {
        if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "", 0, "cancelled"};
        const Board board = position.board.unpack(side);
        MoveList moves;
        kernel.generate(board, moves);
        for (const Move move : moves)
          children.push_back({PackedBoard::of(kernel.make_unchecked(board, move)), position.paths});
      }
      split.generated_ += children.size();
      merge(children);
      positions = std::move(children);
      if (positions.size() > most_units)
        return Error{ErrorCode::kUnavailable, "units", 0, "there are too many"};
    }
    split.side_to_move_ = side;
    if (positions.empty()) return split;
    const auto waiting = [side](const ReachedPosition& position) {
      return position.board.unpack(side).of(~side);
    };
    std::ranges::sort(positions, {}, [&](const ReachedPosition& position) {
      return std::tuple(waiting(position), position.board);
    });
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i == 0 || waiting(positions[i]) != waiting(positions[i - 1]))
        split.groups_.push_back({i, i});
    }
    split.size_ = positions.size();
    auto memory = TableMemory::allocate(positions.size() * sizeof(ReachedPosition));
    if (!memory) return memory.error();
    split.memory_ = std::move(memory).value();
    std::memcpy(split.memory_.data(), positions.data(), positions.size() * sizeof(positions[0]));
    return split;
  }
};

Result<PackedSplit> split_packed(const Position& root, int ply, const Kernel& kernel,
                                 const Workers& /*workers*/, std::uint64_t most_units,
                                 const std::stop_token& stop) {
  return PackedSplitter::split(root, ply, kernel, most_units, stop);
}

}  // namespace manyply
