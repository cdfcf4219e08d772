// Files that are linked into the program: the page and the OpenAPI document.
#pragma once

#include <span>
#include <string_view>

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

}  // namespace manyply
