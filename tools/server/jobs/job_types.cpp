#include "tools/server/jobs/job_types.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "core/base/check.h"
#include "tools/text/suite_text.h"

namespace manyply {
namespace {

constexpr std::array<std::string_view, 5> kStateNames{"queued", "running", "done", "failed",
                                                      "cancelled"};

/// Hashes a list of texts. Also hashes the length of each text, so that different lists never give
/// the same bytes.
class Digest {
 public:
  Digest& add(std::string_view part) {
    text_ += std::to_string(part.size()) + ':';
    text_ += part;
    return *this;
  }
  Digest& add(std::int64_t number) { return add(std::to_string(number)); }
  [[nodiscard]] Hash128 hash() const { return xxh3_128(std::as_bytes(std::span(text_))); }

 private:
  std::string text_;
};

/// Adds samples and seed of an estimate. Adds nothing in other modes, so that their existing
/// digests stay valid.
Digest& add_sampling(Digest& digest, const JobRequest& request) {
  if (request.mode != CountMode::kEstimate) return digest;
  // Samples and seed are present, except in a damaged row.
  return digest.add(std::to_string(request.samples.value_or(0)))
      .add(std::to_string(request.seed.value_or(0)));
}

/// Validates the terms that all jobs have: idempotency key and deadline.
std::optional<Error> judge_terms(const JobRequest& request) {
  if (request.idempotency_key) {
    const std::string& key = *request.idempotency_key;
    const bool printable = std::ranges::all_of(key, [](char c) { return c >= 0x20 && c < 0x7F; });
    if (key.empty() || key.size() > JobRequest::kMaxIdempotencyKey || !printable) {
      return Error{ErrorCode::kInvalidInput, "idempotency key", 0,
                   "must be 1 to " + std::to_string(JobRequest::kMaxIdempotencyKey) +
                       " printable ASCII characters"};
    }
  }
  if (request.deadline &&
      (request.deadline->count() <= 0 || *request.deadline > JobRequest::kMaxDeadline)) {
    return Error{ErrorCode::kInvalidInput, "deadline", 0,
                 "must be a number of seconds from 1 to " +
                     std::to_string(JobRequest::kMaxDeadline.count())};
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(JobState state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::optional<JobState> parse_job_state(std::string_view name) {
  const auto* const at = std::ranges::find(kStateNames, name);
  if (at == kStateNames.end()) return std::nullopt;
  return static_cast<JobState>(at - kStateNames.begin());
}

Result<Format> parse_result_format(std::string_view name, JobKind kind) {
  std::string names = "json";
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    const FormatInfo& format = kFormats[i];
    if (!(kind == JobKind::kBatch ? format.of_batches : format.of_jobs)) continue;
    if (format.name == name) return static_cast<Format>(i);
    if (format.name != "json") names += ", " + std::string(format.name);
  }
  return Error{ErrorCode::kInvalidInput, "format", 0, "must be one of " + names};
}

Result<JobRequest> make_job_request(JobRequest request) {
  if (auto error = judge_terms(request)) return *std::move(error);
  Result<Question> question = validated(
      request, {.max_samples = JobRequest::kMaxSamples, .max_seed = JobRequest::kMaxSeed});
  if (!question) return question.error();
  static_cast<Question&>(request) = std::move(question).value();
  request.notation = request.line.notation();
  request.position = to_fen(request.line.here(), request.notation);
  request.identity = result_identity(request);
  return request;
}

Result<JobRequest> make_batch_request(JobRequest request, std::string epd) {
  if (auto error = judge_terms(request)) return *std::move(error);
  if (request.mode != CountMode::kCount && request.mode != CountMode::kHashed &&
      request.mode != CountMode::kUnhashed)
    return Error{ErrorCode::kInvalidInput, "mode", 0,
                 "must be count, hashed or unhashed for a batch"};
  if (epd.size() > Batch::kMaxBytes) {
    return Error{ErrorCode::kInvalidInput, "body", 0,
                 "is limited to " + std::to_string(Batch::kMaxBytes) + " bytes"};
  }
  epd = decoded_suite(epd);
  Result<Suite> suite = read_suite_text("epd", epd);
  if (!suite) return suite.error();
  request.batch =
      BatchFacts{suite->lines.size(), 0, fmt::format("sha256:{:02x}", fmt::join(sha256(epd), ""))};
  request.depth = Depth(0);
  for (const SuiteLine& line : suite->lines) {
    request.batch->counts += line.record.counts.size();
    for (const EpdCount& count : line.record.counts)
      request.depth = std::max(request.depth, count.depth);
  }
  request.suite = std::make_shared<const Batch>(Batch{std::move(suite).value(), std::move(epd)});
  request.identity = result_identity(request);
  return request;
}

Hash128 result_identity(const JobRequest& request) {
  Digest digest;
  digest.add("result")
      .add(MANYPLY_VERSION)
      .add(request.stored_position())
      .add(static_cast<std::int64_t>(request.notation))
      .add(request.depth.plies())
      .add(static_cast<std::int64_t>(request.mode));
  return add_sampling(digest, request).hash();
}

Hash128 request_digest(const JobRequest& request) {
  Digest digest;
  digest.add("request")
      .add(request.stored_fen())
      .add(request.moves)
      .add(request.chess960 ? 1 : 0)
      .add(request.depth.plies())
      .add(static_cast<std::int64_t>(request.mode))
      .add(request.divide ? 1 : 0)
      .add(request.deadline ? request.deadline->count() : 0);
  return add_sampling(digest, request).hash();
}

Hash128 row_digest(const JobRequest& request) {
  const Hash128 asked = request_digest(request);
  return Digest()
      .add("row")
      .add(static_cast<std::int64_t>(asked.high))
      .add(static_cast<std::int64_t>(asked.low))
      .add(request.stored_position())
      .add(static_cast<std::int64_t>(request.notation))
      .hash();
}

Result<std::string> format_result(const JobView& view, Format format) {
  const JobRequest& asked = view.request;
  if (asked.kind() == JobKind::kCount)
    return written(asked.mode, format, view.document, {.line = &asked.line});
  return written_suite(format, view.document,
                       asked.suite ? asked.suite->lines : std::vector<SuiteLine>());
}

Result<Answer> answer_job(const JobRequest& request, const Resources& resources) {
  return request.kind() == JobKind::kBatch
             ? answer_suite(*request.suite, request.mode, request.identity, resources)
             : answer(request, resources);
}

bool resumes(const JobRequest& request) {
  return request.kind() == JobKind::kBatch || info(request.mode).resumes;
}

Sha256 sha256(std::string_view text) {
  Sha256 digest{};
  MANYPLY_CHECK(
      EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

}  // namespace manyply
