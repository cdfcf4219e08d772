#include "core/position_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/fen.h"
#include "core/line.h"
#include "core/move_text.h"

namespace manyply {
namespace {

constexpr std::string_view kBoardLetters = "pnbrqkPNBRQK12345678/";
constexpr std::ptrdiff_t kSlashes = 7;
constexpr std::string_view kMovesWord = "moves";

/// Returns `text` up to the first blank.
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

/// Returns `span` without surrounding quotes and without the separators that follow a string in a
/// list.
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

// ---------------------------------------------------------------- source code

/// Returns whether `behind`, the text after a string literal, can be the end of a statement.
/// Examples: `",`, `"}`, `");`.
bool ends_code(std::string_view behind) {
  return behind.find_first_not_of(" \t\r\n)]},;") == std::string_view::npos;
}

/// If the text has escapes such as `\"`, first removes all backslashes. Then looks for a string
/// literal that contains a position. Examples: `const char* fen = "…";`, `{"fen": "…"}`, `position
/// fen "…" moves e2e4`. If it finds one, replaces the text before it by blanks, and removes the
/// text after it, except moves.
void blank_code(std::string& text) {
  if (text.find("\\/") != std::string::npos || text.find("\\\"") != std::string::npos)
    std::erase(text, '\\');
  std::size_t last = 0;  // end of the previous string
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    const char quote = text[begin];
    if (quote == ';') return;  // EPD operations follow
    if (std::string_view("\"'`").find(quote) == std::string_view::npos) continue;
    const std::size_t end = text.find(quote, begin + 1);
    if (end == std::string::npos) return;
    const std::string_view all(text);
    if (has_ranks(all.substr(last, begin - last))) return;
    if (has_ranks(all.substr(begin, end - begin))) {
      std::string_view behind = all.substr(end + 1);
      const bool moves = first_word(TextSpan{behind}.trimmed().text) == kMovesWord;
      if (!moves && !ends_code(behind)) return;
      if (!moves) text.resize(end);
      std::fill_n(text.begin(), begin + 1, ' ');
      if (moves) text[end] = ' ';
      return;
    }
    begin = end;
    last = end + 1;
  }
}

/// Returns the last line that begins with `position`, or with `Fen:` as in the output of
/// Stockfish's `d`. Returns `span` if there is no such line.
TextSpan last_command(TextSpan span) {
  TextSpan found = span;
  for (TextSpan rest = span; !rest.text.empty();) {
    const TextSpan line = rest.cut('\n');
    const std::string_view word = first_word(line.text);
    if (word == "position" || equal_ignoring_case(word, "fen:")) found = line;
  }
  return found;
}

TextSpan without_keywords(TextSpan span) {
  constexpr std::array<std::string_view, 6> kKeywords{"position", "fen",  "epd",
                                                      "setboard", "fen:", "epd:"};
  constexpr std::string_view kAssigned = "fen=";
  for (;;) {
    if (equal_ignoring_case(span.text.substr(0, kAssigned.size()), kAssigned))
      span = unwrapped(span.from(kAssigned.size()));
    const std::string_view word = first_word(span.text);
    const bool known = std::ranges::any_of(
        kKeywords, [&](std::string_view keyword) { return equal_ignoring_case(word, keyword); });
    if (!known || word.size() == span.text.size()) return span;
    span = unwrapped(span.from(word.size()));
  }
}

/// Decodes `%20` and similar codes of a web address. Replaces `+` and `_` by blanks.
std::string decoded(std::string_view address) {
  std::string text;
  for (std::size_t i = 0; i < address.size(); ++i) {
    const char c = address[i];
    const int high = c == '%' && i + 2 < address.size() ? hex_digit(address[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(address[i + 2]) : -1;
    if (low >= 0) {
      text += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      text += c == '+' || c == '_' ? ' ' : c;
    }
  }
  return text;
}

/// Returns whether `text` is a web address, with or without "https://".
bool is_address(std::string_view text) {
  constexpr std::size_t kLongest = 2000;
  if (text.size() > kLongest || text.find_first_of(kSpace) != std::string_view::npos) return false;
  if (text.find("://") != std::string_view::npos) return true;
  const std::string_view host = text.substr(0, text.find('/'));
  const std::size_t dot = host.rfind('.');
  return host.size() < text.size() && dot != std::string_view::npos && host.size() - dot > 2 &&
         std::ranges::all_of(host.substr(dot + 1), is_letter) &&
         std::ranges::all_of(
             host, [](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; });
}

/// Returns whether `name`, from an address or a PGN tag, names a variant whose rules are not those
/// of chess. Chess960 and "From Position" have the rules of chess.
bool is_variant(std::string_view name) {
  constexpr std::array<std::string_view, 8> kVariants{"crazyhouse",  "kingofthehill", "threecheck",
                                                      "antichess",   "atomic",        "horde",
                                                      "racingkings", "giveaway"};
  std::string squeezed = to_lower(name);
  std::erase_if(squeezed, [](char c) { return !is_letter(c); });
  return std::ranges::count(kVariants, squeezed) > 0;
}

PositionText refused(TextSpan at, std::string why) {
  return {
      .fen = std::string(at.text), .moves = {}, .fen_column = at.column, .refusal = std::move(why)};
}

/// Returns the FEN or the moves in an address, or the reason to reject it. An example is
/// `https://lichess.org/analysis/8/8/…_w_-_-_0_1?color=white`.
PositionText of_address(TextSpan span) {
  const std::string text = decoded(span.text);
  std::optional<PositionText> found;
  for (std::size_t at = 0; at < text.size() && !found; ++at) {
    if (at > 0 && text[at - 1] != '/' && text[at - 1] != '=') continue;
    const std::string_view rest = std::string_view(text).substr(at);
    const std::string_view part = rest.substr(0, rest.find_first_of("/?&#="));
    const int column = span.column + static_cast<int>(at);
    if (is_variant(part))
      return refused({part, column},
                     std::string(part) + " has other rules; only chess and Chess960 are supported");
    const std::string_view fen = rest.substr(0, rest.find_first_of("?&#"));
    const bool follows_pgn = std::string_view(text).substr(0, at).ends_with("/pgn/");
    if (is_placement(first_word(fen))) {
      found = PositionText{.fen = std::string(fen), .moves = {}, .fen_column = column};
    } else if (follows_pgn && is_movetext(fen)) {
      found = PositionText{
          .fen = std::string(kStartFen), .moves = std::string(fen), .moves_column = column};
    }
  }
  if (found) return *std::move(found);
  return refused(span,
                 "this address contains neither a FEN nor moves; paste a FEN, or a game as PGN");
}

// ---------------------------------------------------------------- games

/// Removes a tag such as `[Event "…"]` from the beginning of `span`. Returns the name and the value
/// of the tag; nullopt if `span` does not begin with a tag.
std::optional<std::pair<std::string_view, TextSpan>> cut_tag(TextSpan& span) {
  const TextSpan tag = span.trimmed();
  if (!tag.text.starts_with('[') || tag.text.size() < 2 || !is_letter(tag.text[1]))
    return std::nullopt;
  const std::string_view name = first_word(tag.text.substr(1));
  const TextSpan value = tag.from(name.size() + 1).trimmed();
  const std::size_t end = value.text.find('"', 1);
  if (!value.text.starts_with('"') || end == std::string_view::npos) return std::nullopt;
  const TextSpan behind = value.from(end + 1).trimmed();
  if (!behind.text.starts_with(']')) return std::nullopt;
  span = behind.from(1);
  return std::pair(name, value.from(1, end - 1));
}

/// Returns the start position and the moves of a PGN game, or the reason to reject the game.
/// Returns nullopt if the text does not begin with a tag.
std::optional<PositionText> of_game(TextSpan span) {
  PositionText found{.fen = std::string(kStartFen), .moves = {}};
  bool any = false;
  while (const auto tag = cut_tag(span)) {
    const auto& [name, value] = *tag;
    any = true;
    if (equal_ignoring_case(name, "variant") && is_variant(value.text))
      return refused(value, std::string(value.text) +
                                " has other rules; only chess and Chess960 are supported");
    if (!equal_ignoring_case(name, "fen")) continue;
    found.fen = value.text;
    found.fen_column = value.column;
  }
  if (!any) return std::nullopt;
  const std::size_t next = span.text.find("\n[");
  if (TextSpan second = span.from(std::min(next, span.text.size())); cut_tag(second))
    return refused(span.from(next + 1), "a second game starts here; only one game is expected");
  found.moves = span.text;
  found.moves_column = span.column;
  return found;
}

/// Returns whether `text` is a game from the start position: it has no ranks of a board, and begins
/// with a legal move, with or without a move number.
bool is_play(std::string_view text) {
  if (text.empty() || has_ranks(text)) return false;
  const std::string moves = mainline(text);
  const std::string_view move = first_word(TextSpan{moves}.trimmed().text);
  return !move.empty() && !Line().play(move);
}

// ---------------------------------------------------------------- FENs

/// Removes the moves from `span` and returns them. The moves follow the word "moves", or follow the
/// FEN or name directly. Returns an empty text if there are no moves.
TextSpan cut_moves(TextSpan& span) {
  const std::string_view text = span.text.substr(0, span.text.find(';'));
  for (std::size_t at = text.find(kMovesWord); at != std::string_view::npos;
       at = text.find(kMovesWord, at + 1)) {
    const std::string_view word = first_word(text.substr(at));
    const bool is_word = at > 0 && kSpace.find(text[at - 1]) != std::string_view::npos &&
                         (word == kMovesWord || word == "moves:");
    if (!is_word) continue;
    const TextSpan moves = span.from(at + word.size(), text.size() - at - word.size());
    span = unwrapped(span.from(0, at));
    return moves.trimmed();
  }
  const std::string_view name = first_word(text);
  const std::string_view position = fen_of(name) != name ? name : epd_position(text);
  const TextSpan behind = span.from(position.size(), text.size() - position.size()).trimmed();
  if (!is_movetext(behind.text)) return {{}, span.column + static_cast<int>(text.size())};
  span = span.from(0, position.size());
  return behind;
}

/// Returns `span` without the comment at its end. A comment begins with ` //` or ` #`.
TextSpan without_remark(TextSpan span) {
  for (const std::string_view mark : {" //", " #"})
    span = span.from(0, std::min(span.text.find(mark), span.text.size()));
  return span.trimmed();
}

/// If found.fen is a FEN that ends early, adds the missing fields: White to move, no castling, no
/// en passant. Describes them in found.assumed.
void complete(PositionText& found) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kMissing{
      {{" w", "White to move"}, {" -", "no castling"}, {" -", "no en passant"}}};
  if (!is_placement(first_word(found.fen))) return;
  std::size_t fields = 0;
  for (TextSpan rest{found.fen}; !rest.text.empty(); rest = rest.trimmed()) {
    rest.cut(' ');
    ++fields;
  }
  for (std::size_t field = fields; field <= kMissing.size(); ++field) {
    const auto& [text, words] = kMissing[field - 1];
    found.fen += text;
    found.assumed += (found.assumed.empty() ? "" : ", ") + std::string(words);
  }
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
    if (fields > 0 || has_ranks(word)) ++fields;  // skips words such as "epd"
  }
  return text.substr(0, end);
}

bool has_ranks(std::string_view text) {
  constexpr int kFew = 3;
  int slashes = 0;  // in the current run of characters that a placement may contain
  for (const char c : text) {
    slashes = kBoardLetters.find(c) == std::string_view::npos ? 0 : slashes + (c == '/' ? 1 : 0);
    if (slashes == kFew) return true;
  }
  return false;
}

PositionText position_text(std::string_view written) {
  std::string text = typewritten(written);
  if (auto game = of_game(TextSpan{text})) return *std::move(game);
  blank_code(text);
  TextSpan span = unwrapped(last_command(TextSpan{text}));
  if (is_address(span.text)) return of_address(span);
  span = without_keywords(without_remark(span));
  if (is_play(span.text))
    return {.fen = std::string(kStartFen),
            .moves = std::string(span.text),
            .moves_column = span.column};

  PositionText found;
  const TextSpan moves = cut_moves(span);
  found.moves = moves.text;
  found.moves_column = moves.column;
  found.fen_column = span.column;
  const bool is_epd = span.text.find(';') != std::string_view::npos;
  const TextSpan before = TextSpan{span.text.substr(0, span.text.find(';'))}.trimmed();
  found.fen = is_epd && has_ranks(before.text) ? epd_position(before.text) : before.text;
  if (is_epd) found.aside = span.from(found.fen.size()).trimmed().text;
  if (has_ranks(found.fen) && found.fen.find_first_of(kSpace) == std::string::npos)
    std::ranges::replace(found.fen, '_', ' ');
  complete(found);
  return found;
}

std::span<const PositionName> position_names() {
  static constexpr std::array<PositionName, 7> kNames{
      {{"startpos", kStartFen},
       {"start", kStartFen},
       {"kiwipete", kKiwipeteFen},
       {"position3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
       {"position4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"},
       {"position5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"},
       {"position6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"}}};
  return kNames;
}

}  // namespace manyply
