# Selects the operating system and its source files.
#
# A header declares functions of the operating system, and one source file per system implements them, for example
# core/base/machine.h, core/base/linux_machine.cpp and core/base/wasm_machine.cpp. If there is no file for a system, the
# build uses a more general one: posix_ or plain_. A plain_ file needs no operating system.
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(system linux)
elseif(CMAKE_SYSTEM_NAME STREQUAL WASI)
  set(system wasm)
elseif(CMAKE_SYSTEM_NAME STREQUAL Windows)
  set(system windows)
else()
  set(system posix)
endif()
set(MANYPLY_SYSTEM ${system} CACHE STRING "System whose source files are compiled: linux, posix, windows or wasm")
set_property(CACHE MANYPLY_SYSTEM PROPERTY STRINGS linux posix windows wasm)
set(MANYPLY_SYSTEMS_linux linux posix plain)
set(MANYPLY_SYSTEMS_posix posix plain)
set(MANYPLY_SYSTEMS_windows windows plain)
set(MANYPLY_SYSTEMS_wasm wasm plain)
if(NOT DEFINED MANYPLY_SYSTEMS_${MANYPLY_SYSTEM})
  message(FATAL_ERROR "MANYPLY_SYSTEM is ${MANYPLY_SYSTEM}, expected linux, posix, windows or wasm")
endif()

# manyply_keep_system(SOURCES): removes the files of other systems from the list variable SOURCES.
function(manyply_keep_system of_system_list)
  set(kept ${${of_system_list}})
  list(FILTER kept EXCLUDE REGEX "(^|/)(linux|posix|windows|wasm|plain)_[^/]*$")
  set(served "")
  foreach(system IN LISTS MANYPLY_SYSTEMS_${MANYPLY_SYSTEM})
    set(files ${${of_system_list}})
    list(FILTER files INCLUDE REGEX "(^|/)${system}_[^/]*$")
    foreach(file IN LISTS files)
      string(REGEX REPLACE "(^|/)${system}_([^/]*)$" "\\1\\2" need "${file}")
      if(NOT need IN_LIST served)
        list(APPEND served "${need}")
        list(APPEND kept "${file}")
      endif()
    endforeach()
  endforeach()
  set(${of_system_list} ${kept} PARENT_SCOPE)
  # <windows.h> defines common words as macros, so files that include it must not be compiled together with other files.
  list(FILTER kept INCLUDE REGEX "(^|/)windows_[^/]*$")
  set_source_files_properties(${kept} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Whether to compile position-independent code. Shared libraries need it, WebAssembly modules do not.
set(MANYPLY_CODE_MOVES ON)
if(MANYPLY_SYSTEM STREQUAL wasm)
  set(MANYPLY_CODE_MOVES OFF)
endif()

# Selects the arena that runs workers (parallel/workers.h): oneTBB, our own threads, or a loop on one thread.
if(MANYPLY_SYSTEM STREQUAL wasm)
  set(arena loop)
elseif(MANYPLY_SYSTEM STREQUAL linux)
  set(arena tbb)
else()
  set(arena threads)
endif()
set(MANYPLY_ARENA ${arena} CACHE STRING "Arena that runs workers: tbb, threads or loop")
set_property(CACHE MANYPLY_ARENA PROPERTY STRINGS tbb threads loop)

if(MANYPLY_SYSTEM STREQUAL windows)
  # Use the API of Windows 10 with few macros, and a printf that conforms to standard C++.
  add_compile_definitions(_WIN32_WINNT=0x0A00 WIN32_LEAN_AND_MEAN NOMINMAX __USE_MINGW_ANSI_STDIO=1)
  # A stack of 8 MiB, as on Linux.
  add_link_options(LINKER:--stack,8388608)
endif()

# libc++ before version 20 has std::jthread and stop tokens only in its experimental library.
if(MANYPLY_SYSTEM STREQUAL posix)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -std=c++20)
  check_cxx_source_compiles("#include <thread>\nint main() { std::jthread thread([] {}); }" MANYPLY_HAS_JTHREAD)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT MANYPLY_HAS_JTHREAD)
    add_compile_options(-fexperimental-library)
    add_link_options(-fexperimental-library)
  endif()
endif()
