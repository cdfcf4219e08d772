// The functions of CampaignStore that only read: status, workers, damage, result.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "tools/campaign/campaign_store.h"

namespace manyply {

/// A batch as it is stored. Its digest and its sums are compared with its counts.
struct StoredBatch {
  RangeKey range;
  std::uint32_t number = 0;
  std::int64_t worker = 0;
  std::span<const std::byte> counts = {};
  Hash128 digest = {};
  std::string sums = {};  // decimal, separated by commas
};

namespace {

/// A range as it is stored, and its state: 'waiting', 'open', 'leased' or 'done'.
struct StoredRange {
  PlannedRange range;
  std::string state;
};
using StoredRanges = std::map<std::pair<std::int64_t, std::int64_t>, StoredRange>;  // pass, number

/// Reads rows of pass, no, first_unit, units, batches, state, ordered by pass and no. kInternal,
/// with the place, unless all ranges are done, those of pass 0 cover the units without gaps, and
/// each of pass 1 equals that of pass 0.
Result<StoredRanges> ranges_in(const PostgresRows& rows, const Campaign& campaign) {
  StoredRanges ranges;
  std::uint64_t next_unit = 0;
  std::int64_t next_range = 0;
  for (int row = 0; row < rows.count(); ++row) {
    const std::int64_t pass = rows.integer(row, 0);
    const std::int64_t number = rows.integer(row, 1);
    const StoredRange stored{.range = {.first = static_cast<std::uint64_t>(rows.integer(row, 2)),
                                       .units = static_cast<std::uint32_t>(rows.integer(row, 3)),
                                       .batches = static_cast<std::uint32_t>(rows.integer(row, 4))},
                             .state = rows.text(row, 5)};
    if (stored.state != "done")
      return campaign_damage(fmt::format("range {} of pass {} is not done", number, pass));
    if (pass == 0) {
      if (number != next_range++)
        return campaign_damage(fmt::format("range {} is missing", next_range - 1));
      if (stored.range.first != next_unit)
        return campaign_damage(
            fmt::format("range {} begins at unit {}, but the one before it ends at {}", number,
                        stored.range.first, next_unit));
      next_unit += stored.range.units;
    } else {
      const auto first = ranges.find({0, number});
      if (first == ranges.end() || first->second.range.first != stored.range.first ||
          first->second.range.units != stored.range.units ||
          first->second.range.batches != stored.range.batches)
        return campaign_damage(fmt::format("range {} is another one in pass 1", number));
    }
    ranges.emplace(std::pair(pass, number), stored);
  }
  if (static_cast<std::uint64_t>(next_range) != campaign.ranges || next_unit != campaign.units)
    return campaign_damage(fmt::format("the ranges are {}, with {} units; made were {}, with {}",
                                       next_range, next_unit, campaign.ranges, campaign.units));
  return ranges;
}

/// Adds the batch's counts × paths to `sums`. Returns null if size, digest and sums are those that
/// the worker sent, else what differs, as the end of a sentence. Throws CountOverflow.
const char* complaint_of(const StoredBatch& batch, const PlannedRange& range,
                         const Hash128& campaign, const JobUnits& units,
                         std::vector<NodeCount>& sums) {
  const UnitSpan span = range.batch_span(batch.number);
  const StoredCounts counts(batch.counts, span.size());
  if (!counts.fit()) return "has another size";
  if (batch_digest(campaign, batch.range.number, batch.number, batch.counts) != batch.digest)
    return "is damaged: its digest is not that of its counts";
  for (std::size_t i = 0; i < span.size(); ++i) units.add_paths(span.begin + i, counts[i], sums);
  std::string text;
  for (const NodeCount sum : sums) text += (text.empty() ? "" : ",") + sum.to_string();
  return text == batch.sums ? nullptr : "is damaged: its sums are not those of its counts";
}

/// Checks that all batches of all ranges are present once and are undamaged, and adds up pass 0.
class BatchChecker {
 public:
  BatchChecker(const Campaign& campaign, const StoredRanges& ranges, const JobUnits& units)
      : campaign_(campaign), ranges_(ranges), units_(units), total_(units.sums()) {}

  /// Takes the batches in the order of pass, range and number. Returns an error if this one is
  /// damaged, unexpected, or the one before it is missing. Throws CountOverflow.
  std::optional<Error> take(const StoredBatch& batch) {
    if (auto error = expect(batch)) return error;
    const PlannedRange& range = ranges_.at({batch.range.pass, batch.range.number}).range;
    std::vector<NodeCount> sums(total_.size());
    const char* const complaint = complaint_of(batch, range, campaign_.identity, units_, sums);
    if (complaint != nullptr) return wrong(batch, complaint);
    if (batch.range.pass > 0) return std::nullopt;
    for (std::size_t move = 0; move < sums.size(); ++move) total_[move] += sums[move];
    return std::nullopt;
  }

  /// Call it after the last batch. Returns an error if batches are missing at the end.
  [[nodiscard]] std::optional<Error> finish() {
    if (next_ == ranges_.end()) return std::nullopt;
    return missing();
  }

  [[nodiscard]] const std::vector<NodeCount>& total() const { return total_; }

 private:
  /// Compares the place of `batch` with the next expected one, and moves on.
  std::optional<Error> expect(const StoredBatch& batch) {
    const auto wanted = next_ == ranges_.end()
                            ? std::tuple(std::int64_t{2}, std::int64_t{0}, std::uint32_t{0})
                            : std::tuple(next_->first.first, next_->first.second, next_batch_);
    const std::tuple found(std::int64_t{batch.range.pass}, batch.range.number, batch.number);
    if (found < wanted) return wrong(batch, "is one too many");
    if (found > wanted) return missing();
    if (++next_batch_ == next_->second.range.batches) {
      next_batch_ = 0;
      ++next_;
    }
    return std::nullopt;
  }
  [[nodiscard]] Error missing() const {
    return campaign_damage(fmt::format("batch {} of range {}, pass {}, is missing", next_batch_,
                                       next_->first.second, next_->first.first));
  }
  static Error wrong(const StoredBatch& batch, const char* what) {
    return campaign_damage(fmt::format("batch {} of range {}, pass {}, {}", batch.number,
                                       batch.range.number, batch.range.pass, what));
  }

  const Campaign& campaign_;
  const StoredRanges& ranges_;
  const JobUnits& units_;
  std::vector<NodeCount> total_;  // of pass 0: per root move, or one for all together
  StoredRanges::const_iterator next_ = ranges_.begin();
  std::uint32_t next_batch_ = 0;
};

/// Selects batches that differ between the passes: range, number, and the worker of each pass.
constexpr const char* kApart = R"(
SELECT a.range, a.no, a.worker, b.worker FROM manyply.batch a JOIN manyply.batch b
  ON b.campaign = a.campaign AND b.range = a.range AND b.no = a.no AND b.pass = 1
WHERE a.campaign = $1 AND a.pass = 0 AND (a.counts <> b.counts OR a.sums <> b.sums)
ORDER BY 1, 2)";

}  // namespace

template <typename T>
Result<T> CampaignStore::on_one_snapshot(const std::stop_token& stop,
                                         const std::function<Result<T>()>& read) {
  if (auto error = connect(stop)) return *std::move(error);
  if (auto error = postgres_->execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", stop))
    return *std::move(error);
  in_transaction_ = true;
  Result<T> result = read();
  in_transaction_ = false;
  const auto ended = postgres_->execute("COMMIT", stop);
  // After an error the connection may be in an aborted transaction; the next call connects again.
  if (!result) postgres_.reset();
  return result.ok() && ended ? Result<T>(*ended) : std::move(result);
}

Result<std::vector<std::string>> CampaignStore::names(const std::stop_token& stop) {
  const Result<PostgresRows> rows = ask("SELECT name FROM manyply.campaign ORDER BY id", {}, stop);
  if (!rows) return rows.error();
  std::vector<std::string> names;
  for (int row = 0; row < rows->count(); ++row) names.push_back(rows->text(row, 0));
  return names;
}

Result<CampaignStatus> CampaignStore::status(const std::string& name, const std::stop_token& stop) {
  return on_one_snapshot<CampaignStatus>(stop, [&] { return read_status(name, stop); });
}

Result<CampaignStatus> CampaignStore::read_status(const std::string& name,
                                                  const std::stop_token& stop) {
  const Result<Campaign> campaign = find(name, stop);
  if (!campaign) return campaign.error();
  CampaignStatus status;
  status.campaign = *campaign;
  const auto id = PostgresValues().integer(campaign->id);

  const Result<PostgresRows> passes = ask(R"(
SELECT pass, count(*), count(*) FILTER (WHERE state = 'done'),
       count(*) FILTER (WHERE state = 'leased' AND lease_until >= now()),
       sum(batches), sum(batches_done),
       sum(weight::float8), sum(weight::float8 * batches_done / batches)
FROM manyply.range WHERE campaign = $1 GROUP BY pass)",
                                          id, stop);
  if (!passes) return passes.error();
  for (int row = 0; row < passes->count(); ++row) {
    CampaignStatus::Pass& pass =
        status.passes.at(static_cast<std::size_t>(passes->integer(row, 0)));
    pass.ranges = passes->integer(row, 1);
    pass.ranges_done = passes->integer(row, 2);
    pass.ranges_leased = passes->integer(row, 3);
    pass.batches = passes->integer(row, 4);
    pass.batches_done = passes->integer(row, 5);
    pass.weight = passes->number(row, 6);
    pass.weight_done = passes->number(row, 7);
  }

  // A worker is alive if it has called the database within the time of a lease.
  const Result<PostgresRows> others = ask(R"(
WITH member AS (
  SELECT w.*, w.refused IS NULL AND w.ended IS NULL AND w.seen > now() - c.lease AS alive,
    CASE c.verify_other WHEN 'worker' THEN w.id::text WHEN 'host' THEN w.host ELSE w.kernel END AS kind
  FROM manyply.worker w JOIN manyply.campaign c ON c.id = w.campaign WHERE c.id = $1),
alive AS (SELECT id, kind FROM member WHERE alive),
held AS (
  SELECT b.pass, b.range AS no, b.worker FROM manyply.batch b WHERE b.campaign = $1
  UNION ALL
  SELECT r.pass, r.no, r.worker FROM manyply.range r
  WHERE r.campaign = $1 AND r.state = 'leased' AND r.lease_until >= now()),
-- Ranges that nobody alive may count, as may_count() has it: all kinds of them have a hand in the
-- other pass. Asked for each range, it would take seconds.
barred AS (
  SELECT 1 - h.pass AS pass, h.no FROM held h JOIN member m ON m.id = h.worker
  WHERE m.kind IN (SELECT kind FROM alive)
    AND (h.pass = 0 OR EXISTS (SELECT FROM manyply.withdrawn g WHERE g.campaign = $1))
  GROUP BY h.pass, h.no
  HAVING count(DISTINCT m.kind) = (SELECT count(DISTINCT kind) FROM alive))
SELECT (SELECT count(*) FROM alive),
  (SELECT count(*) FROM manyply.worker w WHERE w.campaign = $1 AND w.refused IS NULL),
  (SELECT count(*) FROM manyply.worker w WHERE w.campaign = $1 AND w.refused IS NOT NULL),
  (SELECT count(*) FROM manyply.dispute d WHERE d.campaign = $1 AND d.settled IS NULL),
  (SELECT coalesce(sum(s), 0)::float8 FROM manyply.batch b, unnest(b.sums) s
   WHERE b.campaign = $1 AND b.committed > now() - interval '1 minute'),
  (SELECT coalesce(sum(r.weight::float8 / r.batches), 0)
   FROM manyply.batch b JOIN manyply.range r
     ON r.campaign = b.campaign AND r.pass = b.pass AND r.no = b.range
   WHERE b.campaign = $1 AND b.committed > now() - interval '1 minute'),
  (SELECT count(*) FROM manyply.range r WHERE r.campaign = $1 AND r.state = 'open'
     AND CASE WHEN EXISTS (SELECT FROM alive) THEN (r.pass, r.no) IN (SELECT pass, no FROM barred)
              ELSE r.pass = 1 END),
  (SELECT CASE c.verify_other WHEN 'worker' THEN 0 WHEN 'host' THEN 1 ELSE 2 END
   FROM manyply.campaign c WHERE c.id = $1)
)",
                                          id, stop);
  if (!others) return others.error();
  status.workers_seen = others->integer(0, 0);
  status.workers_gone = others->integer(0, 1) - status.workers_seen;
  status.workers_refused = others->integer(0, 2);
  status.disputes = others->integer(0, 3);
  status.leaves_last_minute = others->number(0, 4);
  status.weight_last_minute = others->number(0, 5);
  status.ranges_for_another = others->integer(0, 6);
  status.verify_other = static_cast<VerifyOther>(others->integer(0, 7));
  return status;
}

Result<std::vector<CampaignDispute>> CampaignStore::disputes(const std::string& name,
                                                             const std::stop_token& stop) {
  const Result<PostgresRows> rows = ask(R"(
SELECT d.range, d.batch, d.unit, d.count0, d.count1, d.worker0, d.worker1,
       r.first_unit, r.units, r.batches
FROM manyply.dispute d JOIN manyply.campaign c ON c.id = d.campaign
  JOIN manyply.range r ON r.campaign = d.campaign AND r.pass = 0 AND r.no = d.range
WHERE c.name = $1 AND d.settled IS NULL ORDER BY d.found, d.range, d.batch, d.unit)",
                                        PostgresValues().text(name), stop);
  if (!rows) return rows.error();
  std::vector<CampaignDispute> disputes;
  const auto count = [&](int row, int column) {
    if (rows->is_null(row, column)) return std::string();
    return StoredCounts(rows->bytes(row, column), 1)[0].to_string();
  };
  for (int row = 0; row < rows->count(); ++row) {
    disputes.push_back({.range = rows->integer(row, 0),
                        .planned = {.first = static_cast<std::uint64_t>(rows->integer(row, 7)),
                                    .units = static_cast<std::uint32_t>(rows->integer(row, 8)),
                                    .batches = static_cast<std::uint32_t>(rows->integer(row, 9))},
                        .batch = rows->integer(row, 1),
                        .unit = rows->integer(row, 2),
                        .count0 = count(row, 3),
                        .count1 = count(row, 4),
                        .worker0 = rows->integer(row, 5),
                        .worker1 = rows->integer(row, 6)});
  }
  return disputes;
}

Result<std::vector<CampaignWorker>> CampaignStore::workers(const std::string& name,
                                                           const std::stop_token& stop) {
  const Result<Campaign> campaign = find(name, stop);
  if (!campaign) return campaign.error();
  const Result<PostgresRows> rows = ask(R"(
SELECT w.id, w.host, w.label, w.version, w.kernel, w.key_seed, w.key_bits, w.threads, w.hash_bytes,
  CASE WHEN w.refused IS NOT NULL THEN 'refused' WHEN w.ended IS NOT NULL THEN 'ended'
       WHEN w.seen <= now() - c.lease THEN 'gone'
       WHEN EXISTS (SELECT FROM manyply.range r WHERE r.worker = w.id AND r.state = 'leased')
       THEN 'counting' ELSE 'waiting' END,
  w.refused, extract(epoch FROM now() - w.seen)::float8, coalesce(b.batches, 0),
  coalesce(b.visited, 0)
FROM manyply.campaign c JOIN manyply.worker w ON w.campaign = c.id
  LEFT JOIN (SELECT worker, count(*) AS batches, sum(visited)::bigint AS visited
             FROM manyply.batch WHERE campaign = $1 GROUP BY worker) b ON b.worker = w.id
WHERE c.id = $1 ORDER BY w.id)",
                                        PostgresValues().integer(campaign->id), stop);
  if (!rows) return rows.error();
  std::vector<CampaignWorker> workers;
  for (int row = 0; row < rows->count(); ++row) {
    CampaignWorker& worker = workers.emplace_back();
    worker.id = rows->integer(row, 0);
    worker.host = rows->text(row, 1);
    worker.label = rows->text(row, 2);
    worker.version = rows->text(row, 3);
    worker.kernel = rows->text(row, 4);
    worker.key_seed = stored_word(rows->bytes(row, 5));
    worker.key_bits = static_cast<int>(rows->integer(row, 6));
    worker.threads = static_cast<int>(rows->integer(row, 7));
    worker.hash_bytes = static_cast<std::uint64_t>(rows->integer(row, 8));
    worker.state = rows->text(row, 9);
    if (!rows->is_null(row, 10)) worker.refused = rows->text(row, 10);
    worker.seconds_since_seen = rows->number(row, 11);
    worker.batches = rows->integer(row, 12);
    worker.visited = static_cast<std::uint64_t>(rows->integer(row, 13));
  }
  return workers;
}

Result<std::vector<CampaignCell>> CampaignStore::strip(const Campaign& campaign,
                                                       const std::stop_token& stop) {
  const auto ranges = static_cast<std::int64_t>(campaign.ranges);
  const std::int64_t cells = std::min(ranges, kMostCells);
  const Result<PostgresRows> rows =
      ask(R"(
SELECT r.no * $2 / $3, r.pass, sum(r.weight::float8),
  sum(r.weight::float8 * r.batches_done / r.batches),
  coalesce(sum(r.weight::float8 * (r.batches - r.batches_done) / r.batches)
           FILTER (WHERE r.state = 'leased' AND r.lease_until >= now()), 0)
FROM manyply.range r WHERE r.campaign = $1 GROUP BY 1, 2)",
          PostgresValues().integer(campaign.id).integer(cells).integer(ranges), stop);
  if (!rows) return rows.error();
  std::vector<CampaignCell> strip(static_cast<std::size_t>(cells));
  for (int row = 0; row < rows->count(); ++row) {
    CampaignCell& cell = strip.at(static_cast<std::size_t>(rows->integer(row, 0)));
    const auto pass = static_cast<std::size_t>(rows->integer(row, 1));
    cell.planned.at(pass) = rows->number(row, 2);
    cell.done.at(pass) = rows->number(row, 3);
    cell.leased.at(pass) = rows->number(row, 4);
  }
  return strip;
}

std::optional<Error> CampaignStore::follow(const Campaign& campaign, CampaignHistory& history,
                                           const std::stop_token& stop) {
  // A batch is stamped with the start of its transaction, so it may appear after later ones. The
  // last two minutes are therefore read again.
  constexpr std::int64_t kAgain = 120 / CampaignHistory::kSlotSeconds;
  const std::int64_t from = std::max<std::int64_t>(0, history.now - kAgain);
  const Result<PostgresRows> rows = ask(
      R"(
SELECT slot, sum(leaves)::float8 FROM (
  SELECT floor(extract(epoch FROM b.committed) / $3)::bigint AS slot, s AS leaves
  FROM manyply.batch b, unnest(b.sums) s
  WHERE b.campaign = $1 AND b.committed >= to_timestamp($2 * $3)
  UNION ALL SELECT floor(extract(epoch FROM now()) / $3)::bigint, 0) each
GROUP BY slot ORDER BY slot)",
      PostgresValues().integer(campaign.id).integer(from).integer(CampaignHistory::kSlotSeconds),
      stop);
  if (!rows) return rows.error();
  history.leaves.erase(history.leaves.lower_bound(from), history.leaves.end());
  for (int row = 0; row < rows->count(); ++row) {
    history.now = rows->integer(row, 0);
    if (rows->number(row, 1) > 0) history.leaves[history.now] = rows->number(row, 1);
  }
  return std::nullopt;
}

Result<std::vector<CampaignBatch>> CampaignStore::batches_of(const Campaign& campaign,
                                                             std::int64_t worker,
                                                             const std::stop_token& stop) {
  const Result<PostgresRows> rows =
      ask(R"(
SELECT b.pass, b.range, b.no, EXISTS (SELECT FROM manyply.batch o
  WHERE o.campaign = b.campaign AND o.pass = 1 - b.pass AND o.range = b.range AND o.no = b.no)
FROM manyply.batch b WHERE b.campaign = $1 AND b.worker = $2 ORDER BY 1, 2, 3)",
          PostgresValues().integer(campaign.id).integer(worker), stop);
  if (!rows) return rows.error();
  std::vector<CampaignBatch> batches;
  for (int row = 0; row < rows->count(); ++row) {
    batches.push_back({.range = {.pass = static_cast<int>(rows->integer(row, 0)),
                                 .number = rows->integer(row, 1)},
                       .number = rows->integer(row, 2),
                       .verified = rows->integer(row, 3) != 0});
  }
  return batches;
}

std::optional<Error> CampaignStore::for_each_batch(
    const Campaign& campaign, const std::stop_token& stop,
    const std::function<std::optional<Error>(const StoredBatch&)>& take) {
  constexpr std::int64_t kUnitsAtATime = 1'000'000;
  const auto per_range = static_cast<std::int64_t>(campaign.units / campaign.ranges + 1);
  // A result set is held in memory as a whole, so it is read in steps of about a million units.
  const std::int64_t step = std::max<std::int64_t>(1, kUnitsAtATime / per_range);
  for (int pass = 0; pass <= 1; ++pass) {
    for (std::int64_t from = 0; from < static_cast<std::int64_t>(campaign.ranges); from += step) {
      const Result<PostgresRows> some = ask(
          "SELECT range, no, worker, counts, digest, array_to_string(sums, ',') FROM manyply.batch "
          "WHERE campaign = $1 AND pass = $2 AND range >= $3 AND range < $4 ORDER BY range, no",
          PostgresValues().integer(campaign.id).integer(pass).integer(from).integer(from + step),
          stop);
      if (!some) return some.error();
      for (int row = 0; row < some->count(); ++row) {
        auto error = take({.range = {.pass = pass, .number = some->integer(row, 0)},
                           .number = static_cast<std::uint32_t>(some->integer(row, 1)),
                           .worker = some->integer(row, 2),
                           .counts = some->bytes(row, 3),
                           .digest = stored_hash(some->bytes(row, 4)),
                           .sums = some->text(row, 5)});
        if (error) return error;
      }
    }
  }
  return std::nullopt;
}

Result<std::vector<DamagedBatch>> CampaignStore::damage(const std::string& name,
                                                        const JobUnits& units,
                                                        const std::stop_token& stop) {
  return on_one_snapshot<std::vector<DamagedBatch>>(stop,
                                                    [&] { return read_damage(name, units, stop); });
}

Result<std::vector<DamagedBatch>> CampaignStore::read_damage(const std::string& name,
                                                             const JobUnits& units,
                                                             const std::stop_token& stop) {
  const Result<Campaign> campaign = find(name, stop);
  if (!campaign) return campaign.error();
  const auto id = PostgresValues().integer(campaign->id);
  const Result<PostgresRows> rows = ask(
      "SELECT no, first_unit, units, batches FROM manyply.range WHERE campaign = $1 AND pass = 0",
      id, stop);
  if (!rows) return rows.error();
  std::map<std::int64_t, PlannedRange> ranges;
  for (int row = 0; row < rows->count(); ++row) {
    ranges[rows->integer(row, 0)] = {.first = static_cast<std::uint64_t>(rows->integer(row, 1)),
                                     .units = static_cast<std::uint32_t>(rows->integer(row, 2)),
                                     .batches = static_cast<std::uint32_t>(rows->integer(row, 3))};
  }

  std::vector<DamagedBatch> damaged;
  const auto report = [&](const RangeKey& range, std::int64_t batch, std::int64_t worker,
                          const char* what) {
    damaged.push_back({.range = range, .number = batch, .worker = worker, .what = what});
  };
  const auto failed = for_each_batch(*campaign, stop, [&](const StoredBatch& batch) {
    const auto at = ranges.find(batch.range.number);
    const bool fits = at != ranges.end() && batch.number < at->second.batches &&
                      at->second.units <= units.size() &&
                      at->second.first <= units.size() - at->second.units;
    std::vector<NodeCount> sums(units.sums());
    const char* what = "is of no range that there is";
    try {
      if (fits) what = complaint_of(batch, at->second, campaign->identity, units, sums);
    } catch (const CountOverflow&) {
      what = "is damaged: its counts have no sum";
    }
    if (what != nullptr) report(batch.range, batch.number, batch.worker, what);
    return std::optional<Error>();
  });
  if (failed) return *failed;

  const std::string undisputed = fmt::format(
      "WITH apart (range, no, worker0, worker1) AS ({}) SELECT * FROM apart a WHERE NOT EXISTS "
      "(SELECT FROM manyply.dispute d WHERE d.campaign = $1 AND d.range = a.range AND d.batch = "
      "a.no "
      "AND d.settled IS NULL)",
      kApart);
  const Result<PostgresRows> apart = ask(undisputed.c_str(), id, stop);
  if (!apart) return apart.error();
  const std::size_t found = damaged.size();
  for (int row = 0; row < apart->count(); ++row) {
    const std::int64_t range = apart->integer(row, 0);
    const std::int64_t batch = apart->integer(row, 1);
    // A batch that is already reported as damaged explains the difference.
    const bool known = std::any_of(
        damaged.begin(), damaged.begin() + static_cast<std::ptrdiff_t>(found),
        [&](const DamagedBatch& one) { return one.range.number == range && one.number == batch; });
    if (known) continue;
    for (int pass = 0; pass <= 1; ++pass)
      report({.pass = pass, .number = range}, batch, apart->integer(row, 2 + pass),
             "is not the same in both passes");
  }
  return damaged;
}

Result<CampaignResult> CampaignStore::result(const std::string& name, const JobUnits& units,
                                             const std::stop_token& stop) {
  return on_one_snapshot<CampaignResult>(stop, [&] { return read_result(name, units, stop); });
}

Result<CampaignResult> CampaignStore::read_result(const std::string& name, const JobUnits& units,
                                                  const std::stop_token& stop) try {
  const Result<Campaign> found = find(name, stop);
  if (!found) return found.error();
  CampaignResult result;
  result.campaign = *found;
  const Campaign& campaign = result.campaign;
  if (campaign.state != CampaignState::kDone)
    return campaign_refusal(
        fmt::format("'{}' is not done but {}", name, to_string(campaign.state)));
  const auto id = PostgresValues().integer(campaign.id);

  const Result<PostgresRows> disputes =
      ask("SELECT count(*) FROM manyply.dispute WHERE campaign = $1 AND settled IS NULL", id, stop);
  if (!disputes) return disputes.error();
  if (disputes->integer(0, 0) > 0) return campaign_refusal("'" + name + "' is disputed");
  const Result<PostgresRows> rows = ask(
      "SELECT pass, no, first_unit, units, batches, state FROM manyply.range WHERE campaign = $1 "
      "ORDER BY pass, no",
      id, stop);
  if (!rows) return rows.error();
  const Result<StoredRanges> ranges = ranges_in(*rows, campaign);
  if (!ranges) return ranges.error();
  const Result<PostgresRows> apart = ask(kApart, id, stop);
  if (!apart) return apart.error();
  if (apart->count() > 0)
    return campaign_damage(fmt::format("batch {} of range {} is not the same in both passes",
                                       apart->integer(0, 1), apart->integer(0, 0)));

  // Read every count, and check each batch against its own digest and sums.
  BatchChecker checker(campaign, *ranges, units);
  auto wrong = for_each_batch(campaign, stop, [&](const StoredBatch& batch) {
    ++(batch.range.pass == 0 ? result.batches : result.batches_verified);
    return checker.take(batch);
  });
  if (wrong) return *std::move(wrong);
  if (auto error = checker.finish()) return *std::move(error);

  // The database adds up the stored sums independently; both totals must agree.
  const Result<PostgresRows> sums = ask(
      R"(
SELECT coalesce(c.root_moves[i], ''), sum(b.sums[i])::text
FROM manyply.campaign c, generate_series(1, greatest(1, cardinality(c.root_moves))) i, manyply.batch b
WHERE c.id = $1 AND b.campaign = c.id AND b.pass = 0 GROUP BY i, c.root_moves ORDER BY i)",
      id, stop);
  if (!sums) return sums.error();
  const std::vector<NodeCount>& total = checker.total();
  if (static_cast<std::size_t>(sums->count()) != total.size())
    return campaign_damage("has other root moves than its position");
  for (int row = 0; row < sums->count(); ++row) {
    const NodeCount nodes = total[static_cast<std::size_t>(row)];
    if (sums->text(row, 1) != nodes.to_string())
      return campaign_damage("the database adds up " + sums->text(row, 1) + " for " +
                             (campaign.deep() ? "the total" : sums->text(row, 0)) + ", we " +
                             nodes.to_string());
    if (!campaign.deep()) result.divide.emplace_back(sums->text(row, 0), nodes);
    result.nodes += nodes;
  }

  const Result<PostgresRows> workers = ask(
      R"(
SELECT w.kernel, count(*), count(*) FILTER (WHERE w.false_matches IS NULL),
       coalesce(sum(w.false_matches), 0)
FROM manyply.worker w
WHERE w.campaign = $1 AND EXISTS (SELECT FROM manyply.batch b
                                  WHERE b.campaign = $1 AND b.worker = w.id)
GROUP BY w.kernel ORDER BY 2 DESC, 1)",
      id, stop);
  if (!workers) return workers.error();
  for (int row = 0; row < workers->count(); ++row) {
    result.kernels.emplace_back(workers->text(row, 0), workers->integer(row, 1));
    result.workers += workers->integer(row, 1);
    result.workers_unended += workers->integer(row, 2);
    result.false_matches += workers->number(row, 3);
  }
  return result;
} catch (const CountOverflow& overflow) {
  return Error{ErrorCode::kOverflow, "campaign", 0, overflow.what()};
}

}  // namespace manyply
