// Any text as a pasted divide: refused with a useful error, or compared with ours in a JSON answer
// that is as openapi.json describes it, and in which nothing that was pasted is lost.

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "tests/fuzz/expect.h"
#include "tests/tools/server/api_contract.h"
#include "tools/diagnose/comparison.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/server/embedded_files.h"

using namespace manyply;
using nlohmann::json;

namespace {

/// A position with moves of every kind.
struct Pasted {
  Line line{parse_position("kiwipete").value(), std::string(kKiwipeteFen), std::nullopt};
  Depth depth{2};
  std::vector<DivideEntry> ours = divide(line.here(), depth).value();
};

void expect_told(const json& answer, const Pasted& question, const EngineAnswer& theirs) {
  std::set<std::string> moves;
  bool same = true;
  std::string last;
  for (const json& row : answer["rows"]) {
    const std::string move = row["move"];
    expect(last < move, "rows ascend, each move once", move);
    last = move;
    moves.insert(move);
    same = same && row["same"].get<bool>();
    expect(!row["same"].get<bool>() || row["ours"] == row["theirs"], "the same is the same", move);
  }
  expect(!answer["agrees"].get<bool>() || same, "who agrees has no other row");
  for (const DivideEntry& entry : question.ours)
    expect(moves.erase(to_uci(entry.move, question.line.notation())) == 1, "our moves are told");
  for (const EngineRow& row : settled(theirs, question.line, question.ours).rows)
    moves.erase(row.move);
  expect(moves.empty(), "and those of the other side, but no others");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const Pasted question;
  const auto theirs = parse_pasted_divide(text, question.line, question.depth);
  if (!theirs) {
    expect_useful(theirs.error(), text);
    return 0;
  }
  static ApiContract contract{json::parse(openapi_document())};
  for (const std::optional<bool> right_as_fen : {std::optional<bool>(), std::optional(true)}) {
    const json answer = json::parse(
        diff_document(question.line, question.depth, question.ours, *theirs, right_as_fen,
                      [](const Line& line, Depth depth) { return divide(line.here(), depth); }),
        nullptr, false);
    expect(!answer.is_discarded(), "the answer is JSON");
    for (const std::string& problem :
         contract.schema_problems(answer, json{{"$ref", "#/components/schemas/Diff"}}))
      expect(false, "answers are as documented:", problem);
    expect_told(answer, question, *theirs);
  }
  return 0;
}
