// A count by configurations in parts, for matrices that memory does not hold.
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
#include "parallel/matrix/matrix_parts.h"
#include "parallel/matrix/matrix_stage.h"

namespace manyply {

/// The share of pairs that there are among those of two ordinary configurations.
double density_of(const MatrixStage& stage, const Board& root, const Workers& workers,
                  StopView stop);

/// The counts of a part.
struct PartCount {
  NodeCount nodes;
  std::uint64_t rows = 0;          ///< of the last ply
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

/// Identifies a plan of parts and what it is a plan of. Counts of a part with the same identity and
/// number are equal, whichever process makes them.
[[nodiscard]] Hash128 parts_identity(const Board& root, int depth, std::string_view plan);

class CountInParts;

/// Counts single parts of a plan, in any order. Other processes that have the plan count the same
/// parts, with any memory, threads and kernel; the counts of all parts add up to the whole count.
/// The counter makes the common base of all parts once. One thread.
class PartCounter {
 public:
  /// Of `spec`, its root, depth, memory and way of counting the last plies matter, and its number
  /// of parts where the plan is made. `by` must outlive the counter, as the root must.
  PartCounter(const MatrixSpec& spec, const Workforce& by);
  ~PartCounter();
  PartCounter(const PartCounter&) = delete;
  PartCounter& operator=(const PartCounter&) = delete;

  /// Makes the base. `plan` is what plan() of another counter returned; if it is empty, a plan is
  /// made of as few parts as memory allows, but about spec.parts at least. Call it once, before all
  /// other functions. May take minutes. Errors: kCancelled after `by.stop()`; kInvalidInput if the
  /// plan is not one of this root; kUnavailable if memory does not suffice; kOverflow.
  [[nodiscard]] std::optional<Error> prepare(std::string_view plan = {});

  /// Returns which rows belong to which part: 2 bytes for each of up to 65,536 cells.
  [[nodiscard]] std::string plan() const;
  /// Returns what each part takes of the count, estimated.
  [[nodiscard]] const std::vector<PartShare>& shares() const;
  /// Returns what it takes to count all parts here, estimated.
  [[nodiscard]] PartsPlan expected() const;

  /// Counts part `part` on all workers. Errors as prepare(); after an error the counter must not be
  /// used again. Precondition: part < shares().size().
  Result<PartCount> count(std::size_t part);

 private:
  const MatrixSpec spec_;
  const std::unique_ptr<CountInParts> counting_;
};

/// As count_by_configurations(), in parts. Throws MatrixDoesNotFit. Errors: those of the store.
/// After `by.stop()` the count is good for nothing.
Result<MatrixCount> count_in_parts(const MatrixSpec& spec, const Workforce& by);

}  // namespace manyply
