// A document is the JSON object that describes an answer, on one line. Only documents are stored or
// sent. All other output formats are generated from documents. The functions of this header help to
// read documents.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/base/node_count.h"
#include "core/line.h"
#include "core/position.h"
#include "core/position_text.h"

namespace manyply {

// These functions return members of a document. They throw if the member is missing or has the
// wrong type.

const std::string& text_in(const nlohmann::ordered_json& json, const char* name);
std::uint64_t whole_in(const nlohmann::ordered_json& json, const char* name);
double real_in(const nlohmann::ordered_json& json, const char* name);
/// A count is a decimal string, because JavaScript loses digits of numbers above 2^53.
NodeCount count_in(const nlohmann::ordered_json& json, const char* name);

/// Returns "match", "mismatch: 8902 is published" or "unknown (no published value)". `count` is the
/// document itself, or its part about one count. The verdict is the member "known" of `count`.
std::string known_in(const nlohmann::ordered_json& document, const nlohmann::ordered_json& count);
inline std::string known_in(const nlohmann::ordered_json& document) {
  return known_in(document, document);
}

/// Returns `fen`. For a Chess960 position, adds why it is one: "… (Chess960: king on b1 may
/// castle)".
[[nodiscard]] std::string position_words(const std::string& fen);

/// Returns a line of text: the name, followed by the value. The value begins in column 12.
[[nodiscard]] std::string text_line(std::string_view name, std::string_view value);

// Draws a board with characters.

/// Returns the board as Stockfish draws it: ranks 8 to 1 from the top, White in capitals, files at
/// the bottom.
[[nodiscard]] std::string board_diagram(const Position& position);

// The document of a position. GET /v1/position returns it, and the page reads it.

/// Returns the document: FEN, start position and moves, side to move, whether that side is in
/// check, key, fingerprint, legal moves in UCI and SAN, and published counts. From `read`, the
/// document also takes how the given text was interpreted.
[[nodiscard]] nlohmann::ordered_json position_document(const Line& line, const PositionText& read);

}  // namespace manyply
