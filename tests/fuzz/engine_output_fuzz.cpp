// Reads any text as the output of an engine. Each move must have two squares, and diagnose() must
// explain the move in any position. Rows and total, written again, must be read in the same way.

#include <algorithm>
#include <cstdint>

#include "tests/fuzz/expect.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/text/engine_output_parser.h"

using namespace manyply;

namespace {

bool is_square(std::string_view text) {
  return text[0] >= 'a' && text[0] <= 'h' && text[1] >= '1' && text[1] <= '8';
}

void expect_well_formed(const EngineRow& row) {
  const std::string& move = row.move;
  expect(move.size() == 4 || move.size() == 5, "a move has two squares", move);
  expect(is_square(move) && is_square(std::string_view(move).substr(2)), "on the board", move);
  expect(move.size() == 4 || (move[4] >= 'a' && move[4] <= 'z'), "and perhaps a piece", move);
}

const Line kLines[] = {Line(*parse_position("kiwipete"), std::string(kKiwipeteFen), std::nullopt),
                       Line(*parse_position("8/8/8/8/R3Pp1k/8/8/4K3 b - e3 0 1"),
                            "8/8/8/8/R3Pp1k/8/8/4K3 b - e3 0 1", square_at(4, 2)),
                       Line(*parse_position("4k3/8/8/8/8/8/8/rRK5 w B - 0 1"),
                            "4k3/8/8/8/8/8/8/rRK5 w B - 0 1", std::nullopt)};

/// Every printed move must be explained exactly once, with a rule.
void expect_judged(const EngineAnswer& answer) {
  Observation observation;
  for (const EngineRow& row : answer.rows) observation.invented.push_back(row.move);
  for (const Line& line : kLines) {
    std::size_t examined = 0;
    for (const Finding& finding : diagnose(line, observation)) examined += finding.moves.size();
    expect(examined == observation.invented.size(), "every move is explained once");
  }
}

EngineAnswer read(const Line& asked, std::string_view text) {
  EngineOutputParser parser({asked.here(), asked.notation()});
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parser.feed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.answer();
}

void expect_read_well(const Line& asked, std::string_view text) {
  const EngineAnswer answer = read(asked, text);
  std::string again;
  for (const EngineRow& row : answer.rows) {
    expect_well_formed(row);
    again += row.move + ": " + row.nodes.to_string() + '\n';
  }
  expect_judged(answer);
  for (const UnreadLine& line : answer.unread)
    expect_printable(to_string(line), "what was not read is shown in a printable line");
  if (!answer.unread.empty()) return;
  if (answer.total) again += "Nodes searched: " + answer.total->to_string() + '\n';
  const EngineAnswer second = read(asked, again);
  expect(second.unread.empty(), "what is understood is understood again", again);
  expect(second.total == answer.total, "the total survives", again);
  expect(second.rows.size() == answer.rows.size(), "and all rows", again);
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    expect(second.rows[i].move == answer.rows[i].move, "with their moves", again);
    expect(second.rows[i].nodes == answer.rows[i].nodes, "and their counts", again);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const Line& line : kLines)
    expect_read_well(line, {reinterpret_cast<const char*>(data), size});
  return 0;
}
