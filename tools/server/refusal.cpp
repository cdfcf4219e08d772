#include "tools/server/refusal.h"

#include "tools/server/http/problem.h"

namespace manyply {
namespace {

constexpr std::string_view kRetrySeconds = "5";

}  // namespace

HttpResponse problem(const Refusal& refusal) {
  const auto later = [&](int status) {
    HttpResponse response = problem(status, refusal.error);
    response.headers.emplace_back("Retry-After", kRetrySeconds);
    return response;
  };
  switch (refusal.kind) {
    case Refusal::Kind::kInvalid:
      return problem(422, refusal.error);
    case Refusal::Kind::kConflict:
      return problem(409, refusal.error);
    case Refusal::Kind::kQueueFull:
      return later(429);
    case Refusal::Kind::kNoRoom:
      return problem(403, refusal.error);
    case Refusal::Kind::kClosing:
    case Refusal::Kind::kStorage:
      break;
  }
  return later(503);
}

}  // namespace manyply
