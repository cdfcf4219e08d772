#include "core/epd.h"

#include <algorithm>

#include "core/ascii.h"
#include "core/quote.h"

namespace manyply {
namespace {

/// Part of a line that remembers where it stands in it.
struct Span {
  std::string_view text;
  int column = 1;  ///< of the first character, from 1

  [[nodiscard]] Span from(std::size_t begin, std::size_t length = std::string_view::npos) const {
    return {text.substr(begin, length), column + static_cast<int>(begin)};
  }
  [[nodiscard]] Span trimmed() const {
    const std::size_t begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return from(text.size());
    return from(begin, text.find_last_not_of(kSpace) + 1 - begin);
  }
};

/// Cuts `rest` at its first `mark`: returns what stands before, leaves what stands after.
Span next_part(Span& rest, char mark) {
  const std::size_t end = std::min(rest.text.find(mark), rest.text.size());
  const Span part = rest.from(0, end).trimmed();
  rest = rest.from(std::min(end + 1, rest.text.size()));
  return part;
}

/// Errors of the parts count columns from the part; the reader wants them from the line.
Error in_line(Error error, Span part) {
  error.column = part.column + std::max(error.column, 1) - 1;
  return error;
}

/// `8902`
Result<EpdCount> parse_count_of(Depth depth, Span value) {
  const Result<NodeCount> nodes = NodeCount::parse(value.text);
  if (!nodes) return in_line(nodes.error(), value);
  return EpdCount{depth, *nodes};
}

/// `D3 8902`
Result<EpdCount> parse_count(Span part) {
  if (to_lower(part.text.front()) != 'd') {
    const std::string_view found = part.text.substr(0, part.text.find_first_of(kSpace));
    return Error{ErrorCode::kInvalidInput, "depth", part.column,
                 "expected a count such as 'D3 8902', found " + quote(found)};
  }
  const std::size_t gap = std::min(part.text.find_first_of(kSpace), part.text.size());
  const Span digits = part.from(1, gap - 1);
  const Span value = part.from(gap).trimmed();
  const Result<Depth> depth = Depth::parse(digits.text);
  if (!depth) return in_line(depth.error(), digits);
  if (value.text.empty()) {
    return Error{ErrorCode::kInvalidInput, "count", value.column,
                 "nothing after " + quote(part.text)};
  }
  return parse_count_of(*depth, value);
}

}  // namespace

Result<std::optional<EpdRecord>> parse_epd_line(std::string_view line) {
  Span rest{line.substr(0, line.find('#'))};
  if (rest.trimmed().text.empty()) return std::optional<EpdRecord>();

  const bool commas = rest.text.find(';') == std::string_view::npos &&
                      rest.text.find(',') != std::string_view::npos;
  const char mark = commas ? ',' : ';';
  const Span fen = next_part(rest, mark);
  Result<NamedPosition> root = parse_position(fen.text);
  if (!root) return in_line(root.error(), fen);

  EpdRecord record{*root, std::string(fen.text), {}};
  while (!rest.text.empty()) {
    const Span part = next_part(rest, mark);
    const bool missing = commas && !rest.text.empty();  // where it stands says which depth it is of
    if (part.text.empty() && !missing) continue;
    const int next_depth = static_cast<int>(record.counts.size()) + 1;
    if (commas && next_depth > Depth::kMax) {
      return Error{ErrorCode::kInvalidInput, "depth", part.column,
                   "more counts than depths: " + std::to_string(Depth::kMax) + " at most"};
    }
    const Result<EpdCount> count =
        commas ? parse_count_of(Depth(next_depth), part) : parse_count(part);
    if (!count) return count.error();
    const auto same_depth = [&](const EpdCount& other) { return other.depth == count->depth; };
    if (std::ranges::any_of(record.counts, same_depth)) {
      return Error{ErrorCode::kInvalidInput, "depth", part.column,
                   "D" + std::to_string(count->depth.plies()) + " is given twice"};
    }
    record.counts.push_back(*count);
  }
  if (record.counts.empty()) {
    return Error{ErrorCode::kInvalidInput, "count", rest.column,
                 "none given; expected ' ;D1 20' or the like after the FEN"};
  }
  return std::optional<EpdRecord>(std::move(record));
}

}  // namespace manyply
