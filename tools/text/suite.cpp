#include "tools/text/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/position_text.h"
#include "tools/text/suite_reader.h"
#include "tools/text/suite_row.h"

namespace manyply {

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
