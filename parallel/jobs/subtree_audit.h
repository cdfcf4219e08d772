// Slow walks over subtrees that check the parts on which counting relies: keys, tables and move
// generators.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/position.h"
#include "hash/fingerprint.h"
#include "parallel/jobs/job_tables.h"

namespace manyply {

/// A move for which the incremental key differs from key_from_scratch() of the resulting position.
struct KeyFault {
  Position position;
  Move move;
  ZobristKey incremental;
  ZobristKey from_scratch;
};

/// A position, the depth it was counted at, and its count.
struct CountedPosition {
  Position position;
  Depth depth;
  ZobristKey key;
  NodeCount leaves;
};

/// Two different positions with different counts that a table cannot distinguish.
using FalseMatch = std::array<CountedPosition, 2>;

/// A wrong count in a table for which no other position with the same key was found.
struct WrongEntry {
  CountedPosition recounted;
  NodeCount stored;
};

/// A position about which two generators or kernels disagree.
struct KernelFault {
  struct Opinion {
    std::string who;                ///< name of the kernel or generator
    std::vector<Move> moves;        ///< moves that only this one makes or that it makes differently
    std::optional<Position> after;  ///< result of the one move in `moves`, if both generate it
    NodeCount leaves;               ///< count at `depth`, if both agree on the moves
  };
  Position position;
  Depth depth;
  std::array<Opinion, 2> opinions;
};

/// The first fault of each kind that an audit found. For wrong entries, the one at the smallest
/// depth.
struct AuditFindings {
  std::optional<KeyFault> key_fault;
  std::optional<KernelFault> kernel_fault;
  std::optional<FalseMatch> false_match;
  std::optional<WrongEntry> wrong_entry;

  /// True if the search may end. A wrong entry is not conclusive, because a false match may have
  /// caused it.
  [[nodiscard]] bool conclusive() const { return key_fault || kernel_fault || false_match; }
  [[nodiscard]] bool any() const { return conclusive() || wrong_entry; }
  void add(const AuditFindings& other);
};

/// The kernels, keys and tables to audit. `keys` belong to `tables` unless that is null.
struct AuditSubject {
  KernelPair kernels;
  const KeySet& keys;
  JobTables* tables = nullptr;
};

struct TableSlotHash {
  std::size_t operator()(const TableSlot& slot) const {
    const std::uint64_t mixed = (slot.compared.low + static_cast<std::uint64_t>(slot.table)) ^
                                slot.compared.high * 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(mixed * 0xd6e8feb86659fd93 >> 16);
  }
};

/// Recounted positions by the table slot that would hold their counts.
using AuditedPositions = std::unordered_map<TableSlot, CountedPosition, TableSlotHash>;

/// Recounts subtrees without tables. At each position it compares incremental keys with keys from
/// scratch, the kernel with the scalar reference, and table entries with the recount. It remembers
/// positions by slot, so it detects a second position with the same slot at once. For one thread
/// only, and only while no job counts with the tables.
class SubtreeAudit {
 public:
  struct Limits {
    std::uint64_t remembered = 4'000'000;  ///< most positions in memory, about 250 bytes each
    std::uint64_t recounted = 20'000'000;  ///< most positions visited, some microseconds each
  };

  SubtreeAudit(const AuditSubject& subject, const Limits& limits, std::stop_token stop);

  /// Audits all positions up to `depth` >= 0 plies below `board`, except `board` itself, which no
  /// table stores. Ends early after a conclusive finding, at a limit, or after a stop request.
  void recount(const Board& board, int depth);

  /// Compares the generators at one position only.
  void compare_moves(const Board& board);

  [[nodiscard]] const AuditFindings& findings() const { return findings_; }
  [[nodiscard]] const AuditedPositions& positions() const { return positions_; }
  [[nodiscard]] std::uint64_t recounted() const { return recounted_; }
  /// Returns false if a limit ended the audit early.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  NodeCount below(const Board& board, const ZobristKey& key, int depth);
  NodeCount by_children(const Board& board, const ZobristKey& key, int depth);
  NodeCount child(const Board& board, const ZobristKey& key, int depth);
  NodeCount two_plies(const Board& board);
  void compare_count(Board board, int depth, NodeCount leaves);
  void compare_moves(const Board& board, const KeyedChildren& hashed);
  void compare_tables(const CountedPosition& counted);
  [[nodiscard]] bool done();

  const AuditSubject subject_;
  const Kernel& reference_;
  const Limits limits_;
  const std::stop_token stop_;
  AuditFindings findings_;
  AuditedPositions positions_;
  std::vector<std::unique_ptr<KeyedChildren>> children_;  // one per depth, 64 KiB each
  std::uint64_t recounted_ = 0;
  bool complete_ = true;
};

/// Walks subtrees and compares incremental keys with keys from scratch. With `suspects`, also looks
/// for positions that share a slot with a suspect. One thread only; several walks may share
/// `suspects` and `keys_left`.
class KeyWalk {
 public:
  /// `suspects` may be null; otherwise the subject must have tables. `keys_left` is the number of
  /// keys that all walks together may still compute. The walk ends when it reaches 0.
  KeyWalk(const AuditSubject& subject, const AuditedPositions* suspects,
          std::atomic<std::uint64_t>& keys_left);

  /// Visits every key that counting `board` at `depth` plies computes. Returns false if it ended
  /// early: at the limit, after a conclusive finding or after `stop`.
  bool walk(const Board& board, int depth, const std::stop_token& stop);

  [[nodiscard]] const AuditFindings& findings() const { return findings_; }
  [[nodiscard]] std::uint64_t keys() const { return keys_; }

 private:
  bool below(const Board& board, const ZobristKey& key, int depth, const std::stop_token& stop);
  void compare_with_suspect(const KeyedChildren::Child& child, int depth);
  bool take_keys(std::size_t count);

  const AuditSubject subject_;
  const AuditedPositions* suspects_;
  std::atomic<std::uint64_t>& keys_left_;  // relaxed: it orders no other memory accesses
  AuditFindings findings_;
  std::vector<std::unique_ptr<KeyedChildren>> children_;
  struct LowHalf {
    std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
  };
  std::vector<std::unordered_set<Hash128, LowHalf>> seen_;  // fingerprints of positions, by depth
  std::uint64_t keys_ = 0;
  std::uint64_t granted_ = 0;  // taken from keys_left_ but not used yet
};

}  // namespace manyply
