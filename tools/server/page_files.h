// The files of the page, as requests ask for them.
#pragma once

#include <string_view>

#include "tools/server/embedded_files.h"
#include "tools/server/http/http_message.h"

namespace manyply {

/// The file of the page that `target` names, if it names one. Files are found in a table, never in
/// a folder.
[[nodiscard]] const EmbeddedFile* page_file(std::string_view target);
/// What becomes of a request for `file`, which outlives what is answered.
[[nodiscard]] Judgement judge_file(const EmbeddedFile& file, const HttpRequest& head);

}  // namespace manyply
