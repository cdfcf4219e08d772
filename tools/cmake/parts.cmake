# What can be left out, where a package is missing.
option(MANYPLY_REQUIRE_ALL "A part whose packages are missing is an error, not left out" OFF)

# manyply_part(RESULT WHAT [PACKAGE FOUND]…): sets RESULT to whether all of a part's packages are there.
# PACKAGE is what Debian calls one, FOUND a variable or target that says so. A part that is asked for and
# cannot be built is off with a line that says so, or an error where all must be there.
function(manyply_part result what)
  set(missing "")
  while(ARGN)
    list(POP_FRONT ARGN package found)
    if(NOT ${found} AND NOT TARGET ${found})
      list(APPEND missing ${package})
    endif()
  endwhile()
  if(missing)
    list(JOIN missing ", " missing)
    if(MANYPLY_REQUIRE_ALL)
      message(SEND_ERROR "Cannot build ${what}: missing ${missing} (MANYPLY_REQUIRE_ALL is on)")
    else()
      message(STATUS "Left out: ${what}; missing ${missing}")
    endif()
    set(${result} OFF PARENT_SCOPE)
  else()
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()
