#include "tools/text/printed_number.h"

namespace manyply {
namespace {

using Tokens = std::vector<Token>;
using Kind = Token::Kind;

/// Units of a depth, after the number.
constexpr std::string_view kDepthUnits = " ply plies halfmove halfmoves ";

bool assigns(const Token& token) { return token.is_mark('=') || token.is_mark(':'); }

/// Returns whether a word for depths precedes the number directly: "perft(3)", "perft 3", "depth:
/// 3". A word that is the unit of the number before it does not count.
bool has_depth_name(const Tokens& tokens, std::size_t at) {
  std::size_t name = at;
  bool assigned = false;
  while (name > 0 && (assigns(tokens[name - 1]) || tokens[name - 1].is_mark('(') ||
                      tokens[name - 1].is_mark('['))) {
    assigned = assigned || assigns(tokens[name - 1]);
    --name;
  }
  if (name == 0) return false;
  --name;
  if (tokens[name].is_word(" perft ")) return !assigned;
  if (!tokens[name].is_word(kDepthWords)) return false;
  const bool is_unit = name > 0 && tokens[name - 1].is(Kind::kNumber) &&
                       deepness_of(tokens, name - 1) != Deepness::kNo;
  return !is_unit;
}

/// Returns whether the number is an argument: the 3 in "nodes(3) = 8902".
bool is_argument(const Tokens& tokens, std::size_t at) {
  if (at < 2 || at + 2 >= tokens.size() || !tokens[at - 2].is_word(kCountWords)) return false;
  const bool round = tokens[at - 1].is_mark('(') && tokens[at + 1].is_mark(')');
  const bool square = tokens[at - 1].is_mark('[') && tokens[at + 1].is_mark(']');
  return (round || square) && assigns(tokens[at + 2]);
}

}  // namespace

bool is_per_second(const Tokens& tokens, std::size_t behind) {
  return behind < tokens.size() && (tokens[behind].is_mark('/') || tokens[behind].is_word(" per "));
}

bool has_unit(const Tokens& tokens, std::size_t at, std::string_view units) {
  std::size_t unit = at + 1;
  if (unit >= tokens.size() || !tokens[unit].is_word(units)) return false;
  while (unit + 1 < tokens.size() && tokens[unit + 1].is_word(kCountWords)) ++unit;
  if (is_per_second(tokens, unit + 1)) return false;
  const bool assigned = unit + 1 < tokens.size() && assigns(tokens[unit + 1]);
  const std::size_t next = unit + (assigned ? 2 : 1);
  const bool followed =
      next < tokens.size() && tokens[next].is(Kind::kNumber) && !tokens[next].measure;
  const bool has_name = at > 0 && tokens[at - 1].is_word(kOtherCounts);
  return !followed || !(assigned || has_name);
}

Deepness deepness_of(const Tokens& tokens, std::size_t at) {
  if (at >= tokens.size() || !tokens[at].is(Kind::kNumber) || !tokens[at].number)
    return Deepness::kNo;
  if (has_depth_name(tokens, at) || is_argument(tokens, at)) return Deepness::kYes;
  if (at + 1 >= tokens.size() || !tokens[at + 1].is_word(kDepthUnits)) return Deepness::kNo;
  // In "nodes: 20 ply: 2" the 20 has a name already.
  if (at > 0 && assigns(tokens[at - 1])) return Deepness::kNo;
  const bool marked = at + 2 < tokens.size() && assigns(tokens[at + 2]);
  const std::size_t next = at + (marked ? 3 : 2);
  const bool followed = next < tokens.size() && tokens[next].is(Kind::kNumber);
  const bool named = at > 0 && tokens[at - 1].is_word(kCountWords);
  if (followed && named && !marked && tokens[at + 1].is_word(" ply ")) return Deepness::kNo;
  if (followed && (named || !marked)) return Deepness::kMaybe;
  return named ? Deepness::kNo : Deepness::kYes;
}

std::optional<NodeCount> depth_told(const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (deepness_of(tokens, i) == Deepness::kYes) return tokens[i].number;
  }
  return std::nullopt;
}

std::optional<NodeCount> grouped(const Tokens& tokens, std::size_t at) {
  constexpr std::size_t kGroup = 3;
  std::string digits(tokens[at].text);
  const std::size_t point = digits.find('.');
  if (point != std::string::npos) {
    const bool one_group = point > 0 && point <= kGroup && digits.size() == point + 1 + kGroup &&
                           digits[0] >= '1' && digits[0] <= '9';
    if (!one_group) return std::nullopt;
    digits.erase(point, 1);
  }
  if (point == std::string::npos && digits.size() > kGroup) return std::nullopt;
  for (std::size_t next = at + 1; point == std::string::npos && next < tokens.size(); ++next) {
    const std::string_view text = tokens[next].text;
    const bool follows = tokens[next].is(Kind::kNumber) && text.size() == kGroup &&
                         tokens[next - 1].text.end() + 1 == text.begin();
    if (!follows) break;
    digits += text;
  }
  const Result<NodeCount> number = NodeCount::parse(digits);
  const bool has_groups = digits != tokens[at].text;
  return has_groups && number ? std::optional(*number) : std::nullopt;
}

std::string why_no_count(const Token& number) {
  constexpr std::size_t kMostDigits = 24;
  std::string text(number.text.substr(0, kMostDigits));
  if (number.text.size() > kMostDigits) text += "...";
  return text + ' ' + std::string(number.fault);
}

}  // namespace manyply
