# shellcheck shell=bash
# What packages and archives share: the tree that they are made of. Source it.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

# What is made for others lies here, with its sums.
packages=$root/build/package/packages
# The date of what is made is that of the sources.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CMakeLists.txt")
export SOURCE_DATE_EPOCH

# build_for_others [CMAKE ARGS…]: all that is installed, in $build, as Debian's packages have it.
build_for_others() {
  need_packages "${build_packages[@]}" "${package_packages[@]}"
  need_npm
  configure -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DMANYPLY_DEBIAN=ON -DMANYPLY_TESTS=OFF -DMANYPLY_BENCH=OFF \
    -DMANYPLY_REQUIRE_ALL=ON "$@"
  build_targets all
}
