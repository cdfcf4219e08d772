// Campaigns in a database: what schema.sql offers, as typed calls. Each is one round trip and one
// transaction but for those that say otherwise.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/node_count.h"
#include "core/result.h"
#include "hash/fingerprint.h"
#include "parallel/split/range_plan.h"
#include "tools/campaign/postgres.h"

namespace manyply {

/// What is wrong with a campaign: it is not what somebody takes it for, or does not fit together.
[[nodiscard]] Error campaign_refusal(std::string message);
[[nodiscard]] Error campaign_damage(std::string message);

enum class CampaignState : std::uint8_t { kRunning, kStopped, kDisputed, kDone };
[[nodiscard]] std::string_view to_string(CampaignState state);  ///< "running", …
/// kInternal if there is none of that name.
Result<CampaignState> parse_state(const std::string& name);

/// What all who take part in a campaign must agree about.
struct Campaign {
  std::int64_t id = 0;
  std::string name;
  std::string fen;
  Depth depth;
  int split_ply = 0;
  std::uint64_t units = 0;
  std::uint64_t ranges = 0;  ///< of pass 0
  Hash128 identity;
  std::uint64_t signature = 0;
  std::string version;
  CampaignState state = CampaignState::kRunning;
  double lease_seconds = 0;
  std::size_t root_moves = 0;

  /// Its units are packed and do not know their root moves: a total, and no divide.
  [[nodiscard]] bool deep() const { return root_moves == 0; }
};

/// From whom a second count must come.
enum class VerifyOther : std::uint8_t { kWorker, kHost, kKernel };
[[nodiscard]] std::string_view to_string(VerifyOther other);  ///< "worker", …

/// A campaign to be made.
struct NewCampaign {
  std::string name;
  std::string fen;
  Depth depth;
  int split_ply = 0;
  Hash128 identity;
  std::vector<std::string> root_moves;  ///< UCI; none if the units do not know them
  std::string version;
  double lease_seconds = 120;
  double verify = 0;  ///< share of the ranges that are counted twice
  VerifyOther verify_other = VerifyOther::kWorker;
  std::vector<PlannedRange> ranges;
  std::vector<bool> verified;  ///< by range, whether it is one of them
};

/// A worker that asks to take part.
struct NewWorker {
  std::string host;
  std::string label;
  std::string version;
  std::string kernel;
  std::uint64_t signature = 0;
  Hash128 identity;
  std::uint64_t key_seed = 0;
  int key_bits = 0;
  std::uint64_t process = 0;  ///< random: by it and its seed it is known when it asks again
  int threads = 0;
  std::uint64_t hash_bytes = 0;
};

/// Two passes are two counts of one range, by different workers.
struct RangeKey {
  int pass = 0;
  std::int64_t number = 0;
};

struct ClaimedRange {
  RangeKey key;
  std::int64_t epoch = 0;  ///< of the lease
  PlannedRange range;
  std::uint32_t batches_there = 0;  ///< one bit each
};

/// A range, or why there is none: the campaign does not run, or all ranges are taken.
struct Claim {
  CampaignState state = CampaignState::kRunning;
  std::optional<ClaimedRange> range;
};

struct FinishedBatch {
  RangeKey range;
  std::uint32_t number = 0;
  std::int64_t epoch = 0;
  std::vector<NodeCount> counts = {};  ///< by unit, in the plan's order
  std::vector<NodeCount> sums = {};    ///< paths × count, by root move or all together
  std::uint64_t visited = 0;
  double seconds = 0;
};

struct CommitAnswer {
  CampaignState state = CampaignState::kRunning;
  bool lease_lost = false;
};

/// What there is to see of a campaign.
struct CampaignStatus {
  Campaign campaign;
  struct Pass {
    std::int64_t ranges = 0;
    std::int64_t ranges_done = 0;
    std::int64_t ranges_leased = 0;  ///< by leases that are not over
    std::int64_t batches = 0;
    std::int64_t batches_done = 0;
    double weight = 0;
    double weight_done = 0;
  };
  std::array<Pass, 2> passes;
  std::int64_t workers_seen = 0;  ///< alive, as far as leases tell
  std::int64_t workers_gone = 0;  ///< ended, or not seen for the time of a lease
  std::int64_t workers_refused = 0;
  double leaves_last_minute = 0;
  double weight_last_minute = 0;  ///< of both passes
  std::int64_t disputes = 0;
  /// Ranges that wait for a worker although nobody who is alive may count them.
  std::int64_t ranges_for_another = 0;
  VerifyOther verify_other = VerifyOther::kWorker;
};

/// Neighbouring ranges, what they are estimated to be and what has become of that; by pass. All in
/// the unit of weights.
struct CampaignCell {
  std::array<double, 2> planned{};
  std::array<double, 2> done{};
  std::array<double, 2> leased{};  ///< and not done
};

/// What was brought in each ten seconds by the database's clock, of both passes.
struct CampaignHistory {
  static constexpr int kSlotSeconds = 10;
  std::map<std::int64_t, double> leaves = {};  ///< by slot; slots without any are left out
  std::int64_t now = 0;                        ///< the slot that is not over
};

/// A worker as it is known, and what it brought.
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
  std::string state;  ///< "counting", "waiting", "ended", "gone" (not heard of), "refused"
  std::optional<std::string> refused;  ///< why
  double seconds_since_seen = 0;
  std::int64_t batches = 0;
  std::uint64_t visited = 0;
};

/// One batch, and whether another worker has counted it, too.
struct CampaignBatch {
  RangeKey range;
  std::int64_t number = 0;
  bool verified = false;
};

/// A batch that is not what its worker sent, and how that shows.
struct DamagedBatch {
  RangeKey range;
  std::int64_t number = 0;
  std::int64_t worker = 0;
  std::string what;  ///< "is damaged: its digest is not that of its counts"
};

struct CampaignDispute {
  std::int64_t range = 0;
  PlannedRange planned;  ///< that range
  std::int64_t batch = 0;
  std::int64_t unit =
      0;               ///< its place in the plan's order; -1: not the counts differ, but the sums
  std::string count0;  ///< decimal
  std::string count1;
  std::int64_t worker0 = 0;
  std::int64_t worker1 = 0;
};

/// A campaign's total, and what speaks for it.
struct CampaignResult {
  Campaign campaign;
  NodeCount nodes;
  std::vector<std::pair<std::string, NodeCount>> divide;  ///< by the root's moves; empty if deep
  std::int64_t batches = 0;                               ///< of pass 0: every unit once
  std::int64_t batches_verified = 0;                      ///< of pass 1
  std::int64_t workers = 0;                               ///< that counted
  std::int64_t workers_unended = 0;  ///< of these, those that did not live to say what they expect
  double false_matches = 0;          ///< expected, of those that did
  std::vector<std::pair<std::string, std::int64_t>> kernels;  ///< and how many workers took them
};

struct StoredBatch;

/// One connection. One thread at a time. Errors are those of Postgres.
class CampaignStore {
 public:
  explicit CampaignStore(DatabaseAddress address) : address_(std::move(address)) {}

  /// Connects, if there is no connection. All others do so by themselves.
  [[nodiscard]] std::optional<Error> connect(const std::stop_token& stop = {});

  // For those who have the role manyply_owner.

  /// Makes roles and schema where they are missing; all or nothing, and one at a time. The
  /// version before and after. Needs the right to create roles where they are missing.
  struct Versions {
    std::int64_t before = 0;
    std::int64_t after = 0;
  };
  Result<Versions> init(const std::stop_token& stop = {});
  /// kInvalidInput if there is one of that name.
  [[nodiscard]] std::optional<Error> create(const NewCampaign& campaign,
                                            const std::stop_token& stop = {});
  /// Stops a campaign that runs, or lets one go on that was stopped. The state it is in then.
  Result<CampaignState> set_running(const std::string& name, bool running,
                                    const std::stop_token& stop = {});
  [[nodiscard]] std::optional<Error> drop(const std::string& name,
                                          const std::stop_token& stop = {});

  /// Puts aside all batches of a worker, which gets no more: they are counted again, and its
  /// disputes are settled. How many those were. `reason` is what it is told should it come back.
  Result<std::int64_t> withdraw_worker(const Campaign& campaign, std::int64_t worker,
                                       const std::string& reason, const std::stop_token& stop = {});
  /// The same of one batch, which says nothing against its worker.
  Result<std::int64_t> withdraw_batch(const Campaign& campaign, const DamagedBatch& batch,
                                      const std::stop_token& stop = {});

  // For workers.

  Result<Campaign> find(const std::string& name, const std::stop_token& stop = {});
  /// The worker's number, the same one whenever it asks; kInvalidInput if it is refused.
  Result<std::int64_t> register_worker(std::int64_t campaign, const NewWorker& worker,
                                       const std::stop_token& stop = {});
  /// A range: the one after `last`, if it can be had.
  Result<Claim> claim(std::int64_t worker, std::int64_t campaign,
                      const std::optional<RangeKey>& last, const std::stop_token& stop = {});
  Result<CommitAnswer> commit(std::int64_t worker, const Campaign& campaign,
                              const FinishedBatch& batch, const std::stop_token& stop = {});
  Result<CampaignState> renew(std::int64_t worker, const std::stop_token& stop = {});
  /// The worker ends; false matches that are to be expected of all it counted.
  [[nodiscard]] std::optional<Error> hand_back(std::int64_t worker, double false_matches,
                                               std::chrono::milliseconds patience);

  // For readers.

  Result<std::vector<std::string>> names(const std::stop_token& stop = {});
  Result<CampaignStatus> status(const std::string& name, const std::stop_token& stop = {});
  /// Those that are not settled.
  Result<std::vector<CampaignDispute>> disputes(const std::string& name,
                                                const std::stop_token& stop = {});
  /// All that ever asked to take part.
  Result<std::vector<CampaignWorker>> workers(const std::string& name,
                                              const std::stop_token& stop = {});
  /// All ranges in their order, as up to kMostCells cells of equally many.
  static constexpr std::int64_t kMostCells = 200;
  Result<std::vector<CampaignCell>> strip(const Campaign& campaign,
                                          const std::stop_token& stop = {});
  /// Brings `history` up to date: what it has is not read again, but for the last minutes.
  [[nodiscard]] std::optional<Error> follow(const Campaign& campaign, CampaignHistory& history,
                                            const std::stop_token& stop = {});
  /// What one of them brought, by pass, range and number.
  Result<std::vector<CampaignBatch>> batches_of(const Campaign& campaign, std::int64_t worker,
                                                const std::stop_token& stop = {});
  /// All batches that are not what their workers sent, or not the same in both passes although
  /// nobody has disputed them. Several round trips on one snapshot. `units` are the campaign's.
  Result<std::vector<DamagedBatch>> damage(const std::string& name, const JobUnits& units,
                                           const std::stop_token& stop = {});
  /// Several round trips on one snapshot. `units` are the campaign's. kInvalidInput if the campaign
  /// is not done or in dispute; kInternal, with the place, if what is stored does not fit together:
  /// batches missing or twice, ranges that overlap, a digest or a sum that is not its counts'.
  /// kOverflow.
  Result<CampaignResult> result(const std::string& name, const JobUnits& units,
                                const std::stop_token& stop = {});

 private:
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
  /// Every batch of both passes, by pass, range and number, as many at a time as memory does not
  /// feel. Ends with what `take` complains of.
  [[nodiscard]] std::optional<Error> for_each_batch(
      const Campaign& campaign, const std::stop_token& stop,
      const std::function<std::optional<Error>(const StoredBatch&)>& take);

  DatabaseAddress address_;
  std::optional<Postgres> postgres_;
  bool in_transaction_ = false;  // which does not outlive its connection
};

}  // namespace manyply
