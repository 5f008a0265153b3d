// SPDX-License-Identifier: Apache-2.0
// backends/lapack/plugin.cc: the plugin tenon.lapack: decompositions by the LAPACK inside OpenBLAS,
// for host memory.
//
// It adds no device and no op. Its kernels round in whichever order suits the processor, and those
// of f32 compute in f32, so they do not claim CANONICAL: they run where a context asks for fast
// arithmetic, or where this plugin is pinned.
//
// Threads. Matrices of a batch are shared out to Tenon's pool; each is decomposed on the thread
// that calls LAPACK: `init` sets OpenBLAS' number of threads to 1, as tenon.openblas does, with the
// same consequences for others in the process (backends/openblas/plugin.cc).
#include <cblas.h>
#include <cstdio>

#include "lapack.h"

#define TENON_LAPACK_TEXT_OF(x) #x
#define TENON_LAPACK_TEXT(x) TENON_LAPACK_TEXT_OF(x)

namespace {

namespace sdk = tenon::sdk;

constexpr const sdk::Unit* units[] = {&tenon::lapack::factor_unit, &tenon::lapack::spectrum_unit};

struct Data {
  static sdk::About about() {
    return {"tenon.lapack",
            TENON_LAPACK_TEXT(TENON_VERSION_MAJOR) "." TENON_LAPACK_TEXT(
                TENON_VERSION_MINOR) "." TENON_LAPACK_TEXT(TENON_VERSION_PATCH),
            "Apache-2.0", units};
  }
};

tenon_status init(const tenon_host*, void** out_self, tenon_diag* diag) {
  try {
    *out_self = new sdk::State(Data::about());
  } catch (...) {
    diag->status = TENON_E_MEMORY;
    diag->length = std::snprintf(diag->message, sizeof diag->message, "out of memory");
    return TENON_E_MEMORY;
  }
  openblas_set_num_threads(1);
  return TENON_OK;
}

}  // namespace

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  const tenon_status status = sdk::query<Data>(host, out, diag);
  if (status == TENON_OK) out->init = init;
  return status;
}
