# Installs BUILD_DIR into WORK_DIR, moves the result to another folder, and checks the installed files. Then configures,
# builds and runs the consumer with only these files.
#
# cmake -DBUILD_DIR=… -DWORK_DIR=… -DCOMPILER=… -DGENERATOR=… -P check.cmake
cmake_policy(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/installed)
file(RENAME ${WORK_DIR}/installed ${prefix})

# Only public headers are installed, and each of them compiles by itself.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*.h ${prefix}/include/*.hpp)
foreach(header IN ITEMS manyply.h manyply/manyply.hpp manyply/core/counting.h manyply/parallel/jobs/job.h)
  if(NOT header IN_LIST headers)
    message(FATAL_ERROR "${header} is not installed")
  endif()
endforeach()
foreach(header IN LISTS headers)
  if(header MATCHES "_registry|manyply/.*/manyply\\.h|target_region|linux_machine|unit_runner")
    message(FATAL_ERROR "${header} is private, and installed")
  endif()
  file(STRINGS ${prefix}/include/${header} includes REGEX "^#include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*$" "manyply/\\1" included "${include}")
    if(NOT included IN_LIST headers)
      message(FATAL_ERROR "${header} includes ${included}, which is not installed")
    endif()
  endforeach()
endforeach()

# The files for CMake and pkg-config must not contain paths of the build machine.
file(GLOB_RECURSE descriptions ${prefix}/*.cmake ${prefix}/*.pc)
list(LENGTH descriptions number)
foreach(description IN LISTS descriptions)
  file(STRINGS ${description} absolute REGEX "[\"; =](/usr/(lib|include|local)|${BUILD_DIR}|${WORK_DIR})")
  if(absolute)
    message(FATAL_ERROR "${description} names what lies elsewhere: ${absolute}")
  endif()
endforeach()
if(number LESS 5)
  message(FATAL_ERROR "${number} descriptions: ${descriptions}")
endif()
# Also build the program and the project that the README shows.
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../parallel/README.md shown)
string(REGEX MATCH "```cmake\n([^`]*)```.*```cpp\n([^`]*)```" shown "${shown}")
file(WRITE ${WORK_DIR}/quick_start/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(count LANGUAGES CXX)\n${CMAKE_MATCH_1}")
file(WRITE ${WORK_DIR}/quick_start/count.cpp "${CMAKE_MATCH_2}")
run(${CMAKE_COMMAND} -S ${WORK_DIR}/quick_start -B ${WORK_DIR}/quick_start/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/quick_start/build)
run(${WORK_DIR}/quick_start/build/count 4)
if(NOT output MATCHES "e2e4: 13160\n" OR NOT output MATCHES "\n197281 move sequences")
  message(FATAL_ERROR "the README's program prints\n${output}")
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)

run(${WORK_DIR}/build/consumer)
string(REPLACE "\n" ";" lines "${output}")
list(POP_FRONT lines count job)
list(SORT lines)
message("${count}; ${job}; ${lines}")
if(NOT count STREQUAL "count 92197" OR NOT job STREQUAL "job 1202493")
  message(FATAL_ERROR "wrong counts:\n${output}")
endif()
list(FILTER lines INCLUDE REGEX "^[a-h][1-8][a-h][1-8]$")
list(LENGTH lines moves)
if(NOT moves EQUAL 16)
  message(FATAL_ERROR "${moves} moves:\n${output}")
endif()

run(${prefix}/bin/perft check startpos 3 8902)

# Use the shared library from C with only a C compiler. The library must export exactly the functions of manyply.h.
file(GLOB shared ${prefix}/lib*/libmanyply.so ${prefix}/lib/*/libmanyply.so)
if(shared)
  cmake_path(GET shared PARENT_PATH shared_dir)
  set(flags -I${prefix}/include -L${shared_dir} -lmanyply)
  find_program(pkg_config pkg-config)
  if(pkg_config)
    set(ENV{PKG_CONFIG_PATH} ${shared_dir}/pkgconfig)
    run(${pkg_config} --cflags --libs manyply)
    separate_arguments(flags UNIX_COMMAND "${output}")
    message("pkg-config: ${output}")
  endif()
  find_program(c_compiler NAMES cc clang-19 gcc-12 REQUIRED)  # Debian's clang does not install a `cc`
  foreach(standard IN ITEMS c89 c99 c11)
    run(${c_compiler} -std=${standard} -pedantic -Wall -Wextra -Werror ${CMAKE_CURRENT_LIST_DIR}/example.c
        ${flags} -Wl,-rpath,${shared_dir} -o ${WORK_DIR}/example_${standard})
  endforeach()
  run(${WORK_DIR}/example_c99)
  message("${output}")
  set(example_output "${output}")
  foreach(line IN ITEMS "fen 4k3/8/8/8/8/8/7R/4K2b w - - 0 2" "perft\\(5\\) 723785" "h2h1: 431"
                        "status 1, castling: no rook on h1 \\(column 24\\)" "status 4 after 2 calls")
    if(NOT output MATCHES "${line}")
      message(FATAL_ERROR "no '${line}' in\n${output}")
    endif()
  endforeach()

  # The example in the README of the C interface.
  file(READ ${CMAKE_CURRENT_LIST_DIR}/../../tools/c_api/README.md shown)
  string(REGEX MATCH "```c\n(.*)\n```" shown "${shown}")
  file(WRITE ${WORK_DIR}/shown.c "${CMAKE_MATCH_1}\n")
  run(${c_compiler} -std=c99 -pedantic -Wall -Wextra -Werror ${WORK_DIR}/shown.c ${flags} -Wl,-rpath,${shared_dir}
      -o ${WORK_DIR}/shown)
  run(${WORK_DIR}/shown)
  if(NOT output MATCHES "^[0-9]+\n{.*\"captures\":\"")
    message(FATAL_ERROR "the README's program prints\n${output}")
  endif()

  file(STRINGS ${prefix}/include/manyply.h declared REGEX "^MANYPLY_API")
  list(TRANSFORM declared REPLACE "^.*(manyply_[a-z_0-9]+)\\(.*$" "\\1")
  list(SORT declared)
  run(nm -D --defined-only --format=posix ${shared})
  string(REPLACE "\n" ";" exported "${output}")
  list(TRANSFORM exported REPLACE " .*$" "")
  list(REMOVE_ITEM exported "")
  list(SORT exported)
  if(NOT exported STREQUAL declared)
    message(FATAL_ERROR "exported:\n${exported}\ndeclared:\n${declared}")
  endif()

  # A program that was compiled with the first header must run with the new library, which must still have all functions
  # of that header.
  run(${c_compiler} -std=c99 -pedantic -Wall -Wextra -Werror -I${CMAKE_CURRENT_LIST_DIR}/abi1
      ${CMAKE_CURRENT_LIST_DIR}/example.c ${flags} -Wl,-rpath,${shared_dir} -o ${WORK_DIR}/example_abi1)
  set(with_new "${example_output}")
  run(${WORK_DIR}/example_abi1)
  if(NOT output STREQUAL with_new)
    message(FATAL_ERROR "compiled with the first header:\n${output}\nand with this one:\n${with_new}")
  endif()
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/abi1/manyply.h first REGEX "^MANYPLY_API")
  list(TRANSFORM first REPLACE "^.*(manyply_[a-z_0-9]+)\\(.*$" "\\1")
  list(REMOVE_ITEM first ${exported})
  if(first)
    message(FATAL_ERROR "no longer exported: ${first}")
  endif()
endif()
