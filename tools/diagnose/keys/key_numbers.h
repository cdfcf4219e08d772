// Audits the numbers of keys. Different positions have equal keys if numbers are zero, equal, or
// cancel each other.
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
  bool four_rights = false;     ///< one number per right; otherwise one per set of rights
  bool passed_by_file = false;  ///< both en passant squares of a file have one number
  std::vector<KeyNumber> numbers{};
  int rank = 0;             ///< rank over GF(2): the number of useful bits of a key
  int changing_bits = 0;    ///< number of bits that are set in some number
  double worst_sigmas = 0;  ///< greatest distance of a bit's share of ones from 1/2, in sigmas
  int worst_bit = 0;        ///< the bit with that distance
  double collisions = 0;    ///< expected number among 2^30 positions
  std::vector<std::vector<std::string>> by_chance{};  ///< sets that cancel by chance in short keys
  std::vector<KeyFinding> findings{};
};

/// Audits the numbers of the table, or compares single positions if the keys are not linear. Each
/// finding has two positions as proof, for which the program was asked twice. If `sums`, also
/// searches for sets of numbers that cancel, which takes almost a second. Errors: those of the
/// source.
Result<NumberAudit> audit_numbers(KeyAnswers& answers, const KeyTable& table, bool sums = true);

}  // namespace manyply
