# One file that includes every header of the project, at ${all_headers}: compiled, it is an error if two of
# them define something of one name. Where no other file includes both, nothing else would tell: the linker
# keeps one of two functions that differ.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     ${PROJECT_SOURCE_DIR}/core/*.h ${PROJECT_SOURCE_DIR}/hash/*.h ${PROJECT_SOURCE_DIR}/parallel/*.h
     ${PROJECT_SOURCE_DIR}/tools/*.h ${PROJECT_SOURCE_DIR}/tests/*.h)
list(FILTER headers EXCLUDE REGEX "^tools/wasm/include/")  # a standard library's, in place of its own
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
list(JOIN headers "\n" text)
set(all_headers ${CMAKE_CURRENT_BINARY_DIR}/all_headers.cpp)
file(CONFIGURE OUTPUT ${all_headers} CONTENT "${text}\n" @ONLY)
