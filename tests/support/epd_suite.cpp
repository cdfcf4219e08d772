#include "tests/support/epd_suite.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <tuple>

namespace manyply {

namespace {

void load_suite(const std::filesystem::path& path, std::vector<SuiteCase>& cases) {
  std::ifstream in(path);
  int line = 0;
  for (std::string text; std::getline(in, text);) {
    const std::string where = path.filename().string() + ":" + std::to_string(++line);
    const auto record = parse_epd_line(text);
    if (!record) throw std::runtime_error(where + ": " + record.error().to_string());
    if (!record->has_value()) continue;
    for (const EpdCount& count : record->value().counts) {
      cases.push_back({where, record->value(), count});
    }
  }
  if (line == 0) throw std::runtime_error(path.string() + " cannot be read, or is empty");
}

}  // namespace

std::vector<SuiteCase> load_suites() {
  std::vector<SuiteCase> cases;
  const auto data = std::filesystem::path(MANYPLY_SOURCE_DIR) / "tools" / "suites";
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    if (entry.path().extension() == ".epd" && entry.path().stem() != "corpus")
      load_suite(entry.path(), cases);
  }
  if (cases.empty()) throw std::runtime_error("no suite in " + data.string());
  std::ranges::sort(cases, {},
                    [](const SuiteCase& c) { return std::tuple(c.expected.nodes, c.where); });
  return cases;
}

std::vector<SuiteCase> load_suites_within(std::uint64_t nodes) {
  std::vector<SuiteCase> cases = load_suites();
  NodeCount sum;
  const auto first_beyond = std::ranges::find_if(
      cases, [&](const SuiteCase& c) { return (sum += c.expected.nodes) > NodeCount(nodes); });
  cases.erase(first_beyond, cases.end());
  return cases;
}

}  // namespace manyply
