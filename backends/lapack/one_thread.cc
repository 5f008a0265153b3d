// SPDX-License-Identifier: Apache-2.0
// backends/lapack/one_thread.cc: OpenBLAS' number of threads, which is the whole process', while
// kernels of this plugin run.
#include <mutex>

#include "lapack.h"

namespace tenon::lapack {
namespace {

// The number is one for all runtimes of the process, and so is this.
std::mutex mutex;
int running = 0;
int before = 1;

}  // namespace

OneThread::OneThread() {
  const std::lock_guard lock(mutex);
  if (running++ > 0) return;
  before = openblas_get_num_threads();
  if (before != 1) openblas_set_num_threads(1);
}

OneThread::~OneThread() {
  const std::lock_guard lock(mutex);
  if (--running == 0 && before != 1) openblas_set_num_threads(before);
}

}  // namespace tenon::lapack
