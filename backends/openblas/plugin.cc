// SPDX-License-Identifier: Apache-2.0
// backends/openblas/plugin.cc: the plugin tenon.openblas: kernels of OpenBLAS for host memory.
//
// It adds no device and no op. Its kernels round in whichever order suits the processor, so they do
// not claim CANONICAL: they run where a context asks for fast arithmetic, or where this plugin is
// pinned.
//
// Threads. Tenon lends every plugin one pool, so OpenBLAS has to compute each tile on the thread
// that calls it: `init` sets its number of threads to 1. That number belongs to the library and so
// to the whole process: other code that uses the same libopenblas (NumPy of the distribution, say)
// computes on one thread from then on. Such code may set the number again; Tenon's results are then
// still right, but the machine has more threads at work than processors, and bits may depend on
// their number. OPENBLAS_NUM_THREADS=1 in the environment also keeps OpenBLAS from starting threads
// that are never used.
#include <cblas.h>
#include <tenon/sdk/plugin/plugin_init.hpp>

#include "openblas.h"

namespace {

namespace sdk = tenon::sdk;

constexpr const sdk::Unit* units[] = {&tenon::openblas::matmul_unit};

struct Data {
  static sdk::About about() {
    return {"tenon.openblas", TENON_SDK_VERSION_TEXT, "Apache-2.0", units};
  }
  static void begin() { openblas_set_num_threads(1); }
};

}  // namespace

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  return sdk::query_with<sdk::init<Data>, Data>(host, out, diag);
}
