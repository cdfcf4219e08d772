#include "tools/text/joined_lines.h"

#include <algorithm>

#include "tools/text/printed_line.h"
#include "tools/text/printed_number.h"

namespace manyply {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kFewestRows = 4;
constexpr std::size_t kShortest = 6 * kFewestRows;  // "e2e4 1" and a space

/// Indices of the tokens of a row: its first token, and its count.
struct JoinedRow {
  std::size_t first;
  std::size_t count;
};

/// Returns the end of the FEN that a line may begin with. The squares and clocks of a FEN must not
/// be read as rows.
const char* behind_fen(const std::string& line) {
  constexpr std::ptrdiff_t kSlashes = 7;
  constexpr int kFieldsBehind = 5;
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = std::string_view(line).substr(at, end - at);
    at = std::min(end + 1, line.size());
    if (std::ranges::count(word, '/') < kSlashes) continue;
    for (int field = 0; field < kFieldsBehind && at < line.size(); ++field)
      at = std::min(line.find(' ', at), line.size() - 1) + 1;
    return line.data() + at;
  }
  return line.data();
}

/// Returns whether the token is a bracket, a quote, or a line number, as they precede a move.
bool opens_row(const Token& token) {
  constexpr std::string_view kOpening = "\"'`([{<.)#*-";
  return token.index || (token.is(Kind::kMark) && kOpening.find(token.text[0]) != kOpening.npos);
}

/// Returns whether two successive tokens describe one move: `Nf3 (g1f3)`, `e2 -> e4`.
bool goes_on(const Token& one, const Token& next) {
  const bool squares = one.square && next.square;
  const auto castles = [](const Token& token) {
    return token.move->castling != WrittenMove::Castling::kNone;
  };
  return squares || castles(one) || castles(next) || one.move->to == next.move->to;
}

std::vector<JoinedRow> rows_in(const std::vector<Token>& tokens, const char* begin) {
  std::vector<JoinedRow> rows;
  constexpr std::size_t kNone = std::string::npos;
  std::size_t move = kNone;
  std::size_t last_move = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.text.data() < begin || token.is(Kind::kMark)) continue;
    if (token.is(Kind::kMove)) {
      if (move == kNone || !goes_on(tokens[last_move], token)) move = i;
      last_move = i;
    } else if (token.is(Kind::kNumber)) {
      const bool counts = move != kNone && !token.measure && !token.index &&
                          deepness_of(tokens, i) != Deepness::kYes;
      if (counts) rows.push_back({move, i});
      move = kNone;
    } else if (!token.is_word(kCountWords) && !token.is_word(kCommentWords)) {
      move = kNone;
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t least = i == 0 ? 0 : rows[i - 1].count + 1;
    while (rows[i].first > least && opens_row(tokens[rows[i].first - 1])) --rows[i].first;
  }
  return rows;
}

}  // namespace

std::vector<std::string> lines_apart(std::string_view line) {
  if (line.size() < kShortest) return {std::string(line)};
  const std::string text = plain(line);
  const std::vector<Token> tokens = tokens_of(text);
  const std::vector<JoinedRow> rows = rows_in(tokens, behind_fen(text));
  if (rows.size() < kFewestRows) return {std::string(line)};

  std::vector<std::size_t> cuts;  // tokens that begin a line
  for (const JoinedRow& row : rows) cuts.push_back(row.first);
  // The last row gets as many tokens after its count as the row before it has.
  const std::size_t last = rows.size() - 1;
  const std::size_t behind = rows[last].first - rows[last - 1].count;
  if (rows[last].count + behind < tokens.size()) cuts.push_back(rows[last].count + behind);

  std::vector<std::string> parts;
  const auto add = [&](const char* begin, const char* end) {
    if (std::any_of(begin, end, [](char c) { return c != ' '; })) parts.emplace_back(begin, end);
  };
  const char* begin = text.data();
  for (const std::size_t cut : cuts) {
    add(begin, tokens[cut].text.data());
    begin = tokens[cut].text.data();
  }
  add(begin, text.data() + text.size());
  return parts;
}

}  // namespace manyply
