// SPDX-License-Identifier: Apache-2.0
// backends/lapack/plugin.cc: the plugin tenon.lapack: decompositions by the LAPACK inside OpenBLAS,
// for host memory.
//
// It adds no device and no op. Its kernels round in whichever order suits the processor, and those
// of f32 compute in f32, so they do not claim CANONICAL. The ops' bits are a library's
// (TENON_OP_LIBRARY_BITS): these kernels run unless another plugin is pinned.
//
// Threads. Matrices of a batch are shared out to Tenon's pool, and strips of columns of a single
// one where they do not depend on each other. What LAPACK does it does on the thread that calls it:
// `init` sets OpenBLAS' number of threads to 1, as tenon.openblas does, with the same consequences
// for others in the process (backends/openblas/plugin.cc). So bits do not depend on threads.
#include <cblas.h>
#include <tenon/sdk/plugin/plugin_init.hpp>

#include "lapack.h"

namespace {

namespace sdk = tenon::sdk;

constexpr const sdk::Unit* units[] = {&tenon::lapack::factor_unit, &tenon::lapack::qr_unit,
                                      &tenon::lapack::spectrum_unit};

struct Data {
  static sdk::About about() {
    return {"tenon.lapack", TENON_SDK_VERSION_TEXT, "Apache-2.0", units};
  }
  static void begin() { openblas_set_num_threads(1); }
};

}  // namespace

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  return sdk::query_with<sdk::init<Data>, Data>(host, out, diag);
}
