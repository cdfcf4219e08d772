#include "tools/diagnose/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/position.h"
#include "tools/diagnose/misplay.h"

namespace manyply {
namespace {

class Search {
 public:
  Search(AskedProgram& engine, const BisectOptions& options) : engine_(engine), options_(options) {}

  Result<BisectReport> run(const Line& start, Depth depth) {
    for (int plies = 1; plies <= depth.plies(); ++plies) {
      const Result<NodeCount> leaves =
          engine_.divides() ? explore(start, Depth(plies)) : explore_totals(start, Depth(plies));
      if (!leaves && report_.not_understood) break;
      if (!leaves) return leaves.error();
      // Search deeper even after a difference, until all requested causes are found. A greater
      // depth reaches more positions, which may show further causes.
      if (enough() || (!report_.agrees() && !report_.complete)) break;
      if (report_.agrees()) {
        report_.agreed = Depth(plies);
        report_.leaves = *leaves;
        options_.on_agreed(report_.agreed, report_.leaves);
      } else if (!engine_.divides()) {
        break;
      }
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] bool enough() const { return found_.size() >= options_.causes; }

  /// Returns whether the limit on questions is reached. If so, notes in the report that the search
  /// for more causes is incomplete.
  bool exhausted() {
    if (engine_.questions() - asked_before_ < options_.max_questions) return false;
    report_.complete = false;
    return true;
  }

  void add(Difference difference) {
    for (Finding& finding : difference.findings) call_as_known(finding, difference.line);
    bool is_new = false;
    for (const Finding& finding : difference.findings)
      is_new |= found_.insert(finding.cause).second;
    if (is_new) report_.differences.push_back(std::move(difference));
  }

  /// If `finding` has a new cause, and a cause that was found earlier explains `finding`, replaces
  /// the new cause by the earlier one.
  void call_as_known(Finding& finding, const Line& line) const {
    std::vector<Cause> known = options_.known;
    known.insert(known.end(), found_.begin(), found_.end());
    const auto found = std::ranges::find_if(
        known, [&](const Cause cause) { return explains(cause, finding, line); });
    if (found != known.end() && std::ranges::count(known, finding.cause) == 0)
      finding.cause = *found;
  }

  /// An answer, compared with ours.
  struct Answered : Comparison {
    std::optional<Finding> other;  ///< set if the answer is right for another question
    NodeCount ours;
    std::optional<NodeCount> theirs;
  };

  /// Asks the engine and compares its answer with ours. If `explains`, also finds out whether a
  /// wrong answer is the right answer to another question.
  Result<Answered> ask(const Line& line, Depth depth, bool explains) {
    options_.on_question(line, depth);
    const Result<std::vector<DivideEntry>> ours = options_.divide(line, depth);
    if (!ours) return ours.error();
    const Result<EngineAnswer> theirs = engine_.divide(line, depth);
    if (!theirs) return theirs.error();
    const EngineAnswer read = settled(*theirs, line, *ours);
    Answered answered{compare(line, *ours, *theirs), std::nullopt, {}, {}};
    answered.ours = total_of(*ours);
    answered.theirs = read.total ? read.total : read.sum();
    const std::optional<Error> contradiction =
        read.unread.empty() ? engine_.contradiction(read) : std::nullopt;
    if (read.unread.empty() && !contradiction && answered.agrees()) return answered;
    if (explains) {
      auto other = question_answered({line, depth, *ours}, *theirs, options_.divide, engine_);
      if (!other) return other.error();
      answered.other = *std::move(other);
      if (answered.other) return answered;
    }
    if (!read.unread.empty()) return not_understood(line, depth, read.unread);
    if (contradiction) return *contradiction;
    if (auto error = incomplete_answer(engine_, line, depth, read)) return *std::move(error);
    return answered;
  }

  /// Adds `lines`, which were not understood, to the report. Returns an error that ends the search,
  /// because an answer with such lines proves nothing.
  Error not_understood(const Line& line, Depth depth, const std::vector<UnreadLine>& lines) {
    report_.not_understood = {line, depth, lines};
    return {ErrorCode::kUnavailable, "engine", 0, "not understood"};
  }

  /// Looks for differences in the tree below `line`. Returns our number of paths.
  Result<NodeCount> explore(const Line& line, Depth depth) {
    const Result<Answered> answered = ask(line, depth, true);
    if (!answered) return answered.error();
    if (auto error = descend(line, depth, *answered)) return *std::move(error);
    return answered->ours;
  }

  std::optional<Error> descend(const Line& line, Depth depth, const Answered& compared) {
    if (compared.other) return report_other(line, depth, compared), std::nullopt;
    if (compared.agrees()) return std::nullopt;
    bool deeper = false;
    if (auto error = ask_dead_ends(line, depth, compared, deeper)) return error;
    if (deeper) return std::nullopt;
    if (auto observation = observe(line, depth, compared)) {
      if (auto error = report(line, depth, compared, *std::move(observation))) return error;
    }
    if (depth.plies() == 1) return std::nullopt;

    std::set<std::string> unnamed;  // promotions without their piece, each stored once
    for (const Comparison::Row& row : compared.wrong_below()) {
      if (enough() || exhausted()) break;
      const std::string squares = to_uci(row.move, line.notation()).substr(0, 4);
      if (!row.could_be.empty() && !unnamed.insert(squares).second) continue;
      if (auto error = descend_into(line, depth, row)) return error;
    }
    return std::nullopt;
  }

  /// Handles moves for which the right count is 0, but the engine's count is not. Asks the engine
  /// about the position after each such move, because the engine may list illegal moves there. If
  /// this function reports a difference, it sets `deeper`, and the caller must report no other one.
  std::optional<Error> ask_dead_ends(const Line& line, Depth depth, const Comparison& compared,
                                     bool& deeper) {
    if (!compared.same_moves() || depth.plies() == 1) return std::nullopt;
    for (const Comparison::Row& row : compared.rows) {
      if (row.ours != NodeCount(0) || !row.engine || row.agrees()) continue;
      const Line next = line.after(row.move);
      const bool ends = legal_moves(next.here()).empty();
      const Depth below = ends ? Depth(1) : Depth(depth.plies() - 1);
      const Result<Answered> answered = ask(next, below, true);
      if (!answered) return answered.error();
      deeper = true;
      if (answered->other || !answered->agrees()) return descend(next, below, *answered);
      // The engine's count of this move is wrong, but its answer about the position after the move
      // is right. There is an innocent reason for both answers: the engine counts 1 for each
      // position without moves. If it counts another move as 0, this reason is excluded, and
      // the two answers contradict each other.
      const bool others_right = std::ranges::any_of(compared.rows, [](const Comparison::Row& of) {
        return of.ours == NodeCount(0) && of.engine == NodeCount(0);
      });
      if (others_right) return report_contradiction(line, depth, row, NodeCount(0));
      deeper = false;
    }
    return std::nullopt;
  }

  std::optional<Error> descend_into(const Line& line, Depth depth, const Comparison::Row& row) {
    const Depth less(depth.plies() - 1);
    NodeCount sum;
    for (const Move move : row.could_be.empty() ? std::vector{row.move} : row.could_be) {
      const Line next = line.after(move);
      const Result<Answered> below = ask(next, less, true);
      if (!below) return below.error();
      if (below->other || !below->agrees()) return descend(next, less, *below);
      if (move == row.move) sum = below->ours;
    }
    return report_contradiction(line, depth, row, sum);
  }

  void report_other(const Line& line, Depth depth, const Answered& answered) {
    Difference difference{.line = line, .depth = depth, .findings = {*answered.other}};
    const Cause cause = answered.other->cause;
    if (cause == Cause::kAnotherDepth || cause == Cause::kCountsEveryPly) {
      difference.engine_total = answered.theirs;
      difference.our_total = answered.ours;
    }
    add(std::move(difference));
  }

  /// Reports that two answers of the engine contradict each other. Precondition: its divide has a
  /// wrong count in `row`, but its answer about the position after this move has the right count,
  /// `below`.
  std::optional<Error> report_contradiction(const Line& line, Depth depth,
                                            const Comparison::Row& row, NodeCount below) {
    const std::string text =
        to_uci(row.move, line.notation()).substr(0, row.could_be.empty() ? 5 : 4);
    const Result<Answered> again = ask(line, depth, false);
    if (!again) return again.error();
    const auto same = std::ranges::find(again->rows, row.move, &Comparison::Row::move);
    if (same->engine != row.engine) {
      return Error{ErrorCode::kUnavailable, "engine", 0,
                   fmt::format("gives different answers to the same question: after {}, it first "
                               "counts {}, then {}; depth {}, position {}",
                               text, row.engine->to_string(),
                               same->engine ? same->engine->to_string() : "nothing", depth.plies(),
                               told(line))};
    }
    const bool fewer = row.engine && *row.engine < row.ours;
    const Result<std::string> draw =
        fewer ? draw_that_stops(line.after(row.move), depth) : std::string();
    if (!draw) return draw.error();
    const std::string_view miscount = depth.plies() == 2 ? explain_last_ply(line, *again) : "";
    const int plies = depth.plies() - 1;
    Finding finding{Cause::kUndoDamage,
                    fmt::format("in its divide, the engine counts {} paths of {} {} after {}; "
                                "asked for the position after {}, it counts {}",
                                row.engine->to_string(), plies, plies == 1 ? "ply" : "plies", text,
                                text, below.to_string()),
                    {text}};
    const std::optional<Misplay> misplay = misplay_that_counts(line, depth, row, *again);
    // In a divide of 2 plies, counts are small. If only one count is wrong, a fault may explain it
    // by chance, although the engine does not have this fault.
    const bool one_small =
        depth.plies() == 2 && std::ranges::count(again->rows, false, &Comparison::Row::agrees) == 1;
    const Result<std::optional<Finding>> state =
        state_fault(line, depth, *again, one_small || misplay || !miscount.empty());
    if (!state) return state.error();
    if (*state) {
      finding = **state;
    } else if (!miscount.empty()) {
      finding.cause = Cause::kBulkCount;
      finding.detail = miscount;
    } else if (misplay) {
      finding.cause = misplay->cause;
      finding.detail = misplay->detail;
    } else if (!draw->empty()) {
      finding.cause = Cause::kStopsAtDraw;
      finding.detail = "after " + text + " " + *draw;
    }
    add({.line = line,
         .depth = depth,
         .counts = {{text, row.ours, *row.engine}},
         .findings = {std::move(finding)}});
    return std::nullopt;
  }

  /// If the engine may stop counting at the end of `line` because of a draw, returns why this
  /// position is a draw. Otherwise returns an empty string. Precondition: the engine has counted
  /// this position twice. In a divide of `depth` plies, one move earlier, its count was wrong. When
  /// asked about this position alone, its count was right.
  Result<std::string> draw_that_stops(const Line& line, Depth depth) {
    std::string reason = draw_reason(line);
    const bool stays = !reason.empty() && !draw_reason(line.as_fen()).empty();
    if (!stays) return reason;
    // The position is also a draw without the moves before it. The engine has already counted it
    // without these moves, at least 2 plies deep, and was right. So the engine does not stop there.
    if (depth.plies() > 2) return std::string();
    const Result<Answered> further = ask(line, Depth(2), false);
    if (!further) return further.error();
    return further->agrees() ? std::string() : reason;
  }

  /// Returns a fault that explains every count of `divide_here`: a wrong castling right or a wrong
  /// en passant square. Returns nullopt if no fault does. Also returns nullopt if the engine plays
  /// moves, because the moves that such an engine lists show the fault. If `is_ambiguous`, other
  /// faults may explain these counts, too. So this function then asks for a divide one ply deeper,
  /// and returns the fault only if it also explains that divide.
  Result<std::optional<Finding>> state_fault(const Line& line, Depth depth,
                                             const Comparison& divide_here, bool is_ambiguous) {
    if (engine_.plays_moves()) return std::optional<Finding>();
    std::optional<Finding> found = state_fault_that_counts(line, depth, divide_here);
    if (!found || !is_ambiguous) return found;
    const Depth more(depth.plies() + 1);
    const Result<Answered> deeper = ask(line, more, false);
    if (!deeper) return deeper.error();
    const auto again = state_fault_that_counts(line, more, *deeper);
    return again && again->cause == found->cause ? found : std::nullopt;
  }

  /// Describes the bulk counting mistake that explains each count of `divide`, a divide of 2 plies.
  /// Returns an empty string if none of the usual mistakes explains the counts.
  static std::string_view explain_last_ply(const Line& line, const Comparison& divide) {
    struct Mistake {
      std::string_view text;
      bool (*uncounted)(Move);
    };
    static constexpr Mistake kMistakes[] = {
        {"every count is what it would be if a pawn's four promotions on one square counted as one "
         "move",
         [](Move move) { return move.is_promotion() && move.kind() != MoveKind::kPromoteQueen; }},
        {"every count is what it would be if promotions were not counted as moves",
         [](Move move) { return move.is_promotion(); }},
        {"every count is what it would be if en passant captures were not counted as moves",
         [](Move move) { return move.kind() == MoveKind::kEnPassant; }},
        {"every count is what it would be if castling were not counted as a move",
         [](Move move) { return move.kind() == MoveKind::kCastling; }},
        {"every count is what it would be if a pawn's double steps were not counted as moves",
         [](Move move) { return move.kind() == MoveKind::kDoublePush; }},
    };
    for (const auto& [text, uncounted] : kMistakes) {
      const bool explains = std::ranges::all_of(divide.rows, [&](const Comparison::Row& row) {
        const MoveList moves = legal_moves(line.here().after_unchecked(row.move));
        const auto counted = std::ranges::count_if(moves, std::not_fn(uncounted));
        return row.engine == NodeCount(static_cast<std::uint64_t>(counted));
      });
      if (explains) return text;
    }
    return "";
  }

  /// Reports the differences in `observation`, the engine's answer about the end of `line`.
  std::optional<Error> report(const Line& line, Depth depth, const Comparison& compared,
                              Observation observation) {
    Difference difference{.line = line,
                          .depth = depth,
                          .missed = observation.missed,
                          .invented = observation.invented,
                          .counts = observation.counts};
    const bool is_draw = observation.lists_nothing && !draw_reason(line).empty();
    if (auto misread = misread_right(as_told(line), listed_texts(line, compared))) {
      difference.findings.push_back(*std::move(misread));
      return add(std::move(difference)), std::nullopt;
    }
    if (!compared.same_moves() && !line.moves().empty() && engine_.plays_moves() && !is_draw) {
      if (auto error = look_for_culprit(difference)) return error;
    }
    observation.right_as_fen = difference.right_as_fen;
    difference.findings = diagnose(line, observation);
    if (difference.culprit && difference.right_as_fen.value_or(false))
      blame_move(difference, compared);
    if (auto error = try_double_step(line, difference.findings)) return error;
    for (Finding& finding : difference.findings) {
      if (auto error = try_general(line, finding)) return error;
    }
    merge_explained(difference.findings, line);
    add(std::move(difference));
    return std::nullopt;
  }

  /// Handles a missing capture onto the en passant square of the FEN. Asks again, but with the FEN
  /// before the double step, and with the double step as a move. If the engine now lists the right
  /// moves, it does not read the square from the FEN.
  std::optional<Error> try_double_step(const Line& line, std::vector<Finding>& findings) {
    const auto is_en_passant = [](const Finding& finding) {
      return finding.cause == Cause::kEnPassantMissed ||
             finding.cause == Cause::kEnPassantEvasionMissed ||
             finding.cause == Cause::kEnPassantBlockMissed ||
             finding.cause == Cause::kEnPassantPinnedMissed;
    };
    const auto finding = std::ranges::find_if(findings, is_en_passant);
    const std::optional<Line> played = with_double_step_played(line);
    if (finding == findings.end() || !played || !engine_.plays_moves()) return std::nullopt;
    const Result<Answered> answered = ask(*played, Depth(1), false);
    if (!answered) return answered.error();
    const std::string when =
        fmt::format("when {} is played from {}", played->uci_moves().back(), played->start_fen());
    if (answered->same_moves()) {
      finding->cause = Cause::kEnPassantFieldNotRead;
      finding->detail = "it is found " + when;
    } else {
      finding->detail += "; it is missing, too, " + when;
    }
    return std::nullopt;
  }

  /// Returns the line in the form in which the engine gets it.
  [[nodiscard]] Line as_told(const Line& line) const {
    return engine_.plays_moves() ? line : line.as_fen();
  }

  /// Replaces the findings of `difference` by one finding: a move was played wrong. Changes nothing
  /// if all findings already name what is wrong after the move (see names_state()).
  static void blame_move(Difference& difference, const Comparison& compared) {
    const Line& line = difference.line;
    const bool names_it = std::ranges::all_of(difference.findings, names_state, &Finding::cause);
    if (names_it) return;
    const std::string culprit = line.uci_moves()[*difference.culprit];
    Finding finding{Cause::kMovePlayedWrong,
                    fmt::format("after {} the engine's moves are those of another position; it "
                                "lists the right moves if it gets this position as a FEN",
                                culprit),
                    {culprit}};
    if (const auto misplay =
            misplay_that_lists(line, *difference.culprit, listed_texts(line, compared))) {
      finding.cause = misplay->cause;
      finding.detail = misplay->detail;
    }
    difference.findings = {std::move(finding)};
  }

  /// Looks for a more general cause that explains `finding`. Each general cause has test positions,
  /// in which this function asks the engine for its moves. If all test positions show a general
  /// cause, `finding` gets this cause.
  std::optional<Error> try_general(const Line& line, Finding& finding) {
    for (const GeneralCause& general : general_causes()) {
      if (general.probes.empty() || !may_be(general, finding, line)) continue;
      bool shows = true;
      for (const Probe& probe : general.probes) {
        if (!shows) break;
        const Result<bool> listed =
            lists(*parse_line(probe.fen, probe.moves, std::nullopt), probe.move);
        if (!listed) return listed.error();
        shows = *listed == probe.listed;
      }
      if (!shows) continue;
      finding.cause = general.general;
      return std::nullopt;
    }
    constexpr std::array kOfPieces{Cause::kCastlingMissed, Cause::kEvasionMissed,
                                   Cause::kPinnedMissed, Cause::kPinnedPawnMissed,
                                   Cause::kStopsEarly};
    const bool may_be_of_pieces = std::ranges::count(kOfPieces, finding.cause) != 0;
    return may_be_of_pieces ? try_without_pieces(line, finding) : std::nullopt;
  }

  /// Removes pieces from the position and asks again whether the engine lists a missing move.
  /// Castling: removes the pieces that attack the rook or a square that only the rook passes. If
  /// the engine then lists castling, these attacks are the cause. Other moves: removes the pieces
  /// that give check or pin. If the move is still missing, check and pin are not the cause.
  std::optional<Error> try_without_pieces(const Line& line, Finding& finding) {
    const bool castles = finding.cause == Cause::kCastlingMissed;
    for (const std::string& text : finding.moves) {
      const Result<Move> move = parse_uci(line.here(), text, line.notation());
      if (!move) continue;
      const std::optional<Relieved> relieved =
          castles ? without_attack_beside(line, *move) : without_check_and_pin(line, *move);
      if (!relieved) continue;
      const Result<bool> listed = lists(relieved->line, text);
      if (!listed) return listed.error();
      if (*listed != castles) return std::nullopt;
      const bool is_king = line.here().piece_on(move->from())->type == PieceType::kKing;
      finding.cause = castles   ? Cause::kCastlingMissedRookAttacked
                      : is_king ? Cause::kKingMoveMissed
                                : Cause::kMoveMissed;
      finding.detail = fmt::format("{} is {} without {}", castles ? "it" : text,
                                   castles ? "listed" : "missing, too,", relieved->pieces);
      return std::nullopt;
    }
    return std::nullopt;
  }

  /// Returns whether the engine lists `move`. Asks only once for each position.
  Result<bool> lists(const Line& line, const std::string& move) {
    const std::string key = told(line);
    auto known = probed_.find(key);
    if (known == probed_.end()) {
      options_.on_question(line, Depth(1));
      const Result<EngineAnswer> answer = engine_.divide(line, Depth(1));
      if (!answer) return answer.error();
      std::set<std::string> moves;
      for (const EngineRow& row : answer->rows) moves.insert(row.move);
      known = probed_.emplace(key, std::move(moves)).first;
    }
    return known->second.contains(move);
  }

  /// Sets `right_as_fen`. If the engine is right when it gets the position as a FEN, also sets
  /// `culprit`, the last move of the line that the engine plays wrong. To find this move, goes back
  /// through the line: asks with the FEN of each earlier position, followed by the line's remaining
  /// moves. If the engine then lists wrong moves, the first of the remaining moves is the culprit.
  std::optional<Error> look_for_culprit(Difference& difference) {
    const Line& line = difference.line;
    for (std::size_t ply = line.moves().size() + 1; ply-- > 0;) {
      const Result<Answered> compared = ask(line.from(ply), Depth(1), false);
      if (!compared) return compared.error();
      const bool right = compared->same_moves();
      if (ply == line.moves().size()) {
        difference.right_as_fen = right;
        if (!right) return std::nullopt;
      } else if (!right) {
        difference.culprit = ply;
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  // -------------------------------------------------------------- engines that list no moves

  Result<NodeCount> explore_totals(const Line& line, Depth depth) {
    Result<NodeCount> ours = count(line, depth);
    if (!ours) return ours;
    const Result<AskedProgram::Verdict> verdict = check(line, depth, *ours);
    if (!verdict) return verdict.error();
    if (!verdict->agrees) {
      const auto other =
          question_of_total(line, depth, *ours, verdict->total, options_.divide, engine_);
      if (!other) return other.error();
      if (*other) {
        add({.line = line,
             .depth = depth,
             .findings = {**other},
             .engine_total = verdict->total,
             .our_total = *ours});
        return ours;
      }
      if (auto error = descend_totals(line, depth, *ours, *verdict)) return *std::move(error);
    }
    return ours;
  }

  Result<NodeCount> count(const Line& line, Depth depth) const {
    if (depth.plies() == 0) return NodeCount(1);
    const Result<std::vector<DivideEntry>> rows = options_.divide(line, depth);
    if (!rows) return rows.error();
    return total_of(*rows);
  }

  Result<AskedProgram::Verdict> check(const Line& line, Depth depth, NodeCount ours) {
    options_.on_question(line, depth);
    Result<AskedProgram::Verdict> verdict = engine_.check(line, depth, ours);
    if (verdict && !verdict->unread.empty()) return not_understood(line, depth, verdict->unread);
    if (verdict && !verdict->passed_over.empty()) report_.passed_over = verdict->passed_over;
    return verdict;
  }

  std::optional<Error> descend_totals(const Line& line, Depth depth, NodeCount ours,
                                      const AskedProgram::Verdict& verdict) {
    if (depth.plies() > 1) {
      for (const Move move : legal_moves(line.here())) {
        const Line next = line.after(move);
        const Depth less(depth.plies() - 1);
        const Result<NodeCount> below = count(next, less);
        if (!below) return below.error();
        const Result<AskedProgram::Verdict> answer = check(next, less, *below);
        if (!answer) return answer.error();
        if (!answer->agrees) return descend_totals(next, less, *below, *answer);
      }
    }
    Difference difference{
        .line = line, .depth = depth, .engine_total = verdict.total, .our_total = ours};
    if (!verdict.total) {
      const Result<std::optional<NodeCount>> guessed = guess_total(line, depth, ours);
      if (!guessed) return guessed.error();
      difference.engine_total = *guessed;
    }
    // At depth 1, the move list is wrong. At a greater depth, the counts of all positions after one
    // move are right. So the program plays or undoes a move wrong, or its bulk counting is wrong.
    difference.findings.push_back(
        {depth.plies() > 1 ? Cause::kPlayedWrong : Cause::kMoveListWrong});
    add(std::move(difference));
    return std::nullopt;
  }

  /// Finds the count of a program that never prints its count, but says whether a given number is
  /// right. Proposes numbers near `ours`. Returns nullopt if the program accepts none of them.
  Result<std::optional<NodeCount>> guess_total(const Line& line, Depth depth, NodeCount ours) {
    constexpr std::uint64_t kFarthest = 24;
    for (std::uint64_t distance = 1; distance <= kFarthest; ++distance) {
      for (const bool more : {true, false}) {
        if (!more && ours < NodeCount(distance)) continue;
        const NodeCount guess = more ? ours + NodeCount(distance)
                                     : NodeCount::from_words(ours.high() - (ours.low() < distance),
                                                             ours.low() - distance);
        const Result<AskedProgram::Verdict> verdict = check(line, depth, guess);
        if (!verdict) return verdict.error();
        if (verdict->agrees) return std::optional(guess);
      }
    }
    return std::optional<NodeCount>();
  }

  AskedProgram& engine_;
  const BisectOptions& options_;
  const int asked_before_ = engine_.questions();
  BisectReport report_;
  std::set<Cause> found_;
  std::map<std::string, std::set<std::string>> probed_;  ///< listed moves, indexed by told()
};

}  // namespace

std::vector<Cause> BisectReport::causes() const {
  std::vector<Cause> causes;
  for (const Difference& difference : differences) {
    for (const Finding& finding : difference.findings) {
      if (std::ranges::count(causes, finding.cause) == 0) causes.push_back(finding.cause);
    }
  }
  return causes;
}

Result<BisectReport> bisect(AskedProgram& engine, const Line& start, Depth depth,
                            const BisectOptions& options) {
  return Search(engine, options).run(start, depth);
}

}  // namespace manyply
