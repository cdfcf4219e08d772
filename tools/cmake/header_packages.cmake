# For the presets `wasm`, `wheel` and `windows`, which use only header-only libraries of the build machine. Links the
# headers of these libraries into a folder of the build, because the compiler must not search the system's include
# folder when it compiles for another system.
set(MANYPLY_HEADER_PACKAGES CLI11 fmt nlohmann_json xxhash)
set(manyply_headers_of_CLI11 CLI)
set(manyply_headers_of_fmt fmt)
set(manyply_headers_of_nlohmann_json nlohmann)
set(manyply_headers_of_xxhash xxhash.h)
set(manyply_target_of_CLI11 CLI11::CLI11)
set(manyply_target_of_fmt fmt::fmt)
set(manyply_target_of_nlohmann_json nlohmann_json::nlohmann_json)
set(manyply_target_of_xxhash xxhash::xxhash)
# Definitions for header-only use. Our use of CLI11 does not need std::filesystem.
set(manyply_definitions_of_CLI11 CLI11_HAS_FILESYSTEM=0)
# The program prints no float or long double, and needs no locales.
set(manyply_definitions_of_fmt FMT_HEADER_ONLY FMT_USE_FLOAT=0 FMT_USE_LONG_DOUBLE=0
                               "FMT_STATIC_THOUSANDS_SEPARATOR=','")
set(manyply_definitions_of_xxhash XXH_INLINE_ALL)

# This library is optional and not header-only, so leave it out.
set(CMAKE_DISABLE_FIND_PACKAGE_yaml-cpp ON)

macro(manyply_header_package method name)
  if("${name}" IN_LIST MANYPLY_HEADER_PACKAGES)
    if(NOT TARGET ${manyply_target_of_${name}})
      find_path(manyply_at_${name} ${manyply_headers_of_${name}} PATHS /usr/include /usr/local/include
                NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
      set(manyply_copy ${CMAKE_BINARY_DIR}/headers/${name})
      file(MAKE_DIRECTORY ${manyply_copy})
      file(CREATE_LINK ${manyply_at_${name}}/${manyply_headers_of_${name}}
           ${manyply_copy}/${manyply_headers_of_${name}} SYMBOLIC)
      add_library(${manyply_target_of_${name}} INTERFACE IMPORTED GLOBAL)
      target_include_directories(${manyply_target_of_${name}} INTERFACE ${manyply_copy})
      target_compile_definitions(${manyply_target_of_${name}} INTERFACE ${manyply_definitions_of_${name}})
    endif()
    set(${name}_FOUND TRUE)
  elseif("${name}" STREQUAL Threads AND CMAKE_SYSTEM_NAME STREQUAL WASI)
    set(Threads_FOUND FALSE)
  endif()
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER manyply_header_package SUPPORTED_METHODS FIND_PACKAGE)
