# Writes one file, ${all_headers}, that includes every header of the project. The file does not compile if two headers
# define the same name. If no other file includes both headers, nothing else detects this: the linker silently keeps one
# of two different functions.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     ${PROJECT_SOURCE_DIR}/core/*.h ${PROJECT_SOURCE_DIR}/hash/*.h ${PROJECT_SOURCE_DIR}/parallel/*.h
     ${PROJECT_SOURCE_DIR}/tools/*.h ${PROJECT_SOURCE_DIR}/tests/*.h)
list(FILTER headers EXCLUDE REGEX "^tools/wasm/include/")  # they replace headers of libc++
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
list(JOIN headers "\n" text)
set(all_headers ${CMAKE_CURRENT_BINARY_DIR}/all_headers.cpp)
file(CONFIGURE OUTPUT ${all_headers} CONTENT "${text}\n" @ONLY)
