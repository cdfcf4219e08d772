// A count by configurations. It plays all plies except the last two as a matrix. The two-ply
// kernel, lanes of bytes or a device count the last two plies.
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

/// The use of a device by a count (last_plies_device.h).
struct DeviceUse {
  std::string name;
  std::string driver;       ///< version of the driver
  std::uint64_t bytes = 0;  ///< largest amount of device memory in use
  double seconds = 0;       ///< time that OpenCL kernels ran on the device
  std::vector<std::pair<std::string, double>> kernels = {};  ///< seconds of each OpenCL kernel
};

/// Statistics of a count by configurations.
struct MatrixReport {
  std::uint64_t rows = 0;  ///< configurations of the side that has just moved, in the last matrix
  std::uint64_t columns = 0;       ///< configurations of the other side
  std::uint64_t kernel_pairs = 0;  ///< positions that the two-ply kernel or a device counted
  std::uint64_t lane_pairs = 0;    ///< positions one ply below pairs that lanes or tables count
  std::uint64_t bytes = 0;         ///< largest size of all matrices together, in bytes
  std::uint64_t parts = 1;         ///< number of parts, counted one after the other
  // If a store was used:
  std::uint64_t stored_parts = 0;        ///< number of parts in the stored plan
  std::uint64_t resumed_parts = 0;       ///< number of stored parts that an earlier run has counted
  double resumed_leaves = 0;             ///< leaves of the resumed parts
  std::optional<DeviceUse> device = {};  ///< set if a device has counted the last two plies
};

/// The expected cost of a count in parts.
struct PartsPlan {
  std::size_t parts = 0;      ///< may grow, because parts that turn out too large are split
  std::uint64_t resumed = 0;  ///< number of parts that an earlier run has counted
  std::uint64_t bytes = 0;    ///< largest expected size of all matrices together
  double seconds = 0;         ///< expected time for the parts that are still to be counted
};

struct MatrixCount {
  NodeCount nodes;
  std::vector<DivideEntry> divide;  ///< in legal_moves() order, if requested
  MatrixReport report;
};

/// The smallest depth that can be counted by configurations.
inline constexpr int kMinMatrixDepth = 3;

/// A share of a count: some rows of the last ply. In a count of paths, a share has every `of`-th
/// chunk of rows, starting with chunk `number`. In a count of distinct positions, the pieces of a
/// row determine its share. The counts of all shares add up to the whole count. In a divide, the
/// divides of all shares add up to the whole divide.
struct CountShare {
  std::size_t number = 0;
  std::size_t of = 1;
};

/// Why a count by configurations was not completed.
struct WhyNotCounted {
  std::string reason = {};
  bool memory_helps = false;  ///< true if more memory would allow the count
};

struct MatrixSpec {
  /// The method of counting the last two plies.
  enum class LastPlies : std::uint8_t {
    kWhateverPays,
    kByKernel,
    kInLanes,  ///< in lanes of bytes where possible
  };
  const Position& root;
  int depth;
  std::uint64_t most_bytes;  ///< limit for the memory of all matrices
  LastPlies last_plies = LastPlies::kWhateverPays;
  bool divide = false;
  CountShare share = {};  ///< a share is not counted in parts
  /// The number of parts. The count has fewer parts if it cannot be divided into this number. 0 =
  /// the smallest number that memory allows. In a divide, each count below a root move has this
  /// number of parts.
  std::size_t parts = 0;
  /// Number of plies of a part's cone (matrix_cone.h). It is reduced if there are fewer plies.
  /// nullopt = chosen so that the base is small enough for the memory.
  std::optional<int> cone_plies = {};
  std::function<void(const PartsPlan&)> on_plan = {};  ///< called before the first part is counted
  /// If not null, stores the sum of each part. The count is then made in parts even if the whole
  /// matrix fits into memory. A later run can use the sums with any memory, threads and kernel. A
  /// divide cannot have a store. The store must outlive the count.
  UnitStore* store = nullptr;
  std::string name = {};  ///< name of the count for users, such as "perft(12) of FEN"
  /// If not null, this device counts the last two plies. In a count without parts, it also plays
  /// large earlier plies. A divide with a device makes one count below each root move, but a divide
  /// of depth kMinMatrixDepth does not use the device. A share does not use it, either. The device
  /// must outlive the count. If the device fails, the error is kUnavailable with field "device".
  LastPliesDevice* device = nullptr;
  WhyNotCounted* why_not = nullptr;  ///< if not null: receives the reason for returning nullopt
};

/// Returns perft(root, depth). Precondition: depth >= kMinMatrixDepth. Uses no hash table and
/// compares whole positions, so false matches are impossible. If the matrices exceed
/// `spec.most_bytes`, a total is counted in parts, and a divide is made by a separate count below
/// each root move. Starts the progress of `by`.
///
/// Returns nullopt in two cases, which may become known only during the count:
///   - A part, or a count that cannot be made in parts, needs too much memory.
///   - 2^31 or more paths lead to one position.
///
/// Returns kCancelled after a stop request, and the errors of the store and of the device. Throws
/// CountOverflow and std::bad_alloc (see current_exception_as_error() in unit_runner.h).
Result<std::optional<MatrixCount>> count_by_configurations(const MatrixSpec& spec,
                                                           const Workforce& by);

}  // namespace manyply
