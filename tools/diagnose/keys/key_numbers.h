// Audits the numbers: different positions have one key if numbers are zero, equal, or cancel.
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
  bool four_rights = false;     ///< the rights add up; else each set has its own number
  bool passed_by_file = false;  ///< both en passant squares of a file have one number
  std::vector<KeyNumber> numbers{};
  int rank = 0;             ///< over GF(2): the number of useful bits of a key
  int changing_bits = 0;    ///< bits that are set in some number
  double worst_sigmas = 0;  ///< the bit whose share of ones is furthest from a half
  int worst_bit = 0;
  double collisions = 0;                              ///< expected among 2^30 positions
  std::vector<std::vector<std::string>> by_chance{};  ///< sets that cancel, as expected of few bits
  std::vector<KeyFinding> findings{};
};

/// Audits the numbers of the table, or single positions if the keys are not linear. Each finding
/// has two positions as proof, which the program has answered twice. Searches for sets of numbers
/// that cancel only if `sums`; that takes most of a second. Returns an error of the source.
Result<NumberAudit> audit_numbers(KeyAnswers& answers, const KeyTable& table, bool sums = true);

}  // namespace manyply
