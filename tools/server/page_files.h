// Finds and serves the files of the page.
#pragma once

#include <string_view>

#include "tools/server/embedded_files.h"
#include "tools/server/http/http_message.h"

namespace manyply {

/// Returns the file that the path of `target` names; null if it names none. Looks in the embedded
/// table, never in the file system.
[[nodiscard]] const EmbeddedFile* page_file(std::string_view target);
/// Returns how to answer a request for `file`: a refusal of the method or headers, or an admission
/// whose response refers to `file`, so `file` must outlive it.
[[nodiscard]] Judgement judge_file(const EmbeddedFile& file, const HttpRequest& head);

}  // namespace manyply
