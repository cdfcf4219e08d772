// The bugs of broken_engine.cpp, and what must be reported for each.
#pragma once

#include <ostream>
#include <vector>

namespace manyply {

/// What must be reported when a bug is found.
struct Hunt {
  const char* bug;
  const char* fen;
  const char* depth;
  const char* path;
  const char* missed;
  const char* invented;
  const char* cause;
  const char* culprit = "";  ///< the move that the engine plays wrong
};

inline std::ostream& operator<<(std::ostream& out, const Hunt& hunt) { return out << hunt.bug; }

inline constexpr const char* kPosition3 = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
inline constexpr const char* kRookTrap = "4k3/8/8/8/8/5b2/7R/4K2R b K - 0 1";

inline const std::vector<Hunt> kHunts{
    {"castling-through-attack", "kiwipete", "3", "e5c6", "", "e8c8", "castling-through-attack"},
    {"castling-out-of-check", "r3k2r/8/8/3q4/8/8/8/R3K2R b KQkq - 0 1", "2", "d5d2", "", "e1g1",
     "castling-out-of-check"},
    {"castling-over-b1", "r3k2r/8/8/8/8/N7/8/R3K2R w KQkq - 0 1", "3", "a3b1 a8a2", "", "e1c1",
     "castling-through-men"},
    {"castling-refused-b1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "3", "a8b8", "e1c1", "",
     "castling-missed-rook-attacked"},
    {"castling-uncovers-king", "4k3/r7/8/8/8/8/8/1RK5 b B - 0 1", "2", "a7a1", "", "c1b1",
     "castling-uncovers-king"},
    {"right-after-capture", kRookTrap, "4", "f3h1 h2h1 e8d7", "", "e1g1",
     "castling-right-after-capture", "f3h1"},
    {"right-after-rook-move", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "5", "", "", "e1g1",
     "castling-right-after-move"},
    {"castling-without-rook", kRookTrap, "4", "f3h1", "", "e1g1", "castling-without-rook", "f3h1"},
    {"en-passant-unsafe", kPosition3, "4", "e2e4", "", "f4e3", "en-passant-opens-rank"},
    {"en-passant-kept", "4k3/p7/8/8/8/8/3PP3/4K3 w - - 0 1", "3", "", "", "",
     "en-passant-too-late"},
    {"en-passant-single-step", "4k3/4p3/3P4/8/8/8/8/4K3 b - - 0 1", "2", "e7e6", "", "d6e7",
     "en-passant-without-double-push", "e7e6"},
    {"en-passant-never", "kiwipete", "4", "a2a4", "b4a3", "", "en-passant-missed", "a2a4"},
    {"en-passant-not-in-check", "8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1", "2", "d2d4", "e4d3", "",
     "en-passant-evasion-missed"},
    {"promotion-once", "8/P6k/8/8/8/8/8/K7 b - - 0 1", "2", "", "a7a8q a7a8r a7a8b a7a8n", "a7a8",
     "promotion-without-piece"},
    {"underpromotion-missing", "8/P6k/8/8/8/8/8/K7 b - - 0 1", "2", "", "a7a8r a7a8b a7a8n", "",
     "underpromotion-missed"},
    {"pinned-moves", "kiwipete", "3", "e2b5", "", "d7d6", "pinned-leaves-line"},
    {"pinned-stuck", "4k3/r7/8/8/8/8/4R3/4K3 b - - 0 1", "2", "a7e7", "e2e3 e2e4 e2e5 e2e6 e2e7",
     "", "pinned-missed"},
    {"king-along-ray", "7k/r7/8/8/4K3/8/8/8 b - - 0 1", "2", "", "", "", "king-along-ray"},
    {"king-captures-protected", "k7/8/8/1b6/5n2/8/8/4K3 b - - 0 1", "2", "", "", "e1e2",
     "king-captures-protected"},
    {"kings-adjacent", "8/8/3k4/8/8/3K4/8/8 b - - 0 1", "2", "", "", "", "kings-adjacent"},
    {"check-ignored", "4k3/8/8/8/8/8/8/1N2K2r w - - 0 1", "1", "", "", "b1a3 b1c3 b1d2",
     "check-ignored"},
    {"stalemate-counts", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "2", "", "", "", "no-moves-counted"},
    {"bare-kings-end", "8/8/8/3k4/3P4/8/3K4/8 b - - 0 1", "2", "", "", "", "stops-at-draw"},
    {"double-step-over-piece", "startpos", "3", "", "", "", "double-push-over-man"},
    {"knight-wraps", "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "3", "", "", "", "wraps-around"},
    {"castling-twice", "kiwipete", "2", "", "", "", "listed-twice"},
    {"undo-damage", "startpos", "3", "", "", "", "undo-damage"},
    {"castling-rook-stays", "4k3/8/8/8/8/8/7p/R3K3 w Q - 0 1", "3", "", "", "",
     "castling-rook-stays", "e1c1"},
    {"promoted-stays-pawn", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "3", "", "", "", "promoted-stays-pawn"},
    {"promoted-to-queen", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "3", "", "", "", "promoted-to-queen"},
    {"en-passant-victim-stays", "7k/8/8/8/1Pp5/8/8/K7 b - b3 0 1", "3", "", "", "",
     "en-passant-victim-stays", "c4b3"},
    {"promotion-capture-missing", "1n5k/P7/8/8/8/8/8/K7 w - - 0 1", "1", "",
     "a7b8q a7b8r a7b8b a7b8n", "", "promotion-capture-missed"},
    {"no-legality", "kiwipete", "2", "", "", "", "king-left-in-check"},
    {"fifty-moves-end", "8/8/8/8/8/k7/8/K6R w - - 98 80", "3", "", "", "", "stops-at-draw"},
    {"double-step-missing", "startpos", "1", "", "", "", "double-push-missed"},
    {"castling-never", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "1", "", "e1c1 e1g1", "",
     "castling-missed"},
    {"king-into-attack", "4k3/8/8/8/8/8/r7/4K3 w - - 0 1", "1", "", "", "", "king-into-attack"},
    {"pawn-captures-ahead", "4k3/8/8/8/4p3/4P3/8/4K3 w - - 0 1", "1", "", "", "e3e4",
     "pawn-captures-ahead"},
    {"right-lost", "4k3/7p/8/8/8/8/7P/4K2R w K - 0 1", "3", "", "e1g1", "", "castling-right-lost"},
    {"leaf-damage", "startpos", "2", "", "", "", "undo-damage"},
    {"promotion-bulk", "8/P6k/8/8/8/8/8/K7 b - - 0 1", "2", "", "", "", "bulk-count"},
};

}  // namespace manyply
