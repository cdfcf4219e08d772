// The faults of planted_keys.h, and what must be reported for each.
#pragma once

#include <array>
#include <cstddef>
#include <ostream>
#include <vector>

namespace manyply {

struct PlantedFault {
  const char* fault;  ///< several faults are joined with +
  const char* found;  ///< names of the findings, in alphabetical order
  const char* scheme = "polyglot";
};

inline std::ostream& operator<<(std::ostream& out, const PlantedFault& fault) {
  return out << fault.fault << ' ' << fault.scheme;
}

inline const std::vector<PlantedFault> kPlantedFaults{
    // Faults in the key after a move.
    {"side-kept", "side-not-changed"},
    {"side-kept-by-captures", "side-not-changed"},
    {"knight-left", "piece-left-behind"},
    {"capture-kept", "capture-kept"},
    {"capture-colour", "capture-wrong-piece"},
    {"passed-pawn-kept", "en-passant-pawn-kept"},
    {"passed-pawn-square", "en-passant-pawn-wrong-square"},
    {"rook-left", "castled-rook-left-behind"},
    {"rook-to-corner", "castled-rook-not-moved"},
    {"rook-from-b", "castled-rook-wrong-square"},
    {"promotion-as-pawn", "promotion-as-pawn"},
    {"promotion-queen", "promotion-wrong-piece"},
    {"pawn-kept", "promotion-pawn-kept"},
    {"right-kept-by-king", "right-kept-after-king-move"},
    {"right-kept-by-castling", "right-kept-after-castling"},
    {"right-kept-by-rook", "right-kept-after-rook-move"},
    {"right-kept-by-capture", "right-kept-after-rook-capture"},
    {"right-back", "right-comes-back"},
    {"passed-kept", "en-passant-kept"},
    {"passed-not-set", "en-passant-not-set"},
    {"passed-by-steps", "en-passant-without-double-push"},
    // Two positions with the same key.
    {"side-ignored", "side-ignored"},
    {"castling-ignored", "castling-ignored"},
    {"one-right", "right-ignored"},
    {"passed-ignored", "en-passant-ignored"},
    {"one-file", "en-passant-files-alike"},
    {"colours", "colours-alike"},
    {"kinds", "pieces-alike"},
    {"half-board", "squares-alike"},
    {"no-knights", "piece-ignored"},
    {"zero", "zero-number"},
    {"equal", "equal-numbers"},
    {"five", "dependent-numbers"},
    {"short", "short-numbers"},
    // One position with two keys.
    {"side-not-set-up", "side-not-set-up"},
    {"castling-not-set-up", "castling-not-set-up"},
    {"passed-not-set-up", "en-passant-not-set-up"},
    // Two faults at once.
    {"rook-left+passed-kept", "castled-rook-left-behind en-passant-kept"},
    {"right-kept-by-capture+capture-kept", "capture-kept right-kept-after-rook-capture"},
    {"promotion-queen+equal", "equal-numbers promotion-wrong-piece"},
    {"castling-ignored+rook-to-corner", "castled-rook-not-moved castling-ignored"},
    {"side-kept+passed-pawn-kept", "en-passant-pawn-kept side-not-changed"},
    {"five+passed-not-set", "dependent-numbers en-passant-not-set"},
    {"promotion-as-pawn+capture-kept", "capture-kept promotion-as-pawn"},
    {"colours+right-kept-by-king", "colours-alike right-kept-after-king-move"},
    // More faults in the key after a move.
    {"bishop-not-put", "piece-not-put"},
    {"king-not-moved", "piece-not-moved"},
    {"rook-not-put", "castled-rook-not-put"},
    {"rights-lost-by-rook", "right-lost-without-cause"},
    {"passed-next-file", "en-passant-wrong-square"},
    {"castling-not-updated", "key-not-updated"},
    {"promotion-not-updated", "key-not-updated"},
    {"passed-capture-not-updated", "key-not-updated"},
    {"number-with-last-right", "last-right-number"},
    {"number-with-last-right", "last-right-number", "sixteen"},
    {"no-square-stays", "no-en-passant-number", "no-square"},
    {"no-square-not-put-back", "no-en-passant-number", "no-square"},
    {"no-square-stays+no-square-not-put-back", "no-en-passant-number", "no-square"},
    {"no-square-stays+rook-left", "castled-rook-left-behind no-en-passant-number", "no-square"},
    // More positions with the same key.
    {"no-black-king", "piece-ignored"},
    {"no-white-king", "piece-ignored"},
    {"no-black-king+no-white-king", "piece-ignored"},
    {"no-black", "piece-ignored"},
    {"no-black-king", "piece-ignored", "product"},
    {"no-black-king+rook-left", "castled-rook-left-behind piece-ignored"},
    {"two-sets", "rights-alike", "sixteen"},
    {"bits-20", "short-numbers"},
    {"bits-31", "short-numbers"},
    {"bits-31-high", "short-numbers"},
    {"bits-31+capture-kept", "capture-kept short-numbers"},
    // Faults in programs that do not play some moves.
    {"rook-left+ignores-promotion", "castled-rook-left-behind"},
    {"promotion-as-pawn+ignores-castling", "promotion-as-pawn"},
    {"equal+passed-kept+ignores-captures", "en-passant-kept equal-numbers"},
    {"rook-left+writes-e1h1", "castled-rook-left-behind"},
    // Faults in other schemes.
    {"passed-kept", "en-passant-kept", "always"},
    {"right-kept-by-rook", "right-kept-after-rook-move", "sixteen"},
    {"rook-left", "castled-rook-left-behind", "complement"},
    {"capture-kept", "capture-kept", "clock"},
    {"passed-not-set", "en-passant-not-set", "usable"},
    {"zero", "zero-number", "queens"},
    {"passed-kept", "en-passant-kept", "moves-always"},
};

/// Programs with right keys that do not play some moves, or play them against the rules.
inline const std::vector<const char*> kPlantedBoardNames{
    "ignores-castling", "ignores-en-passant", "ignores-promotion", "ignores-underpromotion",
    "ignores-captures", "ignores-capturing-promotion", "ignores-pushes", "ignores-kings",
    "ignores-rooks",
    // After a move that it does not play, the program stays at the position of the previous
    // question, returns to the FEN, or skips the move.
    "ignores-castling+stays", "ignores-promotion+stays", "ignores-captures+drops-moves",
    "ignores-en-passant+skips",
    // Moves in another notation.
    "writes-e1h1", "writes-e1h1-king", "writes-capitals", "writes-e1h1+stays",
    // A wrong board, with the keys that belong to it.
    "castles-without-rook", "leaves-passed-pawn", "queens-only", "pawns-stay-pawns",
    "no-square-after-push", "no-squares", "no-castling+ignores-castling"};

/// Returns each board with the usual scheme and with one other scheme.
inline std::vector<PlantedFault> planted_boards() {
  static constexpr std::array kSchemes{"always", "usable",   "product", "sixteen",
                                       "clock",  "per-side", "sum",     "no-square"};
  std::vector<PlantedFault> all;
  for (std::size_t i = 0; i < kPlantedBoardNames.size(); ++i) {
    all.push_back({kPlantedBoardNames[i], ""});
    all.push_back({kPlantedBoardNames[i], "", kSchemes[i % kSchemes.size()]});
  }
  return all;
}

/// The schemes of planted_keys.h, and what a report of right keys must say about each.
struct PlantedScheme {
  const char* scheme;
  const char* linearity;
  bool can_tell = true;  ///< whether keys after moves can be compared with those of FENs
};

inline std::ostream& operator<<(std::ostream& out, const PlantedScheme& scheme) {
  return out << scheme.scheme;
}

inline const std::vector<PlantedScheme> kPlantedSchemes{
    {"polyglot", "xor"},        {"no-square", "xor"},
    {"always", "xor"},          {"usable", "xor"},
    {"sixteen", "xor"},         {"complement", "xor"},
    {"product", "not-linear"},  {"clock", "xor"},
    {"counters", "xor"},        {"queens", "xor"},
    {"as-told", "xor"},         {"per-side", "xor-per-side"},
    {"mirror", "xor-per-side"}, {"sum", "sum"},
    {"history", "xor", false},  {"moves-clock", "xor", false},
    {"deaf", "xor", false},     {"moves-always", "xor"},
    {"narrow", "xor"},          {"no-square-always", "xor"},
};

}  // namespace manyply
