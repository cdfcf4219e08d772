// The faults of planted_keys.h, and what must be said of each.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace manyply {

struct PlantedFault {
  const char* fault;  ///< joined with + where there are several
  const char* found;  ///< the names of what is found, in alphabetical order
  const char* scheme = "polyglot";
};

inline std::ostream& operator<<(std::ostream& out, const PlantedFault& fault) {
  return out << fault.fault << ' ' << fault.scheme;
}

inline const std::vector<PlantedFault> kPlantedFaults{
    // The key after a move.
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
    // Two positions with one key.
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
    // Two at once.
    {"rook-left+passed-kept", "castled-rook-left-behind en-passant-kept"},
    {"right-kept-by-capture+capture-kept", "capture-kept right-kept-after-rook-capture"},
    {"promotion-queen+equal", "equal-numbers promotion-wrong-piece"},
    {"castling-ignored+rook-to-corner", "castled-rook-not-moved castling-ignored"},
    {"side-kept+passed-pawn-kept", "en-passant-pawn-kept side-not-changed"},
    {"five+passed-not-set", "dependent-numbers en-passant-not-set"},
    {"promotion-as-pawn+capture-kept", "capture-kept promotion-as-pawn"},
    {"colours+right-kept-by-king", "colours-alike right-kept-after-king-move"},
    // In other schemes.
    {"passed-kept", "en-passant-kept", "always"},
    {"right-kept-by-rook", "right-kept-after-rook-move", "sixteen"},
    {"rook-left", "castled-rook-left-behind", "complement"},
    {"capture-kept", "capture-kept", "clock"},
    {"passed-not-set", "en-passant-not-set", "usable"},
    {"zero", "zero-number", "queens"},
    {"passed-kept", "en-passant-kept", "moves-always"},
};

/// Right ways of making keys, and how they are called.
struct PlantedScheme {
  const char* scheme;
  const char* linearity;
  bool can_tell = true;  ///< whether keys after moves can be compared with those of FENs
};

inline std::ostream& operator<<(std::ostream& out, const PlantedScheme& scheme) {
  return out << scheme.scheme;
}

inline const std::vector<PlantedScheme> kPlantedSchemes{
    {"polyglot", "xor"},
    {"always", "xor"},
    {"usable", "xor"},
    {"sixteen", "xor"},
    {"complement", "xor"},
    {"product", "not-linear"},
    {"clock", "xor"},
    {"counters", "xor"},
    {"queens", "xor"},
    {"as-told", "xor"},
    {"per-side", "xor-per-side"},
    {"mirror", "xor-per-side"},
    {"sum", "sum"},
    {"history", "xor", false},
    {"moves-clock", "xor", false},
    {"deaf", "xor", false},
    {"moves-always", "xor"},
    {"narrow", "xor"},
};

}  // namespace manyply
