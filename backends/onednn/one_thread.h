// SPDX-License-Identifier: Apache-2.0
// backends/onednn/one_thread.h: keeps oneDNN on the thread that calls it.
//
// oneDNN for OpenMP asks omp_get_max_threads() how many threads a primitive may use, when it is
// made and again when it runs, and starts a parallel region only for more than one. OpenMP keeps
// that number for each thread that is not OpenMP's own, so it is set to 1 while this thread is
// inside oneDNN and put back afterwards: no other user of the same OpenMP runtime, on this thread
// or another, ever sees the 1.
#pragma once

// Weak: they are found in whichever OpenMP runtime the loaded oneDNN brought along, by the loader's
// own search, and nothing here chooses a runtime by linking one. C linkage, as OpenMP declares
// them.
extern "C" {
__attribute__((weak)) void omp_set_num_threads(int number);
__attribute__((weak)) int omp_get_max_threads(void);
}

namespace tenon::onednn {

// False if this oneDNN has threads that cannot be kept out: then it may not be used.
bool can_stay_on_one_thread();

class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace tenon::onednn
