// Slow walks over subtrees that compare what counting takes for granted: keys, tables, generators.
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

/// A move whose incremental key is not the key from scratch of the position it leads to.
struct KeyFault {
  Position position;
  Move move;
  ZobristKey incremental;
  ZobristKey from_scratch;
};

/// A position, how deep it was counted, and what came of it.
struct CountedPosition {
  Position position;
  Depth depth;
  ZobristKey key;
  NodeCount leaves;
};

/// Two different positions that a table takes for one, with different counts.
using FalseMatch = std::array<CountedPosition, 2>;

/// A count in a table that is not the position's; no other position was found to have its key.
struct WrongEntry {
  CountedPosition recounted;
  NodeCount stored;
};

/// Two generators or kernels that disagree about a position.
struct KernelFault {
  struct Opinion {
    std::string who;
    std::vector<Move> moves;        ///< only this one has these, or takes them elsewhere
    std::optional<Position> after;  ///< where the one move in `moves` leads, if both have it
    NodeCount leaves;               ///< at `depth`, if they agree about the moves
  };
  Position position;
  Depth depth;
  std::array<Opinion, 2> opinions;
};

/// The first fault of each kind that an audit met; of wrong entries, the shallowest.
struct AuditFindings {
  std::optional<KeyFault> key_fault;
  std::optional<KernelFault> kernel_fault;
  std::optional<FalseMatch> false_match;
  std::optional<WrongEntry> wrong_entry;

  /// True when no more need be looked for: a wrong entry may still be the work of a false match.
  [[nodiscard]] bool conclusive() const { return key_fault || kernel_fault || false_match; }
  [[nodiscard]] bool any() const { return conclusive() || wrong_entry; }
  void add(const AuditFindings& other);
};

/// What was counted with. `keys` are the tables' own if there are tables.
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

/// Positions by the slot that a table would keep their counts in.
using AuditedPositions = std::unordered_map<TableSlot, CountedPosition, TableSlotHash>;

/// Recounts subtrees without tables. At each position it compares incremental keys with keys from
/// scratch, the kernel with another one, and what tables hold with the recount; positions it
/// remembers, so that a second one with a slot already taken is found at once. For one thread,
/// while nobody counts.
class SubtreeAudit {
 public:
  struct Limits {
    std::uint64_t remembered = 4'000'000;  ///< positions kept in memory, some 250 bytes each
    std::uint64_t recounted = 20'000'000;  ///< positions looked at, some microseconds each
  };

  SubtreeAudit(const AuditSubject& subject, const Limits& limits, std::stop_token stop);

  /// Audits everything `depth` >= 0 plies below `board`, which itself no table keeps. Ends early at
  /// a conclusive finding, at a limit, or when stopped.
  void recount(const Board& board, int depth);

  /// Compares the generators at one position.
  void compare_moves(const Board& board);

  [[nodiscard]] const AuditFindings& findings() const { return findings_; }
  [[nodiscard]] const AuditedPositions& positions() const { return positions_; }
  [[nodiscard]] std::uint64_t recounted() const { return recounted_; }
  /// False once a limit cut something off.
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
  std::vector<std::unique_ptr<KeyedChildren>> children_;  // one a depth; 64 KiB each
  std::uint64_t recounted_ = 0;
  bool complete_ = true;
};

/// Walks subtrees comparing incremental keys with keys from scratch, and looking for positions
/// whose slot belongs to another position among `suspects`. For one thread; several walks may share
/// `suspects` and `keys_left`.
class KeyWalk {
 public:
  /// `suspects` may be null; with suspects there must be tables. `keys_left` is taken from, and
  /// ends the walk at zero.
  KeyWalk(const AuditSubject& subject, const AuditedPositions* suspects,
          std::atomic<std::uint64_t>& keys_left);

  /// Looks at every key that counting `board` at `depth` plies computes. False if a limit, a
  /// conclusive finding or `stop` ended it before.
  bool walk(const Board& board, int depth, const std::stop_token& stop);

  [[nodiscard]] const AuditFindings& findings() const { return findings_; }
  [[nodiscard]] std::uint64_t keys() const { return keys_; }

 private:
  bool below(const Board& board, const ZobristKey& key, int depth, const std::stop_token& stop);
  void compare_with_suspect(const KeyedChildren::Child& child, int depth);
  bool take_keys(std::size_t count);

  const AuditSubject subject_;
  const AuditedPositions* suspects_;
  std::atomic<std::uint64_t>& keys_left_;  // relaxed: a budget, publishes nothing
  AuditFindings findings_;
  std::vector<std::unique_ptr<KeyedChildren>> children_;
  struct LowHalf {
    std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
  };
  std::vector<std::unordered_set<Hash128, LowHalf>> seen_;  // by depth: fingerprints
  std::uint64_t keys_ = 0;
  std::uint64_t granted_ = 0;  // of keys_left, not used yet
};

}  // namespace manyply
