#include "tools/text/depth_table.h"

#include <algorithm>

#include "tools/text/printed_number.h"

namespace manyply {
namespace {

using Tokens = std::vector<Token>;
using Kind = Token::Kind;

/// Returns the index, among the numbers after the depth, of the column that a heading such as
/// `Depth  Nodes  Time (s)` calls the count. Returns nullopt if the line is no such heading.
std::optional<std::size_t> column_of_counts(std::string_view line, const Tokens& tokens) {
  std::optional<std::size_t> depth;
  std::optional<std::size_t> count;
  std::size_t column = 0;
  int open = 0;
  bool field_has_word = false;
  const bool has_fields = line.find('|') != std::string_view::npos;
  for (const Token& token : tokens) {
    if (token.is(Kind::kNumber) || token.is(Kind::kMove)) return std::nullopt;
    if (token.is_mark('(') || token.is_mark('[')) ++open;
    if (token.is_mark(')') || token.is_mark(']')) --open;
    if (has_fields && token.is_mark('|')) {
      column += field_has_word ? 1 : 0;
      field_has_word = false;
    }
    if (!token.is(Kind::kWord) || open > 0) continue;
    if (token.is_word(kDepthWords) || token.is_word(" d ")) {
      if (!depth) depth = column;
    } else if (token.is_word(kCountWords) && !count) {
      count = column;
    }
    field_has_word = true;
    column += has_fields ? 0 : 1;
  }
  if (depth != 0U || !count || *count == 0) return std::nullopt;
  return *count - 1;
}

/// Returns the numbers of a line that has no move, and words only after its second number. Returns
/// an empty list for any other line.
std::vector<const Token*> numbers_of(const Tokens& tokens) {
  std::vector<const Token*> numbers;
  for (const Token& token : tokens) {
    if (token.is(Kind::kMove)) return {};
    if (token.is(Kind::kWord) && numbers.size() < 2) return {};
    if (token.is(Kind::kNumber)) numbers.push_back(&token);
  }
  return numbers;
}

}  // namespace

void DepthTable::take(std::string_view line, const Tokens& tokens, std::size_t at) {
  if (const auto column = column_of_counts(line, tokens)) {
    column_ = column;
    rows_.clear();
    return;
  }
  const std::vector<const Token*> numbers = numbers_of(tokens);
  if (numbers.size() < 2 || !numbers.front()->number) return;
  const NodeCount depth = *numbers.front()->number;
  const bool goes_on =
      !rows_.empty() && depth == NodeCount(static_cast<std::uint64_t>(first_) + rows_.size());
  if (!goes_on) {
    rows_.clear();
    if (depth > NodeCount(1)) return;
    first_ = depth == NodeCount(0) ? 0 : 1;
  }
  Row row{std::string(line), at, {}, column_};
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const bool counts = numbers[i]->number && !numbers[i]->measure;
    row.numbers.push_back(counts ? numbers[i]->number : std::nullopt);
  }
  if (row.column && *row.column >= row.numbers.size()) row.column.reset();
  rows_.push_back(std::move(row));
}

std::optional<DepthTable::Row> DepthTable::row_of(Depth depth) const {
  const int place = depth.plies() - first_;
  if (place < 0 || static_cast<std::size_t>(place) >= rows_.size()) return std::nullopt;
  const Row& row = rows_[static_cast<std::size_t>(place)];
  const bool has_count =
      row.column ? row.numbers[*row.column].has_value() : row.numbers.front().has_value();
  return has_count ? std::optional(row) : std::nullopt;
}

bool DepthTable::has_line(std::size_t at) const {
  return std::ranges::count(rows_, at, &Row::at) != 0;
}

}  // namespace manyply
