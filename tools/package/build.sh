# shellcheck shell=bash
# Code that packages and archives share: building what they contain. Source it.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

# The folder for packages and archives, with their sums.
packages=$root/build/package/packages
# All files get the date of the sources.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CMakeLists.txt")
export SOURCE_DATE_EPOCH

# build_for_others [CMAKE ARGS…]: builds everything that is installed, in $build, as for Debian packages, and the page
# as
# static files.
build_for_others() {
  local page=$root/build/page
  need_packages "${build_packages[@]}" "${package_packages[@]}"
  need_npm
  "$root/tools/web/static.sh" "$page"
  configure -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DMANYPLY_DEBIAN=ON -DMANYPLY_TESTS=OFF -DMANYPLY_BENCH=OFF \
    -DMANYPLY_REQUIRE_ALL=ON -DMANYPLY_STATIC_PAGE="$page" "$@"
  build_targets all
}

# licence_of_package NAME: copies its licence into $tree/licences, with the common licences of Debian that it refers to.
# Packages are below $sysroot.
licence_of_package() {
  local text=$sysroot/usr/share/doc/$1/copyright
  install -m 644 -D "$text" "$tree/licences/$1"
  { grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$text" || true; } | sort -u |
    while read -r common; do
      install -m 644 -D "$common" "$tree/licences/common-licenses/${common##*/}"
    done
}

# Writes SHA256SUMS for all packages and archives.
write_sums() { (cd "$packages" && rm -f SHA256SUMS && sha256sum -- *.* >../SHA256SUMS && mv ../SHA256SUMS .); }
