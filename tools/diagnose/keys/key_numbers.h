// Audits the numbers of which keys are made. Different positions have equal keys if numbers are
// zero, are equal, or cancel each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hash/key_audit.h"
#include "tools/diagnose/keys/key_flaw.h"
#include "tools/diagnose/keys/key_source.h"
#include "tools/diagnose/keys/key_table.h"

namespace manyply {

/// A number of the program's table.
struct KeyNumber {
  std::size_t feature;
  std::string name;
  ZobristKey value;
};

struct NumberAudit {
  bool four_rights = false;     ///< one number per castling right; otherwise one per set of rights
  bool passed_by_file = false;  ///< the two en passant squares of a file have the same number
  std::vector<KeyNumber> numbers{};
  int rank = 0;           ///< rank over GF(2): the number of useful bits of a key
  int changing_bits = 0;  ///< number of bits that are set in at least one number
  /// Each bit should be set in about half of the numbers. This is the greatest deviation of a bit
  /// from one half, in standard deviations.
  double worst_sigmas = 0;
  int worst_bit = 0;      ///< the bit with this deviation
  double collisions = 0;  ///< expected number of collisions among 2^30 positions
  /// Sets of numbers that cancel by chance because keys are short. Each set has the names of its
  /// numbers.
  std::vector<std::vector<std::string>> by_chance{};
  std::vector<KeyFinding> findings{};
};

/// Audits the numbers of the table. If the keys are not linear, compares single positions instead.
/// Precondition: the source was asked for telling_positions(), and `table` was made from the
/// answers. If `sums`, also searches for sets of numbers that cancel, which takes almost a second.
/// Only this search sets the members `rank`, `worst_sigmas`, `worst_bit`, `collisions` and
/// `by_chance`. Each finding has two positions as proof, and the program was asked twice for each
/// of them. Errors: those of the source.
Result<NumberAudit> audit_numbers(KeyAnswers& answers, const KeyTable& table, bool sums = true);

}  // namespace manyply
