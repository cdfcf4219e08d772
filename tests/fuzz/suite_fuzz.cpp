// Reads any text as a suite. The suite must give a useful error, or positions with counts that are
// the same after writing them as EPD, JSON or CSV and reading them again.

#include <cstdint>

#include "tests/fuzz/expect.h"
#include "tools/report/suite_format.h"
#include "tools/text/suite.h"

using namespace manyply;

namespace {

void expect_same(const Suite& one, const std::string& written) {
  const Result<Suite> again = read_suite_text("again", written);
  expect(again.ok(), "what was written is read", written);
  expect(!again->refused.any(), "all of it", written);
  expect(again->lines.size() == one.lines.size(), "with all positions", written);
  for (std::size_t i = 0; i < one.lines.size(); ++i) {
    const EpdRecord& before = one.lines[i].record;
    const EpdRecord& after = again->lines[i].record;
    expect(before.root.position == after.root.position, "which are the same", written);
    expect(one.lines[i].name == again->lines[i].name, "called the same", written);
    expect(one.lines[i].tags == again->lines[i].tags, "with the same tags", written);
    expect(before.counts.size() == after.counts.size(), "and all counts", written);
    for (const EpdCount& count : before.counts) {
      bool found = false;
      for (const EpdCount& other : after.counts)
        found = found || (other.depth == count.depth && other.nodes == count.nodes);
      expect(found, "which are the same", written);
    }
  }
}

}  // namespace

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
  for (const auto& [number, error] : suite->refused.told) {
    expect(number >= 1, "an error says in which line", error.to_string());
    expect(error.column >= 1, "and where", error.to_string());
  }
  for (const SuiteLine& line : suite->lines) {
    expect(line.number >= 1, "a position stands in a line");
    expect(!line.record.counts.empty(), "a record has a count");
  }
  for (const SuiteForm form : {SuiteForm::kEpd, SuiteForm::kJson, SuiteForm::kCsv})
    expect_same(*suite, written_suite(form, suite->lines));
  return 0;
}
