// Tests the API without sockets.
#include "tools/server/routes.h"

#include <tuple>

#include "tests/support/eventually.h"
#include "tests/tools/server/routes_fixture.h"

namespace manyply {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kBrokenCastlingFen = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1";

TEST_F(RoutesTest, AJobFromSubmissionToResult) {
  start();
  const json job = finish(R"({"depth": 4, "fen": "kiwipete"})");
  EXPECT_EQ(job["state"], "done");
  EXPECT_EQ(job["nodes"], "4085603");
  EXPECT_EQ(job["verdict"], "match");
  EXPECT_EQ(job["mode"], "count");
  EXPECT_EQ(job["report"]["divide"].size(), 48U);
  const std::string result = "/v1/jobs/" + job["id"].dump() + "/result";

  const HttpResponse csv = get(result + "?format=csv");
  EXPECT_THAT(csv.body, AllOf(StartsWith("move,nodes\n"), HasSubstr("\ntotal,4085603\n")));
  EXPECT_THAT(header(csv, "Content-Type"), StartsWith("text/csv"));
  EXPECT_THAT(result_of(job, "stockfish"), HasSubstr("\n\nNodes searched: 4085603\n\n"));
  EXPECT_THAT(result_of(job, "epd"), HasSubstr(" ;D4 4085603\n"));
  EXPECT_EQ(body_of(get(result))["nodes"], "4085603");
  EXPECT_EQ(get(result + "?format=xml").status, 400);

  // From now on the result is known for every form of the same position.
  const HttpResponse again = post("/v1/jobs", R"({"depth": 4, "fen":
      "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 5 9"})");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(body_of(again)["nodes"], "4085603");
}

TEST_F(RoutesTest, EveryModeRuns) {
  start();
  const std::string fen(kBrokenCastlingFen);
  for (const std::string mode : {"hashed", "unhashed"}) {
    const json job = finish(json{{"depth", 5}, {"fen", fen}, {"mode", mode}}.dump());
    EXPECT_EQ(job["nodes"], "1202493") << mode;
    EXPECT_EQ(job["report"]["key_bits"].is_null(), mode == "unhashed");
    EXPECT_TRUE(job["report"]["key_seed"].is_null()) << "later jobs use it, too";
  }
  const json job = finish(json{{"depth", 5}, {"fen", fen}, {"mode", "verify"}}.dump());
  EXPECT_EQ(job["verdict"], "agree");
  EXPECT_TRUE(job["report"]["hashed"][0]["key_seed"].is_null());
  EXPECT_EQ(get("/v1/jobs/" + job["id"].dump() + "/result?format=csv").status, 409)
      << "has json only";

  const json stats = finish(json{{"depth", 5}, {"fen", fen}, {"mode", "stats"}}.dump());
  EXPECT_EQ(stats["nodes"], "1202493");
  EXPECT_EQ(stats["report"]["nodes"], "1202493");
  EXPECT_EQ(stats["report"]["divide"][0]["nodes"].is_string(), true);

  const json estimate = finish(
      json{{"depth", 6}, {"fen", fen}, {"mode", "estimate"}, {"samples", 300}, {"seed", 5}}.dump());
  EXPECT_EQ(estimate["samples"], 300);
  EXPECT_EQ(estimate["seed"], 5);
  EXPECT_FALSE(estimate.contains("nodes"));
  EXPECT_EQ(estimate["estimate"], estimate["report"]["estimate"]);
  EXPECT_EQ(estimate["report"]["confidence"], 0.99);
  const json listed = body_of(get("/v1/jobs?limit=1"))["jobs"][0];
  EXPECT_EQ(listed["estimate"], estimate["estimate"]) << "lists show it, too";
}

TEST_F(RoutesTest, TheMethodOfACountCanBeNamed) {
  start();
  // Large enough that `auto` selects this method.
  const auto asked = [&](json question) {
    question["depth"] = 7;
    return finish(question.dump());
  };
  const json chosen = asked(json::object());
  EXPECT_EQ(chosen["mode"], "count");
  EXPECT_EQ(chosen["report"]["method"], "configurations");
  const json named = asked({{"method", "configurations"}});
  EXPECT_EQ(named["mode"], "configurations");
  EXPECT_NE(named["id"], chosen["id"]);
  EXPECT_EQ(named["report"]["method"], "configurations");
  EXPECT_EQ(named["report"]["matrix"]["false_match_possible"], false);
  const json hashed = asked({{"mode", "count"}, {"method", "hashed"}});
  EXPECT_EQ(hashed["mode"], "hashed");
  EXPECT_EQ(hashed["report"]["method"], "hashed");
  EXPECT_EQ(asked({{"mode", "hashed"}})["id"], hashed["id"]) << "the same job";
  EXPECT_EQ(asked({{"mode", "configurations"}})["id"], named["id"]) << "the same job";
  for (const json& job : {chosen, named, hashed}) {
    EXPECT_EQ(job["nodes"], "3195901860");
    EXPECT_EQ(job["report"]["divide"], hashed["report"]["divide"]);
    EXPECT_THAT(result_of(job, "csv"), HasSubstr("\ntotal,3195901860\n"));
    EXPECT_THAT(result_of(job, "stockfish"), HasSubstr("\n\nNodes searched: 3195901860\n\n"));
  }
}

TEST_F(RoutesTest, OfModeUniqueListsHaveThePositionsToo) {
  start();
  const std::string question = json{{"depth", 3}, {"mode", "unique"}}.dump();
  const json job = finish(question);
  EXPECT_EQ(job["distinct"], "5362");  // the published number
  EXPECT_EQ(job["nodes"], "8902") << "the paths to them";
  EXPECT_EQ(body_of(get("/v1/jobs?limit=1"))["jobs"][0]["distinct"], "5362");
  const json known = body_of(post("/v1/jobs", question));
  EXPECT_EQ(known["state"], "done");
  EXPECT_EQ(known["distinct"], "5362");
  EXPECT_FALSE(finish(json{{"depth", 3}}.dump()).contains("distinct"));
}

TEST_F(RoutesTest, BadBodiesNameFieldAndColumn) {
  start();
  const auto refused = [&](const std::string& body, int status, const std::string& field) {
    const HttpResponse response = post("/v1/jobs", body);
    EXPECT_EQ(response.status, status) << body;
    EXPECT_EQ(header(response, "Content-Type"), "application/problem+json");
    const json problem = body_of(response);
    EXPECT_EQ(problem["status"], status);
    EXPECT_EQ(problem.value("field", ""), field) << response.body;
    return problem;
  };
  for (const auto& [field, bodies] : std::map<std::string, std::vector<std::string>>{
           {"",
            {"{", "[5]", "\xff{}", std::string(60'000, '['), R"({"depth": 5, "": 6})",
             R"({"depth": 5, "line\nbreak": 6})",
             R"({"depth": 5, ")" + std::string(1'000, 'x') + R"(": 6})"}},
           {"depth",
            {"{}", R"({"depth": "5"})", R"({"depth": 5.5})", R"({"depth": -1})", R"({"depth": 65})",
             R"({"depth": 1e300})", R"({"depth": 31})", R"({"depth": 5, "depth": 6})"}},
           {"dephts", {R"({"depth": 5, "dephts": 6})"}},
           {"mode", {R"({"depth": 5, "mode": "fast"})"}},
           {"method",
            {R"({"depth": 5, "method": "fast"})", R"({"depth": 5, "method": 1})",
             R"({"depth": 5, "mode": "unhashed", "method": "auto"})",
             R"({"depth": 5, "mode": "hashed", "method": "configurations"})"}},
           {"divide", {R"({"depth": 5, "divide": 1})"}},
           {"deadline", {R"({"depth": 5, "deadline": 0})"}},
           {"samples",
            {R"({"depth": 9, "mode": "estimate", "samples": 99})",
             R"({"depth": 9, "mode": "estimate", "samples": 1000000001})",
             R"({"depth": 9, "mode": "estimate", "samples": "many"})"}},
           {"seed",
            {R"({"depth": 9, "mode": "estimate", "seed": -1})",
             R"({"depth": 9, "mode": "estimate", "seed": 9007199254740992})",
             R"({"depth": 5, "seed": 1})"}},
           {"moves", {R"({"depth": 5, "moves": "e2e4 e2e4"})"}},
       }) {
    for (const std::string& body : bodies) refused(body, field.empty() ? 400 : 422, field);
  }
  EXPECT_EQ(refused(R"({"depth": 5, "mode": "stats", "samples": 100})", 422, "samples")["detail"],
            "samples: is allowed only in mode estimate");
  std::string moves;
  for (int i = 0; i < 501; ++i) moves += "g1f3\\tg8f6\\nf3g1 f6g8 ";
  EXPECT_EQ(refused(R"({"depth": 5, "moves": ")" + moves + R"("})", 422, "moves")["detail"],
            "moves: are more than 2000");
  const json problem =
      refused(R"({"depth": 5, "fen": "8/8/8/8/8/8/8/4K2k w K - 0 1"})", 422, "castling");
  EXPECT_EQ(problem["column"], 22) << problem["detail"];
  EXPECT_EQ(manager_->stats().accepted, 0U);
}

// Errors in a body name the line and the column, which counts characters and not bytes.
TEST_F(RoutesTest, BodiesThatAreNoJsonSayWhere) {
  start();
  const auto says = [&](const std::string& body, int status, const std::string& detail,
                        const std::string& field = "") {
    const HttpResponse response = post("/v1/jobs", body);
    EXPECT_EQ(response.status, status) << body;
    EXPECT_EQ(body_of(response)["detail"], detail) << body;
    EXPECT_EQ(body_of(response).value("field", ""), field) << body;
  };
  const std::string no_json = "the body is not valid JSON: ";
  says("{", 400, no_json + "it ends too early, at line 1, column 2");
  says("{\"depth\": 5,\n \"fen\": \"x", 400, no_json + "it ends too early, at line 2, column 11");
  says("depth=5", 400, no_json + "'d' is unexpected at line 1, column 1");
  says("{\"depth\": 5,}", 400, no_json + "'}' is unexpected at line 1, column 13");
  says("{\n  \"depth\": 5\n  \"mode\": 1}", 400,
       no_json + R"('"mode"' is unexpected at line 3, column 3)");
  says("{\"depth\": 5} x", 400, no_json + "'x' is unexpected at line 1, column 14");
  says("{\"depth\": fife}", 400, no_json + "'i' is unexpected at line 1, column 12");
  says("{\"fen\": \"\xc3\xa9\xc3\xa9\", depth: 5}", 400,
       no_json + "'d' is unexpected at line 1, column 15");

  says("{\"fen\": \"\xc3\xa9\xff\", \"depth\": 5}", 400,
       R"(the body is not valid UTF-8: '\xFF' at line 1, column 11 (byte 12))");
  says("{\"depth\": 5,\n\"fen\": \"\xc3(\"}", 400,
       R"(the body is not valid UTF-8: '\xC3' at line 2, column 9 (byte 22))");
  says("\xff\xfe{\0}\0", 400,
       R"(the body is not valid UTF-8: '\xFF' at line 1, column 1 (byte 1))");

  says("{\"depth\": 1e400}", 422, "depth: is out of range: '1e400' at line 1, column 11", "depth");
  says("{\"depth\": 5,\n \"samples\": [{\"x\": -1e999}]}", 422,
       "samples: is out of range: '-1e999' at line 2, column 20", "samples");
  says("1e400", 400, "the body is out of range: '1e400' at line 1, column 1");
  says("[5]", 400, "the body must be a JSON object, not a JSON array");
  says("null", 400, "the body must be a JSON object, not a JSON null");
}

TEST_F(RoutesTest, TheDocumentHasTheLimitsOfThisServer) {
  options_.limits.max_depth = Depth(12);
  options_.limits.max_queued = 7;
  options_.limits.max_deadline = std::chrono::seconds(60);
  options_.max_state_bytes = std::uint64_t{64} << 20;
  start({.body_bytes = 65'536});
  const json document = body_of(get("/openapi.json"));
  const json& schemas = document["components"]["schemas"];
  EXPECT_EQ(schemas["JobRequest"]["properties"]["depth"]["maximum"], 12);
  EXPECT_EQ(schemas["DiffRequest"]["properties"]["depth"]["maximum"], 12);
  EXPECT_EQ(schemas["JobRequest"]["properties"]["deadline"]["maximum"], 60);
  EXPECT_EQ(schemas["Job"]["properties"]["depth"]["maximum"], 64) << "older jobs may be deeper";
  const json& limits = document["info"]["x-limits"];
  using Limit = std::pair<const char*, json>;
  for (const auto& [name, value] :
       {Limit("depth", 12), Limit("queued", 7), Limit("deadline", 60),
        Limit("default_deadline", nullptr), Limit("threads", 2), Limit("concurrent", 1),
        Limit("hash_bytes", 8 << 20), Limit("state_bytes", 64 << 20), Limit("body_bytes", 65'536),
        Limit("batch_bytes", Batch::kMaxBytes)})
    EXPECT_EQ(limits[name], value) << name;
  // The server refuses depths above the limits in the document.
  for (const char* path : {"/v1/jobs", "/v1/diff"}) {
    for (const char* depth : {"13", "64", "65", "1e300"}) {
      const std::string more =
          path == std::string_view("/v1/diff") ? R"(, "divide": "e2e4 1")" : "";
      const json problem = body_of(post(path, "{\"depth\": " + std::string(depth) + more + "}"));
      EXPECT_EQ(problem["detail"], "depth: is above this server's limit of 12") << path << depth;
    }
  }
  EXPECT_EQ(body_of(post("/v1/jobs", R"({"depth": 1.5})"))["detail"],
            "depth: must be a whole number from 0 to 12");
}

TEST_F(RoutesTest, ReadinessSaysWhichOfItsReasonsItIs) {
  start();
  EXPECT_EQ(get("/readyz").body, "ready\n");
  const std::filesystem::path aside = dir_.database().string() + "-aside";
  std::filesystem::rename(dir_.database(), aside);
  const json away = body_of(get("/readyz"));
  EXPECT_THAT(
      away["detail"].get<std::string>(),
      AllOf(HasSubstr("storing fails"), HasSubstr("moved or deleted"), Not(HasSubstr("shutting"))));
  std::filesystem::rename(aside, dir_.database());
  ASSERT_TRUE(eventually([&] { return get("/readyz").status == 200; }));
  manager_->shutdown();
  EXPECT_EQ(body_of(get("/readyz"))["detail"], "the server is shutting down");
}

TEST_F(RoutesTest, BodiesMustSayThatTheyAreJson) {
  start();
  HttpRequest request{"POST", "/v1/jobs", {{"Host", "localhost"}}, R"({"depth": 3})", "1"};
  EXPECT_EQ(std::get<HttpResponse>(ask(request)).status, 415);
  request.headers.emplace_back("Content-Type", "text/plain");
  EXPECT_EQ(std::get<HttpResponse>(ask(request)).status, 415);
  for (const char* json :
       {"application/json", "Application/JSON", "application/json; charset=utf-8"}) {
    request.headers.back().second = json;
    EXPECT_LT(std::get<HttpResponse>(ask(request)).status, 300) << json;
  }
}

TEST_F(RoutesTest, AnIdempotencyKeyIsOneJob) {
  start_stuck();
  const Headers key{{"Idempotency-Key", "once"}};
  const HttpResponse first = post("/v1/jobs", R"({"depth": 9})", key);
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(header(first, "Location"), "/v1/jobs/1");
  const HttpResponse second = post("/v1/jobs", R"({"depth": 9})", key);
  EXPECT_EQ(second.status, 202);
  EXPECT_EQ(header(second, "Location"), "/v1/jobs/1");
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 8})", key).status, 409);
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 8})", {{"Idempotency-Key", ""}}).status, 422);
  EXPECT_EQ(header(post("/v1/jobs", R"({"depth": 8})"), "Location"), "/v1/jobs/2");
}

TEST_F(RoutesTest, AFullQueueSaysWhenToComeBack) {
  options_.limits.max_queued = 1;
  start_stuck();
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 9})").status, 202);
  while (manager_->stats().running == 0) std::this_thread::yield();
  const HttpResponse waiting = post("/v1/jobs", R"({"depth": 8})");
  EXPECT_EQ(waiting.status, 202);
  EXPECT_EQ(body_of(waiting)["queue_position"], 1);
  const HttpResponse refused = post("/v1/jobs", R"({"depth": 7})");
  EXPECT_EQ(refused.status, 429);
  EXPECT_NE(header(refused, "Retry-After"), "");
}

TEST_F(RoutesTest, CancellingIsIdempotent) {
  start_stuck();
  post("/v1/jobs", R"({"depth": 9})");
  post("/v1/jobs", R"({"depth": 8})");
  EXPECT_EQ(body_of(respond("DELETE", "/v1/jobs/2"))["state"], "cancelled");
  EXPECT_EQ(body_of(respond("DELETE", "/v1/jobs/2"))["state"], "cancelled");
  EXPECT_EQ(get("/v1/jobs/2/result").status, 409);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/3").status, 404);
}

TEST_F(RoutesTest, ListsArePaged) {
  start_stuck();
  for (int depth = 5; depth < 10; ++depth) post("/v1/jobs", json{{"depth", depth}}.dump());
  const auto ids = [&](const std::string& query) {
    std::vector<int> found;
    const json page = body_of(get("/v1/jobs" + query));
    for (const json& job : page["jobs"]) found.push_back(job["id"]);
    return found;
  };
  EXPECT_THAT(ids(""), ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(ids("?limit=2"), ElementsAre(5, 4));
  EXPECT_EQ(body_of(get("/v1/jobs?limit=2"))["next"], 4);
  EXPECT_THAT(ids("?limit=2&before=4"), ElementsAre(3, 2));
  EXPECT_TRUE(body_of(get("/v1/jobs?before=2"))["next"].is_null());
  EXPECT_THAT(ids("?state=done"), ElementsAre());
  for (const char* query : {"?limit=0", "?limit=501", "?limit=x", "?before=0", "?state=lost",
                            "?depth=5", "?limit=2&limit=3", "?limit=%"})
    EXPECT_EQ(get(std::string("/v1/jobs") + query).status, 400) << query;
}

TEST_F(RoutesTest, TargetsThatAreNoneSayWhatIsWrongWithThem) {
  start();
  const auto says = [&](const std::string& method, const std::string& target) {
    return body_of(respond(method, target))["detail"].get<std::string>();
  };
  EXPECT_EQ(says("GET", "/v1/jobs/%00"),
            R"(target: contains a control character: '\x00' in '%00')");
  EXPECT_EQ(says("GET", "/v1/jobs/%ff"), R"(target: is not valid UTF-8: '\xFF' in '%ff')");
  EXPECT_EQ(says("GET", "/v1/position?fen=a%zz"),
            "target: '%' is not followed by two hexadecimal digits in 'a%zz'");
  EXPECT_EQ(says("PATCH", "/v1/jobs"),
            "'/v1/jobs' does not support 'PATCH' (supported: POST, GET, HEAD)");
}

TEST_F(RoutesTest, PathsThatAreNotThere) {
  start();
  for (const char* target :
       {"/v1", "/v1/", "/v1/jobs/", "/v1/jobs/0", "/v1/jobs/01", "/v1/jobs/-1", "/v1/jobs/x",
        "/v1/jobs/99999999999999999999", "/v1/jobs/7", "/v1/jobs/7/result", "/v1/jobs/7/log",
        "/../etc/passwd", "/%2e%2e/etc/passwd", "/vendor/../index.html", "/index.html/", "//",
        "/v2/jobs"}) {
    EXPECT_EQ(get(target).status, 404) << target;
  }
  for (const char* target : {"", "jobs", "/%", "/%zz", "/%ff", "/%00", "http://x/"})
    EXPECT_EQ(get(target).status, 400) << target;
}

TEST_F(RoutesTest, WhatIsNotThereIsToldWhatIs) {
  start({.base_path = "/perft/"});
  for (const char* target : {"/perft/v1", "/perft/docs", "/perft/api", "/perft/v1/perft"}) {
    EXPECT_THAT(body_of(get(target))["detail"].get<std::string>(),
                HasSubstr("; the API is described in /perft/openapi.json"))
        << target;
  }
}

TEST_F(RoutesTest, WrongMethodsAreToldTheRightOnes) {
  start();
  const HttpResponse put = respond("PUT", "/v1/jobs");
  EXPECT_EQ(put.status, 405);
  EXPECT_EQ(header(put, "Allow"), "POST, GET, HEAD");
  EXPECT_EQ(header(respond("POST", "/v1/jobs/1"), "Allow"), "GET, HEAD, DELETE");
  EXPECT_EQ(header(respond("DELETE", "/"), "Allow"), "GET, HEAD");
  EXPECT_EQ(respond("OPTIONS", "/v1/jobs").status, 405) << "no other origin may ask";
  EXPECT_EQ(respond("HEAD", "/healthz").status, 200);
}

TEST_F(RoutesTest, EventsAreHandedToTheTransport) {
  start_stuck();
  post("/v1/jobs", R"({"depth": 9})");
  const HttpAnswer fresh = ask("GET", "/v1/jobs/1/events");
  ASSERT_TRUE(std::holds_alternative<EventStreamAnswer>(fresh));
  EXPECT_EQ(std::get<EventStreamAnswer>(fresh).topic, 1);
  EXPECT_FALSE(std::get<EventStreamAnswer>(fresh).last_event_id);
  const HttpAnswer again = ask("GET", "/v1/jobs/1/events", "", {{"Last-Event-ID", "17"}});
  EXPECT_EQ(std::get<EventStreamAnswer>(again).last_event_id, 17U);
}

TEST_F(RoutesTest, AJobIsWaitedFor) {
  start_stuck();
  post("/v1/jobs", R"({"depth": 9})");
  HttpAnswer later = ask("GET", "/v1/jobs/1?wait=20");
  ASSERT_TRUE(std::holds_alternative<EventStreamAnswer>(later));
  auto& answer = std::get<EventStreamAnswer>(later);
  EXPECT_EQ(answer.topic, 1);
  EXPECT_EQ(answer.wait, std::chrono::seconds(20));
  // The delayed response shows the state at that time, and is checked like any other response.
  respond("DELETE", "/v1/jobs/1");
  const HttpResponse then = answer.then();
  EXPECT_EQ(then.status, 200);
  EXPECT_EQ(body_of(then)["state"], "cancelled");
  EXPECT_EQ(header(then, "X-Content-Type-Options"), "nosniff");

  EXPECT_EQ(body_of(get("/v1/jobs/1?wait=300"))["state"], "cancelled") << "it has ended: at once";
  EXPECT_EQ(get("/v1/jobs/2?wait=1").status, 404);
  for (const char* wait : {"0", "301", "-1", "x", "", "1.5"}) {
    const HttpResponse bad = get(std::string("/v1/jobs/1?wait=") + wait);
    EXPECT_EQ(bad.status, 400) << wait;
    EXPECT_THAT(body_of(bad)["detail"].get<std::string>(), HasSubstr("must be 1 to 300 seconds"));
  }
}

// A browser sends the id of the last event that it received. All other values are ignored.
TEST_F(RoutesTest, WhatIsNoEventsIdIsAnsweredWithThePresentState) {
  start_stuck();
  post("/v1/jobs", R"({"depth": 9})");
  for (const char* id : {"abc", "-1", "+7", "1.5", "", " ", "99999999999999999999999999",
                         "18446744073709551616", "0x11"}) {
    const HttpAnswer answer = ask("GET", "/v1/jobs/1/events", "", {{"Last-Event-ID", id}});
    ASSERT_TRUE(std::holds_alternative<EventStreamAnswer>(answer)) << id;
    EXPECT_FALSE(std::get<EventStreamAnswer>(answer).last_event_id) << id;
  }
  const HttpAnswer two =
      ask("GET", "/v1/jobs/1/events", "", {{"Last-Event-ID", "1"}, {"Last-Event-ID", "2"}});
  ASSERT_TRUE(std::holds_alternative<EventStreamAnswer>(two));
  EXPECT_FALSE(std::get<EventStreamAnswer>(two).last_event_id);
}

TEST_F(RoutesTest, AJobSaysWhatItDoesBeforeItCounts) {
  const auto at = std::make_shared<std::atomic<int>>(0);
  world_.runner = [at](const JobRequest&, const Resources& resources) -> Result<Answer> {
    const auto reach = [&](int next) {
      while (*at < next && !resources.stop.stop_requested()) std::this_thread::yield();
    };
    reach(1);
    Progress& progress = *resources.on_phase("");
    progress.enter(Step::kSplitting);
    reach(2);
    progress.enter(Step::kSettingUp, 400);
    progress.bytes_set_up() = 100;
    reach(3);
    progress.start(1, 8);
    progress.worker(0).units_done.add(4);
    reach(4);
    resources.on_phase("ply 7")->enter(Step::kSettingUp);
    wait_for(resources.stop);
    return cancelled();
  };
  start();
  post("/v1/jobs", R"({"depth": 9})");
  const auto says = [&](int when, const char* phase, const json& share) {
    *at = when;
    EXPECT_TRUE(eventually([&] {
      const json job = body_of(get("/v1/jobs/1"));
      return job.contains("progress") && job["progress"]["phase"] == phase &&
             job["progress"]["share"] == share;
    })) << phase
        << ": " << get("/v1/jobs/1").body;
  };
  says(0, "starting", nullptr);
  says(1, "splitting", nullptr);
  says(2, "setting up", 0.25);
  says(3, "counting", 0.5);
  says(4, "ply 7, setting up", nullptr);
}

// Jobs and batches share one sequence of ids. The response to a request with the wrong path names
// the right path.
TEST_F(RoutesTest, AJobAskedForAsABatchIsNamed) {
  start_stuck();
  routes_.emplace(*manager_, RoutesOptions{.base_path = "/perft/"});
  for (const auto& [path, type, body] :
       {std::tuple("/perft/v1/jobs", "application/json", R"({"depth": 9})"),
        {"/perft/v1/batches", "application/x-epd", "startpos ;D9 1"}}) {
    ASSERT_EQ(unchecked("POST", path, {{"Content-Type", type}}, body).status, 202);
  }
  for (const auto& [method, end] : {std::pair("GET", ""),
                                    {"DELETE", ""},
                                    {"GET", "/result"},
                                    {"DELETE", "/result"},
                                    {"GET", "/events"}}) {
    const HttpResponse batch = unchecked(method, std::string("/perft/v1/jobs/2") + end);
    EXPECT_EQ(batch.status, 404) << method << end;
    EXPECT_EQ(body_of(batch)["detail"], "2 is not a job but a batch: see /perft/v1/batches/2");
    const HttpResponse job = unchecked(method, std::string("/perft/v1/batches/1") + end);
    EXPECT_EQ(job.status, 404) << method << end;
    EXPECT_EQ(body_of(job)["detail"], "1 is not a batch but a job: see /perft/v1/jobs/1");
  }
  EXPECT_EQ(body_of(unchecked("GET", "/perft/v1/jobs/3"))["detail"], "job 3 does not exist");
  for (const char* path : {"/perft/v1/jobs/1", "/perft/v1/batches/2"})
    EXPECT_FALSE(body_of(unchecked("GET", path)).contains("finished")) << "nothing was cancelled";
}

TEST_F(RoutesTest, Positions) {
  start();
  const json root = body_of(get("/v1/position"));
  EXPECT_EQ(root["fen"], kStartFen);
  EXPECT_EQ(root["legal_moves"].size(), 20U);
  EXPECT_EQ(root["legal_moves"][2], "b1a3");
  EXPECT_EQ(root["san"][2], "Na3");
  const json castling = body_of(get("/v1/position?fen=4k3/8/8/8/8/8/8/R3K2R+w+KQ+-+0+1"));
  const auto& moves = castling["legal_moves"];
  const auto at = static_cast<std::size_t>(std::ranges::find(moves, "e1c1") - moves.begin());
  EXPECT_EQ(castling["san"][at], "O-O-O");
  EXPECT_EQ(castling["san"].size(), moves.size());
  EXPECT_EQ(root["side_to_move"], "white");
  EXPECT_EQ(root["published"][13]["nodes"], "1981066775000396239");
  const json after = body_of(get("/v1/position?fen=startpos&moves=f2f3+e7e5%20g2g4%20d8h4"));
  EXPECT_EQ(after["legal_moves"].size(), 0U);
  EXPECT_EQ(after["in_check"], true);
  EXPECT_EQ(after["published"][0]["nodes"], "1") << "mate is a position without moves";
  // The API accepts all texts that the command accepts, and returns how it has interpreted them.
  const json game = body_of(get("/v1/position?fen=1.+e4+%7Bbest%7D+e5+*&moves=Nf3"));
  EXPECT_EQ(game["start"], kStartFen);
  EXPECT_EQ(game["moves"], json::array({"e2e4", "e7e5", "g1f3"}));
  const json early = body_of(get("/v1/position?fen=%228/8/8/8/8/8/8/K6k%22%2C"));
  EXPECT_EQ(early["start"], "8/8/8/8/8/8/8/K6k w - - 0 1");
  EXPECT_EQ(early["assumed"], "White to move, no castling, no en passant");
  EXPECT_EQ(body_of(get("/v1/position?fen=8/8/8/8/8/8/8/K6k+w+-+-+;D1+3"))["aside"], ";D1 3");
  EXPECT_THAT(body_of(get("/v1/position?fen=https://lichess.org/abcd"))["detail"],
              HasSubstr("this address contains neither a FEN nor moves"));
  const HttpResponse bad = get("/v1/position?fen=8/8/8/8/8/8/8/8+w+-+-+0+1");
  EXPECT_EQ(bad.status, 422);
  EXPECT_THAT(bad.body, HasSubstr("king"));
  EXPECT_EQ(body_of(get("/v1/position?moves=e2e5"))["field"], "moves");
}

TEST_F(RoutesTest, ADivideIsComparedRowByRow) {
  start({.diff_patience = std::chrono::hours(1)});
  const auto compare = [&](int depth, const std::string& pasted) {
    return diff({{"depth", depth}, {"fen", kBrokenCastlingFen}, {"divide", pasted}});
  };
  const json wrong = compare(2,
                             "e8d7: 19\nf3h1 5\n f3g2 = 99\n\nNodes searched: 400\n"
                             "1. e1e2: 7\nf3e2: 2 nodes\n");
  EXPECT_EQ(wrong["agrees"], false);
  std::map<std::string, json> rows;
  for (const json& row : wrong["rows"]) rows[row["move"]] = row;
  EXPECT_EQ(rows["e8d7"]["same"], true);
  EXPECT_EQ(rows["e8d7"]["ours"], "19");
  EXPECT_EQ(rows["f3h1"]["same"], false);
  EXPECT_EQ(rows["f3g2"]["theirs"], "99");
  EXPECT_TRUE(rows["e1e2"]["ours"].is_null()) << "not black's move";
  EXPECT_TRUE(rows["e8f8"]["theirs"].is_null()) << "missing in the pasted one";

  // The comparison uses the stored result of this job, so the pasted result agrees with it.
  const json job =
      finish(json{{"depth", 4}, {"fen", kBrokenCastlingFen}, {"mode", "unhashed"}}.dump());
  EXPECT_EQ(compare(4, result_of(job, "stockfish"))["agrees"], true);

  EXPECT_EQ(compare(2, "nothing")["status"], 422);
  EXPECT_EQ(compare(2, "e8d7: 1\ne8d7: 1\n")["status"], 422);
  EXPECT_EQ(compare(2, "Nodes searched: 301\n")["status"], 422) << "a total is no divide";
  EXPECT_EQ(compare(0, "e8d7: 1")["field"], "depth");
  start({.diff_patience = std::chrono::milliseconds(0)});
  EXPECT_EQ(compare(25, "e8d7: 1")["status"], 409) << "too deep to count while somebody waits";
}

TEST_F(RoutesTest, PastesThatAreNotUnderstoodAreQuoted) {
  start();
  const auto compare = [&](const std::string& pasted) {
    return diff({{"depth", 1}, {"fen", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"}, {"divide", pasted}});
  };
  const std::string rooks =
      "Ra2: 1\nRa3 1\nRa4: 1\nRa5: 1\nRa6: 1\nRa7: 1\nRa8+: 1\nRb1: 1\nRc1: 1\nRd1: 1\n";
  const std::string king = "Kd1: 1\nKf1: 1\nKd2: 1\nKe2: 1\nKf2: 1\n";
  EXPECT_EQ(compare(rooks + king + "O-O-O: 1\n")["agrees"], true);
  EXPECT_EQ(compare(rooks + "time 34 ms\n0-0-0 1\nbestmove a1a2\n" + king)["agrees"], true);
  EXPECT_EQ(compare(rooks + king + "O-O-O: -1\n")["detail"],
            "divide: not understood: 'O-O-O: -1', -1 is negative, so it is not a count");
  EXPECT_EQ(compare(rooks + king + "O-O-O: 0x1\n")["detail"],
            "divide: not understood: 'O-O-O: 0x1', 0x1 is not a decimal number");
  EXPECT_EQ(compare(rooks + king + "castles: 1\n")["detail"],
            "divide: not understood: 'castles: 1'");
  EXPECT_EQ(compare(rooks + king + "\n15\n")["causes"][0]["name"], "castling-missed");
  const json cut = compare(rooks + king);
  EXPECT_EQ(cut["causes"], json::array()) << "what is not there may have been lost";
  EXPECT_EQ(cut["incomplete"], true);
  EXPECT_THAT(cut["notes"][1].get<std::string>(), HasSubstr("misses e1c1 (castling is missing)"));
}

// The search for the bug of an engine that keeps castling rights when the rook is captured.
TEST_F(RoutesTest, ADescentByPastesEndsAtTheRule) {
  start();
  // A right divide, except that the count of one move is replaced or removed.
  const auto pasted = [&](const std::string& moves, int depth, const std::string& wrong,
                          const std::string& count) {
    json request{{"depth", depth}, {"fen", kBrokenCastlingFen}, {"moves", moves}};
    request["divide"] = "a1a1: 1";
    std::map<std::string, std::string> counts;
    const json right = diff(request);
    for (const json& row : right["rows"]) {
      if (!row["ours"].is_null()) counts[row["move"]] = row["ours"];
    }
    counts[wrong] = count;
    std::string text;
    for (const auto& [move, nodes] : counts) text += move + ": " + nodes + '\n';
    request["divide"] = text;
    return request;
  };

  json answer = diff(pasted("", 4, "f3h1", "100"));
  EXPECT_EQ(answer["causes"], json::array()) << "all moves are there, so it lies deeper";
  EXPECT_EQ(answer["next"]["move"], "f3h1");
  EXPECT_EQ(answer["next"]["depth"], 3);
  EXPECT_EQ(answer["next"]["fen"], "4k3/8/8/8/8/8/7R/4K2b w - - 0 2");

  json request = pasted("f3h1 h2h1 e8d7", 1, "e1g1", "1");
  answer = diff(request);
  EXPECT_TRUE(answer["next"].is_null());
  EXPECT_EQ(answer["causes"][0]["name"], "castling-right-after-capture");
  EXPECT_THAT(answer["causes"][0]["detail"].get<std::string>(),
              HasSubstr("f3h1 captured the rook"));
  EXPECT_THAT(answer["causes"][0]["moves"].dump(), HasSubstr("e1g1"));
  request["right_as_fen"] = true;
  EXPECT_FALSE(diff(request)["causes"].empty());
  request["right_as_fen"] = "yes";
  EXPECT_EQ(diff(request)["field"], "right_as_fen");
}

TEST_F(RoutesTest, PastesAreReadAsEnginesPrint) {
  start();
  const auto compare = [&](int depth, const std::string& pasted,
                           const std::string& fen = "startpos", const std::string& moves = "") {
    return diff({{"depth", depth}, {"fen", fen}, {"moves", moves}, {"divide", pasted}});
  };
  const auto csv = [&](const std::string& fen, int depth) {
    return result_of(finish(json{{"depth", depth}, {"fen", fen}}.dump()), "csv");
  };
  EXPECT_EQ(compare(3, csv("startpos", 3))["agrees"], true) << "what this server itself exports";
  EXPECT_EQ(compare(2, csv("kiwipete", 2), "kiwipete")["pasted_total"], "2039");
  // Castling written as king takes rook is the same move.
  std::string other = csv("kiwipete", 2);
  other.replace(other.find("e1g1"), 4, "e1h1");
  EXPECT_EQ(compare(2, other, "kiwipete")["agrees"], true);

  // If two columns differ, the response names both, even if one of them agrees.
  const json one = compare(2, csv("startpos", 2));
  std::string table = "move,stockfish,mine\n";
  for (const json& row : one["rows"]) {
    const auto count = row["ours"].get<std::string>();
    const auto move = row["move"].get<std::string>();
    table += move + ',' + count + ',' + (move == "e2e4" ? "19" : count) + '\n';
  }
  const json both = compare(2, table);
  EXPECT_EQ(both["agrees"], false);
  EXPECT_EQ(both["reading"], "column 'mine'");
  EXPECT_EQ(both["readings"].size(), 2U);
  EXPECT_EQ(both["disputed"][0]["counts"], json::array({"20", "19"}));

  const json short_one = compare(1, "e2e4: 1\nd2d4: 1\nNodes searched: 20\n");
  EXPECT_EQ(short_one["pasted_total"], "20");
  EXPECT_EQ(short_one["pasted_sum"], "2");
  EXPECT_EQ(short_one["causes"], json::array()) << "rows were lost on the way: nobody is to blame";
  EXPECT_TRUE(short_one["next"].is_null());
  const std::string doubled = csv("startpos", 1) + "e2e4: 1\n";
  EXPECT_EQ(compare(1, doubled)["causes"], json::array()) << "the total is another one";
  std::string twice_and_counted = csv("startpos", 1);
  twice_and_counted.replace(twice_and_counted.find("total,20"), 8, "e2e4,1\ntotal,21");
  const json twice = compare(1, twice_and_counted);
  EXPECT_EQ(twice["causes"][0]["name"], "listed-twice");
  EXPECT_EQ(twice["agrees"], false);

  // Mate: there is no legal move, so every pasted move is wrong.
  EXPECT_EQ(compare(1, "Nodes searched: 0", "startpos", "f2f3 e7e5 g2g4 d8h4")["agrees"], true);
  EXPECT_EQ(compare(1, "Nodes searched: 0")["causes"][0]["name"], "stops-early");
  EXPECT_EQ(compare(1, "e1f2: 1", "startpos", "f2f3 e7e5 g2g4 d8h4")["agrees"], false);
  EXPECT_EQ(compare(1, "e2e4: 1", "startpos", "e2e5")["field"], "moves");
}

TEST_F(RoutesTest, ThePageIsEmbedded) {
  start();
  const HttpResponse page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(header(page, "Content-Type"), StartsWith("text/html"));
  EXPECT_THAT(page.body, HasSubstr("Manyply"));
  EXPECT_THAT(header(page, "Content-Security-Policy"), StartsWith("default-src 'self'"));
  EXPECT_EQ(header(page, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(get("/index.html").body, page.body);
  const HttpResponse same = get("/", {{"If-None-Match", header(page, "ETag")}});
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
}

TEST_F(RoutesTest, FilesOfThePageAreSentCompressedAndKept) {
  start();
  const auto coding = [&](const std::string& accepted) {
    const HttpResponse page = get("/", {{"Accept-Encoding", accepted}});
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(header(page, "Vary"), "Accept-Encoding");
    EXPECT_EQ(header(page, "Cache-Control"), "no-cache");
    EXPECT_THAT(header(page, "Content-Type"), StartsWith("text/html"));
    return header(page, "Content-Encoding");
  };
  const HttpResponse plain = get("/");
  const std::size_t at = plain.body.find("assets/app.");
  if (at == std::string::npos) GTEST_SKIP() << "built without the page";
  const std::string script = plain.body.substr(at);
  for (const char* none : {"", "identity", "brr", "xgzip", "br;q=0, gzip;q=0.000", "*"})
    EXPECT_EQ(coding(none), "") << none;
  for (const char* gzip : {"gzip", "deflate,gzip;q=0.5", "br;q=0,gzip"})
    EXPECT_EQ(coding(gzip), "gzip") << gzip;
  for (const char* brotli : {"br", "gzip, deflate, br, zstd", "gzip, br ; q=0.1"})
    EXPECT_EQ(coding(brotli), "br") << brotli;
  const HttpResponse small = get("/", {{"Accept-Encoding", "br"}});
  EXPECT_LT(small.body.size(), plain.body.size());
  EXPECT_NE(header(small, "ETag"), header(plain, "ETag"));

  const HttpResponse kept = get("/" + script.substr(0, script.find('"')));
  EXPECT_EQ(kept.status, 200);
  EXPECT_EQ(header(kept, "Cache-Control"), "public, max-age=31536000, immutable");
}

TEST_F(RoutesTest, HealthReadinessAndMetrics) {
  start();
  EXPECT_EQ(get("/healthz").body, "ok\n");
  EXPECT_EQ(get("/readyz").status, 200);
  finish(R"({"depth": 4})");
  RequestRecord record;
  record.status = 202;
  record.taken = std::chrono::milliseconds(3);
  routes_->observe(record);
  record.status = 200;
  record.stream = true;
  routes_->observe(record);
  const std::string text = get("/metrics").body;
  for (const char* line :
       {"\nmanyply_jobs_ended_total{state=\"done\"} 1\n", "\nmanyply_jobs{state=\"running\"} 0\n",
        "\nmanyply_leaves_total 197281\n", "\nmanyply_http_requests_total{status=\"202\"} 1\n",
        "\nmanyply_http_request_seconds_bucket{le=\"0.001\"} 0\n",
        "\nmanyply_http_request_seconds_bucket{le=\"0.005\"} 1\n",
        "\nmanyply_http_request_seconds_bucket{le=\"+Inf\"} 1\n",
        "\nmanyply_http_request_seconds_count 1\n", "\nprocess_resident_memory_bytes "})
    EXPECT_THAT(text, HasSubstr(line));
  manager_->shutdown();
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_EQ(get("/healthz").status, 200);
  const HttpResponse late = post("/v1/jobs", R"({"depth": 5})");
  EXPECT_EQ(late.status, 503);
  EXPECT_NE(header(late, "Retry-After"), "");
}

TEST_F(RoutesTest, RefusalsComeFirstAndCarryTheHeaders) {
  start({.clients = clients_of("a-token-of-some-length")});
  const HttpResponse refused = get("/v1/jobs");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer");
  EXPECT_NE(header(refused, "Content-Security-Policy"), "");
  EXPECT_EQ(get("/v1/jobs", bearer("a-token-of-some-length")).status, 200);
  EXPECT_EQ(get("/").status, 200) << "the page asks for the token";
}

// All other routes need a token: new routes, and paths that do not exist.
TEST_F(RoutesTest, OnlyThePageAndWhatSaysSoIsOpen) {
  start({.clients = clients_of("a-token-of-some-length")});
  for (const char* open :
       {"/", "/icon.svg", "/healthz", "/readyz", "/openapi.json", "/limits.json"})
    EXPECT_EQ(unchecked("GET", open).status, 200) << open;
  for (const char* closed : {"/v1/jobs", "/v1/jobs/1", "/v1/position?fen=x", "/metrics",
                             "/metrics?", "/%76%31/jobs", "/v1", "/nowhere", "/%", "x"}) {
    EXPECT_EQ(unchecked("GET", closed).status, 401) << closed;
    EXPECT_NE(unchecked("GET", closed, bearer("a-token-of-some-length")).status, 401) << closed;
  }
  EXPECT_LT(get("/limits.json").body.size(), 1000U) << "each visit of the page reads it";
  EXPECT_EQ(unchecked("DELETE", "/healthz").status, 405);
  EXPECT_EQ(unchecked("PATCH", "/v1/jobs").status, 401);
  std::vector<std::string> open;
  for (const Routes::Route& route : Routes::table()) {
    if (route.needs == Role::kNone) open.emplace_back(route.path);
  }
  EXPECT_THAT(open, ElementsAre("/healthz", "/readyz", "/openapi.json", "/limits.json"));
}

// The rights of each role for every route. A new route must be added here.
TEST_F(RoutesTest, EachRoleMayWhatTheTableSays) {
  start({.clients = clients_of("ann read ann-ann-ann-ann-ann\n"
                               "sam submit sam-sam-sam-sam-sam\n"
                               "ada admin ada-ada-ada-ada-ada\n")});
  const auto allowed = [&](const std::string& token) {
    std::vector<std::string> all;
    for (const Routes::Route& route : Routes::table()) {
      if (route.needs == Role::kNone) continue;
      std::string target(route.path);
      if (const std::size_t at = target.find("{id}"); at != std::string::npos)
        target.replace(at, 4, "999");
      const HttpAnswer answer = ask({std::string(route.method),
                                     target,
                                     {{"Host", "localhost"},
                                      {"Authorization", "Bearer " + token},
                                      {"Content-Type", "application/json"}},
                                     "{}",
                                     "1"});
      const auto* response = std::get_if<HttpResponse>(&answer);
      EXPECT_TRUE(response == nullptr || response->status != 401) << target;
      if (response == nullptr || response->status != 403)
        all.push_back(std::string(route.method) + ' ' + std::string(route.path));
    }
    return all;
  };
  EXPECT_THAT(allowed("ann-ann-ann-ann-ann"),
              ElementsAre("GET /v1/jobs", "GET /v1/jobs/{id}", "GET /v1/jobs/{id}/result",
                          "GET /v1/jobs/{id}/events", "GET /v1/batches", "GET /v1/batches/{id}",
                          "GET /v1/batches/{id}/result", "GET /v1/batches/{id}/events",
                          "GET /v1/position", "POST /v1/position", "GET /v1/campaigns",
                          "GET /v1/campaigns/{name}", "GET /metrics"));
  const std::vector<std::string> submit = allowed("sam-sam-sam-sam-sam");
  EXPECT_THAT(submit, ElementsAre("POST /v1/jobs", "GET /v1/jobs", "GET /v1/jobs/{id}",
                                  "DELETE /v1/jobs/{id}", "DELETE /v1/jobs/{id}/result",
                                  "GET /v1/jobs/{id}/result", "GET /v1/jobs/{id}/events",
                                  "POST /v1/batches", "GET /v1/batches", "GET /v1/batches/{id}",
                                  "DELETE /v1/batches/{id}", "DELETE /v1/batches/{id}/result",
                                  "GET /v1/batches/{id}/result", "GET /v1/batches/{id}/events",
                                  "GET /v1/position", "POST /v1/position", "POST /v1/diff",
                                  "GET /v1/campaigns", "GET /v1/campaigns/{name}", "GET /metrics"));
  EXPECT_EQ(allowed("ada-ada-ada-ada-ada"), submit) << "administrators: other people's jobs";
}

TEST_F(RoutesTest, EverythingIsBelowTheBasePath) {
  start({.base_path = "/perft/"});
  const auto plain = [&](const std::string& method, const std::string& target) {
    return unchecked(method, target, {{"Content-Type", "application/json"}}, R"({"depth": 2})");
  };
  for (const char* path :
       {"/perft/", "/perft/icon.svg", "/perft/healthz", "/perft/v1/jobs?limit=1"})
    EXPECT_EQ(plain("GET", path).status, 200) << path;
  for (const char* path : {"/", "/v1/jobs", "/perftv1/jobs", "/perft//v1/jobs", "/perft/perft/"})
    EXPECT_EQ(plain("GET", path).status, 404) << path;
  const HttpResponse almost = plain("GET", "/perft");
  EXPECT_EQ(almost.status, 308);
  EXPECT_EQ(header(almost, "Location"), "/perft/");
  const HttpResponse accepted = plain("POST", "/perft/v1/jobs");
  EXPECT_EQ(accepted.status, 202);
  EXPECT_EQ(header(accepted, "Location"), "/perft/v1/jobs/1");
  EXPECT_EQ(plain("GET", header(accepted, "Location")).status, 200);
}

TEST_F(RoutesTest, AFinishedJobIsRemovedWithItsResult) {
  start();
  const Headers key{{"Idempotency-Key", "once"}};
  ASSERT_EQ(finish(R"({"depth": 3})")["id"], 1);
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 3})", key).status, 200) << "is known";
  EXPECT_EQ(respond("DELETE", "/v1/jobs/1").status, 200) << "cancelling a finished one is nothing";
  EXPECT_EQ(get("/v1/jobs/1/result").status, 200);
  const HttpResponse removed = respond("DELETE", "/v1/jobs/1/result");
  EXPECT_EQ(removed.status, 204);
  EXPECT_EQ(removed.body, "");
  for (const char* path : {"/v1/jobs/1", "/v1/jobs/1/result"})
    EXPECT_EQ(get(path).status, 404) << path;
  EXPECT_EQ(respond("DELETE", "/v1/jobs/1/result").status, 404);
  EXPECT_TRUE(body_of(get("/v1/jobs"))["jobs"].empty());
  const json again = body_of(post("/v1/jobs", R"({"depth": 3})", key));
  EXPECT_EQ(again["id"], 2) << "counted anew, and under the same key";
}

TEST_F(RoutesTest, AResultStaysWhileAJobHasIt) {
  // Not on the stack, because the last job may run longer than this function.
  const auto open = std::make_shared<std::atomic<bool>>(false);
  world_.runner = [open](const JobRequest& request, const Resources& resources) -> Result<Answer> {
    while (!*open && !resources.stop.stop_requested()) std::this_thread::yield();
    return answer_job(request, resources);
  };
  start();
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 3})").status, 202);
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 3})").status, 202) << "waits for the same";
  EXPECT_EQ(respond("DELETE", "/v1/jobs/1/result").status, 409) << "has not ended";
  EXPECT_EQ(respond("DELETE", "/v1/jobs/2/result").status, 409);
  *open = true;
  for (const char* path : {"/v1/jobs/1", "/v1/jobs/2"})
    ASSERT_TRUE(eventually([&] { return body_of(get(path))["state"] == "done"; }));
  ASSERT_TRUE(eventually([&] { return respond("DELETE", "/v1/jobs/1/result").status == 204; }));
  EXPECT_EQ(body_of(get("/v1/jobs/2"))["report"]["nodes"], "8902");
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 3})").status, 200);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/2/result").status, 204);
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 3})").status, 202) << "counted anew";
}

TEST_F(RoutesTest, JobsAreEndedByWhoSubmittedThemOrAnAdministrator) {
  start_stuck({.clients = clients_of("sam submit sam-sam-sam-sam-sam queued=2\n"
                                     "eve submit eve-eve-eve-eve-eve\n"
                                     "ada admin ada-ada-ada-ada-ada\n")});
  const auto as = [](const std::string& name) {
    const std::string token = name + '-' + name + '-' + name + '-' + name + '-' + name;
    return bearer(token);
  };
  const auto submit = [&](const std::string& name, int depth) {
    return post("/v1/jobs", json{{"depth", depth}}.dump(), as(name));
  };
  EXPECT_EQ(body_of(submit("ada", 6))["client"], "ada");  // the job is running or waiting
  EXPECT_EQ(submit("sam", 7).status, 202);
  EXPECT_EQ(submit("sam", 8).status, 202);
  const HttpResponse beyond = submit("sam", 9);
  EXPECT_EQ(beyond.status, 429);
  EXPECT_EQ(body_of(beyond)["field"], "queued");
  EXPECT_NE(header(beyond, "Retry-After"), "");

  EXPECT_EQ(respond("DELETE", "/v1/jobs/2", "", as("eve")).status, 403);
  EXPECT_EQ(body_of(get("/v1/jobs/2", as("eve")))["client"], "sam");
  EXPECT_EQ(respond("DELETE", "/v1/jobs/2", "", as("sam")).status, 200);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/2", "", as("sam")).status, 200) << "again";
  EXPECT_EQ(respond("DELETE", "/v1/jobs/2/result", "", as("eve")).status, 403);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/2/result", "", as("sam")).status, 204);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/3", "", as("ada")).status, 200);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/1", "", as("sam")).status, 403);
  EXPECT_EQ(respond("DELETE", "/v1/jobs/99", "", as("sam")).status, 404);
}

TEST_F(RoutesTest, ANewListIsInForceAtOnce) {
  const auto clients = clients_of("ann read ann-ann-ann-ann-ann\n");
  start({.clients = clients});
  const Headers ann = bearer("ann-ann-ann-ann-ann");
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 1})", ann).status, 403);
  clients->replace(AccessList::parse("ann submit ann-ann-ann-ann-ann\n").value());
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 1})", ann).status, 202);
  clients->replace(AccessList::parse("sam submit sam-sam-sam-sam-sam\n").value());
  EXPECT_EQ(post("/v1/jobs", R"({"depth": 1})", ann).status, 401);
}

TEST_F(RoutesTest, TheHeadAloneIsJudgedBeforeABodyIsRead) {
  start({.clients = clients_of("a-token-of-some-length")});
  const auto refused_with = [&](const std::string& method, const std::string& target,
                                Headers headers) {
    headers.emplace_back("Host", "localhost");
    const Judgement judgement = routes_->judge({method, target, headers, "", "1"});
    const auto* refusal = std::get_if<HttpResponse>(&judgement);
    return refusal != nullptr ? refusal->status : 0;
  };
  const std::pair<std::string, std::string> token{"Authorization", "Bearer a-token-of-some-length"};
  const std::pair<std::string, std::string> json{"Content-Type", "application/json"};
  EXPECT_EQ(refused_with("POST", "/v1/jobs", {token, json}), 0);
  EXPECT_EQ(refused_with("POST", "/v1/jobs", {json}), 401);
  EXPECT_EQ(refused_with("POST", "/v1/jobs", {token}), 415);
  EXPECT_EQ(refused_with("POST", "/v1/jobs", {token, json, {"Host", "other"}}), 400);
  EXPECT_EQ(refused_with("POST", "/v1/jobs", {token, json, {"Origin", "http://evil.example"}}),
            403);
  EXPECT_EQ(refused_with("PUT", "/v1/jobs", {token, json}), 405);
  EXPECT_EQ(refused_with("POST", "/v1/job", {token, json}), 404);
  EXPECT_EQ(refused_with("POST", "/v1/jobs?a=b", {token, json}), 400);
  EXPECT_EQ(refused_with("GET", "/v1/jobs/0", {token}), 404);
}

}  // namespace
}  // namespace manyply
