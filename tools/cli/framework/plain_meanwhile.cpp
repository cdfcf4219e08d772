#include "tools/cli/framework/meanwhile.h"

namespace manyply {

struct Meanwhile::State {};

Meanwhile::Meanwhile(const std::function<void(bool)>& /*hear*/) {}
Meanwhile::~Meanwhile() = default;

}  // namespace manyply
