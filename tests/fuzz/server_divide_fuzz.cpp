// Reads any text as a pasted divide. The text must give a useful error, or a comparison as JSON
// that conforms to openapi.json and contains all pasted rows.

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "tests/fuzz/expect.h"
#include "tests/tools/server/api_contract.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/server/routes.h"
#include "tools/text/json_text.h"

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

Result<std::vector<DivideEntry>> counted(const Line& line, Depth depth) {
  return divide(line.here(), depth);
}

/// Checks the answer about a pasted text. If the text can be read in several ways, the answer must
/// have all readings.
void expect_all_told(const json& answer, const std::vector<PastedDivide>& pasted) {
  static ApiContract contract{json::parse(openapi_document())};
  for (const std::string& problem :
       contract.schema_problems(answer, json{{"$ref", "#/components/schemas/Diff"}}))
    expect(false, "answers are as documented:", problem);
  expect(answer.contains("readings") == has_rivals(pasted), "rivals are told");
  if (!has_rivals(pasted)) return;
  expect(answer["readings"].size() == pasted.size(), "each of them");
  for (std::size_t i = 0; i < pasted.size(); ++i)
    expect(!pasted[i].name.empty() && answer["readings"][i]["name"] == pasted[i].name, "by name");
  for (const json& row : answer["disputed"])
    expect(row["counts"].size() == pasted.size(), "with the count of each");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const Pasted question;
  const auto pasted = parse_pasted_divides(text, question.line, question.depth, counted);
  if (!pasted) {
    expect_useful(pasted.error(), text);
    return 0;
  }
  for (const std::optional<bool> right_as_fen : {std::optional<bool>(), std::optional(true)}) {
    for (const PastedDivide& one : *pasted) {
      const json answer =
          json::parse(json_text(diff_document(question.line, question.depth, question.ours,
                                              one.answer, right_as_fen, counted)),
                      nullptr, false);
      expect(!answer.is_discarded(), "the answer is JSON");
      expect_told(answer, question, one.answer);
    }
    expect_all_told(json::parse(diff_of_paste(question.line, question.depth, question.ours, *pasted,
                                              right_as_fen, counted)),
                    *pasted);
  }
  return 0;
}
