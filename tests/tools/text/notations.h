// Sixty notations in which programs print a divide, and positions to print.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/counting.h"
#include "core/fen.h"
#include "core/move_text.h"
#include "tools/diagnose/diagnosis.h"
#include "tools/text/engine_output_parser.h"

namespace manyply::notation {

struct Told {
  const Position& position;
  Move move;
  std::string uci;
  std::string nodes;
  int number;  ///< number of the row, from 1
  int depth;
};

struct Notation {
  const char* name;
  std::function<std::string(const Told&)> row;
  std::function<std::string(const std::string& total, int depth)> total =
      [](const std::string& total, int) { return "Nodes searched: " + total; };
  bool is_short = false;  ///< does not name the origin, so some wrong moves cannot be written
  const char* heading = "";
};

inline std::string from(const Told& told) { return told.uci.substr(0, 2); }
inline std::string to(const Told& told) { return told.uci.substr(2, 2); }
inline std::string in_capitals(std::string text) {
  for (char& c : text) c = is_small(c) ? static_cast<char>(c - 32) : c;
  return text;
}
inline std::string before_promotion(const Told& told, const std::string& mark) {
  return told.uci.size() < 5 ? "" : mark + told.uci.substr(4);
}
inline std::string capital_piece(const Told& told, const std::string& mark) {
  return in_capitals(before_promotion(told, mark));
}
/// Returns O-O for castling, otherwise `other`.
inline std::string castling_or(const Told& told, const std::string& other) {
  if (told.move.kind() != MoveKind::kCastling) return other;
  return told.move.to() > told.move.from() ? "O-O" : "O-O-O";
}
inline std::string san(const Told& told) { return to_san(told.position, told.move); }
inline std::string letter(const Told& told) {
  return {"PNBRQK"[static_cast<std::size_t>(told.position.piece_on(told.move.from())->type)]};
}
inline std::string piece(const Told& told) {
  constexpr const char* kNames[] = {"pawn", "knight", "bishop", "rook", "queen", "king"};
  return kNames[static_cast<std::size_t>(told.position.piece_on(told.move.from())->type)];
}
inline std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}
inline std::string in_groups(const std::string& digits, const std::string& mark) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i)
    text += (i > 0 && (digits.size() - i) % 3 == 0 ? mark : "") + digits[i];
  return text;
}
inline bool captures(const Told& told) { return san(told).find('x') != std::string::npos; }
/// "Ke1xf2+", "e7-e8=Q", "0-0".
inline std::string long_san(const Told& told) {
  std::string text = castling_or(told, "");
  std::ranges::replace(text, 'O', '0');
  if (!text.empty()) return text;
  const char mark = san(told).back();
  return (letter(told) == "P" ? "" : letter(told)) + from(told) + (captures(told) ? 'x' : '-') +
         to(told) + capital_piece(told, "=") +
         (mark == '+' || mark == '#' ? std::string{mark} : "");
}
inline std::string without_total(const std::string&, int) { return ""; }
/// Returns the piece, such as "queen", between `before` and `after`; empty without a promotion.
inline std::string promotion(const Told& told, const std::string& before,
                             const std::string& behind) {
  if (told.uci.size() < 5) return "";
  const char piece = told.uci[4];
  return before +
         (piece == 'q'   ? "queen"
          : piece == 'r' ? "rook"
          : piece == 'b' ? "bishop"
                         : "knight") +
         behind;
}
/// Returns hexadecimal digits, like a hash that an engine prints beside the move. In every third
/// row, only one digit is a letter.
inline std::string hash(const Told& told) {
  std::string digits = std::to_string(std::hash<std::string>()(told.uci) % 1'000'000'000);
  for (char& c : digits) c = told.number % 3 == 0 || c > '5' ? c : static_cast<char>(c - '0' + 'a');
  return digits + "4d2";
}

/// The parts of a row that a form can contain, such as "$uci". "$UCI" prints the part in capitals.
inline const std::map<std::string, std::string (*)(const Told&)> kParts{
    {"assigned", [](const Told& t) { return before_promotion(t, " = "); }},
    {"captured", [](const Told& t) { return std::string(captures(t) ? "1" : "0"); }},
    {"castling", [](const Told& t) { return castling_or(t, t.uci); }},
    {"depth", [](const Told& t) { return std::to_string(t.depth); }},
    {"eq", [](const Told& t) { return before_promotion(t, "="); }},
    {"from", from},
    {"groups", [](const Told& t) { return in_groups(t.nodes, ","); }},
    {"hash", hash},
    {"index", [](const Told& t) { return std::to_string(t.number - 1); }},
    {"long", long_san},
    {"nodes", [](const Told& t) { return t.nodes; }},
    {"number", [](const Told& t) { return std::to_string(t.number); }},
    {"points", [](const Told& t) { return in_groups(t.nodes, "."); }},
    {"promotion", [](const Told& t) { return before_promotion(t, ""); }},
    {"rings",
     [](const Told& t) {
       std::string text = castling_or(t, t.uci);
       std::ranges::replace(text, 'O', '0');
       return text;
     }},
    {"san", san},
    {"spaced", [](const Told& t) { return before_promotion(t, " "); }},
    {"spaces", [](const Told& t) { return in_groups(t.nodes, " "); }},
    {"squares", [](const Told& t) { return t.uci.substr(0, 4); }},
    {"to", to},
    {"uci", [](const Told& t) { return t.uci; }},
};

/// Replaces each "$name" in `form`.
inline std::string filled(std::string_view form,
                          const std::function<std::string(const std::string& name)>& part) {
  std::string text;
  for (std::size_t at = 0;;) {
    const std::size_t mark = std::min(form.find('$', at), form.size());
    text += form.substr(at, mark - at);
    if (mark == form.size()) return text;
    at = mark + 1;
    while (at < form.size() && is_letter(form[at])) ++at;
    text += part(std::string(form.substr(mark + 1, at - mark - 1)));
  }
}

inline std::function<std::string(const Told&)> row(const char* form) {
  return [form](const Told& told) {
    return filled(form, [&](std::string name) {
      const bool in_small = is_small(name[0]);
      for (char& c : name) c = static_cast<char>(c | 0x20);
      const std::string text = kParts.at(name)(told);
      return in_small ? text : in_capitals(text);
    });
  };
}
inline std::function<std::string(const std::string&, int)> total(const char* form) {
  return [form](const std::string& sum, int depth) {
    return filled(form, [&](const std::string& name) {
      return name == "depth"    ? std::to_string(depth)
             : name == "groups" ? in_groups(sum, ",")
             : name == "points" ? in_groups(sum, ".")
                                : sum;
    });
  };
}

inline const std::vector<Notation>& notations() {
  static const std::vector<Notation> all{
      {"stockfish", row("$uci: $nodes")},
      {"perftree", row("$uci $nodes"), total("$total")},
      {"castling as letters", row("$castling: $nodes")},
      {"castling as letters, no total", row("$castling: $nodes"), without_total},
      {"castling as rings", row("$rings $nodes")},
      {"san", row("$san: $nodes"), total("Total: $total"), true},
      {"san, no total", row("$san = $nodes"), without_total, true},
      {"numbered san", row("$number. $san   $nodes"), total("perft($depth) = $total"), true},
      {"long with piece",
       [](const Told& t) {
         return castling_or(t, letter(t) + from(t) + '-' + to(t) + capital_piece(t, "=")) + ": " +
                t.nodes;
       }},
      {"long with captures",
       [](const Told& t) {
         return castling_or(t,
                            from(t) + (captures(t) ? "x" : "-") + to(t) + capital_piece(t, "/")) +
                "\t" + t.nodes;
       }},
      {"count first", row("$nodes $uci")},
      {"count first, aligned", [](const Told& t) { return padded(t.nodes, 12) + "| " + san(t); },
       without_total, true},
      {"brackets", row("[$uci] $nodes")},
      {"words", row("move $uci nodes $nodes"), total("$total nodes in 0.12 s")},
      {"json lines", row("\"$uci\": $nodes,")},
      {"json objects", row(R"({"uci":"$uci","san":"$san","nodes":$nodes},)"),
       total(R"({"depth":$depth,"total":$total})")},
      {"coloured", row("\x1b[1;33m$uci\x1b[0m: \x1b[36m$nodes\x1b[0m")},
      {"box",
       [](const Told& t) {
         return "\xe2\x94\x82 " + t.uci + " \xe2\x94\x82 " + padded(t.nodes, 9) + "\xe2\x94\x82";
       },
       total("\xe2\x94\x82 total \xe2\x94\x82 $total")},
      {"arrow", row("$from -> $to$ASSIGNED : $nodes")},
      {"groups", row("$uci: $groups"), total("Nodes: $groups")},
      {"spaces for groups", row("$uci: $spaces"), without_total},
      {"time behind", row("$uci: $nodes (0.003 s, 412 knps)")},
      {"share behind", row("$uci  $nodes  4.5 %"), without_total},
      {"depth column", row("$uci $depth $nodes"), without_total, false, "move depth nodes"},
      {"info string", row("info string $uci $nodes"), total("info string total $total")},
      {"figurines",
       [](const Told& t) {
         std::string text = castling_or(t, san(t));
         const std::size_t piece = std::string("KQRBN").find(text[0]);
         if (piece != std::string::npos)
           text = std::string("\xe2\x99") + static_cast<char>(0x94 + piece) + text.substr(1);
         return text + ": " + t.nodes;
       },
       total("= $total"), true},
      {"san and coordinates", row("$san ($uci): $nodes")},
      {"en passant told",
       [](const Told& t) {
         return san(t) + (t.move.kind() == MoveKind::kEnPassant ? " e.p." : "") + ": " + t.nodes;
       },
       without_total, true},
      {"capitals", row("$UCI=$nodes")},
      {"csv", row("3,$uci,$nodes"), total("total,,$total")},
      {"xml", row("<move name='$uci' nodes='$nodes'/>"), total("<sum nodes='$total'/>")},
      {"dots", [](const Told& t) { return padded(t.uci, 6) + "........ " + t.nodes; }},
      {"coloured box with shares",
       row("\xe2\x95\x91 $number \xe2\x94\x82 \x1b[32m$from-$to$PROMOTION\x1b[0m \xe2\x94\x82 "
           "\x1b[33;1m$groups\x1b[0m \xe2\x94\x82   4.51% \xe2\x95\x91"),
       total("\xe2\x95\x91 all moves \xe2\x94\x82 $groups \xe2\x94\x82 100.00% \xe2\x95\x91"),
       false, "\xe2\x95\x91  # \xe2\x94\x82 Move \xe2\x94\x82 Nodes \xe2\x94\x82 % \xe2\x95\x91"},
      {"json events",
       row(R"({"event": "move", "i": $index, "uci": "$uci", "nodes": $nodes, "elapsed_us": 12, "flags": []})"),
       total(R"({"event": "done", "nodes": $total, "elapsed_us": 512, "nps": 412000})"), false,
       R"({"event": "start", "depth": 2, "threads": 4})"},
      {"csv with san and times", row("$number,$uci,\"$san\",$nodes,0.012"),
       total(",total,,$total,3.512"), false, "no,move,san,nodes,time_ms"},
      {"annotated san",
       [](const Told& t) {
         return "12... " + padded(san(t) + (captures(t) ? "!" : ""), 12) + t.nodes + "   [  4.5%]";
       },
       total("sum   $total   [100.0%]"), true},
      {"long with piece and dots", row(" $number) $long ............. $nodes"),
       total("Depth $depth: $total positions in 0.06 s = 1.50 Mnps")},
      {"currmove before",
       row("info depth 2 currmove $uci currmovenumber $number\ninfo string perft $uci $nodes"),
       total("info nodes $total time 3 nps 412000\ninfo string perft total $total")},
      {"log",
       row("2024-03-07 18:22:00.006 DEBUG [worker-1] perft - move=$uci nodes=$nodes time=0.01ms "
           "nps=1500000"),
       total("2024-03-07 18:22:00.147 INFO  [main] perft - finished depth=$depth moves=20 "
             "nodes=$total time=65.94ms nps=1484077"),
       false, "2024-03-07 18:22:00.003 INFO  [main] perft - starting depth=2 threads=1 hash=16MB"},
      {"encoded move", row("        $nodes 0x1f$number $squares$PROMOTION      0.012 ms"),
       total("total leaf nodes at depth $depth: $total"), false,
       "position hash 0xA327FC67FE2EE6C5"},
      {"table of statistics", row("| `$uci` | $captured | 0.1 | $nodes |"),
       total("| **Total** | 8 | 5.3 | **$total** |"), false,
       "| Move | Captures | Time (ms) | Nodes |\n|:-----|---------:|----------:|------:|"},
      {"names and values", row("move=$uci depth=2 nodes=$nodes time=1"),
       total("depth=$depth nodes=$total time=65")},
      {"struct",
       [](const Told& t) {
         return "Move { piece: " + letter(t) + ", from: " + in_capitals(from(t)) +
                ", to: " + in_capitals(to(t)) + ", captured: " + (captures(t) ? "true" : "None") +
                ", promotion: " + (t.uci.size() < 5 ? "None" : promotion(t, "Some(", ")")) +
                " } => " + t.nodes;
       },
       total("perft($depth) = $total (3.125ms)")},
      {"json squares, promotion last",
       [](const Told& t) {
         return R"({"from":")" + from(t) + R"(","to":")" + to(t) + R"(","nodes":)" + t.nodes +
                (t.uci.size() < 5 ? "" : R"(,"promotion":")" + t.uci.substr(4) + '"') + '}';
       },
       total(R"({"total":$total})")},
      {"keys, promotion first",
       [](const Told& t) {
         return "promo=" + (t.uci.size() < 5 ? "-" : in_capitals(t.uci.substr(4))) +
                " src=" + from(t) + " dst=" + to(t) + " cnt=" + t.nodes;
       },
       without_total},
      {"constructor",
       [](const Told& t) {
         return "Move(" + from(t) + ", " + to(t) + promotion(t, ", ", "") + "): " + t.nodes;
       }},
      {"tuple",
       [](const Told& t) {
         return "('" + from(t) + "', '" + to(t) + "', " +
                (t.uci.size() < 5 ? "None" : "'" + t.uci.substr(4) + "'") + "): " + t.nodes;
       },
       without_total},
      {"two squares", row("$from $to$spaced $nodes"), total("$total")},
      {"arrow of its own", row("$from\xe2\x86\x92$to$EQ: $nodes"), without_total},
      {"figurine and squares",
       [](const Told& t) {
         const std::size_t piece = std::string("KQRBNP").find(letter(t));
         return std::to_string(t.number) + " \xe2\x99" + static_cast<char>(0x94 + piece) + ' ' +
                from(t) + ' ' + to(t) + capital_piece(t, " ") + ' ' + t.nodes;
       }},
      {"piece and promotion in words",
       [](const Told& t) {
         return t.uci.substr(0, 4) + ' ' + piece(t) + promotion(t, " promotes to ", "") + ": " +
                t.nodes;
       }},
      {"statistics behind", row("$uci   $nodes   $captured   0"), total("total   $total   8   0")},
      {"statistics before", row("$uci   $captured   0   $nodes"), total("total   8   0   $total")},
      {"statistics before, no total", row("$uci   $captured   0   $nodes"), without_total, false,
       "Move   Captures   Checks   Nodes"},
      {"table with speeds", row("$from-$to$EQ       $groups     1,500,000     0.001"),
       total("Total    $groups    1,484,077    0.066"), false,
       "Move            Nodes           NPS   Time(s)"},
      {"stamped", row("[12:34:05.037] perft: $uci -> $nodes (0.02 ms, 1.50 Mnps)"),
       total("[12:35:07.123] perft: done, $total leaf nodes, depth 2, 4 threads")},
      {"indexed san in grey with bars",
       row("\x1b[90m$number.\x1b[0m \x1b[1;37m$san\x1b[0m \x1b[38;5;214m$nodes\x1b[0m "
           "\xe2\x96\x88\xe2\x96\x88   4.5%"),
       total("\x1b[1mNodes\x1b[0m: $total (3ms)"), true},
      {"hash behind", row("$uci  $nodes  $hash"), total("nodes: $total  key: 8f8f01d4562f59fb")},
      {"hash before", row("$HASH $uci  $nodes"), total("nodes: $total")},
      {"king takes rook",
       [](const Told& t) { return to_uci(t.move, CastlingNotation::kChess960) + ": " + t.nodes; }},
      {"running total",
       [](const Told& t) {
         return "[" + std::to_string(t.number) + "/48] " + t.uci + ": " + t.nodes + " (total " +
                std::to_string(1000 + t.number) + ')';
       },
       total("Done: $total\r")},
      {"groups of points", row("$uci = $points\r"), total("Total = $points\r")},
      {"ply before, moves behind", row("2. $uci moves = $nodes (0.000 sec)"),
       total("Number of possible positions for $depth plies: $total")},
      {"ply before, no total", row("2. $uci moves = $nodes (0.000 sec)"), without_total},
      {"depth beside", row("$uci at depth 2: $nodes positions"),
       total("Perft $depth leaf nodes: $total")},
      {"plies beside", row("[2 plies] $san = $nodes"), total("Perft $depth $total"), true},
      {"tree", row("\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80 $uci: $nodes"), total("$total leaves")},
  };
  return all;
}

inline constexpr const char* kChatter[] = {
    "info depth 1 seldepth 1 nodes 20 nps 20000 time 1 pv e2e4",
    "time 34 ms",
    "info string 12 threads, hash 16 MB",
    "Elapsed: 0.02 s",
    "nps: 1234567",
    "TT hits: 12 of 99",
    "",
    "-----------------",
    "bestmove (none)",
};

struct Case {
  const char* fen;
  int depth;
};
inline constexpr Case kCases[] = {
    {"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2},
    {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", 3},
    {"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 2},
    {"4k3/1P6/8/3pP3/8/8/8/R3K2R w KQ d6 0 1", 3},
    {"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 2},
    {"4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", 3},
    {"8/8/8/8/8/1k6/1q6/K7 w - - 0 1", 1},
};

/// The output of a program for a position, and our reading of it.
class Print {
 public:
  Print(const Case& of, const Notation& notation)
      : notation_(notation),
        named_(*parse_position(of.fen)),
        line_(named_, of.fen, parse_fen(of.fen)->en_passant),
        depth_(of.depth),
        ours_(*divide(named_.position, Depth(of.depth))) {
    for (const auto& [move, nodes] : ours_) theirs_.push_back({move, nodes});
  }

  std::vector<DivideEntry>& theirs() { return theirs_; }
  [[nodiscard]] const Line& line() const { return line_; }
  [[nodiscard]] Depth depth() const { return Depth(depth_); }
  [[nodiscard]] const std::vector<DivideEntry>& ours() const { return ours_; }

  /// Returns the program's output.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    add(all, notation_.heading);
    NodeCount sum;
    int number = 0;
    std::size_t chatter = 0;
    for (const auto& [move, nodes] : theirs_) {
      const Told told{named_.position,   move,     to_uci(move, named_.notation),
                      nodes.to_string(), ++number, depth_};
      add(all, notation_.row(told));
      if (number % 5 == 0) all.emplace_back(kChatter[chatter++ % std::size(kChatter)]);
      sum += nodes;
    }
    for (const char* line : kChatter) all.emplace_back(line);
    add(all, notation_.total(sum.to_string(), depth_));
    return all;
  }

  [[nodiscard]] EngineAnswer read() const {
    EngineOutputParser parser(named_, Depth(depth_));
    for (const std::string& line : lines()) parser.feed(line);
    return parser.answer();
  }

  [[nodiscard]] Comparison compared(const EngineAnswer& answer) const {
    return compare(line_, ours_, answer);
  }

 private:
  static void add(std::vector<std::string>& all, std::string_view lines) {
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      all.emplace_back(lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }

  const Notation& notation_;
  NamedPosition named_;
  Line line_;
  int depth_;
  std::vector<DivideEntry> ours_;
  std::vector<DivideEntry> theirs_;
};

}  // namespace manyply::notation
