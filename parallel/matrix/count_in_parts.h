// A count by configurations in parts, for matrices that do not fit into memory.
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

/// Returns the number of existing pairs of ordinary configurations (last_rows.h) in `stage`,
/// divided by the number of possible pairs. `root` is the root of the count. After a stop request
/// the result is meaningless.
double density_of(const MatrixStage& stage, const Board& root, const Workers& workers,
                  StopView stop);

/// The counts of a part.
struct PartCount {
  NodeCount nodes;
  std::uint64_t rows = 0;          ///< number of rows of the last ply
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

/// Returns an identity of a plan, its root and its depth. Parts with the same number in plans with
/// the same identity have equal counts, even if different processes count them.
[[nodiscard]] Hash128 parts_identity(const Board& root, int depth, std::string_view plan);

class CountInParts;

/// Counts single parts of a plan, in any order. Several processes with the same plan can divide its
/// parts among them; their memory, threads and kernels may differ. The counts of all parts add up
/// to the whole count. The counter makes the common base of all parts only once. Only one thread
/// may use it.
class PartCounter {
 public:
  /// The counter uses the root, depth, memory, last_plies, cone_plies and device of `spec`. If it
  /// makes the plan, it also uses the number of parts. `by`, the root and the device must outlive
  /// the counter.
  PartCounter(const MatrixSpec& spec, const Workforce& by);
  ~PartCounter();
  PartCounter(const PartCounter&) = delete;
  PartCounter& operator=(const PartCounter&) = delete;

  /// Makes the base. `plan` must be empty or the result of plan() of another counter. If it is
  /// empty, makes a plan with the smallest number of parts that memory allows, but at least about
  /// spec.parts parts.
  ///
  /// Call it once, before all other functions. It may take minutes. Errors: kCancelled after a stop
  /// request; kInvalidInput if the plan does not have an entry for each of this root's cells;
  /// kUnavailable if memory is insufficient; kOverflow.
  [[nodiscard]] std::optional<Error> prepare(std::string_view plan = {});

  /// Returns the plan. For each of up to 65,536 cells (part_table.h), it has the number of the
  /// cell's part in 2 bytes.
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

/// Does the same as count_by_configurations(), in parts. Throws MatrixDoesNotFit and DeviceFailed.
/// Returns errors of the store. After a stop request the count is meaningless.
Result<MatrixCount> count_in_parts(const MatrixSpec& spec, const Workforce& by);

}  // namespace manyply
