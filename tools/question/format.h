// How an answer is written.
#pragma once

namespace manyply {

enum class Format { kText, kJson, kCsv, kStockfish };

}  // namespace manyply
