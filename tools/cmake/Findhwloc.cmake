# hwloc ships a pkg-config file but no CMake package: this sets hwloc_LIBRARY and hwloc_INCLUDE_DIR.
find_path(hwloc_INCLUDE_DIR hwloc.h)
find_library(hwloc_LIBRARY hwloc)
mark_as_advanced(hwloc_INCLUDE_DIR hwloc_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hwloc REQUIRED_VARS hwloc_LIBRARY hwloc_INCLUDE_DIR)
