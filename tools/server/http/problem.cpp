#include "tools/server/http/problem.h"

#include <array>
#include <nlohmann/json.hpp>

#include "tools/text/json_text.h"

namespace manyply {
namespace {

struct Status {
  int code;
  std::string_view name;
};
constexpr std::array kStatuses{Status{200, "OK"},
                               Status{202, "Accepted"},
                               Status{204, "No Content"},
                               Status{304, "Not Modified"},
                               Status{308, "Permanent Redirect"},
                               Status{400, "Bad Request"},
                               Status{401, "Unauthorized"},
                               Status{403, "Forbidden"},
                               Status{404, "Not Found"},
                               Status{405, "Method Not Allowed"},
                               Status{408, "Request Timeout"},
                               Status{409, "Conflict"},
                               Status{413, "Content Too Large"},
                               Status{415, "Unsupported Media Type"},
                               Status{417, "Expectation Failed"},
                               Status{421, "Misdirected Request"},
                               Status{422, "Unprocessable Content"},
                               Status{429, "Too Many Requests"},
                               Status{431, "Request Header Fields Too Large"},
                               Status{500, "Internal Server Error"},
                               Status{501, "Not Implemented"},
                               Status{503, "Service Unavailable"}};

}  // namespace

std::string_view status_name(int status) {
  for (const Status& known : kStatuses) {
    if (known.code == status) return known.name;
  }
  return "Error";
}

HttpResponse problem(int status, const Error& error) {
  nlohmann::ordered_json body{
      {"title", status_name(status)}, {"status", status}, {"detail", error.to_string()}};
  if (!error.field.empty()) body["field"] = error.field;
  if (error.column > 0) body["column"] = error.column;
  return {status,
          {{"Content-Type", std::string(kProblemType)}, {"Cache-Control", "no-store"}},
          json_line(body)};
}

HttpResponse problem(int status, std::string_view detail) {
  return problem(status, Error{ErrorCode::kInvalidInput, "", 0, std::string(detail)});
}

HttpResponse transport_problem(int status, std::string_view detail) {
  HttpResponse response = problem(status, detail);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace manyply
