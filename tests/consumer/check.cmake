# Installs BUILD_DIR into WORK_DIR, then configures, builds and runs the consumer against that alone.
#   cmake -DBUILD_DIR=… -DWORK_DIR=… -DCOMPILER=… -DGENERATOR=… -P check.cmake
cmake_policy(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
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

# The shared library from C, with nothing but a C compiler; it shows what manyply.h declares and no more.
file(GLOB shared ${prefix}/lib*/libmanyply.so ${prefix}/lib/*/libmanyply.so)
if(shared)
  cmake_path(GET shared PARENT_PATH shared_dir)
  foreach(standard IN ITEMS c89 c99 c11)
    run(cc -std=${standard} -pedantic -Wall -Wextra -Werror ${CMAKE_CURRENT_LIST_DIR}/example.c
        -I${prefix}/include -L${shared_dir} -lmanyply -Wl,-rpath,${shared_dir} -o ${WORK_DIR}/example_${standard})
  endforeach()
  run(${WORK_DIR}/example_c99)
  message("${output}")
  foreach(line IN ITEMS "fen 4k3/8/8/8/8/8/7R/4K2b w - - 0 1" "perft\\(5\\) 723785" "h2h1: 431"
                        "status 1, castling: no rook on h1 \\(column 24\\)" "status 4 after 2 calls")
    if(NOT output MATCHES "${line}")
      message(FATAL_ERROR "no '${line}' in\n${output}")
    endif()
  endforeach()

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
endif()
