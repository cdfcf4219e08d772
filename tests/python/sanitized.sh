#!/usr/bin/env bash
# sanitized.sh FOLDER PYTHON: runs the library's tests with a library that was compiled with sanitizers. The interpreter
# was compiled without them.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1/sanitized python=$2
cmake --preset wheel -S "$root" -B "$work/build" -DMANYPLY_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" -DCMAKE_SHARED_LINKER_FLAGS=-shared-libasan \
  -DCMAKE_EXE_LINKER_FLAGS=-shared-libasan >/dev/null
cmake --build "$work/build" --target manyply_wheel manyply_wheel_command
rm -rf "$work/package"
mkdir -p "$work/package"
cp -R "$root/tools/python/manyply" "$work/package/"
cp "$work"/build/tools/python/{libmanyply.so,perft} "$work/package/manyply/"
# Preload libstdc++, because the sanitizer's interceptor must find the function that throws exceptions, and the
# interpreter does not link it. Leak checks are off, because the interpreter itself leaks.
preloaded="$(clang++-19 -print-file-name=libclang_rt.asan-x86_64.so) $(clang++-19 -print-file-name=libstdc++.so.6)"
LD_PRELOAD=$preloaded PYTHONPATH=$work/package UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
  "$python" "$root/tests/python/library_test.py"
