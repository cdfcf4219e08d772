#include "tools/cli/line.h"

#include <algorithm>

#include "core/movegen.h"

namespace manyply {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

/// A FEN as the user wrote it, complete: engines are told that, not what we make of it.
std::string completed(std::string_view fen) {
  while (fen.ends_with('\r') || fen.ends_with('\n')) fen.remove_suffix(1);
  if (fen == "startpos") return std::string(kStartFen);
  if (fen == "kiwipete") return std::string(kKiwipeteFen);
  std::string text;
  int fields = 0;
  for (std::size_t at = fen.find_first_not_of(kSpace); at != std::string_view::npos; ++fields) {
    const std::size_t end = std::min(fen.find_first_of(kSpace, at), fen.size());
    text += (fields == 0 ? "" : " ") + std::string(fen.substr(at, end - at));
    at = fen.find_first_not_of(kSpace, end);
  }
  if (fields < 5) text += " 0";
  if (fields < 6) text += " 1";
  return text;
}

}  // namespace

Result<Line> parse_line(std::string_view fen, std::string_view moves,
                        std::optional<CastlingNotation> notation) {
  const Result<Root> root = parse_root(fen, notation);
  if (!root) return root.error();
  Root end = *root;
  if (auto error = play_moves(end, moves)) return *std::move(error);
  Line line(root->named, completed(fen), root->passed);
  for (std::size_t at = moves.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const std::size_t length = moves.substr(at).find_first_of(kSpace);
    line.play(*parse_uci(line.here(), moves.substr(at, length), line.notation()));
    at = length == std::string_view::npos ? length : moves.find_first_not_of(kSpace, at + length);
  }
  return line;
}

}  // namespace manyply
