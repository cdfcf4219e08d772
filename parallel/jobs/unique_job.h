// Counts the distinct positions of each ply exactly, and can list those of the last ply. There are
// two methods: by pairs of configurations (unique_by_pairs.h), or one by one (this file).
//
// Two positions are the same if their pieces, side to move, castling rights and possible en passant
// capture are the same, because perft depends on nothing else.
//
// The method that finds positions one by one compares whole boards. It makes a ply from all
// positions of the previous ply (the parents), which are in memory. If the new positions do not fit
// into the rest of the memory, the job makes several passes over the parents. Each pass finds one
// range of the new positions. Positions are ordered first by the pieces of the side that does not
// move in the ply. Only captures change these pieces, so a pass can skip the quiet moves of most
// parents without making them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "core/base/node_count.h"
#include "core/fen.h"
#include "core/kernel.h"
#include "parallel/jobs/workforce.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// How distinct positions are found. All methods find the same positions.
enum class UniqueMethod : std::uint8_t {
  kWhateverPays,  ///< the faster method that meets the request
  kByPairs,       ///< counts pairs of configurations, without listing positions
  kOneByOne,      ///< puts each position into a set, with its number of paths
};

/// A search for distinct positions, and how to make it.
struct UniqueSpec : TaskSpec {
  static constexpr std::uint64_t kMinMemoryBytes = std::uint64_t{1} << 20;

  /// Limit in bytes; 0 = half of the available memory. By pairs, it limits the memory of the
  /// process, which may take about a tenth more, and still more if the limit is below 200 MiB. One
  /// by one, it limits all memory that grows with the number of positions. Each thread needs about
  /// 1 MiB more.
  std::uint64_t memory_bytes = 0;
  /// kWhateverPays uses pairs if the depth is at least kMinPairDepth and the observer does not have
  /// on_position. kByPairs finds positions one by one at depths 0 and 1.
  UniqueMethod method = UniqueMethod::kWhateverPays;
  /// Stores finished parts of the last two plies. Only the method by pairs uses the store. With
  /// kOneByOne, a store is an error. With kWhateverPays, a job that finds positions one by one
  /// ignores the store. Must outlive the job.
  UnitStore* store = nullptr;
  /// The share of the last ply that the job counts. All other plies are counted whole. A share
  /// requires the method by pairs, a depth of at least kMinMatrixDepth, and no `store`. The paths
  /// of a share are counted by configurations.
  CountShare share = {};
};

/// Predicted needs of the last two plies.
struct UniquePlan {
  UniqueMethod method = UniqueMethod::kByPairs;  ///< kByPairs or kOneByOne
  int ply = 0;                                   ///< the last ply
  double positions = 0;                          ///< expected distinct positions of the last ply
  std::uint64_t memory_bytes = 0;                ///< upper bound of the memory needed
  /// By pairs: the number of parts in which the last but one ply is made. One by one: the number of
  /// passes over the last but one ply.
  std::uint64_t parts = 1;
  double seconds = 0;  ///< estimated from the speed of the plies so far; 0 = unknown
};

/// The result for one ply.
struct UniquePly {
  int ply = 0;
  std::uint64_t distinct = 0;
  NodeCount paths;           ///< number of paths to these positions; without a share, perft(ply)
  std::uint64_t passes = 1;  ///< passes over the previous ply; by pairs: number of parts
  double seconds = 0;
};

/// Callbacks of a job. All are called on the thread that called find_unique().
struct UniqueObserver {
  /// Called before ply 1 and each later ply. If the method by pairs divides the last two plies into
  /// parts, these plies have only one call, with the number of the last ply. Returns the progress
  /// to use for the ply, or null. Numbers in this progress:
  ///   - `visited`, one by one: the parents, each counted once per pass
  ///   - `leaves`, one by one: the children that were looked up
  ///   - `leaves`, by pairs: the distinct positions found up to now
  std::function<Progress*(int ply)> on_start = {};
  /// Called before the last two plies, which take nearly all of the time. A returned error ends the
  /// job.
  std::function<std::optional<Error>(const UniquePlan&)> on_plan = {};
  /// Called after each ply, including ply 0. A returned error ends the job.
  std::function<std::optional<Error>(const UniquePly&)> on_ply = {};
  /// Called for each position of the last ply, before the last call of on_ply. The order depends
  /// only on the positions. The method by pairs never calls it. A returned error ends the job.
  std::function<std::optional<Error>(const Position&, std::uint64_t paths)> on_position = {};
};

/// Finds the distinct positions of each ply up to spec.depth and blocks until done. Returns nullopt
/// if all plies were reported. Throws nothing. Any thread may call it. The caller must not hold a
/// lock. Returns the errors of run_job(), and these:
///   - kUnavailable with field "memory": the memory is insufficient.
///   - kInvalidInput with field "memory": the limit is below UniqueSpec::kMinMemoryBytes.
///   - kOverflow: the number of paths to one position exceeds 64 bits.
///   - kInvalidInput with field "checkpoint": there is a store, but the method is kOneByOne.
///   - kUnavailable with field "method": the paths of a share do not fit into memory.
std::optional<Error> find_unique(const UniqueSpec& spec, const UniqueObserver& observer,
                                 const std::stop_token& stop);

}  // namespace manyply
