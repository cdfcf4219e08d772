# Builds count.wasm in WORK_DIR, reusing files of the last build. Runs it if Node.js is installed.
#   cmake -DWORK_DIR=… -DGENERATOR=… -DLAUNCHER=… -P check.cmake
cmake_policy(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../support/run.cmake)

find_program(CLANG NAMES clang++-19)
if(CLANG)
  file(WRITE ${WORK_DIR}/have.cpp "#include <algorithm>\nint main() { return std::min(0, 1); }\n")
  execute_process(COMMAND ${CLANG} --target=wasm32-wasi ${WORK_DIR}/have.cpp -o ${WORK_DIR}/have.wasm
                  OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE lacking)
endif()
if(NOT CLANG OR lacking)
  message("skipped: clang-19 with lld-19, wasi-libc and libc++ for wasm32 are not installed")
  return()
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CLANG} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)

find_program(NODE NAMES node nodejs)
if(NODE)
  run(${NODE} --no-warnings ${CMAKE_CURRENT_LIST_DIR}/run.mjs ${WORK_DIR}/build/count.wasm)
  message("${output}")
else()
  message("compiled, but not run: there is no Node.js")
endif()
