#include "core/fen.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/position_text.h"

namespace manyply {

namespace {

constexpr std::string_view kPieceLetters = "pnbrqk";

/// Returns `text` without trailing line breaks, which pasted text and files of other systems may
/// have.
std::string_view without_line_end(std::string_view text) {
  while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

Error refuse(const char* field, int column, std::string message) {
  return {ErrorCode::kInvalidInput, field, column, std::move(message)};
}

std::optional<Error> read_placement(const TextSpan& field, Setup& setup) {
  setup.placement_column = field.column;
  int file = 0;
  int rank = 7;
  bool after_digit = false;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    const char c = field.text[i];
    const int column = field.column + static_cast<int>(i);
    const auto rank_name = [&] { return "rank " + std::to_string(rank + 1); };
    if (c == '/') {
      if (file != 8)
        return refuse("placement", column,
                      rank_name() + " has " + std::to_string(file) + " squares, not 8");
      if (rank == 0) return refuse("placement", column, "more than 8 ranks");
      --rank;
      file = 0;
      after_digit = false;
      continue;
    }
    int width = 1;
    if (c >= '1' && c <= '8') {
      if (after_digit)
        return refuse("placement", column, "two digits follow each other; write their sum");
      width = c - '0';
      after_digit = true;
    } else {
      const char lower = to_lower(c);
      const std::size_t type = kPieceLetters.find(lower);
      if (type == std::string_view::npos)
        return refuse(
            "placement", column,
            quote_character(field.text.substr(i)) + " is not a piece letter (pnbrqk or PNBRQK)");
      if (file < 8) {
        const auto square = static_cast<std::size_t>(rank * 8 + file);
        setup.pieces[square] =
            Piece{c == lower ? Color::kBlack : Color::kWhite, static_cast<PieceType>(type)};
        setup.piece_column[square] = column;
      }
      after_digit = false;
    }
    file += width;
    if (file > 8) return refuse("placement", column, rank_name() + " has more than 8 squares");
  }
  const int end = field.column + static_cast<int>(field.text.size());
  if (rank != 0) return refuse("placement", end, std::to_string(8 - rank) + " ranks, not 8");
  if (file != 8)
    return refuse("placement", end, "rank 1 has " + std::to_string(file) + " squares, not 8");
  return std::nullopt;
}

bool is_piece(const Setup& setup, int square, Piece piece) {
  return setup.pieces[static_cast<std::size_t>(square)] == piece;
}

/// The first of `letters` stands for a castling rook. Returns the rook's square. As in X-FEN, K
/// means the outermost rook between the king and the h-file, and Q means the outermost rook between
/// the king and the a-file. Other letters are files. Letters in lower case are for Black.
Result<int> castling_rook(std::string_view letters, int column, const Setup& setup) {
  const char letter = letters.front();
  const bool black = letter >= 'a';
  const Color color = black ? Color::kBlack : Color::kWhite;
  const char lower = to_lower(letter);
  const int first = black ? 56 : 0;
  if (lower >= 'a' && lower <= 'h') return first + (lower - 'a');
  if (lower != 'k' && lower != 'q')
    return refuse(
        "castling", column,
        quote_character(letters) + " is not a castling letter (KQkq, or the rook's file)");

  int king = -1;
  for (int square = first; square < first + 8; ++square) {
    if (is_piece(setup, square, {color, PieceType::kKing})) king = square;
  }
  if (king < 0) {
    return refuse("castling", column,
                  std::string(black ? "Black" : "White") + "'s king is not on its back rank");
  }
  const int corner = first + (lower == 'k' ? 7 : 0);
  const int step = lower == 'k' ? -1 : 1;
  for (int square = corner; square != king; square += step) {
    if (is_piece(setup, square, {color, PieceType::kRook})) return square;
  }
  return refuse("castling", column, "no rook on " + to_string(square_at(corner)));
}

std::optional<Error> read_castling(const TextSpan& field, Setup& setup) {
  if (field.text == "-") return std::nullopt;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    const char letter = field.text[i];
    const int column = field.column + static_cast<int>(i);
    const Result<int> rook = castling_rook(field.text.substr(i), column, setup);
    if (!rook) return rook.error();
    if ((setup.castling_rooks & bit(*rook)) != 0)
      return refuse("castling", column, quote(letter) + " repeats a castling right");
    setup.castling_rooks |= bit(*rook);
    setup.castling_column[static_cast<std::size_t>(*rook)] = column;

    const bool by_file =
        kPieceLetters.find(to_lower(letter)) == std::string_view::npos || to_lower(letter) == 'b';
    const bool corner = (*rook & 7) == 0 || (*rook & 7) == 7;
    const Color color = *rook < 8 ? Color::kWhite : Color::kBlack;
    const bool king_on_e = is_piece(setup, (*rook & 56) + 4, {color, PieceType::kKing});
    if (by_file || !corner || !king_on_e) setup.chess960 = true;
  }
  return std::nullopt;
}

std::optional<Error> read_en_passant(const TextSpan& field, Setup& setup) {
  if (field.text == "-") return std::nullopt;
  const std::string_view text = field.text;
  if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') {
    return refuse("en passant", field.column, quote(text) + " is neither a square nor '-'");
  }
  setup.en_passant = square_at(text[0] - 'a', text[1] - '1');
  setup.en_passant_column = field.column;
  return std::nullopt;
}

std::optional<Error> check_clock(const TextSpan& field, const char* name) {
  if (!std::ranges::all_of(field.text, is_digit) || field.text.size() > 5)
    return refuse(name, field.column, quote(field.text) + " is not a whole number of moves");
  return std::nullopt;
}

char letter_of(Piece piece) {
  const char lower = kPieceLetters[static_cast<std::size_t>(piece.type)];
  return piece.color == Color::kBlack ? lower : static_cast<char>(lower - 'a' + 'A');
}

/// Returns whether the letters KQkq can describe all castling rights of `board`. For each right,
/// the king must be on e1 or e8 and the rook in a corner.
bool has_standard_castling(const Board& board) {
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    const Bitboard rooks = board.castling & back_rank(color);
    if ((rooks & ~(kFileA | kFileH)) != 0) return false;
    if (rooks != 0 && (board.of(color).king & file_mask(4)) == 0) return false;
  }
  return true;
}

std::string castling_field(const Board& board, CastlingNotation notation) {
  if (board.castling == 0) return "-";
  const bool standard = notation == CastlingNotation::kStandard && has_standard_castling(board);
  std::string text;
  for (const Color color : {Color::kWhite, Color::kBlack}) {
    for (int file = 7; file >= 0; --file) {
      if ((board.castling & back_rank(color) & file_mask(file)) == 0) continue;
      const char upper = standard ? (file == 7 ? 'K' : 'Q') : static_cast<char>('A' + file);
      text += color == Color::kWhite ? upper : static_cast<char>(upper - 'A' + 'a');
    }
  }
  return text;
}

/// Parses a count such as `D3 8902`.
Result<EpdCount> parse_count(TextSpan part) {
  if (to_lower(part.text.front()) != 'd') {
    const std::string_view found = part.text.substr(0, part.text.find_first_of(kSpace));
    return Error{ErrorCode::kInvalidInput, "depth", part.column,
                 "expected a count such as 'D3 8902', found " + quote(found)};
  }
  const std::size_t gap = std::min(part.text.find_first_of(kSpace), part.text.size());
  const TextSpan digits = part.from(1, gap - 1);
  const TextSpan value = part.from(gap).trimmed();
  const Result<Depth> depth = Depth::parse(digits.text);
  if (!depth) return digits.located(depth.error());
  if (value.text.empty()) {
    return Error{ErrorCode::kInvalidInput, "count", value.column,
                 "no count after " + quote(part.text)};
  }
  const Result<NodeCount> nodes = NodeCount::parse(value.text);
  if (!nodes) return value.located(nodes.error());
  return EpdCount{*depth, *nodes};
}

}  // namespace

Result<Setup> parse_fen(std::string_view fen) {
  fen = without_line_end(fen);
  const std::vector<TextSpan> fields = words_in(TextSpan{fen}, " \t");
  const int end = static_cast<int>(fen.size()) + 1;
  static constexpr std::array<const char*, 4> kRequired{"placement", "side to move", "castling",
                                                        "en passant"};
  if (fields.empty()) return refuse("placement", end, "missing");

  Setup setup;
  if (auto error = read_placement(fields[0], setup)) return *std::move(error);
  if (fields.size() < kRequired.size()) return refuse(kRequired[fields.size()], end, "missing");
  if (fields[1].text != "w" && fields[1].text != "b") {
    return refuse("side to move", fields[1].column,
                  quote(fields[1].text) + " is neither 'w' nor 'b'");
  }
  setup.side_to_move = fields[1].text == "w" ? Color::kWhite : Color::kBlack;
  if (auto error = read_castling(fields[2], setup)) return *std::move(error);
  if (auto error = read_en_passant(fields[3], setup)) return *std::move(error);
  if (fields.size() > 4) {
    if (auto error = check_clock(fields[4], "halfmove clock")) return *std::move(error);
  }
  if (fields.size() > 5) {
    if (auto error = check_clock(fields[5], "fullmove number")) return *std::move(error);
  }
  if (fields.size() > 6)
    return refuse("FEN", fields[6].column,
                  quote(fields[6].text) + " follows the last of the six fields");
  return setup;
}

std::string_view fen_of(std::string_view text) {
  text = without_line_end(text);
  const auto names = position_names();
  const auto known = std::ranges::find_if(
      names, [&](const PositionName& name) { return equal_ignoring_case(text, name.name); });
  return known == names.end() ? text : known->fen;
}

Result<NamedPosition> named_position(const Setup& setup) {
  const Result<Position> position = Position::from_setup(setup);
  if (!position) return position.error();
  return NamedPosition{*position,
                       setup.chess960 ? CastlingNotation::kChess960 : CastlingNotation::kStandard};
}

Result<NamedPosition> parse_position(std::string_view text) {
  const Result<Setup> setup = parse_fen(fen_of(text));
  return setup ? named_position(*setup) : setup.error();
}

std::string to_fen(const Position& position, CastlingNotation notation) {
  std::string fen;
  for (int rank = 7; rank >= 0; --rank) {
    int empty = 0;
    const auto flush = [&] {
      if (empty > 0) fen += static_cast<char>('0' + empty);
      empty = 0;
    };
    for (int file = 0; file < 8; ++file) {
      if (const auto piece = position.piece_on(square_at(file, rank))) {
        flush();
        fen += letter_of(*piece);
      } else {
        ++empty;
      }
    }
    flush();
    if (rank > 0) fen += '/';
  }
  const Board& board = position.board();
  fen += board.side_to_move == Color::kWhite ? " w " : " b ";
  fen += castling_field(board, notation);
  fen += board.en_passant == 0 ? " -" : " " + to_string(square_at(lowest(board.en_passant)));
  return fen + " 0 1";
}

Result<std::optional<EpdRecord>> parse_epd_line(std::string_view line) {
  TextSpan rest{line.substr(0, line.find('#'))};
  if (rest.trimmed().text.empty()) return std::optional<EpdRecord>();

  const TextSpan fen = rest.cut(';');
  Result<NamedPosition> root = parse_position(fen.text);
  if (!root) return fen.located(root.error());

  EpdRecord record{*root, std::string(fen.text), {}};
  while (!rest.text.empty()) {
    const TextSpan part = rest.cut(';');
    if (part.text.empty()) continue;
    const Result<EpdCount> count = parse_count(part);
    if (!count) return count.error();
    const auto same_depth = [&](const EpdCount& other) { return other.depth == count->depth; };
    if (std::ranges::any_of(record.counts, same_depth)) {
      return Error{ErrorCode::kInvalidInput, "depth", part.column,
                   "D" + std::to_string(count->depth.plies()) + " is given twice"};
    }
    record.counts.push_back(*count);
  }
  if (record.counts.empty()) {
    return Error{ErrorCode::kInvalidInput, "count", rest.column,
                 "no count given; expected a count such as ' ;D1 20' after the FEN"};
  }
  return std::optional<EpdRecord>(std::move(record));
}

}  // namespace manyply
