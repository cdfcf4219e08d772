# shellcheck shell=bash
# What packages and archives share: the tree that they are made of. Source it.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

# What is made for others lies here, with its sums.
packages=$root/build/package/packages
# The date of what is made is that of the sources.
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CMakeLists.txt")
export SOURCE_DATE_EPOCH

# build_for_others [CMAKE ARGS…]: all that is installed, in $build, as Debian's packages have it, and the page as static
# files.
build_for_others() {
  local page=$root/build/page
  need_packages "${build_packages[@]}" "${package_packages[@]}"
  need_npm
  "$root/tools/web/static.sh" "$page"
  configure -B "$build" -DCMAKE_INSTALL_PREFIX=/usr -DMANYPLY_DEBIAN=ON -DMANYPLY_TESTS=OFF -DMANYPLY_BENCH=OFF \
    -DMANYPLY_REQUIRE_ALL=ON -DMANYPLY_STATIC_PAGE="$page" "$@"
  build_targets all
}

# licence_of_package NAME: goes into $tree/licences, with the common ones that it names by where Debian has them. Packages
# lie below $sysroot.
licence_of_package() {
  local text=$sysroot/usr/share/doc/$1/copyright
  install -m 644 -D "$text" "$tree/licences/$1"
  { grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$text" || true; } | sort -u |
    while read -r common; do
      install -m 644 -D "$common" "$tree/licences/common-licenses/${common##*/}"
    done
}

# Of all that is made for others.
write_sums() { (cd "$packages" && rm -f SHA256SUMS && sha256sum -- *.* >../SHA256SUMS && mv ../SHA256SUMS .); }
