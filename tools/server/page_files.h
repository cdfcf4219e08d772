// Finds and serves the files of the page.
#pragma once

#include <span>
#include <string_view>

#include "tools/server/http/http_message.h"

// Files that are linked into the program: the page and the OpenAPI document.

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

/// Returns the embedded file at the path of `target`; null if there is none. Never searches the
/// file system.
[[nodiscard]] const EmbeddedFile* page_file(std::string_view target);
/// Returns the decision about a request for `file`: an admission if the method is GET or HEAD,
/// otherwise a refusal. The admission refers to `file`, so `file` must outlive the admission.
[[nodiscard]] Judgement judge_file(const EmbeddedFile& file, const HttpRequest& head);

}  // namespace manyply
