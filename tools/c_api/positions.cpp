// The C interface: positions and their moves.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/kernel.h"
#include "core/position.h"
#include "core/san.h"
#include "tools/c_api/call.h"

using namespace manyply;
using namespace manyply::c_api;

const char* manyply_version(void) { return MANYPLY_VERSION; }
int manyply_abi(void) { return MANYPLY_ABI; }

int manyply_position_new(const char* fen, const char* moves, int chess960,
                         manyply_position** position, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    *position = nullptr;
    if (fen == nullptr) return missing(error, "fen");
    const Result<Line> line =
        parse_line(fen, moves != nullptr ? moves : "",
                   chess960 != 0 ? std::optional(CastlingNotation::kChess960) : std::nullopt);
    if (!line) return report(error, line.error());
    *position = new manyply_position{*line};
    return static_cast<int>(MANYPLY_OK);
  });
}

void manyply_position_free(manyply_position* position) { delete position; }

int manyply_position_copy(const manyply_position* position, manyply_position** copy,
                          manyply_error* error) {
  return guarded(error, [&] {
    if (copy == nullptr) return missing(error, "copy");
    *copy = nullptr;
    if (position == nullptr) return missing(error, "position");
    *copy = new manyply_position(*position);
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_position_play(manyply_position* position, const char* move, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (move == nullptr) return missing(error, "move");
    Line& line = position->line;
    const Result<Move> parsed = parse_uci(line.here(), move, line.notation());
    if (!parsed) return report(error, parsed.error());
    line.play(*parsed);
    return static_cast<int>(MANYPLY_OK);
  });
}

size_t manyply_position_fen(const manyply_position* position, char* text, size_t capacity) {
  if (position == nullptr) return copy_text("", text, capacity);
  std::size_t length = 0;
  guarded(nullptr, [&] {
    length = copy_text(position->line.fen(), text, capacity);
    return static_cast<int>(MANYPLY_OK);
  });
  return length;
}

int manyply_position_white_to_move(const manyply_position* position) {
  return position != nullptr && position->line.here().side_to_move() == Color::kWhite ? 1 : 0;
}

int manyply_position_in_check(const manyply_position* position) {
  return position != nullptr && position->line.here().in_check() ? 1 : 0;
}

size_t manyply_position_moves(const manyply_position* position, manyply_move* moves,
                              size_t capacity) {
  if (position == nullptr) return 0;
  const MoveList legal = legal_moves(position->line.here());
  if (moves == nullptr) return legal.size();
  std::array<manyply_move, MoveList::kCapacity> texts;
  const auto end = std::ranges::transform(legal, texts.begin(), [&](Move move) {
                     return move_text(move, position->line.notation());
                   }).out;
  std::ranges::sort(texts.begin(), end, {},
                    [](const manyply_move& move) { return std::string_view(move.text); });
  std::copy_n(texts.begin(), std::min(legal.size(), capacity), moves);
  return legal.size();
}

int manyply_position_to_san(const manyply_position* position, const char* move, char* text,
                            size_t capacity, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (move == nullptr) return missing(error, "move");
    if (text == nullptr && capacity > 0) return missing(error, "text");
    const Line& line = position->line;
    const Result<Move> parsed = parse_uci(line.here(), move, line.notation());
    if (!parsed) return report(error, parsed.error());
    const std::size_t length = copy_text(to_san(line.here(), *parsed), text, capacity);
    if (length < capacity) return static_cast<int>(MANYPLY_OK);
    return report(error, MANYPLY_TOO_SMALL, "capacity", 0,
                  std::to_string(length + 1) + " bytes are needed");
  });
}

int manyply_position_from_san(const manyply_position* position, const char* san, manyply_move* move,
                              manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (san == nullptr) return missing(error, "san");
    if (move == nullptr) return missing(error, "move");
    *move = {};
    const Result<Move> parsed = parse_san(position->line.here(), san);
    if (!parsed) return report(error, parsed.error());
    *move = move_text(*parsed, position->line.notation());
    return static_cast<int>(MANYPLY_OK);
  });
}

size_t manyply_kernels(const char** names, size_t capacity) {
  std::size_t count = 0;
  guarded(nullptr, [&] {
    static const std::vector<std::string> kHere = [] {
      std::vector<std::string> here;
      for (const Kernel& kernel : all_kernels()) {
        if (runs_here(kernel)) here.emplace_back(kernel.name);
      }
      return here;
    }();
    for (std::size_t i = 0; names != nullptr && i < std::min(capacity, kHere.size()); ++i)
      names[i] = kHere[i].c_str();
    count = kHere.size();
    return static_cast<int>(MANYPLY_OK);
  });
  return count;
}
