#include "tools/server/page_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
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

const EmbeddedFile* file_at(std::string_view path) {
  const auto files = page_files();
  const auto file = std::ranges::lower_bound(files, path, {}, &EmbeddedFile::path);
  return file == files.end() || file->path != path ? nullptr : &*file;
}

/// Returns whether the header Accept-Encoding lists `coding`, but not with the weight 0 ("q=0").
bool accepts(const HttpRequest& request, std::string_view coding) {
  std::string_view rest = request.header("Accept-Encoding").value_or("");
  while (!rest.empty()) {
    std::string entry(cut_until(rest, ','));
    std::erase(entry, ' ');
    const std::size_t end = entry.find(';');
    if (entry.substr(0, end) != coding) continue;
    const std::string_view weight =
        end == std::string::npos ? "" : std::string_view(entry).substr(end + 1);
    return !weight.starts_with("q=0") || weight.find_first_of("123456789") != weight.npos;
  }
  return false;
}

}  // namespace

const EmbeddedFile* page_file(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (!path.starts_with('/')) return nullptr;
  path.remove_prefix(1);
  if (path.empty()) path = "index.html";
  return file_at(path);
}

Judgement judge_file(const EmbeddedFile& file, const HttpRequest& head) {
  if (head.method != "GET" && head.method != "HEAD") {
    HttpResponse response = problem(405, "files of the page support only GET and HEAD");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  return Admission{
      Lane::kMemory, [&file](const HttpRequest& request, const std::stop_token&) {
        // The names of files in assets/ contain a digest of the content.
        const bool never_changes = file.path.starts_with("assets/");
        std::vector<std::pair<std::string, std::string>> headers{
            {"Cache-Control", never_changes ? "public, max-age=31536000, immutable" : "no-cache"},
            {"Vary", "Accept-Encoding"}};
        const EmbeddedFile* sent = &file;
        for (const auto& [coding, ending] : {std::pair{"br", ".br"}, std::pair{"gzip", ".gz"}}) {
          const EmbeddedFile* const small = file_at(std::string(file.path) + ending);
          if (small == nullptr || !accepts(request, coding)) continue;
          sent = small;
          headers.emplace_back("Content-Encoding", coding);
          break;
        }
        const std::string tag =
            fmt::format("\"{:016x}\"", xxh3_64(std::as_bytes(std::span(sent->bytes))));
        headers.emplace_back("ETag", tag);
        if (request.header("If-None-Match") == tag)
          return HttpResponse{304, std::move(headers), ""};
        headers.emplace_back("Content-Type", content_type(file.path));
        return HttpResponse{200, std::move(headers), std::string(sent->bytes)};
      }};
}

}  // namespace manyply
