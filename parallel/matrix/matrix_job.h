// A count by configurations. All plies except the last two are played as a matrix. The last two are
// counted by the two-ply kernel or in lanes of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/counting.h"
#include "core/kernel.h"
#include "core/position.h"
#include "parallel/jobs/workforce.h"
#include "parallel/units/unit_store.h"

namespace manyply {

class LastPliesDevice;

/// What a count has used of a device (last_plies_device.h).
struct DeviceUse {
  std::string name;
  std::string driver;       ///< version of the driver
  std::uint64_t bytes = 0;  ///< largest amount of its memory that was in use
  double seconds = 0;       ///< time that kernels have run on it
  std::vector<std::pair<std::string, double>> kernels = {};  ///< seconds of each kernel
};

/// Statistics of a count by configurations.
struct MatrixReport {
  std::uint64_t rows = 0;  ///< of the last matrix: configurations of the side that has just moved
  std::uint64_t columns = 0;       ///< of the last matrix: configurations of the other side
  std::uint64_t kernel_pairs = 0;  ///< positions that the two-ply kernel counted
  std::uint64_t lane_pairs = 0;    ///< positions one ply deeper, counted in lanes of bytes
  std::uint64_t bytes = 0;         ///< largest size of all matrices together
  std::uint64_t parts = 1;         ///< number of parts, counted one after the other
  // If a store keeps the count:
  std::uint64_t stored_parts = 0;   ///< number of parts in the stored plan
  std::uint64_t resumed_parts = 0;  ///< number of stored parts that an earlier run has counted
  double resumed_leaves = 0;
  std::optional<DeviceUse> device = {};  ///< if a device has counted the last two plies
};

/// The expected cost of a count in parts.
struct PartsPlan {
  std::size_t parts = 0;      ///< a minimum, because a part that turns out too large is split
  std::uint64_t resumed = 0;  ///< number of parts that an earlier run has counted
  std::uint64_t bytes = 0;    ///< largest expected size of all matrices
  double seconds = 0;
};

struct MatrixCount {
  NodeCount nodes;
  std::vector<DivideEntry> divide;  ///< in legal_moves() order, if requested
  MatrixReport report;
};

/// The smallest depth that can be counted by configurations.
inline constexpr int kMinMatrixDepth = 3;

/// A share of a count: some rows of the last ply. In a count of paths, these are every `of`-th chunk
/// of rows, beginning with chunk `number`. In a count of distinct positions, the pieces of a row
/// decide. The counts of all shares add up to the whole count, and so do their divides.
struct CountShare {
  std::size_t number = 0;
  std::size_t of = 1;
};

/// Why a count by configurations was not completed.
struct WhyNotCounted {
  std::string reason = {};
  bool memory_helps = false;  ///< true if the count can be completed with more memory
};

/// Bytes of a process besides its matrices: code, threads, small objects.
inline constexpr std::uint64_t kProcessBytes = std::uint64_t{16} << 20;

/// Returns the bytes that matrices may take in a process of `process_bytes`; if that is 0, half of
/// the available memory.
[[nodiscard]] std::uint64_t matrix_bytes(std::uint64_t process_bytes);

struct MatrixSpec {
  /// How the last two plies are counted.
  enum class LastPlies : std::uint8_t {
    kWhateverPays,
    kByKernel,
    kInLanes,  ///< in lanes of bytes where possible, if the kernel has lanes
  };
  const Position& root;
  int depth;
  std::uint64_t most_bytes;
  LastPlies last_plies = LastPlies::kWhateverPays;
  bool divide = false;
  CountShare share = {};  ///< a share is not counted in parts
  /// The number of parts to count in; fewer if the count cannot be divided into that many. 0 = as
  /// few as memory allows. In a divide, the number of parts of the count below each root move.
  std::size_t parts = 0;
  /// Number of plies of a part's cone (matrix_cone.h), at most the number that exists; nullopt =
  /// the smallest number for which the base fits into memory.
  std::optional<int> cone_plies = {};
  std::function<void(const PartsPlan&)> on_plan = {};  ///< called before parts are counted
  /// Stores the sum of each part. The count is then made in parts even if memory can hold it whole.
  /// The stored sums can be used with any memory, threads and kernel. Not for a divide. Must
  /// outlive the count.
  UnitStore* store = nullptr;
  std::string name = {};  ///< name of the count for users of the store, such as "perft(12) of FEN"
  /// Counts the last two plies, except in a share and in a divide of depth kMinMatrixDepth. A
  /// divide is then counted below each root move. Must outlive the count. Its errors are
  /// kUnavailable, field "device".
  LastPliesDevice* device = nullptr;
  WhyNotCounted* why_not = nullptr;  ///< if given, receives why the count was not completed
};

/// Returns perft(root, depth), depth >= kMinMatrixDepth. Uses no hash table and compares whole
/// positions, so no false match is possible. If the matrices exceed `spec.most_bytes`, counts in
/// parts; a divide then counts below each root move.
///
/// Returns nullopt if the count cannot be completed: a part is too large, or 2^31 or more paths
/// lead to one position. This may become known only during the count. Errors: kCancelled after
/// `by.stop()`; those of the store. kOverflow and kUnavailable are thrown as exceptions
/// (unit_runner.h). Starts the progress of `by`.
Result<std::optional<MatrixCount>> count_by_configurations(const MatrixSpec& spec,
                                                           const Workforce& by);

}  // namespace manyply
