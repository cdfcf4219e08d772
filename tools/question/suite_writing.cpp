#include "tools/question/suite_writing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/position_text.h"
#include "tools/question/document.h"
#include "tools/question/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Letters for tags: a line of EPD has them in its comment.
constexpr std::string_view kTagLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

Json position_document(const SuiteLine& line) {
  Json counts = Json::object();
  for (const EpdCount& count : line.record.counts)
    counts[std::to_string(count.depth.plies())] = count.nodes.to_string();
  const NamedPosition& root = line.record.root;
  Json position{
      {"fen", has_ranks(line.record.fen) ? line.record.fen : to_fen(root.position, root.notation)},
      {"counts", std::move(counts)}};
  if (!line.tags.empty()) position["tags"] = line.tags;
  return position;
}

SuiteWriter::SuiteWriter(SuiteForm form, std::vector<Depth> depths, std::vector<std::string> tags)
    : form_(form), depths_(std::move(depths)), tags_(std::move(tags)) {
  if (tags_.size() > kTagLetters.size()) tags_.resize(kTagLetters.size());
}

SuiteWriter::SuiteWriter(SuiteForm form, const std::vector<SuiteLine>& lines)
    : SuiteWriter(form, std::vector<Depth>()) {
  std::set<Depth> depths;
  for (const SuiteLine& line : lines) {
    for (const EpdCount& count : line.record.counts) depths.insert(count.depth);
    for (const std::string& tag : line.tags) {
      if (std::ranges::count(tags_, tag) == 0 && tags_.size() < kTagLetters.size())
        tags_.push_back(tag);
    }
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
      return text + (tags_.empty() ? "\n" : ",tags\n");
    case SuiteForm::kEpd:
      for (std::size_t i = 0; i < tags_.size(); ++i)
        text += fmt::format("#tag {} {}:\n", kTagLetters[i], tags_[i]);
      break;
  }
  return text;
}

std::string SuiteWriter::tag_letters(const Json& position) const {
  std::string letters;
  for (const Json& tag : position.value("tags", Json::array())) {
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
    return text + tag_letters(position) + '\n';
  }
  for (const Depth depth : depths_)
    text += ',' + counts.value(std::to_string(depth.plies()), std::string());
  if (!tags_.empty()) {
    std::string names;
    for (const Json& tag : position.value("tags", Json::array()))
      names += (names.empty() ? "" : " ") + tag.get<std::string>();
    text += ',' + names;
  }
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
