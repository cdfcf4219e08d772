// Defines log2(), log(), exp2() and pow() with the functions of tools/wasm/runtime/math.h. So the
// linker omits libc's definitions.
#include "tools/wasm/runtime/math.h"

extern "C" {

double log2(double x) { return manyply::wasm::log2_of(x); }
double log(double x) { return manyply::wasm::log_of(x); }
double exp2(double x) { return manyply::wasm::exp2_of(x); }
double pow(double base, double exponent) { return manyply::wasm::pow_of(base, exponent); }

}  // extern "C"
