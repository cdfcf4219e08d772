// The HTTP API and the page: from a request to its answer, without sockets.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "tools/server/campaign_watch.h"
#include "tools/server/http/http_message.h"
#include "tools/server/http/target.h"
#include "tools/server/jobs/job_manager.h"
#include "tools/server/metrics.h"
#include "tools/server/request_guard.h"

namespace manyply {

struct RoutesOptions {
  std::shared_ptr<const Clients> clients = {};     ///< as GuardOptions
  CampaignWatch* campaigns = nullptr;              ///< what is shown of campaigns; null = none are
  std::function<TransportStats()> transport = {};  ///< for /metrics; null = all zero
  /// What all targets begin with, "/" or "/perft/": where a proxy has put the server.
  std::string base_path = "/";
  std::size_t body_bytes = 0;  ///< the transport's limit, for the document; 0 = not said
  /// A comparison counts by itself for so long when no result is stored.
  std::chrono::milliseconds diff_patience{2000};
};

/// Answers every request. The contract is openapi.json, which a test holds against this class.
/// Thread safety: everything from any thread.
class Routes {
 public:
  explicit Routes(JobManager& jobs, RoutesOptions options = {});

  /// Who may ask for what, told by a request's head alone: Host, Origin, token, target, method,
  /// content type. Waits for nothing. What it admits must not outlive this object.
  [[nodiscard]] Judgement judge(const HttpRequest& head);

  /// Judges a whole request, and answers it at once. May wait for the disk.
  HttpAnswer answer(const HttpRequest& request, const std::stop_token& stop = {});

  /// To be told of each request that has been answered: for /metrics.
  void observe(const RequestRecord& record) { requests_.observe(record); }

  struct Route {
    std::string_view method;
    std::string_view path;                              ///< as OpenAPI writes it: "/v1/jobs/{id}"
    std::span<const std::string_view> parameters = {};  ///< of its query: the only ones it takes
    Role needs = Role::kAdmin;
    Lane lane = Lane::kDisk;
    std::string_view body = "application/json";  ///< what it takes, if it is a POST
  };
  /// All of the API; files of the page are not listed.
  [[nodiscard]] static std::span<const Route> table();

  static constexpr std::size_t kDefaultPage = 50;  ///< jobs
  static constexpr std::size_t kLargestPage = 500;
  static constexpr std::chrono::seconds kLongestWait{300};  ///< for a job to end

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

  /// Of this server.
  [[nodiscard]] Depth most_plies() const { return jobs_.options().limits.max_depth; }

  JobManager& jobs_;
  const RoutesOptions options_;
  const RequestGuard guard_;
  const std::string document_;  ///< openapi.json, with this server's limits
  RequestMetrics requests_;
};

}  // namespace manyply
