#include "tools/diagnose/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/position.h"

namespace manyply {
namespace {

constexpr std::size_t kBare = 4;    // characters of a move without its promotion piece
constexpr std::size_t kPieces = 4;  // number of promotion pieces

/// Our promotions of one pawn to one square, and the rows in which the engine lists these
/// promotions without naming the piece.
struct Promotions {
  std::vector<DivideEntry> ours;
  std::vector<std::size_t> rows;  ///< indices into the engine's rows
};

/// Returns the promotions that the engine lists without the piece, indexed by the move without the
/// piece, such as "g2g1".
std::map<std::string, Promotions> unnamed_promotions(const std::vector<EngineRow>& theirs,
                                                     const Line& line,
                                                     const std::vector<DivideEntry>& ours) {
  std::map<std::string, Promotions> all;
  for (const DivideEntry& entry : ours) {
    if (entry.move.is_promotion())
      all[to_uci(entry.move, line.notation()).substr(0, kBare)].ours.push_back(entry);
  }
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (const auto of = all.find(theirs[i].move); of != all.end()) of->second.rows.push_back(i);
  }
  std::erase_if(all, [](const auto& of) { return of.second.rows.empty(); });
  return all;
}

/// Gives each row of `promotions` the piece for which our divide has the same count. Rows for which
/// no such piece is left get the remaining pieces.
void name_pieces(std::vector<EngineRow>& theirs, const Promotions& promotions, const Line& line) {
  std::vector<DivideEntry> left = promotions.ours;
  std::vector<std::size_t> unmatched;
  const auto take = [&](std::size_t row, std::vector<DivideEntry>::iterator piece) {
    theirs[row].move = to_uci(piece->move, line.notation());
    left.erase(piece);
  };
  for (const std::size_t row : promotions.rows) {
    const auto piece = std::ranges::find(left, theirs[row].nodes, &DivideEntry::nodes);
    if (piece != left.end()) {
      take(row, piece);
    } else {
      unmatched.push_back(row);
    }
  }
  for (const std::size_t row : unmatched) {
    if (!left.empty()) take(row, left.begin());
  }
}

std::vector<EngineRow> with_pieces(std::vector<EngineRow> theirs, const Line& line,
                                   const std::vector<DivideEntry>& ours) {
  for (const auto& [move, promotions] : unnamed_promotions(theirs, line, ours)) {
    if (promotions.rows.size() >= kPieces) name_pieces(theirs, promotions, line);
  }
  return theirs;
}

/// Returns whether at least half of the counts are near our counts (see are_near()).
bool looks_like(const std::vector<EngineRow>& theirs, const Line& line,
                const std::vector<DivideEntry>& ours) {
  std::vector<EngineRow> right;
  for (const auto& [move, nodes] : ours) right.push_back({to_uci(move, line.notation()), nodes});
  return are_alike(theirs, right);
}

}  // namespace

EngineAnswer settled(EngineAnswer theirs, const Line& line, const std::vector<DivideEntry>& ours) {
  theirs.rows = with_pieces(std::move(theirs.rows), line, ours);
  if (theirs.has_other_numbers && !looks_like(theirs.rows, line, ours)) {
    for (const EngineRow& row : theirs.rows)
      theirs.unread.push_back({row.line, "it is ambiguous which number is the count"});
  }
  return theirs;
}

bool Comparison::same_moves() const {
  return invented.empty() && repeated.empty() &&
         std::ranges::all_of(rows, [](const Row& row) { return row.engine.has_value(); });
}

bool Comparison::agrees() const { return same_moves() && std::ranges::all_of(rows, &Row::agrees); }

std::vector<Comparison::Row> Comparison::wrong_below() const {
  std::vector<Row> wrong;
  for (const Row& row : rows) {
    if (row.engine && !row.agrees() && row.ours != NodeCount(0)) wrong.push_back(row);
  }
  std::ranges::stable_sort(wrong, {}, &Row::ours);
  return wrong;
}

namespace {

/// Sets `could_be` of each row of `promotions` whose count is wrong: the engine's answer does not
/// tell to which promotion this count belongs.
void find_uncertain_pieces(std::vector<Comparison::Row>& rows, const Promotions& promotions) {
  const auto of_these = [&](const Comparison::Row& row) {
    return std::ranges::count(promotions.ours, row.move, &DivideEntry::move) != 0;
  };
  std::set<NodeCount> missing;  // our counts that no row of the engine has
  for (const Comparison::Row& row : rows) {
    if (of_these(row) && row.engine && !row.agrees()) missing.insert(row.ours);
  }
  std::vector<Move> could_be;
  for (const Comparison::Row& row : rows) {
    if (of_these(row) && missing.contains(row.ours)) could_be.push_back(row.move);
  }
  if (could_be.size() < 2) return;
  for (Comparison::Row& row : rows) {
    if (of_these(row) && !row.agrees()) row.could_be = could_be;
  }
}

FewPromotions few_promotions(const std::string& move, const Promotions& promotions,
                             const std::vector<EngineRow>& theirs, const Line& line) {
  FewPromotions few{move, {}, {}};
  for (const std::size_t row : promotions.rows) few.counts.push_back(theirs[row].nodes);
  for (const bool whatever : {false, true}) {
    for (const auto& [piece, nodes] : promotions.ours) {
      if (whatever || std::ranges::count(few.counts, nodes) != 0)
        few.could_be.push_back(to_uci(piece, line.notation()));
    }
    if (few.could_be.size() >= promotions.rows.size()) break;
    few.could_be.clear();
  }
  return few;
}

}  // namespace

Comparison compare(const Line& line, const std::vector<DivideEntry>& ours,
                   const EngineAnswer& theirs) {
  Comparison comparison;
  for (const auto& [move, nodes] : ours) comparison.rows.push_back({move, nodes, std::nullopt});
  comparison.lists_nothing = theirs.rows.empty();
  const std::vector<EngineRow> rows = with_pieces(theirs.rows, line, ours);
  const auto unnamed = unnamed_promotions(theirs.rows, line, ours);
  const auto times_unnamed = [&](const std::string& text) {
    const auto of = unnamed.find(text);
    return of == unnamed.end() ? 0 : of->second.rows.size();
  };
  for (const auto& [text, nodes, printed] : rows) {
    const auto found = std::ranges::find_if(comparison.rows, [&](const Comparison::Row& row) {
      return to_uci(row.move, line.notation()) == text;
    });
    if (found != comparison.rows.end() && !found->engine) {
      found->engine = nodes;
    } else if (found != comparison.rows.end() || times_unnamed(text) > kPieces) {
      comparison.repeated.push_back(text);
    } else if (times_unnamed(text) < 2 && std::ranges::count(comparison.invented, text) == 0) {
      comparison.invented.push_back(text);
    }
  }
  for (const auto& [move, promotions] : unnamed) {
    if (promotions.rows.size() >= kPieces) {
      find_uncertain_pieces(comparison.rows, promotions);
    } else if (promotions.rows.size() > 1) {
      comparison.few.push_back(few_promotions(move, promotions, rows, line));
    }
  }
  std::ranges::sort(comparison.invented);
  return comparison;
}

std::optional<Observation> observe(const Line& line, Depth depth, const Comparison& compared) {
  const bool deepest = depth.plies() == 1;
  const bool has_dead_end = std::ranges::any_of(compared.rows, [](const Comparison::Row& row) {
    return row.ours == NodeCount(0) && row.engine && !row.agrees();
  });
  const bool shows = !compared.same_moves() || has_dead_end || (deepest && !compared.agrees());
  if (!shows) return std::nullopt;
  Observation observation;
  observation.invented = compared.invented;
  observation.repeated = compared.repeated;
  observation.few = compared.few;
  observation.lists_nothing = compared.lists_nothing;
  const auto is_of_few = [&](const std::string& move) {
    return std::ranges::count(compared.few, move.substr(0, kBare), &FewPromotions::move) != 0;
  };
  for (const auto& [move, ours, engine, could_be] : compared.rows) {
    const std::string text = to_uci(move, line.notation());
    if (!engine) {
      if (!is_of_few(text)) observation.missed.push_back(move);
    } else if (*engine != ours && (deepest || ours == NodeCount(0))) {
      CountDifference& wrong =
          observation.counts.emplace_back(CountDifference{text, ours, *engine});
      if (could_be.empty()) continue;
      wrong.move = text.substr(0, kBare);
      for (const Move other : could_be) wrong.could_be.push_back(to_uci(other, line.notation()));
    }
  }
  return observation;
}

std::set<std::string> legal_texts(const Position& position, CastlingNotation notation) {
  std::set<std::string> texts;
  for (const Move move : legal_moves(position)) texts.insert(to_uci(move, notation));
  return texts;
}

std::set<std::string> legal_texts(const Line& line) {
  return legal_texts(line.here(), line.notation());
}

std::set<std::string> listed_texts(const Line& line, const Comparison& compared) {
  std::set<std::string> listed(compared.invented.begin(), compared.invented.end());
  for (const Comparison::Row& row : compared.rows) {
    if (row.engine) listed.insert(to_uci(row.move, line.notation()));
  }
  return listed;
}

std::string told(const Line& line) {
  std::string text = line.start_fen();
  if (!line.moves().empty()) text += fmt::format(" moves {}", fmt::join(line.uci_moves(), " "));
  return text;
}

std::optional<Error> incomplete_answer(AskedProgram& program, const Line& line, Depth depth,
                                       const EngineAnswer& answer) {
  if (answer.ended) return std::nullopt;
  const Result<EngineAnswer> again = program.divide(line, Depth(1));
  if (!again) return again.error();
  if (!again->unread.empty()) return std::nullopt;
  const std::set<std::string> legal = legal_texts(line);
  const auto lists = [](const EngineAnswer& of, const std::string& move) {
    return std::ranges::count(of.rows, move, &EngineRow::move) != 0;
  };
  const std::string list =
      depth.plies() == 1 ? "its list when it is asked again" : "its list at depth 1";
  const auto differs = [&](const std::string& what, const std::string& move, const char* how) {
    return Error{ErrorCode::kUnavailable, "engine", 0,
                 fmt::format("{}: {} is {} {}, and the answer for depth {} has "
                             "no total that proves it complete; position: {}",
                             what, move, how, list, depth.plies(), told(line))};
  };
  for (const EngineRow& row : again->rows) {
    if (legal.contains(row.move) && !lists(answer, row.move))
      return differs("incomplete answer", row.move, "only in");
  }
  for (const EngineRow& row : answer.rows) {
    if (!legal.contains(row.move) && !lists(*again, row.move))
      return differs("the program mixes two answers, or answers the same question differently",
                     row.move, "not in");
  }
  return std::nullopt;
}

}  // namespace manyply
