#!/usr/bin/env bash
# packages.sh WORK: tests Debian's packages of these sources on a minimal machine. Also makes a package of an older
# commit by the same rules. Installs the old package and starts its server. Upgrades it while jobs are waiting; the new
# server must finish them. Compiles a program with the library. Then removes and purges all packages. The log is in
# WORK.
set -euo pipefail

work=$1
older=f6e6576  # the first commit with the current schema of the state; older schemas were never released
# shellcheck source=tests/machines/machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine.sh"
own_namespaces "$@"
git -C "$sources" cat-file -e "$older^{commit}" 2>/dev/null || skip "commit $older is not here"

packages_made
version=$(dpkg-deb --field "${packages[0]}" Version)

# Puts the command of the older commit into a package that otherwise equals the new one.
step "a package of $older"
old=$work/older
rm -rf --one-file-system "$old/sources" "$old/package"
mkdir -p "$old/sources"
git -C "$sources" archive "$older" | tar -C "$old/sources" -x
{ cmake -S "$old/sources" -B "$old/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMANYPLY_TESTS=OFF -DMANYPLY_BENCH=OFF &&
  ninja -C "$old/build" perft; } >"$old/build.log" 2>&1 || { tail "$old/build.log"; fail "it cannot be built"; }
dpkg-deb --raw-extract "$package" "$old/package"
strip -o "$old/package/usr/bin/perft" "$old/build/tools/perft"
old_version=0.1.0~$older-1
sed -i "s/^Version: .*/Version: $old_version/" "$old/package/DEBIAN/control"
(cd "$old/package" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | xargs -0 md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$old/package" "$old/manyply.deb" >/dev/null

make_machine packages
mkdir "$disk/debs"
cp "${packages[@]}" "$old/manyply.deb" "$disk/debs"

# Starts the server as the service does.
serve_as_service() {
  local command
  command=$(sed -n 's/^ExecStart=//p' "$disk/lib/systemd/system/manyply.service")
  command=${command//%S//var/lib} command=${command/\$PERFT_SERVE/--listen 127.0.0.1:0}
  inside install -d -o manyply -g manyply -m 700 /var/lib/manyply  # StateDirectory=
  # shellcheck disable=SC2086
  serve manyply $command
}
ask() { inside perft "$@" --server "$address"; }
installed() { inside dpkg-query -W -f '${Version}' manyply; }

step "installing $old_version"
install_inside /debs/manyply.deb
[[ $(installed) == "$old_version" ]] || fail "installed is $(installed)"
inside perft check startpos 6 119060324 >/dev/null || fail "perft(6)"
step "a job is done, one begun, one waits"
serve_as_service
[[ $(ask submit 5 --watch --format csv | tail -n 1) == total,4865609 ]] || fail "perft(5), served"
ask submit 9 >/dev/null
ask submit 5 --fen kiwipete >/dev/null
end_server

step "upgrading to $version"
install_inside "/debs/manyply_${version}_amd64.deb"
[[ $(installed) == "$version" ]] || fail "installed is $(installed)"
serve_as_service
[[ $(ask status 1 --format csv | tail -n 1) == total,4865609 ]] || fail "the finished job is lost"
[[ $(ask watch 3 --format csv | tail -n 1) == total,193690690 ]] || fail "the job that waited"
[[ $(ask watch 2 --format csv | tail -n 1) == total,2439530234167 ]] || fail "the job that was begun"
inside perft check startpos 6 119060324 >/dev/null || fail "perft(6)"
end_server
[[ $(stat -c %u "$disk/var/lib/manyply"/* | sort -u) == "$(inside id -u manyply)" ]] || fail "whose is its state?"
for file in /usr/share/man/man1/perft{,-count}.1.gz /usr/share/bash-completion/completions/perft; do
  [[ -e $disk$file || ! -e $disk/usr/share/man ]] || fail "no $file"
done

step "a program of others, in C"
install_inside "/debs/libmanyply1_${version}_amd64.deb" "/debs/libmanyply-dev_${version}_amd64.deb" \
  gcc libc6-dev pkgconf
cp "$sources/tests/consumer/example.c" "$disk/root/"
# shellcheck disable=SC2016
inside sh -c 'cd /root && gcc example.c $(pkg-config --cflags --libs manyply) -o example && ./example' |
  grep -qx 'perft(5) 723785' || fail "it does not count"

step "removing, and purging"
inside apt-get -q -y remove manyply libmanyply1 libmanyply-dev >>"$log" 2>&1 || fail "apt-get remove"
[[ -e $disk/var/lib/manyply && -e $disk/etc/default/manyply ]] || fail "removing has taken what is the user's"
inside apt-get -q -y purge manyply >>"$log" 2>&1 || fail "apt-get purge"
left=$(find "$disk" -xdev -iname '*manyply*' ! -path "$disk/debs/*" ! -path "$disk/var/log/*" ! -path '*/.cache/*')
[[ ! $left ]] || fail "left behind: $left"
! inside getent passwd manyply || fail "its user is left"
! inside getent group manyply || fail "its group is left"
step "done"
