// The distinct positions of each ply, exactly, in one of two ways: by pairs of configurations
// (pair_job.h), or one by one, as here.
//
// Positions are the same if pieces, side to move, castling rights and a possible en passant capture
// are: what perft depends on. One by one, whole boards are compared. A ply's positions are the
// children of the ply before, which is kept in memory or in a temporary file. What does not fit the
// memory is found in passes over it, each for one range of positions. They are ordered by the
// pieces that wait while the others move, which only captures change: a pass need not make the
// quiet moves of most parents to know that they lead elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/fen.h"
#include "core/kernel.h"
#include "core/node_count.h"
#include "parallel/jobs/workforce.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// How distinct positions are found. All ways find the same.
enum class UniqueMethod : std::uint8_t {
  kWhateverPays,
  kByPairs,   ///< of configurations: counted, and never written down
  kOneByOne,  ///< each in a set, with its paths
};

struct UniqueSpec : TaskSpec {
  static constexpr std::uint64_t kMinMemoryBytes = std::uint64_t{1} << 20;

  /// All that grows with the number of positions; 0 = half of what is available. A thread takes a
  /// MiB beside it.
  std::uint64_t memory_bytes = 0;
  std::string temp_dir = {};  ///< used beyond that
  /// Of all that lies there at one time: the positions of one ply, and those of the next as they
  /// are found.
  std::uint64_t most_file_bytes = UINT64_MAX;
  /// Whatever pays is by pairs from a certain depth on, where the observer wants no positions and
  /// memory allows it.
  UniqueMethod method = UniqueMethod::kWhateverPays;
  /// Keeps what is finished of the last two plies, by pairs; must outlive the job. Of positions
  /// that are found one by one it keeps nothing.
  UnitStore* store = nullptr;
};

/// What the last two plies will take, expected.
struct UniquePlan {
  UniqueMethod method = UniqueMethod::kByPairs;  ///< which of the two ways it is
  int ply = 0;                                   ///< the last
  double positions = 0;                          ///< of it
  std::uint64_t memory_bytes = 0;                ///< at most
  /// By pairs, the ply before is made in so many, one after the other; else passes over it.
  std::uint64_t parts = 1;
  std::uint64_t file_bytes = 0;  ///< at one time, where positions are found one by one
  double seconds = 0;            ///< at the pace of the plies so far; 0 = not known
};

struct UniquePly {
  int ply = 0;
  std::uint64_t distinct = 0;
  NodeCount paths;               ///< sum over the distinct positions, found one by one: perft(ply)
  std::uint64_t passes = 1;      ///< over the ply before; by pairs, the parts it was made in
  std::uint64_t file_bytes = 0;  ///< this ply's positions in a temporary file
  double seconds = 0;
};

/// What the caller hears, all on the calling thread.
struct UniqueObserver {
  /// Before each ply from 1: where it shall report its progress, or null. Parents are visited, as
  /// often as there are passes; leaves are children looked up.
  std::function<Progress*(int ply)> on_start = {};
  /// By pairs they would take too much memory, says the error, so they are found one by one, from
  /// the start; plies that have been told are not told again. An error ends the job.
  std::function<std::optional<Error>(const Error& not_by_pairs)> on_fallback = {};
  /// Before the last two plies begin, which are nearly all of it. An error ends the job.
  std::function<std::optional<Error>(const UniquePlan&)> on_plan = {};
  /// After each ply, 0 among them. An error ends the job.
  std::function<std::optional<Error>(const UniquePly&)> on_ply = {};
  /// The positions of the last ply, before its on_ply, in an order of their own: nothing else
  /// decides it. An error ends the job.
  std::function<std::optional<Error>(const Position&, std::uint64_t paths)> on_position = {};
};

/// Nothing if all plies up to spec.depth were reported, else why not: errors as run_job's, and
/// kUnavailable for more memory than there is (field "memory") and for a temporary directory that
/// cannot be written to, is full or would hold too much ("temporary file"), kOverflow when more
/// than 64 bits of paths lead to one position; kInvalidInput ("checkpoint") for a store where
/// positions shall be found one by one. Throws nothing. Any thread; hold no lock.
std::optional<Error> find_unique(const UniqueSpec& spec, const UniqueObserver& observer,
                                 const std::stop_token& stop);

}  // namespace manyply
