// Tests the API together with batches, the transport, and campaigns in a database.
#include "tests/support/eventually.h"
#include "tests/tools/campaign/campaign_fixture.h"
#include "tests/tools/server/routes_fixture.h"
#include "tests/tools/server/wire.h"
#include "tools/campaign/campaign_commands.h"
#include "tools/server/jobs/job_store.h"

namespace manyply {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTwo =
    "# two positions, and a count that is wrong\n"
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D3 8902 ;D4 197281\n"
    "\n"
    "kiwipete ;D1 48 ;D2 2040 ;D3 97862\r\n";

class BatchTest : public RoutesTest {
 protected:
  json ended(const std::string& path) {
    json batch;
    EXPECT_TRUE(eventually([&] {
      batch = body_of(get(path));
      return batch["state"] != "queued" && batch["state"] != "running";
    }));
    return batch;
  }
};

TEST_F(BatchTest, FromEpdToAReport) {
  start();
  const HttpResponse accepted = send_batch(kTwo);
  EXPECT_EQ(accepted.status, 202);
  EXPECT_EQ(header(accepted, "Location"), "/v1/batches/1");
  const json batch = ended("/v1/batches/1");
  EXPECT_EQ(batch["state"], "done");
  EXPECT_EQ(batch["positions"], 2);
  EXPECT_EQ(batch["counts"], 6);
  EXPECT_EQ(batch["verdict"], "mismatch");
  EXPECT_EQ(batch["nodes"], std::to_string(20 + 8902 + 197281 + 48 + 2039 + 97862));
  const json& report = batch["report"];
  EXPECT_EQ(report["matches"], 5);
  ASSERT_EQ(report["differences"].size(), 1U);
  EXPECT_EQ(report["differences"][0],
            json::parse(R"({"line": 4, "fen": "kiwipete", "depth": 2, "expected": "2040",
                            "nodes": "2039"})"));

  EXPECT_EQ(body_of(get("/v1/batches/1/result")), report);
  EXPECT_THAT(get("/v1/batches/1/result?format=text").body,
              StartsWith("line 4, depth 2: expected 2040, counted 2039  kiwipete\n"
                         "batch: 2 positions, 5 counts match, 1 differ, 0 skipped, "));
  const HttpResponse junit = get("/v1/batches/1/result?format=junit");
  EXPECT_EQ(header(junit, "Content-Type"), "application/xml");
  EXPECT_THAT(
      junit.body,
      AllOf(
          StartsWith("<?xml"), HasSubstr("tests=\"2\" failures=\"1\""),
          HasSubstr("name=\"line 2: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"/>"),
          HasSubstr("name=\"line 4: kiwipete\">\n      <failure type=\"mismatch\" "
                    "message=\"depth 2: expected 2040, counted 2039\"/>")));
  EXPECT_EQ(get("/v1/batches/1/result?format=csv").status, 400);

  const HttpResponse again = send_batch(kTwo);
  EXPECT_EQ(again.status, 200) << "is known";
  EXPECT_EQ(body_of(again)["id"], 1);
  EXPECT_EQ(send_batch(kTwo, "?mode=unhashed").status, 202) << "is another question";
  EXPECT_EQ(ended("/v1/batches/2")["report"]["differences"], report["differences"]);
}

TEST_F(BatchTest, IsNoJobAmongJobs) {
  start();
  send_batch(kTwo);
  const json job = finish(R"({"depth": 2})");
  EXPECT_EQ(job["id"], 2) << "ids are one sequence: the queue is one";
  const auto ids = [&](const std::string& list, const char* name) {
    std::vector<int> all;
    const json page = body_of(get(list));
    for (const json& each : page.at(name)) all.push_back(each["id"]);
    return all;
  };
  ended("/v1/batches/1");
  EXPECT_THAT(ids("/v1/jobs", "jobs"), ElementsAre(2));
  EXPECT_THAT(ids("/v1/batches?state=done", "batches"), ElementsAre(1));
  for (const char* what : {"", "/result", "/events"}) {
    EXPECT_EQ(respond("GET", std::string("/v1/jobs/1") + what).status, 404) << what;
    EXPECT_EQ(respond("GET", std::string("/v1/batches/2") + what).status, 404) << what;
  }
  EXPECT_EQ(respond("DELETE", "/v1/jobs/1").status, 404);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/1/result").status, 404);
  EXPECT_EQ(respond("DELETE", "/v1/batches/1/result").status, 204);
  EXPECT_EQ(get("/v1/batches/1").status, 404);
  EXPECT_EQ(send_batch(kTwo).status, 202) << "its result has gone, too";
  const Database database = Database::open(dir_.database(), 1000).value();
  Statement texts = database.prepare("SELECT count(*) FROM batches");
  ASSERT_TRUE(texts.step().value());
  EXPECT_EQ(texts.integer(0), 1) << "and its text";
}

TEST_F(BatchTest, TellsWhichLinesWereRefusedAndCountsTheOthers) {
  start();
  const std::string text = "startpos ;D1 20\n3Pk3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 5\nkiwipete ;D1 ";
  EXPECT_EQ(send_batch(text + "48\n").status, 202);
  const json batch = ended("/v1/batches/1");
  EXPECT_EQ(batch["state"], "done");
  EXPECT_EQ(batch["positions"], 2);
  EXPECT_EQ(batch["verdict"], "refused");
  const json& report = batch["report"];
  EXPECT_EQ(report["matches"], 2);
  EXPECT_EQ(report["refused"], 1);
  EXPECT_EQ(report["refusals"], json::parse(R"([{"line": 2, "field": "placement", "column": 2,
                             "message": "a pawn on d8"}])"));
  EXPECT_THAT(get("/v1/batches/1/result?format=text").body,
              StartsWith("line 2 refused: placement: a pawn on d8 (column 2)\n"
                         "batch: 2 positions, 2 counts match, 0 differ, 0 skipped, 1 line "
                         "refused, "));
  EXPECT_THAT(get("/v1/batches/1/result?format=junit").body,
              AllOf(HasSubstr("tests=\"3\" failures=\"0\" errors=\"1\""),
                    HasSubstr("name=\"line 2\">\n      <error type=\"refused\" "
                              "message=\"placement: a pawn on d8 (column 2)\"/>")));
  send_batch(text + "47\n");
  EXPECT_EQ(ended("/v1/batches/2")["verdict"], "mismatch");
}

TEST_F(BatchTest, SaysHowRowsWereRead) {
  start();
  EXPECT_EQ(send_batch("startpos,3,8902\nkiwipete,2,2039\n").status, 202);
  const json batch = ended("/v1/batches/1");
  EXPECT_EQ(batch["verdict"], "match");
  EXPECT_EQ(batch["counts"], 2);
  EXPECT_THAT(batch["report"]["read_as"], ElementsAre("line 1 read as CSV: fen, depth, nodes"));
  EXPECT_THAT(get("/v1/batches/1/result?format=text").body,
              StartsWith("line 1 read as CSV: fen, depth, nodes\nbatch: 2 positions, "));
}

TEST_F(BatchTest, TakesOtherFormsAndEncodings) {
  start();
  send_batch(R"([{"fen": "startpos", "depth": 2, "nodes": 400},
                 {"fen": "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -",
                  "results": {"1": 48, "2": "2,039"}}])");
  const json list = ended("/v1/batches/1");
  EXPECT_EQ(list["verdict"], "match") << list;
  EXPECT_EQ(list["counts"], 3);
  EXPECT_EQ(list["report"]["read_as"][0], "line 1 read as JSON: fen, depth, nodes");

  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string("startpos,2,400\n")) utf16 += std::string{c, '\0'};
  send_batch(utf16);
  EXPECT_EQ(ended("/v1/batches/2")["report"]["matches"], 1);
}

TEST_F(BatchTest, RefusesAllOfWhatIsWrongInOneLine) {
  start();
  const auto refused = [&](const HttpResponse& response, int status, const std::string& detail) {
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(body_of(response)["detail"], detail);
  };
  refused(send_batch("# one\nkiwipete ;D1 48 ;D2\n"), 422,
          "epd:2: count: no count after 'D2' (column 20)");
  refused(
      send_batch("startpos,7\n"), 422,
      "epd:1: count: '7' is neither the count at depth 1 (correct: 20) nor a depth and its nodes; "
      "name the columns in a header such as 'fen,depth,nodes' or 'fen,D1,D2' (column 10)");
  refused(send_batch("# nothing\n"), 422, "epd: contains no positions");
  refused(send_batch(kTwo, "?mode=verify"), 422,
          "mode: must be count, hashed or unhashed for a batch");
  EXPECT_EQ(send_batch(kTwo, "?mode=fast").status, 400);
  EXPECT_EQ(send_batch(kTwo, "?deadline=0").status, 400);
  EXPECT_EQ(send_batch(kTwo, "?depth=3").status, 400);
  EXPECT_EQ(send_batch(kTwo, "", {}, "text/plain").status, 415)
      << "forms of other sites' pages can say that";
  refused(send_batch("startpos ;D1 20\n\nkiwipete ;D1 48 ;D31 20\nstartpos ;D32 20\n"), 422,
          "epd:3: depth: is above this server's limit of 30");
  EXPECT_EQ(send_batch(std::string(Batch::kMaxBytes + 1, '#')).status, 422);
  EXPECT_EQ(manager_->stats().accepted, 0U);
}

TEST_F(BatchTest, GoesOnWhereItWas) {
  options_.unit_interval = std::chrono::milliseconds(1);
  HeldCount held(4);
  world_.runner = held.runner();
  start();
  send_batch(kTwo);
  ASSERT_TRUE(eventually([&] { return held.taken() == 4; }));
  EXPECT_EQ(body_of(get("/v1/batches/1"))["state"], "running");
  routes_.reset();
  manager_.reset();
  held.let_go();
  start();
  const json batch = ended("/v1/batches/1");
  EXPECT_EQ(batch["attempts"], 2);
  EXPECT_EQ(held.taken(), 2U) << "four of six were known";
  EXPECT_EQ(batch["report"]["matches"], 5);
  EXPECT_EQ(batch["report"]["differences"].size(), 1U);
}

TEST_F(BatchTest, IsCancelledAndHasADeadline) {
  const HeldCount held(1);
  world_.runner = held.runner();
  const auto seconds = std::make_shared<std::atomic<int>>(0);
  world_.now = [seconds] { return WallTime(std::chrono::seconds(*seconds)); };
  start();
  send_batch(kTwo, "?deadline=60");
  send_batch("startpos ;D1 20 ;D2 400");
  ASSERT_TRUE(eventually([&] { return held.taken() == 1; }));
  EXPECT_EQ(body_of(respond("DELETE", "/v1/batches/2"))["state"], "cancelled");
  *seconds = 60;
  const json late = ended("/v1/batches/1");
  EXPECT_EQ(late["state"], "failed");
  EXPECT_EQ(late["error"]["field"], "deadline");
  EXPECT_EQ(get("/v1/batches/2/result").status, 409);
}

TEST_F(BatchTest, TakesOnePlaceAndItsBytesCount) {
  options_.limits.max_queued = 1;
  start_stuck();
  send_batch("startpos ;D1 20");
  ASSERT_TRUE(eventually([&] { return body_of(get("/v1/batches/1"))["state"] == "running"; }));
  EXPECT_EQ(send_batch(kTwo).status, 202);
  EXPECT_EQ(send_batch("kiwipete ;D1 48").status, 429);
  manager_.reset();
  const auto store = JobStore::open(dir_.path()).value();
  const JobRequest request = make_batch_request({}, kTwo).value();
  const JobId id = store->accept(request, {}, WallTime(), "ci").value();
  ASSERT_TRUE(store->finish(id, request, {JobState::kCancelled, WallTime(), {}, {}}).ok());
  EXPECT_GE(store->usage_of("ci", WallTime())->stored_bytes, std::string_view(kTwo).size());
}

TEST_F(BatchTest, DamageShows) {
  start_stuck();
  send_batch(kTwo);
  routes_.reset();
  manager_.reset();
  {
    const Database database = Database::open(dir_.database(), 1000).value();
    ASSERT_EQ(database.execute("UPDATE batches SET epd = replace(epd, '2040', '2039')"),
              std::nullopt);
  }
  world_.runner = {};
  start();
  const json batch = ended("/v1/batches/1");
  EXPECT_EQ(batch["state"], "failed");
  EXPECT_THAT(batch["error"]["detail"].get<std::string>(), HasSubstr("damaged"));
}

// Tests routes together with the transport, in one process.

class ServedRoutesTest : public RoutesTest {
 protected:
  void serve(RoutesOptions options) {
    start(std::move(options));
    HttpServerOptions transport;
    transport.limits.read_timeout = std::chrono::hours(1);  // even on a slow machine
    server_ = HttpServer::bind(transport).value();
    server_->serve([this](const HttpRequest& head) { return routes_->judge(head); }, nullptr);
  }
  ~ServedRoutesTest() override {
    if (server_) server_->shutdown(std::chrono::milliseconds(0));
  }
  Wire ask(const std::string& line, const std::string& body = "", const std::string& more = "") {
    Wire wire(server_->port());
    wire.send(line + " HTTP/1.1\r\nHost: localhost\r\n" + more +
              (body.empty() ? "\r\n"
                            : "Content-Type: application/json\r\nContent-Length: " +
                                  std::to_string(body.size()) + "\r\n\r\n" + body));
    return wire;
  }

  std::unique_ptr<HttpServer> server_;
};

constexpr const char* kEndless =
    R"({"fen": "kiwipete", "moves": "e1g1", "depth": 20, "divide": "a2a3: 1"})";

TEST_F(ServedRoutesTest, OthersAreAnsweredWhileAllComparisonsRun) {
  serve({.diff_patience = std::chrono::hours(1)});
  std::vector<Wire> comparisons;
  for (int i = 0; i < 12; ++i) comparisons.push_back(ask("POST /v1/diff", kEndless));
  ASSERT_TRUE(eventually([&] { return server_->stats().handling == 12; }));
  EXPECT_THAT(ask("GET /v1/jobs").response(), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("POST /v1/jobs", R"({"depth": 3})").response(), StartsWith("HTTP/1.1 202"));
  EXPECT_THAT(ask("GET /metrics").response(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(server_->stats().handling, 12U) << "they are all still running";
  comparisons.clear();  // a client that disconnects cancels its comparison
  EXPECT_TRUE(eventually([&] { return server_->stats().handling == 0; }));
}

// Clients with the right to send bodies announce them but do not send them.
TEST_F(ServedRoutesTest, HalfOpenRequestsKeepNobodyOut) {
  constexpr std::size_t kHalfOpen = 256;
  if (raise_file_limit() < 2 * kHalfOpen + 100) GTEST_SKIP() << "too few files for this process";
  const std::string bearer = "Authorization: Bearer a-token-of-some-length\r\n";
  for (const bool with_token : {false, true}) {
    serve({.clients = with_token ? clients_of("a-token-of-some-length") : nullptr});
    const std::string head = bearer + "Content-Type: application/json\r\nContent-Length: 65536\r\n";
    std::vector<Wire> half_open;
    for (std::size_t i = 0; i < kHalfOpen; ++i) half_open.push_back(ask("POST /v1/jobs", "", head));
    for (Wire& wire : half_open) wire.send("{");
    ASSERT_TRUE(eventually([&] { return server_->stats().connections == kHalfOpen; }));
    EXPECT_THAT(ask("POST /v1/jobs", R"({"depth": 3})", bearer).response(),
                StartsWith("HTTP/1.1 20"));
    EXPECT_EQ(server_->stats().evicted, 0U);
    server_->shutdown(std::chrono::milliseconds(0));
  }
}

TEST_F(ServedRoutesTest, WhoMayNotAskSendsNoBody) {
  serve({.clients = clients_of("a-token-of-some-length")});
  const std::string announced =
      "Content-Type: application/json\r\nContent-Length: 65536\r\nExpect: 100-continue\r\n";
  for (const std::string& more :
       {announced, announced + "Authorization: Bearer something-else\r\n"})
    EXPECT_THAT(ask("POST /v1/jobs", "", more).rest(), StartsWith("HTTP/1.1 401"));
  const std::string token = "Authorization: Bearer a-token-of-some-length\r\n";
  EXPECT_THAT(
      ask("POST /v1/jobs", "", announced + token + "Origin: http://evil.example\r\n").rest(),
      StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask("POST /v1/nothing", "", announced + token).rest(), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask("PUT /v1/jobs", "", announced + token).rest(), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(ask("POST /v1/jobs", "", announced + token).read_to("\r\n\r\n"),
              StartsWith("HTTP/1.1 100"));
}

// Tests campaigns over HTTP with a database, but without sockets.

class CampaignRoutes : public RoutesTest {
 protected:
  void SetUp() override {
    PostgresServer* const server = PostgresServer::get();
    if (server == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    address_ = server->conninfo("postgres");
    Postgres postgres = Postgres::connect({.conninfo = address_}, {}).value();
    ASSERT_EQ(postgres.execute("DROP SCHEMA IF EXISTS manyply CASCADE"), std::nullopt);
    ASSERT_TRUE(CampaignStore({.conninfo = address_}).init().ok());
  }
  void TearDown() override { routes_.reset(); }

  /// Returns the result of one new reading. Checks it against openapi.json, like all responses.
  json shown() {
    routes_.reset();
    auto reader = campaign_opener()(address_);
    watch_ = std::make_unique<CampaignWatch>(std::move(reader).value());
    start({.campaigns = watch_.get()});
    EXPECT_TRUE(eventually([&] { return get("/v1/campaigns").status == 200; }));
    return body_of(get("/v1/campaigns/small"));
  }

  std::string address_;
  std::unique_ptr<CampaignWatch> watch_;
};

TEST_F(CampaignRoutes, AreWhatTheDatabaseHolds) {
  CreatedCampaign small({.conninfo = address_}, 1);
  const std::int64_t first = small.join(small.worker(1));
  small.finish(first, *small.claim(first)->part);
  const Claim next = small.claim(first).value();

  const json begun = shown();
  EXPECT_EQ(begun["away"], false);
  EXPECT_EQ(begun["campaign"]["state"], "running");
  EXPECT_EQ(begun["campaign"]["pass0"]["parts_done"], 1);
  EXPECT_EQ(begun["campaign"]["lease_seconds"], small.campaign.lease_seconds);
  EXPECT_THAT(begun["strip"]["done"], ElementsAre(1, 0, 0, 0, 0, 0));
  EXPECT_THAT(begun["strip"]["counting"], ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_THAT(begun["strip"]["to_verify"], ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(begun["strip"]["verified"], ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_EQ(begun["workers"][0]["state"], "counting");
  EXPECT_EQ(begun["workers"][0]["parts"], 1);

  small.finish(first, *next.part);
  small.finish_all(first);
  const std::int64_t second = small.join(small.worker(2));
  const Claim again = small.claim(second).value();
  EXPECT_EQ(shown()["strip"]["verifying"][0], 1);
  small.finish(second, *again.part);
  small.finish_all(second);
  const json done = shown();
  EXPECT_EQ(done["campaign"]["state"], "done");
  EXPECT_EQ(done["campaign"]["share_done"], 1);
  for (const char* part : {"done", "to_verify", "verified"})
    EXPECT_THAT(done["strip"][part], ElementsAre(1, 1, 1, 1, 1, 1)) << part;
  double leaves = 0;
  for (const json& rate : done["rate"]["leaves_per_second"])
    leaves += rate.get<double>() * done["rate"]["step_seconds"].get<double>();
  const double rounding = 10 * static_cast<double>(done["rate"]["leaves_per_second"].size()) * 0.5;
  EXPECT_NEAR(leaves, 2.0 * SmallCampaign::kNodes, rounding) << "counted twice";
}

TEST_F(CampaignRoutes, DisputesAreShown) {
  CreatedCampaign small({.conninfo = address_}, 1);
  const std::int64_t first = small.join(small.worker(1));
  small.finish_all(first);
  const std::int64_t second = small.join(small.worker(2));
  const Claim again = small.claim(second).value();
  ASSERT_TRUE(small.commit(second, small.counted_wrongly(*again.part)).ok());
  const json disputed = shown();
  EXPECT_EQ(disputed["campaign"]["state"], "disputed");
  ASSERT_EQ(disputed["campaign"]["disputes"].size(), 1U);
  EXPECT_THAT(disputed["campaign"]["disputes"][0]["workers"], ElementsAre(first, second));
}

TEST_F(CampaignRoutes, APasswordIsRefused) {
  EXPECT_THAT(campaign_opener()("host=/nowhere password=secret").error().to_string(),
              testing::Not(testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace manyply
