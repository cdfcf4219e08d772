// Memory that is large and looked at all over.
#pragma once

#include <memory_resource>

namespace manyply {

/// What is large comes from the system, on huge pages where it has as many as one has: on small
/// ones, looks all over it wait for where its pages are, and each first touch of one is the
/// system's business. The rest is as from operator new. Any thread.
[[nodiscard]] std::pmr::memory_resource* huge_pages();

}  // namespace manyply
