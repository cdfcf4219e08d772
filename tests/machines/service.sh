#!/usr/bin/env bash
# service.sh WORK: boots a machine with the package `manyply` and its enabled service, including the sandbox, and makes
# the service count. Also needs systemd-nspawn. The log is in WORK.
set -euo pipefail

work=$1
# shellcheck source=tests/machines/machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/machine.sh"
command -v systemd-nspawn >/dev/null || skip "systemd-nspawn is not installed"
own_namespaces "$@"

packages_made
make_machine service systemd-sysv dbus
cp "$package" "$disk/root/manyply.deb"
install_inside /root/manyply.deb
exposure=$(inside systemd-analyze security --offline=true --threshold=25 manyply.service | tail -n 1) ||
  fail "it is exposed: $exposure"
step "$exposure"
inside systemctl --quiet enable manyply
echo 'PERFT_SERVE="--pin"' >"$disk/etc/default/manyply"  # sets the affinity of threads

# This script runs in the machine after booting. It writes its output to a file, and then the machine is switched off.
cat >"$disk/root/try.sh" <<'TRY'
until perft status >/dev/null 2>&1; do sleep 0.2; done
perft submit 6 --watch --format csv | tail -n 1
perft submit 4 --mode verify --watch --format json
perft status 1 --format json
systemctl show --property=User,ActiveState,NRestarts manyply
stat -c '%U %a' /var/lib/manyply
pid=$(systemctl show --value --property=MainPID manyply)
grep -E '^(Seccomp|NoNewPrivs|CapEff):' "/proc/$pid/status" | tr -s '\t' ' '
systemctl restart manyply
until perft status >/dev/null 2>&1; do sleep 0.2; done
perft status 1 --format csv | tail -n 1
TRY
cat >"$disk/etc/systemd/system/try.service" <<'UNIT'
[Unit]
After=manyply.service
[Service]
Type=oneshot
ExecStart=/bin/sh /root/try.sh
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/root/said
StandardError=file:/root/wrong
[Install]
WantedBy=multi-user.target
UNIT
inside systemctl --quiet enable try
step "booting it"
unmount_machine
mount -t proc proc /proc  # systemd-nspawn looks there for its processes, which belong to these namespaces
systemd-nspawn --quiet --directory="$disk" --register=no --keep-unit --console=pipe --private-network --boot \
  </dev/null >>"$log" 2>&1 || { tail "$log"; skip "it cannot be booted here"; }
cat "$disk/root/said" "$disk/root/wrong" >>"$log"
said=$(<"$disk/root/said")
for line in total,119060324 User=manyply ActiveState=active NRestarts=0 'manyply 700' 'Seccomp: 2' 'NoNewPrivs: 1' \
  'CapEff: 0000000000000000'; do
  grep -qxF "$line" <<<"$said" || { cat "$disk/root/said" "$disk/root/wrong"; fail "no line '$line'"; }
done
(($(grep -cxF total,119060324 <<<"$said") == 2)) || { echo "$said"; fail "the result is lost when it is restarted"; }
step "done"
