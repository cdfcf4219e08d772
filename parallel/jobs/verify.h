// Verifies a count: counts with tables and again without tables, and explains any difference.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "parallel/jobs/job.h"

namespace manyply {

/// Options that determine how much is verified.
struct VerifyOptions {
  /// Number of randomly chosen units to recount; nullopt = all units. With `reseed`, also recounts
  /// the units whose counts differ between the two hashed runs. If all recounts equal the hashed
  /// counts, but the total differs from the published value or from a count by configurations,
  /// recounts other units, too, until a unit differs.
  std::optional<std::uint64_t> sample = {};
  std::uint64_t sample_seed = 1;  ///< with the same seed, a larger sample contains a smaller one
  bool reseed = false;  ///< make a second hashed run with other keys; needs memory for both runs
  /// Largest number of incremental keys to compare with keys from scratch. The comparison takes the
  /// units in random order. A thread compares 10 to 20 million keys per second.
  std::uint64_t key_checks = 20'000'000;
};

/// A unit whose hashed count differs from the recount.
struct SubtreeDifference {
  Position position;
  Depth depth;
  NodeCount hashed;
  NodeCount recounted;
};

/// A root move whose hashed count differs from the recount.
struct RootMoveDifference {
  Move move;
  NodeCount hashed;
  NodeCount recounted;
};

/// A move for which the incremental key differs from key_from_scratch() of the resulting position.
struct KeyFault {
  Position position;
  Move move;
  ZobristKey incremental;
  ZobristKey from_scratch;
};

/// The part of the program whose fault explains the differences between counts.
enum class FaultyPart : std::uint8_t {
  kKey,             ///< an incremental key is wrong
  kTable,           ///< only the hashed count is wrong: two positions have the same key, an entry
                    ///< is damaged, or the code of hashed counts is wrong
  kKernel,          ///< the kernel is wrong (both counts use it), or the code of counts without a
                    ///< table is wrong
  kConfigurations,  ///< only the count by configurations is wrong
  kDevice,          ///< only the count by configurations on the device is wrong
  kUnknown          ///< the counts by configurations differ from the other counts, and no
                    ///< published value tells which are wrong
};

struct Explanation {
  FaultyPart part;
  std::optional<KeyFault> key_fault = {};  ///< set for kKey
};

/// One hashed run, and its comparison with the recount.
struct VerifiedRun {
  static constexpr std::size_t kMaxListed = 10;

  Report report;
  std::uint64_t differing_subtrees = 0;
  std::vector<SubtreeDifference> subtrees;  ///< the smallest ones that differ, at most kMaxListed
  std::vector<RootMoveDifference> root_moves;  ///< differing moves, if all units were counted again
  std::optional<Explanation> explanation;      ///< set if a difference or a wrong key was found

  /// Returns true if the verification found no difference and no wrong key. The verification
  /// compares the counts of units, and compares the total with the published value and with the
  /// counts by configurations.
  [[nodiscard]] bool agrees() const { return !explanation; }
};

/// The count without a table.
struct Recount {
  /// If all units were counted, the job's total. If only a sample was counted, the sum of the
  /// counts in the sample, not multiplied by the numbers of paths to the units.
  NodeCount nodes;
  std::uint64_t subtrees = 0;
  std::uint64_t visited = 0;
  double seconds = 0;
};

/// The count by configurations. It does not use keys, tables or units.
struct ThirdOpinion {
  NodeCount nodes;
  double seconds = 0;
  std::vector<DivideEntry> divide;
  struct Difference {
    Move move;
    NodeCount nodes;
    NodeCount recounted;
  };
  std::vector<Difference> root_moves;  ///< differing moves, if all units were counted again
};

/// The count by configurations on a device. The processor plays the small plies, in the same way as
/// in the count without a device. If the count is not in parts, the device also plays the large
/// plies before the last two.
struct DeviceOpinion {
  NodeCount nodes;
  double seconds = 0;
  DeviceUse use;
};

/// The number of keys that were compared with keys from scratch.
struct KeyCheck {
  std::uint64_t keys = 0;
  std::uint64_t subtrees = 0;  ///< number of subtrees in which all keys were compared
};

/// The result of verify_job().
struct VerifyReport {
  std::vector<VerifiedRun> runs;  ///< the hashed run, and the run with other keys if requested
  std::uint64_t subtrees = 0;     ///< number of units
  KeyCheck key_check;
  Recount recount;
  std::optional<ThirdOpinion> third;    ///< nullopt if this count was not possible
  std::optional<DeviceOpinion> device;  ///< nullopt if no device has counted

  /// Returns true if VerifiedRun::agrees() is true for all runs.
  [[nodiscard]] bool agrees() const;
};

/// A function that is called on the calling thread at the start of each phase, with a name to
/// display. It must return the progress to use for the phase, or null. The progress must exist
/// until the next call or the end of the job.
using PhaseObserver = std::function<Progress*(std::string_view phase)>;

/// A function that is called with the count by configurations. Tests use it to change the count.
using MatrixHook = std::function<void(MatrixCount& count)>;

/// Counts `spec` with a table. Then counts it by configurations on the processor (the third
/// opinion) and, if spec.device is not null, on the device. Then recounts the units, or a sample of
/// them, without a table, and compares the counts of each unit. The units themselves do not depend
/// on keys, because equal boards are merged without keys.
///
/// A difference is not an error: VerifyReport::agrees() is then false, and the report names the
/// part of the program whose fault explains all counts. Tests use `on_tables` to damage tables and
/// `on_matrix` to damage the count by configurations.
///
/// Returns the same errors as run_job(). Also returns an error if the device is busy, has too
/// little memory or fails. Exception: with spec.one_of_many, there is no error in these cases, but
/// the report has no count by the device. Throws nothing. Any thread may call it. The caller must
/// not hold a lock. Precondition: spec.hash is set; spec.store and spec.trace are null.
Result<VerifyReport> verify_job(const JobSpec& spec, const VerifyOptions& options,
                                const std::stop_token& stop, const PhaseObserver& on_phase = {},
                                const TableHook& on_tables = {}, const MatrixHook& on_matrix = {});

}  // namespace manyply
