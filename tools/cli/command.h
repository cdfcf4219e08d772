// Commands and their flags as data: what command_line.cpp parses, and what others add to it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "tools/cli/commands.h"

namespace manyply {

/// A flag ("--threads") or a positional argument ("DEPTH"). `value` names the flag's value in the
/// help; a flag without one is a switch, and is given an empty text. A positional argument without
/// one may be given any number of times, also never.
struct Argument {
  const char* name;
  const char* value;
  const char* help;
  /// Puts the text where it belongs in `options`, or says what is wrong with it.
  std::optional<Error> (*take)(Options& options, const std::string& text);
};

struct Command {
  const char* name;
  const char* summary;
  const char* details;  ///< shown below the options
  int (*run)(const Options& options, Io& io);
  std::vector<Argument> arguments;
};

// For `take`: parsers, and what makes complaints of theirs.

Error bad_input(std::string field, std::string message);

/// Errors of parsers that know no flags, told with the flag's name.
Error renamed(Error error, const char* field);

Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high);

/// What `take` returns when nothing can be wrong with the text.
inline std::optional<Error> accepted() { return std::nullopt; }

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

template <typename T, std::size_t N>
Result<T> choose(const std::array<Choice<T>, N>& choices, const std::string& text) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return bad_input("", "'" + text + "' is not one of " + names);
}

/// Puts a parsed value where it belongs, or says what is wrong with it.
template <typename T, typename Target>
std::optional<Error> store(const Result<T>& parsed, Target& target, const char* name) {
  if (!parsed) return renamed(parsed.error(), name);
  target = static_cast<Target>(*parsed);
  return std::nullopt;
}

/// Arguments that several commands take.
namespace arguments {

extern const Argument kDepth, kFenArgument, kValue, kFile, kFen, kMoves, kMovesArgument, kChess960,
    kDivide, kLoop, kThreads, kKernel, kHash, kKeyBits, kKeySeed, kCheckpoint, kPin, kInterleave,
    kFormat, kPlainFormat, kReportFormat, kProgress, kSample, kSampleSeed, kReseed, kKeyChecks,
    kCollisionBits, kPositions, kMaxNodes, kMaxDepth, kEngine, kDialect, kTimeout, kCauses, kSuite,
    kGenPositions, kGenSeed, kGenDepth, kFromChess960, kSamples, kSeed, kMemory, kTempDir, kEpdFile;

}  // namespace arguments
}  // namespace manyply
