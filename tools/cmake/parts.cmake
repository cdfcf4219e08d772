# Parts that are left out if a package is missing.
option(MANYPLY_REQUIRE_ALL "A part whose packages are missing is an error, not left out" OFF)

# manyply_part(RESULT WHAT [PACKAGE FOUND]…): sets RESULT to whether all packages of a part were found. WHAT describes
# the part for users. PACKAGE is the name in Debian; FOUND is a variable or target that exists if the package was found.
# If one is missing, prints a line, or an error with MANYPLY_REQUIRE_ALL.
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
