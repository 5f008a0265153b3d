// SPDX-License-Identifier: Apache-2.0
// tests/nccl/fake/bare.cc: a library instead of NCCL that has one of its functions alone.

extern "C" int ncclGetVersion(int* version) {
  *version = 21803;
  return 0;
}
