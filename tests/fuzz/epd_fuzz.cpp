// Reads any text as a line of a suite. The line must give a useful error, or counts of different
// depths that are the same after writing and reading them again.

#include <cstdint>
#include <set>

#include "core/fen.h"
#include "tests/fuzz/expect.h"

using namespace manyply;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::optional<EpdRecord>> parsed = parse_epd_line(text);
  if (!parsed) {
    expect_useful(parsed.error(), text);
    return 0;
  }
  if (!parsed->has_value()) return 0;
  const EpdRecord& record = **parsed;
  expect(!record.counts.empty(), "a record has a count");
  expect(text.find(record.fen) != std::string_view::npos, "the FEN is given as written");

  std::set<Depth> depths;
  std::string line = record.fen;
  for (const auto& [depth, nodes] : record.counts) {
    expect(depths.insert(depth).second, "no depth is given twice");
    line += " ;D" + std::to_string(depth.plies()) + " " + nodes.to_string();
  }
  const Result<std::optional<EpdRecord>> again = parse_epd_line(line);
  expect(again.ok() && again->has_value(), "what was written is read", line);
  expect((**again).root.position == record.root.position, "as the same position", line);
  expect((**again).counts.size() == record.counts.size(), "with all its counts", line);
  for (std::size_t i = 0; i < record.counts.size(); ++i) {
    expect((**again).counts[i].depth == record.counts[i].depth, "with the same depths", line);
    expect((**again).counts[i].nodes == record.counts[i].nodes, "with the same counts", line);
  }
  return 0;
}
