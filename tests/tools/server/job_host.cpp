// Does jobs until it is killed: the counting half of a server, driven through standard input.
//
//   job_host DIR [THREADS]
//   submit KEY MODE DEPTH FEN   -> ack KEY ID | refused KEY WHY
//   submit KEY batch 0 EPD      -> the same; one line
//   show ID                     -> job ID STATE NODES ATTEMPTS RESUMED REPORT
//   cancel ID                   -> cancelled ID STATE
//   remove ID                   -> removed ID
//
// If there is no such job, the answer is "lost ID".
//
// Prints "ready" when the state is loaded. Shuts down at the end of its input.
#include <iostream>
#include <sstream>
#include <string>

#include "tools/server/jobs/job_manager.h"

int main(int argc, char** argv) {
  using namespace manyply;
  if (argc < 2) return 2;
  JobManagerOptions options;
  options.state_dir = argv[1];
  options.counting.threads = argc > 2 ? std::atoi(argv[2]) : 0;
  options.counting.table_bytes = std::uint64_t{32} << 20;
  options.limits.max_queued = 1000;
  options.unit_interval = std::chrono::milliseconds(20);
  options.storage_patience = std::chrono::milliseconds(0);
  auto started = JobManager::start(options);
  if (!started) {
    std::cout << "error " << started.error().to_string() << std::endl;
    return 2;
  }
  const std::unique_ptr<JobManager> manager = std::move(started).value();
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "submit") {
      JobRequest request;
      std::string key;
      std::string mode;
      int depth = 0;
      words >> key >> mode >> depth >> std::ws;
      std::getline(words, request.fen);
      request.depth = Depth(depth);
      request.idempotency_key = key;
      const bool is_batch = mode == "batch";
      if (!is_batch) request.mode = parse_count_mode(mode).value();
      const auto answer = manager->submit(
          (is_batch ? make_batch_request(request, request.fen) : make_job_request(request))
              .value());
      if (const auto* submission = std::get_if<Submission>(&answer)) {
        std::cout << "ack " << key << ' ' << submission->job.id.value << std::endl;
      } else {
        std::cout << "refused " << key << ' ' << std::get<Refusal>(answer).error.to_string()
                  << std::endl;
      }
      continue;
    }
    JobId id;
    words >> id.value;
    if (verb == "remove") {
      const auto removal = manager->remove(id);
      const bool removed = removal.ok() && *removal == Removal::kRemoved;
      std::cout << (removed ? "removed " : "lost ") << id.value << std::endl;
      continue;
    }
    const auto job = verb == "cancel" ? manager->cancel(id) : manager->get(id);
    if (!job || !*job) {
      std::cout << "lost " << id.value << std::endl;
    } else if (verb == "cancel") {
      std::cout << "cancelled " << id.value << ' ' << to_string((*job)->state) << std::endl;
    } else {
      const JobView& view = **job;
      std::string report = view.document.empty() ? "-" : view.document;
      if (report.back() == '\n') report.pop_back();
      std::cout << "job " << id.value << ' ' << to_string(view.state) << ' '
                << view.nodes.value_or(0).to_string() << ' ' << view.attempts << ' '
                << view.progress.resumed_units << ' ' << report << std::endl;
    }
  }
}
