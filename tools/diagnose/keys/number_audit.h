// Different positions with one key: numbers that are zero, equal, or cancel each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hash/key_audit.h"
#include "tools/diagnose/keys/key_answers.h"
#include "tools/diagnose/keys/key_flaw.h"
#include "tools/diagnose/keys/key_table.h"

namespace manyply {

/// A number as programs have it in their tables.
struct KeyNumber {
  std::size_t feature;
  std::string name;
  ZobristKey value;
};

struct NumberAudit {
  bool four_rights = false;     ///< castling rights are added up; else each set has its own number
  bool passed_by_file = false;  ///< en passant squares of one file have one number
  std::vector<KeyNumber> numbers{};
  int rank = 0;             ///< over GF(2): so many bits of a key are worth something
  int changing_bits = 0;    ///< of a key, that are not the same in all numbers
  double worst_sigmas = 0;  ///< the bit whose share of ones is furthest from a half
  int worst_bit = 0;
  double collisions = 0;  ///< expected among 2^30 positions
  std::vector<std::vector<std::string>>
      by_chance{};  ///< that cancel, as some must with so few bits
  std::vector<KeyFinding> findings{};
};

/// What the table's numbers show; each finding with two positions that the program was asked for
/// again. Without numbers, of keys that are not linear, what single positions show. An error of the
/// source. Without `sums` it is not looked for sets of numbers that cancel, which takes most of a
/// second.
Result<NumberAudit> audit_numbers(KeyAnswers& answers, const KeyTable& table, bool sums = true);

}  // namespace manyply
