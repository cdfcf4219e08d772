# Installs BUILD_DIR into WORK_DIR, then configures, builds and runs the consumer against that alone.
#   cmake -DBUILD_DIR=… -DWORK_DIR=… -DCOMPILER=… -DGENERATOR=… -P check.cmake
set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(code)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

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
