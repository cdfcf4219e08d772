#include "tools/report/suite_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/position_text.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"

namespace manyply {

using Json = nlohmann::ordered_json;

namespace {

/// Returns the refused lines of a document; empty for documents of older versions.
RefusedLines refused_in(const Json& document) {
  RefusedLines refused;
  refused.count = document.value("refused", std::size_t{0});
  for (const Json& line : document.value("refusals", Json::array())) {
    refused.told.push_back({line.at("line").get<int>(),
                            {ErrorCode::kInvalidInput, text_in(line, "field"),
                             line.at("column").get<int>(), text_in(line, "message")}});
  }
  return refused;
}

}  // namespace

Json compared_document(const SuiteDifference& counted) {
  return {{"line", counted.line},
          {"fen", counted.fen},
          {"depth", counted.depth.plies()},
          {"expected", counted.expected.to_string()},
          {"nodes", counted.nodes.to_string()}};
}

std::string place_text(const Json& compared) {
  return fmt::format("line {}, depth {}", whole_in(compared, "line"), whole_in(compared, "depth"));
}

std::string counts_text(const Json& compared) {
  return fmt::format(": expected {}, counted {}  {}", text_in(compared, "expected"),
                     text_in(compared, "nodes"), text_in(compared, "fen"));
}

std::string compared_csv(const Json& compared) {
  const std::string& expected = text_in(compared, "expected");
  const std::string& nodes = text_in(compared, "nodes");
  return fmt::format("{},{},{},{},{}\n", whole_in(compared, "line"), whole_in(compared, "depth"),
                     expected, nodes, expected == nodes ? "match" : "mismatch");
}

std::string refused_csv(const Json& refusal) {
  return fmt::format("{},,,,refused\n", whole_in(refusal, "line"));
}

std::vector<std::string> refusal_texts(const Json& document) {
  const RefusedLines refused = refused_in(document);
  std::vector<std::string> texts;
  for (const auto& [number, error] : refused.told)
    texts.push_back(fmt::format("line {} refused: {}", number, error.to_string()));
  if (refused.untold() > 0) texts.push_back("and " + refused_text(refused.untold()));
  return texts;
}

std::string refused_text(std::size_t count) {
  return fmt::format("{} {} refused", count, count == 1 ? "line" : "lines");
}

std::string summary_text(const Json& document) {
  const std::uint64_t positions = whole_in(document, "positions");
  const std::uint64_t matches = whole_in(document, "matches");
  const std::size_t refused = refused_in(document).count;
  return fmt::format("{}: {} {}, {} {}, {} differ, {} skipped{}, {:.1f} s\n",
                     text_in(document, "file"), positions,
                     positions == 1 ? "position" : "positions", matches,
                     matches == 1 ? "count matches" : "counts match",
                     document.at("differences").size(), whole_in(document, "skipped"),
                     refused > 0 ? ", " + refused_text(refused) : "", real_in(document, "seconds"));
}

std::string suite_text(const Json& document) {
  std::string text;
  for (const Json& how : document.value("read_as", Json::array()))
    text += how.get<std::string>() + '\n';
  for (const std::string& why : refusal_texts(document)) text += why + '\n';
  for (const Json& row : document.at("differences"))
    text += place_text(row) + counts_text(row) + '\n';
  return text + summary_text(document);
}

Json refused_json(const RefusedLines& refused) {
  Json lines = Json::array();
  for (const auto& [number, error] : refused.told) {
    lines.push_back({{"line", number},
                     {"field", error.field},
                     {"column", error.column},
                     {"message", error.message}});
  }
  return {{"refused", refused.count}, {"refusals", std::move(lines)}};
}

Json suite_document(const SuiteReport& report) {
  Json differences = Json::array();
  for (const SuiteDifference& difference : report.differences)
    differences.push_back(compared_document(difference));
  Json json{{"file", report.file},
            {"positions", report.positions},
            {"matches", report.matches},
            {"mismatches", report.differences.size()},
            {"skipped", report.skipped},
            {"seconds", report.seconds},
            {"differences", std::move(differences)}};
  json.update(refused_json(report.refused));
  json["read_as"] = report.read_as;
  return json;
}

std::string suite_junit(const Json& document, const std::vector<SuiteLine>& lines) {
  const std::string file = xml_text(text_in(document, "file"));
  std::string cases;
  std::size_t failures = 0;
  const Json& differences = document.at("differences");
  // Both `differences` and `lines` are in the order of the suite, so one pass over both lists
  // suffices.
  auto wrong = differences.begin();
  for (const SuiteLine& line : lines) {
    cases += fmt::format("    <testcase classname=\"{}\" name=\"line {}: {}\"", file, line.number,
                         xml_text(line.record.fen));
    std::string messages;
    for (; wrong != differences.end() && wrong->at("line") == line.number; ++wrong) {
      messages += fmt::format("{}depth {}: expected {}, counted {}", messages.empty() ? "" : "; ",
                              whole_in(*wrong, "depth"), text_in(*wrong, "expected"),
                              text_in(*wrong, "nodes"));
    }
    if (messages.empty()) {
      cases += "/>\n";
    } else {
      ++failures;
      cases += fmt::format(
          ">\n      <failure type=\"mismatch\" message=\"{}\"/>\n    </testcase>\n", messages);
    }
  }
  const RefusedLines refused = refused_in(document);
  cases += refused_junit(refused, text_in(document, "file"));
  const std::size_t errors = refused_cases(refused);
  const std::string totals =
      junit_totals(lines.size() + errors, failures, errors, 0, real_in(document, "seconds"));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"perft\" {}>\n"
      "  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n</testsuites>\n",
      totals, file, totals, cases);
}

std::string refused_junit(const RefusedLines& refused, std::string_view suite) {
  std::string cases;
  const auto add = [&](const std::string& name, const std::string& why) {
    cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"{}\">\n"
        "      <error type=\"refused\" message=\"{}\"/>\n    </testcase>\n",
        xml_text(suite), name, xml_text(why));
  };
  for (const auto& [number, error] : refused.told)
    add(fmt::format("line {}", number), error.to_string());
  if (refused.untold() > 0) add("more lines", refused_text(refused.untold()));
  return cases;
}

std::size_t refused_cases(const RefusedLines& refused) {
  return refused.told.size() + (refused.untold() > 0 ? 1 : 0);
}

std::string xml_text(std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"";
  constexpr std::array<std::string_view, 4> kEscaped{"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string escaped;
  for (const char c : text) {
    const std::size_t at = kSpecial.find(c);
    if (at < kEscaped.size()) {
      escaped += kEscaped[at];
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string junit_totals(std::size_t tests, std::size_t failures, std::size_t errors,
                         std::size_t skipped, double seconds) {
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}" time="{:.3f}")", tests,
                     failures, errors, skipped, seconds);
}

namespace {

/// Letters that stand for tags in the comment of an EPD line.
constexpr std::string_view kTagLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Returns a string in quotes, with inner quotes doubled.
std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

/// Returns the tags separated by spaces.
std::string tag_words(const Json& tags) {
  std::string words;
  for (const Json& tag : tags) words += (words.empty() ? "" : " ") + tag.get<std::string>();
  return words;
}

}  // namespace

std::string csv_field(const std::string& text) {
  // Other programs would read these characters as a comment, a quote or a separator.
  const bool is_plain = text.find_first_of(",;|\t\"`#\n\r") == std::string::npos &&
                        text.find("//") == std::string::npos;
  if (is_plain) return text;
  return in_quotes(text);
}

Json position_document(const SuiteLine& line) {
  Json counts = Json::object();
  for (const EpdCount& count : line.record.counts)
    counts[std::to_string(count.depth.plies())] = count.nodes.to_string();
  const NamedPosition& root = line.record.root;
  Json position{
      {"fen", has_ranks(line.record.fen) ? line.record.fen : to_fen(root.position, root.notation)},
      {"counts", std::move(counts)}};
  if (!line.name.empty()) position["name"] = line.name;
  if (!line.tags.empty()) position["tags"] = line.tags;
  return position;
}

SuiteWriter::SuiteWriter(SuiteForm form, std::vector<Depth> depths, std::vector<std::string> tags)
    : form_(form), depths_(std::move(depths)), tags_(std::move(tags)) {}

SuiteWriter::SuiteWriter(SuiteForm form, const std::vector<SuiteLine>& lines)
    : SuiteWriter(form, std::vector<Depth>()) {
  std::set<Depth> depths;
  std::set<std::string> tags;
  for (const SuiteLine& line : lines) {
    for (const EpdCount& count : line.record.counts) depths.insert(count.depth);
    for (const std::string& tag : line.tags) {
      if (tags.insert(tag).second) tags_.push_back(tag);
    }
    has_names_ = has_names_ || !line.name.empty();
  }
  depths_.assign(depths.begin(), depths.end());
}

std::string SuiteWriter::head() const {
  std::string text;
  switch (form_) {
    case SuiteForm::kJson:
      return "[\n";
    case SuiteForm::kCsv:
      text = "fen";
      for (const Depth depth : depths_) text += fmt::format(",D{}", depth.plies());
      if (!tags_.empty()) text += ",tags";
      return text + (has_names_ ? ",name\n" : "\n");
    case SuiteForm::kEpd:
      if (tags_.size() > kTagLetters.size()) break;
      for (std::size_t i = 0; i < tags_.size(); ++i)
        text += fmt::format("#tag {} {}:\n", kTagLetters[i], tags_[i]);
      break;
  }
  return text;
}

std::string SuiteWriter::tags_in_epd(const Json& position) const {
  const Json tags = position.value("tags", Json::array());
  // If there are more tags than letters, write the tags as words: ;tags "pins promotions".
  if (tags_.size() > kTagLetters.size())
    return tags.empty() ? "" : " ;tags " + in_quotes(tag_words(tags));
  std::string letters;
  for (const Json& tag : tags) {
    const auto at = std::ranges::find(tags_, tag.get<std::string>());
    if (at != tags_.end()) letters += kTagLetters[static_cast<std::size_t>(at - tags_.begin())];
  }
  return letters.empty() ? letters : " #" + letters;
}

std::string SuiteWriter::row(const Json& position) {
  const std::string& fen = text_in(position, "fen");
  const Json& counts = position.at("counts");
  if (form_ == SuiteForm::kJson)
    return (std::exchange(first_, false) ? "" : ",\n") + json_text(position);
  std::string text = form_ == SuiteForm::kCsv ? csv_field(fen) : fen;
  if (form_ == SuiteForm::kEpd) {
    for (const auto& [depth, nodes] : counts.items())
      text += fmt::format(" ;D{} {}", depth, nodes.get_ref<const std::string&>());
    if (position.contains("name")) text += " ;id " + in_quotes(text_in(position, "name"));
    return text + tags_in_epd(position) + '\n';
  }
  for (const Depth depth : depths_)
    text += ',' + counts.value(std::to_string(depth.plies()), std::string());
  if (!tags_.empty()) text += ',' + csv_field(tag_words(position.value("tags", Json::array())));
  if (has_names_) text += ',' + csv_field(position.value("name", std::string()));
  return text + '\n';
}

std::string SuiteWriter::end() const {
  if (form_ != SuiteForm::kJson) return "";
  return first_ ? "]\n" : "\n]\n";
}

std::string written_suite(SuiteForm form, const std::vector<SuiteLine>& lines) {
  SuiteWriter writer(form, lines);
  std::string text = writer.head();
  for (const SuiteLine& line : lines) text += writer.row(position_document(line));
  return text + writer.end();
}

}  // namespace manyply
