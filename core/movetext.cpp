#include "core/movetext.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "core/base/ascii.h"
#include "core/base/text_span.h"
#include "core/san.h"

namespace manyply {
namespace {

bool is_blank(char c) { return kSpace.find(c) != std::string_view::npos; }

/// Replaces the characters from `begin` to before `end` by blanks.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
            text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
}

/// Returns `text` without comments, variations and commas. Runs in linear time even if brackets are
/// not closed, since the input is not trusted.
std::string without_remarks(std::string_view text) {
  std::string plain(text);
  std::vector<std::size_t> variations;
  bool braces_close = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool begins_word = at == 0 || is_blank(text[at - 1]);
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    if (c == ';' || (c == '%' && begins_line)) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      blank(plain, at, end);
      at = end - 1;
    } else if (c == '{' && braces_close) {
      const std::size_t end = text.find('}', at);
      braces_close = end != std::string_view::npos;
      if (braces_close) blank(plain, at, end + 1), at = end;
    } else if (c == '(' && (begins_word || !variations.empty())) {  // not in e8(Q), which is a move
      variations.push_back(at);
    } else if (c == ')' && !variations.empty()) {
      if (variations.size() == 1) blank(plain, variations[0], at + 1);
      variations.pop_back();
    } else if (c == ',') {
      plain[at] = ' ';
    }
  }
  return plain;
}

/// Returns how many characters at the beginning of `word` are no move: "12...", "$1", "e.p.", "1."
/// of "1.e4".
std::size_t unplayed(std::string_view word) {
  if (word == "e.p.") return word.size();
  const bool is_glyph = word.starts_with('$');
  const std::size_t number = is_glyph ? 1 : 0;
  const std::size_t digits = std::min(word.find_first_not_of("0123456789", number), word.size());
  if (is_glyph) return digits == word.size() ? digits : 0;
  const std::size_t dots = std::min(word.find_first_not_of('.', digits), word.size());
  return dots > digits ? dots : 0;
}

}  // namespace

std::string mainline(std::string_view text) {
  std::string moves = without_remarks(text);
  std::size_t last = 0;
  for (const TextSpan& word : words_in(TextSpan{moves})) {
    last = static_cast<std::size_t>(word.column) - 1;
    blank(moves, last, last + unplayed(word.text));
  }
  constexpr std::array<std::string_view, 4> kResults{"1-0", "0-1", "1/2-1/2", "*"};
  const std::size_t end = std::max(moves.find_last_not_of(kSpace) + 1, last);
  if (std::ranges::count(kResults, std::string_view(moves).substr(last, end - last)) > 0)
    blank(moves, last, end);
  return moves;
}

bool is_movetext(std::string_view text) {
  const std::string moves = mainline(text);
  const std::vector<TextSpan> words = words_in(TextSpan{moves});
  return !words.empty() && std::ranges::all_of(words, [](const TextSpan& word) {
    std::string_view rest = word.text;
    return read_written_move(rest) && rest.empty();
  });
}

}  // namespace manyply
