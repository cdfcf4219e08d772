// Stores and reads campaigns in a database. For workers, calls the functions of leases.sql and
// counts.sql with typed arguments. For owners and readers, also uses the tables of
// schema.sql. Unless stated otherwise, each call is one round trip and one transaction.
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
#include "parallel/matrix/count_in_parts.h"
#include "tools/campaign/postgres.h"

namespace manyply {

/// The least depth of a campaign. Smaller depths are counted in seconds.
inline constexpr int kMinCampaignDepth = 5;

/// Returns the error (kInvalidInput) for a campaign that cannot be used as requested.
[[nodiscard]] Error campaign_refusal(std::string message);
/// Returns the error (kInternal) for a campaign whose stored data are inconsistent.
[[nodiscard]] Error campaign_damage(std::string message);

enum class CampaignState : std::uint8_t { kRunning, kStopped, kDisputed, kDone };
[[nodiscard]] std::string_view to_string(CampaignState state);  ///< "running", …
/// Parses a name that to_string() returns. Error kInternal: `name` is any other text.
Result<CampaignState> parse_state(const std::string& name);

/// The properties of a campaign on which all participants must agree.
struct Campaign {
  std::int64_t id = 0;
  std::string name;
  std::string fen;
  Depth depth;
  std::uint64_t parts = 0;
  Hash128 identity;                ///< parts_identity()
  std::uint64_t memory_bytes = 0;  ///< memory of a process that counts the largest part
  std::uint64_t signature = 0;
  std::string version;
  CampaignState state = CampaignState::kRunning;
  double lease_seconds = 0;
};

/// Two workers count each verified part. This says what must differ between them: only the worker
/// itself, also the host, or also the kernel.
enum class VerifyOther : std::uint8_t { kWorker, kHost, kKernel };
[[nodiscard]] std::string_view to_string(VerifyOther other);  ///< "worker", …

/// The usual length of a lease. A worker that is silent for longer than its lease loses its part.
inline constexpr std::uint64_t kUsualLeaseSeconds = 120;

/// A campaign to be created.
struct NewCampaign {
  std::string name;
  std::string fen;
  Depth depth;
  std::string plan;  ///< PartCounter::plan()
  Hash128 identity;
  std::uint64_t memory_bytes = 0;
  std::string version;
  double lease_seconds = kUsualLeaseSeconds;
  double verify = 0;  ///< share of the parts that are counted twice, from 0 to 1
  VerifyOther verify_other = VerifyOther::kWorker;
  std::vector<double> weights;  ///< for each part, its estimated share of the work (PartShare)
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
  std::uint64_t memory_bytes = 0;  ///< memory that the worker may use
};

/// Identifies one count of a part. Pass 0 and pass 1 are counts of the same part by different
/// workers.
struct PartKey {
  int pass = 0;
  std::int64_t number = 0;
  friend bool operator==(const PartKey&, const PartKey&) = default;
};

/// A part that a worker has leased.
struct ClaimedPart {
  PartKey key;
  std::int64_t epoch = 0;  ///< number of leases of the part up to and including this one
};

/// A part, or the reason why the worker gets none. If there is no part and `state` is kRunning, no
/// part is available to this worker now. Any other state means that the campaign is not running.
struct Claim {
  CampaignState state = CampaignState::kRunning;
  std::optional<ClaimedPart> part;
};

/// A counted part that has not yet been committed.
struct FinishedPart {
  ClaimedPart part;
  PartCount count;
  double seconds = 0;
};

/// The answer to a commit. The database has compared the count with all stored counts of the part.
/// It has also stored the count, unless this pass already had a count of the part.
struct CommitAnswer {
  CampaignState state = CampaignState::kRunning;
  bool lease_lost = false;  ///< the worker held no lease; known only if `state` is kRunning
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
  std::int64_t workers_counting = 0;  ///< number of workers with a lease
  /// Number of workers that have not ended, and were not silent for longer than a lease.
  std::int64_t workers_seen = 0;
  /// Number of workers that ended, or were silent for longer than a lease.
  std::int64_t workers_gone = 0;
  std::int64_t workers_refused = 0;
  double seconds = 0;  ///< sum of the workers' counting times, in both passes
  double leaves = 0;   ///< number of leaves that workers have counted, in both passes
  std::int64_t disputes = 0;
  /// Number of parts that wait because no active worker may count them.
  std::int64_t parts_for_another = 0;
  VerifyOther verify_other = VerifyOther::kWorker;
};

/// A group of parts that are adjacent in the order of weights. The members have one value for each
/// pass. `planned` is the total weight of the group's parts that the pass counts. `done` and
/// `leased` are the total weights of the parts that are done and leased.
struct CampaignCell {
  std::array<double, 2> planned{};
  std::array<double, 2> done{};
  std::array<double, 2> leased{};  ///< leased and not done
};

/// When a part was counted. Times are in seconds since 1970, by the database's clock.
struct CountedPart {
  double begin = 0;
  double end = 0;
  double leaves = 0;
};

/// A worker and the parts that it has committed.
struct CampaignWorker {
  std::int64_t id = 0;
  std::string host;
  std::string label;
  std::string version;
  std::string kernel;
  int threads = 0;
  std::uint64_t memory_bytes = 0;
  std::string state;  ///< "counting", "waiting", "ended", "gone" (silent), "refused"
  std::optional<std::string> refused;  ///< why the worker was refused
  double seconds_since_seen = 0;
  std::int64_t parts = 0;
  double seconds = 0;  ///< counting time of these parts
};

/// A stored count of a part.
struct StoredPart {
  PartKey key;
  std::int64_t worker = 0;
  PartCount count;
  bool intact = false;    ///< the digest matches the count
  bool verified = false;  ///< another worker has also counted the part
};

/// A stored count that is inconsistent. Either its digest does not match, or the other pass has a
/// different count of the part and no dispute is open.
struct DamagedPart {
  PartKey key;
  std::int64_t worker = 0;
  std::string what;  ///< "is damaged: its digest does not match its count"
};

/// Two counts of the same part that differ.
struct CampaignDispute {
  std::int64_t part = 0;
  std::string nodes0;  ///< decimal digits
  std::string nodes1;
  std::int64_t worker0 = 0;
  std::int64_t worker1 = 0;
};

/// A campaign's total and the evidence for it.
struct CampaignResult {
  Campaign campaign;
  PartCount sum;
  std::int64_t parts = 0;           ///< number of parts of pass 0
  std::int64_t parts_verified = 0;  ///< number of parts of pass 1
  std::int64_t workers = 0;         ///< number of workers that counted
  double seconds = 0;               ///< sum of the workers' counting times, in both passes
  /// Each kernel, with the number of workers that used it.
  std::vector<std::pair<std::string, std::int64_t>> kernels;
};

/// One connection to the database. Use it from one thread at a time. Errors are those of Postgres.
class CampaignStore {
 public:
  explicit CampaignStore(DatabaseAddress address) : address_(std::move(address)) {}

  /// Connects if there is no connection. All other functions connect by themselves.
  [[nodiscard]] std::optional<Error> connect(const std::stop_token& stop = {});

  // Functions for users with the role manyply_owner.

  /// The schema versions before and after init().
  struct Versions {
    std::int64_t before = 0;  ///< 0 = no schema
    std::int64_t after = 0;
  };
  /// Creates missing roles and the schema in one transaction. If several processes call it, they
  /// wait for each other. If roles are missing, the user needs the right to create roles. Error
  /// kInvalidInput: the schema has another version.
  Result<Versions> init(const std::stop_token& stop = {});
  /// Creates a campaign. Error kInvalidInput: the name is already in use.
  [[nodiscard]] std::optional<Error> create(const NewCampaign& campaign,
                                            const std::stop_token& stop = {});
  /// Stops a running campaign, or continues a stopped one. Does not change a disputed or done
  /// campaign. Returns the state afterwards. Error kInvalidInput: no campaign has this name.
  Result<CampaignState> set_running(const std::string& name, bool running,
                                    const std::stop_token& stop = {});
  /// Deletes a campaign with all its counts. Makes several round trips in one transaction. Error
  /// kInvalidInput: no campaign has this name.
  [[nodiscard]] std::optional<Error> drop(const std::string& name,
                                          const std::stop_token& stop = {});

  /// Withdraws all counts of a worker, so that their parts are counted again. Settles the worker's
  /// disputes, and gives the worker no more parts. Returns the number of withdrawn counts. If the
  /// worker registers again, it receives `reason`.
  Result<std::int64_t> withdraw_worker(const Campaign& campaign, std::int64_t worker,
                                       const std::string& reason, const std::stop_token& stop = {});
  /// Withdraws one count, without consequences for its worker. Settles the disputes about the part.
  /// Returns the number of withdrawn counts: 0 if the part has no count in that pass, otherwise 1.
  Result<std::int64_t> withdraw_part(const Campaign& campaign, const DamagedPart& part,
                                     const std::stop_token& stop = {});

  // Functions for workers.

  /// Returns the campaign with this name. Error kInvalidInput: no campaign has this name.
  Result<Campaign> find(const std::string& name, const std::stop_token& stop = {});
  /// Returns the plan of the campaign's parts. Error kInvalidInput: the campaign does not exist.
  /// Error kInternal: the stored plan has another identity than the campaign.
  Result<std::string> plan_of(const Campaign& campaign, const Board& root,
                              const std::stop_token& stop = {});
  /// Registers a worker and returns its number. A worker that registers again gets the same number.
  /// Error kInvalidInput: the worker is refused.
  Result<std::int64_t> register_worker(std::int64_t campaign, const NewWorker& worker,
                                       const std::stop_token& stop = {});
  /// Leases a part. If the worker already has a lease, returns the part of this lease.
  Result<Claim> claim(std::int64_t worker, std::int64_t campaign, const std::stop_token& stop = {});
  /// Stores the count of a part, and ends the part's lease. The count is durable when the function
  /// returns.
  Result<CommitAnswer> commit(std::int64_t worker, const Campaign& campaign,
                              const FinishedPart& part, const std::stop_token& stop = {},
                              std::chrono::milliseconds patience = Postgres::kPatience);
  /// Renews the lease of a worker. Returns the campaign's state. Error kInvalidInput: the campaign
  /// has been deleted.
  Result<CampaignState> renew(std::int64_t worker, const std::stop_token& stop = {});
  /// Ends a worker. The part that it has leased becomes available again.
  [[nodiscard]] std::optional<Error> hand_back(std::int64_t worker,
                                               std::chrono::milliseconds patience);

  // Functions for readers.

  /// Returns the names of all campaigns, oldest first.
  Result<std::vector<std::string>> names(const std::stop_token& stop = {});
  /// Returns the state of a campaign. Makes several round trips on one snapshot. Error
  /// kInvalidInput: no campaign has this name.
  Result<CampaignStatus> status(const std::string& name, const std::stop_token& stop = {});
  /// Returns the disputes that are not settled.
  Result<std::vector<CampaignDispute>> disputes(const std::string& name,
                                                const std::stop_token& stop = {});
  /// Returns all workers that have ever registered, in the order of registration. Makes two round
  /// trips.
  Result<std::vector<CampaignWorker>> workers(const std::string& name,
                                              const std::stop_token& stop = {});
  static constexpr std::int64_t kMostCells = 200;
  /// Returns all parts, the heaviest first, grouped into at most kMostCells cells with about equal
  /// numbers of parts.
  Result<std::vector<CampaignCell>> strip(const Campaign& campaign,
                                          const std::stop_token& stop = {});
  /// Returns the time at which each part was counted, in both passes.
  Result<std::vector<CountedPart>> history(const Campaign& campaign,
                                           const std::stop_token& stop = {});
  /// Returns the counts of one worker or of all workers, ordered by pass and number.
  Result<std::vector<StoredPart>> counted(const Campaign& campaign,
                                          std::optional<std::int64_t> worker = {},
                                          const std::stop_token& stop = {});
  /// Returns the counts that differ from what their workers sent. Also returns the counts that
  /// differ between the passes although there is no dispute. Makes several round trips on one
  /// snapshot.
  Result<std::vector<DamagedPart>> damage(const std::string& name,
                                          const std::stop_token& stop = {});
  /// Returns the total. Makes several round trips on one snapshot. Error kInvalidInput: the
  /// campaign is not done or is in dispute. Error kInternal: the stored data are inconsistent.
  /// For example, counts are missing or belong to no part, a digest is wrong, or the passes differ.
  /// Error kOverflow: the total is too large.
  Result<CampaignResult> result(const std::string& name, const std::stop_token& stop = {});

 private:
  /// Runs one statement. Connects first if needed, except within a transaction, because a new
  /// connection would lose the transaction.
  Result<PostgresRows> ask(const char* sql, const PostgresValues& values,
                           const std::stop_token& stop,
                           std::chrono::milliseconds patience = Postgres::kPatience);
  /// Calls `read`. All its statements see the same snapshot of the database.
  template <typename T>
  Result<T> on_one_snapshot(const std::stop_token& stop, const std::function<Result<T>()>& read);
  Result<CampaignStatus> read_status(const std::string& name, const std::stop_token& stop);
  Result<CampaignResult> read_result(const std::string& name, const std::stop_token& stop);
  Result<std::vector<DamagedPart>> read_damage(const std::string& name,
                                               const std::stop_token& stop);

  DatabaseAddress address_;
  std::optional<Postgres> postgres_;
  bool in_transaction_ = false;  // on_one_snapshot() has begun a transaction
};

// The embedded scripts: the schema of the campaign database, and the batch script for Slurm.

/// The schema version that `init` writes. Raise it with every change of schema.sql,
/// counts.sql, leases.sql or roles.sql. `init` refuses databases of other versions.
inline constexpr std::int64_t kCampaignSchema = 5;

/// Returns schema.sql, counts.sql and leases.sql.
[[nodiscard]] std::string_view schema_script();

/// Returns the script that creates missing roles and the schema. Run it at the start of a
/// transaction.
[[nodiscard]] std::string_view roles_script();

/// Returns worker.sbatch. In this script, %NAME% stands for the campaign's name and %WORK% for the
/// worker's command.
[[nodiscard]] std::string_view slurm_script();

// Numbers are stored as bytes, in little-endian order on every machine.

/// Returns 8 bytes.
[[nodiscard]] std::vector<std::byte> stored_bytes(std::uint64_t word);
/// Returns 16 bytes, low word first.
[[nodiscard]] std::vector<std::byte> stored_bytes(const Hash128& hash);
/// Precondition: `bytes` has 16 bytes.
[[nodiscard]] Hash128 stored_hash(std::span<const std::byte> bytes);

/// Returns the digest of a part's count. The digest also depends on the campaign's identity and on
/// the part. It therefore detects a count that is stored for another campaign or part.
[[nodiscard]] Hash128 part_digest(const Hash128& campaign, std::int64_t part,
                                  const PartCount& count);

}  // namespace manyply
