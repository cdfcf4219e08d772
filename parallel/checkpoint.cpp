#include "parallel/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

namespace manyply {

namespace {

/// Records that are read at a time.
constexpr std::size_t kReadRecords = 1'024;

struct Header {
  std::array<char, 8> magic{'M', 'A', 'N', 'Y', 'P', 'L', 'Y', '1'};
  Hash128 identity;
  std::uint64_t units = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Header) == 40);

/// Of everything before the checksum itself.
std::uint64_t checksum_of(const Header& header) {
  return xxh3_64(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)));
}

/// Reads as much as there is, up to `bytes`; -1 on an error.
ssize_t read_fully(int file, void* data, std::size_t bytes) {
  std::size_t have = 0;
  while (have < bytes) {
    const ssize_t n = read(file, static_cast<char*>(data) + have, bytes - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(have);
}

/// What the last system call that failed says.
std::string system_error() { return std::generic_category().message(errno); }

}  // namespace

CheckpointFile::~CheckpointFile() {
  if (file_ >= 0) close(file_);
}

Error CheckpointFile::problem(const std::string& what) const {
  return {ErrorCode::kUnavailable, "checkpoint", 0, path_ + ": " + what};
}

Result<UnitPayloads> CheckpointFile::open(const StoredJob& job) {
  MANYPLY_CHECK(file_ < 0);
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) return problem(system_error());
  struct stat status{};
  if (fstat(file_, &status) != 0) return problem(system_error());
  if (!S_ISREG(status.st_mode)) return problem("is not a regular file");
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) return problem("is in use by another process");

  const auto size = static_cast<std::uint64_t>(status.st_size);
  records_.emplace(job);
  Header expected{.identity = job.identity, .units = records_->stored_units()};
  expected.checksum = checksum_of(expected);

  Header header;
  const ssize_t header_bytes = read_fully(file_, &header, sizeof header);
  if (header_bytes < 0) return problem(system_error());
  // A job killed within its first write leaves the beginning of its own header, and nothing else.
  const auto have = static_cast<std::size_t>(header_bytes);
  const bool begun = have < sizeof header && std::memcmp(&header, &expected, have) == 0;
  std::uint64_t good = 0;
  UnitPayloads known(job);
  if (!begun) {
    if (have < sizeof header || header.magic != expected.magic)
      return problem("is not a checkpoint");
    if (header.checksum != checksum_of(header)) return problem("has a damaged header");
    const auto begun_as = UnitRecords::begun_as(job, header.units);
    if (header.identity != job.identity || !begun_as)
      return problem("holds another count: its position, depth, key bits or kind are others");
    records_ = begun_as;
    good = sizeof header;
    UnitReader reader(*records_);
    const std::size_t record_bytes = records_->record_bytes();
    std::vector<std::byte> block(kReadRecords * record_bytes);
    for (bool whole = true; whole;) {
      const ssize_t bytes = read_fully(file_, block.data(), block.size());
      if (bytes < 0) return problem(system_error());
      whole = static_cast<std::size_t>(bytes) == block.size();
      auto rest = std::span(block).first(static_cast<std::size_t>(bytes));
      while (rest.size() >= record_bytes && reader.take(rest.first(record_bytes))) {
        rest = rest.subspan(record_bytes);
        good += record_bytes;
      }
      whole = whole && rest.empty();
    }
    known = std::move(reader).known();
  }
  resumed_units_ = known.known();
  dropped_bytes_ = begun ? 0 : size - good;
  if (ftruncate(file_, static_cast<off_t>(good)) != 0 ||
      lseek(file_, static_cast<off_t>(good), SEEK_SET) < 0) {
    return problem(system_error());
  }
  if (good == 0) {
    if (auto error = write_all(&expected, sizeof expected)) return *std::move(error);
  }
  const MutexLock lock(mutex_);
  if (auto error = sync()) return *std::move(error);
  opened_ = true;
  return known;
}

std::optional<Error> CheckpointFile::write_all(const void* data, std::size_t bytes) const {
  const auto* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = write(file_, next, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return problem(system_error());
    next += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return std::nullopt;
}

std::optional<Error> CheckpointFile::sync() {
  last_sync_ = std::chrono::steady_clock::now();
  if (fdatasync(file_) != 0) return problem(system_error());
  return std::nullopt;
}

std::optional<Error> CheckpointFile::record(std::size_t unit,
                                            std::span<const std::uint64_t> payload) {
  const std::vector<std::uint64_t> record = records_->written(unit, payload);
  const MutexLock lock(mutex_);
  if (auto error = write_all(record.data(), std::span(record).size_bytes())) return error;
  if (std::chrono::steady_clock::now() - last_sync_ < kSyncInterval) return std::nullopt;
  return sync();
}

std::optional<Error> CheckpointFile::flush() {
  const MutexLock lock(mutex_);
  return sync();
}

}  // namespace manyply
