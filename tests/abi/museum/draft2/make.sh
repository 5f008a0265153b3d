#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/abi/museum/draft2/make.sh: how the binaries of draft 2 were made. Once; see ../README.md.
# Usage, in the repository, with the tree built, ID being op, device, sdk, data, samples, lengths,
# files or engines:
#   tests/abi/museum/draft2/make.sh build/release ID...
set -eu
build=$1
shift
here=tests/abi/museum/draft2
flags="-O2 -march=x86-64 -mtune=generic -ffp-contract=off -fPIC -fvisibility=hidden -shared -s
  -Wl,--build-id=none -Wl,--version-script=sdk/cmake/TenonPlugin.map -Wl,-z,defs -Ic_api/include"
for id in "$@"; do
  folder=$here/x86-64/museum.$id
  mkdir -p "$folder"
  if [ "$id" = sdk ]; then
    # shellcheck disable=SC2086
    g++ -std=c++20 -fno-gnu-unique -fvisibility-inlines-hidden $flags -Isdk/include \
      $here/$id.cc -o "$folder/museum.$id.so"
  else
    # shellcheck disable=SC2086
    gcc -std=c11 $flags $here/$id.c -o "$folder/museum.$id.so"
  fi
  "$build/bin/tenon" manifest "$folder/museum.$id.so"
done
