#include "tools/question/suite.h"

#include <algorithm>
#include <utility>

namespace manyply {

bool SuiteReader::defines_tag(std::string_view line) {
  constexpr std::string_view kMark = "#tag ";
  const std::size_t colon = line.find(':');
  if (!line.starts_with(kMark) || colon == std::string_view::npos) return false;
  line = line.substr(kMark.size(), colon - kMark.size());
  if (line.size() < 3 || line[1] != ' ') return false;
  tags_[line[0]] = line.substr(2);
  return true;
}

/// Those in the comment of `line`; none if it is a comment of another kind.
std::vector<std::string> SuiteReader::tags_of(std::string_view line) const {
  line.remove_prefix(std::min(line.find('#'), line.size() - 1) + 1);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  std::vector<std::string> tags;
  for (const char letter : line) {
    const auto found = tags_.find(letter);
    if (found == tags_.end()) return {};
    tags.push_back(found->second);
  }
  return tags;
}

Error SuiteReader::in_file(Error error, int line) const {
  const std::string place = line > 0 ? name_ + ":" + std::to_string(line) : name_;
  error.field = error.field.empty() ? place : place + ": " + error.field;
  return error;
}

std::optional<Error> SuiteReader::take(std::string_view line) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";  // editors put it before the first line
  ++number_;
  if (number_ == 1 && line.starts_with(kUtf8Mark)) line.remove_prefix(kUtf8Mark.size());
  if (defines_tag(line)) return std::nullopt;
  Result<std::optional<EpdRecord>> record = parse_epd_line(line);
  if (!record) return in_file(record.error(), number_);
  if (record->has_value()) lines_.push_back({number_, **std::move(record), tags_of(line)});
  return std::nullopt;
}

Result<std::vector<SuiteLine>> SuiteReader::finish() && {
  if (lines_.empty()) return in_file({ErrorCode::kInvalidInput, "", 0, "no positions in it"}, 0);
  return std::move(lines_);
}

Result<std::vector<SuiteLine>> read_suite_text(const std::string& name, std::string_view text) {
  SuiteReader reader(name);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (auto error = reader.take(line)) return *std::move(error);
  }
  return std::move(reader).finish();
}

}  // namespace manyply
