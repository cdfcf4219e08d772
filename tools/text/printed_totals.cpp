#include "tools/text/printed_totals.h"

#include <algorithm>
#include <utility>

namespace manyply {
namespace {

using Kind = Token::Kind;

/// Returns the index of the column of counts in a heading such as `Depth Nodes Time (s)`. The index
/// does not include the first column, the depth, so it is 0 in this heading. Returns nullopt if the
/// line is not such a heading.
std::optional<std::size_t> column_of_counts(std::string_view line, const Tokens& tokens) {
  std::optional<std::size_t> depth;
  std::optional<std::size_t> count;
  std::size_t column = 0;
  int open = 0;
  bool field_has_word = false;
  const bool has_fields = line.find('|') != std::string_view::npos;
  for (const Token& token : tokens) {
    if (token.is(Kind::kNumber) || token.is(Kind::kMove)) return std::nullopt;
    if (token.is_mark("([")) ++open;
    if (token.is_mark(")]")) --open;
    if (has_fields && token.is_mark("|")) {
      column += field_has_word ? 1 : 0;
      field_has_word = false;
    }
    if (!token.is(Kind::kWord) || open > 0) continue;
    if (token.is_word(kDepthWords) || token.is_word(" d ")) {
      if (!depth) depth = column;
    } else if (token.is_word(kCountWords) && !count) {
      count = column;
    }
    field_has_word = true;
    column += has_fields ? 0 : 1;
  }
  if (depth != 0U || !count || *count == 0) return std::nullopt;
  return *count - 1;
}

/// Returns the numbers of a line. Returns an empty list if the line has a move, or has a word
/// before its second number.
std::vector<const Token*> numbers_of(const Tokens& tokens) {
  std::vector<const Token*> numbers;
  for (const Token& token : tokens) {
    if (token.is(Kind::kMove)) return {};
    if (token.is(Kind::kWord) && numbers.size() < 2) return {};
    if (token.is(Kind::kNumber)) numbers.push_back(&token);
  }
  return numbers;
}

}  // namespace

void DepthTable::take(std::string_view line, const Tokens& tokens, std::size_t at) {
  if (const auto column = column_of_counts(line, tokens)) {
    column_ = column;
    rows_.clear();
    return;
  }
  const std::vector<const Token*> numbers = numbers_of(tokens);
  if (numbers.size() < 2 || !numbers.front()->number) return;
  const NodeCount depth = *numbers.front()->number;
  const bool goes_on =
      !rows_.empty() && depth == NodeCount(static_cast<std::uint64_t>(first_) + rows_.size());
  if (!goes_on) {
    rows_.clear();
    if (depth > NodeCount(1)) return;
    first_ = depth == NodeCount(0) ? 0 : 1;
  }
  Row row{std::string(line), at, {}, column_};
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const bool counts = numbers[i]->number && !numbers[i]->measure;
    row.numbers.push_back(counts ? numbers[i]->number : std::nullopt);
  }
  if (row.column && *row.column >= row.numbers.size()) row.column.reset();
  rows_.push_back(std::move(row));
}

std::optional<DepthTable::Row> DepthTable::row_of(Depth depth) const {
  const int place = depth.plies() - first_;
  if (place < 0 || static_cast<std::size_t>(place) >= rows_.size()) return std::nullopt;
  const Row& row = rows_[static_cast<std::size_t>(place)];
  return row.numbers[row.column.value_or(0)] ? std::optional(row) : std::nullopt;
}

bool DepthTable::has_line(std::size_t at) const {
  return std::ranges::count(rows_, at, &Row::at) != 0;
}

namespace {

constexpr std::string_view kTotalWords =
    " nodes node total leaf leaves leafs perft sum result count positions paths ";
constexpr std::string_view kTotalUnits = " nodes node leaf leaves leafs positions paths ";
/// Words that may stand between a total's name and the total.
constexpr std::string_view kTotalDetails =
    " nodes node leaf leaves leafs searched visited count counted number of paths positions is are "
    "was found for at in after to generated total sum perft and the = ";

class TotalFinder {
 public:
  TotalFinder(const Tokens& tokens, bool is_search) : tokens_(tokens), is_search_(is_search) {}

  TotalsOfLine run(const Token* in_column) {
    if (in_column != nullptr) {
      take(static_cast<std::size_t>(in_column - tokens_.data()), true);
      if (total_) found_.readings.push_back(*total_);
      return std::move(found_);
    }
    look_for_numbers();
    look_for_names();
    if (!total_) look_behind_depth();
    if (!total_) return std::move(found_);
    total_->depth = depth_told(tokens_);
    add_readings();
    return std::move(found_);
  }

 private:
  void take(std::size_t at, bool sure) {
    const Token& token = tokens_[at];
    if (token.measure) return;
    sure = sure && !is_search_ && token.number;
    const std::optional<NodeCount> number = token.number ? token.number : grouped(tokens_, at);
    if (!number) {
      found_.refused = &token;
    } else if (!total_ || (sure && !total_->sure)) {
      total_ = PrintedTotal{.nodes = *number, .sure = sure};
      place_ = at;
    }
  }

  /// Takes the only number of a line without words ("400"), or a number with a unit ("400 nodes").
  void look_for_numbers() {
    const auto is_plain = [](const Token& token) { return !token.is(Kind::kWord) && !token.move; };
    const bool no_words = std::ranges::all_of(tokens_, is_plain);
    for (std::size_t i = 0; i < tokens_.size() && !total_; ++i) {
      if (!tokens_[i].is(Kind::kNumber)) continue;
      if (no_words) {
        const auto numbers = std::ranges::count(tokens_, Kind::kNumber, &Token::kind);
        if (numbers == 1 || grouped(tokens_, i)) take(i, true);
        return;
      }
      if (has_unit(tokens_, i, kTotalUnits) && deepness_of(tokens_, i) != Deepness::kYes)
        take(i, true);
    }
  }

  void look_for_names() {
    for (std::size_t i = 0; i < tokens_.size() && !(total_ && total_->sure); ++i) {
      if (!tokens_[i].is_word(kTotalWords) || is_per_second(tokens_, i + 1)) continue;
      if (const auto found = number_behind(i)) take(found->first, found->second);
    }
  }

  /// Looks for a number after a depth: "Depth 3: 8902", "3 plies = 8902".
  void look_behind_depth() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (deepness_of(tokens_, i) != Deepness::kYes) continue;
      std::size_t at = i + 1;
      while (token_at(tokens_, at).is(Kind::kMark) || token_at(tokens_, at).is_word(kDepthUnits))
        ++at;
      const bool assigned = tokens_[at - 1].is_mark(kAssigns);
      if (assigned && token_at(tokens_, at).is(Kind::kNumber)) take(at, true);
      return;
    }
  }

  /// The word at `name` is the name of a total. Returns the index of the number that follows, and
  /// whether this number is certainly the total. The number is certain if only depths and words of
  /// kTotalDetails stand between the word and the number.
  [[nodiscard]] std::optional<std::pair<std::size_t, bool>> number_behind(std::size_t name) const {
    std::size_t at = name + 1;
    bool must_be_sure = false;
    if (tokens_[name].is_word(" perft ")) {  // "perft(5) = 4865609": skip the depth
      while (at < tokens_.size() && !tokens_[at].is_mark(kAssigns)) ++at;
      if (tokens_[at - 1].is_word(kDepthWords)) --at;  // "perft depth=5 nodes=4865609"
      if (at == tokens_.size()) {                      // "perft 5 4865609"
        at = name + 1;
        must_be_sure = true;
      }
    }
    bool sure = true;
    for (; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.is_word(" time per ") || token.is(Kind::kMove)) break;
      if (token.is(Kind::kWord)) {
        sure = sure && (token.is_word(kDepthWords) || token.is_word(kDepthUnits) ||
                        token.is_word(kTotalDetails));
      } else if (token.is(Kind::kNumber) && deepness_of(tokens_, at) != Deepness::kYes) {
        if (must_be_sure && !sure) break;
        return std::pair(at, sure);
      }
    }
    return std::nullopt;
  }

  /// Adds the total and its other possible values: later numbers without a name, and the number
  /// that grouped() joins from groups of digits.
  void add_readings() {
    std::vector<PrintedTotal>& readings = found_.readings;
    readings.push_back(*total_);
    const auto add = [&](NodeCount nodes, bool sure) {
      readings.push_back(*total_);
      readings.back().nodes = nodes;
      readings.back().sure = sure;
    };
    const bool may_be_depth = deepness_of(tokens_, place_) == Deepness::kMaybe;
    for (std::size_t at = place_ + 1; at < tokens_.size(); ++at) {
      const Token& token = tokens_[at];
      if (token.is(Kind::kWord)) {
        if (may_be_depth && (token.is_word(kDepthWords) || token.is_word(kDepthUnits))) continue;
        break;
      }
      const bool named = token_at(tokens_, at + 1).is(Kind::kWord);
      if (token.number && !token.measure && !named) add(*token.number, may_be_depth);
    }
    if (const auto merged = grouped(tokens_, place_)) add(*merged, total_->sure);
    for (PrintedTotal& reading : readings) reading.alone = readings.size() == 1;
  }

  const Tokens& tokens_;
  bool is_search_;
  TotalsOfLine found_;
  std::optional<PrintedTotal> total_;
  std::size_t place_ = 0;  ///< index of the total's number
};

}  // namespace

TotalsOfLine totals_of(const Tokens& tokens, const Token* in_column, bool is_search) {
  return TotalFinder(tokens, is_search).run(in_column);
}

}  // namespace manyply
