// A program that answers perft questions, as a function that prints. No process is started.
#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <utility>

#include "core/counting.h"
#include "core/position.h"
#include "tools/diagnose/bisect.h"
#include "tools/text/engine_output_parser.h"

namespace manyply {

class FakeProgram : public AskedProgram {
 public:
  using Print = std::function<std::string(const Line&, Depth)>;

  explicit FakeProgram(Print print, bool divides = true)
      : print_(std::move(print)), divides_(divides) {}

  [[nodiscard]] bool divides() const override { return divides_; }
  [[nodiscard]] bool plays_moves() const override { return true; }
  Result<EngineAnswer> divide(const Line& line, Depth depth) override {
    ++questions_;
    before_ = std::exchange(asked_, line);
    EngineOutputParser parser(line.named(), depth);
    std::istringstream lines(print_(line, depth));
    for (std::string text; std::getline(lines, text);) parser.feed(text);
    return parser.answer();
  }
  Result<Verdict> check(const Line& line, Depth depth, NodeCount ours) override {
    Result<EngineAnswer> answer = divide(line, depth);
    return Verdict{.agrees = answer->may_count(ours), .total = answer->total};
  }
  [[nodiscard]] std::optional<Error> contradiction(const EngineAnswer& answer) const override {
    if (!answer.contradicts_itself()) return std::nullopt;
    return Error{ErrorCode::kUnavailable, "engine", 0, "contradicts itself"};
  }
  [[nodiscard]] int questions() const override { return questions_; }
  [[nodiscard]] const std::optional<Line>& asked_before() const override { return before_; }

 private:
  Print print_;
  bool divides_;
  int questions_ = 0;
  std::optional<Line> asked_;
  std::optional<Line> before_;
};

inline NodeCount perft_of(const Position& position, int depth) {
  if (depth == 0) return 1;
  NodeCount sum;
  const Result<std::vector<DivideEntry>> entries = divide(position, Depth(depth));
  for (const DivideEntry& entry : *entries) sum += entry.nodes;
  return sum;
}

/// Return the sum of all plies up to `depth`: every_ply() without the root, with_root() with it.
inline NodeCount every_ply(const Position& position, int depth) {
  NodeCount sum;
  for (int plies = 1; plies <= depth; ++plies) sum += perft_of(position, plies);
  return sum;
}
inline NodeCount with_root(const Position& position, int depth) {
  return every_ply(position, depth) + NodeCount(1);
}

/// Returns a right divide; `count` may change its counts.
inline std::string printed_divide(
    const Line& line, int depth,
    const std::function<NodeCount(const Position& after, int left)>& count = perft_of) {
  std::string text;
  for (const Move move : legal_moves(line.here())) {
    text += to_uci(move, line.notation()) + ": " +
            count(line.here().after_unchecked(move), depth - 1).to_string() + '\n';
  }
  return text;
}

inline std::string with_total(const Line& line, int depth) {
  return printed_divide(line, depth) +
         "\nNodes searched: " + perft_of(line.here(), depth).to_string() + "\n\n";
}

inline Line parsed_line(std::string_view fen, std::string_view moves = "") {
  return *parse_line(fen, moves, std::nullopt);
}
inline Result<std::vector<DivideEntry>> our_divide(const Line& line, Depth depth) {
  return divide(line.here(), depth);
}

inline Result<BisectReport> bisected(AskedProgram& program, std::string_view fen, int depth,
                                     std::string_view moves = "") {
  BisectOptions options;
  options.divide = our_divide;
  return bisect(program, parsed_line(fen, moves), Depth(depth), options);
}
inline BisectReport hunt(AskedProgram& program, std::string_view fen, int depth,
                         std::string_view moves = "") {
  return *bisected(program, fen, depth, moves);
}

/// Returns "cause: detail" for every finding, or "agrees", or "not understood: …".
inline std::string text_of(const BisectReport& report) {
  if (report.agrees()) return "agrees";
  std::string text;
  if (report.not_understood)
    return "not understood: " + to_string(report.not_understood->lines.front());
  for (const Difference& difference : report.differences) {
    for (const Finding& finding : difference.findings) {
      text +=
          (text.empty() ? "" : "; ") + std::string(name_of(finding.cause)) + ": " + finding.detail;
    }
  }
  return text;
}

}  // namespace manyply
