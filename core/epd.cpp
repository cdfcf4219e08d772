#include "core/epd.h"

#include <algorithm>

#include "core/base/quote.h"
#include "core/base/text_span.h"

namespace manyply {
namespace {

/// Parses a count such as `D3 8902`.
Result<EpdCount> parse_count(TextSpan part) {
  if (to_lower(part.text.front()) != 'd') {
    const std::string_view found = part.text.substr(0, part.text.find_first_of(kSpace));
    return Error{ErrorCode::kInvalidInput, "depth", part.column,
                 "expected a count such as 'D3 8902', found " + quote(found)};
  }
  const std::size_t gap = std::min(part.text.find_first_of(kSpace), part.text.size());
  const TextSpan digits = part.from(1, gap - 1);
  const TextSpan value = part.from(gap).trimmed();
  const Result<Depth> depth = Depth::parse(digits.text);
  if (!depth) return digits.located(depth.error());
  if (value.text.empty()) {
    return Error{ErrorCode::kInvalidInput, "count", value.column,
                 "no count after " + quote(part.text)};
  }
  const Result<NodeCount> nodes = NodeCount::parse(value.text);
  if (!nodes) return value.located(nodes.error());
  return EpdCount{*depth, *nodes};
}

}  // namespace

Result<std::optional<EpdRecord>> parse_epd_line(std::string_view line) {
  TextSpan rest{line.substr(0, line.find('#'))};
  if (rest.trimmed().text.empty()) return std::optional<EpdRecord>();

  const TextSpan fen = rest.cut(';');
  Result<NamedPosition> root = parse_position(fen.text);
  if (!root) return fen.located(root.error());

  EpdRecord record{*root, std::string(fen.text), {}};
  while (!rest.text.empty()) {
    const TextSpan part = rest.cut(';');
    if (part.text.empty()) continue;
    const Result<EpdCount> count = parse_count(part);
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
                 "no count given; expected a count such as ' ;D1 20' after the FEN"};
  }
  return std::optional<EpdRecord>(std::move(record));
}

}  // namespace manyply
