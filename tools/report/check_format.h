// A count beside the value that somebody has: as a document, and that as text and CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/line.h"
#include "core/node_count.h"
#include "tools/report/value_hints.h"

namespace manyply {

struct CheckedValue {
  ExpectedValue expected;
  NodeCount nodes;
  std::vector<ValueHint> hints;  ///< what `expected` may be, if it is wrong

  [[nodiscard]] bool agrees() const { return !expected.is_negative && nodes == expected.size; }
};

[[nodiscard]] std::string check_document(const CheckedValue& checked, const Line& root,
                                         Depth depth);

// Throw what the JSON library throws.

[[nodiscard]] std::string check_text(const nlohmann::ordered_json& document);
[[nodiscard]] std::string check_csv(const nlohmann::ordered_json& document);

}  // namespace manyply
