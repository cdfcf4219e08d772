#include "tools/bisect/engine_output.h"

#include <algorithm>
#include <array>

#include "core/ascii.h"

namespace manyply {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_square(std::string_view text) {
  return text.size() >= 2 && text[0] >= 'a' && text[0] <= 'h' && text[1] >= '1' && text[1] <= '8';
}

/// A move at the beginning of `text` (lower case), which is shortened by it: "e2e4", "e2-e4",
/// "e7xf8=q", "e7e8q", "e7e8(q)".
std::optional<std::string> read_move(std::string_view& text) {
  std::string_view rest = text;
  if (!is_square(rest)) return std::nullopt;
  std::string move(rest.substr(0, 2));
  rest.remove_prefix(2);
  if (!rest.empty() && (rest[0] == '-' || rest[0] == 'x')) rest.remove_prefix(1);
  if (!is_square(rest)) return std::nullopt;
  move += rest.substr(0, 2);
  rest.remove_prefix(2);
  const bool marked = rest.size() >= 2 && (rest[0] == '=' || rest[0] == '(' || rest[0] == '/');
  if (marked && is_letter(rest[1])) rest.remove_prefix(1);
  if (!rest.empty() && is_letter(rest[0])) {
    move += rest[0];
    rest.remove_prefix(1);
    if (!rest.empty() && rest[0] == ')') rest.remove_prefix(1);
  }
  if (!rest.empty() && (is_letter(rest[0]) || is_digit(rest[0]))) return std::nullopt;  // a word
  text = rest;
  return move;
}

/// The first number of `text`: digits, possibly in groups of three. Shortens `text` behind it.
std::optional<NodeCount> read_number(std::string_view& text) {
  const auto first = std::ranges::find_if(text, is_digit);
  text.remove_prefix(static_cast<std::size_t>(first - text.begin()));
  std::string digits;
  std::size_t at = 0;
  const auto group_follows = [&] {
    if (at + 3 >= text.size() || std::string_view(",'_").find(text[at]) == std::string_view::npos)
      return false;
    return is_digit(text[at + 1]) && is_digit(text[at + 2]) && is_digit(text[at + 3]) &&
           (at + 4 == text.size() || !is_digit(text[at + 4]));
  };
  while (at < text.size() && (is_digit(text[at]) || group_follows())) {
    if (is_digit(text[at])) digits += text[at];
    ++at;
  }
  const bool fraction = at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1]);
  text.remove_prefix(at);
  if (digits.empty() || fraction) return std::nullopt;
  const Result<NodeCount> number = NodeCount::parse(digits);
  return number ? std::optional(*number) : std::nullopt;
}

/// The move of a row, which stands alone or behind "1.", "(1)", "info string", "move".
std::optional<EngineRow> read_row(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (at != 0 && (is_letter(line[at - 1]) || is_digit(line[at - 1]))) continue;
    std::string_view rest = line.substr(at);
    std::optional<std::string> move = read_move(rest);
    if (!move) continue;
    // What follows is the count, not the rest of a variation or of a sentence.
    const std::size_t skip = rest.find_first_not_of(" \t:=->|,;");
    if (skip == std::string_view::npos || !is_digit(rest[skip])) return std::nullopt;
    rest.remove_prefix(skip);
    if (std::string_view more = rest; read_move(more)) return std::nullopt;
    const std::optional<NodeCount> nodes = read_number(rest);
    if (!nodes) return std::nullopt;
    return EngineRow{*std::move(move), *nodes};
  }
  return std::nullopt;
}

constexpr std::array<std::string_view, 6> kTotalWords{"nodes searched", "total",  "nodes",
                                                      "leaf",           "leaves", "perft"};

/// A number at the beginning: alone, or in "400 nodes", "8902 leaf nodes in 3 ms".
std::optional<NodeCount> read_leading_total(std::string_view line) {
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  if (line.empty() || !is_digit(line.front())) return std::nullopt;
  const std::optional<NodeCount> number = read_number(line);
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  const bool rate = line.starts_with("nodes/s") || line.starts_with("nodes per");
  const bool counted = std::ranges::any_of(
      kTotalWords, [&](std::string_view word) { return line.starts_with(word); });
  return line.empty() || (counted && !rate) ? number : std::nullopt;
}

/// A number behind one of the words.
std::optional<NodeCount> read_named_total(std::string_view line) {
  for (const std::string_view word : kTotalWords) {  // the surest words first
    for (std::size_t at = line.find(word); at != std::string_view::npos;
         at = line.find(word, at + 1)) {
      if (at > 0 && is_letter(line[at - 1])) continue;
      std::string_view behind = line.substr(at + word.size());
      if (behind.starts_with("/s") || behind.starts_with(" per ") || behind.starts_with("ps"))
        continue;
      if (word == "perft") {  // "perft(5) = 4865609": the depth comes first
        const std::size_t sign = behind.find_first_of(":=");
        if (sign == std::string_view::npos) continue;
        behind.remove_prefix(sign);
      }
      const std::string_view between =
          behind.substr(0, std::min(behind.find_first_of("0123456789"), behind.size()));
      if (between.find("time") != std::string_view::npos ||
          between.find("per s") != std::string_view::npos)
        continue;
      if (const std::optional<NodeCount> number = read_number(behind)) return number;
    }
  }
  return std::nullopt;
}

std::optional<NodeCount> read_total(std::string_view line) {
  const std::optional<NodeCount> leading = read_leading_total(line);
  return leading ? leading : read_named_total(line);
}

}  // namespace

std::optional<NodeCount> EngineAnswer::sum() const {
  NodeCount sum;
  try {
    for (const EngineRow& row : rows) sum += row.nodes;
  } catch (const CountOverflow&) {
    return std::nullopt;
  }
  return sum;
}

bool EngineOutputParser::feed(std::string_view text) {
  const std::string line = to_lower(text);
  if (auto row = read_row(line)) {
    answer_.rows.push_back(*std::move(row));
    return true;
  }
  if (const auto total = read_total(line)) {
    // What fits the rows is the total, whatever other sums are printed behind it.
    const bool settled = answer_.total && !answer_.rows.empty() && answer_.total == answer_.sum();
    if (!settled) answer_.total = total;
    return true;
  }
  return false;
}

}  // namespace manyply
