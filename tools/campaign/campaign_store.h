// Campaigns in a database: the functions of schema.sql as typed calls. Each call is one round trip
// and one transaction unless stated otherwise.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/node_count.h"
#include "core/base/result.h"
#include "core/fen.h"
#include "hash/fingerprint.h"
#include "parallel/matrix/matrix_in_parts.h"
#include "tools/campaign/postgres.h"

namespace manyply {

/// The least depth of a campaign. Others are counted in seconds.
inline constexpr int kMinCampaignDepth = 5;

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
  std::uint64_t parts = 0;
  Hash128 identity;                ///< parts_identity()
  std::uint64_t memory_bytes = 0;  ///< of a process that counts the largest part
  std::uint64_t signature = 0;
  std::string version;
  CampaignState state = CampaignState::kRunning;
  double lease_seconds = 0;
};

/// How the worker of the second count must differ from the first.
enum class VerifyOther : std::uint8_t { kWorker, kHost, kKernel };
[[nodiscard]] std::string_view to_string(VerifyOther other);  ///< "worker", …

/// A campaign to be created.
struct NewCampaign {
  std::string name;
  std::string fen;
  Depth depth;
  std::string plan;  ///< PartCounter::plan()
  Hash128 identity;
  std::uint64_t memory_bytes = 0;
  std::string version;
  double lease_seconds = 120;
  double verify = 0;  ///< share of the parts that are counted twice
  VerifyOther verify_other = VerifyOther::kWorker;
  std::vector<double> weights;  ///< of each part
  std::vector<bool> verified;   ///< for each part, whether it is counted twice
};

/// A worker that wants to take part.
struct NewWorker {
  std::string host;
  std::string label;
  std::string version;
  std::string kernel;
  std::uint64_t signature = 0;
  Hash128 identity;
  std::uint64_t process = 0;  ///< random; identifies a worker that registers again
  int threads = 0;
  std::uint64_t memory_bytes = 0;  ///< that it may use
};

/// The two passes are two counts of the same part by different workers.
struct PartKey {
  int pass = 0;
  std::int64_t number = 0;
  friend bool operator==(const PartKey&, const PartKey&) = default;
};

/// A part that a worker has leased.
struct ClaimedPart {
  PartKey key;
  std::int64_t epoch = 0;  ///< of the lease
};

/// A part, or the reason for none: the campaign is not running, or all parts are leased.
struct Claim {
  CampaignState state = CampaignState::kRunning;
  std::optional<ClaimedPart> part;
};

/// A counted part on its way to the database.
struct FinishedPart {
  ClaimedPart part;
  PartCount count;
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
    std::int64_t parts = 0;
    std::int64_t parts_done = 0;
    std::int64_t parts_leased = 0;  ///< leases that have not expired
    double weight = 0;
    double weight_done = 0;
  };
  std::array<Pass, 2> passes;
  std::int64_t workers_counting = 0;  ///< those with a lease
  std::int64_t workers_seen = 0;      ///< active within the time of a lease
  std::int64_t workers_gone = 0;      ///< ended, or silent for longer than a lease
  std::int64_t workers_refused = 0;
  double seconds = 0;  ///< that workers have counted, in both passes
  double leaves = 0;   ///< that they have counted
  std::int64_t disputes = 0;
  /// Parts that wait although no active worker may count them.
  std::int64_t parts_for_another = 0;
  VerifyOther verify_other = VerifyOther::kWorker;
};

/// Neighbouring parts as one cell: their estimated weight and the share that is done or leased, per
/// pass.
struct CampaignCell {
  std::array<double, 2> planned{};
  std::array<double, 2> done{};
  std::array<double, 2> leased{};  ///< leased and not done
};

/// A part as it was counted, in seconds by the database's clock.
struct CountedPart {
  double begin = 0;
  double end = 0;
  double leaves = 0;
};

/// A worker and what it has committed.
struct CampaignWorker {
  std::int64_t id = 0;
  std::string host;
  std::string label;
  std::string version;
  std::string kernel;
  int threads = 0;
  std::uint64_t memory_bytes = 0;
  std::string state;  ///< "counting", "waiting", "ended", "gone" (silent), "refused"
  std::optional<std::string> refused;  ///< reason
  double seconds_since_seen = 0;
  std::int64_t parts = 0;
  double seconds = 0;  ///< that these took
};

/// A count as it is stored.
struct StoredPart {
  PartKey key;
  std::int64_t worker = 0;
  PartCount count;
  bool intact = false;    ///< the digest is that of the count
  bool verified = false;  ///< another worker has counted the part, too
};

/// A stored count that is not what its worker sent, and how this was detected.
struct DamagedPart {
  PartKey key;
  std::int64_t worker = 0;
  std::string what;  ///< "is damaged: its digest does not match its count"
};

/// Two counts of the same part that differ.
struct CampaignDispute {
  std::int64_t part = 0;
  std::string nodes0;  ///< decimal
  std::string nodes1;
  std::int64_t worker0 = 0;
  std::int64_t worker1 = 0;
};

/// A campaign's total and the evidence for it.
struct CampaignResult {
  Campaign campaign;
  PartCount sum;
  std::int64_t parts = 0;           ///< of pass 0
  std::int64_t parts_verified = 0;  ///< of pass 1
  std::int64_t workers = 0;         ///< number of workers that counted
  double seconds = 0;               ///< that they counted, in both passes
  /// With the number of workers that used them.
  std::vector<std::pair<std::string, std::int64_t>> kernels;
};

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

  /// Sets aside all counts of a worker, so that they are made again, settles its disputes, and
  /// gives it no more parts. Returns the number of counts. The worker receives `reason` if it
  /// registers again.
  Result<std::int64_t> withdraw_worker(const Campaign& campaign, std::int64_t worker,
                                       const std::string& reason, const std::stop_token& stop = {});
  /// Does the same for one count, without consequences for its worker.
  Result<std::int64_t> withdraw_part(const Campaign& campaign, const DamagedPart& part,
                                     const std::stop_token& stop = {});

  // For workers.

  /// Returns the campaign with this name.
  Result<Campaign> find(const std::string& name, const std::stop_token& stop = {});
  /// Returns the plan of its parts; kInternal unless it is the one with the campaign's identity.
  Result<std::string> plan_of(const Campaign& campaign, const Board& root,
                              const std::stop_token& stop = {});
  /// Registers a worker and returns its number, the same one if it registers again; kInvalidInput
  /// if it is refused.
  Result<std::int64_t> register_worker(std::int64_t campaign, const NewWorker& worker,
                                       const std::stop_token& stop = {});
  /// Leases a part, or returns the one that the worker holds.
  Result<Claim> claim(std::int64_t worker, std::int64_t campaign, const std::stop_token& stop = {});
  /// Stores a counted part, whose lease ends. Durable once it has returned.
  Result<CommitAnswer> commit(std::int64_t worker, const Campaign& campaign,
                              const FinishedPart& part, const std::stop_token& stop = {},
                              std::chrono::milliseconds patience = Postgres::kPatience);
  /// Renews the lease of a worker.
  Result<CampaignState> renew(std::int64_t worker, const std::stop_token& stop = {});
  /// Ends a worker and returns its part.
  [[nodiscard]] std::optional<Error> hand_back(std::int64_t worker,
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
  /// Returns all parts, the heaviest first, grouped into up to kMostCells cells of equal size.
  static constexpr std::int64_t kMostCells = 200;
  Result<std::vector<CampaignCell>> strip(const Campaign& campaign,
                                          const std::stop_token& stop = {});
  /// Returns when each part was counted, in both passes.
  Result<std::vector<CountedPart>> history(const Campaign& campaign,
                                           const std::stop_token& stop = {});
  /// Returns the counts of one worker, or of all, by pass and number.
  Result<std::vector<StoredPart>> counted(const Campaign& campaign,
                                          std::optional<std::int64_t> worker = {},
                                          const std::stop_token& stop = {});
  /// Returns all counts that are not what their workers sent, or that differ between the passes
  /// without a dispute. Several round trips on one snapshot.
  Result<std::vector<DamagedPart>> damage(const std::string& name,
                                          const std::stop_token& stop = {});
  /// Returns the total. Several round trips on one snapshot. kInvalidInput if the campaign is not
  /// done or is in dispute; kInternal, with the place, if the stored data are inconsistent (counts
  /// missing or of no part, a wrong digest, passes that differ); kOverflow.
  Result<CampaignResult> result(const std::string& name, const std::stop_token& stop = {});

 private:
  /// Runs one statement; connects first, except within a transaction, which would be lost.
  Result<PostgresRows> ask(const char* sql, const PostgresValues& values,
                           const std::stop_token& stop,
                           std::chrono::milliseconds patience = Postgres::kPatience);
  /// Calls `read` within one snapshot of the database.
  template <typename T>
  Result<T> on_one_snapshot(const std::stop_token& stop, const std::function<Result<T>()>& read);
  Result<CampaignStatus> read_status(const std::string& name, const std::stop_token& stop);
  Result<CampaignResult> read_result(const std::string& name, const std::stop_token& stop);
  Result<std::vector<DamagedPart>> read_damage(const std::string& name,
                                               const std::stop_token& stop);

  DatabaseAddress address_;
  std::optional<Postgres> postgres_;
  bool in_transaction_ = false;  // a transaction does not outlive its connection
};

// The embedded scripts: the schema of the campaign database, and the batch script for Slurm.

/// The version that `init` writes. Raise it with every change of schema.sql or roles.sql. `init`
/// refuses databases of other versions.
inline constexpr std::int64_t kCampaignSchema = 5;

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
/// Precondition: 8 bytes.
[[nodiscard]] std::uint64_t stored_word(std::span<const std::byte> bytes);
/// Precondition: 16 bytes.
[[nodiscard]] Hash128 stored_hash(std::span<const std::byte> bytes);

/// Returns the digest of a part's count. It depends on the campaign's identity and on the part, so
/// that counts stored at a wrong place are detected.
[[nodiscard]] Hash128 part_digest(const Hash128& campaign, std::int64_t part,
                                  const PartCount& count);

}  // namespace manyply
