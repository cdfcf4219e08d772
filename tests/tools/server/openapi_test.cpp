// Compares openapi.json with the routes in both directions: every response is described, and every
// described response occurs. RoutesTest checks each single response against the document.

#include <sqlite3.h>

#include <algorithm>

#include "parallel/jobs/estimate.h"
#include "parallel/jobs/verify.h"
#include "tests/support/eventually.h"
#include "tests/tools/server/routes_fixture.h"
#include "tools/report/count_format.h"
#include "tools/report/mode_formats.h"
#include "tools/server/http/event_hub.h"
#include "tools/server/job_json.h"
#include "tools/server/jobs/job_types.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAreArray;
using Operation = ApiContract::Operation;

std::set<std::string> without(std::set<std::string> all, const std::set<std::string>& some) {
  std::erase_if(all, [&](const std::string& each) { return some.contains(each); });
  return all;
}

/// Campaigns with all optional members.
class MadeUpCampaigns : public CampaignReader {
  Result<std::vector<CampaignView>> read(const std::stop_token&) override {
    CampaignView view;
    view.name = "eleven";
    view.status = R"({"name": "eleven", "fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "depth": 11,
        "state": "disputed", "share_done": 0.25,
        "pass0": {"parts": 4, "parts_done": 1, "parts_leased": 1},
        "pass1": {"parts": 0, "parts_done": 0, "parts_leased": 0},
        "leaves_per_second": 5, "seconds_left": null, "lease_seconds": 120,
        "workers": {"seen": 1, "gone": 0, "refused": 0},
        "disputes": [{"part": 0, "counts": ["1", "2"], "workers": [1, 2]}],
        "advice": ["nobody counts"]})";
    view.strip = R"({"done": [1, 0.5, 0, 0], "counting": [0, 0.5, 0, 0],
        "to_verify": [1, 0, 0, 0], "verified": [0, 0, 0, 0], "verifying": [1, 0, 0, 0]})";
    view.rate = R"({"step_seconds": 10, "leaves_per_second": [5]})";
    view.workers = R"([{"id": 1, "host": "here", "label": "", "version": "1", "kernel": "avx2",
        "threads": 2, "memory_bytes": 64, "state": "refused", "refused": "is old",
        "seconds_since_seen": 1.5, "parts": 2, "seconds": 12}])";
    return std::vector{view};
  }
};

class NoCampaigns : public CampaignReader {
  Result<std::vector<CampaignView>> read(const std::stop_token&) override {
    return Error{ErrorCode::kUnavailable, "database", 0, "is not there"};
  }
};

class OpenApi : public RoutesTest {
 protected:
  static const json& document() { return contract().document(); }
  static const json& at(const std::string& pointer) {
    return document().at(json::json_pointer(pointer));
  }
  static const json& schema(const std::string& name) { return at("/components/schemas/" + name); }

  /// Changes the open database from another connection.
  void sabotage(const std::string& statement) {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(dir_.database().c_str(), &other), SQLITE_OK);
    sqlite3_busy_timeout(other, 600'000);
    ASSERT_EQ(sqlite3_exec(other, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(other);
    sqlite3_close(other);
  }
  /// Returns the job as soon as `holds` returns true for it.
  json job_when(const std::string& id, const std::function<bool(const json&)>& holds) {
    for (;;) {
      json job = body_of(get("/v1/jobs/" + id));
      if (holds(job)) return job;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void ask_everything_once();
  void be_refused_everywhere();
  void fail_and_wait();
  void lose_the_database();
  void stop();
  void disagree();
  void resume();
};

TEST_F(OpenApi, DescribesEveryRouteAndNoOther) {
  std::vector<std::string> routes;
  for (const Routes::Route& route : Routes::table())
    routes.push_back(std::string(route.method) + ' ' + std::string(route.path));
  std::vector<std::string> operations;
  for (const Operation& operation : contract().operations()) operations.push_back(operation.name());
  EXPECT_THAT(operations, UnorderedElementsAreArray(routes));

  for (const Operation& operation : contract().operations()) {
    const auto route = std::ranges::find_if(Routes::table(), [&](const Routes::Route& each) {
      return each.method == operation.method && each.path == operation.path;
    });
    ASSERT_NE(route, Routes::table().end());
    std::vector<std::string> parameters;
    for (const json& reference : operation.body.value("parameters", json::array())) {
      const json& parameter = contract().resolved(reference);
      if (parameter["in"] == "query") parameters.push_back(parameter["name"]);
    }
    EXPECT_THAT(parameters, UnorderedElementsAreArray(route->parameters)) << operation.name();
    EXPECT_EQ(operation.body.contains("requestBody"), operation.method == "POST");
  }
}

TEST_F(OpenApi, NamesEveryModeStateFormatAndLimit) {
  json modes = json::array();
  for (const Mode& mode : manyply::modes()) modes.push_back(to_string(mode.mode));
  EXPECT_EQ(schema("JobRequest/properties/mode/enum"), modes);
  EXPECT_EQ(schema("JobRequest/properties/mode/default"), to_string(JobRequest{}.mode));
  json states = json::array();
  for (int state = 0; state <= static_cast<int>(JobState::kCancelled); ++state)
    states.push_back(to_string(static_cast<JobState>(state)));
  EXPECT_EQ(schema("State/enum"), states);
  const auto expect_formats = [](const json& formats, JobKind kind, std::size_t number) {
    EXPECT_EQ(formats.size(), number);
    for (const json& format : formats)
      EXPECT_TRUE(parse_result_format(format.get<std::string>(), kind).ok());
  };
  expect_formats(at("/paths/~1v1~1jobs~1{id}~1result/get/parameters/0/schema/enum"),
                 JobKind::kCount, 4);
  expect_formats(at("/paths/~1v1~1batches~1{id}~1result/get/parameters/0/schema/enum"),
                 JobKind::kBatch, 3);
  EXPECT_EQ(at("/paths/~1v1~1batches/post/requestBody/content/application~1x-epd/schema/maxLength"),
            Batch::kMaxBytes);

  const json& limit = at("/components/parameters/Limit/schema");
  EXPECT_EQ(limit["maximum"], Routes::kLargestPage);
  EXPECT_EQ(limit["default"], Routes::kDefaultPage);
  EXPECT_EQ(schema("JobPage/properties/jobs/maxItems"), Routes::kLargestPage);
  for (const char* name : {"JobRequest", "DiffRequest", "Job"})
    EXPECT_EQ(schema(name)["properties"]["depth"]["maximum"], Depth::kMax) << name;
  EXPECT_EQ(schema("JobRequest/properties/deadline/maximum"), JobRequest::kMaxDeadline.count());
  const json& samples = schema("JobRequest/properties/samples");
  EXPECT_EQ(samples["minimum"], Question::kMinSamples);
  EXPECT_EQ(samples["maximum"], JobRequest::kMaxSamples);
  EXPECT_EQ(samples["default"], EstimateSpec{}.samples);
  EXPECT_EQ(schema("JobRequest/properties/seed/maximum"), JobRequest::kMaxSeed);
  EXPECT_EQ(schema("JobRequest/properties/seed/default"), EstimateSpec{}.seed);
  EXPECT_EQ(at("/components/parameters/IdempotencyKey/schema/maxLength"),
            JobRequest::kMaxIdempotencyKey);
}

// A document without details could not be wrong. So each object must say which members it has and
// which are required, and every reference and component must be used.
TEST_F(OpenApi, IsStrict) {
  std::set<std::string> used;
  const std::function<void(const json&, const std::string&)> walk = [&](const json& node,
                                                                        const std::string& where) {
    if (node.is_array()) {
      for (std::size_t i = 0; i < node.size(); ++i) walk(node[i], where + '/' + std::to_string(i));
    }
    if (!node.is_object()) return;
    if (const auto reference = node.find("$ref"); reference != node.end()) {
      EXPECT_EQ(node.size(), 1U) << where << ": draft 7 overlooks what stands beside it";
      used.insert(reference->get<std::string>());
      EXPECT_FALSE(contract().resolved(node).is_null()) << where;
    }
    if (node.value("type", json()) == "object" && node.contains("properties")) {
      EXPECT_EQ(node.value("additionalProperties", json()), false) << where;
      EXPECT_THAT(node.value("required", json::array()), Not(IsEmpty())) << where;
      for (const json& name : node.value("required", json::array()))
        EXPECT_TRUE(node["properties"].contains(name.get<std::string>())) << where << name;
    }
    for (const auto& [name, child] : node.items()) walk(child, where + '/' + name);
  };
  walk(document(), "");
  for (const char* kind : {"schemas", "parameters", "headers", "responses"}) {
    for (const auto& [name, component] : document()["components"][kind].items())
      EXPECT_THAT(used, Contains("#/components/" + std::string(kind) + '/' + name));
  }
  for (const Operation& operation : contract().operations()) {
    EXPECT_NE(operation.body.value("summary", ""), "") << operation.name();
    EXPECT_TRUE(operation.body["responses"].contains("default")) << operation.name();
    if (operation.path.find("{id}") != std::string::npos) {
      EXPECT_EQ(document()["paths"][operation.path]["parameters"][0]["$ref"],
                "#/components/parameters/JobId");
    }
  }
}

void OpenApi::ask_everything_once() {
  CampaignWatch watch(std::make_unique<MadeUpCampaigns>());
  start({.campaigns = &watch, .diff_patience = std::chrono::hours(1)});
  ASSERT_TRUE(eventually([&] { return get("/v1/campaigns").status == 200; }));
  EXPECT_EQ(body_of(get("/v1/campaigns"))["campaigns"][0]["name"], "eleven");
  EXPECT_EQ(body_of(get("/v1/campaigns/eleven"))["campaign"]["state"], "disputed");
  EXPECT_EQ(get("/v1/campaigns/twelve").status, 404);
  for (const Mode& mode : modes()) {
    const std::string request = json{{"depth", 5},     {"mode", to_string(mode.mode)},
                                     {"divide", true}, {"deadline", 3600},
                                     {"moves", ""},    {"chess960", false}}
                                    .dump();
    const json job = finish(request);
    EXPECT_EQ(job["state"], "done") << job;
    const std::string path = "/v1/jobs/" + job["id"].dump();
    EXPECT_EQ(get(path + "/result").status, 200);
    for (const char* format : {"csv", "stockfish", "epd"})
      EXPECT_THAT(get(path + "/result?format=" + format).status, testing::AnyOf(200, 409));
    EXPECT_EQ(respond("DELETE", path).status, 200) << "stays as it is";
    EXPECT_EQ(post("/v1/jobs", request).status, 200) << "is known";
  }
  finish(R"({"depth": 7, "mode": "estimate", "samples": 100, "seed": 7})");
  EXPECT_EQ(finish(R"({"depth": 5, "method": "configurations"})")["mode"], "configurations");
  EXPECT_EQ(get("/v1/jobs?limit=1&before=9&state=done").status, 200);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/1/result").status, 204);
  const std::string suite = "startpos ;D1 20 ;D2 401\n8/8/8/8/8/8/8/9 w - - ;D1 1";
  const std::string batch = header(send_batch(suite, "?mode=count&deadline=3600"), "Location");
  ASSERT_TRUE(eventually([&] { return body_of(get(batch))["state"] == "done"; }));
  EXPECT_EQ(send_batch(suite, "?deadline=3600").status, 200) << "is known";
  for (const char* format : {"", "?format=json", "?format=text", "?format=junit"})
    EXPECT_EQ(get(batch + "/result" + format).status, 200);
  EXPECT_EQ(respond("DELETE", batch).status, 200) << "stays as it is";
  EXPECT_EQ(get("/v1/batches?limit=1&before=99&state=done").status, 200);
  EXPECT_TRUE(std::holds_alternative<EventStreamAnswer>(ask("GET", batch + "/events")));
  EXPECT_EQ(respond("DELETE", batch + "/result").status, 204);
  EXPECT_EQ(get("/v1/position?fen=kiwipete&moves=e1h1&chess960=true").status, 200);
  EXPECT_EQ(get("/v1/position?fen=4k3/8/8/8/8/8/8/R3K3+b+Q+-+0+1").status, 200);
  EXPECT_EQ(get("/v1/position?fen=x").status, 422);
  EXPECT_EQ(
      post("/v1/position", R"({"fen": "kiwipete", "moves": "e1h1", "chess960": true})").status,
      200);
  EXPECT_EQ(post("/v1/position", R"({"fen": "x"})").status, 422);
  EXPECT_EQ(post("/v1/position", R"({"fen": "startpos", "depth": 1})").status, 422);
  EXPECT_EQ(post("/v1/position", "{}").status, 422);
  EXPECT_EQ(post("/v1/position", "[]").status, 400);
  const std::string game = "1. e4 {" + std::string(20'000, 'x') + "} e5 2. Nf3";
  EXPECT_EQ(body_of(post("/v1/position", json{{"fen", game}}.dump()))["fen"],
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
  EXPECT_EQ(post("/v1/diff", R"({"depth": 1, "divide": "e2e4 2\na1a8 1", "fen": "startpos",
                                 "moves": "", "chess960": true})")
                .status,
            200);
  EXPECT_EQ(post("/v1/diff", R"({"depth": 2, "divide": "e2e4 2", "right_as_fen": false})").status,
            200);
  EXPECT_EQ(post("/v1/diff", R"({"depth": 2, "divide": "e2e4: 1\nd2d4: 1\n\nNodes searched: 2\n\n)"
                             R"(e2e4: 20\nd2d4: 20\n\nNodes searched: 40\n"})")
                .status,
            200);
  EXPECT_EQ(post("/v1/diff", R"({"depth": 2, "divide": "move,a,b\ne2e4,20,20\nd2d4,20,19\n)"
                             R"(g1f3,20,"})")
                .status,
            200);
  std::string divide;  // one count is wrong, so the search continues there
  for (const char* move :
       {"a2a3", "a2a4", "b1a3", "b1c3", "b2b3", "b2b4", "c2c3", "c2c4", "d2d3", "d2d4", "e2e3",
        "e2e4", "f2f3", "f2f4", "g1f3", "g1h3", "g2g3", "g2g4", "h2h3"})
    divide += std::string(move) + ": 20\n";
  divide += "h2h4: 19\n\nNodes searched: 399\n";
  EXPECT_EQ(post("/v1/diff", json{{"depth", 2}, {"divide", divide}}.dump()).status, 200);
  EXPECT_EQ(post("/v1/diff", R"({"depth": 1, "divide": ""})").status, 422);
  std::stop_source gone;
  gone.request_stop();
  const HttpRequest left{"POST",
                         "/v1/diff",
                         {{"Host", "localhost"}, {"Content-Type", "application/json"}},
                         R"({"depth": 30, "divide": "e2e4 2"})",
                         "1"};
  EXPECT_EQ(std::get<HttpResponse>(ask(left, gone.get_token())).status, 503);
  for (const char* path : {"/healthz", "/readyz", "/metrics", "/openapi.json", "/limits.json"})
    EXPECT_EQ(get(path).status, 200) << path;
  EXPECT_TRUE(std::holds_alternative<EventStreamAnswer>(
      ask("GET", "/v1/jobs/2/events", "", {{"Last-Event-ID", "1"}})));
  start({.diff_patience = std::chrono::milliseconds(0)});  // without campaigns
  EXPECT_EQ(post("/v1/diff", R"({"depth": 30, "divide": "e2e4 2"})").status, 409);
}

/// Causes the refusals that all operations have in common.
void OpenApi::be_refused_everywhere() {
  const auto everywhere = [&](int status, const Headers& headers, const std::string& id = "1") {
    for (const Operation& operation : contract().operations()) {
      std::string target = operation.path;
      if (const std::size_t at = target.find("{id}"); at != std::string::npos)
        target.replace(at, 4, id);
      const HttpRequest request{operation.method, target, headers, "{}", "1"};
      const HttpAnswer answer = ask(request);
      const auto* response = std::get_if<HttpResponse>(&answer);
      const bool open = operation.body.contains("security") && operation.body["security"].empty();
      if (status == 401 && open) {
        EXPECT_TRUE(response != nullptr && response->status == 200) << operation.name();
      } else if (status != 404 || operation.path.find("{id}") != std::string::npos) {
        EXPECT_TRUE(response != nullptr && response->status == status) << operation.name();
      }
    }
  };
  start();
  everywhere(400, {});
  everywhere(400, {{"Host", "a"}, {"Host", "b"}});
  everywhere(421, {{"Host", "somewhere.example"}});
  everywhere(403, {{"Host", "localhost"}, {"Origin", "http://somewhere.example"}});
  everywhere(404, {{"Host", "localhost"}}, "x");
  EXPECT_EQ(get("/v1/jobs/999").status, 404);
  for (const char* path : {"", "/result", "/events"})
    EXPECT_EQ(get(std::string("/v1/batches/999") + path).status, 404);
  EXPECT_EQ(send_batch("startpos", "", {}, "text/plain").status, 415);
  EXPECT_EQ(send_batch("startpos").status, 422);
  EXPECT_EQ(send_batch("startpos ;D1 20", "?mode=x").status, 400);
  for (const char* path : {"/v1/jobs", "/v1/diff"}) {
    EXPECT_EQ(respond("POST", path, "", {}).status, 415);
    EXPECT_EQ(post(path, "{}").status, 422);
    EXPECT_EQ(post(path, "[]").status, 400);
  }
  for (const Operation& operation : contract().operations()) {
    EXPECT_EQ(respond("PATCH", operation.path).status, 405) << operation.name();
    EXPECT_THAT(get(operation.path + "?lost=1").status, testing::AnyOf(400, 405));
  }
  start({.clients = clients_of("a-token-of-some-length")});
  everywhere(401, {{"Host", "localhost"}});
  start({.clients = clients_of("sam submit sam-sam-sam-sam-sam\n")});
  const Headers sam = bearer("sam-sam-sam-sam-sam");
  const json job = body_of(post("/v1/jobs", R"({"depth": 1, "moves": "a2a3"})", sam));
  EXPECT_EQ(job["client"], "sam");
  const std::string path = "/v1/jobs/" + job["id"].dump();
  ASSERT_TRUE(eventually([&] { return body_of(get(path, sam))["state"] == "done"; }));
  const HttpResponse batch = send_batch("startpos ;D1 20", "", sam);
  EXPECT_EQ(body_of(batch)["client"], "sam");
  // Leave an empty queue for the next server.
  const std::string location = header(batch, "Location");
  ASSERT_TRUE(eventually([&] { return body_of(get(location, sam))["state"] == "done"; }));
}

void OpenApi::fail_and_wait() {
  options_.limits.max_queued = 1;
  world_.runner = [&](const JobRequest& request, const Resources& resources) -> Result<Answer> {
    if (request.depth == Depth(1)) return Error{ErrorCode::kUnavailable, "hash", 0, "too big"};
    if (request.depth == Depth(2)) {
      sabotage("ALTER TABLE results RENAME TO hidden");
      return answer_job(request, resources);
    }
    wait_for(resources.stop);
    return cancelled();
  };
  start();
  EXPECT_EQ(finish(R"({"depth": 1})")["error"]["field"], "hash");
  const std::string failed = header(send_batch("startpos ;D1 21"), "Location");
  ASSERT_TRUE(eventually([&] { return body_of(get(failed))["state"] == "failed"; }));
  EXPECT_EQ(finish(R"({"depth": 9, "deadline": 1})")["state"], "failed");
  const json waiting = body_of(post("/v1/jobs", R"({"depth": 2})"));
  const std::string stuck = waiting["id"].dump();
  const json job =
      job_when(stuck, [](const json& each) { return each.contains("storage_problem"); });
  EXPECT_EQ(job["state"], "running");
  sabotage("ALTER TABLE hidden RENAME TO results");
  job_when(stuck, [](const json& each) { return each["state"] == "done"; });
  const std::string batch = header(send_batch("startpos ;D2 400"), "Location");
  ASSERT_TRUE(eventually([&] { return body_of(get(batch)).contains("storage_problem"); }));
  EXPECT_EQ(get(batch + "/result").status, 409);
  EXPECT_EQ(respond("DELETE", batch + "/result").status, 409);
  sabotage("ALTER TABLE hidden RENAME TO results");
  ASSERT_TRUE(eventually([&] { return body_of(get(batch))["state"] == "done"; }));

  const json running = body_of(post("/v1/jobs", R"({"depth": 9})"));
  job_when(running["id"].dump(), [](const json& each) { return each["state"] == "running"; });
  EXPECT_EQ(get("/v1/jobs/" + running["id"].dump() + "/result").status, 409);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/" + running["id"].dump() + "/result").status, 409);
  const Headers key{{"Idempotency-Key", "once"}};
  const json queued = body_of(post("/v1/jobs", R"({"depth": 8})", key));
  EXPECT_TRUE(queued.contains("queue_position"));
  EXPECT_EQ(queued["waits_for"], running["id"]);
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 7})", key).status, 409);
  EXPECT_EQ(send_batch("startpos ;D7 1", "", key).status, 409);
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 7})").status, 429);
  EXPECT_EQ(send_batch("startpos ;D7 1").status, 429);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/" + queued["id"].dump()).status, 200);
  const std::string next = header(send_batch("startpos ;D7 1"), "Location");
  EXPECT_EQ(body_of(get(next))["waits_for"], running["id"]);
  EXPECT_EQ(respond("DELETE", next).status, 200);
  const json page = body_of(get("/v1/jobs?limit=2"));
  EXPECT_EQ(page["jobs"].size(), 2U);
  for (const json& each : page["jobs"]) {
    const std::string id = each["id"].dump();
    EXPECT_EQ(respond("DELETE", "/v1/jobs/" + id).status, 200);
    job_when(id, [](const json& job) { return job["state"] == "cancelled"; });
  }
}

/// Makes finished jobs unreadable.
void OpenApi::lose_the_database() {
  sabotage("ALTER TABLE jobs RENAME TO hidden");
  for (const std::string list : {"/v1/jobs", "/v1/batches"}) {
    EXPECT_EQ(get(list).status, 503) << list;
    for (const char* path : {"/1", "/1/result", "/1/events"})
      EXPECT_EQ(get(list + path).status, 503) << list << path;
    EXPECT_EQ(respond("DELETE", list + "/1").status, 503);
    EXPECT_EQ(respond("DELETE", list + "/1/result").status, 503);
  }
  sabotage("ALTER TABLE hidden RENAME TO jobs");
}

void OpenApi::stop() {
  CampaignWatch nothing(std::make_unique<NoCampaigns>());
  routes_.emplace(*manager_, RoutesOptions{.campaigns = &nothing});
  EXPECT_EQ(get("/v1/campaigns").status, 503);
  EXPECT_EQ(get("/v1/campaigns/eleven").status, 503);
  routes_.emplace(*manager_);
  manager_->shutdown();
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 6})").status, 503);
  EXPECT_EQ(send_batch("startpos ;D6 1").status, 503);
  EXPECT_EQ(get("/readyz").status, 503);
}

/// Makes verifications find errors: keys have only 17 bits, which no real server uses, and counts
/// of the start position by configurations are too large by one.
void OpenApi::disagree() {
  world_.runner = [](const JobRequest& request, const Resources& resources) -> Result<Answer> {
    JobSpec spec;
    spec.root = request.line.named();
    spec.depth = request.depth;
    spec.threads = 1;
    spec.hash = {.bytes = 4 << 20, .keys = {.bits = 17}};
    const int kind = request.depth.plies();
    MatrixHook on_matrix;
    if (request.fen == "startpos") {
      spec.hash->keys.bits = KeySpec::kMaxBits;
      on_matrix = [](MatrixCount& count) {
        count.nodes += 1;
        count.divide.front().nodes += 1;
      };
    }
    VerifyReport report =
        verify_job(
            spec, {}, resources.stop,
            [&](std::string_view phase) { return resources.on_phase(phase); }, {}, on_matrix)
            .value();
    const Position& root = spec.root.position;
    if (kind == 1)
      report.runs[0].explanation = {FaultyPart::kKey,
                                    {{root, *legal_moves(root).begin(), {1, 2}, {3, 4}}}};
    if (kind == 2) report.runs[0].explanation = {FaultyPart::kKernel};
    if (kind == 3) report.runs[0].explanation = {FaultyPart::kUnknown};
    if (kind == 4 && request.fen != "startpos") {
      report.runs[0].explanation = {FaultyPart::kDevice};
      report.device = {.nodes = 1, .seconds = 2, .use = {"a GPU", "1", 3, 4, {{"leaf", 5}}}};
    }
    Answer outcome;
    outcome.nodes = report.recount.nodes;
    outcome.verdict = "differ";
    outcome.document = json_line(verify_document(report, request.line, request.depth));
    return outcome;
  };
  start();
  std::vector<std::string> kinds;
  for (int depth = 1; depth <= 5; ++depth) {
    const json job = finish(json{{"depth", depth}, {"mode", "verify"}, {"fen", "kiwipete"}}.dump());
    EXPECT_EQ(job["report"]["agrees"], false);
    kinds.push_back(job["report"]["hashed"][0]["cause"]["kind"]);
  }
  EXPECT_THAT(kinds, ElementsAre("key", "kernel", "unknown", "device", "table"));
  const json job = finish(R"({"depth": 4, "mode": "verify"})");
  EXPECT_EQ(job["report"]["hashed"][0]["cause"]["kind"], "configurations");
}

/// A count whose earlier attempt has done a part of the work. A device has counted the last plies.
void OpenApi::resume() {
  world_.runner = [](const JobRequest& request, const Resources& resources) -> Result<Answer> {
    JobSpec spec;
    spec.root = request.line.named();
    spec.depth = request.depth;
    Report report = run_job(spec, resources.stop).value();
    report.resumed_units = 1;
    report.resumed_leaves = 20;
    report.matrix.emplace().device = DeviceUse{"a GPU", "1", 2, 3, {{"leaf", 3}}};
    Answer outcome;
    outcome.nodes = report.nodes;
    outcome.verdict = "match";
    outcome.document = count_document(report, request.line, request.depth);
    return outcome;
  };
  start();
  EXPECT_EQ(finish(R"({"depth": 2, "moves": "a2a3"})")["report"]["resumed_leaves"], 20);
}

TEST_F(OpenApi, AllThatItDescribesIsAnswered) {
  ask_everything_once();
  be_refused_everywhere();
  fail_and_wait();
  lose_the_database();
  stop();
  disagree();
  resume();
  // These responses come from the transport and its event hub.
  EXPECT_THAT(without(contract().documented_answers(), contract().seen_answers()),
              ElementsAre("GET /v1/batches/{id}/events 204", "GET /v1/jobs/{id}/events 204"));
  EXPECT_THAT(without(contract().documented_members(), contract().seen_members()), IsEmpty());
}

TEST_F(OpenApi, EventsCarryJobs) {
  start();
  Mutex mutex;
  std::vector<std::string> data;
  EventHub hub([&](TopicId id) { return present_event(*manager_, id); });
  {
    const auto subscription = manager_->subscribe([&](const JobEvent& event) {
      const TopicEvent told = topic_event(event);
      {
        const MutexLock lock(mutex);
        data.push_back(told.data);
      }
      hub.publish(event.job.id.value, told);
    });
    const json job = body_of(post("/v1/jobs", R"({"depth": 5, "mode": "verify"})"));
    const json batch = body_of(send_batch("startpos ;D5 4865609"));
    for (const json& each : {job, batch}) {
      auto stream = std::get<EventHub::Stream>(hub.open(each["id"].get<int>(), std::nullopt));
      while (!stream.ended()) {
        stream.next();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  EXPECT_THAT(data, Not(IsEmpty()));
  for (const std::string& each : data) EXPECT_THAT(contract().event_problems(each), IsEmpty());
}

// The server must refuse requests that the document does not allow.
TEST_F(OpenApi, RequestsThatItDoesNotDescribeAreRefused) {
  start();
  const auto refuse = [&](const char* path, const char* name, const testing::Matcher<int>& status,
                          const std::vector<const char*>& bodies) {
    for (const char* body : bodies) {
      EXPECT_THAT(contract().schema_problems(json::parse(body), schema(name)), Not(IsEmpty()))
          << body;
      EXPECT_THAT(post(path, body).status, status) << body;
    }
  };
  refuse("/v1/jobs", "JobRequest", testing::AnyOf(400, 422),
         {R"({})", R"({"depth": "5"})", R"({"depth": 5.5})", R"({"depth": -1})", R"({"depth": 65})",
          R"({"depth": null})", R"({"depth": 5, "mode": "fast"})", R"({"depth": 5, "mode": 1})",
          R"({"depth": 5, "divide": 1})", R"({"depth": 5, "deadline": 0})",
          R"({"depth": 5, "deadline": 315569521})", R"({"depth": 5, "fen": 5})",
          R"({"depth": 5, "moves": ["e2e4"]})", R"({"depth": 5, "chess960": "true"})",
          R"({"depth": 5, "samples": 100})", R"({"depth": 5, "mode": "stats", "seed": 1})",
          R"({"depth": 9, "mode": "estimate", "samples": 99})", R"({"depth": 5, "more": 1})"});
  refuse("/v1/jobs", "JobRequest", 400, {"[]", "5", "null"});
  refuse("/v1/diff", "DiffRequest", 422,
         {R"({"depth": 1})", R"({"divide": ""})", R"({"depth": 0, "divide": "e2e4 1"})",
          R"({"depth": 1, "divide": ["e2e4 1"]})",
          R"({"depth": 1, "divide": "e2e4 1", "mode": "hashed"})"});
}

// Tests the checker: it must detect a single change in a right response or in the document.
TEST_F(OpenApi, TheContractNoticesEveryKindOfDifference) {
  start();
  const std::string path = "/v1/jobs/" + finish(R"({"depth": 5})")["id"].dump();
  const auto request_of = [](const std::string& method, const std::string& target) {
    return HttpRequest{method, target, {{"Host", "localhost"}}, "", "1"};
  };
  const HttpRequest request = request_of("GET", path);
  const auto answer = std::get<HttpResponse>(ask(request));
  const auto problems = [&](HttpResponse changed) { return contract().problems(request, changed); };
  /// Changes or, if `value` is null, removes a member.
  const auto with_change = [&](const char* where, const json& value) {
    HttpResponse changed = answer;
    const json patch{{"op", value.is_null() ? "remove" : "add"}, {"path", where}, {"value", value}};
    changed.body = json::parse(changed.body).patch(json::array({patch})).dump();
    return problems(changed);
  };
  EXPECT_THAT(with_change("/state", "done"), IsEmpty()) << "no change";
  using Change = std::pair<const char*, json>;
  for (const auto& [where, value] :
       {Change("/extra", 1), Change("/attempts", nullptr), Change("/nodes", nullptr),
        Change("/nodes", 4865609), Change("/nodes", "04865609"), Change("/state", "ended"),
        Change("/state", "failed"), Change("/verdict", "agree"), Change("/mode", "verify"),
        Change("/created", "yesterday"), Change("/report", json::object()),
        Change("/report/table/by_depth/0/depth", "2"), Change("/report/table/hit_rate", nullptr),
        Change("/report/divide/0/move", "e4"), Change("/report/key_seed", 5),
        Change("/queue_position", 1), Change("/waits_for", 1)})
    EXPECT_THAT(with_change(where, value), Not(IsEmpty())) << where << ": " << value;

  HttpResponse changed = answer;
  changed.status = 202;
  EXPECT_THAT(problems(changed), Not(IsEmpty()));
  changed = answer;
  changed.headers[0].second = "text/plain";
  EXPECT_THAT(problems(changed), Contains(HasSubstr("content type")));
  changed = answer;
  changed.headers.emplace_back("X-More", "1");
  EXPECT_THAT(problems(changed), Contains(HasSubstr("X-More")));
  changed = answer;
  changed.headers.clear();
  EXPECT_THAT(problems(changed), Contains(HasSubstr("Content-Security-Policy")));
  changed = answer;
  changed.body = "{";
  EXPECT_THAT(problems(changed), Contains(HasSubstr("no JSON")));

  // Changes outside the body.
  HttpRequest undocumented = request_of("GET", "/v1/secrets");
  EXPECT_THAT(contract().problems(undocumented, answer), Not(IsEmpty()));
  HttpResponse missing = get("/v1/jobs/77");
  EXPECT_THAT(contract().problems(undocumented, missing), IsEmpty());
  missing.body.replace(missing.body.find("404"), 3, "405");
  EXPECT_THAT(contract().problems(undocumented, missing), Contains(HasSubstr("another status")));
  HttpResponse put = respond("PUT", "/v1/jobs");
  put.headers.back() = {"Allow", "GET"};
  std::erase_if(put.headers, [](const auto& each) { return each.second == "POST, GET, HEAD"; });
  EXPECT_THAT(contract().problems(request_of("PUT", "/v1/jobs"), put),
              Contains(HasSubstr("other methods")));
  HttpResponse accepted = post("/v1/jobs", R"({"depth": 3})");
  HttpRequest submitted = request_of("POST", "/v1/jobs");
  submitted.body = R"({"depth": 3, "more": 1})";
  EXPECT_THAT(contract().problems(submitted, accepted), Contains(HasSubstr("takes a body")));
  submitted.body = R"({"depth": 3})";
  EXPECT_THAT(contract().problems(submitted, accepted), IsEmpty());
  std::erase_if(accepted.headers, [](const auto& each) { return each.first == "Location"; });
  EXPECT_THAT(contract().problems(submitted, accepted), Contains(HasSubstr("Location is missing")));
  EXPECT_THAT(contract().problems(request_of("GET", "/v1/jobs?limit=0"), get("/v1/jobs")),
              Contains(HasSubstr("limit")));
  EXPECT_THAT(contract().event_problems(answer.body), Not(IsEmpty())) << "events have no report";
}

}  // namespace
}  // namespace manyply
