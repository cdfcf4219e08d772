// What a command line asks for. Filled by command_line.cpp, read by the commands.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel.h"
#include "core/node_count.h"
#include "core/types.h"
#include "parallel/verify.h"
#include "tools/bisect/engine_spec.h"

namespace manyply {

enum class Format { kText, kJson, kCsv, kStockfish };
enum class ProgressMode { kAuto, kNever, kJson };

struct HashOptions {
  std::optional<std::uint64_t> table_bytes;  ///< 0 = no table; none = what the count can use
  std::optional<std::uint64_t> key_seed;
  std::optional<int> key_bits;
};

/// What `perft serve` is told beside threads, kernel and placement. Absent: the server's default.
struct ServeOptions {
  std::string listen = "127.0.0.1:8080";
  std::string state;       ///< directory; empty = the user's own
  std::string token_file;  ///< empty = none
  std::optional<std::uint64_t> hash_bytes;
  std::optional<int> concurrent;
  std::optional<Depth> max_depth;
  std::optional<std::size_t> max_queued;
  std::optional<std::chrono::seconds> max_deadline;
  std::optional<std::size_t> keep;
  bool access_log = true;
};

struct GenOptions {
  std::uint64_t positions = 100;
  std::uint64_t seed = 1;
  Depth depth{4};  ///< of the deepest count; at least 1
};

struct UniqueOptions {
  std::uint64_t memory_bytes = 0;  ///< 0 = half of what is available
  std::string temp_dir;            ///< empty = $TMPDIR, or /var/tmp
  std::string epd_file;            ///< empty = none, - = standard output
};

/// What submit, status, watch and cancel are told.
struct ClientOptions {
  std::string server = "http://127.0.0.1:8080";
  std::string token_file;                 ///< empty = none
  std::vector<std::string> jobs;          ///< ids
  std::string mode = "hashed";            ///< judged by the server
  std::optional<std::uint64_t> samples;   ///< of an estimate
  std::optional<std::uint64_t> seed;      ///< of an estimate
  std::optional<std::uint64_t> deadline;  ///< seconds
  std::string idempotency_key;            ///< empty = a random one
  bool watch = false;
};

struct Options {
  Depth depth;
  std::string fen = "startpos";
  bool has_fen = false;  ///< whether --fen was given
  std::string moves;
  bool chess960 = false;
  bool divide = false;
  bool loop = false;

  int threads = 0;                 ///< 0 = every core this process may use
  const Kernel* kernel = nullptr;  ///< null = the best one
  HashOptions hash;
  std::string checkpoint;  ///< file; empty = none
  Placement placement;

  Format format = Format::kText;
  ProgressMode progress = ProgressMode::kAuto;
  bool progress_given = false;

  std::string file;                          ///< suite; bisect: empty = one position
  std::optional<NodeCount> max_nodes;        ///< suite
  Depth max_depth{Depth::kMax};              ///< suite
  NodeCount expected;                        ///< check
  VerifyOptions verify;                      ///< verify
  std::optional<std::uint64_t> sample_seed;  ///< verify
  EngineSpec engine;                         ///< bisect
  std::size_t causes = 1;                    ///< bisect
  GenOptions gen;                            ///< gen
  UniqueOptions unique;                      ///< unique
  ClientOptions client;

  std::vector<int> collision_bits{24, 28, 32, 36, 40};  ///< zobrist
  std::uint64_t max_positions = 2'000'000;              ///< zobrist
  ServeOptions serve;

  std::uint64_t samples = 10'000;  ///< estimate
  std::uint64_t seed = 1;          ///< estimate
};

/// `off` (0), or a number with an optional K, M, G or T: powers of 1024.
Result<std::uint64_t> parse_table_size(std::string_view text);

}  // namespace manyply
