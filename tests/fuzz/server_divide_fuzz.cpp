// Any text as a pasted divide: refused with a useful error, or rows that survive the way through
// text, agree with themselves, and differ from anything else in just the rows that do.

#include <string>
#include <string_view>

#include "tests/fuzz/expect.h"
#include "tools/server/divide_diff.h"

using namespace manyply;

namespace {

bool is_move(const std::string& move) {
  const auto square = [&](std::size_t at) {
    return move[at] >= 'a' && move[at] <= 'h' && move[at + 1] >= '1' && move[at + 1] <= '8';
  };
  return (move.size() == 4 || (move.size() == 5 && std::string("qrbn").find(move[4]) < 4)) &&
         square(0) && square(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rows = parse_pasted_divide(text);
  if (!rows) {
    expect_useful(rows.error(), text);
    return 0;
  }
  std::string again;
  for (const MoveCount& row : *rows) {
    expect(is_move(row.move), "a move is one", row.move);
    again += row.move + ": " + row.nodes.to_string() + '\n';
  }
  const auto second = parse_pasted_divide(again + "\nNodes searched: 1\n");
  expect(second.ok() && second->size() == rows->size(), "what was written is read", again);
  for (const DiffRow& row : diff_of(*rows, *second)) expect(row.same(), "alike", row.move);

  std::vector<MoveCount> others = *second;
  const MoveCount missing = others.back();
  others.pop_back();
  if (!others.empty()) others[0].nodes = NodeCount(others[0].nodes == NodeCount(1) ? 2 : 1);
  std::string last;
  std::size_t differing = 0;
  for (const DiffRow& row : diff_of(*rows, others)) {
    expect(last < row.move, "rows ascend, each move once", row.move);
    last = row.move;
    differing += row.same() ? 0 : 1;
    if (row.move == missing.move) {
      expect(row.ours == missing.nodes && !row.theirs, "a missing move is missing", row.move);
    }
  }
  expect(differing == (others.empty() ? 1 : 2), "as many rows differ as were changed", again);
  return 0;
}
