#!/usr/bin/env bash
# bench/gpu_registers.sh: compiles the OpenCL program for NVIDIA's GPUs and prints the registers, the spilled bytes and
# the local memory of each kernel. Also prints how many instructions `leaf` takes for a dense pair
# (gpu_instructions.py). Needs clang 19 and ptxas (CUDA toolkit), but no GPU.
#   ARCHITECTURES='sm_90 sm_120'  PTXAS=ptxas
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
ptxas=${PTXAS:-$(PATH=$PATH:/usr/local/cuda/bin command -v ptxas)}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

cat "$root"/parallel/device/{moves,plans,last_plies,stored_plies}.cl >"$work/all.cl"
# The macros replace functions of OpenCL C, because clang has no library of them for this target.
clang-19 -x cl -cl-std=CL1.2 --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature \
  -Xclang +ptx60 -nogpulib -O3 -S -gline-tables-only -o "$work/all.ptx" \
  '-Dget_group_id(d)=__nvvm_read_ptx_sreg_ctaid_x()' '-Dget_local_id(d)=__nvvm_read_ptx_sreg_tid_x()' \
  '-Dbarrier(f)=__nvvm_bar_sync(0)' '-Dpopcount(x)=__builtin_popcountl(x)' '-Dclz(x)=__builtin_clzl(x)' \
  '-Datomic_inc(p)=__sync_fetch_and_add(p, 1)' '-Datomic_add(p, n)=__sync_fetch_and_add(p, n)' \
  '-Datomic_or(p, n)=__sync_fetch_and_or(p, n)' '-Datomic_max(p, n)=__sync_fetch_and_umax(p, n)' '-Datomic_cmpxchg(p, a, b)=__sync_val_compare_and_swap(p, a, b)' \
  '-Dmin(a, b)=((a) < (b) ? (a) : (b))' '-Dmax(a, b)=((a) > (b) ? (a) : (b))' \
  "$work/all.cl"
for architecture in ${ARCHITECTURES:-sm_90 sm_120}; do
  echo "$architecture"
  "$ptxas" -v -lineinfo -arch "$architecture" -o "$work/all.cubin" "$work/all.ptx" 2>&1 |
    awk '/Compiling entry function/ { split($0, part, "\047"); name = part[2] }
         /bytes spill stores/ { spilled = $5 + 0 }
         /Used .* registers/ { match($0, /Used [0-9]+/); registers = substr($0, RSTART + 5, RLENGTH - 5)
           shared = match($0, /[0-9]+ bytes smem/) ? substr($0, RSTART, RLENGTH - 11) : 0
           if (name) printf "  %-16s %4d registers %5d bytes spilled %6d bytes of local memory\n", name, registers, spilled, shared
           name = "" }'
  python3 "$root/bench/gpu_instructions.py" "$work/all.cubin" "$work/all.cl"
done
