// Tests the guided search with pasted divides, as users do it with the page or curl if Manyply
// cannot run their engine. It must find the bug of each broken engine, as `perft bisect` does.
#include <algorithm>
#include <array>

#include "core/fen.h"
#include "tests/e2e/hunts.h"
#include "tests/e2e/server.h"

namespace manyply {
namespace {

using nlohmann::json;

class Descent {
 public:
  Descent(const Hunt& hunt, Server& server) : hunt_(hunt), server_(server) {
    fen_ = hunt.fen == std::string("startpos")   ? std::string(kStartFen)
           : hunt.fen == std::string("kiwipete") ? std::string(kKiwipeteFen)
                                                 : hunt.fen;
  }

  /// Returns the last comparison, which names no further step.
  json run() {
    json answer;
    for (int depth = std::stoi(hunt_.depth); depth >= 1; --depth) {
      answer = compare(fen_, moves_, depth);
      counts_differ_ |= !answer["agrees"];
      if (!answer["causes"].empty()) return with_right_as_fen(answer, depth);
      if (answer["next"].is_null()) return answer;
      EXPECT_EQ(answer["next"]["depth"], depth - 1);
      moves_ += (moves_.empty() ? "" : " ") + answer["next"]["move"].get<std::string>();
      here_ = answer["next"]["fen"];
    }
    return answer;
  }
  [[nodiscard]] bool counts_differ() const { return counts_differ_; }

 private:
  json compare(const std::string& fen, const std::string& moves, int depth,
               std::optional<bool> right_as_fen = std::nullopt) {
    std::vector<std::string> engine{MANYPLY_BROKEN_ENGINE, hunt_.bug, "lines",
                                    std::to_string(depth), fen};
    if (!moves.empty()) engine.push_back(moves);
    const ProcessResult printed = run_process(engine);
    EXPECT_EQ(printed.exit_code, 0) << printed.err;
    json question{{"fen", fen}, {"moves", moves}, {"depth", depth}, {"divide", printed.out}};
    if (right_as_fen) question["right_as_fen"] = *right_as_fen;
    const HttpReply reply = server_.ask("POST", "/v1/diff", question.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.json();
  }

  /// Asks the last question of the page: whether the moves are right if the position is given as a
  /// FEN.
  json with_right_as_fen(const json& answer, int depth) {
    if (here_.empty()) return answer;
    return compare(fen_, moves_, depth, compare(here_, "", 1)["agrees"].get<bool>());
  }

  const Hunt& hunt_;
  Server& server_;
  std::string fen_;
  std::string moves_;
  std::string here_;
  bool counts_differ_ = false;
};

TEST(ServeDescent, FindsWhatBisectFinds) {
  const StateDir dir;
  Server server(dir.path(), {"--threads", "1"});
  for (const Hunt& hunt : kHunts) {
    Descent descent(hunt, server);
    const json end = descent.run();
    EXPECT_TRUE(descent.counts_differ()) << hunt;
    // These faults look like others, and only further questions tell them apart.
    constexpr std::array<std::string_view, 3> kNeedQuestions{"no-legality", "fifty-moves-end",
                                                             "castling-refused-b1"};
    if (std::ranges::count(kNeedQuestions, hunt.bug) > 0) {
      EXPECT_FALSE(end["agrees"]) << hunt << end;
      continue;
    }
    if (end["causes"].empty()) {  // the engine is right if it gets the position itself
      EXPECT_TRUE(end["agrees"]) << hunt << end;
      EXPECT_THAT(std::string_view(hunt.cause),
                  testing::AnyOf("undo-damage", "bulk-count", "stops-at-draw"));
      continue;
    }
    EXPECT_EQ(end["causes"][0]["name"], hunt.cause) << hunt << end["causes"];
  }
}

}  // namespace
}  // namespace manyply
