#include "tools/question/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/question/row_reading.h"

namespace manyply {

Error in_suite(Error error, const std::string& name, int line) {
  const std::string place = line > 0 ? fmt::format("{}:{}", name, line) : name;
  error.field = error.field.empty() ? place : place + ": " + error.field;
  return error;
}

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

void SuiteReader::take(std::string_view line) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";  // editors put it before the first line
  ++number_;
  if (number_ == 1 && line.starts_with(kUtf8Mark)) line.remove_prefix(kUtf8Mark.size());
  if (failure_ || defines_tag(line)) return;
  const std::string_view text = line.substr(0, line.find('#'));
  if (take_head(text)) return;
  if (shape_ && text.find(shape_->separator) != std::string_view::npos)
    return add(number_, parse_row(text, *shape_), tags_of(line));
  if (const auto separator = separator_of(text)) return take_row(text, *separator, tags_of(line));
  Result<std::optional<EpdRecord>> record = parse_epd_line(line);
  if (!record) {
    refused_.add({number_, record.error()});
  } else if (record->has_value()) {
    lines_.push_back({number_, **std::move(record), tags_of(line)});
  }
}

bool SuiteReader::take_head(std::string_view text) {
  Result<std::optional<RowShape>> head = parse_head(text);
  if (!head) {
    failure_ = in_suite(head.error(), name_, number_);
    return true;
  }
  if (!head->has_value()) return false;
  shape_ = *std::move(head);
  note(number_, *shape_);
  return true;
}

void SuiteReader::take_row(std::string_view text, char separator, std::vector<std::string> tags) {
  Result<BareRow> row = parse_bare_row(text, separator);
  if (!row) return refused_.add({number_, row.error()});
  bare_.push_back(std::move(row).value());
  headless_.push_back({number_, std::string(text), separator, std::move(tags)});
}

std::optional<Error> SuiteReader::read_headless_rows() {
  if (bare_.empty()) return std::nullopt;
  const auto reading = reading_of(bare_);
  if (const auto* undecided = std::get_if<Undecided>(&reading))
    return in_suite(undecided->error, name_, headless_[undecided->row].number);
  const bool counts = std::get<RowReading>(reading) == RowReading::kCounts;
  // Counts that are ours need no word.
  if (!counts) note(headless_.front().number, depth_and_nodes(headless_.front().separator));
  for (HeadlessRow& row : headless_) {
    const RowShape shape =
        counts ? counts_from_depth_1(row.separator) : depth_and_nodes(row.separator);
    add(row.number, parse_row(row.text, shape), std::move(row.tags));
  }
  return std::nullopt;
}

void SuiteReader::note(int line, const RowShape& shape) {
  constexpr std::size_t kMostNotes = 10;
  if (read_as_.size() < kMostNotes)
    read_as_.push_back(fmt::format("line {} read as {}", line, shape.words()));
}

void SuiteReader::add(int number, Result<EpdRecord> record, std::vector<std::string> tags) {
  if (!record) return refused_.add({number, record.error()});
  lines_.push_back({number, std::move(record).value(), std::move(tags)});
}

Result<Suite> SuiteReader::finish() && {
  if (!failure_) failure_ = read_headless_rows();
  if (failure_) return *std::move(failure_);
  // Rows without a head came last.
  std::ranges::stable_sort(lines_, {}, &SuiteLine::number);
  std::ranges::stable_sort(refused_.told, {}, &RefusedLine::number);
  if (lines_.empty() && refused_.any())
    return in_suite(refused_.told.front().error, name_, refused_.told.front().number);
  if (lines_.empty())
    return in_suite({ErrorCode::kInvalidInput, "", 0, "no positions in it"}, name_, 0);
  return Suite{name_, std::move(lines_), std::move(refused_), std::move(read_as_)};
}

Result<Suite> read_suite_text(const std::string& name, std::string_view text) {
  SuiteReader reader(name);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    reader.take(line);
  }
  return std::move(reader).finish();
}

}  // namespace manyply
