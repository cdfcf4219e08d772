// The functions of CampaignStore that only read: status, workers, damage, result.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "parallel/units/unit_runner.h"
#include "tools/campaign/campaign_store.h"

namespace manyply {
namespace {

/// Returns "part 7, pass 1,".
std::string place_of(const PartKey& key) {
  return fmt::format("part {}, pass {},", key.number, key.pass);
}

/// Selects parts whose counts differ between the passes. Columns: the part's number, and the worker
/// of each pass.
constexpr const char* kApart = R"(
SELECT a.part, a.worker, b.worker FROM manyply.result a JOIN manyply.result b
  ON b.campaign = a.campaign AND b.part = a.part AND b.pass = 1
WHERE a.campaign = $1 AND a.pass = 0 AND a.nodes <> b.nodes ORDER BY 1)";

/// Returns read(rows, row) for each row, or the error of `rows`.
template <typename Read>
auto each_row(const Result<PostgresRows>& rows, const Read& read)
    -> Result<std::vector<decltype(read(*rows, 0))>> {
  if (!rows) return rows.error();
  std::vector<decltype(read(*rows, 0))> all;
  for (int row = 0; row < rows->count(); ++row) all.push_back(read(*rows, row));
  return all;
}

}  // namespace

template <typename T>
Result<T> CampaignStore::on_one_snapshot(const std::stop_token& stop,
                                         const std::function<Result<T>()>& read) {
  if (auto error = connect(stop)) return *std::move(error);
  if (auto error = postgres_->execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", stop))
    return *std::move(error);
  in_transaction_ = true;
  Result<T> result = [&]() -> Result<T> {
    try {
      return read();
    } catch (...) {
      return current_exception_as_error();
    }
  }();
  in_transaction_ = false;
  const auto ended = postgres_->execute("COMMIT", stop);
  // After an error, the connection may be in an aborted transaction. The next call connects again.
  if (!result) postgres_.reset();
  return result.ok() && ended ? Result<T>(*ended) : std::move(result);
}

Result<std::vector<std::string>> CampaignStore::names(const std::stop_token& stop) {
  return each_row(ask("SELECT name FROM manyply.campaign ORDER BY id", {}, stop),
                  [](const PostgresRows& rows, int row) { return rows.text(row, 0); });
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
       sum(weight::float8), coalesce(sum(weight::float8) FILTER (WHERE state = 'done'), 0)
FROM manyply.part WHERE campaign = $1 GROUP BY pass)",
                                          id, stop);
  if (!passes) return passes.error();
  for (int row = 0; row < passes->count(); ++row) {
    CampaignStatus::Pass& pass =
        status.passes.at(static_cast<std::size_t>(passes->integer(row, 0)));
    pass.parts = passes->integer(row, 1);
    pass.parts_done = passes->integer(row, 2);
    pass.parts_leased = passes->integer(row, 3);
    pass.weight = passes->number(row, 4);
    pass.weight_done = passes->number(row, 5);
  }

  // A worker is active if it has not ended, and last called the database less than `c.lease` ago.
  const Result<PostgresRows> others = ask(R"(
WITH alive AS (
  SELECT w.id FROM manyply.worker w JOIN manyply.campaign c ON c.id = w.campaign
  WHERE c.id = $1 AND w.refused IS NULL AND w.ended IS NULL AND w.seen > now() - c.lease)
SELECT (SELECT count(*) FROM alive),
  (SELECT count(*) FROM manyply.worker w WHERE w.campaign = $1 AND w.refused IS NULL),
  (SELECT count(*) FROM manyply.worker w WHERE w.campaign = $1 AND w.refused IS NOT NULL),
  (SELECT count(*) FROM manyply.dispute d WHERE d.campaign = $1 AND d.settled IS NULL),
  (SELECT count(*) FROM manyply.part p
   WHERE p.campaign = $1 AND p.state = 'leased' AND p.lease_until >= now()),
  (SELECT coalesce(sum(b.seconds::float8), 0) FROM manyply.result b WHERE b.campaign = $1),
  (SELECT coalesce(sum(b.nodes), 0)::float8 FROM manyply.result b WHERE b.campaign = $1),
  (SELECT count(*) FROM manyply.part p WHERE p.campaign = $1 AND p.state = 'open'
     AND (p.pass = 1 OR EXISTS (SELECT FROM manyply.withdrawn g WHERE g.campaign = $1))
     AND CASE WHEN EXISTS (SELECT FROM alive)
              THEN NOT EXISTS (SELECT FROM alive a WHERE manyply.may_count(a.id, $1, p.pass, p.no))
              ELSE p.pass = 1 END),
  (SELECT CASE c.verify_other WHEN 'worker' THEN 0 WHEN 'host' THEN 1 ELSE 2 END
   FROM manyply.campaign c WHERE c.id = $1)
)",
                                          id, stop);
  if (!others) return others.error();
  status.workers_seen = others->integer(0, 0);
  status.workers_gone = others->integer(0, 1) - status.workers_seen;
  status.workers_refused = others->integer(0, 2);
  status.disputes = others->integer(0, 3);
  status.workers_counting = others->integer(0, 4);
  status.seconds = others->number(0, 5);
  status.leaves = others->number(0, 6);
  status.parts_for_another = others->integer(0, 7);
  status.verify_other = static_cast<VerifyOther>(others->integer(0, 8));
  return status;
}

Result<std::vector<CampaignDispute>> CampaignStore::disputes(const std::string& name,
                                                             const std::stop_token& stop) {
  const Result<PostgresRows> found = ask(R"(
SELECT d.part, d.nodes0::text, d.nodes1::text, d.worker0, d.worker1
FROM manyply.dispute d JOIN manyply.campaign c ON c.id = d.campaign
WHERE c.name = $1 AND d.settled IS NULL ORDER BY d.found, d.part)",
                                         PostgresValues().text(name), stop);
  return each_row(found, [](const PostgresRows& rows, int row) {
    return CampaignDispute{.part = rows.integer(row, 0),
                           .nodes0 = rows.text(row, 1),
                           .nodes1 = rows.text(row, 2),
                           .worker0 = rows.integer(row, 3),
                           .worker1 = rows.integer(row, 4)};
  });
}

Result<std::vector<CampaignWorker>> CampaignStore::workers(const std::string& name,
                                                           const std::stop_token& stop) {
  const Result<Campaign> campaign = find(name, stop);
  if (!campaign) return campaign.error();
  const Result<PostgresRows> found = ask(R"(
SELECT w.id, w.host, w.label, w.version, w.kernel, w.threads, w.memory,
  CASE WHEN w.refused IS NOT NULL THEN 'refused' WHEN w.ended IS NOT NULL THEN 'ended'
       WHEN w.seen <= now() - c.lease THEN 'gone'
       WHEN EXISTS (SELECT FROM manyply.part p WHERE p.worker = w.id AND p.state = 'leased')
       THEN 'counting' ELSE 'waiting' END,
  w.refused, extract(epoch FROM now() - w.seen)::float8, coalesce(b.parts, 0),
  coalesce(b.seconds, 0)
FROM manyply.campaign c JOIN manyply.worker w ON w.campaign = c.id
  LEFT JOIN (SELECT worker, count(*) AS parts, sum(seconds::float8) AS seconds
             FROM manyply.result WHERE campaign = $1 GROUP BY worker) b ON b.worker = w.id
WHERE c.id = $1 ORDER BY w.id)",
                                         PostgresValues().integer(campaign->id), stop);
  return each_row(found, [](const PostgresRows& rows, int row) {
    CampaignWorker worker;
    worker.id = rows.integer(row, 0);
    worker.host = rows.text(row, 1);
    worker.label = rows.text(row, 2);
    worker.version = rows.text(row, 3);
    worker.kernel = rows.text(row, 4);
    worker.threads = static_cast<int>(rows.integer(row, 5));
    worker.memory_bytes = static_cast<std::uint64_t>(rows.integer(row, 6));
    worker.state = rows.text(row, 7);
    if (!rows.is_null(row, 8)) worker.refused = rows.text(row, 8);
    worker.seconds_since_seen = rows.number(row, 9);
    worker.parts = rows.integer(row, 10);
    worker.seconds = rows.number(row, 11);
    return worker;
  });
}

Result<std::vector<CampaignCell>> CampaignStore::strip(const Campaign& campaign,
                                                       const std::stop_token& stop) {
  const auto parts = static_cast<std::int64_t>(campaign.parts);
  const std::int64_t cells = std::min(parts, kMostCells);
  const Result<PostgresRows> rows =
      ask(R"(
WITH placed AS (
  SELECT p.no, row_number() OVER (ORDER BY p.weight DESC, p.no) - 1 AS place
  FROM manyply.part p WHERE p.campaign = $1 AND p.pass = 0)
SELECT o.place * $2 / $3, p.pass, sum(p.weight::float8),
  coalesce(sum(p.weight::float8) FILTER (WHERE p.state = 'done'), 0),
  coalesce(sum(p.weight::float8) FILTER (WHERE p.state = 'leased' AND p.lease_until >= now()), 0)
FROM manyply.part p JOIN placed o ON o.no = p.no WHERE p.campaign = $1 GROUP BY 1, 2)",
          PostgresValues().integer(campaign.id).integer(cells).integer(parts), stop);
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

Result<std::vector<CountedPart>> CampaignStore::history(const Campaign& campaign,
                                                        const std::stop_token& stop) {
  const Result<PostgresRows> found =
      ask("SELECT extract(epoch FROM committed)::float8, seconds::float8, nodes::float8 "
          "FROM manyply.result WHERE campaign = $1",
          PostgresValues().integer(campaign.id), stop);
  return each_row(found, [](const PostgresRows& rows, int row) {
    const double end = rows.number(row, 0);
    return CountedPart{
        .begin = end - rows.number(row, 1), .end = end, .leaves = rows.number(row, 2)};
  });
}

Result<std::vector<StoredPart>> CampaignStore::counted(const Campaign& campaign,
                                                       std::optional<std::int64_t> worker,
                                                       const std::stop_token& stop) {
  const Result<PostgresRows> found =
      ask(R"(
SELECT b.pass, b.part, b.worker, b.nodes::text, b.rows, b.kernel_pairs, b.lane_pairs, b.digest,
  EXISTS (SELECT FROM manyply.result o
          WHERE o.campaign = b.campaign AND o.pass = 1 - b.pass AND o.part = b.part)
FROM manyply.result b WHERE b.campaign = $1 AND $2 IN (0, b.worker) ORDER BY 1, 2)",
          PostgresValues().integer(campaign.id).integer(worker.value_or(0)), stop);
  return each_row(found, [&campaign](const PostgresRows& rows, int row) {
    StoredPart part;
    part.key = {.pass = static_cast<int>(rows.integer(row, 0)), .number = rows.integer(row, 1)};
    part.worker = rows.integer(row, 2);
    const Result<NodeCount> nodes = NodeCount::parse(rows.text(row, 3));
    part.count = {.nodes = nodes ? *nodes : NodeCount(0),
                  .rows = static_cast<std::uint64_t>(rows.integer(row, 4)),
                  .kernel_pairs = static_cast<std::uint64_t>(rows.integer(row, 5)),
                  .lane_pairs = static_cast<std::uint64_t>(rows.integer(row, 6))};
    part.intact = nodes.ok() && stored_hash(rows.bytes(row, 7)) ==
                                    part_digest(campaign.identity, part.key.number, part.count);
    part.verified = rows.integer(row, 8) != 0;
    return part;
  });
}

Result<std::vector<DamagedPart>> CampaignStore::damage(const std::string& name,
                                                       const std::stop_token& stop) {
  return on_one_snapshot<std::vector<DamagedPart>>(stop, [&] { return read_damage(name, stop); });
}

Result<std::vector<DamagedPart>> CampaignStore::read_damage(const std::string& name,
                                                            const std::stop_token& stop) {
  const Result<Campaign> campaign = find(name, stop);
  if (!campaign) return campaign.error();
  const auto parts = counted(*campaign, {}, stop);
  if (!parts) return parts.error();
  std::vector<DamagedPart> damaged;
  for (const StoredPart& part : *parts) {
    if (!part.intact)
      damaged.push_back({part.key, part.worker, "is damaged: its digest does not match its count"});
  }
  const std::string undisputed = fmt::format(
      "WITH apart (part, worker0, worker1) AS ({}) SELECT * FROM apart a WHERE NOT EXISTS (SELECT "
      "FROM manyply.dispute d WHERE d.campaign = $1 AND d.part = a.part AND d.settled IS NULL)",
      kApart);
  const Result<PostgresRows> apart =
      ask(undisputed.c_str(), PostgresValues().integer(campaign->id), stop);
  if (!apart) return apart.error();
  const std::size_t found = damaged.size();
  for (int row = 0; row < apart->count(); ++row) {
    const std::int64_t number = apart->integer(row, 0);
    // If one of the two counts has already been reported as damaged, the damage explains the
    // difference.
    const bool known =
        std::any_of(damaged.begin(), damaged.begin() + static_cast<std::ptrdiff_t>(found),
                    [&](const DamagedPart& one) { return one.key.number == number; });
    if (known) continue;
    for (int pass = 0; pass <= 1; ++pass) {
      damaged.push_back({{.pass = pass, .number = number},
                         apart->integer(row, 1 + pass),
                         "has different counts in the two passes"});
    }
  }
  return damaged;
}

Result<CampaignResult> CampaignStore::result(const std::string& name, const std::stop_token& stop) {
  return on_one_snapshot<CampaignResult>(stop, [&] { return read_result(name, stop); });
}

Result<CampaignResult> CampaignStore::read_result(const std::string& name,
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
  const Result<PostgresRows> missing =
      ask(R"(
SELECT p.pass, p.no FROM
  (SELECT 0 AS pass, n AS no FROM generate_series(0, $2 - 1) n
   UNION SELECT q.pass, q.no FROM manyply.part q WHERE q.campaign = $1) p
  WHERE NOT EXISTS (SELECT FROM manyply.result b
                    WHERE b.campaign = $1 AND b.pass = p.pass AND b.part = p.no)
ORDER BY 1, 2 LIMIT 1)",
          PostgresValues().integer(campaign.id).integer(static_cast<std::int64_t>(campaign.parts)),
          stop);
  if (!missing) return missing.error();
  if (missing->count() > 0) {
    return campaign_damage(place_of({.pass = static_cast<int>(missing->integer(0, 0)),
                                     .number = missing->integer(0, 1)}) +
                           " is missing");
  }
  const Result<PostgresRows> apart = ask(kApart, id, stop);
  if (!apart) return apart.error();
  if (apart->count() > 0)
    return campaign_damage(
        fmt::format("part {} has different counts in the two passes", apart->integer(0, 0)));

  const auto parts = counted(campaign, {}, stop);
  if (!parts) return parts.error();
  for (const StoredPart& part : *parts) {
    if (part.key.number < 0 || part.key.number >= static_cast<std::int64_t>(campaign.parts))
      return campaign_damage(place_of(part.key) + " is not a part of the plan");
    if (!part.intact)
      return campaign_damage(place_of(part.key) +
                             " is damaged: its digest does not match its count");
    ++(part.key.pass == 0 ? result.parts : result.parts_verified);
    if (part.key.pass == 0) result.sum += part.count;
  }

  // The database adds up the counts independently. Its total must equal ours.
  const Result<PostgresRows> sum =
      ask("SELECT sum(nodes) FILTER (WHERE pass = 0)::text, sum(seconds::float8) "
          "FROM manyply.result WHERE campaign = $1",
          id, stop);
  if (!sum) return sum.error();
  if (sum->text(0, 0) != result.sum.nodes.to_string())
    return campaign_damage("its counts add up to " + result.sum.nodes.to_string() +
                           ", but the database's own sum is " + sum->text(0, 0));
  result.seconds = sum->number(0, 1);

  const Result<PostgresRows> workers = ask(
      R"(
SELECT w.kernel, count(*) FROM manyply.worker w
WHERE w.campaign = $1 AND EXISTS (SELECT FROM manyply.result b
                                  WHERE b.campaign = $1 AND b.worker = w.id)
GROUP BY w.kernel ORDER BY 2 DESC, 1)",
      id, stop);
  if (!workers) return workers.error();
  for (int row = 0; row < workers->count(); ++row) {
    result.kernels.emplace_back(workers->text(row, 0), workers->integer(row, 1));
    result.workers += workers->integer(row, 1);
  }
  return result;
} catch (const CountOverflow& overflow) {
  return Error{ErrorCode::kOverflow, "campaign", 0, overflow.what()};
}

}  // namespace manyply
