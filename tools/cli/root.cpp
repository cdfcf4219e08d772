#include "tools/cli/root.h"

#include <algorithm>

namespace manyply {

Result<Root> parse_root(std::string_view fen, std::optional<CastlingNotation> notation) {
  Result<NamedPosition> named = parse_position(fen);
  if (!named) return named.error();
  Root root{*named, std::nullopt};
  if (notation) root.named.notation = *notation;
  if (const Result<Setup> setup = parse_fen(fen)) root.passed = setup->en_passant;
  return root;
}

std::optional<Error> play_moves(Root& root, std::string_view moves) {
  constexpr std::string_view kSpace = " \t\r\n";
  int place = 1;
  for (std::size_t at = moves.find_first_not_of(kSpace); at != std::string_view::npos; ++place) {
    const std::size_t end = std::min(moves.find_first_of(kSpace, at), moves.size());
    const std::string_view text = moves.substr(at, end - at);
    const Result<Move> move = parse_uci(root.named.position, text, root.named.notation);
    if (!move) {
      return Error{move.error().code, "moves", static_cast<int>(at) + 1,
                   "move " + std::to_string(place) + ", " + move.error().message};
    }
    root.named.position = root.named.position.after_unchecked(*move);
    root.passed.reset();
    if (move->kind() == MoveKind::kDoublePush) {
      root.passed = square_at((index(move->from()) + index(move->to())) / 2);
    }
    at = moves.find_first_not_of(kSpace, end);
  }
  return std::nullopt;
}

}  // namespace manyply
