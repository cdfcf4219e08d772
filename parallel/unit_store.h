// Where counts of finished units survive the process that counted them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/node_count.h"
#include "core/result.h"
#include "hash/fingerprint.h"
#include "hash/zobrist.h"
#include "parallel/root_splitter.h"

namespace manyply {

/// Identity of a job's units: the same root, depth and split, counted with keys as strong. Two jobs
/// with equal identities may use each other's unit counts, whatever their threads, tables, kernels.
[[nodiscard]] Hash128 job_identity(const Position& root, Depth depth, const RootSplit& split,
                                   int key_bits);

/// Implementations decide how durable a record is, and how soon.
class UnitStore {
 public:
  virtual ~UnitStore() = default;

  /// Called once, before anything else: the counts already known, by unit. Fails when what is
  /// stored belongs to another job or cannot be read.
  virtual Result<std::vector<std::optional<NodeCount>>> open(const Hash128& identity,
                                                             std::size_t units) = 0;

  /// Takes the count of one unit. Any thread, also concurrently. An error ends the job: a user who
  /// asked for durability must not be left without it unawares.
  [[nodiscard]] virtual std::optional<Error> record(std::size_t unit, NodeCount count) = 0;

  /// Makes everything recorded durable. Called after the last record, also of a cancelled job.
  [[nodiscard]] virtual std::optional<Error> flush() = 0;
};

}  // namespace manyply
