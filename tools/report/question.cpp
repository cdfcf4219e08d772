#include "tools/report/question.h"

#include <utility>

#include "core/base/text.h"

namespace manyply {
namespace {

/// Validates `number`, which only questions of mode estimate may have. If such a question lacks the
/// number, sets `number` to `usual`. Returns an error if the number is not from `low` to `high`, or
/// if a question of another mode has the number. `name` is the field of the errors.
std::optional<Error> complete(const Question& question, const char* name,
                              std::optional<std::uint64_t>& number, std::uint64_t low,
                              std::uint64_t high, std::uint64_t usual) {
  const auto refuse = [&](std::string why) {
    return Error{ErrorCode::kInvalidInput, name, 0, std::move(why)};
  };
  if (question.mode != CountMode::kEstimate) {
    if (!number) return std::nullopt;
    return refuse("is allowed only in mode estimate");
  }
  if (!number) number = usual;
  if (*number >= low && *number <= high) return std::nullopt;
  return refuse("must be a whole number from " + std::to_string(low) + " to " +
                std::to_string(high));
}

}  // namespace

std::string_view to_string(CountMode mode) {
  return kCountModeNames[static_cast<std::size_t>(mode)];
}

Result<CountMode> parse_count_mode(std::string_view name) {
  for (std::size_t mode = 0; mode < kCountModeNames.size(); ++mode) {
    if (kCountModeNames[mode] == name) return static_cast<CountMode>(mode);
  }
  std::string names;
  for (const std::string_view mode : kCountModeNames)
    names += (names.empty() ? "" : ", ") + std::string(mode);
  return Error{ErrorCode::kInvalidInput, "mode", 0, quote(name) + " is not one of " + names};
}

Result<Question> validated(Question question, const QuestionRules& by) {
  if (auto error = complete(question, "samples", question.samples, Question::kMinSamples,
                            by.max_samples, kUsualSamples))
    return *std::move(error);
  if (auto error = complete(question, "seed", question.seed, 0, by.max_seed, Question::kUsualSeed))
    return *std::move(error);
  Result<Line> line =
      parse_line(question.fen, question.moves,
                 question.chess960 ? std::optional(CastlingNotation::kChess960) : by.notation);
  if (!line) return line.error();
  if (line->moves().size() > Question::kMaxMoves)
    return Error{ErrorCode::kInvalidInput, "moves", 0,
                 "are more than " + std::to_string(Question::kMaxMoves)};
  question.line = std::move(line).value();
  return question;
}

Question question_of(const NamedPosition& root, Depth depth) {
  Question question;
  question.fen = to_fen(root.position, root.notation);
  question.depth = depth;
  question.line = Line(root, question.fen, std::nullopt);
  return question;
}

}  // namespace manyply
