# For scripts: run(COMMAND…) runs it to its end, and fails with all that it said; else that is in `output`.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(code)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
