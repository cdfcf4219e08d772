#include "core/position_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/line.h"
#include "core/position_names.h"
#include "core/text_span.h"

namespace manyply {
namespace {

constexpr std::string_view kBoardLetters = "pnbrqkPNBRQK12345678/";
constexpr std::ptrdiff_t kSlashes = 7;

/// `text` up to the first blank.
std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(kSpace));
}

bool is_placement(std::string_view word) {
  return std::ranges::count(word, '/') == kSlashes &&
         word.find_first_not_of(kBoardLetters) == std::string_view::npos;
}

bool is_clock(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_digit);
}

/// Without quotes around it, and without what stands between the strings of a list.
TextSpan unwrapped(TextSpan span) {
  for (;;) {
    span = span.trimmed();
    const std::string_view text = span.text;
    if (text.ends_with(';') || text.ends_with(',')) {
      span = span.from(0, text.size() - 1);
    } else if (text.size() >= 2 && text.front() == text.back() &&
               std::string_view("\"'`").find(text.front()) != std::string_view::npos) {
      span = span.from(1, text.size() - 2);
    } else {
      return span;
    }
  }
}

/// `[FEN "…"]`, as PGN has it.
TextSpan without_tag(TextSpan span) {
  constexpr std::string_view kTag = "[FEN ";
  if (!span.text.starts_with(kTag) || !span.text.ends_with(']')) return span;
  return unwrapped(span.from(kTag.size(), span.text.size() - kTag.size() - 1));
}

TextSpan without_keywords(TextSpan span) {
  constexpr std::array<std::string_view, 6> kKeywords{"position", "fen",  "epd",
                                                      "setboard", "fen:", "epd:"};
  for (;;) {
    const std::string_view word = first_word(span.text);
    const bool known = std::ranges::any_of(
        kKeywords, [&](std::string_view keyword) { return equal_ignoring_case(word, keyword); });
    if (!known || word.size() == span.text.size()) return span;
    span = unwrapped(span.from(word.size()));
  }
}

int digit_of(char hexadecimal) {
  const char c = to_lower(hexadecimal);
  return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// What `%20` and the like stand for; `+` and `_` are blanks.
std::string decoded(std::string_view address) {
  std::string text;
  for (std::size_t i = 0; i < address.size(); ++i) {
    const char c = address[i];
    const int high = c == '%' && i + 2 < address.size() ? digit_of(address[i + 1]) : -1;
    const int low = high >= 0 ? digit_of(address[i + 2]) : -1;
    if (low >= 0) {
      text += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      text += c == '+' || c == '_' ? ' ' : c;
    }
  }
  return text;
}

/// The FEN at the end of an address: `https://lichess.org/analysis/8/8/…_w_-_-_0_1?color=white`.
std::optional<PositionText> of_address(TextSpan span) {
  if (span.text.find("://") == std::string_view::npos) return std::nullopt;
  const std::string text = decoded(span.text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at > 0 && text[at - 1] != '/' && text[at - 1] != '=') continue;
    const std::string_view rest = std::string_view(text).substr(at);
    if (!is_placement(first_word(rest.substr(0, rest.find_first_of("?&#"))))) continue;
    const std::string_view fen = rest.substr(0, rest.find_first_of("?&#"));
    return PositionText{std::string(fen), "", span.column + static_cast<int>(at), 1};
  }
  return std::nullopt;
}

/// Whether `text` begins with a move of the start position, numbered or not.
bool is_play(std::string_view text) {
  if (text.empty() || has_ranks(text)) return false;
  const std::string_view word = first_word(text);
  const bool number = is_digit(word.front()) && word.ends_with('.');
  const std::string_view move =
      number ? first_word(TextSpan{text}.from(word.size()).trimmed().text) : word;
  return !move.empty() && !Line().play(move) &&
         move.find_first_not_of("0123456789.") <= move.size();
}

/// Without how the game ended.
std::string_view without_result(std::string_view moves) {
  for (const std::string_view result : {" 1-0", " 0-1", " 1/2-1/2", " *"}) {
    if (moves.ends_with(result)) moves.remove_suffix(result.size());
  }
  return moves;
}

}  // namespace

std::string_view epd_position(std::string_view text) {
  std::size_t end = 0;
  for (int fields = 0; fields < 6;) {
    const std::size_t begin = text.find_first_not_of(kSpace, end);
    if (begin == std::string_view::npos) break;
    const std::string_view word = first_word(text.substr(begin));
    if (fields >= 4 && !is_clock(word)) break;
    end = begin + word.size();
    if (fields > 0 || has_ranks(word)) ++fields;  // "epd" may stand before
  }
  return text.substr(0, end);
}

bool has_ranks(std::string_view text) {
  constexpr int kFew = 3;
  int slashes = 0;  // in a run of what a placement is made of
  for (const char c : text) {
    slashes = kBoardLetters.find(c) == std::string_view::npos ? 0 : slashes + (c == '/' ? 1 : 0);
    if (slashes == kFew) return true;
  }
  return false;
}

PositionText position_text(std::string_view text) {
  TextSpan span = without_tag(unwrapped(TextSpan{text}));
  if (auto found = of_address(span)) return *std::move(found);
  span = without_keywords(span);
  if (is_play(without_result(span.text)))
    return {std::string(kStartFen), std::string(without_result(span.text)), 1, span.column};

  PositionText found;
  constexpr std::string_view kMoves = "moves";
  const std::string_view semicolon = span.text.substr(0, span.text.find(';'));
  for (std::size_t at = semicolon.find(kMoves); at != std::string_view::npos;
       at = semicolon.find(kMoves, at + 1)) {
    const bool is_word = at > 0 && kSpace.find(semicolon[at - 1]) != std::string_view::npos &&
                         first_word(semicolon.substr(at)) == kMoves;
    if (!is_word) continue;
    const TextSpan moves = span.from(at + kMoves.size(), semicolon.size() - at - kMoves.size());
    found.moves = moves.trimmed().text;
    found.moves_column = moves.trimmed().column;
    span = span.from(0, at).trimmed();
    break;
  }
  found.fen_column = span.column;
  const bool is_epd = span.text.find(';') != std::string_view::npos;
  const TextSpan before = TextSpan{span.text.substr(0, span.text.find(';'))}.trimmed();
  found.fen = is_epd && has_ranks(before.text) ? epd_position(before.text) : before.text;
  if (has_ranks(found.fen) && found.fen.find_first_of(kSpace) == std::string::npos)
    std::ranges::replace(found.fen, '_', ' ');
  if (is_placement(found.fen)) found.fen += " w - -";
  return found;
}

}  // namespace manyply
