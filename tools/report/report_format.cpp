#include "tools/report/report_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/report/document.h"
#include "tools/report/hash_format.h"
#include "tools/report/stockfish_order.h"
#include "tools/text/json_text.h"
#include "tools/text/numbers.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the method that was used, as documents name it.
std::string_view method_name(const Report& report) {
  return report.matrix ? "configurations" : report.hash ? "hashed" : "unhashed";
}

/// Returns the lines about the matrix; empty if the count used none.
std::string matrix_text(const Json& document) {
  // Older documents do not have this member.
  const auto matrix = document.find("matrix");
  if (matrix == document.end() || matrix->is_null()) return {};
  const std::uint64_t parts = matrix->contains("parts") ? whole_in(*matrix, "parts") : 1;
  return fmt::format(
      "matrix     {} by {} configurations, {}{}\n"
      "counted    {} positions by the two-ply kernel, {} a ply deeper in lanes of bytes\n"
      "expected   no false matches: configurations are compared as a whole, without keys\n",
      whole_in(*matrix, "rows"), whole_in(*matrix, "columns"),
      format_bytes(whole_in(*matrix, "bytes")), parts > 1 ? fmt::format(", {} parts", parts) : "",
      whole_in(*matrix, "kernel_pairs"), whole_in(*matrix, "lane_pairs"));
}

/// Rounds to microseconds, the resolution of the clock.
double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

/// Returns the leaves below subtrees that were not counted again. In documents of the previous
/// version, this is derived from the rate.
double resumed_leaves_in(const Json& document) {
  if (document.contains("resumed_leaves")) return real_in(document, "resumed_leaves");
  const double counted = real_in(document, "leaves_per_second") * real_in(document, "seconds");
  return std::max(0.0, count_in(document, "nodes").approximate() - counted);
}

/// Sorts by move text, so that users can search and diff.
std::vector<std::pair<std::string, NodeCount>> sorted_divide(const Report& report,
                                                             CastlingNotation notation) {
  std::vector<std::pair<std::string, NodeCount>> rows;
  for (const DivideEntry& entry : report.divide)
    rows.emplace_back(to_uci(entry.move, notation), entry.nodes);
  std::ranges::sort(rows);
  return rows;
}

/// A row of a divide, or of the replies to one of its moves.
struct DivideRow {
  std::string move;
  std::string reply;  ///< empty: not listed
  std::string nodes;
  std::string fen;  ///< after the moves; empty: not listed
};

/// Flattens a divide: one row per reply if replies are listed, else one per move.
std::vector<DivideRow> rows_in(const Json& divide) {
  std::vector<DivideRow> rows;
  const auto add = [&](const std::string& move, const std::string& reply, const Json& row) {
    rows.push_back({move, reply, text_in(row, "nodes"), row.value("fen", "")});
  };
  for (const Json& row : divide) {
    const std::string& move = text_in(row, "move");
    if (!row.contains("divide")) add(move, "", row);
    for (const Json& reply : row.value("divide", Json::array()))
      add(move, text_in(reply, "move"), reply);
  }
  return rows;
}

/// Returns null if the count used no matrix.
Json matrix_json(const std::optional<MatrixReport>& matrix) {
  if (!matrix) return nullptr;
  return {{"rows", matrix->rows},
          {"columns", matrix->columns},
          {"kernel_pairs", matrix->kernel_pairs},
          {"lane_pairs", matrix->lane_pairs},
          {"bytes", matrix->bytes},
          {"parts", matrix->parts},
          {"false_match_possible", false}};
}

}  // namespace

std::string count_document(const Report& report, const Line& root, Depth depth) {
  Json json;
  json["fen"] = root.fen();
  json["depth"] = depth.plies();
  json["nodes"] = report.nodes.to_string();
  json["known"] = to_string(report.known);
  json["seconds"] = rounded(report.seconds);
  json["setup_seconds"] = rounded(report.setup_seconds);
  json["leaves_per_second"] = rate_json(report.leaves_per_second());
  json["visited_per_second"] = rate_json(report.visited_per_second());
  json["units"] = report.units;
  json["resumed_units"] = report.resumed_units;
  if (report.resumed_units > 0) json["resumed_leaves"] = report.resumed_leaves;
  json["threads"] = report.threads;
  json["kernel"] = report.kernel;
  json["method"] = method_name(report);
  json["method_reason"] = report.method_reason;
  json["matrix"] = matrix_json(report.matrix);
  add_hash_json(report, json);
  json["divide"] = Json::array();
  for (const auto& [move, nodes] : sorted_divide(report, root.notation()))
    json["divide"].push_back({{"move", move}, {"nodes", nodes.to_string()}});
  return json_line(json);
}

std::string count_text(const Json& document, const Presentation& how) {
  std::string text;
  const Json& divide = document.at("divide");
  if (how.divide && !divide.empty()) {
    for (const DivideRow& row : rows_in(divide)) {
      text += row.move + (row.reply.empty() ? "" : " ") + row.reply + ": " + row.nodes;
      text += (row.fen.empty() ? "" : "  ") + row.fen + '\n';
    }
    text += '\n';
  }
  text += text_line("position", position_words(text_in(document, "fen")));
  text += text_line("depth", std::to_string(whole_in(document, "depth")));
  text += text_line("nodes", with_groups(text_in(document, "nodes")));
  text += text_line("known", known_in(document));
  text += text_line("seconds",
                    fmt::format("{:.3f} counting, {:.3f} setting up", real_in(document, "seconds"),
                                real_in(document, "setup_seconds")));
  text += text_line("leaves/s", si(real_in(document, "leaves_per_second")));
  text += text_line("visited/s", si(real_in(document, "visited_per_second")));
  if (const std::uint64_t resumed = whole_in(document, "resumed_units"); resumed > 0) {
    text += text_line("resumed",
                      fmt::format("{} of {} {}, {} leaves, from the checkpoint", resumed,
                                  whole_in(document, "units"),
                                  document.value("matrix", Json()).is_null() ? "subtrees" : "parts",
                                  si(resumed_leaves_in(document))));
  }
  text += text_line("threads", std::to_string(whole_in(document, "threads")));
  text += text_line("kernel", text_in(document, "kernel"));
  const bool hashed = !document.at("table").is_null();
  // Older documents have only these two methods.
  std::string method = document.value("method", hashed ? "hashed" : "unhashed");
  const std::string reason = document.value("method_reason", "");
  if (!reason.empty() && reason != "requested") method += ": " + reason;
  text += text_line("method", method);
  if (hashed) text += hash_text(document);
  return text + matrix_text(document);
}

std::string divide_csv(const Json& document, const Presentation&) {
  const Json& divide = document.at("divide");
  const bool has_replies = !divide.empty() && divide.front().contains("divide");
  const std::vector<DivideRow> rows = rows_in(divide);
  const bool has_fens = !rows.empty() && !rows.front().fen.empty();
  std::string text = "move,";
  text += has_replies ? "reply," : "";
  text += has_fens ? "nodes,fen\n" : "nodes\n";
  for (const auto& [move, reply, nodes, fen] : rows) {
    text.append(move).append(",").append(reply).append(has_replies ? "," : "").append(nodes);
    text.append(has_fens ? "," : "").append(fen).append("\n");
  }
  return text + (has_replies ? "total,," : "total,") + text_in(document, "nodes") +
         (has_fens ? ",\n" : "\n");
}

// Without the line, the last move is unknown, so the order may differ if it was a double push that
// cannot be captured en passant.
std::string divide_as_stockfish(const Json& document, const Presentation& how) {
  std::map<std::string_view, std::string_view> nodes;
  for (const Json& row : document.at("divide"))
    nodes.emplace(text_in(row, "move"), text_in(row, "nodes"));
  std::string text;
  if (whole_in(document, "depth") > 0) {
    const Line root = how.line != nullptr
                          ? *how.line
                          : parse_line(text_in(document, "fen"), "", std::nullopt).value();
    for (const Move move : stockfish_order(root.here(), root.passed())) {
      const std::string name = to_uci(move, root.notation());
      text.append(name).append(": ").append(nodes.at(name)).append("\n");
    }
  }
  return text + "\nNodes searched: " + text_in(document, "nodes") + "\n\n";
}

std::string count_epd(const Json& document, const Presentation&) {
  return fmt::format("{} ;D{} {}\n", text_in(document, "fen"), whole_in(document, "depth"),
                     text_in(document, "nodes"));
}

Result<std::vector<DivideEntry>> divide_in(std::string_view document,
                                           const NamedPosition& root) try {
  std::vector<DivideEntry> divide;
  const Json json = read_json(document);
  for (const Json& row : json.at("divide")) {
    const auto move = parse_uci(root.position, text_in(row, "move"), root.notation);
    divide.push_back({move.value(), count_in(row, "nodes")});
  }
  return divide;
} catch (const std::exception&) {
  return Error{ErrorCode::kInvalidInput, "report", 0, "has no divide"};
}

std::string divide_as_perftree(std::string_view document) {
  const Json json = read_json(document);
  std::string text;
  for (const Json& row : json.at("divide"))
    text += text_in(row, "move") + ' ' + text_in(row, "nodes") + '\n';
  return text + '\n' + text_in(json, "nodes") + '\n';
}

std::string loop_header() {
  return fmt::format("{:>5} {:>30} {:>11} {:>9} {:>9}  {}\n", "depth", "nodes", "seconds",
                     "leaves/s", "visited/s", "known");
}

std::string loop_row(std::string_view document) {
  const Json json = read_json(document);
  return fmt::format("{:>5} {:>30} {:>11.3f} {:>9} {:>9}  {}\n", whole_in(json, "depth"),
                     text_in(json, "nodes"), real_in(json, "seconds"),
                     si(real_in(json, "leaves_per_second")),
                     si(real_in(json, "visited_per_second")), known_in(json));
}

}  // namespace manyply
