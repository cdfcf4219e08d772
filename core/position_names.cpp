#include "core/position_names.h"

#include <array>

#include "core/fen.h"

namespace manyply {

std::span<const PositionName> position_names() {
  static constexpr std::array<PositionName, 7> kNames{
      {{"startpos", kStartFen},
       {"start", kStartFen},
       {"kiwipete", kKiwipeteFen},
       {"position3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"},
       {"position4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"},
       {"position5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"},
       {"position6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"}}};
  return kNames;
}

}  // namespace manyply
