// One position of a suite with its counts, whatever the file's form: the table of what fields may
// be called, and of what one without a name may say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/node_count.h"
#include "core/fen.h"
#include "tools/text/suite_text.h"

namespace manyply {

/// What fields that are called alike say.
struct Column {
  enum class Kind : std::uint8_t {
    kUnread,  ///< a name, a remark: nothing that is compared
    kFen,
    kDepth,  ///< of the row's nodes
    kNodes,  ///< at the row's depth
    kCount,  ///< nodes at the depth that the name says
    kTags,   ///< words, or a list of them
    kName,   ///< what people call the position
  };
  Kind kind = Kind::kUnread;
  Depth depth;       ///< of a kCount
  std::string name;  ///< "fen", "depth", "nodes", "D3"; of a kUnread or kName as it is written
};
/// "Perft(3)", "perft_3", "**Perft 3**" and "Perft 3" are "perft3".
[[nodiscard]] std::string squeezed_name(std::string_view name);
/// Whether a depth follows it: "d" of "D1", "perft" of "Perft 1"; or it is empty, of a number
/// alone.
[[nodiscard]] bool is_count_name(std::string_view squeezed);
/// What a field called `name` says.
[[nodiscard]] Column column_named(std::string_view name);

/// Whether `text` is a position by name: `kiwipete`, `startpos moves e2e4`, `epd startpos`.
[[nodiscard]] bool names_position(std::string_view text);

/// The head of a table.
struct TableHead {
  char separator = ',';
  std::vector<Column> columns;

  /// "CSV: fen, depth, nodes", "CSV: fen, D1, D2; not read: 'name'".
  [[nodiscard]] std::string words() const;
};
/// Nothing if `line` is none, which has a column for positions and no position. An error if there
/// are no counts among the others, or ones that contradict each other.
Result<std::optional<TableHead>> parse_head(TextSpan line);
/// The head of a table of one position's counts, which stands above: "Depth  Nodes  Captures".
[[nodiscard]] std::optional<TableHead> parse_counts_head(TextSpan line);

/// "CSV", "TSV", "table with ';'".
[[nodiscard]] std::string table_name(char separator);

/// A count whose depth is told.
struct ToldCount {
  Depth depth;
  NodeCount nodes;
  int column;
};
/// A number of which nobody says what it is.
struct BareNumber {
  NodeCount value;
  int column;
};

/// A position with its numbers, read as far as that goes without its neighbours.
struct SuiteRow {
  int line = 0;
  NamedPosition root;
  std::string fen;  ///< as written, or what that means
  std::vector<ToldCount> told = {};
  std::vector<BareNumber> bare = {};  ///< where nothing is told
  std::vector<std::string> tags = {};
  std::string name = {};
  /// "JSON: fen, depth, nodes", "CSV: fen" where numbers are bare; empty for EPD as it is usual.
  std::string words = {};
  std::string unread = {};  ///< "'name', 'id'"
};

/// Gathers the fields of one row. An error names "placement" or another field of a FEN, "depth",
/// "count" or "position", with its column.
class RowGatherer {
 public:
  /// `form`: "JSON", "CSV"; EPD, and what stands below a position, have none: there `2 400` is a
  /// depth and its nodes, in a field of its own a number.
  RowGatherer(std::string form, int line)
      : form_(std::move(form)), is_cell_(!form_.empty()), line_(line) {}

  /// A field, by its name if it has one, else by what it looks like.
  std::optional<Error> take(const SuiteValue& field);
  /// A field of a table with a head.
  std::optional<Error> take(const TextSpan& field, const Column& column);
  /// The first field of a line of EPD, or another one.
  std::optional<Error> take_position(const TextSpan& field);
  std::optional<Error> take_operation(const TextSpan& field);
  void words(std::string words) { words_ = std::move(words); }
  /// What the position is called, unless a field says so.
  void call(std::string_view name);

  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] bool has_position() const { return !position_.empty(); }
  [[nodiscard]] const std::string& position() const { return position_; }  ///< as written
  /// Whether that is a name, not a FEN.
  [[nodiscard]] bool is_name() const { return is_name_; }
  [[nodiscard]] bool has_counts() const {
    return !told_.empty() || !bare_.empty() || depth_ || nodes_;
  }
  /// Takes the counts of a line below; what is wrong with them, if anything.
  std::optional<Error> take_counts_of(const RowGatherer& below);

  /// A first text that is nothing else must be the position. `end` is the column behind the row.
  Result<SuiteRow> row(int end) &&;

 private:
  std::optional<Error> take_text(const SuiteValue& value);
  std::optional<Error> take_list(const SuiteValue& list, const Column& column);
  std::optional<Error> take_counts_in(const TextSpan& text, bool& found);
  std::optional<Error> take_depth(const TextSpan& text);
  std::optional<Error> take_nodes(const TextSpan& text);
  std::optional<Error> tell(Depth depth, NodeCount nodes, int column);
  std::optional<Error> take_name(std::string_view text, const std::string& field);
  void take_tags(TextSpan text);
  /// Nothing is wrong with it, but it is not read.
  std::optional<Error> leave_out(const std::string& name);

  std::string form_;
  bool is_cell_;
  int line_;
  std::string position_;
  int column_ = 1;          ///< of the position
  bool is_name_ = false;    ///< of a position; a FEN beside it is the position
  std::string first_text_;  ///< that is nothing else
  int first_column_ = 0;
  std::optional<Depth> depth_;
  int depth_column_ = 0;
  std::optional<NodeCount> nodes_;
  int nodes_column_ = 0;
  std::vector<ToldCount> told_;
  std::vector<BareNumber> bare_;
  std::string opcode_;  ///< of counts that are told otherwise than `D1 20`
  std::vector<std::string> unread_;
  std::vector<std::string> tags_;
  std::string name_;
  std::string words_;
};

}  // namespace manyply
