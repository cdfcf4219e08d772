// The kernel in plain 64-bit words, for processors without vectors, wherever the tests run.
#pragma once

#include "core/kernel.h"

namespace manyply {

const Kernel& word_kernel();

}  // namespace manyply
