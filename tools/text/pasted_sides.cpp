#include "tools/text/pasted_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/ascii.h"
#include "core/base/text_span.h"
#include "tools/text/mentioned_moves.h"
#include "tools/text/printed_line.h"

namespace manyply {
namespace {

using Lines = std::vector<std::string>;
using Sides = std::optional<std::vector<PastedSide>>;

constexpr std::size_t kLongest = 4096;  // characters of a line that are read

struct RowInLine {
  std::string move;
  std::size_t offset;  ///< of the move in the line
};

/// Returns the moves of a line that are followed by a number.
std::vector<RowInLine> rows_in(std::string_view text, const NamedPosition& asked) {
  const std::string line = plain(text.substr(0, kLongest));
  const std::vector<Token> tokens = tokens_of(line);
  const std::vector<MentionedMove> moves = moves_in(tokens, asked);
  std::vector<RowInLine> rows;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const std::size_t end = i + 1 < moves.size() ? moves[i + 1].first : tokens.size();
    const bool counts =
        std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(moves[i].last),
                    tokens.begin() + static_cast<std::ptrdiff_t>(end),
                    [](const Token& token) { return token.is(Token::Kind::kNumber); });
    const auto offset = static_cast<std::size_t>(tokens[moves[i].first].text.data() - line.data());
    if (counts) rows.push_back({moves[i].meaning.move, offset});
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
  std::optional<std::size_t> inside;  // a side; 2: the common ancestor
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

/// The lines that begin with one sign.
struct Signed {
  std::set<std::string> moves{};  ///< of their rows
  std::size_t tight = 0;          ///< number of rows directly after the sign
};

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
  Signed minus;
  Signed plus;
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
      if (!is_signed) {
        ++context;
        blank_context += is_blank ? 1 : 0;
        continue;
      }
      Signed& side = sign == '-' ? minus : plus;
      side.moves.insert(row.move);
      side.tight += rest[0] != ' ' ? 1 : 0;
    }
    if (sign != '+') sides[0].lines.push_back({rest, i + 1});
    if (sign != '-') sides[1].lines.push_back({rest, i + 1});
  }
  const std::size_t marked = minus.moves.size() + plus.moves.size();
  const bool changes = !common_of(minus.moves, plus.moves).empty();
  const bool is_shaped =
      minus.tight + plus.tight >= marked && blank_context == context && context >= marked;
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

/// Reads lists beside each other.
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
  /// Returns the median number of rows of the lines with rows.
  [[nodiscard]] std::size_t usual_number() const {
    std::vector<std::size_t> numbers;
    for (const auto& rows : rows_) {
      if (!rows.empty()) numbers.push_back(rows.size());
    }
    if (numbers.empty()) return 0;
    std::ranges::sort(numbers);
    return numbers[numbers.size() / 2];
  }

  /// Returns whether most moves of each side are in the first one, too, and none is listed twice.
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

  /// Splits a line without rows, such as one of totals.
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

  /// Removes the marks between the sides.
  static std::string without_gutter(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" |<>");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" |<>(\\/") + 1 - first);
  }

  const Lines& lines_;
  std::vector<std::vector<RowInLine>> rows_;  ///< of each line
  std::size_t number_ = 0;
};

}  // namespace

std::vector<PastedSide> sides_of(const std::vector<std::string>& all, const NamedPosition& asked) {
  std::vector<std::string> lines = all;
  for (std::string& line : lines) {  // colours precede signs
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
