# Toolchain for WebAssembly: clang 19 with Debian's wasi-libc and libc++; tools/wasm adds what they lack. Used by the
# preset `wasm`.
set(CMAKE_SYSTEM_NAME WASI)  # described in Platform/WASI.cmake
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # programs cannot be linked without tools/wasm/runtime
# Features of V8 since Node 17: 128-bit vectors, exceptions, bulk memory. There is one thread.
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -mbulk-memory -fwasm-exceptions -fno-threadsafe-statics -isystem ${CMAKE_CURRENT_LIST_DIR}/../wasm/include")
