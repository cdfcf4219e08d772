#include "tools/server/page_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hash/fingerprint.h"
#include "tools/server/http/http_message.h"

namespace manyply {
namespace {

std::string_view content_type(std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".json", "application/json"},
      {".txt", "text/plain; charset=utf-8"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (path.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

}  // namespace

const EmbeddedFile* page_file(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with('/')) return nullptr;
  path.remove_prefix(1);
  if (path.empty()) path = "index.html";
  const auto files = page_files();
  const auto file = std::ranges::find(files, path, &EmbeddedFile::path);
  return file == files.end() ? nullptr : &*file;
}

Judgement judge_file(const EmbeddedFile& file, const HttpRequest& head) {
  if (head.method != "GET" && head.method != "HEAD") {
    HttpResponse response = problem(405, "files of the page support only GET and HEAD");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  return Admission{Lane::kMemory, [&file](const HttpRequest& request, const std::stop_token&) {
                     const std::string tag =
                         fmt::format("\"{:016x}\"", xxh3_64(std::as_bytes(std::span(file.bytes))));
                     std::vector<std::pair<std::string, std::string>> headers{
                         {"ETag", tag}, {"Cache-Control", "no-cache"}};
                     if (request.header("If-None-Match") == tag)
                       return HttpResponse{304, std::move(headers), ""};
                     headers.emplace_back("Content-Type", content_type(file.path));
                     return HttpResponse{200, std::move(headers), std::string(file.bytes)};
                   }};
}

}  // namespace manyply
