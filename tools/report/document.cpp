#include "tools/report/document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/fen.h"

namespace manyply {

using Json = nlohmann::ordered_json;

const std::string& text_in(const Json& json, const char* name) {
  return json.at(name).get_ref<const std::string&>();
}

std::uint64_t whole_in(const Json& json, const char* name) {
  return json.at(name).get<std::uint64_t>();
}

double real_in(const Json& json, const char* name) { return json.at(name).get<double>(); }

NodeCount count_in(const Json& json, const char* name) {
  return NodeCount::parse(text_in(json, name)).value();
}

std::optional<NodeCount> published_for(const Json& document) {
  return known_value(parse_position(text_in(document, "fen")).value().position,
                     Depth(document.at("depth").get<int>()));
}

std::string known_in(const Json& document) {
  const KnownVerdict verdict = known_verdict(text_in(document, "known"));
  return known_text(verdict,
                    verdict == KnownVerdict::kMismatch ? published_for(document) : std::nullopt);
}

std::string known_text(KnownVerdict verdict, std::optional<NodeCount> known) {
  switch (verdict) {
    case KnownVerdict::kMatch:
      return "match";
    case KnownVerdict::kMismatch:
      return "mismatch: " + known.value_or(0).to_string() + " is published";
    case KnownVerdict::kUnknown:
      break;
  }
  return "unknown (no published value)";
}

std::string position_words(const std::string& fen) {
  const Result<NamedPosition> root = parse_position(fen);
  if (!root || root->notation == CastlingNotation::kStandard) return fen;
  const Board& board = root->position.board();
  std::string why = "rights to castle are written as files";
  // Name the first right that standard chess cannot have: a king off the e-file, or a rook off the
  // a- and h-files. If there is none, only the notation makes it Chess960.
  for (Bitboard rooks = board.castling; rooks != 0;) {
    const Square rook = square_at(pop_lowest(rooks));
    const Color side = index(rook) < 8 ? Color::kWhite : Color::kBlack;
    const Square king = square_at(lowest(board.of(side).king));
    const int file = index(rook) % 8;
    if (index(king) % 8 != 4) {
      why = "king on " + to_string(king);
    } else if (file != 0 && file != 7) {
      why = "rook on " + to_string(rook);
    } else {
      continue;
    }
    why += " may castle";
    break;
  }
  return fmt::format("{}  (Chess960: {})", fen, why);
}

std::string text_line(std::string_view name, std::string_view value) {
  return fmt::format("{:<10} {}\n", name, value);
}

}  // namespace manyply
