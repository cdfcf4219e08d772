// A count by configurations: the plies but two as a matrix, the last two by the two-ply kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/counting.h"
#include "core/kernel.h"
#include "core/position.h"
#include "parallel/jobs/workforce.h"
#include "parallel/units/unit_store.h"

namespace manyply {

/// What a count by configurations was made of.
struct MatrixReport {
  std::uint64_t rows = 0;          ///< of the last matrix: configurations of the side that made it
  std::uint64_t columns = 0;       ///< of the other side
  std::uint64_t kernel_pairs = 0;  ///< positions that the two-ply kernel counted
  std::uint64_t lane_pairs = 0;    ///< positions, a ply deeper, whose moves lanes of bytes counted
  std::uint64_t bytes = 0;         ///< of all matrices, at most
  std::uint64_t parts = 1;         ///< one after the other
  // If a store keeps the count:
  std::uint64_t stored_parts = 0;   ///< that it was planned in
  std::uint64_t resumed_parts = 0;  ///< of these, those that an earlier run has counted
  double resumed_leaves = 0;
};

/// What a count in parts is expected to take.
struct PartsPlan {
  std::size_t parts = 0;      ///< at least: one that turns out too large is split
  std::uint64_t resumed = 0;  ///< of these, those that an earlier run has counted
  std::uint64_t bytes = 0;    ///< at most
  double seconds = 0;
};

struct MatrixCount {
  NodeCount nodes;
  std::vector<DivideEntry> divide;  ///< in legal_moves() order, if it was wanted
  MatrixReport report;
};

/// Least depth that is counted so.
inline constexpr int kMinMatrixDepth = 3;

/// Every `of`-th chunk of the rows of the last ply, from `number` on. The counts of all shares, and
/// their divides, add up to the whole count.
struct CountShare {
  std::size_t number = 0;
  std::size_t of = 1;
};

/// Why a count by configurations was given up.
struct WhyNotCounted {
  std::string reason = {};
  bool memory_helps = false;  ///< with more memory it can be made
};

struct MatrixSpec {
  /// How the last two plies are counted.
  enum class LastPlies : std::uint8_t {
    kWhateverPays,
    kByKernel,
    kInLanes,  ///< as far as they can be; if the kernel has lanes
  };
  const Position& root;
  int depth;
  std::uint64_t most_bytes;
  LastPlies last_plies = LastPlies::kWhateverPays;
  bool divide = false;
  CountShare share = {};  ///< a share is not counted in parts
  /// Counts in this number of parts, or fewer if it has not so many; 0 = as few as memory allows.
  /// For a divide, the parts of the count below each root move.
  std::size_t parts = 0;
  /// Plies of a part's cone (matrix_cone.h), as far as there are so many; none = the fewest whose
  /// base fits.
  std::optional<int> cone_plies = {};
  std::function<void(const PartsPlan&)> on_plan = {};  ///< called before parts are counted
  /// Keeps the sum of each part, so the count is made in parts even if memory holds it whole. What
  /// it keeps serves any memory, threads and kernel. Not for a divide; must outlive the count.
  UnitStore* store = nullptr;
  std::string name = {};             ///< of the count, for users of the store: "perft(12) of FEN"
  WhyNotCounted* why_not = nullptr;  ///< if given, receives why the count was given up
};

/// perft(root, depth), depth >= kMinMatrixDepth, without a table: positions are compared whole, so
/// no false match is possible. Matrices beyond `spec.most_bytes` are made in parts; a divide then
/// counts below each root move. Nothing if it cannot be ended so, which is found out on the way:
/// parts that are too large, 2^31 or more paths to one position. Errors: kCancelled after
/// `by.stop()`; those of
/// the store; kOverflow and kUnavailable are thrown as exceptions (unit_runner.h). Its progress is
/// started here.
Result<std::optional<MatrixCount>> count_by_configurations(const MatrixSpec& spec,
                                                           const Workforce& by);

}  // namespace manyply
