// Makes a list of clients from a text.
#pragma once

#include <memory>
#include <string_view>

#include "tools/server/access.h"

namespace manyply {

inline std::shared_ptr<Clients> clients_of(std::string_view text) {
  return std::make_shared<Clients>(AccessList::parse(text).value());
}

}  // namespace manyply
