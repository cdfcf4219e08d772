#include "parallel/huge_pages.h"

namespace manyply {

void ask_for_huge_pages(void* /*memory*/, std::size_t /*bytes*/) {}

}  // namespace manyply
