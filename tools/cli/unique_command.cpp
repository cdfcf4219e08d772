// `perft unique`: counts and writes distinct positions.
#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "core/base/files.h"
#include "core/base/memory.h"
#include "parallel/matrix/unique_by_pairs.h"
#include "tools/cli/commands.h"
#include "tools/cli/framework/io.h"
#include "tools/cli/job_runner.h"
#include "tools/report/mode_formats.h"
#include "tools/text/number_text.h"

namespace manyply {
namespace {

struct UniqueOptions : Question, CountOptions, Showing, Keeping {
  UniqueOptions() { mode = CountMode::kUnique; }
  std::uint64_t memory_bytes = 0;  ///< 0 = half of the available memory
  std::string epd_file;            ///< empty = none, - = standard output
};

/// Returns an error if standard output can no longer be written. The error ends the count.
std::optional<Error> unheard(const std::ostream& out) {
  if (out) return std::nullopt;
  return Error{ErrorCode::kCancelled, "", 0, "standard output has no reader"};
}

/// Writes positions as EPD: four fields, and the number of paths to the position. A file gets its
/// final name only after it is complete.
class EpdWriter {
 public:
  EpdWriter(const std::string& file, CastlingNotation notation, Io& io)
      : file_(file), notation_(notation) {
    if (file == "-") {
      out_ = &io.out;
      return;
    }
    unfinished_ = files::kind(file) == files::Kind::kOther ? "" : file + ".unfinished";
    fd_ = files::open_to_replace(unfinished_.empty() ? file : unfinished_);
    open_error_ = fd_ < 0 ? errno : 0;
    own_ = std::make_unique<FdStream>(fd_);
    out_ = own_.get();
  }
  ~EpdWriter() {
    if (fd_ < 0) return;
    files::close(fd_);
    if (!unfinished_.empty()) files::remove(unfinished_);
  }
  EpdWriter(const EpdWriter&) = delete;
  EpdWriter& operator=(const EpdWriter&) = delete;

  /// Writes one position. Returns an error if the file or standard output fails.
  std::optional<Error> write(const Position& position, std::uint64_t paths) {
    std::string fen = to_fen(position, notation_);
    fen.resize(fen.rfind(' ', fen.rfind(' ') - 1));  // EPD has no clocks
    *out_ << fen << " paths " << paths << ";\n";
    return problem();
  }

  /// Completes the output and gives the file its name.
  std::optional<Error> finish() {
    out_->flush();
    if (auto error = problem()) return error;
    if (unfinished_.empty()) return std::nullopt;
    if (!files::replace(unfinished_, file_)) return error_of(errno);
    unfinished_.clear();
    return std::nullopt;
  }

  /// Returns the first error so far. Opening or writing may have failed, or standard output may
  /// have no reader.
  [[nodiscard]] std::optional<Error> problem() const {
    if (open_error_ != 0) return error_of(open_error_);
    if (own_ != nullptr && own_->error() != 0) return error_of(own_->error());
    return unheard(*out_);
  }

 private:
  [[nodiscard]] Error error_of(int number) const {
    return {ErrorCode::kUnavailable, "--epd", 0,
            file_ + ": " + std::error_code(number, std::generic_category()).message()};
  }

  std::string file_;
  // Temporary name of the file until the file is complete; empty if the file has its final name
  // from the start.
  std::string unfinished_;
  CastlingNotation notation_;
  int fd_ = -1;
  int open_error_ = 0;
  std::unique_ptr<FdStream> own_;
  std::ostream* out_ = nullptr;
};

/// Returns whether to print the plan before the work starts. The plan is printed if the work needs
/// at least 1 GiB, several parts, or a minute.
bool takes_much(const UniquePlan& plan) {
  constexpr std::uint64_t kMuchMemory = std::uint64_t{1} << 30;
  constexpr double kLong = 60;
  return plan.memory_bytes >= kMuchMemory || plan.parts > 1 || plan.seconds >= kLong;
}

/// Returns the expected memory and time of a ply, as text.
std::string plan_text(const UniquePlan& plan) {
  const bool by_pairs = plan.method == UniqueMethod::kByPairs;
  std::string text =
      fmt::format("perft: ply {}, about {:.2g} positions{}: up to {} of memory", plan.ply,
                  plan.positions, by_pairs ? "" : ", one by one", format_bytes(plan.memory_bytes));
  if (plan.parts > 1) text += fmt::format(", in {} {}", plan.parts, by_pairs ? "parts" : "passes");
  if (plan.seconds >= 1) text += "; about " + duration(plan.seconds);
  return text + '\n';
}

/// Returns an error if --checkpoint is given but would store nothing.
std::optional<Error> refused_checkpoint(const UniqueOptions& options) {
  if (options.checkpoint.empty()) return std::nullopt;
  if (!options.epd_file.empty())
    return bad_input("--checkpoint",
                     "cannot be combined with --epd, because a checkpoint cannot store positions");
  if (options.depth.plies() < kMinPairDepth) {
    return bad_input("--checkpoint", "supports depths from " + std::to_string(kMinPairDepth) +
                                         " on; smaller depths take no time");
  }
  return std::nullopt;
}

int run_unique(const UniqueOptions& options, Io& io) {
  const Result<Question> question = validated(options);
  if (!question) return fail(io, question.error());
  if (const auto error = refused_checkpoint(options)) return fail(io, *error);
  const NamedPosition& root = question->line.named();
  std::unique_ptr<EpdWriter> epd;
  if (!options.epd_file.empty()) {
    epd = std::make_unique<EpdWriter>(options.epd_file, root.notation, io);
    if (const auto error = epd->problem()) return fail(io, *error);
  }

  std::ostream& table = options.epd_file == "-" ? io.err : io.out;
  Resources resources{.count_options = options};
  if (options.memory_bytes > 0) resources.count_options.table_bytes = options.memory_bytes;
  resources.found.on_plan = [&](const UniquePlan& plan) -> std::optional<Error> {
    if (takes_much(plan)) io.err << plan_text(plan) << std::flush;
    return std::nullopt;
  };
  resources.found.on_ply = [&](const UniquePly& ply) -> std::optional<Error> {
    if (options.format == Format::kCsv) {
      table << unique_csv_row(ply, root.position) << std::flush;
    } else if (options.format != Format::kJson) {
      table << unique_text_row(ply, root.position) << std::flush;
    }
    return unheard(io.out);
  };
  if (epd) {
    resources.found.on_position = [&](const Position& position, std::uint64_t paths) {
      return epd->write(position, paths);
    };
  }
  const Result<Answer> found = answer_and_show(*question, resources, options, io, {}, options);
  std::optional<Error> error = found ? std::nullopt : std::optional(found.error());
  if (!error && epd) error = epd->finish();
  if (!io.out) return kExitOk;  // main() finds out whether this is an error
  if (error && error->field == "memory") error->field = "--memory";
  if (error) return fail(io, *error);
  if (options.format == Format::kJson) table << found->document;
  return is_wrong(found->verdict) ? kExitMismatch : kExitOk;
}

constexpr std::array<Flag<UniqueOptions>, 2> kPlaces{{
    {"--epd",
     "FILE",
     "write the positions of the last ply to this file, - for standard output",
     take_text<&UniqueOptions::epd_file>,
     {ValueKind::kFile}},
    {"--memory", "SIZE",
     "memory for positions: 512M, 1.5G, or a number of MiB (default: half of the free memory)",
     take_size<&UniqueOptions::memory_bytes, UniqueSpec::kMinMemoryBytes>},
}};

}  // namespace

Command unique_command() {
  using namespace flags;
  return make_command<UniqueOptions>(
      {.name = "unique",
       .summary = "Count the distinct positions of each ply",
       .about = R"(
Two positions are equal if they have equal pieces, side to move, castling rights and possible en
passant capture; clocks do not matter. Whole positions are compared, not keys, so the numbers are
exact. From depth 5 on, each position is stored as one bit, which stands for a pair of a White and a
Black piece placement. If the ply before the last does not fit into --memory, it is made in parts.
--checkpoint stores the finished parts of the last two plies; the count may be resumed with another
--memory.

--epd writes each position of the last ply with the number of paths to it. These numbers add up to
perft(DEPTH). This option selects a slower method that finds positions one by one. The ply before
the last must fit into a quarter of --memory, and the last ply is found in as many passes as
necessary. The cost of the last two plies is printed before they begin.

From the start position, two cores of a Xeon take 3 s and 0.6 GB for depth 8, 33 s and 3.3 GB for
depth 9, and 16 minutes and 12 GB for depth 10. Extrapolated values are 4 hours and 24 GB for depth
11, and 3 days and 128 GB for depth 12.

'known' compares both numbers of each ply with published values. Exit code: 0, 1 if a value differs,
2 on an error, 130 on Ctrl-C.)",
       .examples = R"(
perft unique 7
perft unique 10 --memory 6G --checkpoint ten.ckpt    # may be killed and started again
perft unique 7 --epd seven.epd
perft unique 3 --fen kiwipete --epd kiwipete-3.epd)"},
      {kDepth, kPosition, kPlaces, kCheckpoint, kThreads, kKernel, kPlainFormat, kProgress},
      run_unique);
}

}  // namespace manyply
