# Toolchain for WebAssembly: clang 19 with Debian's wasi-libc and libc++. tools/wasm provides what these lack. Used by the
# preset `wasm`.
set(CMAKE_SYSTEM_NAME WASI)  # defined in Platform/WASI.cmake
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # a program needs tools/wasm/runtime
# Features that V8 has had since Node 17: 128-bit vectors, exceptions, bulk memory. One thread.
set(CMAKE_CXX_FLAGS_INIT "-msimd128 -mbulk-memory -fwasm-exceptions -fno-threadsafe-statics -isystem ${CMAKE_CURRENT_LIST_DIR}/../wasm/include")
