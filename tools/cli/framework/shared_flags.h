// Flags that several commands share, the options of these flags, and parsers for their values.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/node_count.h"
#include "core/kernel.h"
#include "parallel/matrix/last_plies_device.h"
#include "tools/cli/framework/command.h"
#include "tools/cli/framework/progress_display.h"
#include "tools/report/question.h"
#include "tools/text/number_text.h"

namespace manyply {

/// How a command shows its progress and its result.
struct Showing {
  Format format = Format::kText;
  ProgressMode progress = ProgressMode::kAuto;
  bool progress_given = false;
};

// Parsers of values, and functions for their errors. Implementations of Flag::take use them.

/// Returns an error with code kInvalidInput.
Error bad_input(std::string field, std::string message);

/// Returns `error` with the field `field`. Call it if the parser does not know the name of the
/// flag.
Error renamed(Error error, const char* field);

/// Parses "off", 0, or a size with a unit that is a power of 1024: 512M, 512MB, 512MiB, 1.5G.
/// Returns bytes; 0 for "off". Without a unit, the size is in MiB, as in UCI. A size above 1 TiB
/// without a unit is an error, because the user probably meant bytes.
Result<std::uint64_t> parse_table_size(std::string_view text);

/// Parses a size as above. Returns an error if it is less than `least` bytes. `least` is a multiple
/// of 1 MiB.
Result<std::uint64_t> parse_table_size(std::string_view text, std::uint64_t least);

/// Parse a whole number as users write it: 1000000, 1_000_000, 1e6, 1M or 2.5G (powers of 1000). In
/// all other respects, these functions are like parse_number() and NodeCount::parse().
Result<std::uint64_t> parse_amount(std::string_view text, std::uint64_t low, std::uint64_t high);
Result<NodeCount> parse_nodes(std::string_view text);

/// Returns no error. Used as the result of `take` (command.h) for arguments that accept any text.
inline std::optional<Error> accepted() { return std::nullopt; }

/// The name of a value on the command line, and the value.
template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

template <const auto& kChoices>
inline constexpr auto kNamesOf = [] {
  std::array<std::string_view, kChoices.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kChoices[i].name;
  return names;
}();
/// The values of a flag that accepts the names in `kChoices`.
template <const auto& kChoices>
constexpr Values names_of() {
  return {ValueKind::kWord, kNamesOf<kChoices>};
}

/// Returns the value with this name. The error lists all names.
template <typename T, std::size_t N>
Result<T> choose(const std::array<Choice<T>, N>& choices, const std::string& text) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return bad_input("", "'" + text + "' is not one of " + names);
}

/// Stores a parsed value in `target`. If parsing has failed, returns the error with `name` as its
/// field. If `name` is empty, the parser of command lines sets the field to the argument's name.
template <typename T, typename Target>
std::optional<Error> store(const Result<T>& parsed, Target& target, const char* name = "") {
  if (!parsed) return renamed(parsed.error(), name);
  target = static_cast<Target>(*parsed);
  return std::nullopt;
}

// Functions for Flag::take. They store the value of the flag in the member `kMember` of the
// options.

template <auto kMember, typename Options>
std::optional<Error> take_text(Options& options, const std::string& text) {
  options.*kMember = text;
  return std::nullopt;
}

template <auto kMember, typename Options>
std::optional<Error> switch_on(Options& options, const std::string& /*text*/) {
  options.*kMember = true;
  return std::nullopt;
}

/// Takes a whole number from kLow to kHigh, see parse_number().
template <auto kMember, std::uint64_t kLow, std::uint64_t kHigh, typename Options>
std::optional<Error> take_number(Options& options, const std::string& text) {
  return store(parse_number(text, kLow, kHigh), options.*kMember);
}

/// Takes a whole number from kLow to kHigh, see parse_amount().
template <auto kMember, std::uint64_t kLow, std::uint64_t kHigh, typename Options>
std::optional<Error> take_amount(Options& options, const std::string& text) {
  return store(parse_amount(text, kLow, kHigh), options.*kMember);
}

/// Takes a size of at least kLeast bytes, see parse_table_size().
template <auto kMember, std::uint64_t kLeast, typename Options>
std::optional<Error> take_size(Options& options, const std::string& text) {
  return store(parse_table_size(text, kLeast), options.*kMember);
}

/// Takes one of the names in `kChoices`.
template <auto kMember, const auto& kChoices, typename Options>
std::optional<Error> take_choice(Options& options, const std::string& text) {
  return store(choose(kChoices, text), options.*kMember);
}

/// Flags that several commands take.
namespace flags {

extern const Flag<Question> kDepth, kFenArgument, kFen, kMoves, kChess960, kDivide;
extern const std::array<Flag<Question>, 3> kPosition;  ///< --fen, --moves, --chess960

extern const Flag<CountOptions> kThreads, kKernel, kKeySeed, kMemory, kPin;
/// The flags of a count and its table: --threads, --kernel, --hash, --key-seed, --key-bits.
extern const std::array<Flag<CountOptions>, 5> kCounting;
extern const std::array<Flag<CountOptions>, 2> kPlacement;  ///< --pin, --interleave

extern const Flag<Showing> kFormat;        ///< text, JSON, CSV and Stockfish's format
extern const Flag<Showing> kPlainFormat;   ///< text, JSON and CSV
extern const Flag<Showing> kReportFormat;  ///< text and JSON
extern const Flag<Showing> kProgress;

}  // namespace flags

// The flags that choose a device for the last plies of a count.

struct DeviceOptions {
  std::optional<DeviceSpec> device = {};  ///< nullopt = the processor
  bool lists_devices = false;
  std::uint64_t device_bytes = 0;  ///< device memory that a count may use; 0 = most of it
};
extern const std::array<Flag<DeviceOptions>, 2> kDevice;  ///< --device, --device-memory

/// Opens the chosen device. Returns null if the user chose the processor. Errors name the flag.
Result<std::unique_ptr<LastPliesDevice>> opened_device(const DeviceOptions& options);

/// Prints all devices. Returns the exit code.
int print_devices(Io& io);

/// Prints a note on io.err if a count of this depth does not use the device. `divide` says whether
/// the count is a divide.
void note_unused_device(int depth, bool divide, Io& io);

}  // namespace manyply
