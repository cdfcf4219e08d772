// The C interface: a thin wall that no exception passes.
//
// It runs jobs, and not the table of modes in tools/question: callers get numbers in structures,
// which would be written into a document and read back out of it; and the library would be 677 KB
// (27 %) larger, and need libfmt.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <stop_token>
#include <string_view>
#include <thread>

#include "core/line.h"
#include "core/movegen.h"
#include "parallel/job.h"
#include "parallel/manyply.h"

struct manyply_position {
  manyply::Line line;
};

struct manyply_cancel {
  std::stop_source source;
};

namespace manyply {
namespace {

/// `text` with its 0 into a buffer of `capacity` bytes; its whole length.
std::size_t copy_text(std::string_view text, char* buffer, std::size_t capacity) {
  if (buffer != nullptr && capacity > 0) {
    const std::size_t length = std::min(text.size(), capacity - 1);
    std::memcpy(buffer, text.data(), length);
    buffer[length] = '\0';
  }
  return text.size();
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
      return MANYPLY_INVALID_INPUT;
    case ErrorCode::kIllegal:
      return MANYPLY_ILLEGAL;
    case ErrorCode::kOverflow:
      return MANYPLY_OVERFLOW;
    case ErrorCode::kCancelled:
      return MANYPLY_CANCELLED;
    case ErrorCode::kUnavailable:
      return MANYPLY_UNAVAILABLE;
    case ErrorCode::kInternal:
      break;
  }
  return MANYPLY_INTERNAL;
}

int report(manyply_error* error, int status, std::string_view field, int column,
           std::string_view message) {
  if (error != nullptr) {
    *error = {};
    error->status = status;
    error->column = column;
    copy_text(field, error->field, sizeof error->field);
    copy_text(message, error->message, sizeof error->message);
  }
  return status;
}
int report(manyply_error* error, const Error& what) {
  return report(error, status_of(what.code), what.field, what.column, what.message);
}
int missing(manyply_error* error, std::string_view argument) {
  return report(error, MANYPLY_INVALID_INPUT, argument, 0, "must not be NULL");
}

/// Runs `body`, which returns a status; turns exceptions into one.
template <typename Body>
int guarded(manyply_error* error, Body body) noexcept {
  try {
    const int status = body();
    if (status == MANYPLY_OK) report(error, MANYPLY_OK, "", 0, "");
    return status;
  } catch (const std::bad_alloc&) {
    return report(error, MANYPLY_UNAVAILABLE, "", 0, "out of memory");
  } catch (const std::exception& problem) {
    return report(error, MANYPLY_INTERNAL, "", 0, problem.what());
  } catch (...) {
    return report(error, MANYPLY_INTERNAL, "", 0, "unknown exception");
  }
}

manyply_move move_text(Move move, CastlingNotation notation) {
  manyply_move text{};
  copy_text(to_uci(move, notation), text.text, sizeof text.text);
  return text;
}

manyply_count words_of(NodeCount count) { return {count.high(), count.low()}; }

manyply_options defaults() {
  manyply_options options{};
  options.size = sizeof options;
  options.hash_bytes = MANYPLY_HASH_AUTO;
  options.key_seed = KeySpec::kDefaultSeed;
  options.progress_seconds = 0.1;
  return options;
}

/// A caller's structure may be older and shorter, or newer and longer, than ours.
manyply_options complete_options(const manyply_options* given) {
  manyply_options options = defaults();
  if (given != nullptr) {
    const std::size_t size = std::min(given->size, sizeof options);
    std::memcpy(&options, given, size);
    options.size = sizeof options;
  }
  return options;
}

/// Runs the job on a thread of its own while this one calls `progress`.
Result<Report> run_watched(const JobSpec& job, const manyply_options& options,
                           std::stop_source& stop) {
  Progress progress;
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;                // guarded by mutex
  Result<Report> result = Error{};  // written before done
  const std::jthread worker([&] {
    Result<Report> report = run_job(job, stop.get_token(), &progress);
    const std::scoped_lock lock(mutex);
    result = std::move(report);
    done = true;
    done_changed.notify_one();
  });
  const std::chrono::duration<double> pause(std::clamp(options.progress_seconds, 0.001, 3600.0));
  std::unique_lock lock(mutex);
  while (!done_changed.wait_for(lock, pause, [&] { return done; })) {
    lock.unlock();
    const ProgressSnapshot now = progress.snapshot();
    const manyply_progress shown{sizeof(manyply_progress), now.leaves, now.visited, now.units_done,
                                 now.units_total};
    if (!stop.stop_requested() && options.progress(&shown, options.user) != 0) stop.request_stop();
    lock.lock();
  }
  return result;
}

/// Auto chooses where nothing is said of a table.
std::optional<Method> method_of(const manyply_options& options) {
  switch (options.method) {
    case MANYPLY_METHOD_AUTO:
      return options.hash_bytes == MANYPLY_HASH_AUTO && options.key_seed == KeySpec::kDefaultSeed
                 ? Method::kAuto
                 : Method::kHashed;
    case MANYPLY_METHOD_HASHED:
      return Method::kHashed;
    case MANYPLY_METHOD_CONFIGURATIONS:
      return Method::kConfigurations;
    default:
      return std::nullopt;
  }
}

Result<Report> run(const manyply_position& position, int depth, const manyply_options* given,
                   bool divide) {
  const manyply_options options = complete_options(given);
  if (depth < 0 || depth > Depth::kMax)
    return Error{ErrorCode::kInvalidInput, "depth", 0, "must be a number from 0 to 64"};
  if (options.threads < 0 || options.threads > kMaxThreads)
    return Error{ErrorCode::kInvalidInput, "threads", 0,
                 "must be a number from 0 to " + std::to_string(kMaxThreads)};
  if (options.hash_bytes != MANYPLY_HASH_OFF && options.hash_bytes < kMinHashBytes)
    return Error{ErrorCode::kInvalidInput, "hash_bytes", 0, "a table takes at least 65536 bytes"};
  const std::optional<Method> method = method_of(options);
  if (!method) return Error{ErrorCode::kInvalidInput, "method", 0, "must be a MANYPLY_METHOD"};
  JobSpec job;
  job.method = *method;
  job.divide = divide;
  job.root = position.line.named();
  job.depth = Depth(depth);
  job.threads = options.threads;
  if (options.hash_bytes != MANYPLY_HASH_OFF) {
    job.hash.emplace();
    job.hash->bytes = options.hash_bytes == MANYPLY_HASH_AUTO ? 0 : options.hash_bytes;
    job.hash->keys.seed = options.key_seed;
  }
  std::stop_source stop;
  const std::stop_token outer =
      options.cancel != nullptr ? options.cancel->source.get_token() : std::stop_token{};
  const std::stop_callback pass_on(outer, [&] { stop.request_stop(); });
  if (options.progress == nullptr) return run_job(job, stop.get_token());
  return run_watched(job, options, stop);
}

}  // namespace
}  // namespace manyply

using namespace manyply;

const char* manyply_version(void) { return MANYPLY_VERSION; }
int manyply_abi(void) { return MANYPLY_ABI; }

int manyply_position_new(const char* fen, const char* moves, int chess960,
                         manyply_position** position, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    *position = nullptr;
    if (fen == nullptr) return missing(error, "fen");
    const Result<Line> line =
        parse_line(fen, moves != nullptr ? moves : "",
                   chess960 != 0 ? std::optional(CastlingNotation::kChess960) : std::nullopt);
    if (!line) return report(error, line.error());
    *position = new manyply_position{*line};
    return static_cast<int>(MANYPLY_OK);
  });
}

void manyply_position_free(manyply_position* position) { delete position; }

int manyply_position_play(manyply_position* position, const char* move, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (move == nullptr) return missing(error, "move");
    Line& line = position->line;
    const Result<Move> parsed = parse_uci(line.here(), move, line.notation());
    if (!parsed) return report(error, parsed.error());
    line.play(*parsed);
    return static_cast<int>(MANYPLY_OK);
  });
}

size_t manyply_position_fen(const manyply_position* position, char* text, size_t capacity) {
  if (position == nullptr) return copy_text("", text, capacity);
  std::size_t length = 0;
  guarded(nullptr, [&] {
    length = copy_text(to_fen(position->line.here(), position->line.notation()), text, capacity);
    return static_cast<int>(MANYPLY_OK);
  });
  return length;
}

int manyply_position_white_to_move(const manyply_position* position) {
  return position != nullptr && position->line.here().side_to_move() == Color::kWhite ? 1 : 0;
}

int manyply_position_in_check(const manyply_position* position) {
  return position != nullptr && position->line.here().in_check() ? 1 : 0;
}

size_t manyply_position_moves(const manyply_position* position, manyply_move* moves,
                              size_t capacity) {
  if (position == nullptr) return 0;
  const MoveList legal = legal_moves(position->line.here());
  const std::size_t written = moves != nullptr ? std::min(legal.size(), capacity) : 0;
  for (std::size_t i = 0; i < written; ++i)
    moves[i] = move_text(legal[i], position->line.notation());
  return legal.size();
}

void manyply_options_init(manyply_options* options, size_t size) {
  if (options == nullptr || size < sizeof options->size) return;
  std::memset(static_cast<void*>(options), 0, size);
  const manyply_options ours = defaults();
  std::memcpy(options, &ours, std::min(size, sizeof ours));
  options->size = size;
}

int manyply_perft(const manyply_position* position, int depth, const manyply_options* options,
                  manyply_count* count, manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (count == nullptr) return missing(error, "count");
    *count = {0, 0};
    const Result<Report> done = run(*position, depth, options, false);
    if (!done) return report(error, done.error());
    *count = words_of(done->nodes);
    return static_cast<int>(MANYPLY_OK);
  });
}

int manyply_divide(const manyply_position* position, int depth, const manyply_options* options,
                   manyply_row* rows, size_t capacity, size_t* rows_written, manyply_count* total,
                   manyply_error* error) {
  return guarded(error, [&] {
    if (position == nullptr) return missing(error, "position");
    if (rows_written == nullptr) return missing(error, "rows_written");
    if (rows == nullptr && capacity > 0) return missing(error, "rows");
    *rows_written = 0;
    if (total != nullptr) *total = {0, 0};
    if (depth < 1)
      return report(error, MANYPLY_INVALID_INPUT, "depth", 0, "must be a number from 1 to 64");
    const std::size_t needed = legal_moves(position->line.here()).size();
    if (needed > capacity) {  // told before hours are spent on it
      *rows_written = needed;
      return report(error, MANYPLY_TOO_SMALL, "capacity", 0,
                    std::to_string(needed) + " rows are needed");
    }
    const Result<Report> done = run(*position, depth, options, true);
    if (!done) return report(error, done.error());
    for (const DivideEntry& entry : done->divide) {
      rows[(*rows_written)++] = {move_text(entry.move, position->line.notation()),
                                 words_of(entry.nodes)};
    }
    if (total != nullptr) *total = words_of(done->nodes);
    return static_cast<int>(MANYPLY_OK);
  });
}

size_t manyply_count_text(manyply_count count, char* text, size_t capacity) {
  std::size_t length = 0;
  guarded(nullptr, [&] {
    length = copy_text(NodeCount::from_words(count.high, count.low).to_string(), text, capacity);
    return static_cast<int>(MANYPLY_OK);
  });
  return length;
}

manyply_cancel* manyply_cancel_new(void) {
  manyply_cancel* cancel = nullptr;
  guarded(nullptr, [&] {
    cancel = new manyply_cancel;
    return static_cast<int>(MANYPLY_OK);
  });
  return cancel;
}

void manyply_cancel_request(manyply_cancel* cancel) {
  if (cancel != nullptr) cancel->source.request_stop();
}

void manyply_cancel_free(manyply_cancel* cancel) { delete cancel; }
