// SPDX-License-Identifier: Apache-2.0
// backends/onednn/one_thread.cc: see one_thread.h.
#include "one_thread.h"

#include <oneapi/dnnl/dnnl.h>

namespace tenon::onednn {
namespace {

bool has_openmp() { return omp_set_num_threads != nullptr && omp_get_max_threads != nullptr; }

}  // namespace

bool can_stay_on_one_thread() {
  const unsigned runtime = dnnl_version()->cpu_runtime;
  return runtime == DNNL_RUNTIME_SEQ || (runtime == DNNL_RUNTIME_OMP && has_openmp());
}

OneThread::OneThread() : before_(has_openmp() ? omp_get_max_threads() : 1) {
  if (before_ != 1) omp_set_num_threads(1);
}

OneThread::~OneThread() {
  if (before_ != 1) omp_set_num_threads(before_);
}

}  // namespace tenon::onednn
