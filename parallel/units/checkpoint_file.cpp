#include "parallel/units/checkpoint_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/files.h"

namespace manyply {

namespace {

/// Number of records that are read at a time.
constexpr std::size_t kReadRecords = 1'024;

constexpr std::string_view kMagic = "MANYPLY2";
constexpr std::string_view kMagicWithoutText = "MANYPLY1";
constexpr std::string_view kMagicWithPlan = "MANYPLY3";
constexpr std::size_t kMostText = 1'000;
constexpr std::size_t kMostPlan = std::size_t{1} << 17;

/// The beginning of every header.
struct Beginning {
  std::array<char, 8> magic{};
  Hash128 identity;
  std::uint64_t units = 0;
};
static_assert(sizeof(Beginning) == 32);
constexpr std::size_t kMostHeader = sizeof(Beginning) + kMostText + 3 * sizeof(std::uint64_t);
/// The bytes of a header before this offset do not depend on the number of units.
constexpr std::size_t kIdentityEnd = offsetof(Beginning, units);

void append(std::string& bytes, const auto& value) {
  const auto chars = std::bit_cast<std::array<char, sizeof value>>(value);
  bytes.append(chars.data(), chars.size());
}

/// Returns the eight bytes at offset `at` as a number; nullopt if `bytes` ends earlier.
std::optional<std::uint64_t> number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  if (bytes.size() < at + sizeof number) return std::nullopt;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::uint64_t checksum_of(std::string_view bytes) {
  return xxh3_64(std::as_bytes(std::span(bytes)));
}

/// Returns the beginning of a file of `job`, which stands before the records: the header and, if
/// the job has one, the plan. The header states `units` as the number of units.
std::string header_of(const StoredJob& job, std::uint64_t units) {
  MANYPLY_CHECK(job.plan.size() <= kMostPlan);
  Beginning beginning{.identity = job.identity, .units = units};
  std::ranges::copy(job.plan.empty() ? kMagic : kMagicWithPlan, beginning.magic.begin());
  const std::string_view text = std::string_view(job.what).substr(0, kMostText);
  std::string bytes;
  append(bytes, beginning);
  append(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text;
  if (!job.plan.empty()) append(bytes, static_cast<std::uint64_t>(job.plan.size()));
  append(bytes, checksum_of(bytes));
  if (!job.plan.empty()) {
    bytes += job.plan;
    append(bytes, checksum_of(job.plan));
  }
  return bytes;
}

/// A parsed header.
struct Header {
  Beginning beginning;
  std::string text;
  std::string plan;
  std::size_t bytes = 0;  ///< size of header and plan, even if the file ends earlier
};

/// Parses the header at the beginning of `file`. Returns an error message if it is invalid.
std::variant<Header, const char*> parse_header(std::string_view file) {
  constexpr const char* kDamaged = "has a damaged header";
  const bool has_plan = file.starts_with(kMagicWithPlan);
  const bool has_text = has_plan || file.starts_with(kMagic);
  if (!has_text && !file.starts_with(kMagicWithoutText)) return "is not a checkpoint";
  Header header;
  std::size_t end = sizeof(Beginning);
  if (has_text) {
    const std::optional<std::uint64_t> text_bytes = number_at(file, end);
    end += sizeof(std::uint64_t);
    if (!text_bytes || *text_bytes > kMostText || file.size() < end + *text_bytes) return kDamaged;
    header.text = file.substr(end, static_cast<std::size_t>(*text_bytes));
    end += static_cast<std::size_t>(*text_bytes);
  }
  std::size_t plan_bytes = 0;
  if (has_plan) {
    plan_bytes = static_cast<std::size_t>(number_at(file, end).value_or(0));
    end += sizeof(std::uint64_t);
    if (plan_bytes == 0 || plan_bytes > kMostPlan) return kDamaged;
  }
  const std::optional<std::uint64_t> checksum = number_at(file, end);
  if (!checksum || *checksum != checksum_of(file.substr(0, end))) return kDamaged;
  std::memcpy(&header.beginning, file.data(), sizeof header.beginning);
  header.bytes = end + sizeof *checksum;
  if (!has_plan) return header;
  const std::size_t plan_begin = header.bytes;
  header.bytes += plan_bytes + sizeof *checksum;
  if (file.size() < header.bytes) return header;
  header.plan = file.substr(plan_begin, plan_bytes);
  if (number_at(file, plan_begin + plan_bytes) != checksum_of(header.plan)) return kDamaged;
  return header;
}

/// Returns whether `file` is a checkpoint of `job` that ends before its plan is complete. Such a
/// file remains if the process was killed during the first write. The plan in the file may differ
/// from the plan of `job`.
bool ends_in_plan(std::string_view file, const StoredJob& job) {
  const std::string beginning = header_of({.identity = job.identity, .plan = "any"}, 0);
  const std::size_t known = std::min(file.size(), kIdentityEnd);
  if (file.substr(0, known) != std::string_view(beginning).substr(0, known)) return false;
  const auto header = parse_header(file);
  const auto* const whole = std::get_if<Header>(&header);
  return whole != nullptr ? file.size() < whole->bytes : file.size() < kMostHeader;
}

/// Returns the reason why a checkpoint with this text does not belong to the job.
std::string other_count(const std::string& text, const StoredJob& job) {
  if (text.empty())
    return "holds another count: the position, depth, key bits or kind is different";
  if (text == job.what)
    return "holds " + text + ", but another version of the program has split it into other units";
  if (job.what.starts_with(text + " by ")) return "holds " + text + ", counted by another method";
  return "holds another count: " + text;
}

/// Returns the message for errno.
std::string system_error() { return std::generic_category().message(errno); }

}  // namespace

CheckpointFile::~CheckpointFile() {
  if (file_ >= 0) files::close(file_);
}

Error CheckpointFile::problem(const std::string& what) const {
  return {ErrorCode::kUnavailable, "checkpoint", 0, path_ + ": " + what};
}

Result<std::string> CheckpointFile::read_beginning() {
  const bool first = file_ < 0;
  if (first) file_ = files::open_to_keep(path_);
  if (file_ < 0) return problem(system_error());
  const bool locked = !first || files::lock(file_);
  const std::optional<files::Kind> kind = files::kind(file_);
  if (!kind) return problem(system_error());
  if (kind != files::Kind::kRegular) return problem("is not a regular file");
  std::string bytes(kMostHeader + kMostPlan + sizeof(std::uint64_t), '\0');
  const auto have = files::read_at(file_, 0, std::as_writable_bytes(std::span(bytes)));
  if (!have) return problem(system_error());
  bytes.resize(*have);
  if (locked) return bytes;
  const auto header = parse_header(bytes);
  const auto* const known = std::get_if<Header>(&header);
  const bool named = known != nullptr && !known->text.empty();
  return problem("is in use by another process" + (named ? ", for " + known->text : ""));
}

Result<std::optional<std::string>> CheckpointFile::plan_of(const StoredJob& job) {
  const Result<std::string> beginning = read_beginning();
  if (!beginning) return beginning.error();
  if (ends_in_plan(*beginning, job)) return std::optional<std::string>();
  auto header = parse_header(*beginning);
  auto* const known = std::get_if<Header>(&header);
  if (known == nullptr) return problem(std::get<const char*>(header));
  if (known->beginning.identity != job.identity || known->plan.empty())
    return problem(other_count(known->text, job));
  return std::optional(std::move(known->plan));
}

Result<UnitPayloads> CheckpointFile::open(const StoredJob& job) {
  MANYPLY_CHECK(!opened_);
  const Result<std::string> beginning = read_beginning();
  if (!beginning) return beginning.error();
  const std::optional<std::uint64_t> size = files::bytes(file_);
  if (!size) return problem(system_error());

  records_.emplace(job);
  const std::string expected = header_of(job, records_->stored_units());
  // If a job was killed during its first write, the file ends in the header or in the plan.
  const bool begun = job.plan.empty()
                         ? beginning->size() < expected.size() && expected.starts_with(*beginning)
                         : ends_in_plan(*beginning, job);
  std::uint64_t good = 0;
  UnitPayloads known(job);
  if (!begun) {
    const auto header = parse_header(*beginning);
    const auto* const known_header = std::get_if<Header>(&header);
    if (known_header == nullptr) return problem(std::get<const char*>(header));
    const auto begun_as = UnitRecords::begun_as(job, known_header->beginning.units);
    if (known_header->beginning.identity != job.identity || !begun_as ||
        known_header->plan != job.plan)
      return problem(other_count(known_header->text, job));
    records_ = begun_as;
    good = known_header->bytes;
    UnitReader reader(*records_);
    const std::size_t record_bytes = records_->record_bytes();
    std::vector<std::byte> block(kReadRecords * record_bytes);
    for (bool whole = true; whole;) {
      const auto bytes = files::read_at(file_, good, block);
      if (!bytes) return problem(system_error());
      whole = *bytes == block.size();
      auto rest = std::span(block).first(*bytes);
      while (rest.size() >= record_bytes && reader.take(rest.first(record_bytes))) {
        rest = rest.subspan(record_bytes);
        good += record_bytes;
      }
      whole = whole && rest.empty();
    }
    known = std::move(reader).known();
  }
  resumed_units_ = known.known();
  dropped_bytes_ = begun ? 0 : *size - good;
  if (!files::cut(file_, good)) return problem(system_error());
  const MutexLock lock(mutex_);
  end_ = good;
  if (good == 0) {
    if (auto error = append_to_file(std::as_bytes(std::span(expected)))) return *std::move(error);
  }
  if (auto error = sync()) return *std::move(error);
  opened_ = true;
  return known;
}

std::optional<Error> CheckpointFile::append_to_file(std::span<const std::byte> bytes) {
  if (!files::write_at(file_, end_, bytes)) return problem(system_error());
  end_ += bytes.size();
  return std::nullopt;
}

std::optional<Error> CheckpointFile::sync() {
  last_sync_ = std::chrono::steady_clock::now();
  if (!files::sync(file_)) return problem(system_error());
  return std::nullopt;
}

std::optional<Error> CheckpointFile::record(std::size_t unit,
                                            std::span<const std::uint64_t> payload) {
  const std::vector<std::uint64_t> record = records_->written(unit, payload);
  const MutexLock lock(mutex_);
  if (auto error = append_to_file(std::as_bytes(std::span(record)))) return error;
  if (std::chrono::steady_clock::now() - last_sync_ < kSyncInterval) return std::nullopt;
  return sync();
}

std::optional<Error> CheckpointFile::flush() {
  const MutexLock lock(mutex_);
  return sync();
}

bool is_checkpoint_without_plan(const std::string& path) {
  if (files::kind(path) != files::Kind::kRegular) return false;
  const int file = files::open_to_read(path);
  if (file < 0) return false;
  std::array<char, kMagic.size()> magic{};
  const auto read = files::read_at(file, 0, std::as_writable_bytes(std::span(magic)));
  files::close(file);
  const std::string_view begin(magic.data(), read.value_or(0));
  return begin == kMagic || begin == kMagicWithoutText;
}

}  // namespace manyply
