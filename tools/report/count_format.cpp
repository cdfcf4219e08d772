#include "tools/report/count_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/geometry.h"
#include "core/position.h"
#include "tools/report/document_members.h"
#include "tools/text/json_text.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the method that was used, as documents name it.
std::string_view method_name(const Report& report) {
  return report.matrix ? "configurations" : report.hash ? "hashed" : "unhashed";
}

/// Returns the lines about the device and the matrix; empty if the count used no matrix.
std::string matrix_text(const Json& document) {
  // Older documents do not have this member.
  const auto matrix = document.find("matrix");
  if (matrix == document.end() || matrix->is_null()) return {};
  const std::uint64_t parts = matrix->contains("parts") ? whole_in(*matrix, "parts") : 1;
  const Json device = matrix->value("device", Json());
  std::string device_line;
  if (!device.is_null()) {
    device_line = text_line(
        "device", fmt::format("{}, driver {}; {} of its memory, {:.3f} s", text_in(device, "name"),
                              text_in(device, "driver"), format_bytes(whole_in(device, "bytes")),
                              real_in(device, "seconds")));
  }
  return device_line +
         fmt::format(
             "matrix     {} by {} configurations, {}{}\n"
             "counted    {} positions by the two-ply kernel, {} positions of the next ply in {}\n"
             "expected   no false matches: configurations are compared as a whole, without keys\n",
             whole_in(*matrix, "rows"), whole_in(*matrix, "columns"),
             format_bytes(whole_in(*matrix, "bytes")),
             parts > 1 ? fmt::format(", {} parts", parts) : "", whole_in(*matrix, "kernel_pairs"),
             whole_in(*matrix, "lane_pairs"),
             device.is_null() ? "lanes of bytes" : "tables of the device");
}

/// Rounds to microseconds, because further digits mean nothing.
double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

/// Returns the number of leaves that a resumed count took from its checkpoint instead of counting
/// them again. If the document is of an older version and lacks this number, computes it from the
/// total, the rate and the time.
double resumed_leaves_in(const Json& document) {
  if (document.contains("resumed_leaves")) return real_in(document, "resumed_leaves");
  const double counted = real_in(document, "leaves_per_second") * real_in(document, "seconds");
  return std::max(0.0, count_in(document, "nodes").approximate() - counted);
}

/// Returns the divide sorted by move text. Users can search such a divide, and compare two of them
/// with the tool diff.
std::vector<std::pair<std::string, NodeCount>> sorted_divide(const Report& report,
                                                             CastlingNotation notation) {
  std::vector<std::pair<std::string, NodeCount>> rows;
  for (const DivideEntry& entry : report.divide)
    rows.emplace_back(to_uci(entry.move, notation), entry.nodes);
  std::ranges::sort(rows);
  return rows;
}

/// A row of a divide: a move, or a move and a reply to it.
struct DivideRow {
  std::string move;
  std::string reply;  ///< empty if replies are not listed
  std::string nodes;
  std::string fen;  ///< position after the moves; empty if not listed
};

/// Flattens a divide: one row per reply if replies are listed, otherwise one row per move.
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

}  // namespace

Json device_use_json(const DeviceUse& use) {
  Json json{{"name", use.name},
            {"driver", use.driver},
            {"bytes", use.bytes},
            {"seconds", rounded(use.seconds)}};
  for (const auto& [kernel, seconds] : use.kernels)
    json["kernel_seconds"][kernel] = rounded(seconds);
  return json;
}

namespace {

/// Returns null if the count used no matrix.
Json matrix_json(const std::optional<MatrixReport>& matrix) {
  if (!matrix) return nullptr;
  Json json{{"rows", matrix->rows},
            {"columns", matrix->columns},
            {"kernel_pairs", matrix->kernel_pairs},
            {"lane_pairs", matrix->lane_pairs},
            {"bytes", matrix->bytes},
            {"parts", matrix->parts},
            {"false_match_possible", false}};
  if (matrix->device) json["device"] = device_use_json(*matrix->device);
  return json;
}

}  // namespace

std::string count_document(const Report& report, const Line& root, Depth depth, bool with_divide) {
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
  json["serial_seconds"] = rounded(report.serial_seconds);
  json["kernel"] = report.kernel;
  json["method"] = method_name(report);
  json["method_reason"] = report.method_reason;
  json["matrix"] = matrix_json(report.matrix);
  add_hash_json(report, json);
  if (with_divide) {
    json["divide"] = Json::array();
    for (const auto& [move, nodes] : sorted_divide(report, root.notation()))
      json["divide"].push_back({{"move", move}, {"nodes", nodes.to_string()}});
  }
  return json_line(json);
}

std::string count_text(const Json& document, const Presentation& how) {
  std::string text;
  if (const auto divide = document.find("divide");
      how.divide && divide != document.end() && !divide->empty()) {
    for (const DivideRow& row : rows_in(*divide)) {
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
  std::string threads = std::to_string(whole_in(document, "threads"));
  if (const double serial = document.value("serial_seconds", 0.0); serial > 0)
    threads += fmt::format("; for {:.3f} s, some had no work", serial);
  text += text_line("threads", threads);
  text += text_line("kernel", text_in(document, "kernel"));
  const bool hashed = !document.at("table").is_null();
  // Older documents do not name the method, which is one of these two.
  std::string method = document.value("method", hashed ? "hashed" : "unhashed");
  const std::string reason = document.value("method_reason", "");
  if (!reason.empty() && reason != "requested") method += ": " + reason;
  text += text_line("method", method);
  if (hashed) text += hash_text(document);
  return text + matrix_text(document);
}

std::string divide_csv(const Json& document, const Presentation&) {
  const Json divide = document.value("divide", Json::array());
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

// Without `how.line`, the last move is unknown. If the last move was a double push that cannot be
// captured en passant, the order may differ from that of Stockfish.
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
  return Error{ErrorCode::kInvalidInput, "report", 0, "has no divide that fits the position"};
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

namespace {

/// Returns `part` in percent of `whole`; 0 if `whole` is 0.
double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Returns a row of hash_text()'s table: the counters of the hash table for one depth.
std::string row(const std::string& depth, const Json& at) {
  const std::uint64_t probes = whole_in(at, "probes");
  const std::uint64_t hits = whole_in(at, "hits");
  return fmt::format("{:<7} {:>15} {:>15} {:>8.1f} % {:>15} {:>15}\n", depth, probes, hits,
                     percent(hits, probes), whole_in(at, "stores"), whole_in(at, "replacements"));
}

/// Calls visit(depth, counters) for each depth that was probed.
template <typename Visit>
void for_depths(const HashStats& stats, const Visit& visit) {
  for (std::size_t depth = 0; depth < stats.by_depth.size(); ++depth) {
    if (stats.by_depth[depth].probes != 0) visit(static_cast<int>(depth), stats.by_depth[depth]);
  }
}

/// Returns the counters of one depth. The hit rate is a fraction from 0 to 1.
Json json_of(const HashStats::PerDepth& at) {
  return {{"probes", at.probes},
          {"hits", at.hits},
          {"hit_rate", percent(at.hits, at.probes) / 100},
          {"stores", at.stores},
          {"replacements", at.replacements}};
}

}  // namespace

std::string hash_text(const Json& document) {
  const Json& table = document.at("table");
  const std::uint64_t windows = whole_in(table, "windows");
  const std::string these_windows = windows == 1 ? "one window of"
                                    : windows == whole_in(document, "threads")
                                        ? "a window for each thread of"
                                        : fmt::format("{} windows of", windows);
  const Json& seed = document.at("key_seed");
  std::string text = fmt::format(
      "hash       {}: deep table {}, {} stripes; {} {}\n"
      "keys       seed {}, {} bits; a match compares {:.1f} bits, or {:.1f} at depth 2\n"
      "expected   {:.2g} false matches{}\n"
      "fill       {:.1f} % of the deep table\n"
      "counted    {} positions by the two-ply kernel\n\n",
      format_bytes(whole_in(document, "hash_bytes")), format_bytes(whole_in(table, "deep_bytes")),
      whole_in(table, "stripes"), these_windows, format_bytes(whole_in(table, "window_bytes")),
      seed.is_null() ? "secret" : seed.get<std::string>(), whole_in(document, "key_bits"),
      real_in(table, "deep_key_bits"), real_in(table, "window_key_bits"),
      real_in(document, "expected_false_matches"),
      whole_in(document, "resumed_units") > 0 ? ", in the subtrees counted now" : "",
      100 * real_in(table, "deep_fill"), whole_in(table, "kernel_calls"));
  text += fmt::format("{:<7} {:>15} {:>15} {:>10} {:>15} {:>15}\n", "depth", "probes", "hits",
                      "hit rate", "stores", "replacements");
  for (const Json& at : table.at("by_depth"))
    text += row(std::to_string(whole_in(at, "depth")), at);
  return text + row("all", table);
}

void add_hash_json(const Report& report, Json& json) {
  if (!report.hash) {  // without hashing there are no false matches
    json["hash_bytes"] = 0;
    json["key_seed"] = nullptr;
    json["key_bits"] = nullptr;
    json["expected_false_matches"] = 0;
    json["table"] = nullptr;
    return;
  }
  const HashReport& hash = *report.hash;
  json["hash_bytes"] = hash.bytes;
  json["key_seed"] = nullptr;
  // The seed is a string, because it may exceed 2^53.
  if (!hash.secret_seed) json["key_seed"] = std::to_string(hash.keys.seed);
  json["key_bits"] = hash.keys.bits;
  json["expected_false_matches"] = hash.expected_false_matches;
  Json table{
      {"deep_bytes", hash.plan.deep_bytes},
      {"wide_bytes", hash.plan.wide_entries * WideTable::kEntryBytes},
      {"window_bytes", hash.plan.window_bytes},
      {"windows", hash.plan.windows_of(report.threads)},
      {"stripes", hash.stripes},
      {"deep_key_bits", hash.effective_deep_bits},
      {"window_key_bits", hash.effective_window_bits},
      {"deep_fill", hash.deep_fill},
      {"reused", hash.reused},
      {"kernel_calls", hash.stats.kernel_calls},
  };
  table.update(json_of(hash.stats.total()));
  table["by_depth"] = Json::array();
  for_depths(hash.stats, [&](int depth, const HashStats::PerDepth& at) {
    Json entry{{"depth", depth}};
    entry.update(json_of(at));
    table["by_depth"].push_back(std::move(entry));
  });
  json["table"] = std::move(table);
}

// Stockfish generates pseudo-legal moves by piece type: pawns (see PseudoLegal::pawns), knights,
// bishops, rooks, queens, king steps, castling. Within a type, moves are ordered by origin, then
// target. In check, it generates only king moves, captures of the checker and interpositions. It
// then removes illegal moves in one pass through the list: it replaces an illegal move by the last
// move of the list, and examines that move next. So if pieces are pinned, moves from the end of the
// list appear in the middle.

namespace {

/// Generates pseudo-legal moves of the side to move, `Us`, in Stockfish's order.
template <Color Us>
class PseudoLegal {
 public:
  PseudoLegal(const Position& position, std::optional<Square> passed)
      : board_(position.board()),
        own_(board_.of(Us)),
        other_(board_.of(~Us)),
        checkers_(position.checkers()),
        passed_(passed) {}

  std::vector<Move> list() {
    const int king = lowest(own_.king);
    targets_ = ~own_.all();
    pawn_pushes_ = ~board_.occupied();
    pawn_captures_ = other_.all();
    if (checkers_ != 0) {
      const int checker = lowest(checkers_);
      const Bitboard between = kBetween[at(king)][at(checker)];
      targets_ = between | bit(checker);
      pawn_pushes_ &= between;
      pawn_captures_ = checkers_;
    }
    if (!several(checkers_)) {
      pawns();
      pieces(own_.knights, [](int from, Bitboard) { return kKnightAttacks[at(from)]; });
      pieces(own_.bishops_queens & ~own_.rooks_queens, bishop_attacks);
      pieces(own_.rooks_queens & ~own_.bishops_queens, rook_attacks);
      pieces(own_.bishops_queens & own_.rooks_queens, [](int from, Bitboard occupied) {
        return bishop_attacks(from, occupied) | rook_attacks(from, occupied);
      });
    }
    add_each(king, kKingAttacks[at(king)] & ~own_.all());
    if (checkers_ == 0) castling(king);
    return std::move(moves_);
  }

 private:
  // "Right" and "left" are from the view of the player of `Us`.
  static constexpr bool kWhite = Us == Color::kWhite;
  static constexpr int kUp = kWhite ? 8 : -8;
  static constexpr int kUpRight = kWhite ? 9 : -9;
  static constexpr int kUpLeft = kWhite ? 7 : -7;
  static Bitboard up(Bitboard set) { return forward<Us>(set); }
  static Bitboard up_right(Bitboard set) {
    return kWhite ? forward_east<Us>(set) : forward_west<Us>(set);
  }
  static Bitboard up_left(Bitboard set) {
    return kWhite ? forward_west<Us>(set) : forward_east<Us>(set);
  }

  static constexpr std::size_t at(int square) { return static_cast<std::size_t>(square); }
  static Bitboard bishop_attacks(int from, Bitboard occupied) {
    return bishop_attacks_by_walking(from, occupied);
  }
  static Bitboard rook_attacks(int from, Bitboard occupied) {
    return rook_attacks_by_walking(from, occupied);
  }

  void add(int from, int to, MoveKind kind) {
    moves_.emplace_back(square_at(from), square_at(to), kind);
  }
  /// Adds a move to each target. Targets are in ascending order of squares (a1, b1, …, h8).
  void add_each(int from, Bitboard targets) {
    while (targets != 0) add(from, pop_lowest(targets), MoveKind::kNormal);
  }

  template <typename Attacks>
  void pieces(Bitboard set, Attacks attacks) {
    while (set != 0) {
      const int from = pop_lowest(set);
      add_each(from, attacks(from, board_.occupied()) & targets_);
    }
  }

  void pawn_moves(Bitboard targets, int step, MoveKind kind) {
    while (targets != 0) {
      const int to = pop_lowest(targets);
      add(to - step, to, kind);
    }
  }
  void promotions(Bitboard targets, int step) {
    using enum MoveKind;
    while (targets != 0) {
      const int to = pop_lowest(targets);
      for (const MoveKind kind : {kPromoteQueen, kPromoteRook, kPromoteBishop, kPromoteKnight}) {
        add(to - step, to, kind);
      }
    }
  }

  /// Adds these groups in this order: pushes; double pushes; promotions (right, left, ahead; each
  /// to queen, rook, bishop, knight); captures (right, left); en passant captures. Within a group,
  /// moves are ordered by target square. All en passant captures have the same target, so they
  /// are ordered by origin.
  void pawns() {
    const Bitboard promoting = own_.pawns & relative_rank<Us>(6);
    const Bitboard others = own_.pawns & ~promoting;
    const Bitboard empty = ~board_.occupied();
    const Bitboard single = up(others) & empty;
    const Bitboard twice = up(single & relative_rank<Us>(2)) & empty;
    pawn_moves(single & pawn_pushes_, kUp, MoveKind::kNormal);
    pawn_moves(twice & pawn_pushes_, 2 * kUp, MoveKind::kDoublePush);
    promotions(up_right(promoting) & pawn_captures_, kUpRight);
    promotions(up_left(promoting) & pawn_captures_, kUpLeft);
    promotions(up(promoting) & pawn_pushes_, kUp);
    pawn_moves(up_right(others) & pawn_captures_, kUpRight, MoveKind::kNormal);
    pawn_moves(up_left(others) & pawn_captures_, kUpLeft, MoveKind::kNormal);
    en_passant(others);
  }

  void en_passant(Bitboard pawns) {
    if (!passed_) return;
    const Bitboard target = bit(*passed_);
    // A double push may discover a check through the square that the pawn has left. Capturing the
    // pawn en passant does not end such a check.
    if (checkers_ != 0 && (targets_ & up(target)) != 0) return;
    Bitboard capturers = pawns & pawn_attacks<~Us>(target);
    while (capturers != 0) add(pop_lowest(capturers), index(*passed_), MoveKind::kEnPassant);
  }

  void castling(int king) {
    const Bitboard rooks = board_.castling & back_rank(Us);
    for (const bool king_side : {true, false}) {
      for (Bitboard rest = rooks; rest != 0;) {
        const int rook = pop_lowest(rest);
        const bool path_empty = (castling_path<Us>(king, rook).empty & board_.occupied()) == 0;
        if ((rook > king) == king_side && path_empty) add(king, rook, MoveKind::kCastling);
      }
    }
  }

  const Board& board_;
  const Pieces& own_;
  const Pieces& other_;
  Bitboard checkers_;
  std::optional<Square> passed_;
  Bitboard targets_ = 0;        // targets of knights and sliders
  Bitboard pawn_pushes_ = 0;    // squares that pawns may move to
  Bitboard pawn_captures_ = 0;  // pieces that pawns may capture
  std::vector<Move> moves_;
};

}  // namespace

std::vector<Move> stockfish_order(const Position& position, std::optional<Square> passed) {
  std::vector<Move> moves = position.side_to_move() == Color::kWhite
                                ? PseudoLegal<Color::kWhite>(position, passed).list()
                                : PseudoLegal<Color::kBlack>(position, passed).list();
  const MoveList legal = legal_moves(position);
  for (std::size_t i = 0; i < moves.size();) {
    if (std::ranges::find(legal, moves[i]) != legal.end()) {
      ++i;
    } else {
      moves[i] = moves.back();
      moves.pop_back();
    }
  }
  return moves;
}

namespace {

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
                   fmt::format("{} has {} paths, but its replies add up to {}", move,
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
