#include "tools/server/divide_diff.h"

#include <algorithm>
#include <map>

namespace manyply {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// The move at the start of `line`: e2e4, e7e8q.
std::optional<std::string> leading_move(std::string_view line) {
  const auto square = [&](std::size_t at) {
    return line[at] >= 'a' && line[at] <= 'h' && line[at + 1] >= '1' && line[at + 1] <= '8';
  };
  if (line.size() < 4 || !square(0) || !square(2)) return std::nullopt;
  const bool promotes =
      line.size() > 4 && std::string_view("qrbnQRBN").find(line[4]) != std::string_view::npos;
  std::string move(line.substr(0, promotes ? 5 : 4));
  if (promotes && move[4] < 'a') move[4] = static_cast<char>(move[4] - 'A' + 'a');
  const std::size_t end = move.size();
  if (end < line.size() && std::isalnum(static_cast<unsigned char>(line[end])) != 0)
    return std::nullopt;
  return move;
}

std::optional<MoveCount> parse_line(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r|*-"), line.size()));
  auto move = leading_move(line);
  if (!move) {  // "12. e2e4 20"
    const std::size_t number = std::min(line.find_first_not_of(kDigits), line.size());
    const std::size_t start = line.find_first_not_of(".): \t", number);
    if (number == 0 || start == std::string_view::npos || start == number) return std::nullopt;
    line.remove_prefix(start);
    move = leading_move(line);
  }
  if (!move) return std::nullopt;
  line.remove_prefix(move->size());
  line.remove_prefix(std::min(line.find_first_of(kDigits), line.size()));
  const auto nodes = NodeCount::parse(line.substr(0, line.find_first_not_of(kDigits)));
  if (!nodes) return std::nullopt;
  return MoveCount{*std::move(move), *nodes};
}

}  // namespace

Result<std::vector<MoveCount>> parse_pasted_divide(std::string_view text) {
  std::vector<MoveCount> rows;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    auto row = parse_line(line);
    if (!row) continue;
    if (std::ranges::find(rows, row->move, &MoveCount::move) != rows.end()) {
      return Error{ErrorCode::kInvalidInput, "divide", 0, "has the move " + row->move + " twice"};
    }
    rows.push_back(*std::move(row));
  }
  if (rows.empty()) {
    return Error{ErrorCode::kInvalidInput, "divide", 0,
                 "has no line like 'e2e4: 600', a move and a count"};
  }
  return rows;
}

std::vector<DiffRow> diff_of(const std::vector<MoveCount>& ours,
                             const std::vector<MoveCount>& theirs) {
  std::map<std::string, DiffRow> rows;
  const auto row = [&](const std::string& move) -> DiffRow& {
    return rows.try_emplace(move, DiffRow{move, {}, {}}).first->second;
  };
  for (const MoveCount& count : ours) row(count.move).ours = count.nodes;
  for (const MoveCount& count : theirs) row(count.move).theirs = count.nodes;
  std::vector<DiffRow> sorted;
  for (auto& [move, difference] : rows) sorted.push_back(std::move(difference));
  return sorted;
}

}  // namespace manyply
