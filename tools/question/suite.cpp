#include "tools/question/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/position_text.h"
#include "core/quote.h"
#include "tools/question/row_reading.h"
#include "tools/question/suite_row.h"
#include "tools/question/suite_text.h"

namespace manyply {
namespace {

/// What was found so far of a suite, row by row.
class SuiteReader {
 public:
  explicit SuiteReader(const std::string& name) : name_(name) {}

  Result<Suite> read(std::string_view bytes) &&;

 private:
  struct OpenRow {
    RowGatherer row;
    std::vector<std::string> tags;
    int end;  ///< the column behind its line
  };

  // Forms of a whole text; false if it is another one.
  bool take_json(const std::string& text);
  bool take_yaml(const std::string& text);
  bool take_code(const std::string& text);
  void take_lines(std::string_view text, int number, int column);

  /// The rows in `list`, and in the lists in it; how many there were.
  std::size_t take_rows(const SuiteValue& list, const std::string& form);
  void take_row(const SuiteValue& list, const std::string& form);
  void take_map(const SuiteValue& list, const std::string& form);

  void take_line(TextSpan line, int number);
  bool defines_tag(std::string_view line);
  [[nodiscard]] std::vector<std::string> tags_of(std::string_view line) const;
  bool take_head(TextSpan line, int number);
  bool take_row_of_table(TextSpan line, int number, std::vector<std::string> tags);
  void take_fields(const LineFields& split, TextSpan line, int number,
                   std::vector<std::string> tags);
  void close();

  void refuse(int number, Error error);
  void add(int end, RowGatherer&& row, std::vector<std::string> tags);
  [[nodiscard]] std::optional<Error> judge();
  void note(int line, const std::string& words);

  const std::string& name_;
  std::map<char, std::string> tags_;
  std::optional<TableHead> head_;  ///< the last one
  std::optional<OpenRow> open_;    ///< its counts may stand in the lines below
  std::optional<Error> failure_;
  std::vector<SuiteRow> rows_;
  RefusedLines refused_;
  std::set<std::string> told_;
  std::vector<std::pair<int, std::string>> notes_;
};

bool is_called_fen(const SuiteValue& item) {
  return !item.name.empty() && column_named(item.name).kind == Column::Kind::kFen;
}

/// Whether a value of `list` itself is a position, or is called one.
bool is_row(const SuiteValue& list) {
  return std::ranges::any_of(list.items, [](const SuiteValue& item) {
    const bool is_called = is_called_fen(item);
    const bool is_wrapped = item.is_list && item.items.size() == 1 && !item.items[0].is_list &&
                            item.items[0].name.empty() && has_ranks(item.items[0].text);
    return (!item.is_list && (has_ranks(item.text) || (is_called && !item.text.empty()))) ||
           (is_wrapped && is_called);
  });
}

std::size_t positions_in(const SuiteValue& list) {
  std::size_t count = 0;
  for (const SuiteValue& item : list.items) {
    count += has_ranks(item.name) ? 1 : 0;
    count += item.is_list ? positions_in(item) : has_ranks(item.text) ? 1 : 0;
  }
  return count;
}

bool is_number(const SuiteValue& value) {
  return !value.is_list && !value.text.empty() && is_digit(value.text.front()) &&
         !has_ranks(value.text);
}

// ---------------------------------------------------------------- values in lists

void SuiteReader::take_row(const SuiteValue& list, const std::string& form) {
  const auto place = std::ranges::find_if(list.items, [](const SuiteValue& item) {
    return !item.is_list && (has_ranks(item.text) || is_called_fen(item));
  });
  const SuiteValue& at = place != list.items.end() ? *place : list;
  RowGatherer row(form, at.line);
  const bool is_named = std::ranges::any_of(list.items, is_called_fen);
  for (const SuiteValue& item : list.items) {
    // {"fen": …, "after": …}
    if (is_named && !is_called_fen(item) && !item.is_list && has_ranks(item.text)) continue;
    if (auto error = row.take(item)) return refuse(std::max(item.line, 1), *std::move(error));
  }
  add(at.column, std::move(row), {});
}

/// `{"FEN": [20, 400], "FEN": [48, 2039]}`, and lists of lines of EPD.
void SuiteReader::take_map(const SuiteValue& list, const std::string& form) {
  for (const SuiteValue& item : list.items) {
    if (!has_ranks(item.name) && (item.is_list || !has_ranks(item.text))) continue;
    if (!item.is_list && item.name.empty() && item.text.find('\n') != std::string::npos) {
      take_lines(item.text, item.line, item.column);
      continue;
    }
    RowGatherer row(form, item.line);
    if (auto error = row.take(item)) {
      refuse(item.line, *std::move(error));
    } else {
      add(item.column, std::move(row), {});
    }
  }
}

std::size_t SuiteReader::take_rows(const SuiteValue& list, const std::string& form) {
  const auto is_key = [](const SuiteValue& item) { return has_ranks(item.name); };
  const auto is_text = [](const SuiteValue& item) { return !item.is_list && has_ranks(item.text); };
  const auto is_whole = [&](const SuiteValue& item) {
    return is_text(item) && item.text.find_first_of(";\n") != std::string::npos;
  };
  const auto texts = std::ranges::count_if(list.items, is_text);
  const bool is_named = std::ranges::count_if(list.items, is_called_fen) == 1;
  if (std::ranges::any_of(list.items, is_key) || (texts > 1 && !is_named) ||
      (texts == 1 && std::ranges::any_of(list.items, is_whole))) {
    take_map(list, form);
    return 1;
  }
  if (is_row(list)) {
    take_row(list, form);
    return 1;
  }
  // assert_eq!(perft("FEN", 3), 8902): the number is of the position in the list inside.
  const bool has_number =
      std::ranges::any_of(list.items, [](const SuiteValue& item) { return is_number(item); });
  if (has_number && positions_in(list) == 1) {
    SuiteValue flat{.line = list.line, .column = list.column, .is_list = true};
    const auto flatten = [&](const SuiteValue& from, const auto& self) -> void {
      for (const SuiteValue& item : from.items) {
        if (item.is_list && positions_in(item) > 0) {
          self(item, self);
        } else {
          flat.items.push_back(item);
        }
      }
    };
    flatten(list, flatten);
    take_row(flat, form);
    return 1;
  }
  std::size_t rows = 0;
  for (const SuiteValue& item : list.items) {
    if (item.is_list) rows += take_rows(item, form);
  }
  return rows;
}

bool SuiteReader::take_json(const std::string& text) {
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  if (begin == text.size() || (text[begin] != '[' && text[begin] != '{')) return false;
  const Result<SuiteValue> values = read_json_values(text);
  if (!values) {
    if (take_code(text)) return true;
    Error error = values.error();
    const int line = std::stoi(error.field);
    error.field = "JSON";
    failure_ = in_suite(error, name_, line);
    return true;
  }
  take_rows(*values, "JSON");
  return true;
}

bool SuiteReader::take_yaml(const std::string& text) {
  if (!looks_like_yaml(text)) return false;
  const Result<SuiteValue> values = read_yaml_values(text);
  if (values && positions_in(*values) > 0) {
    take_rows(*values, "YAML");
    if (!rows_.empty()) return true;
    refused_ = {};  // lines below a title look like YAML, too
    return false;
  }
  if (values || values.error().code != ErrorCode::kUnavailable) return false;
  Error error = values.error();
  const int line = std::stoi(error.field);
  error.field.clear();
  failure_ = in_suite(error, name_, line);
  return true;
}

bool SuiteReader::take_code(const std::string& text) {
  if (text.find_first_of("([{") == std::string::npos && text.find("'''") == std::string::npos &&
      text.find("\"\"\"") == std::string::npos)
    return false;
  const SuiteValue values = read_code_values(text);
  bool found = false;
  for (const SuiteValue& value : values.items) {
    const bool is_text = !value.is_list && value.text.find('\n') != std::string::npos;
    found = found || (value.is_list ? positions_in(value) > 0 : is_text && has_ranks(value.text));
  }
  if (!found) return false;
  for (const SuiteValue& value : values.items) {
    if (value.is_list) {
      take_rows(value, "source code");
    } else if (value.text.find('\n') != std::string::npos) {
      take_lines(value.text, value.line, value.column);
    }
  }
  return true;
}

// ---------------------------------------------------------------- lines

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

void SuiteReader::take_lines(std::string_view text, int number, int column) {
  for (; !text.empty(); ++number, column = 1) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (failure_) return;
    take_line({line, column}, number);
  }
  close();
}

void SuiteReader::take_line(TextSpan line, int number) {
  if (defines_tag(line.text)) return;
  std::vector<std::string> tags = tags_.empty() ? std::vector<std::string>() : tags_of(line.text);
  line = TextSpan{without_comment(line.text), line.column};
  if (line.trimmed().text.empty() || take_head(line, number)) return;
  if (head_ && take_row_of_table(line, number, tags)) return;
  if (open_ && !has_ranks(line.text)) {  // "depth 2: 1,486" is no table
    const TextSpan text = line.trimmed();
    RowGatherer below("", number);
    if (!below.take(SuiteValue::scalar(std::string(text.text), number, text.column)) &&
        below.has_counts() && !below.has_position())
      return take_fields({0, {text}}, line, number, std::move(tags));
  }
  const Result<LineFields> split = split_line(line);
  if (!split) return refuse(number, split.error());
  take_fields(*split, line, number, std::move(tags));
}

bool SuiteReader::take_head(TextSpan line, int number) {
  Result<std::optional<TableHead>> head = parse_head(line);
  if (!head) {
    failure_ = in_suite(head.error(), name_, number);
    return true;
  }
  if (!head->has_value()) return false;
  close();
  head_ = *std::move(head);
  note(number, head_->words());
  return true;
}

bool SuiteReader::take_row_of_table(TextSpan line, int number, std::vector<std::string> tags) {
  const std::string_view mark =
      head_->separator == ' ' ? "  " : std::string_view(&head_->separator, 1);
  if (line.text.find(mark) == std::string_view::npos) return false;
  const Result<LineFields> split = split_line(line, head_->separator);
  if (!split) return refuse(number, split.error()), true;
  std::vector<TextSpan> fields = split->fields;
  const int end = line.column + static_cast<int>(line.text.size());
  if (fields.size() > head_->columns.size()) {
    const TextSpan& first = fields[head_->columns.size()];
    return refuse(number, {ErrorCode::kInvalidInput, "field", first.column,
                           fmt::format("{} is beyond the {} columns", quote(first.text),
                                       head_->columns.size())}),
           true;
  }
  const auto is_ruler = [](const TextSpan& field) {
    return !field.text.empty() && field.text.find_first_not_of("-: ") == std::string_view::npos;
  };
  if (head_->separator == '|' && std::ranges::all_of(fields, is_ruler)) return true;
  fields.resize(head_->columns.size(), TextSpan{{}, end});
  RowGatherer row(table_name(head_->separator), number);
  row.words(head_->words());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (auto error = row.take(fields[i], head_->columns[i]))
      return refuse(number, *std::move(error)), true;
  }
  add(end, std::move(row), std::move(tags));
  return true;
}

/// Whether `text` is what names the position below: `id X`, `name: X`.
bool is_title(std::string_view text) {
  const std::string word = to_lower(text.substr(0, text.find_first_of(" \t:=")));
  return word == "id" || word == "name" || word == "title" || word == "description";
}

void SuiteReader::take_fields(const LineFields& split, TextSpan line, int number,
                              std::vector<std::string> tags) {
  const int end = line.column + static_cast<int>(line.text.size());
  const TextSpan& first = split.fields.front();
  const bool is_epd = split.separator == ';';
  RowGatherer row(is_epd || split.separator == 0 ? "" : table_name(split.separator), number);
  std::optional<Error> error;
  if (is_epd) {
    // A position comes first, but for lines that add counts to the one above.
    const bool adds =
        open_ && !has_ranks(first.text) && first.text.find_first_of("0123456789") <= 1;
    error = adds ? row.take_operation(first) : row.take_position(first);
    for (std::size_t i = 1; i < split.fields.size() && !error; ++i)
      error = row.take_operation(split.fields[i]);
  } else {
    for (std::size_t i = 0; i < split.fields.size() && !error; ++i)
      error = row.take(
          SuiteValue::scalar(std::string(split.fields[i].text), number, split.fields[i].column));
  }
  if (error) {
    close();
    return refuse(number, *std::move(error));
  }
  const bool is_line = split.separator == 0;
  if (!row.has_position() && !row.has_counts() && is_line) {
    close();
    if (is_title(first.text)) return;
    return refuse(number, {ErrorCode::kInvalidInput, "line", first.column,
                           quote(first.text) + " is neither a position nor counts"});
  }
  if (!row.has_position() && (is_line || open_)) {
    if (!open_) {
      return refuse(number, {ErrorCode::kInvalidInput, "line", first.column,
                             quote(first.text) + " stands below no position"});
    }
    if (auto trouble = open_->row.take_counts_of(row)) {
      refuse(number, *std::move(trouble));
    }
    return;
  }
  close();
  if (row.has_counts() || !is_line) return add(end, std::move(row), std::move(tags));
  open_ = OpenRow{std::move(row), std::move(tags), end};
}

/// No further counts of the open row follow.
void SuiteReader::close() {
  if (!open_) return;
  OpenRow row = *std::move(open_);
  open_.reset();
  add(row.end, std::move(row.row), std::move(row.tags));
}

// ---------------------------------------------------------------- all rows

void SuiteReader::refuse(int number, Error error) {
  error.column = std::max(error.column, 1);
  refused_.add({number, std::move(error)});
}

void SuiteReader::add(int end, RowGatherer&& gathered, std::vector<std::string> tags) {
  const int number = gathered.line();
  Result<SuiteRow> row = std::move(gathered).row(end);
  if (!row) return refuse(number, row.error());
  rows_.push_back(std::move(row).value());
  if (!tags.empty()) rows_.back().tags = std::move(tags);
}

void SuiteReader::note(int line, const std::string& words) {
  constexpr std::size_t kMostNotes = 10;
  if (notes_.size() < kMostNotes && told_.insert(words).second) notes_.emplace_back(line, words);
}

/// What rows say that say it together.
std::optional<Error> SuiteReader::judge() {
  std::vector<const SuiteRow*> bare;
  std::vector<const SuiteRow*> from_zero;
  for (const SuiteRow& row : rows_) {
    if (!row.bare.empty()) bare.push_back(&row);
    if (std::ranges::count(row.told, Depth(0), &ToldCount::depth) > 0) from_zero.push_back(&row);
  }
  const RowReading* reading = nullptr;
  if (!bare.empty()) {
    const auto found = reading_of(bare);
    if (const auto* undecided = std::get_if<Undecided>(&found))
      return in_suite(undecided->error, name_, bare[undecided->row]->line);
    reading = std::get<const RowReading*>(found);
  }
  const bool shifted = !from_zero.empty() && begins_at_zero(from_zero);
  std::erase_if(rows_, [&](SuiteRow& row) {
    if (!row.bare.empty()) {
      auto told = reading->read(row.bare);
      if (!told) {
        refuse(row.line, {ErrorCode::kInvalidInput, "count", row.bare.front().column,
                          fmt::format("expected {}, as in other rows", reading->words)});
        return true;
      }
      row.told = *std::move(told);
      row.words += fmt::format(", {}", reading->words);
    }
    if (shifted && std::ranges::count(row.told, Depth(0), &ToldCount::depth) > 0) {
      for (ToldCount& count : row.told) {
        const Result<Depth> deeper = Depth::parse(std::to_string(count.depth.plies() + 1));
        if (!deeper) {
          refuse(row.line, {ErrorCode::kInvalidInput, "depth", count.column, "too deep"});
          return true;
        }
        count.depth = *deeper;
      }
      row.words += (row.words.empty() ? "EPD" : "") +
                   std::string("; depths begin at 0: its depth 0 is our depth 1");
    }
    if (!row.unread.empty() && !row.words.empty()) row.words += "; not read: " + row.unread;
    if (!row.words.empty()) note(row.line, row.words);
    return false;
  });
  return std::nullopt;
}

Result<Suite> SuiteReader::read(std::string_view bytes) && {
  const std::string text = decoded_suite(bytes);
  if (!take_json(text) && !take_yaml(text) && !take_code(text)) take_lines(text, 1, 1);
  if (!failure_) failure_ = judge();
  if (failure_) return *std::move(failure_);
  std::ranges::stable_sort(refused_.told, {}, &RefusedLine::number);
  std::ranges::stable_sort(notes_, {}, &std::pair<int, std::string>::first);
  if (rows_.empty() && refused_.any()) {
    Error error = refused_.told.front().error;
    if (error.field == "line") error.message += fmt::format("; read are {}", kSuiteForms);
    return in_suite(std::move(error), name_, refused_.told.front().number);
  }
  if (rows_.empty())
    return in_suite({ErrorCode::kInvalidInput, "", 0, "no positions in it"}, name_, 0);
  Suite suite{name_, {}, std::move(refused_), {}};
  for (const auto& [line, words] : notes_)
    suite.read_as.push_back(fmt::format("line {} read as {}", line, words));
  for (SuiteRow& row : rows_) {
    SuiteLine line{row.line, {row.root, std::move(row.fen), {}}, std::move(row.tags)};
    for (const ToldCount& count : row.told)
      line.record.counts.push_back({count.depth, count.nodes});
    suite.lines.push_back(std::move(line));
  }
  return suite;
}

}  // namespace

Error in_suite(Error error, const std::string& name, int line) {
  const std::string place = line > 0 ? fmt::format("{}:{}", name, line) : name;
  error.field = error.field.empty() ? place : place + ": " + error.field;
  return error;
}

Result<Suite> read_suite_text(const std::string& name, std::string_view text) {
  return SuiteReader(name).read(text);
}

}  // namespace manyply
