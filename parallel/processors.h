// What workers.h takes from the operating system.
#pragma once

namespace manyply {

/// Cores that the system lets this process use.
int usable_processors();

}  // namespace manyply
