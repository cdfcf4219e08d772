#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "tools/diagnose/divide_diff.h"
#include "tools/text/engine_output_parser.h"

namespace manyply {
namespace {

Error bad_divide(std::string why) {
  return {ErrorCode::kInvalidInput, "divide", 0, std::move(why)};
}

/// Returns whether a total of 0 means that the position has no moves. Returns true in two cases.
/// First: the text has a word for counts or totals, or the word `perft`. Second: only one line is
/// not empty, and this line has only ASCII characters.
bool says_nothing_else(const EngineAnswer& answer) {
  std::size_t lines = 0;
  for (const std::string& text : answer.lines) {
    if (std::ranges::any_of(text, [](char c) { return (c & 0x80) != 0; })) ++lines;

    const std::string line = plain(text);
    const std::vector<Token> tokens = tokens_of(line);
    lines += tokens.empty() ? 0 : 1;
    const auto names_total = [](const Token& token) {
      return token.is_word(kCountWords) || token.is_word(kTotalRows) || token.is_word(" perft ");
    };
    if (std::ranges::any_of(tokens, names_total)) return true;
  }
  return lines == 1;
}

/// Returns the reason why the answer cannot be compared; nullopt if it can.
std::optional<Error> fault_of(const EngineAnswer& answer, const Line& asked) {
  if (!answer.unread.empty()) {
    if (const auto other = position_answered(asked, answer, std::nullopt))
      return bad_divide("is not about this position: " + other->detail);
    return bad_divide("not understood: " + to_string(answer.unread.front()));
  }
  if (!answer.rows.empty()) return std::nullopt;
  if (!answer.total) return bad_divide("has no line like 'e2e4: 600', a move and a count");
  if (*answer.total == NodeCount(0) && says_nothing_else(answer)) return std::nullopt;
  return bad_divide("has a total, but no counts per move; run the divide command of your program");
}

constexpr std::array kOrdinals{"first", "second", "third", "fourth", "fifth", "sixth", "seventh"};

std::string ordinal(std::size_t number, const char* of) {
  return number < kOrdinals.size() ? fmt::format("{} {}", kOrdinals[number], of)
                                   : fmt::format("{} {}", of, number + 1);
}

/// Returns the name in the line directly above a table: "Stockfish" from "Stockfish:". Returns an
/// empty string if this line has no name.
std::string head_above(const EngineAnswer& table) {
  constexpr std::size_t kLongest = 40;
  constexpr std::string_view kMarks = " \t:=-*#>`'\".";
  for (std::size_t at = table.first_line - 1; at-- > 0;) {
    const std::string line = plain(table.lines[std::min(at, table.lines.size() - 1)]);
    const std::size_t first = line.find_first_not_of(kMarks);
    if (first == std::string::npos) continue;  // an empty line or a ruled line
    const std::string head = line.substr(first, line.find_last_not_of(kMarks) + 1 - first);
    const bool is_name = head.size() <= kLongest && std::ranges::any_of(head, is_letter);
    const auto heading = Heading::read(line);
    const TotalsOfLine totals = totals_of(tokens_of(line), nullptr, false);
    if (!totals.readings.empty() && totals.readings.front().sure) return "";
    return is_name && !resembles_move(tokens_of(line)) && !(heading && heading->is_sure()) ? head
                                                                                           : "";
  }
  return "";
}

/// Returns the depth in a line such as `go perft 3`. Returns nullopt if the line has no depth, is
/// an `info` line, or has a text that resembles a move.
std::optional<int> depth_of_line(const std::string& text) {
  const std::string line = plain(text);
  const std::vector<Token> tokens = tokens_of(line);
  if (tokens.empty() || tokens[0].is_word(" info ") || resembles_move(tokens)) return std::nullopt;
  constexpr NodeCount kDeepest = 64;
  const auto told = depth_told(tokens);
  if (!told || *told > kDeepest) return std::nullopt;
  return static_cast<int>(told->approximate());
}

class PasteReader {
 public:
  PasteReader(const Line& asked, Depth depth) : asked_(asked), depth_(depth) {}

  Result<std::vector<PastedDivide>> run(std::string_view text) {
    const Result<std::vector<std::string>> lines = pasted_lines(text);
    if (!lines) return lines.error();
    std::vector<PastedSide> sides = sides_of(*lines, asked_.named());
    for (const PastedSide& side : sides) {
      if (auto error = read_side(side)) return *std::move(error);
    }
    if (readings_.size() == 1) readings_[0].name.clear();
    return std::move(readings_);
  }

 private:
  std::optional<Error> read_side(const PastedSide& side) {
    EngineOutputParser parser(asked_.named(), depth_);
    for (const PastedLine& line : side.lines) parser.feed(line.text);
    std::vector<EngineAnswer> tables = without_remarks(parser.answers());
    const std::vector<std::optional<int>> depths = depths_told(tables);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (auto fault = fault_of(tables[i], asked_)) return fault;
      std::string name = side.name;
      if (tables.size() > 1) {
        const std::string head = head_above(tables[i]);
        const std::string place = fmt::format(
            "line {}", side.lines[std::min(tables[i].first_line, side.lines.size()) - 1].number);
        const std::string table =
            head.empty() ? ordinal(i, "divide") : fmt::format("divide '{}'", head);
        name += fmt::format("{}{}, {}", name.empty() ? "" : ", ", table, place);
      }
      add_columns(tables[i], name, depths[i]);
    }
    return std::nullopt;
  }

  /// Returns one depth for each table: the depth in the text above the table. If the text above the
  /// first table gives no depth, takes all depths from the texts below the tables.
  static std::vector<std::optional<int>> depths_told(const std::vector<EngineAnswer>& tables) {
    const auto told_in = [&](std::size_t first, std::size_t last, bool takes_last) {
      std::optional<int> told;
      for (std::size_t at = first; at < std::min(last, tables[0].lines.size()); ++at) {
        const auto here = depth_of_line(tables[0].lines[at]);
        if (here && (takes_last || !told)) told = here;
      }
      return told;
    };
    std::vector<std::optional<int>> before;
    std::vector<std::optional<int>> behind;
    for (std::size_t i = 0; i < tables.size() && tables[i].first_line > 0; ++i) {
      const std::size_t end = i == 0 ? 0 : tables[i - 1].last_line;
      const std::size_t next = i + 1 < tables.size() ? tables[i + 1].first_line - 1 : SIZE_MAX;
      before.push_back(told_in(end, tables[i].first_line - 1, true));
      behind.push_back(told_in(tables[i].last_line, next, false));
    }
    before.resize(tables.size());
    behind.resize(tables.size());
    return before.front() ? before : behind;
  }

  void add_columns(const EngineAnswer& table, const std::string& name,
                   const std::optional<int>& told) {
    EngineAnswer main = table;
    main.other_columns.clear();
    const auto named = [&](const std::string& column) {
      return name.empty() || column.empty() ? name + column : name + ", " + column;
    };
    ++tables_;
    const auto depth_of = [&](const std::optional<int>& of_column) {
      return of_column ? of_column : told;
    };
    std::vector<std::pair<std::size_t, PastedDivide>> all;
    all.emplace_back(table.offset, PastedDivide{named(table.column), depth_, main,
                                                depth_of(main.depth_told), tables_});
    for (const EngineAnswer::OtherColumn& column : table.other_columns) {
      EngineAnswer other = main;
      other.rows = column.rows;
      // The total belongs to a column if the column adds up to this total.
      if (column.fits_total || !main.contradicts_itself()) {
        other.total = column.fits_total ? other.sum() : std::nullopt;
        other.total_is_certain = column.fits_total && main.total_is_certain;
      }
      all.emplace_back(column.offset, PastedDivide{named(column.name), depth_, std::move(other),
                                                   depth_of(column.depth_told), tables_});
    }
    std::ranges::stable_sort(all, {}, [](const auto& of) { return of.first; });
    for (auto& [offset, reading] : all) add(std::move(reading));
  }

  /// Adds the reading. Exception: if an equal reading is known, only fills in the total and the
  /// depth that the known reading lacks.
  void add(PastedDivide reading) {
    const auto rows_of = [](const EngineAnswer& answer) {
      std::vector<std::pair<std::string, NodeCount>> rows;
      for (const EngineRow& row : answer.rows) rows.emplace_back(row.move, row.nodes);
      std::ranges::sort(rows);
      return rows;
    };
    const auto rows = rows_of(reading.answer);
    for (PastedDivide& known : readings_) {
      const auto& total = reading.answer.total;
      const bool same_total = !total || !known.answer.total || total == known.answer.total;
      if (!same_total || rows_of(known.answer) != rows) continue;
      if (total && !known.answer.total) known.answer = std::move(reading.answer);
      if (!known.depth_told) known.depth_told = reading.depth_told;
      return;
    }
    readings_.push_back(std::move(reading));
  }

  const Line& asked_;
  Depth depth_;
  std::vector<PastedDivide> readings_;
  std::size_t tables_ = 0;
};

bool are_of_one_depth(const PastedDivide& one, const PastedDivide& other) {
  if (one.depth_told && other.depth_told) return one.depth_told == other.depth_told;
  if (one.table == other.table) return true;
  const std::vector<EngineRow>& rows = one.answer.rows;
  return rows.empty() ? other.answer.rows.empty() : are_alike(rows, other.answer.rows);
}

/// Returns the likeliest depth for each answer: the depth at which the ratio of our total to the
/// sum of the answer's rows is nearest to 1. Exception: if these depths do not ascend from answer
/// to answer, and a sum differs from our total, the last answer gets `depth`, the answer above it
/// gets one ply less, and so on.
Result<std::vector<Depth>> likeliest_depths(const std::vector<const EngineAnswer*>& answers,
                                            const Line& asked, Depth depth,
                                            const OurDivide& divide) {
  std::vector<double> totals;
  for (int plies = 1; plies <= depth.plies(); ++plies) {
    const auto ours = divide(asked, Depth(plies));
    if (!ours) return ours.error();
    totals.push_back(total_of(*ours).approximate());
  }
  std::vector<Depth> depths;
  bool exact = true;
  for (const EngineAnswer* answer : answers) {
    const auto sum = answer->sum();
    const double theirs = sum ? sum->approximate() : 0;
    const auto distance = [&](double ours) {
      return std::abs(std::log((theirs + 1) / (ours + 1)));
    };
    const auto nearest = std::ranges::min_element(totals, {}, distance);
    depths.emplace_back(static_cast<int>(nearest - totals.begin()) + 1);
    exact = exact && *nearest == theirs;
  }
  const bool ascend = std::ranges::adjacent_find(depths, std::greater_equal()) == depths.end();
  for (std::size_t i = 0; i < depths.size() && !ascend && !exact; ++i)
    depths[i] = Depth(depth.plies() - static_cast<int>(depths.size() - 1 - i));
  return depths;
}

/// Returns the depths that the text gives for the readings. Returns nullopt if a depth is missing,
/// repeated, or not between 1 and `deepest`.
std::optional<std::vector<Depth>> depths_told(const std::vector<PastedDivide>& pasted,
                                              Depth deepest) {
  std::vector<Depth> depths;
  for (const PastedDivide& one : pasted) {
    const int told = one.depth_told.value_or(0);
    if (told < 1 || told > deepest.plies() || std::ranges::count(depths, Depth(told)) != 0)
      return std::nullopt;
    depths.emplace_back(told);
  }
  return depths;
}

}  // namespace

Result<std::vector<PastedDivide>> read_paste(std::string_view text, const Line& line, Depth depth) {
  return PasteReader(line, depth).run(text);
}

Result<std::vector<PastedDivide>> with_depths(std::vector<PastedDivide> pasted, const Line& line,
                                              Depth depth, const OurDivide& divide) {
  std::vector<PastedDivide> firsts;  // the first reading of each group
  std::vector<std::size_t> group_of;
  for (const PastedDivide& one : pasted) {
    const auto same = std::ranges::find_if(
        firsts, [&](const PastedDivide& first) { return are_of_one_depth(first, one); });
    group_of.push_back(static_cast<std::size_t>(same - firsts.begin()));
    if (same == firsts.end()) firsts.push_back(one);
  }
  if (firsts.size() < 2) return pasted;
  if (firsts.size() > static_cast<std::size_t>(depth.plies())) {
    return bad_divide(fmt::format(
        "has divides of {0} depths, but depth {1} allows at most {1}; give a greater depth",
        firsts.size(), depth.plies()));
  }
  std::vector<const EngineAnswer*> answers;
  for (const PastedDivide& first : firsts) answers.push_back(&first.answer);
  const auto told = depths_told(firsts, depth);
  const auto depths = told ? Result(*told) : likeliest_depths(answers, line, depth, divide);
  if (!depths && depths.error().code != ErrorCode::kUnavailable) return depths.error();
  if (!depths) {  // assume that the last divide is the deepest
    std::vector<PastedDivide> last;
    for (std::size_t i = 0; i < pasted.size(); ++i) {
      if (group_of[i] + 1 == firsts.size()) last.push_back(std::move(pasted[i]));
    }
    return last;
  }
  for (std::size_t i = 0; i < pasted.size(); ++i) pasted[i].depth = (*depths)[group_of[i]];
  std::ranges::stable_sort(pasted, {}, &PastedDivide::depth);
  return pasted;
}

Result<std::vector<PastedDivide>> parse_pasted_divides(std::string_view text, const Line& line,
                                                       Depth depth, const OurDivide& divide) {
  auto pasted = read_paste(text, line, depth);
  if (!pasted) return pasted.error();
  return with_depths(*std::move(pasted), line, depth, divide);
}

bool has_rivals(const std::vector<PastedDivide>& pasted) {
  return std::ranges::adjacent_find(pasted, std::ranges::equal_to(), &PastedDivide::depth) !=
         pasted.end();
}

std::vector<DisputedMove> disputed_moves(const std::vector<PastedDivide>& pasted) {
  std::map<std::pair<Depth, std::string>, std::vector<std::optional<NodeCount>>> counts;
  for (std::size_t i = 0; i < pasted.size(); ++i) {
    for (const EngineRow& row : pasted[i].answer.rows) {
      auto& of_move = counts[{pasted[i].depth, row.move}];
      of_move.resize(pasted.size());
      if (!of_move[i]) of_move[i] = row.nodes;
    }
  }
  std::vector<DisputedMove> disputed;
  for (auto& [key, of_move] : counts) {
    const auto& [depth, move] = key;
    std::optional<std::optional<NodeCount>> first;
    bool differ = false;
    for (std::size_t i = 0; i < pasted.size(); ++i) {
      if (pasted[i].depth != depth) continue;
      differ = differ || (first && *first != of_move[i]);
      if (!first) first = of_move[i];
    }
    if (differ) disputed.push_back({depth, move, std::move(of_move)});
  }
  return disputed;
}

namespace {

/// Returns the number and the kind of the readings: "two columns of counts", "three divides".
/// Returns "two readings" if their kinds differ.
std::string kind_of(const std::vector<const PastedDivide*>& readings) {
  const auto all = [&](std::string_view word) {
    return std::ranges::all_of(readings, [&](const PastedDivide* reading) {
      return reading->name.find(word) != std::string::npos;
    });
  };
  constexpr std::array kNumbers{"two", "three", "four", "five", "six"};
  const std::string number = readings.size() - 2 < kNumbers.size()
                                 ? kNumbers[readings.size() - 2]
                                 : std::to_string(readings.size());
  const bool alike = std::ranges::all_of(readings, [&](const PastedDivide* reading) {
    return are_alike(reading->answer.rows, readings.front()->answer.rows);
  });
  return number + (all("column") && alike ? " columns of counts"
                   : all("column")        ? " columns that may be the counts"
                   : all("number")        ? " counts for some moves"
                   : all("divide")        ? " divides"
                   : all("side")          ? " sides"
                                          : " readings");
}

/// Returns the count of each reading: "1884 (column 'mine'), 1885 (column 'stockfish')".
std::string counts_told(const std::vector<const PastedDivide*>& readings,
                        const std::function<std::optional<NodeCount>(std::size_t)>& count_of) {
  std::string text;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const std::optional<NodeCount> count = count_of(i);
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", count ? count->to_string() : "none",
                        readings[i]->name);
  }
  return text;
}

}  // namespace

std::vector<std::string> rivals_told(const std::vector<PastedDivide>& pasted) {
  constexpr std::size_t kMost = 12;  // number of moves to print
  const std::vector<DisputedMove> disputed = disputed_moves(pasted);
  std::vector<std::string> told;
  for (std::size_t first = 0, last = 0; first < pasted.size(); first = last) {
    std::vector<const PastedDivide*> readings;
    for (; last < pasted.size() && pasted[last].depth == pasted[first].depth; ++last)
      readings.push_back(&pasted[last]);
    if (readings.size() < 2) continue;
    std::vector<std::string> moves;
    for (const auto& [depth, move, counts] : disputed) {
      if (depth != pasted[first].depth) continue;
      moves.push_back(move + ": " +
                      counts_told(readings, [&](std::size_t i) { return counts[first + i]; }));
    }
    const std::string text = fmt::format("The text has {}, at depth {}; ", kind_of(readings),
                                         pasted[first].depth.plies());
    if (moves.empty()) {
      const auto total_of = [&](std::size_t i) { return readings[i]->answer.total; };
      told.push_back(text + "only their totals differ: " + counts_told(readings, total_of));
      continue;
    }
    told.push_back(text + fmt::format("they differ in {} {}:", moves.size(),
                                      moves.size() == 1 ? "move" : "moves"));
    for (std::size_t i = 0; i < std::min(moves.size(), kMost); ++i) told.push_back(moves[i]);
    if (moves.size() > kMost)
      told.push_back(fmt::format("and {} more moves", moves.size() - kMost));
  }
  return told;
}

}  // namespace manyply
