#!/usr/bin/env bash
# archive.sh WORK: makes the archive of these sources, and uses it on a machine that has nothing, in a folder with another
# name than it was packed with. WORK keeps the log.
set -euo pipefail

work=$1
# shellcheck source=tests/machines/machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine.sh"
own_namespaces "$@"

step "an archive of these sources"
mkdir -p "$work"
"$sources/tools/package/packages.sh" >"$work/packages" 2>"$work/packages.log" || { tail "$work/packages.log"; fail "no packages"; }
package=$(grep '/manyply_[^/]*$' "$work/packages")
archive=$("$sources/tools/package/archive.sh" "$package") || fail "none"
(cd "${archive%/*}" && sha256sum --check --quiet SHA256SUMS) || fail "its sum is wrong"

make_machine archive
inside useradd --create-home guest
mkdir "$disk/opt/any place"
tar -C "$disk/opt/any place" --strip-components=1 -xf "$archive"
perft="/opt/any place/bin/perft"
inside_as guest "$perft" check startpos 6 119060324 >/dev/null || fail "perft(6)"
inside_as guest "$perft" verify 5 >/dev/null || fail "verify 5"
serve guest "$perft" serve --state /home/guest/jobs --listen 127.0.0.1:0
[[ $(inside_as guest "$perft" submit 5 --watch --format csv --server "$address" | tail -n 1) == total,4865609 ]] ||
  fail "perft(5), served"
end_server
libraries=("$disk/opt/any place/lib/manyply"/*)
used=$(inside_as guest ldd "$perft" | grep -c '/any place/bin/../lib/manyply/') || fail "it uses none of its own libraries"
((used == ${#libraries[@]})) || fail "it uses $used libraries of its own, and has others"
step "done"
