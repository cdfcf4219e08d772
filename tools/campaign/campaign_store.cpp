#include "tools/campaign/campaign_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/known_values.h"
#include "tools/campaign/campaign_commands.h"
#include "tools/campaign/campaign_format.h"
#include "tools/cli/framework/shared_flags.h"

namespace manyply {
namespace {

constexpr std::array<std::string_view, 3> kOtherNames{"worker", "host", "kernel"};
constexpr std::array<std::string_view, 4> kStateNames{"running", "stopped", "disputed", "done"};

/// Returns the error for a campaign that does not exist.
Error nobody(const std::string& name) {
  return campaign_refusal("no campaign has the name '" + name + "'");
}

/// Formats an array in PostgreSQL's notation: {a,b,c}. The elements must not need quotes.
template <typename Things, typename Write>
std::string array_of(const Things& things, const Write& write) {
  std::string text = "{";
  for (const auto& thing : things) {
    if (text.size() > 1) text += ',';
    text += write(thing);
  }
  return text + '}';
}

constexpr const char* kCampaignColumns =
    "campaign_id, campaign_fen, campaign_depth, campaign_parts, campaign_identity, "
    "campaign_memory, campaign_signature, campaign_version, campaign_state, lease_seconds";

/// Reads the row that describe() returned. The row has the columns of kCampaignColumns. Error
/// kInternal: the depth or the state is invalid.
Result<Campaign> campaign_in(const PostgresRows& rows, const std::string& name) {
  Campaign campaign;
  campaign.name = name;
  campaign.id = rows.integer(0, 0);
  campaign.fen = rows.text(0, 1);
  const std::int64_t plies = rows.integer(0, 2);
  if (plies < kMinCampaignDepth || plies > Depth::kMax)
    return campaign_damage("has an invalid depth");
  campaign.depth = Depth(static_cast<int>(plies));
  campaign.parts = static_cast<std::uint64_t>(rows.integer(0, 3));
  campaign.identity = stored_hash(rows.bytes(0, 4));
  campaign.memory_bytes = static_cast<std::uint64_t>(rows.integer(0, 5));
  campaign.signature = static_cast<std::uint64_t>(rows.integer(0, 6));
  campaign.version = rows.text(0, 7);
  const Result<CampaignState> state = parse_state(rows.text(0, 8));
  if (!state) return state.error();
  campaign.state = *state;
  campaign.lease_seconds = rows.number(0, 9);
  return campaign;
}

}  // namespace

std::string_view to_string(CampaignState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}

std::string_view to_string(VerifyOther other) {
  return kOtherNames[static_cast<std::size_t>(other)];
}

Error campaign_refusal(std::string message) {
  return {ErrorCode::kInvalidInput, "campaign", 0, std::move(message)};
}
Error campaign_damage(std::string message) {
  return {ErrorCode::kInternal, "campaign", 0, std::move(message)};
}

Result<CampaignState> parse_state(const std::string& name) {
  const auto* const at = std::ranges::find(kStateNames, name);
  if (at == kStateNames.end()) return campaign_damage("has the unknown state '" + name + "'");
  return static_cast<CampaignState>(at - kStateNames.begin());
}

std::optional<Error> CampaignStore::connect(const std::stop_token& stop) {
  if (postgres_ && postgres_->connected()) return std::nullopt;
  Result<Postgres> postgres = Postgres::connect(address_, stop);
  if (!postgres) return postgres.error();
  postgres_ = std::move(postgres).value();
  return std::nullopt;
}

Result<PostgresRows> CampaignStore::ask(const char* sql, const PostgresValues& values,
                                        const std::stop_token& stop,
                                        std::chrono::milliseconds patience) {
  if (!in_transaction_) {
    if (auto error = connect(stop)) return *std::move(error);
  }
  return postgres_->ask(sql, values, stop, patience);
}

Result<CampaignStore::Versions> CampaignStore::init(const std::stop_token& stop) {
  if (auto error = connect(stop)) return *std::move(error);
  Versions versions;
  const auto apply = [&]() -> std::optional<Error> {
    // The lock lasts until the transaction ends, so a second process finds a complete schema.
    std::string script = "BEGIN; SELECT pg_advisory_xact_lock(hashtext('manyply.init'), 0);";
    script += roles_script();
    if (auto error = postgres_->execute(script, stop)) return error;
    const Result<PostgresRows> found =
        postgres_->ask("SELECT coalesce(max(version), 0) FROM manyply.schema_version", {}, stop);
    if (!found) return found.error();
    versions.before = found->integer(0, 0);
    versions.after = kCampaignSchema;
    if (versions.before > versions.after)
      return campaign_refusal(fmt::format(
          "the schema has version {}, newer than this perft's {}; use a newer version of perft",
          versions.before, versions.after));
    if (versions.before > 0 && versions.before < versions.after)
      return campaign_refusal(
          fmt::format("the schema has version {}, and this perft needs {}: drop the schema manyply "
                      "with its campaigns, or use an earlier version of perft",
                      versions.before, versions.after));
    if (versions.before == 0) {
      script = schema_script();
      script += fmt::format("INSERT INTO schema_version (version) VALUES ({});", versions.after);
      if (auto error = postgres_->execute(script, stop)) return error;
    }
    return postgres_->execute("COMMIT", stop);
  };
  auto error = apply();
  if (!error) return versions;
  postgres_.reset();  // closing the connection rolls back the transaction
  return *std::move(error);
}

std::optional<Error> CampaignStore::create(const NewCampaign& campaign,
                                           const std::stop_token& stop) {
  const Result<PostgresRows> made = ask(
      R"(
WITH made AS (
  INSERT INTO manyply.campaign (name, fen, depth, parts, plan, identity, memory, signature, version,
                                verify, lease, verify_other)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, make_interval(secs => $11), $12)
  ON CONFLICT (name) DO NOTHING RETURNING id),
cut AS (
  SELECT o.no - 1 AS no, o.weight, o.verified
  FROM unnest($13::real[], $14::boolean[]) WITH ORDINALITY AS o(weight, verified, no)),
parts AS (
  INSERT INTO manyply.part (campaign, pass, no, weight, state)
  SELECT made.id, pass, cut.no, cut.weight, CASE pass WHEN 0 THEN 'open' ELSE 'waiting' END
  FROM made, cut, generate_series(0, 1) pass WHERE pass = 0 OR cut.verified)
SELECT id FROM made)",
      PostgresValues()
          .text(campaign.name)
          .text(campaign.fen)
          .integer(campaign.depth.plies())
          .integer(static_cast<std::int64_t>(campaign.weights.size()))
          .bytes(std::as_bytes(std::span(campaign.plan)))
          .bytes(stored_bytes(campaign.identity))
          .integer(static_cast<std::int64_t>(campaign.memory_bytes))
          .integer(static_cast<std::int64_t>(kSignature))
          .text(campaign.version)
          .number(campaign.verify)
          .number(campaign.lease_seconds)
          .text(to_string(campaign.verify_other))
          .literal(
              array_of(campaign.weights, [](double weight) { return fmt::format("{}", weight); }))
          .literal(array_of(campaign.verified, [](bool verified) { return verified ? "t" : "f"; })),
      stop);
  if (!made) return made.error();
  if (made->count() == 0)
    return campaign_refusal("the name '" + campaign.name + "' is already in use");
  return std::nullopt;
}

Result<CampaignState> CampaignStore::set_running(const std::string& name, bool running,
                                                 const std::stop_token& stop) {
  // The statement always updates the row, even if the state does not change. Otherwise RETURNING
  // would return no row.
  const Result<PostgresRows> rows =
      ask("UPDATE manyply.campaign SET state = CASE WHEN state = $2 THEN $3 ELSE state END "
          "WHERE name = $1 RETURNING state",
          PostgresValues()
              .text(name)
              .text(running ? "stopped" : "running")
              .text(running ? "running" : "stopped"),
          stop);
  if (!rows) return rows.error();
  if (rows->count() == 0) return nobody(name);
  return parse_state(rows->text(0, 0));
}

std::optional<Error> CampaignStore::drop(const std::string& name, const std::stop_token& stop) {
  if (auto error = connect(stop)) return error;
  const auto drop_all = [&]() -> std::optional<Error> {
    if (auto error = postgres_->execute("BEGIN", stop)) return error;
    const Result<PostgresRows> found =
        postgres_->ask("SELECT id FROM manyply.campaign WHERE name = $1 FOR UPDATE",
                       PostgresValues().text(name), stop);
    if (!found) return found.error();
    if (found->count() == 0) return nobody(name);
    // Disputes and results refer to workers without ON DELETE CASCADE. So delete disputes and
    // results before the workers.
    for (const char* sql : {"DELETE FROM manyply.dispute WHERE campaign = $1",
                            "DELETE FROM manyply.withdrawn WHERE campaign = $1",
                            "DELETE FROM manyply.result WHERE campaign = $1",
                            "DELETE FROM manyply.part WHERE campaign = $1",
                            "DELETE FROM manyply.worker WHERE campaign = $1",
                            "DELETE FROM manyply.campaign WHERE id = $1"}) {
      const Result<PostgresRows> gone =
          postgres_->ask(sql, PostgresValues().integer(found->integer(0, 0)), stop);
      if (!gone) return gone.error();
    }
    return postgres_->execute("COMMIT", stop);
  };
  auto error = drop_all();
  if (error) postgres_.reset();
  return error;
}

Result<std::int64_t> CampaignStore::withdraw_worker(const Campaign& campaign, std::int64_t worker,
                                                    const std::string& reason,
                                                    const std::stop_token& stop) {
  const Result<PostgresRows> rows =
      ask("SELECT manyply.withdraw($1, $2, NULL, NULL, $3)",
          PostgresValues().integer(campaign.id).integer(worker).text(reason), stop);
  if (!rows) return rows.error();
  return rows->integer(0, 0);
}

Result<std::int64_t> CampaignStore::withdraw_part(const Campaign& campaign, const DamagedPart& part,
                                                  const std::stop_token& stop) {
  const Result<PostgresRows> rows = ask("SELECT manyply.withdraw($1, NULL, $2, $3, $4)",
                                        PostgresValues()
                                            .integer(campaign.id)
                                            .integer(part.key.pass)
                                            .integer(part.key.number)
                                            .text(part.what),
                                        stop);
  if (!rows) return rows.error();
  return rows->integer(0, 0);
}

Result<Campaign> CampaignStore::find(const std::string& name, const std::stop_token& stop) {
  const std::string sql = fmt::format("SELECT {} FROM manyply.describe($1)", kCampaignColumns);
  const Result<PostgresRows> rows = ask(sql.c_str(), PostgresValues().text(name), stop);
  return rows ? campaign_in(*rows, name) : rows.error();
}

Result<std::string> CampaignStore::plan_of(const Campaign& campaign, const Board& root,
                                           const std::stop_token& stop) {
  const Result<PostgresRows> rows =
      ask("SELECT manyply.plan_of($1)", PostgresValues().integer(campaign.id), stop);
  if (!rows) return rows.error();
  if (rows->is_null(0, 0)) return nobody(campaign.name);
  const std::span<const std::byte> bytes = rows->bytes(0, 0);
  std::string plan(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (parts_identity(root, campaign.depth.plies(), plan) != campaign.identity)
    return campaign_damage("has a plan of parts that is damaged or of another version");
  return plan;
}

Result<std::int64_t> CampaignStore::register_worker(std::int64_t campaign, const NewWorker& worker,
                                                    const std::stop_token& stop) {
  const Result<PostgresRows> rows =
      ask("SELECT worker_id, refusal FROM "
          "manyply.register($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
          PostgresValues()
              .integer(campaign)
              .text(worker.host)
              .text(worker.label)
              .text(worker.version)
              .text(worker.kernel)
              .integer(static_cast<std::int64_t>(worker.signature))
              .bytes(stored_bytes(worker.identity))
              .bytes(stored_bytes(worker.process))
              .integer(worker.threads)
              .integer(static_cast<std::int64_t>(worker.memory_bytes)),
          stop);
  if (!rows) return rows.error();
  if (!rows->is_null(0, 1)) return campaign_refusal("this worker is refused: " + rows->text(0, 1));
  return rows->integer(0, 0);
}

Result<Claim> CampaignStore::claim(std::int64_t worker, std::int64_t campaign,
                                   const std::stop_token& stop) {
  const Result<PostgresRows> rows =
      ask("SELECT answer, part_pass, part_no, part_epoch FROM manyply.claim($1, $2)",
          PostgresValues().integer(worker).integer(campaign), stop);
  if (!rows) return rows.error();
  const std::string answer = rows->text(0, 0);
  Claim claim;
  if (answer == "wait") return claim;
  if (answer != "part") {
    const Result<CampaignState> state = parse_state(answer);
    if (!state) return state.error();
    claim.state = *state;
    return claim;
  }
  claim.part = {
      .key = {.pass = static_cast<int>(rows->integer(0, 1)), .number = rows->integer(0, 2)},
      .epoch = rows->integer(0, 3)};
  return claim;
}

Result<CommitAnswer> CampaignStore::commit(std::int64_t worker, const Campaign& campaign,
                                           const FinishedPart& part, const std::stop_token& stop,
                                           std::chrono::milliseconds patience) {
  const PartKey& key = part.part.key;
  const PartCount& count = part.count;
  const Result<PostgresRows> rows =
      ask("SELECT manyply.commit_part($1, $2, $3, $4, $5, $6::numeric, $7, $8, $9, $10, $11)",
          PostgresValues()
              .integer(worker)
              .integer(campaign.id)
              .integer(key.pass)
              .integer(key.number)
              .integer(part.part.epoch)
              .literal(count.nodes.to_string())
              .integer(static_cast<std::int64_t>(count.rows))
              .integer(static_cast<std::int64_t>(count.kernel_pairs))
              .integer(static_cast<std::int64_t>(count.lane_pairs))
              .bytes(stored_bytes(part_digest(campaign.identity, key.number, count)))
              .number(part.seconds),
          stop, patience);
  if (!rows) return rows.error();
  const std::string answer = rows->text(0, 0);
  CommitAnswer told;
  told.lease_lost = answer == "lost";
  if (told.lease_lost || answer == "go on") return told;
  const Result<CampaignState> state = parse_state(answer);
  if (!state) return state.error();
  told.state = *state;
  return told;
}

Result<CampaignState> CampaignStore::renew(std::int64_t worker, const std::stop_token& stop) {
  const Result<PostgresRows> rows =
      ask("SELECT manyply.renew($1)", PostgresValues().integer(worker), stop);
  if (!rows) return rows.error();
  if (rows->is_null(0, 0)) return campaign_refusal("was deleted, together with its workers");
  return parse_state(rows->text(0, 0));
}

std::optional<Error> CampaignStore::hand_back(std::int64_t worker,
                                              std::chrono::milliseconds patience) {
  const Result<PostgresRows> rows =
      ask("SELECT manyply.hand_back($1)", PostgresValues().integer(worker), {}, patience);
  if (!rows) return rows.error();
  return std::nullopt;
}

// Reads campaigns for the server.

namespace {

/// Owns one connection, which stays open between reads. Only one thread at a time may use it.
class StoreReader : public CampaignReader {
 public:
  explicit StoreReader(DatabaseAddress address) : store_(std::move(address)) {}

  Result<std::vector<CampaignView>> read(const std::stop_token& stop) override {
    const auto names = store_.names(stop);
    if (!names) return names.error();
    std::vector<CampaignView> views;
    for (const std::string& name : *names) {
      const Result<CampaignStatus> status = store_.status(name, stop);
      // The campaign was dropped after names() had returned its name.
      if (!status && status.error().code == ErrorCode::kInvalidInput) continue;
      if (!status) return status.error();
      auto view = view_of(*status, stop);
      if (!view) return view.error();
      views.push_back(std::move(view).value());
    }
    return views;
  }

 private:
  /// Returns the view of one campaign. Errors: those of the store.
  Result<CampaignView> view_of(const CampaignStatus& status, const std::stop_token& stop) {
    const Campaign& campaign = status.campaign;
    const auto disputes = store_.disputes(campaign.name, stop);
    if (!disputes) return disputes.error();
    const auto cells = store_.strip(campaign, stop);
    if (!cells) return cells.error();
    const auto workers = store_.workers(campaign.name, stop);
    if (!workers) return workers.error();
    const auto history = store_.history(campaign, stop);
    if (!history) return history.error();
    return campaign_view(status, *disputes, *cells, *history, *workers);
  }

  CampaignStore store_;
};

}  // namespace

OpenCampaigns campaign_opener() {
  return [](const std::string& conninfo) -> Result<std::unique_ptr<CampaignReader>> {
    const DatabaseAddress address{.conninfo = conninfo};
    const auto parameters = connection_parameters(address);
    if (!parameters) return parameters.error();
    return std::unique_ptr<CampaignReader>(std::make_unique<StoreReader>(address));
  };
}

namespace {

void put(std::vector<std::byte>& bytes, std::uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes.push_back(static_cast<std::byte>(word >> shift));
}

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  MANYPLY_CHECK(at + 8 <= bytes.size());
  std::uint64_t word = 0;
  for (std::size_t i = 8; i-- > 0;)
    word = word << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return word;
}

}  // namespace

std::vector<std::byte> stored_bytes(std::uint64_t word) {
  std::vector<std::byte> bytes;
  put(bytes, word);
  return bytes;
}

std::vector<std::byte> stored_bytes(const Hash128& hash) {
  std::vector<std::byte> bytes;
  put(bytes, hash.low);
  put(bytes, hash.high);
  return bytes;
}

Hash128 stored_hash(std::span<const std::byte> bytes) {
  return {.low = word_at(bytes, 0), .high = word_at(bytes, 8)};
}

Hash128 part_digest(const Hash128& campaign, std::int64_t part, const PartCount& count) {
  std::vector<std::byte> bytes = stored_bytes(campaign);
  for (const std::uint64_t word :
       {static_cast<std::uint64_t>(part), count.nodes.low(), count.nodes.high(), count.rows,
        count.kernel_pairs, count.lane_pairs})
    put(bytes, word);
  return xxh3_128(bytes);
}

}  // namespace manyply
