// SPDX-License-Identifier: Apache-2.0
// backends/cuda/refusal.h: how a kernel says that its data are wrong: the host's part. report.h has
// the kernels'.
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

#include <tenon/sdk/plugin/kernel.hpp>

#include <string>

namespace tenon::cuda {

namespace sdk = tenon::sdk;

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
//   %p  the element's place in `shape`: [1,0]; nothing if there are no dimensions
//   %i  its number in row-major order
//   %d  what was found, an integer;  %f as f32;  %g as f64
//   %n  `limit`
Refusal refusal(const sdk::Launch& l, const char* words, std::span<const int64_t> shape,
                int64_t limit);

// The words of the report, which is taken away; empty if there is none.
std::string take_report(Report& report);

}  // namespace tenon::cuda
