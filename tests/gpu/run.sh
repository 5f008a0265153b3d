#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/gpu/run.sh: builds Tenon offline on a machine with a GPU, checks and measures it, and prints
# one table; docs/gpu.md.
#
# usage    tests/gpu/run.sh [--vendor DIR] [--build DIR | --built DIR] [--device KIND] [--quick]
#                           [-- CMAKE_ARG...]
# --vendor  folder of ./dev vendor-headers (default: vendor/ in the repository, where there is one;
#           without it the headers have to be installed)
# --build   build folder, kept between runs (default: build/gpu/tree)
# --built   a folder that holds bin/, lib/, plugins/ and share/ of a build made on another machine:
#           nothing is built here
# --device  kind of device, whose plugin is tenon.KIND (default: cuda)
# --quick   small sizes, one level of `tenon verify`: to try the script itself
# TENON_GPU_SECONDS  all of it (default 530); each step has its own limit as well, and those that
#           the time no longer suffices for are skipped and say so
# PYTHON    the Python with PyTorch (default: python3)
# Logs and the table go to $OUT, or else to build/gpu/logs.
# Exit status: 0 every step is good or was skipped, 1 one is not, 2 wrong usage, 77 no GPU.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2

device=cuda vendor='' build=build/gpu/tree built='' quick='' cmake_arguments=()
while (($#)); do
  case $1 in
    --vendor | --build | --built | --device)
      (($# >= 2)) || set -- "$1" ''
      [[ $2 ]] || { echo "run.sh: $1 needs a value" >&2 && exit 2; }
      printf -v "${1#--}" '%s' "$2"
      shift 2
      ;;
    --quick) quick=--quick && shift ;;
    --) shift && cmake_arguments=("$@") && break ;;
    *) echo "run.sh: cannot use '$1'" >&2 && exit 2 ;;
  esac
done
if [[ $device == cuda ]] && ! nvidia-smi --list-gpus 2>/dev/null | grep -q .; then
  echo 'run.sh: nothing was run: nvidia-smi lists no GPU on this machine'
  exit 77
fi
if [[ ! $vendor && -d vendor/include ]]; then vendor=vendor; fi

if [[ $built ]]; then
  if [[ ! -x $built/bin/tenon ]]; then
    echo "run.sh: --built $built: it holds no bin/tenon" >&2
    exit 2
  fi
  build=$built
fi

logs=${OUT:-build/gpu/logs}
mkdir -p "$logs" "$build"
build=$(realpath "$build")
figures=$build/figures.json
rm -f "$figures" "$logs"/{build,doctor,check,bench,peers}.log \
  "$logs"/{verify,sanitizer,values}.log "$logs/table.txt"
most=${TENON_GPU_SECONDS:-530}
end=$((SECONDS + most))
rows=() failed=0
plugin=tenon.$device
export PATH=$PATH:/usr/local/cuda/bin

# add_row <step> <verdict> <seconds> <figures>
add_row() {
  rows+=("$(printf '%-12s %-8s %5s s  %s' "$1" "$2" "$3" "$4")")
  echo "==> ${rows[-1]}"
  [[ $2 != FAILED && $2 != 'TOO LONG' ]] || failed=1
}

# The words in a log that go into the table: its last line that matches, without what is around.
said() { grep -aE "$2" "$logs/$1.log" | tail -1 | sed 's/^ *//' | cut -c1-110; }

# step <name> <most seconds> <pattern of the figures> <command...>: runs it into <name>.log.
step() {
  local name=$1 limit=$2 pattern=$3 start=$SECONDS left=$((end - SECONDS)) status=0 verdict=ok
  shift 3
  if ((left < 5)); then
    add_row "$name" skipped 0 'no time was left'
    return 1
  fi
  echo "==> $name"
  timeout --kill-after=5 $((limit < left ? limit : left)) "$@" >"$logs/$name.log" 2>&1 || status=$?
  case $status in
    0) ;;
    77) verdict=skipped ;;
    124 | 137) verdict='TOO LONG' ;;
    *) verdict=FAILED ;;
  esac
  add_row "$name" "$verdict" $((SECONDS - start)) "$(said "$name" "$pattern")"
  return $status
}

finish() {
  {
    echo
    date -u '+%F %T UTC'
    [[ $device != cuda ]] ||
      nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    git rev-parse --short HEAD 2>/dev/null
    printf '%-12s %-8s %7s  %s\n' step verdict time figures
    printf '%s\n' "${rows[@]}"
    # The parts of the two drivers, rows that a target judges, and those of peers.py.
    grep -ahE '^[a-z]+ +(ok|skipped|FAILED) +[0-9.]+ s' "$logs"/{check,bench}.log 2>/dev/null
    grep -aE '(^| )(met|not met)$|not measured' "$logs/bench.log" 2>/dev/null
    grep -aE '>= ' "$logs/peers.log" 2>/dev/null
  } | tee "$logs/table.txt"
  exit $failed
}

# Builds all it can, so that one plugin that does not compile leaves the others; for `step`.
build_all() {
  local go_on=-k
  generator=()
  if command -v ninja >/dev/null; then
    generator=(-G Ninja)
    go_on='-k 0'
  fi
  cmake -S . -B "$build" "${generator[@]}" -DTENON_OFFLINE=ON \
    ${vendor:+-DTENON_VENDOR_HEADERS="$(realpath "$vendor")"} "${cmake_arguments[@]}" || return 1
  # shellcheck disable=SC2086
  cmake --build "$build" --parallel "$(nproc)" -- $go_on
}
export -f build_all

# Functions do not reach through `timeout`; a shell of its own does.
if [[ $built ]]; then
  add_row build skipped 0 "built before: $built"
else
  step build $((most * 6 / 10)) 'error:|FAILED:|no work to do|^\[.*%?\]' bash -c "
    $(declare -p build vendor cmake_arguments); build_all"
fi
if [[ ! -x $build/bin/tenon || ! -x $build/bin/gpu_check || ! -x $build/bin/gpu_bench ]]; then
  add_row programs FAILED 0 "they were not built; see $logs/build.log"
  finish
fi
folder=$build/plugins
[[ $device != sim ]] || folder=$build/sim_plugins
if [[ ! -f $folder/$plugin/plugin.json ]]; then
  why=$(grep -saE "backends/$device|$plugin" "$logs/build.log" | head -1 | cut -c1-90)
  add_row "$plugin" FAILED 0 "it was not built: ${why:-the tree has no such plugin}"
  finish
fi
[[ $device != sim ]] || export TENON_PLUGIN_PATH=$folder
tenon=$build/bin/tenon

step doctor 30 "^ *$device: |refused" "$tenon" doctor
step check 90 'FAILED|accuracy' "$build/bin/gpu_check" --device "$device" $quick
step bench 120 'FAILED|^G5.*replayed' \
  "$build/bin/gpu_bench" --device "$device" --json "$figures" $quick
if [[ $device == cuda || $quick ]]; then
  peer=$device
  [[ $device == cuda ]] || peer=cpu
  step peers 90 '^peers:' \
    "${PYTHON:-python3}" tests/gpu/peers.py --device "$peer" --ours "$figures" $quick
fi
step verify 90 'cases \(|tenon: ' "$tenon" verify --level 0 "$plugin"
if command -v compute-sanitizer >/dev/null; then
  # Ops of each family, at the level of a smoke test: everything is many times slower.
  ops=copy,add,relu,sum,softmax,softmax_cross_entropy,matmul,attention,layer_norm,embedding
  ops+=,uniform,adamw_step
  step sanitizer 90 'ERROR SUMMARY|cases \(' compute-sanitizer --target-processes all \
    --error-exitcode 9 "$tenon" verify --level 0 --jobs 4 --ops="tenon.${ops//,/,tenon.}" "$plugin"
else
  add_row sanitizer skipped 0 'compute-sanitizer was not found'
fi
# A million cases take some ten minutes, which few that borrow a GPU have.
if [[ $quick ]]; then
  add_row values skipped 0 'not with --quick'
elif ((end - SECONDS < 700)); then
  add_row values skipped 0 "too little time is left for $tenon verify --level 1 $plugin"
else
  step values 900 'cases \(|tenon: ' "$tenon" verify --level 1 "$plugin"
fi
finish
