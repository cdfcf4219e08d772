# Toolchain for 64-bit ARM on Debian: clang 19 with the libraries in CMAKE_SYSROOT, by default Debian's cross libraries.
# QEMU runs the programs that the build or the tests start. Used by the preset `aarch64` and by
# tools/package/archive.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
if(CMAKE_SYSROOT)
  set(foreign_root ${CMAKE_SYSROOT})
else()
  set(foreign_root /usr/aarch64-linux-gnu)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${foreign_root})
# Do not use libraries of the build machine.
set(CMAKE_FIND_ROOT_PATH ${foreign_root})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
