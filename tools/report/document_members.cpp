#include "tools/report/document_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fen.h"
#include "core/known_values.h"
#include "core/move_text.h"
#include "core/position.h"
#include "hash/fingerprint.h"
#include "hash/zobrist.h"
#include "tools/text/json_text.h"

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

std::string known_in(const Json& document, const Json& count) {
  switch (known_verdict(text_in(count, "known"))) {
    case KnownVerdict::kMatch:
      return "match";
    case KnownVerdict::kMismatch: {
      const NamedPosition root = parse_position(text_in(document, "fen")).value();
      const auto known = known_value(root.position, Depth(document.at("depth").get<int>()));
      return "mismatch: " + known.value_or(0).to_string() + " is published";
    }
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
  // Find a castling right that standard chess cannot have: its king is not on the e-file, or its
  // rook is on neither the a-file nor the h-file. If there is no such right, the position is also
  // possible in standard chess. Only the notation of its rights is that of Chess960.
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

std::string board_diagram(const Position& position) {
  constexpr std::string_view kLine = " +---+---+---+---+---+---+---+---+\n";
  constexpr std::string_view kLetters = "PNBRQKpnbrqk";
  std::string text(kLine);
  for (int rank = 7; rank >= 0; --rank) {
    for (int file = 0; file < 8; ++file) {
      const auto piece = position.piece_on(square_at(file, rank));
      const int letter = piece ? index(piece->type) + 6 * index(piece->color) : 0;
      text += fmt::format(" | {}", piece ? kLetters[static_cast<std::size_t>(letter)] : ' ');
    }
    text += fmt::format(" | {}\n{}", rank + 1, kLine);
  }
  return text + "   a   b   c   d   e   f   g   h\n";
}

Json position_document(const Line& line, const PositionText& read) {
  const NamedPosition& named = line.named();
  // The keys are made only once, because the page requests a document after every move.
  static const KeySet default_keys;
  const Board& board = named.position.board();
  const ZobristKey key = default_keys.key_from_scratch(board);
  const Hash128 digest = fingerprint(board);
  Json json{{"fen", line.fen()},
            {"position", to_fen(named.position, named.notation)},
            {"start", line.start_fen()},
            {"moves", line.uci_moves()},
            {"assumed", read.assumed},
            {"aside", read.aside},
            {"chess960", named.notation == CastlingNotation::kChess960},
            {"side_to_move", named.position.side_to_move() == Color::kWhite ? "white" : "black"},
            {"in_check", named.position.in_check()},
            {"key", fmt::format("{:016x}{:016x}", key.high, key.low)},
            {"fingerprint", fmt::format("{:016x}{:016x}", digest.high, digest.low)},
            {"legal_moves", Json::array()},
            {"san", Json::array()},
            {"published", Json::array()}};
  std::vector<std::pair<std::string, std::string>> moves;  // each move in UCI and in SAN
  for (const Move move : legal_moves(named.position))
    moves.emplace_back(to_uci(move, named.notation), to_san(named.position, move));
  std::ranges::sort(moves);
  for (auto& [uci, san] : moves) {
    json["legal_moves"].push_back(std::move(uci));
    json["san"].push_back(std::move(san));
  }
  for (int depth = 0; depth <= Depth::kMax; ++depth) {
    if (const auto nodes = known_value(named.position, Depth(depth)))
      json["published"].push_back({{"depth", depth}, {"nodes", nodes->to_string()}});
  }
  return json;
}

}  // namespace manyply
