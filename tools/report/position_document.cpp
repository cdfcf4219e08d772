#include "tools/report/position_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/known_values.h"
#include "core/movegen.h"
#include "core/san.h"
#include "hash/fingerprint.h"
#include "hash/zobrist.h"
#include "tools/text/json_text.h"

namespace manyply {

std::string position_document(const Line& line, const PositionText& read) {
  using Json = nlohmann::ordered_json;
  const NamedPosition& named = line.named();
  // Made once: the page asks for a document after every move.
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
  std::vector<std::pair<std::string, std::string>> moves;  // in UCI and in SAN
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
  return json_text(json);
}

}  // namespace manyply
