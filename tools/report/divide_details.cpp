#include "tools/report/divide_details.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/report/document.h"
#include "tools/text/json_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Adds the details to each row of a divide of `line`, recursively if details.plies is 2.
std::optional<Error> add_details(Json& rows, const Line& line, const DivideDetails& details,
                                 const CountedDocument& count) {
  for (Json& row : rows) {
    const std::string move = text_in(row, "move");
    const Result<Move> played = parse_uci(line.here(), move, line.notation());
    if (!played) return played.error();
    const Line next = line.after(*played);
    if (details.fens) row["fen"] = next.fen_here();
    if (details.plies < 2) continue;
    const Result<std::string> behind = count(next);
    if (!behind) return behind.error();
    Json replies = read_json(*behind).at("divide");
    NodeCount sum;
    for (const Json& reply : replies) sum += count_in(reply, "nodes");
    if (sum != count_in(row, "nodes")) {
      return Error{ErrorCode::kInternal, "divide", 0,
                   fmt::format("{} was counted as {}, and with its replies as {}", move,
                               text_in(row, "nodes"), sum.to_string())};
    }
    if (auto error = add_details(replies, next, {.plies = 1, .fens = details.fens}, count))
      return error;
    row["divide"] = std::move(replies);
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> detailed(const std::string& document, const Line& line,
                             const DivideDetails& details, const CountedDocument& count) {
  Json json = read_json(document);
  if (auto error = add_details(json.at("divide"), line, details, count)) return *std::move(error);
  return json_line(json);
}

}  // namespace manyply
