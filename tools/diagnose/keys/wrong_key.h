// What a wrong key has too much or too little, by the program's own numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/diagnose/keys/key_flaw.h"
#include "tools/diagnose/keys/key_table.h"

namespace manyply {

struct WrongKey {
  struct Part {
    KeyFlaw fault;
    std::vector<std::string> too_much{};
    std::vector<std::string> missing{};
  };
  std::vector<Part> parts{};  ///< not empty: a fault each
  std::size_t numbers = 0;    ///< that `wrong` consists of
  bool is_ambiguous = false;  ///< another rule would explain it as well: tells of no fault alone
};

/// Why the key after `move` differs by `wrong` from that of `after`, whose key contains
/// `en_passant`: the fewest numbers of what the move has to do with that XOR to it, sorted by the
/// rule that each breaks. Nothing where no four do.
[[nodiscard]] std::optional<WrongKey> explain_wrong_key(const KeyTable& table,
                                                        const KeyPosition& before, Move move,
                                                        const KeyPosition& after,
                                                        std::optional<Square> en_passant,
                                                        const ZobristKey& wrong);

}  // namespace manyply
