// Campaigns in a database: the functions of schema.sql as typed calls. Each call is one round trip
// and one transaction unless stated otherwise.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/fen.h"
#include "hash/fingerprint.h"
#include "parallel/split/range_plan.h"
#include "tools/campaign/postgres.h"
#include "tools/report/limits.h"

namespace manyply {

/// Return errors about a campaign: it cannot be used as requested, or its stored data are
/// inconsistent.
[[nodiscard]] Error campaign_refusal(std::string message);
[[nodiscard]] Error campaign_damage(std::string message);

enum class CampaignState : std::uint8_t { kRunning, kStopped, kDisputed, kDone };
[[nodiscard]] std::string_view to_string(CampaignState state);  ///< "running", …
/// Parses a name that to_string() returns; kInternal for any other text.
Result<CampaignState> parse_state(const std::string& name);

/// The properties of a campaign on which all participants must agree.
struct Campaign {
  std::int64_t id = 0;
  std::string name;
  std::string fen;
  Depth depth;
  int split_ply = 0;
  std::uint64_t units = 0;
  std::uint64_t ranges = 0;  ///< number of ranges in pass 0
  Hash128 identity;
  std::uint64_t signature = 0;
  std::string version;
  CampaignState state = CampaignState::kRunning;
  double lease_seconds = 0;
  std::size_t root_moves = 0;

  /// The units are packed and do not know their root moves, so there is a total but no divide.
  [[nodiscard]] bool deep() const { return root_moves == 0; }
};

/// How the worker of the second count must differ from the first.
enum class VerifyOther : std::uint8_t { kWorker, kHost, kKernel };
[[nodiscard]] std::string_view to_string(VerifyOther other);  ///< "worker", …

/// A campaign to be created.
struct NewCampaign {
  std::string name;
  std::string fen;
  Depth depth;
  int split_ply = 0;
  Hash128 identity;
  std::vector<std::string> root_moves;  ///< UCI; empty if the units do not know them
  std::string version;
  double lease_seconds = 120;
  double verify = 0;  ///< share of the ranges that are counted twice
  VerifyOther verify_other = VerifyOther::kWorker;
  std::vector<PlannedRange> ranges;
  std::vector<bool> verified;  ///< for each range, whether it is counted twice
};

/// A worker that wants to take part.
struct NewWorker {
  std::string host;
  std::string label;
  std::string version;
  std::string kernel;
  std::uint64_t signature = 0;
  Hash128 identity;
  std::uint64_t key_seed = 0;
  int key_bits = 0;
  std::uint64_t process = 0;  ///< random; with the seed it identifies a worker that registers again
  int threads = 0;
  std::uint64_t hash_bytes = 0;
};

/// The two passes are two counts of the same range by different workers.
struct RangeKey {
  int pass = 0;
  std::int64_t number = 0;
};

/// A range that a worker has leased.
struct ClaimedRange {
  RangeKey key;
  std::int64_t epoch = 0;  ///< of the lease
  PlannedRange range;
  std::uint32_t batches_there = 0;  ///< batches already stored, one bit each
};

/// A range, or the reason for none: the campaign is not running, or all ranges are leased.
struct Claim {
  CampaignState state = CampaignState::kRunning;
  std::optional<ClaimedRange> range;
};

/// A counted batch on its way to the database.
struct FinishedBatch {
  RangeKey range;
  std::uint32_t number = 0;
  std::int64_t epoch = 0;
  std::vector<NodeCount> counts = {};  ///< per unit, in the plan's order
  std::vector<NodeCount> sums = {};    ///< paths × count, per root move or for all together
  std::uint64_t visited = 0;
  double seconds = 0;
};

/// The answer to a commit.
struct CommitAnswer {
  CampaignState state = CampaignState::kRunning;
  bool lease_lost = false;
};

/// The state of a campaign for display.
struct CampaignStatus {
  Campaign campaign;
  struct Pass {
    std::int64_t ranges = 0;
    std::int64_t ranges_done = 0;
    std::int64_t ranges_leased = 0;  ///< leases that have not expired
    std::int64_t batches = 0;
    std::int64_t batches_done = 0;
    double weight = 0;
    double weight_done = 0;
  };
  std::array<Pass, 2> passes;
  std::int64_t workers_seen = 0;  ///< active within the time of a lease
  std::int64_t workers_gone = 0;  ///< ended, or silent for longer than a lease
  std::int64_t workers_refused = 0;
  double leaves_last_minute = 0;
  double weight_last_minute = 0;  ///< of both passes
  std::int64_t disputes = 0;
  /// Ranges that wait although no active worker may count them.
  std::int64_t ranges_for_another = 0;
  VerifyOther verify_other = VerifyOther::kWorker;
};

/// Neighbouring ranges as one cell: their estimated weight and the part that is done or leased, per
/// pass.
struct CampaignCell {
  std::array<double, 2> planned{};
  std::array<double, 2> done{};
  std::array<double, 2> leased{};  ///< leased and not done
};

/// Leaves committed in each interval of ten seconds by the database's clock, in both passes.
struct CampaignHistory {
  static constexpr int kSlotSeconds = 10;
  std::map<std::int64_t, double> leaves = {};  ///< by interval; intervals without leaves are absent
  std::int64_t now = 0;                        ///< the current interval
};

/// A worker and what it has committed.
struct CampaignWorker {
  std::int64_t id = 0;
  std::string host;
  std::string label;
  std::string version;
  std::string kernel;
  std::uint64_t key_seed = 0;
  int key_bits = 0;  ///< 0 = no table
  int threads = 0;
  std::uint64_t hash_bytes = 0;
  std::string state;  ///< "counting", "waiting", "ended", "gone" (silent), "refused"
  std::optional<std::string> refused;  ///< reason
  double seconds_since_seen = 0;
  std::int64_t batches = 0;
  std::uint64_t visited = 0;
};

/// A batch, and whether another worker has counted it too.
struct CampaignBatch {
  RangeKey range;
  std::int64_t number = 0;
  bool verified = false;
};

/// A batch that is not what its worker sent, and how this was detected.
struct DamagedBatch {
  RangeKey range;
  std::int64_t number = 0;
  std::int64_t worker = 0;
  std::string what;  ///< "is damaged: its digest is not that of its counts"
};

/// Two counts of the same unit that differ.
struct CampaignDispute {
  std::int64_t range = 0;
  PlannedRange planned;  ///< the range
  std::int64_t batch = 0;
  /// Index of the unit in the plan's order; -1 if only the sums differ.
  std::int64_t unit = 0;
  std::string count0;  ///< decimal
  std::string count1;
  std::int64_t worker0 = 0;
  std::int64_t worker1 = 0;
};

/// A campaign's total and the evidence for it.
struct CampaignResult {
  Campaign campaign;
  NodeCount nodes;
  /// Per root move; empty if the campaign is deep.
  std::vector<std::pair<std::string, NodeCount>> divide;
  std::int64_t batches = 0;           ///< of pass 0, which counts every unit once
  std::int64_t batches_verified = 0;  ///< of pass 1
  std::int64_t workers = 0;           ///< number of workers that counted
  /// Of these, workers that ended without reporting their false matches.
  std::int64_t workers_unended = 0;
  double false_matches = 0;  ///< sum of the expected numbers that workers reported
  /// With the number of workers that used them.
  std::vector<std::pair<std::string, std::int64_t>> kernels;
};

struct StoredBatch;

/// One connection to the database. Used by one thread at a time. Errors are those of Postgres.
class CampaignStore {
 public:
  explicit CampaignStore(DatabaseAddress address) : address_(std::move(address)) {}

  /// Connects unless connected. All other functions connect by themselves.
  [[nodiscard]] std::optional<Error> connect(const std::stop_token& stop = {});

  // For users with the role manyply_owner.

  /// Creates missing roles and the schema, in one transaction and by one process at a time. Returns
  /// the schema version before and after. Needs the right to create roles if any are missing.
  struct Versions {
    std::int64_t before = 0;
    std::int64_t after = 0;
  };
  Result<Versions> init(const std::stop_token& stop = {});
  /// Creates a campaign; kInvalidInput if the name exists.
  [[nodiscard]] std::optional<Error> create(const NewCampaign& campaign,
                                            const std::stop_token& stop = {});
  /// Stops a running campaign, or continues a stopped one. Returns the new state.
  Result<CampaignState> set_running(const std::string& name, bool running,
                                    const std::stop_token& stop = {});
  /// Deletes a campaign with all its counts.
  [[nodiscard]] std::optional<Error> drop(const std::string& name,
                                          const std::stop_token& stop = {});

  /// Sets aside all batches of a worker, so that they are counted again, settles its disputes, and
  /// gives it no more ranges. Returns the number of batches. The worker receives `reason` if it
  /// registers again.
  Result<std::int64_t> withdraw_worker(const Campaign& campaign, std::int64_t worker,
                                       const std::string& reason, const std::stop_token& stop = {});
  /// Does the same for one batch, without consequences for its worker.
  Result<std::int64_t> withdraw_batch(const Campaign& campaign, const DamagedBatch& batch,
                                      const std::stop_token& stop = {});

  // For workers.

  /// Returns the campaign with this name.
  Result<Campaign> find(const std::string& name, const std::stop_token& stop = {});
  /// Registers a worker and returns its number, the same one if it registers again; kInvalidInput
  /// if it is refused.
  Result<std::int64_t> register_worker(std::int64_t campaign, const NewWorker& worker,
                                       const std::stop_token& stop = {});
  /// Leases a range, the one after `last` if possible.
  Result<Claim> claim(std::int64_t worker, std::int64_t campaign,
                      const std::optional<RangeKey>& last, const std::stop_token& stop = {});
  /// Stores a counted batch and renews the lease.
  Result<CommitAnswer> commit(std::int64_t worker, const Campaign& campaign,
                              const FinishedBatch& batch, const std::stop_token& stop = {});
  /// Renews all leases of a worker.
  Result<CampaignState> renew(std::int64_t worker, const std::stop_token& stop = {});
  /// Ends a worker and returns its ranges. `false_matches` is the expected number for everything
  /// that it counted.
  [[nodiscard]] std::optional<Error> hand_back(std::int64_t worker, double false_matches,
                                               std::chrono::milliseconds patience);

  // For readers.

  /// Returns the names of all campaigns, oldest first.
  Result<std::vector<std::string>> names(const std::stop_token& stop = {});
  /// Returns the state of a campaign. Several round trips on one snapshot. kInvalidInput if no
  /// campaign has this name.
  Result<CampaignStatus> status(const std::string& name, const std::stop_token& stop = {});
  /// Returns the disputes that are not settled.
  Result<std::vector<CampaignDispute>> disputes(const std::string& name,
                                                const std::stop_token& stop = {});
  /// Returns all workers that ever registered.
  Result<std::vector<CampaignWorker>> workers(const std::string& name,
                                              const std::stop_token& stop = {});
  /// Returns all ranges in order, grouped into up to kMostCells cells of equal size.
  static constexpr std::int64_t kMostCells = 200;
  Result<std::vector<CampaignCell>> strip(const Campaign& campaign,
                                          const std::stop_token& stop = {});
  /// Updates `history`. Reads only the last minutes again.
  [[nodiscard]] std::optional<Error> follow(const Campaign& campaign, CampaignHistory& history,
                                            const std::stop_token& stop = {});
  /// Returns the batches of one worker, by pass, range and number.
  Result<std::vector<CampaignBatch>> batches_of(const Campaign& campaign, std::int64_t worker,
                                                const std::stop_token& stop = {});
  /// Returns all batches that are not what their workers sent, or that differ between the passes
  /// without a dispute. Several round trips on one snapshot. `units` are the campaign's.
  Result<std::vector<DamagedBatch>> damage(const std::string& name, const JobUnits& units,
                                           const std::stop_token& stop = {});
  /// Returns the total. Several round trips on one snapshot. `units` are the campaign's.
  /// kInvalidInput if the campaign is not done or is in dispute; kInternal, with the place, if the
  /// stored data are inconsistent (batches missing or stored twice, ranges that overlap, a wrong
  /// digest or sum); kOverflow.
  Result<CampaignResult> result(const std::string& name, const JobUnits& units,
                                const std::stop_token& stop = {});

 private:
  /// Runs one statement; connects first, except within a transaction, which would be lost.
  Result<PostgresRows> ask(const char* sql, const PostgresValues& values,
                           const std::stop_token& stop,
                           std::chrono::milliseconds patience = Postgres::kPatience);
  /// Calls `read` within one snapshot of the database.
  template <typename T>
  Result<T> on_one_snapshot(const std::stop_token& stop, const std::function<Result<T>()>& read);
  Result<CampaignStatus> read_status(const std::string& name, const std::stop_token& stop);
  Result<CampaignResult> read_result(const std::string& name, const JobUnits& units,
                                     const std::stop_token& stop);
  Result<std::vector<DamagedBatch>> read_damage(const std::string& name, const JobUnits& units,
                                                const std::stop_token& stop);
  /// Reads every batch of both passes, by pass, range and number, a bounded number at a time. Stops
  /// with the first error that `take` returns.
  [[nodiscard]] std::optional<Error> for_each_batch(
      const Campaign& campaign, const std::stop_token& stop,
      const std::function<std::optional<Error>(const StoredBatch&)>& take);

  DatabaseAddress address_;
  std::optional<Postgres> postgres_;
  bool in_transaction_ = false;  // a transaction does not outlive its connection
};

// The plan of a campaign, which all its workers share: split at one ply, units in one order.

struct CampaignPlan {
  NamedPosition root;
  Depth depth;
  JobUnits units;
};

/// Splits a campaign's position as its row says, with the kernel and the threads of `limits`.
/// Errors: those of units_at(), and an invalid --threads.
Result<JobUnits> units_of(const Campaign& campaign, const Position& root, const Limits& limits,
                          const std::stop_token& stop);

/// Returns the plan of an existing campaign. Errors as units_of(); kInternal if the plan differs
/// from the one that the campaign was created with.
Result<CampaignPlan> plan_of(const Campaign& campaign, const Limits& limits,
                             const std::stop_token& stop);

/// Returns a campaign with this plan. The caller sets ranges, verification and leases.
[[nodiscard]] NewCampaign new_campaign(std::string name, const CampaignPlan& plan);

// The embedded scripts: the schema of the campaign database, and the batch script for Slurm.

/// The version that `init` writes. Raise it with every change of schema.sql or roles.sql, which
/// then must migrate databases of the previous version.
inline constexpr std::int64_t kCampaignSchema = 3;

/// Returns schema.sql.
[[nodiscard]] std::string_view schema_script();

/// Returns the script that creates missing roles and the schema; run it at the start of a
/// transaction.
[[nodiscard]] std::string_view roles_script();

/// Returns worker.sbatch, in which %NAME% and %WORK% stand for the campaign's name and the worker's
/// command.
[[nodiscard]] std::string_view slurm_script();

// The stored form of numbers: bytes in little-endian order on every machine.

/// Return 8 bytes, and 16 bytes with the low word first.
[[nodiscard]] std::vector<std::byte> stored_bytes(std::uint64_t word);
[[nodiscard]] std::vector<std::byte> stored_bytes(const Hash128& hash);
/// Uses the same width for all counts, that of the largest, at least one byte.
[[nodiscard]] std::vector<std::byte> stored_bytes(std::span<const NodeCount> counts);

/// Precondition: 8 bytes.
[[nodiscard]] std::uint64_t stored_word(std::span<const std::byte> bytes);
/// Precondition: 16 bytes.
[[nodiscard]] Hash128 stored_hash(std::span<const std::byte> bytes);

/// A view of stored counts; `bytes` must outlive it.
class StoredCounts {
 public:
  StoredCounts(std::span<const std::byte> bytes, std::size_t counts);

  /// Returns whether `bytes` has the right length for this number of counts.
  [[nodiscard]] bool fit() const { return width_ > 0; }
  /// Returns one count. Preconditions: fit(), and `place` is in range.
  [[nodiscard]] NodeCount operator[](std::size_t place) const;

 private:
  std::span<const std::byte> bytes_;
  std::size_t width_ = 0;  // bytes of each
};

/// Returns the digest of a batch's counts in stored form. It depends on the campaign's identity,
/// the range and the batch, so that counts stored at a wrong place are detected.
[[nodiscard]] Hash128 batch_digest(const Hash128& campaign, std::int64_t range, std::uint32_t batch,
                                   std::span<const std::byte> counts);

}  // namespace manyply
