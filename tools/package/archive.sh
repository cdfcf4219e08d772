#!/usr/bin/env bash
# archive.sh PACKAGE: makes a relocatable archive of Debian's package `manyply` (packages.sh prints its path), beside it: the
# command with every library that a bare Debian 12 lacks, which it finds wherever it is unpacked, and their licences.
# SHA256SUMS there has the sums of it and of the packages. Prints the archive's path.

# shellcheck source=tools/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

# The floor: a system has these, and no older than this.
system_libraries='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv)\.so\.[0-9]+|libstdc\+\+\.so\.6|libgcc_s\.so\.1)$'
declare -A floor=([GLIBC]=2.36 [GLIBCXX]=3.4.30 [CXXABI]=1.3.13 [GCC]=12.0.0)

package=$(realpath "$1")
version=$(dpkg-deb --field "$package" Version)
version=${version%-*}
machine=$(uname -m)
name=manyply-$version-linux-$machine
folder=$(dirname "$package")
work=$root/build/archive
tree=$work/$name

# needed FILE: the names of the libraries that it asks for itself.
needed() { objdump -p "$1" | sed -n 's/^ *NEEDED *//p'; }

# gather FILE: puts what it needs into the archive, and what that needs.
gather() {
  local library found
  for library in $(needed "$1"); do
    [[ ! $library =~ $system_libraries && ! -e $tree/lib/manyply/$library ]] || continue
    found=$(ldconfig -p | sed -n "s|^\t${library//./\\.} (.*x86-64.*) => ||p" | head -n 1)
    [[ $found ]] || fail "$library, which $1 needs, is not here"
    install -m 644 -D "$(realpath "$found")" "$tree/lib/manyply/$library"
    licence_of "$(realpath "$found")"
    gather "$tree/lib/manyply/$library"
  done
}

# Of Debian's package that FILE belongs to; it names common licences by where Debian has them.
licence_of() {
  local owner text
  owner=$(dpkg-query -S "$1" 2>/dev/null || dpkg-query -S "${1#/usr}") || fail "no package has $1"
  owner=${owner%%:*}
  text=/usr/share/doc/$owner/copyright
  install -m 644 -D "$text" "$tree/licences/$owner"
  { grep -oE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$text" || true; } | sort -u |
    while read -r common; do
      install -m 644 -D "$common" "$tree/licences/common-licenses/${common##*/}"
    done
}

# above_floor FILE: prints versions of system libraries that it needs, and the floor lacks.
above_floor() {
  local symbols version
  objdump -T "$1" | grep -oE '\((GLIBC|GLIBCXX|CXXABI|GCC)_[0-9.]+\)' | tr -d '()' | sort -u |
    while IFS=_ read -r symbols version; do
      [[ $(printf '%s\n' "$version" "${floor[$symbols]}" | sort -V | tail -n 1) == "${floor[$symbols]}" ]] ||
        printf '%s needs %s_%s\n' "${1##*/}" "$symbols" "$version"
    done
}

make() {
  local file above
  need_packages binutils "${package_packages[@]}"
  rm -rf --one-file-system "$work"
  mkdir -p "$tree"
  dpkg-deb --extract "$package" "$work/package"
  cp -r "$work/package/usr/bin" "$work/package/usr/share" "$tree/"
  mv "$tree/share/doc/manyply/copyright" "$tree/LICENCE"
  rm -r "$tree/share/doc"
  gather "$tree/bin/perft"
  # Not RUNPATH, which is not handed on to what the libraries need themselves.
  # shellcheck disable=SC2016
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib/manyply' "$tree/bin/perft"
  for file in "$tree"/bin/* "$tree"/lib/manyply/*; do
    ! objdump -p "$file" | grep -q '^ *RUNPATH' || fail "$file looks for libraries elsewhere"
    above=$(above_floor "$file")
    [[ ! $above ]] || fail "$above"
  done
  chmod -R u=rwX,go=rX "$tree"
  tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(stat -c %Y "$tree/bin/perft")" \
    -cf - "$name" | gzip --best --no-name >"$folder/$name.tar.gz"
  (cd "$folder" && sha256sum -- *.deb *.tar.gz >SHA256SUMS)
}

alone make
printf '%s\n' "$folder/$name.tar.gz"
