// Files that are part of the program: the page, and the API's document.
#pragma once

#include <span>
#include <string_view>

namespace manyply {

struct EmbeddedFile {
  std::string_view path;  ///< "index.html", "vendor/uplot/uPlot.esm.js"
  std::string_view bytes;
};

/// Written at build time (embed_files.cmake), ascending by path. They live as long as the program.
[[nodiscard]] std::span<const EmbeddedFile> page_files();
[[nodiscard]] std::string_view openapi_document();

}  // namespace manyply
