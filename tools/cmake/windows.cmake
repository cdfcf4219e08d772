# Toolchain for Windows: clang 19 with Debian's MinGW-w64 in the `posix` variant, because its libstdc++ has threads. Used
# by the preset `windows`. Programs link all libraries statically, except those of Windows. The build and the tests run the
# programs under Wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../package/wine.sh)
# GCC compiled this libstdc++, and on Windows GCC supports thread_local variables only by emulation.
set(CMAKE_CXX_FLAGS_INIT "-femulated-tls -ffunction-sections -fdata-sections")
# The linker removes unused functions and merges identical ones.
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-static -fuse-ld=lld -Wl,--gc-sections -Wl,--icf=safe")
endforeach()
set(CMAKE_CXX_STANDARD_LIBRARIES "-lwinpthread -lntdll -lkernel32")
# Do not use libraries of the build machine.
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
