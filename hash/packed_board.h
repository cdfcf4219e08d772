// Packs boards into 32 bytes, and stores distinct packed boards with the number of paths to each.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/memory.h"
#include "core/board.h"
#include "hash/stripe_locks.h"

namespace manyply {

/// A board without its side to move, as four planes. Bit s of plane i is bit i of the code of
/// square s. Code 0 is an empty square.
///   bits 0 to 2   1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king, 7 rook that may castle
///   bit 3         black; if bits 0 to 2 are zero: the pawn that may be captured en passant
struct PackedBoard {
  std::array<Bitboard, 4> planes{};
  friend constexpr auto operator<=>(const PackedBoard&, const PackedBoard&) = default;

  static constexpr PackedBoard of(const Board& board) {
    const auto& [white, black] = board.pieces;
    const Bitboard diagonal = white.bishops_queens | black.bishops_queens;
    const Bitboard orthogonal = white.rooks_queens | black.rooks_queens;
    const Bitboard kings = white.king | black.king;
    const Bitboard passed =
        board.side_to_move == Color::kWhite ? board.en_passant >> 8 : board.en_passant << 8;
    return {{((white.pawns | black.pawns) & ~passed) | diagonal | board.castling,
             white.knights | black.knights | (diagonal & ~orthogonal) | kings | board.castling,
             orthogonal | kings, black.all() | passed}};
  }

  /// Returns the board. Precondition: `side_to_move` is the side to move of the board that was
  /// packed.
  [[nodiscard]] constexpr Board unpack(Color side_to_move) const {
    const auto [p0, p1, p2, p3] = planes;
    const Bitboard passed = p3 & ~(p0 | p1 | p2);
    const Bitboard castling = p0 & p1 & p2;
    const Bitboard queens = p0 & ~p1 & p2;
    const Bitboard rooks = (~p0 & ~p1 & p2) | castling;
    const Bitboard bishops = p0 & p1 & ~p2;
    Board board;
    for (const Color color : {Color::kWhite, Color::kBlack}) {
      const Bitboard own = color == Color::kWhite ? ~p3 : p3;
      Pieces& pieces = board.of(color);
      pieces.pawns = (p0 & ~p1 & ~p2 & own) | (color != side_to_move ? passed : 0);
      pieces.knights = ~p0 & p1 & ~p2 & own;
      pieces.bishops_queens = (bishops | queens) & own;
      pieces.rooks_queens = (rooks | queens) & own;
      pieces.king = ~p0 & p1 & p2 & own;
    }
    board.castling = castling;
    board.en_passant = side_to_move == Color::kWhite ? passed << 8 : passed >> 8;
    board.side_to_move = side_to_move;
    return board;
  }
};
static_assert(sizeof(PackedBoard) == 32);

/// A position of one ply, and the number of paths to it.
struct ReachedPosition {
  PackedBoard board;
  std::uint64_t paths = 0;
};
static_assert(sizeof(ReachedPosition) == 40);

// A set of positions with the number of paths to each. It compares whole boards, so false matches
// are impossible.

/// The set uses open addressing in memory of fixed size. The memory is divided into shards of equal
/// size. Each shard has one lock. Callers pass a hash of the board as `place`. This hash selects
/// the slot where the search begins.
///
/// Any thread may call insert() and prefetch(). The functions size_of(), gather(), clear() and
/// sample() must not run during insert(). Two threads may call these four functions at the same
/// time only for different shards; sample() uses all shards.
class PositionSet {
 public:
  enum class Inserted { kYes, kFull, kOverflow };

  /// The largest fraction of a shard's slots that may be in use. If 0.9 of the slots are in use,
  /// insert() examines about 50 slots before it finds a free slot for a new position. If 0.75 of
  /// the slots are in use, it examines about eight slots.
  static constexpr double kMaxLoad = 0.9;
  /// The fraction of all slots that the caller should plan to use. It is smaller than kMaxLoad,
  /// because the shards do not fill equally. If shards have 4096 slots, the standard deviation of a
  /// shard's load is about 1.4 % of its slots.
  static constexpr double kPlannedLoad = 0.75;
  static constexpr std::uint64_t kMinBytes = std::uint64_t{1} << 16;

  /// Precondition: `memory` is zero and has at least kMinBytes.
  explicit PositionSet(TableMemory memory)
      : memory_(std::move(memory)),
        slots_(static_cast<ReachedPosition*>(memory_.data())),
        shard_bits_(bits_for(memory_.bytes() / sizeof(ReachedPosition))),
        shard_slots_((memory_.bytes() / sizeof(ReachedPosition)) >> shard_bits_),
        most_in_shard_(static_cast<std::uint64_t>(static_cast<double>(shard_slots_) * kMaxLoad)),
        sizes_(shards()),
        locks_(shards()) {}

  [[nodiscard]] std::size_t shards() const { return std::size_t{1} << shard_bits_; }
  [[nodiscard]] std::uint64_t slots() const { return shard_slots_ << shard_bits_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_.bytes(); }

  /// Prefetches the memory that insert() will access first.
  void prefetch(std::uint64_t place) const {
    const ReachedPosition* const slot = &slots_[slot_of(place)];
    __builtin_prefetch(slot, 1);
    __builtin_prefetch(slot + 1, 1);
    __builtin_prefetch(slot + 3, 1);
  }

  /// Adds `paths` to the paths of `board`. Precondition: `paths` > 0. Returns kFull if the board is
  /// new and its shard is full. Returns kOverflow if the board's paths exceed 64 bits; the shard is
  /// then unusable until clear().
  [[nodiscard]] Inserted insert(std::uint64_t place, const PackedBoard& board,
                                std::uint64_t paths) {
    const std::size_t shard = shard_of(place);
    ReachedPosition* const first = slots_ + shard * shard_slots_;
    ReachedPosition* slot = slots_ + slot_of(place);
    const StripeLocks::Guard guard(locks_, shard);
    while (slot->paths != 0) {
      if (slot->board == board) {
        const bool overflow = __builtin_add_overflow(slot->paths, paths, &slot->paths);
        return overflow ? Inserted::kOverflow : Inserted::kYes;
      }
      if (++slot == first + shard_slots_) slot = first;
    }
    if (sizes_[shard] == most_in_shard_) return Inserted::kFull;
    ++sizes_[shard];
    *slot = {board, paths};
    return Inserted::kYes;
  }

  [[nodiscard]] std::uint64_t size_of(std::size_t shard) const { return sizes_[shard]; }

  /// Moves the positions of a shard to the beginning of the shard, in the order of their slots.
  /// Returns the positions. Do not insert into the shard again before calling clear().
  [[nodiscard]] std::span<ReachedPosition> gather(std::size_t shard) {
    ReachedPosition* const first = slots_ + shard * shard_slots_;
    return {first, std::remove_if(first, first + shard_slots_, is_free)};
  }

  void clear(std::size_t shard) {
    std::fill_n(slots_ + shard * shard_slots_, shard_slots_, ReachedPosition{});
    sizes_[shard] = 0;
  }

  /// Returns a sample of the positions, from evenly spaced slots. Examines at least `wanted` slots,
  /// or all slots if the set has fewer than `wanted` slots. Precondition: wanted > 0.
  [[nodiscard]] std::vector<PackedBoard> sample(std::uint64_t wanted) const {
    std::vector<PackedBoard> boards;
    const std::uint64_t step = std::max<std::uint64_t>(1, slots() / wanted);
    for (std::uint64_t at = 0; at < slots(); at += step) {
      if (!is_free(slots_[at])) boards.push_back(slots_[at].board);
    }
    return boards;
  }

 private:
  static bool is_free(const ReachedPosition& slot) { return slot.paths == 0; }

  /// Returns log2 of the number of shards of a set with `slots` slots. There are at most 4096
  /// shards. If there is more than one, each has at least 4096 slots.
  static int bits_for(std::uint64_t slots) {
    int bits = 0;
    while (bits < 12 && (slots >> (bits + 1)) >= 4096) ++bits;
    return bits;
  }
  [[nodiscard]] std::size_t shard_of(std::uint64_t place) const {
    return shard_bits_ == 0 ? 0 : static_cast<std::size_t>(place >> (64 - shard_bits_));
  }
  [[nodiscard]] std::uint64_t slot_of(std::uint64_t place) const {  // a slot of shard_of(place)
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(place) * slots()) >> 64);
  }

  TableMemory memory_;
  ReachedPosition* slots_;
  int shard_bits_;
  std::uint64_t shard_slots_;
  std::uint64_t most_in_shard_;
  std::vector<std::uint64_t> sizes_;  // indexed by shard; the shard's lock guards each element
  StripeLocks locks_;
};

}  // namespace manyply
