#include "tools/report/suite_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/position_text.h"
#include "tools/report/document.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Letters that abbreviate tags in the comment of an EPD line.
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
  // These characters would be read as a comment, a quote or a separator.
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
  if (tags_.size() > kTagLetters.size())  // without enough letters, write the tags as an operation
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
