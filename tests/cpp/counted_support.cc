// SPDX-License-Identifier: Apache-2.0
// tests/cpp/counted_support.cc: stands before the library's functions of these names in this
// program, counts, and calls them.
#include "tests/cpp/counted_support.h"

#include <dlfcn.h>
#include <tenon/tenon.h>

#include <atomic>

namespace {

std::atomic<int64_t> retains{0};
std::atomic<int64_t> releases{0};

template <class Function>
Function* library_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

tenon_status tenon_tensor_retain(tenon_tensor* tensor) {
  static auto* const real = library_function<tenon_status(tenon_tensor*)>("tenon_tensor_retain");
  ++retains;
  return real(tensor);
}

void tenon_tensor_release(tenon_tensor* tensor) {
  static auto* const real = library_function<void(tenon_tensor*)>("tenon_tensor_release");
  ++releases;
  real(tensor);
}

namespace tenon::tests {

Counts counts() { return {retains, releases}; }

}  // namespace tenon::tests
