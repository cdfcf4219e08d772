// Reads any text as the body of a request. The body must give a useful error, or a question that is
// the same after writing and reading it as JSON.

#include <nlohmann/json.hpp>

#include "tests/fuzz/expect.h"
#include "tools/server/job_json.h"

using namespace manyply;
using nlohmann::json;

namespace {

/// Unlike expect_useful(), accepts an error without a field: if the body is not a JSON object,
/// there is no field to name.
void expect_useful_of_body(const Error& error) {
  const std::string line = error.to_string();
  expect(error.code == ErrorCode::kInvalidInput || error.code == ErrorCode::kIllegal,
         "it is the body's fault", line);
  expect(line.size() < 300, "an error is short", line);
  expect_printable(line, "an error is one printable line");
}

json written(const JobRequest& request) {
  return {{"fen", request.fen},
          {"moves", request.moves},
          {"chess960", request.chess960},
          {"depth", request.depth.plies()}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (const auto request = parse_job_request(body)) {
    json again = written(*request);
    again["mode"] = to_string(request->mode);
    again["divide"] = request->divide;
    if (request->samples) again["samples"] = *request->samples;
    if (request->seed) again["seed"] = *request->seed;
    if (request->deadline) again["deadline"] = request->deadline->count();
    const auto second = parse_job_request(again.dump());
    expect(second.ok(), "what was written is read", again.dump());
    expect(request_digest(*second) == request_digest(*request), "as the same request",
           again.dump());
    expect(result_identity(*second) == result_identity(*request), "and question", again.dump());
    JobView view;
    view.id = JobId{1};
    view.request = *request;
    const json told = json::parse(job_json(view), nullptr, false);
    expect(told.is_object() && told["fen"] == request->fen, "and told as it was asked",
           told.dump());
  } else {
    expect_useful_of_body(request.error());
  }
  if (const auto diff = parse_diff_request(body)) {
    json again = written(diff->request);
    again["divide"] = diff->divide;
    const auto second = parse_diff_request(again.dump());
    expect(second.ok(), "what was written is read", again.dump());
    expect(second->divide == diff->divide, "with the same text", again.dump());
    expect(result_identity(second->request) == result_identity(diff->request), "and question");
  } else {
    expect_useful_of_body(diff.error());
  }
  return 0;
}
