#include "tools/text/suite.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/position_text.h"
#include "tools/text/line_tokens.h"
#include "tools/text/number_text.h"
#include "tools/text/suite_reader.h"

namespace manyply {

// Reads suites in lines: EPD, tables, and positions that are each followed by lines with counts.

namespace {

/// Returns whether the field belongs to a Markdown ruler such as `|---|:--|`.
bool is_ruler(const TextSpan& field) {
  return !field.text.empty() && field.text.find_first_not_of("-: ") == std::string_view::npos;
}

/// Returns the name in `id kiwipete` or `name: kiwipete`. The name belongs to the position below
/// this line.
std::optional<std::string_view> title_in(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(" \t:="), text.size());
  if (column_named(text.substr(0, end)).kind != Column::Kind::kName) return std::nullopt;
  const std::size_t begin = std::min(text.find_first_not_of(" \t:=", end), text.size());
  return text.substr(begin);
}

/// A position within a line of a log or a script, with its depth and count.
struct FoundRow {
  TextSpan position;
  TextSpan depth;
  TextSpan nodes;
};

bool is_whole_number(std::string_view text) { return parse_grouped(text).ok(); }

/// Finds a row such as `fen=FEN depth=3 nodes=8902`, `perft "fen FEN" 3 97862`, or `perft startpos
/// 4 197281`. Any words may precede the row. Returns nullopt in three cases: the line has no such
/// row; the line begins with the position; or three numbers without names follow the position.
std::optional<FoundRow> found_row(const TextSpan& line) {
  FoundRow row;
  std::string_view rest = line.text;
  if (const auto fen = find_fen(line.text)) {
    row.position = line.from(fen->begin, fen->end - fen->begin);
    rest = line.text.substr(fen->end);
    if (line.text.find_first_not_of(kSpace) == fen->begin) return std::nullopt;
  } else {
    const std::vector<TextSpan> words = words_in(line);
    const auto name = std::ranges::find(words, "startpos", &TextSpan::text);
    if (name == words.end() || name == words.begin()) return std::nullopt;
    row.position = *name;
    rest = line.text.substr(static_cast<std::size_t>(name->column - line.column) + 8);
  }
  for (const TextSpan& word : words_in(line, " \t,;")) {
    const std::size_t mark = word.text.find_first_of("=:");
    if (mark == std::string_view::npos || !is_whole_number(word.text.substr(mark + 1))) continue;
    const Column::Kind kind = column_named(word.text.substr(0, mark)).kind;
    if (kind == Column::Kind::kDepth) row.depth = word.from(mark + 1);
    if (kind == Column::Kind::kNodes) row.nodes = word.from(mark + 1);
  }
  if (!row.depth.text.empty() && !row.nodes.text.empty()) return row;
  const auto begin = static_cast<std::size_t>(rest.data() - line.text.data());
  const std::size_t behind_quote = rest.find_first_not_of("\"'`");
  if (behind_quote == std::string_view::npos) return std::nullopt;
  const std::vector<TextSpan> words = words_in(line.from(begin + behind_quote));
  if (words.size() < 2 || !Depth::parse(words[0].text) || !is_whole_number(words[1].text) ||
      (words.size() > 2 && is_whole_number(words[2].text)))
    return std::nullopt;
  row.depth = words[0];
  row.nodes = words[1];
  return row;
}

/// Returns whether the line separates the rows of a drawn table, or begins or ends a MediaWiki
/// table.
bool is_rule(std::string_view line) {
  return line.starts_with("{|") || line.starts_with("|}") ||
         (line.size() > 1 && line.find_first_not_of("+-=|: ") == std::string_view::npos &&
          line.find_first_of("-=") != std::string_view::npos);
}

/// Returns whether the line is a statistic that programs print with a count: "Captures 34", "Time:
/// 0.4 s".
bool is_statistic(std::string_view line) {
  constexpr std::string_view kNames =
      " captures ep enpassant castles castlings promotions checks checkmates mates stalemates "
      "discoverychecks discoveredchecks doublechecks time nps seconds ";
  const std::size_t number = line.find_first_of("0123456789");
  return number != std::string_view::npos &&
         is_among(squeezed_name(line.substr(0, number)), kNames);
}

/// Returns the line without a verdict at its end, such as ": passed in 0.4s".
TextSpan without_verdict(const TextSpan& line) {
  for (const std::string_view verdict : {": passed", ": ok", ": failed", ": correct"}) {
    if (const std::size_t at = line.text.find(verdict); at != std::string_view::npos)
      return line.from(0, at);
  }
  return line;
}

}  // namespace

bool SuiteReader::begins_as_log(std::string_view text) {
  return found_row(TextSpan{text.substr(0, text.find('\n'))}).has_value();
}

/// Takes a position that stands among other words, with its depth and count. Returns false if the
/// line has no such position.
bool SuiteReader::take_found_row(TextSpan line, int number) {
  const std::optional<FoundRow> found = found_row(line);
  if (!found) return false;
  close();
  RowGatherer row("lines of a log", number);
  for (const auto& [text, kind] : {std::pair(found->position, Column::Kind::kFen),
                                   {found->depth, Column::Kind::kDepth},
                                   {found->nodes, Column::Kind::kNodes}}) {
    if (auto error = row.take(text, {kind, {}, {}})) return refuse(number, *std::move(error)), true;
  }
  add(line.column + static_cast<int>(line.text.size()), std::move(row), {});
  return true;
}

bool SuiteReader::defines_tag(std::string_view line) {
  constexpr std::string_view kMark = "#tag ";
  std::size_t colon = line.find(": ");  // a tag may contain a colon, but no space after it
  if (colon == std::string_view::npos) {
    const std::size_t end = line.find_last_not_of(kSpace);
    if (end < line.size() && line[end] == ':') colon = end;
  }
  if (!line.starts_with(kMark) || colon == std::string_view::npos) return false;
  line = line.substr(kMark.size(), colon - kMark.size());
  if (line.size() < 3 || line[1] != ' ') return false;
  tags_[line[0]] = line.substr(2);
  return true;
}

/// Returns the tags in the comment of `line`; none if the comment has another meaning.
std::vector<std::string> SuiteReader::tags_of(std::string_view line) const {
  line.remove_prefix(without_comment(line).size());
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
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
    const std::string_view line = cut_line(text);
    if (failure_) return;
    take_line({line, column}, number);
  }
  close();
}

void SuiteReader::take_line(TextSpan line, int number) {
  if (defines_tag(line.text)) return;
  const TextSpan bare = line.trimmed();
  if (bare.text.starts_with("{|")) in_wiki_table_ = true;
  if (bare.text.starts_with("|}")) in_wiki_table_ = false;
  if (is_rule(bare.text)) return;
  std::string plain;
  if (in_wiki_table_) {  // "! Depth !! Nodes" and "| 1 || 20"
    plain = bare.text;
    if (plain.starts_with('!')) plain[0] = '|';
    for (const std::string_view twice : {"!!", "||"}) {
      for (std::size_t at = 0; (at = plain.find(twice, at)) != std::string::npos;)
        plain.replace(at, 2, "|");
    }
    line = TextSpan{plain, bare.column};
  }
  if (open_) line = without_verdict(line);
  std::vector<std::string> tags = tags_.empty() ? std::vector<std::string>() : tags_of(line.text);
  line = TextSpan{without_comment(line.text), line.column};
  if (line.trimmed().text.empty() || take_head(line, number)) return;
  if (open_ && take_counts_below(line, number)) return;
  if (head_ && take_row_of_table(line, number, tags)) return;
  if (open_ && !has_ranks(line.text)) {  // "depth 2: 1,486" is no table
    const TextSpan text = line.trimmed();
    RowGatherer below("", number);
    if (!below.take(SuiteValue::of(text, number)) && below.has_counts() && !below.has_position())
      return take_fields({0, {text}}, line, number, std::move(tags));
  }
  if (take_found_row(line, number)) return;
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

/// Takes the heading or a row of a table that lists the counts of one position. This position is in
/// `open_`, and the table stands below it. Returns false for any other line.
bool SuiteReader::take_counts_below(TextSpan line, int number) {
  if (has_ranks(line.text)) return false;
  if (auto head = parse_counts_head(line)) {
    counts_head_ = std::move(head);
    return true;
  }
  if (!counts_head_) return false;
  const Result<LineFields> split = split_line(line, counts_head_->separator);
  if (!split || split->fields.size() != counts_head_->columns.size()) return false;
  if (std::ranges::all_of(split->fields, is_ruler)) return true;
  RowGatherer below(table_name(counts_head_->separator), number);
  for (std::size_t i = 0; i < split->fields.size(); ++i) {
    if (auto error = below.take(split->fields[i], counts_head_->columns[i]))
      return refuse(number, *std::move(error)), true;
  }
  if (auto error = open_->row.take_counts_of(below)) refuse(number, *std::move(error));
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
                           fmt::format("{} is beyond the {} columns of the table",
                                       quote(first.text), head_->columns.size())}),
           true;
  }
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

void SuiteReader::take_fields(const LineFields& split, TextSpan line, int number,
                              std::vector<std::string> tags) {
  const int end = line.column + static_cast<int>(line.text.size());
  const TextSpan& first = split.fields.front();
  const bool is_epd = split.separator == ';';
  if (is_epd && split.fields.size() > 1 && !names_position(first.text) && !open_ &&
      line.text.find_first_of("0123456789/") == std::string_view::npos)
    return refuse(number,
                  {ErrorCode::kInvalidInput, "head", first.column,
                   "none of the columns " + quote(line.trimmed().text) +
                       " has a supported name; expected names such as fen, depth, nodes or D1"});
  RowGatherer row(is_epd || split.separator == 0 ? "" : table_name(split.separator), number);
  std::optional<Error> error;
  if (is_epd) {
    // The first field is a position, except in lines that add counts to the position above.
    const bool adds =
        open_ && !has_ranks(first.text) && first.text.find_first_of("0123456789") <= 1;
    error = adds ? row.take_operation(first) : row.take_position(first);
    for (std::size_t i = 1; i < split.fields.size() && !error; ++i)
      error = row.take_operation(split.fields[i]);
  } else {
    for (std::size_t i = 0; i < split.fields.size() && !error; ++i)
      error = row.take(SuiteValue::of(split.fields[i], number));
  }
  if (error) {
    close();
    return refuse(number, *std::move(error));
  }
  const bool is_line = split.separator == 0;
  if (open_ && is_line && is_statistic(first.text)) return;
  if (!row.has_position() && !row.has_counts() && is_line) {
    close();
    const auto title = title_in(first.text);
    if (!title)
      return refuse(number, {ErrorCode::kInvalidInput, "line", first.column,
                             quote(first.text) + " is neither a position nor counts"});
    title_ = *title;
    return;
  }
  if (!row.has_position() && (is_line || open_)) {
    if (!open_) {
      return refuse(number, {ErrorCode::kInvalidInput, "line", first.column,
                             quote(first.text) + " has no position above it"});
    }
    if (auto trouble = open_->row.take_counts_of(row)) refuse(number, *std::move(trouble));
    return;
  }
  // If the line above a FEN is a name such as "Kiwipete", it is the name of this position.
  if (open_ && !open_->row.has_counts() && open_->row.is_name() && !row.is_name()) {
    title_ = open_->row.position();
    open_.reset();
  }
  close();
  row.call(std::exchange(title_, {}));
  if (row.has_counts() || !is_line) return add(end, std::move(row), std::move(tags));
  open_ = OpenRow{std::move(row), std::move(tags), end};
}

/// Adds the open row, if there is one, to the suite.
void SuiteReader::close() {
  if (!open_) return;
  OpenRow row = *std::move(open_);
  open_.reset();
  counts_head_.reset();
  add(row.end, std::move(row.row), std::move(row.tags));
}

// Collects the rows. Then decides what the unnamed numbers mean, and whether depths begin at 0.

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

/// Decides the meaning of unnamed numbers, and whether depths begin at 0. These decisions depend on
/// all rows together.
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
          refuse(row.line,
                 {ErrorCode::kInvalidInput, "depth", count.column, "is above the maximum depth"});
          return true;
        }
        count.depth = *deeper;
      }
      row.words += (row.words.empty() ? "EPD" : "") +
                   std::string("; its depths start at 0; depth 0 there is depth 1 here");
    }
    if (!row.unread.empty() && !row.words.empty()) row.words += "; not read: " + row.unread;
    if (!row.words.empty()) note(row.line, row.words);
    return false;
  });
  return std::nullopt;
}

namespace {

/// Returns the placement and side to move of the FEN at `fen` in `text`.
std::string fen_key(std::string_view text, const FoundFen& fen) {
  const std::string_view key = text.substr(fen.begin, fen.side_end - fen.begin);
  return std::string(key.substr(0, key.find_first_of(" \t"))) + key.back();
}

/// Returns whether a comment begins before `at` in the same line.
bool is_in_comment(std::string_view text, std::size_t at) {
  const std::size_t begin = text.rfind('\n', at) + 1;
  const std::string_view before = text.substr(begin, at - begin);
  const std::size_t first = std::min(before.find_first_not_of(kSpace), before.size());
  if (before.find('#') != std::string_view::npos || before.find("//") != std::string_view::npos)
    return true;
  for (const std::string_view mark : {"--", "*", "/*", "<!--", "%", ";"}) {
    if (before.substr(first).starts_with(mark)) return true;
  }
  return false;
}

}  // namespace

/// Adds to `suite.read_as` the FENs of `text` that were neither read as rows nor refused. Leaves
/// out FENs in comments. Adds nothing if more lines were refused than RefusedLines stores.
void SuiteReader::name_unread(std::string_view text, Suite& suite) const {
  constexpr std::size_t kMostNamed = 10;
  std::set<std::string> known;
  const auto know = [&](std::string_view fen) {
    if (const auto found = find_fen(fen)) known.insert(fen_key(fen, *found));
  };
  for (const SuiteRow& row : rows_) {
    know(row.fen);
    know(to_fen(row.root.position));
  }
  std::set<int> refused;
  for (const RefusedLine& line : refused_.told) refused.insert(line.number);
  if (refused_.untold() > 0) return;
  std::size_t count = 0;
  SuitePlace place;
  for (auto fen = find_fen(text); fen; fen = find_fen(text, fen->end)) {
    place.move_to(text, fen->begin);
    if (!refused.contains(place.line) && !is_in_comment(text, fen->begin) &&
        known.insert(fen_key(text, *fen)).second && ++count <= kMostNamed)
      suite.read_as.push_back(fmt::format("line {} not read: {}", place.line,
                                          quote(text.substr(fen->begin, fen->end - fen->begin))));
  }
  if (count > kMostNamed)
    suite.read_as.push_back(fmt::format("{} more positions not read", count - kMostNamed));
}

/// Returns whether the first line with content begins with a FEN, is a table heading, or is a log
/// line. In these cases the text is not source code, even if brackets and quotes follow.
bool SuiteReader::begins_as_lines(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = cut_line(text);
    const TextSpan said = TextSpan{without_comment(line)}.trimmed();
    if (said.text.empty()) continue;
    if (begins_as_log(line)) return true;
    const std::string_view word = said.text.substr(0, said.text.find_first_of(" \t;,|"));
    const Result<std::optional<TableHead>> head = parse_head(said);
    if (head && head->has_value()) return true;
    return has_ranks(word) && word.find_first_not_of("pnbrqkPNBRQK12345678/") == word.npos;
  }
  return false;
}

Result<Suite> SuiteReader::read(std::string_view bytes) && {
  const std::string text = decoded_suite(bytes);
  const bool is_lines = begins_as_lines(text);
  if (is_lines || (!take_toml(text) && !take_json(text) && !take_yaml(text) && !take_html(text) &&
                   !take_code(text)))
    take_lines(text, 1, 1);
  if (!failure_) failure_ = judge();
  if (failure_) return *std::move(failure_);
  std::ranges::stable_sort(refused_.told, {}, &RefusedLine::number);
  std::ranges::stable_sort(notes_, {}, &std::pair<int, std::string>::first);
  if (rows_.empty() && refused_.any()) {
    Error error = refused_.told.front().error;
    if (error.field == "line") error.message += fmt::format("; supported are {}", kSuiteForms);
    return in_suite(std::move(error), name_, refused_.told.front().number);
  }
  if (rows_.empty())
    return in_suite({ErrorCode::kInvalidInput, "", 0, "contains no positions"}, name_, 0);
  Suite suite{name_, {}, std::move(refused_), {}};
  for (const auto& [line, words] : notes_)
    suite.read_as.push_back(fmt::format("line {} read as {}", line, words));
  std::string unescaped = text;
  for (std::size_t at = 0; (at = unescaped.find("\\/", at)) != std::string::npos;)
    unescaped.erase(at, 1);
  name_unread(unescaped, suite);
  for (SuiteRow& row : rows_) {
    SuiteLine line{
        row.line, {row.root, std::move(row.fen), {}}, std::move(row.tags), std::move(row.name)};
    for (const ToldCount& count : row.told)
      line.record.counts.push_back({count.depth, count.nodes});
    suite.lines.push_back(std::move(line));
  }
  return suite;
}

std::size_t RefusedLines::impossible() const {
  std::size_t all = 0;
  for (const auto& [field, lines] : illegal) all += lines;
  return all;
}

Error in_suite(Error error, const std::string& name, int line) {
  const std::string place = line > 0 ? fmt::format("{}:{}", name, line) : name;
  error.field = error.field.empty() ? place : place + ": " + error.field;
  return error;
}

Result<Suite> read_suite_text(const std::string& name, std::string_view text) {
  return SuiteReader(name).read(text);
}

}  // namespace manyply
