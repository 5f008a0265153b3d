// SPDX-License-Identifier: Apache-2.0
// backends/cuda/report.h: how a kernel says that its data are wrong.
//
// A kernel that finds wrong data (an index out of range) cannot return an error: it writes a Report
// into host memory that the device reaches, and goes on with something harmless. The next wait
// turns the report into the failure's words. Of several wrong elements the first one is told: that
// of the earliest launch, and in it the one with the lowest number.
//
//   constexpr char kWords[] = "tenon.take: indices%p is %d, outside the %n it may name";
//   enqueue(l, &pick, ..., refusal(l, kWords, shape_of(indices), size));     // on the host
//   if (index >= size) refuse(r, number, index);                             // in the kernel
#pragma once

#include <tenon/sdk/kernel.hpp>

#include <string>

#include "portable.h"

namespace tenon::cuda {

// In memory of the host; one for each device.
struct Report {
  uint32_t state;  // 0 none, 1 being written, 2 there
  int32_t rank;
  uint64_t launch;    // counted from 1
  const char* words;  // constant text of this library
  int64_t shape[TENON_MAX_RANK];
  int64_t number;  // of the element, in row-major order
  int64_t limit;
  int64_t found;
  double found_real;
  uint64_t launches;  // counted on the host, by refusal()
};

// A kernel's parameter: what it says where its data are wrong.
struct Refusal {
  Report* report;
  const char* words;
  uint64_t launch;
  int64_t limit;
  int64_t shape[TENON_MAX_RANK];
  int32_t rank;
  int32_t padding;
};

// `words` say what was found, with
//   %p  the element's place in `shape`: [1,0]; nothing where there are no dimensions
//   %i  its number in row-major order
//   %d  what was found, an integer;  %f as f32;  %g as f64
//   %n  `limit`
Refusal refusal(const sdk::Launch& l, const char* words, std::span<const int64_t> shape,
                int64_t limit);

// The words of the report, which is taken away; empty where there is none.
std::string take_report(Report& report);

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
