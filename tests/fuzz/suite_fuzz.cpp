// Any text as a suite: refused with a useful error, or positions whose counts are what EPD with the
// same counts says; and each line is either read, refused, or nothing.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "tests/fuzz/expect.h"
#include "tools/question/suite.h"

using namespace manyply;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Suite> suite = read_suite_text("suite", text);
  if (!suite) {
    expect(suite.error().field.starts_with("suite"), "an error names the file");
    expect(!suite.error().message.empty(), "and says why");
    return 0;
  }
  expect(!suite->lines.empty(), "a suite has a position");
  expect(suite->refused.told.size() <= suite->refused.count, "no more is told than there is");
  std::set<int> numbers;
  for (const auto& [number, error] : suite->refused.told) {
    expect(numbers.insert(number).second, "a line is refused once");
    expect(error.column >= 1, "an error says where", error.to_string());
  }
  int last = 0;
  std::string epd;
  for (const SuiteLine& line : suite->lines) {
    expect(line.number > last, "lines come in their order");
    expect(numbers.insert(line.number).second, "what was refused is not read");
    last = line.number;
    expect(!line.record.counts.empty(), "a record has a count");
    epd += line.record.fen;
    for (const EpdCount& count : line.record.counts)
      epd += " ;D" + std::to_string(count.depth.plies()) + ' ' + count.nodes.to_string();
    epd += '\n';
  }
  const Result<Suite> again = read_suite_text("again", epd);
  expect(again.ok() && again->lines.size() == suite->lines.size(), "what was read is EPD", epd);
  for (std::size_t i = 0; i < suite->lines.size(); ++i) {
    const EpdRecord& one = suite->lines[i].record;
    const EpdRecord& other = again->lines[i].record;
    expect(one.root.position == other.root.position, "with the same positions", epd);
    expect(one.counts.size() == other.counts.size(), "and all counts", epd);
    for (std::size_t k = 0; k < one.counts.size(); ++k)
      expect(one.counts[k].depth == other.counts[k].depth &&
                 one.counts[k].nodes == other.counts[k].nodes,
             "which are the same", epd);
  }
  return 0;
}
