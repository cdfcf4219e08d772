# The three Debian packages: their descriptions, and the files that only they contain. `cpack -G DEB` makes them in a build
# folder that packages.sh has configured. dpkg-shlibdeps finds their dependencies.

# The maintainer in the packages. Set it if you distribute them.
set(MANYPLY_MAINTAINER "The Manyply authors <manyply@example.org>" CACHE STRING "Maintainer of the packages")
set(debian ${CMAKE_CURRENT_LIST_DIR}/debian)
set(made ${CMAKE_CURRENT_BINARY_DIR}/debian)
# Lower than any revision of an official Debian package, so that an official package would replace this one.
set(debian_revision 1~deb12u1)

# Converts CHANGELOG.md to Debian's format.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/CHANGELOG.md changes ENCODING UTF-8)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/CHANGELOG.md)
set(text "")
set(signature "")
set(newest "")
foreach(line IN LISTS changes)
  if(line MATCHES "^## ([0-9.]+) \\((20[0-9-]+)\\)$")
    set(version ${CMAKE_MATCH_1})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date --utc --rfc-email --date ${CMAKE_MATCH_2}
                    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    if(NOT newest)
      set(newest ${version})
    endif()
    string(APPEND text "${signature}manyply (${version}-${debian_revision}) stable; urgency=medium\n\n")
    set(signature "\n -- ${MANYPLY_MAINTAINER}  ${date}\n\n")
  elseif(newest AND line MATCHES "^- (.+)$")
    string(APPEND text "  * ${CMAKE_MATCH_1}\n")
  elseif(newest AND line MATCHES "^  ([^ ].*)$")
    string(APPEND text "    ${CMAKE_MATCH_1}\n")
  endif()
endforeach()
if(NOT newest STREQUAL PROJECT_VERSION)
  message(FATAL_ERROR "CHANGELOG.md begins with version '${newest}', and this is ${PROJECT_VERSION}")
endif()
string(STRIP "${text}${signature}" text)
file(WRITE ${made}/changelog.Debian "${text}\n")
execute_process(COMMAND gzip --best --no-name --force ${made}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)

# debian_package(COMPONENT NAME SECTION DESCRIPTION): describes a package, and installs its copyright and changelog.
function(debian_package component name section description)
  install(FILES ${debian}/copyright ${made}/changelog.Debian.gz
          COMPONENT ${component} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name})
  string(TOUPPER ${component} COMPONENT)
  foreach(setting IN ITEMS "PACKAGE_NAME;${name}" "PACKAGE_SECTION;${section}" "DESCRIPTION;${description}")
    list(POP_FRONT setting key)
    set(CPACK_DEBIAN_${COMPONENT}_${key} "${setting}" PARENT_SCOPE)
  endforeach()
endfunction()

debian_package(command manyply math "exact chess move path counts (perft): command and server
perft(N) is the number of legal move sequences of N half-moves from a chess
position. Authors of move generators compare it with known values. The
command perft counts on all cores, in standard chess and Chess960, with a
transposition table that all threads share. It counts again without the
table to verify a result, and finds the move and the rule that another
program gets wrong.

The command is also a server with a page and an HTTP API. Jobs survive
restarts of the server. The service is installed, but disabled.")
install(FILES ${CMAKE_CURRENT_LIST_DIR}/manyply.service COMPONENT command DESTINATION /lib/systemd/system)
install(FILES ${debian}/manyply.default COMPONENT command DESTINATION /etc/default RENAME manyply)
install(CODE "file(GLOB pages \$ENV{DESTDIR}${CMAKE_INSTALL_FULL_MANDIR}/man1/perft*.1)
              execute_process(COMMAND gzip --best --no-name --force \${pages} COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT command)
file(WRITE ${made}/conffiles "/etc/default/manyply\n")
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_EXTRA
    ${debian}/postinst ${debian}/prerm ${debian}/postrm ${made}/conffiles)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS adduser)

debian_package(library libmanyply1 libs "exact chess move path counts (perft): C library
The positions, legal moves and perft of Manyply, with threads, transposition
table, progress and cancellation, behind a C interface that stays binary
compatible.")
file(WRITE ${made}/shlibs "libmanyply 1 libmanyply1 (>= ${PROJECT_VERSION})\n")
file(WRITE ${made}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${made}/shlibs ${made}/triggers)

debian_package(development libmanyply-dev libdevel "exact chess move path counts (perft): development files
Files for compiling programs that count with Manyply: manyply.h and
libmanyply.so for C and for languages that can load a C library, headers and
static libraries for C++20, and files for CMake and pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libmanyply1 (= ${PROJECT_VERSION}-${debian_revision}), libtbb-dev, libxxhash-dev, libhwloc-dev")

set(CPACK_PACKAGE_NAME manyply)
set(CPACK_PACKAGE_CONTACT "${MANYPLY_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${MANYPLY_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_RELEASE ${debian_revision})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/packages)
include(CPack)
