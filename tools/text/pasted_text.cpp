#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/move_text.h"
#include "core/position_text.h"
#include "tools/text/engine_output_parser.h"
#include "tools/text/json_text.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kFewestRows = 4;
constexpr std::size_t kShortest = 6 * kFewestRows;  // a row has 6 characters or more: "e2e4 1"

/// Indices of the tokens of a row: its first token, and its count.
struct JoinedRow {
  std::size_t first;
  std::size_t count;
};

/// Returns the end of the first FEN in the line; the beginning of the line if there is no FEN. The
/// squares and clocks of a FEN must not be read as rows.
const char* behind_fen(const std::string& line) {
  constexpr std::ptrdiff_t kSlashes = 7;
  constexpr int kFields = 6;
  for (const TextSpan& word : words_in({line}, " ")) {
    if (std::ranges::count(word.text, '/') < kSlashes) continue;
    auto at = static_cast<std::size_t>(word.column - 1) + word.text.size();
    for (int field = 0; field < kFields && at < line.size(); ++field)
      at = std::min(line.find(' ', at), line.size() - 1) + 1;
    return line.data() + at;
  }
  return line.data();
}

/// Returns whether the token may precede the move of a row: a bracket, a quote, a list mark such as
/// '*', or a line number.
bool opens_row(const Token& token) { return token.index || token.is_mark("\"'`([{<.)#*-"); }

/// Returns whether two successive tokens describe one move: `Nf3 (g1f3)`, `e2 -> e4`.
bool goes_on(const Token& one, const Token& next) {
  const bool squares = one.square && next.square;
  const auto castles = [](const Token& token) {
    return token.move->castling != WrittenMove::Castling::kNone;
  };
  return squares || castles(one) || castles(next) || one.move->to == next.move->to;
}

std::vector<JoinedRow> rows_in(const Tokens& tokens, const char* begin) {
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

/// Returns the index of the token after the move that follows token `at`; at + 1 if no move
/// follows. Only marks may stand between token `at` and the move.
std::size_t behind_next_move(const Tokens& tokens, std::size_t at) {
  std::size_t behind = at + 1;
  for (std::size_t i = at + 1;; ++i) {
    if (token_at(tokens, i).is(Kind::kMove)) {
      behind = i + 1;
    } else if (!token_at(tokens, i).is(Kind::kMark)) {
      return behind;
    }
  }
}

/// Returns whether each count stands before its move: "380 a2a3 420 a2a4". In that case, rows_in()
/// has combined each move with the count of the next move, and the last move with the total or with
/// nothing.
bool counts_stand_first(const Tokens& tokens, const std::vector<JoinedRow>& rows) {
  const std::size_t first = rows.front().first;
  const Token& before = token_at(tokens, first - 1);
  if (!before.is(Kind::kNumber) || before.measure || before.index) return false;
  if (deepness_of(tokens, first - 1) == Deepness::kYes) return false;
  const auto has_word = [&](const JoinedRow& row) {
    return std::ranges::any_of(std::span(tokens).subspan(row.first, row.count - row.first),
                               [](const Token& token) { return token.is_word(kCountWords); });
  };
  const std::size_t last = rows.back().count;
  const bool move_follows = behind_next_move(tokens, last) > last + 1;
  return move_follows || (has_word(rows.back()) && !has_word(rows.front()));
}

/// Returns the indices of the tokens that begin a line: each count, and the token after the last
/// move. Precondition: counts_stand_first().
std::vector<std::size_t> cuts_before_counts(const Tokens& tokens,
                                            const std::vector<JoinedRow>& rows) {
  std::vector<std::size_t> cuts{rows.front().first - 1};
  for (const JoinedRow& row : rows) {
    std::size_t cut = row.count;
    while (cut > row.first + 1 && !tokens[cut - 1].is(Kind::kMove)) --cut;
    cuts.push_back(cut);
  }
  const std::size_t last = rows.back().count;
  const std::size_t end = behind_next_move(tokens, last);
  if (end > last + 1 && end < tokens.size()) cuts.push_back(end);
  return cuts;
}

/// Returns the indices of the tokens that begin a line. Precondition: each count stands behind its
/// move.
std::vector<std::size_t> cuts_before_moves(const Tokens& tokens,
                                           const std::vector<JoinedRow>& rows) {
  std::vector<std::size_t> cuts;
  for (const JoinedRow& row : rows) cuts.push_back(row.first);
  // Assume that the last row has as many tokens after its count as the row before it.
  const std::size_t last = rows.size() - 1;
  const std::size_t behind = rows[last].first - rows[last - 1].count;
  if (rows[last].count + behind < tokens.size()) cuts.push_back(rows[last].count + behind);
  return cuts;
}

}  // namespace

std::vector<std::string> lines_apart(std::string_view line) {
  if (line.size() < kShortest) return {std::string(line)};
  const std::string text = plain(line);
  const Tokens tokens = tokens_of(text);
  const std::vector<JoinedRow> rows = rows_in(tokens, behind_fen(text));
  if (rows.size() < kFewestRows) return {std::string(line)};

  const std::vector<std::size_t> cuts = counts_stand_first(tokens, rows)
                                            ? cuts_before_counts(tokens, rows)
                                            : cuts_before_moves(tokens, rows);
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

namespace {

using Json = nlohmann::ordered_json;

/// JSON values that are nested deeper are ignored, because divides are never nested so deeply.
constexpr int kDeepest = 20;

bool is_move(std::string_view text) { return read_written_move(text).has_value() && text.empty(); }

/// Turns a JSON document into lines of text.
class JsonLines {
 public:
  std::vector<std::string> run(const Json& document) && {
    add("", document, 0);
    return std::move(lines_);
  }

 private:
  static std::string text_of(const Json& value) {
    return value.is_string() ? value.get<std::string>() : json_text(value);
  }
  static std::string named(const std::string& name, const Json& value) {
    return name.empty() ? text_of(value) : fmt::format("{}: {}", name, text_of(value));
  }

  void add(const std::string& name, const Json& value, int depth) {
    if (depth > kDeepest) return;
    if (value.is_object()) {
      add_object(name, value, depth);
    } else if (value.is_array()) {
      add_array(name, value, depth);
    } else {
      lines_.push_back(named(name, value));
    }
  }

  void add_object(const std::string& name, const Json& object, int depth) {
    const auto is_told_by = [](const Json& member) {
      return member.is_string() && is_move(member.get_ref<const std::string&>());
    };
    if (is_move(name) || std::ranges::any_of(object, is_told_by)) return add_row(name, object);
    if (!object.empty()) add_head(name);
    for (const auto& [key, member] : object.items()) add(key, member, depth + 1);
  }

  /// Adds one line with the scalar members of a move's object. Leaves out the position and the
  /// replies of the move. If the line begins a table with a new head, adds the head first.
  void add_row(const std::string& name, const Json& object) {
    const bool has_head = has_columns(object);
    const char* const between = has_head ? "|" : " ";
    std::string head = name.empty() ? "" : "move";
    std::string line = name;
    for (const auto& [key, member] : object.items()) {
      if (member.is_structured() || has_ranks(text_of(member))) continue;
      head += (head.empty() ? "" : between) + key;
      line += (line.empty() ? "" : between) + (has_head ? text_of(member) : named(key, member));
    }
    if (has_head && std::exchange(head_, head) != head) lines_.push_back(std::move(head));
    lines_.push_back(std::move(line));
  }

  /// Returns whether the object has several numbers with names such as "stockfish"; see
  /// may_name_counts(). Such an object becomes a row of a table whose head contains the names.
  static bool has_columns(const Json& object) {
    std::size_t columns = 0;
    for (const auto& [key, member] : object.items())
      columns += member.is_number() && may_name_counts(key) ? 1 : 0;
    return columns > 1;
  }

  /// Adds `["e2e4", 20]` as one row. Adds each value of `["e2e4", "d2d4"]` as a separate line.
  void add_array(const std::string& name, const Json& array, int depth) {
    const auto is_number = [](const Json& value) { return value.is_number(); };
    const auto is_scalar = [](const Json& value) { return !value.is_structured(); };
    if (std::ranges::any_of(array, is_number) && std::ranges::all_of(array, is_scalar)) {
      std::string line = name;
      for (const Json& value : array) line += (line.empty() ? "" : " ") + text_of(value);
      lines_.push_back(std::move(line));
      return;
    }
    if (!std::ranges::all_of(array, is_scalar)) add_head(name);
    for (const Json& value : array) add(value.is_structured() ? "" : name, value, depth + 1);
  }

  /// Adds `name` as a heading: a line above the rows of the array with this name. Does nothing if
  /// `name` is a move or has no letters.
  void add_head(const std::string& name) {
    if (std::ranges::any_of(name, is_letter) && !is_move(name)) lines_.push_back(name);
  }

  std::vector<std::string> lines_;
  std::string head_;  ///< the head of the table to which the last row belongs
};

std::optional<std::vector<std::string>> lines_of_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
    return std::nullopt;
  const Json document = read_json(text);
  if (document.is_discarded()) return std::nullopt;
  return JsonLines().run(document);
}

/// Returns whether `c` is a control character that terminals do not use. Terminals use ESC for
/// colours and BS for progress bars.
bool is_no_text(char c) {
  constexpr std::string_view kAllowed = "\t\n\v\f\r\b\a\x1a\x1b";
  return (c >= 0 && c < ' ' && c != '\0' && kAllowed.find(c) == std::string_view::npos) ||
         c == '\x7f';
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

}  // namespace

Result<std::vector<std::string>> pasted_lines(std::string_view bytes) {
  std::string text = decoded_suite(bytes);
  if (const auto bad = std::ranges::find_if(text, is_no_text); bad != text.end()) {
    return Error{
        ErrorCode::kInvalidInput, "divide", 0,
        fmt::format("is not text: byte \\x{:02X} in line {}", static_cast<unsigned char>(*bad),
                    std::ranges::count(text.begin(), bad, '\n') + 1)};
  }
  if (auto lines = lines_of_json(text)) return *std::move(lines);
  replace_all(text, "\r\n", "\n");
  std::ranges::replace(text, '\r', '\n');
  replace_all(text, "\\r\\n", "\n");
  replace_all(text, "\\n", "\n");
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) lines.emplace_back(cut_line(rest));
  return lines;
}

namespace {

using Lines = std::vector<std::string>;
using Sides = std::optional<std::vector<PastedSide>>;

constexpr std::size_t kLongest = 4096;  // characters of a line that are read

struct RowInLine {
  std::string move;
  std::size_t offset;  ///< offset of the move in the line
};

/// Returns the rows in a line. A row is a move with a number between it and the next move.
std::vector<RowInLine> rows_in(std::string_view text, const NamedPosition& asked) {
  const std::string line = plain(text.substr(0, kLongest));
  const Tokens tokens = tokens_of(line);
  const std::vector<MentionedMove> moves = moves_in(tokens, asked);
  std::vector<RowInLine> rows;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const std::size_t end = i + 1 < moves.size() ? moves[i + 1].first : tokens.size();
    const auto offset = static_cast<std::size_t>(tokens[moves[i].first].text.data() - line.data());
    if (has_kind(tokens, moves[i].last, end, Kind::kNumber))
      rows.push_back({moves[i].meaning.move, offset});
  }
  return rows;
}

std::set<std::string> common_of(const std::set<std::string>& one,
                                const std::set<std::string>& other) {
  std::set<std::string> common;
  std::ranges::set_intersection(one, other, std::inserter(common, common.begin()));
  return common;
}

std::string_view word_behind(std::string_view line, std::size_t marks) {
  line.remove_prefix(std::min(marks, line.size()));
  const std::string_view word = TextSpan{line}.trimmed().text;
  return word.substr(0, word.find('\t'));
}

std::string name_or(std::string_view label, const char* otherwise) {
  if (label.starts_with("a/") || label.starts_with("b/")) label.remove_prefix(2);
  return label.empty() ? otherwise : fmt::format("side '{}'", label);
}

/// Reads a merge conflict: "<<<<<<< HEAD", "=======", ">>>>>>> branch".
Sides conflict_sides(const Lines& lines) {
  constexpr std::array<std::string_view, 4> kMarks{"<<<<<<<", "|||||||", "=======", ">>>>>>>"};
  std::vector<PastedSide> sides{{"first side", {}}, {"second side", {}}};
  std::optional<std::size_t> inside;  // index of the current side; 2 means the common ancestor
  std::array<bool, 4> seen{};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto mark = std::ranges::find_if(
        kMarks, [&](std::string_view text) { return lines[i].starts_with(text); });
    const auto which = static_cast<std::size_t>(mark - kMarks.begin());
    if (which < kMarks.size()) {
      seen[which] = true;
      inside = which == 3 ? std::nullopt : std::optional<std::size_t>(which == 0 ? 0 : 3 - which);
      const std::string_view label = word_behind(lines[i], mark->size());
      if (which == 0) sides[0].name = name_or(label, "first side");
      if (which == 3) sides[1].name = name_or(label, "second side");
      continue;
    }
    for (std::size_t side = 0; side < sides.size(); ++side) {
      if (!inside || inside == side) sides[side].lines.push_back({lines[i], i + 1});
    }
  }
  return seen[0] && seen[2] && seen[3] ? Sides(std::move(sides)) : std::nullopt;
}

/// Reads a diff by words: "e1g1: [-2059-]{+2058+}".
Sides word_diff_sides(const Lines& lines) {
  std::vector<PastedSide> sides{{"'-' side", {}}, {"'+' side", {}}};
  bool any = false;
  const auto without = [&](std::string text, std::string_view open, std::string_view close,
                           bool keeps) {
    for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
      const std::size_t end = text.find(close, at + open.size());
      if (end == std::string::npos) break;
      const std::string inside = text.substr(at + open.size(), end - at - open.size());
      any = any || std::ranges::any_of(inside, is_digit);
      text.replace(at, end + close.size() - at, keeps ? inside : "");
      at += keeps ? inside.size() : 0;
    }
    return text;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const std::string text = without(lines[i], "[-", "-]", side == 0);
      sides[side].lines.push_back({without(text, "{+", "+}", side == 1), i + 1});
    }
  }
  return any ? Sides(std::move(sides)) : std::nullopt;
}

Sides unified_sides(const Lines& lines, const NamedPosition& asked) {
  const auto is_header = [](std::string_view line) {
    return line.starts_with("@@ ") || line.starts_with("--- ") || line.starts_with("+++ ") ||
           line.starts_with("diff ") || line.starts_with("index ");
  };
  const auto has_sign = [](const std::string& line) {
    return line.starts_with('-') || line.starts_with('+');
  };
  if (std::ranges::none_of(lines, has_sign)) return std::nullopt;
  std::vector<PastedSide> sides{{"'-' side", {}}, {"'+' side", {}}};
  std::set<std::string> minus;  // the moves of the rows in the lines that begin with '-'
  std::set<std::string> plus;
  std::size_t tight = 0;  // number of rows with no space after the sign
  std::size_t context = 0;
  std::size_t blank_context = 0;
  bool has_range = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (is_header(line)) {
      has_range = has_range || line.starts_with("@@ ");
      if (line.starts_with("--- ")) sides[0].name = name_or(word_behind(line, 4), "'-' side");
      if (line.starts_with("+++ ")) sides[1].name = name_or(word_behind(line, 4), "'+' side");
      continue;
    }
    const char sign = line.empty() ? ' ' : line[0];
    const bool is_signed = sign == '-' || sign == '+';
    const bool is_blank = sign == ' ';
    const std::string rest =
        is_signed || is_blank ? line.substr(std::min<std::size_t>(1, line.size())) : line;
    for (const RowInLine& row : rows_in(rest, asked)) {
      if (is_signed) {
        (sign == '-' ? minus : plus).insert(row.move);
        tight += rest[0] != ' ' ? 1 : 0;
      } else {
        ++context;
        blank_context += is_blank ? 1 : 0;
      }
    }
    if (sign != '+') sides[0].lines.push_back({rest, i + 1});
    if (sign != '-') sides[1].lines.push_back({rest, i + 1});
  }
  const std::size_t marked = minus.size() + plus.size();
  const bool changes = !common_of(minus, plus).empty();
  const bool is_shaped = tight >= marked && blank_context == context && context >= marked;
  const bool is_diff = marked > 0 && (changes || has_range || is_shaped);
  return is_diff ? Sides(std::move(sides)) : std::nullopt;
}

/// Reads the output of `diff` without options: "6c6", "< e1g1: 2059", "---", "> e1g1: 2058".
Sides plain_diff_sides(const Lines& lines, const NamedPosition& asked) {
  const auto is_command = [](std::string_view line) {
    const std::size_t letter = line.find_first_of("acd");
    return letter != std::string_view::npos && letter > 0 && letter + 1 < line.size() &&
           line.find_first_not_of("0123456789,acd") == std::string_view::npos &&
           line.find_first_of("acd", letter + 1) == std::string_view::npos;
  };
  std::vector<PastedSide> sides{{"'<' side", {}}, {"'>' side", {}}};
  std::array<std::set<std::string>, 2> moves;
  bool has_command = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    has_command = has_command || is_command(lines[i]);
    const std::size_t side = lines[i].starts_with('<') ? 0 : 1;
    if (side == 1 && !lines[i].starts_with('>')) continue;
    const std::string rest = lines[i].substr(1);
    for (const RowInLine& row : rows_in(rest, asked)) moves[side].insert(row.move);
    sides[side].lines.push_back({rest, i + 1});
  }
  const bool is_diff = !moves[0].empty() && !moves[1].empty() &&
                       (has_command || !common_of(moves[0], moves[1]).empty());
  return is_diff ? Sides(std::move(sides)) : std::nullopt;
}

/// Reads two to four lists that stand side by side, so that a line has one row of each list.
class BesideEachOther {
 public:
  BesideEachOther(const Lines& lines, const NamedPosition& asked) : lines_(lines) {
    for (const std::string& line : lines) rows_.push_back(rows_in(line, asked));
  }

  Sides run() {
    number_ = usual_number();
    if (number_ < 2 || !are_lists()) return std::nullopt;
    constexpr std::array kNames{"first", "second", "third", "fourth"};
    if (number_ > kNames.size()) return std::nullopt;
    std::vector<PastedSide> sides(number_);
    for (std::size_t side = 0; side < number_; ++side) {
      sides[side].name = number_ > 2 ? fmt::format("{} list of each line", kNames[side])
                         : side == 0 ? "left side"
                                     : "right side";
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      std::vector<std::string> parts = parts_of(i);
      for (std::size_t side = 0; side < number_; ++side)
        sides[side].lines.push_back({std::move(parts[side]), i + 1});
    }
    return sides;
  }

 private:
  /// Returns the median number of rows per line. Ignores lines without rows.
  [[nodiscard]] std::size_t usual_number() const {
    std::vector<std::size_t> numbers;
    for (const auto& rows : rows_) {
      if (!rows.empty()) numbers.push_back(rows.size());
    }
    if (numbers.empty()) return 0;
    std::ranges::sort(numbers);
    return numbers[numbers.size() / 2];
  }

  /// Returns whether all sides list the moves of the same position: most moves of each side are
  /// also in the first side, and each side lists a move at most once.
  [[nodiscard]] bool are_lists() const {
    std::vector<std::set<std::string>> moves(number_);
    for (const auto& rows : rows_) {
      if (rows.size() != number_) continue;
      for (std::size_t side = 0; side < number_; ++side) {
        if (!moves[side].insert(rows[side].move).second) return false;
      }
    }
    return std::ranges::all_of(moves, [&](const std::set<std::string>& side) {
      return 2 * common_of(side, moves[0]).size() >= side.size();
    });
  }

  [[nodiscard]] std::vector<std::string> parts_of(std::size_t i) const {
    const std::string line = plain(std::string_view(lines_[i]).substr(0, kLongest));
    const std::vector<RowInLine>& rows = rows_[i];
    std::vector<std::string> parts(number_);
    if (rows.size() == number_) {
      for (std::size_t side = 0; side < number_; ++side) {
        const std::size_t begin = side == 0 ? 0 : rows[side].offset;
        const std::size_t end = side + 1 < number_ ? rows[side + 1].offset : line.size();
        parts[side] = without_gutter(line.substr(begin, end - begin));
      }
      return parts;
    }
    if (rows.size() == 1 && number_ == 2) {
      const std::size_t first = line.find_first_not_of(' ');
      const bool is_right =
          line[first] == '>' || (line.back() != '<' && rows[0].offset > line.size() / 2);
      parts[is_right ? 1 : 0] = without_gutter(line);
      return parts;
    }
    return parts_by_gutter(line);
  }

  /// Splits a line that does not have one row for each side, such as a line of totals. Cuts the
  /// line at each gap of at least two spaces. If this does not give one part for each side, returns
  /// the whole line for each side.
  [[nodiscard]] std::vector<std::string> parts_by_gutter(const std::string& line) const {
    std::vector<std::string> parts;
    constexpr std::string_view kGutter = "  ";
    std::string_view rest = TextSpan{line}.trimmed().text;
    while (!rest.empty()) {
      const std::size_t gap = std::min(rest.find(kGutter), rest.size());
      parts.push_back(without_gutter(std::string(rest.substr(0, gap))));
      rest.remove_prefix(gap);
      rest.remove_prefix(std::min(rest.find_first_not_of(" |<>"), rest.size()));
    }
    if (parts.size() != number_) parts.assign(number_, line);
    return parts;
  }

  /// Returns `text`, one side's part of a line, without the marks between the sides: "| e2e4: 20"
  /// becomes "e2e4: 20".
  static std::string without_gutter(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" |<>");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" |<>(\\/") + 1 - first);
  }

  const Lines& lines_;
  std::vector<std::vector<RowInLine>> rows_;  ///< the rows of each line
  std::size_t number_ = 0;
};

}  // namespace

std::vector<PastedSide> sides_of(const std::vector<std::string>& all, const NamedPosition& asked) {
  std::vector<std::string> lines = all;
  for (std::string& line : lines) {  // remove colours, because they precede the signs of a diff
    if (line.find('\x1b') != std::string::npos) line = plain(line);
  }
  if (auto sides = conflict_sides(lines)) return *std::move(sides);
  if (auto sides = word_diff_sides(lines)) return *std::move(sides);
  if (auto sides = unified_sides(lines, asked)) return *std::move(sides);
  if (auto sides = plain_diff_sides(lines, asked)) return *std::move(sides);
  if (auto sides = BesideEachOther(lines, asked).run()) return *std::move(sides);
  PastedSide whole;
  for (std::size_t i = 0; i < all.size(); ++i) whole.lines.push_back({all[i], i + 1});
  return {std::move(whole)};
}

}  // namespace manyply
