// SPDX-License-Identifier: Apache-2.0
// backends/cuda/report.h: how a kernel says that its data are wrong: the kernels' part. refusal.h
// has the host's.
#pragma once

#include "portable.h"
#include "refusal.h"

namespace tenon::cuda {

__device__ inline void write_report(const Refusal& r, int64_t number, int64_t found, double real) {
  Report& report = *r.report;
  volatile uint32_t& state = report.state;
  // Only one thread writes at a time; those that find it busy come again.
  for (bool done = false; !done;) {
    const uint32_t before = state;
    if (before == 1 || atomicCAS(&report.state, before, 1U) != before) continue;
    __threadfence();
    const bool is_first = before == 0 || r.launch < report.launch ||
                          (r.launch == report.launch && number < report.number);
    if (is_first) {
      report.launch = r.launch;
      report.words = r.words;
      report.rank = r.rank;
      for (int d = 0; d < TENON_MAX_RANK; ++d) report.shape[d] = r.shape[d];
      report.number = number;
      report.limit = r.limit;
      report.found = found;
      report.found_real = real;
    }
    __threadfence_system();
    atomicExch(&report.state, 2U);
    done = true;
  }
}

// Says that the element with that number is wrong.
__device__ inline void refuse(const Refusal& r, int64_t number, int64_t found) {
  write_report(r, number, found, 0.0);
}
__device__ inline void refuse_real(const Refusal& r, int64_t number, double found) {
  write_report(r, number, 0, found);
}

}  // namespace tenon::cuda
