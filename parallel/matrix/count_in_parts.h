// Counts by configurations in parts, one part after the other, so that matrices need less memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hash/fingerprint.h"
#include "parallel/matrix/matrix_job.h"
#include "parallel/matrix/matrix_stage.h"
#include "parallel/matrix/part_table.h"

namespace manyply {

/// Combines each ordinary row of `stage` with each ordinary column (last_rows.h). Returns the
/// fraction of these pairs that have paths; 0 if there are no such pairs. `root` is the root of the
/// count. After a stop request the result is meaningless.
double density_of(const MatrixStage& stage, const Board& root, const Workers& workers,
                  StopView stop);

/// The counts of a part.
struct PartCount {
  NodeCount nodes;
  std::uint64_t rows = 0;          ///< number of rows of the last ply in the part
  std::uint64_t kernel_pairs = 0;  ///< as in MatrixReport
  std::uint64_t lane_pairs = 0;

  PartCount& operator+=(const PartCount& more) {
    nodes += more.nodes;
    rows += more.rows;
    kernel_pairs += more.kernel_pairs;
    lane_pairs += more.lane_pairs;
    return *this;
  }
};

/// Returns a hash of the arguments. `plan` must be the result of PartCounter::plan(). If two
/// processes get the same hash, parts with the same number have the same count in both processes.
[[nodiscard]] Hash128 parts_identity(const Board& root, int depth, std::string_view plan);

class CountInParts;

/// Counts single parts of a plan, in any order. Several processes can use the same plan, and each
/// process can count some of the parts. The processes may have different memory, threads and
/// kernels. The counts of all parts add up to the whole count. The counter makes the base
/// (matrix_cone.h) of all parts only once. Only one thread may use the counter.
class PartCounter {
 public:
  /// The counter uses the root, depth, memory, last_plies, cone_plies and device of `spec`. If
  /// prepare() makes the plan, the counter also uses spec.parts. `by`, the root and the device must
  /// outlive the counter.
  PartCounter(const MatrixSpec& spec, const Workforce& by);
  ~PartCounter();
  PartCounter(const PartCounter&) = delete;
  PartCounter& operator=(const PartCounter&) = delete;

  /// Makes the base. If `plan` is empty, also makes a plan: it has the smallest number of parts
  /// that memory allows, or about spec.parts parts if spec.parts is larger. If `plan` is not empty,
  /// it must be the result of another counter's plan().
  ///
  /// Call it once, before all other functions. It may take minutes. Errors: kCancelled after a stop
  /// request; kInvalidInput if the plan does not have an entry for each of this root's cells;
  /// kUnavailable if memory is insufficient or 2^31 or more paths lead to one position; kOverflow.
  [[nodiscard]] std::optional<Error> prepare(std::string_view plan = {});

  /// Returns the plan. It has 2 bytes for each cell (part_table.h): the number of the part to which
  /// the cell belongs. There are at most 65,536 cells.
  [[nodiscard]] std::string plan() const;
  /// Returns the estimated share of each part in the count.
  [[nodiscard]] const std::vector<PartShare>& shares() const;
  /// Returns the estimated cost of counting all parts on this machine.
  [[nodiscard]] PartsPlan expected() const;

  /// Counts part `part` on all workers. Returns the same errors as prepare(), and kUnavailable with
  /// field "device" if the device fails or has too little memory. After an error the counter must
  /// not be used again. Precondition: part < shares().size().
  Result<PartCount> count(std::size_t part);

 private:
  const MatrixSpec spec_;
  const std::unique_ptr<CountInParts> counting_;
};

/// Returns perft(spec.root, spec.depth), counted in parts, without a divide. Throws
/// MatrixDoesNotFit and DeviceFailed. Returns errors of the store. After a stop request the count
/// is meaningless.
Result<MatrixCount> count_in_parts(const MatrixSpec& spec, const Workforce& by);

}  // namespace manyply
