#!/usr/bin/env bash
# run.sh FOLDER PART: tests the Python wheel as its users use it. `install` builds it and installs it into clean
# environments in FOLDER. The other parts use these environments. Exits with 77 if a required program or package is
# missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$1 part=$2
skip() { echo "skipped: $*"; exit 77; }
export SOURCE=$root PYTHONDONTWRITEBYTECODE=1

# environment NAME PYTHON [VENV ARGUMENTS…]: makes an environment with the wheel and no other packages.
environment() {
  local wheel
  wheel=$(ls "$root"/build/wheels/manyply-*-manylinux_*.whl)
  rm -rf "${work:?}/$1"
  "$2" -m venv "${@:3}" "$work/$1"
  "$work/$1/bin/python" -m pip --quiet --disable-pip-version-check install --no-index --no-deps "$wheel"
}
# Checks which libraries the wheel needs, and that the wheel has at most 2 MB.
check_wheel() {
  local wheel=$1 unpacked=$work/unpacked needed most=2000000
  (($(stat -c %s "$wheel") <= most)) || { echo "$wheel is larger than $most bytes"; exit 1; }
  rm -rf "$unpacked"
  /usr/bin/python3 -m zipfile -e "$wheel" "$unpacked"
  needed=$(objdump -p "$unpacked"/manyply/{libmanyply.so,perft} | sed -n 's/^ *NEEDED *//p' | sort -u | tr '\n' ' ')
  echo "needed: $needed"
  [[ $needed =~ ^(ld-linux-x86-64\.so\.2 |libstdc\+\+\.so\.6 |libgcc_s\.so\.1 |libc\.so\.6 |libm\.so\.6 |libmanyply\.so )+$ ]] || exit 1
}
# There is no Python for Windows here. If Wine is installed, a program in C calls functions of the library instead.
check_windows_wheel() {
  local unpacked=$work/windows file needed
  rm -rf "$unpacked"
  /usr/bin/python3 -m zipfile -e "$1" "$unpacked"
  grep -qx 'Tag: py3-none-win_amd64' "$unpacked"/manyply-*.dist-info/WHEEL
  for file in manyply.dll perft.exe; do
    needed=$(x86_64-w64-mingw32-objdump -p "$unpacked/manyply/$file" | sed -n 's/^\s*DLL Name: //p' | sort -fu | tr '\n' ' ')
    echo "$file needs $needed"
    [[ ${needed,,} =~ ^((kernel32|msvcrt|ntdll|advapi32|user32|shell32)\.dll |api-ms-win-[a-z0-9-]+\.dll )+$ ]] || exit 1
  done
  # The library must export all functions that the package calls.
  needed=$(sed -n 's/^        "\([a-z_]*\)": (.*/manyply_\1/p' "$root/tools/python/manyply/_library.py")
  file=$(x86_64-w64-mingw32-objdump -p "$unpacked/manyply/manyply.dll")
  for name in $needed; do grep -qw "$name" <<<"$file" || { echo "it exports no $name"; exit 1; }; done
  [[ -x /usr/lib/wine/wine64 ]] || skip "wine64 is not installed"
  x86_64-w64-mingw32-gcc -I"$root/tools/c_api" "$root/tests/consumer/example.c" "$unpacked/manyply/manyply.dll" \
    -o "$unpacked/manyply/example.exe"
  "$root/tools/package/wine.sh" "$unpacked/manyply/example.exe" | tr -d '\r' | tee "$unpacked/said"
  grep -qx 'perft(5) 723785' "$unpacked/said"
  "$root/tools/package/wine.sh" "$unpacked/manyply/perft.exe" check startpos 5 4865609
}

case $part in
  install)
    /usr/bin/python3 -c 'import venv, ensurepip' 2>/dev/null || skip "python3-venv is not installed"
    command -v clang++-19 >/dev/null || skip "clang-19 is not installed"
    "$root/tools/python/build.sh"
    mkdir -p "$work"
    check_wheel "$root"/build/wheels/manyply-*-manylinux_*.whl
    environment clean /usr/bin/python3
    "$work/clean/bin/python" -c 'import manyply; assert manyply.perft("startpos", 5) == 4865609'
    "$work/clean/bin/manyply" signature
    exit ;;
  windows)
    [[ -e $root/build/windows/manyply.dll && -e $root/build/windows/perft.exe ]] ||
      skip "tools/package/windows.sh has not been run"
    command -v x86_64-w64-mingw32-gcc >/dev/null || skip "MinGW-w64 is not installed"
    "$root/tools/python/build.sh" windows
    check_windows_wheel "$root"/build/wheels/manyply-*-win_amd64.whl
    exit ;;
esac

python=$work/clean/bin/python
[[ -x $python ]] || skip "the wheel has not been installed"
cd "$work"  # a folder without a subfolder `manyply`
case $part in
  library) exec "$python" "$here/library_test.py" ;;
  notebook) exec "$python" "$here/notebook_test.py" "$root/tools/package/examples/perft.ipynb" ;;
  doctests)
    for module in manyply manyply.testing; do
      "$python" -c "import doctest, importlib, sys
failed, tried = doctest.testmod(importlib.import_module('$module'), optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
print('$module:', tried, 'examples')
sys.exit(failed > 0 or tried == 0)"
    done ;;
  types)
    command -v mypy >/dev/null || skip "mypy is not installed"
    cd "$root/tools/python"
    exec mypy --strict --python-version 3.9 --enable-incomplete-feature=Unpack --cache-dir="$work/mypy" manyply ;;
  plugin)
    /usr/bin/python3 -c 'import pytest' || skip "python3-pytest is not installed"
    environment with_pytest /usr/bin/python3 --system-site-packages
    cd "$here" && exec "$work/with_pytest/bin/python" -m pytest -q -p no:cacheprovider plugin_test.py ;;
  another | SlowOthers)
    tried=0
    for other in pypy3 ~/.pyenv/versions/3.*/bin/python3; do
      "$other" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9) or sys.version_info[:2] == (3, 11))' \
        2>/dev/null || continue
      environment other "$other"
      "$work/other/bin/python" --version
      "$work/other/bin/python" "$here/library_test.py"
      tried=$((tried + 1))
      [[ $part != another ]] || break
    done
    ((tried)) || skip "there is no other Python; pypy3-venv is not installed" ;;
  SlowSanitized) exec "$here/sanitized.sh" "$work" "$python" ;;
esac
