// The HTTP API, the page and the metrics: turns requests into responses, without sockets.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/mutex.h"
#include "tools/server/access.h"
#include "tools/server/campaign_watch.h"
#include "tools/server/http/http_message.h"
#include "tools/server/http/http_server.h"
#include "tools/server/jobs/job_manager.h"

namespace manyply {

/// A file that is part of the program.
struct EmbeddedFile {
  std::string_view path;  ///< "index.html", "vendor/uplot/uPlot.esm.js"
  std::string_view bytes;
};

/// The files of the page, in ascending order of path. embed_files.cmake generates them at build
/// time. They live as long as the program.
[[nodiscard]] std::span<const EmbeddedFile> page_files();
/// The text of openapi.json.
[[nodiscard]] std::string_view openapi_document();

// Metrics for Prometheus, in the text exposition format, version 0.0.4. The functions are in
// metrics.cpp.

/// A histogram of the durations of requests, and the number of requests by status. Event streams
/// are counted but not timed, because they last as long as their jobs. Safe to use from any thread.
class RequestMetrics {
 public:
  /// Upper bounds of the histogram's buckets, in seconds.
  static constexpr std::array kBounds{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0};

  /// Adds one answered request.
  void observe(const RequestRecord& record);
  /// Returns the metrics of all requests so far in the exposition format.
  [[nodiscard]] std::string text() const;

 private:
  mutable Mutex mutex_;
  std::map<int, std::uint64_t> by_status_ MANYPLY_GUARDED_BY(mutex_);
  std::array<std::uint64_t, kBounds.size() + 1> buckets_ MANYPLY_GUARDED_BY(mutex_){};
  double seconds_ MANYPLY_GUARDED_BY(mutex_) = 0;
};

/// Returns all metrics in the exposition format: those of jobs, counting, transport and requests,
/// and those of this process (memory, processor time, open files).
[[nodiscard]] std::string metrics_text(const JobStats& jobs, const TransportStats& transport,
                                       const RequestMetrics& requests);

/// Settings of the API; the defaults suit tests.
struct RoutesOptions {
  std::shared_ptr<const Clients> clients = {};  ///< see RequestGuard
  /// Source of /v1/campaigns; null = the server shows no campaigns.
  CampaignWatch* campaigns = nullptr;
  std::function<TransportStats()> transport = {};  ///< counters for /metrics; null = all zero
  /// Prefix of all request targets, such as "/" or "/perft/", behind a reverse proxy. Begins and
  /// ends with a slash.
  std::string base_path = "/";
  std::size_t body_bytes = 0;  ///< the transport's body limit, shown in openapi.json; 0 = not shown
  /// Time limit for counting our divide in a comparison, if no stored result contains this divide.
  /// The comparison may also count divides of other depths and positions. All of those together
  /// have a separate limit of the same length.
  std::chrono::milliseconds diff_patience{2000};
};

/// Answers every request. openapi.json is the contract; a test checks every response against it.
/// Thread safety: all functions may be called from any thread.
class Routes {
 public:
  /// `jobs` and the objects in `options` must outlive this object.
  explicit Routes(JobManager& jobs, RoutesOptions options = {});

  /// Decides from the head of a request whether and how to answer it: checks Host, Origin, token,
  /// target, method and content type. Does not block. The returned admission must not outlive this
  /// object.
  [[nodiscard]] Judgement judge(const HttpRequest& head);

  /// Judges a complete request and answers it at once. May block on disk I/O. A stop request to
  /// `stop` ends the counts of a comparison.
  HttpAnswer answer(const HttpRequest& request, const std::stop_token& stop = {});

  /// Adds an answered request to /metrics.
  void observe(const RequestRecord& record) { requests_.observe(record); }

  /// A row of the table of routes.
  struct Route {
    std::string_view method;
    std::string_view path;                              ///< as in OpenAPI: "/v1/jobs/{id}"
    std::span<const std::string_view> parameters = {};  ///< names of the accepted query parameters
    /// The role that a client must have.
    Role needs = Role::kAdmin;
    /// The threads that answer the request.
    Lane lane = Lane::kDisk;
    std::string_view body = "application/json";  ///< accepted content type of a POST body
  };
  /// Returns all routes of the API; the files of the page are not among them.
  [[nodiscard]] static std::span<const Route> table();

  static constexpr std::size_t kDefaultPage = 50;  ///< jobs per page
  static constexpr std::size_t kLargestPage = 500;
  /// Longest wait for a job to end (?wait=)
  static constexpr std::chrono::seconds kLongestWait{300};

 private:
  struct Call;
  using Handler = HttpAnswer (Routes::*)(const Call&);
  struct Entry;
  static std::span<const Entry> entries();

  Judgement judge_below(const HttpRequest& head);
  Judgement judge_bare(const HttpRequest& head);
  Judgement judge_entry(const Entry& entry, const HttpRequest& head, Target target, Client client);

  std::variant<JobView, HttpResponse> job_of(JobId id, JobKind asked);
  std::optional<HttpResponse> check_end(const Call& call);
  HttpAnswer submit_job(const Call& call);
  HttpAnswer submit_batch(const Call& call);
  HttpAnswer submit(const Result<JobRequest>& asked, const Call& call);
  HttpAnswer list_jobs(const Call& call);
  HttpAnswer get_job(const Call& call);
  HttpAnswer cancel_job(const Call& call);
  HttpAnswer remove_job(const Call& call);
  HttpAnswer get_result(const Call& call);
  HttpAnswer get_events(const Call& call);
  HttpAnswer get_position(const Call& call);
  HttpAnswer read_position(const Call& call);
  static HttpResponse position_reply(Question asked);
  HttpAnswer list_campaigns(const Call& call);
  HttpAnswer get_campaign(const Call& call);
  HttpAnswer compare_divide(const Call& call);
  HttpAnswer get_health(const Call& call);
  HttpAnswer get_readiness(const Call& call);
  HttpAnswer get_metrics(const Call& call);
  HttpAnswer get_document(const Call& call);
  HttpAnswer get_limits(const Call& call);

  /// The largest depth that this server accepts.
  [[nodiscard]] Depth most_plies() const { return jobs_.options().limits.max_depth; }

  JobManager& jobs_;
  const RoutesOptions options_;
  const RequestGuard guard_;
  const std::string document_;  ///< openapi.json with the limits of this server
  const std::string limits_;    ///< the part of document_ that describes the fields of a JobRequest
  RequestMetrics requests_;
};

}  // namespace manyply
