# Optional parts of the build, which need packages.
option(MANYPLY_REQUIRE_ALL "Fail if the packages of an optional part are missing, instead of leaving it out" OFF)

# manyply_part(RESULT WHAT [PACKAGE FOUND]…): sets RESULT to ON if all packages of a part are installed, otherwise to OFF.
# PACKAGE is Debian's name of a package. FOUND is a variable or target that exists if the package is installed. Prints a
# message if the part is left out. If MANYPLY_REQUIRE_ALL is on, a missing package is an error.
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
