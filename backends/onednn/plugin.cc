// SPDX-License-Identifier: Apache-2.0
// backends/onednn/plugin.cc: the plugin tenon.onednn: kernels of oneDNN for host memory.
//
// It adds no device and no op. Its kernels round in whichever order suits the processor, so they do
// not claim CANONICAL: they run where a context asks for fast arithmetic, or where this plugin is
// pinned.
//
// Threads. Tenon lends every plugin one pool, so oneDNN has to compute on the thread that calls it.
// one_thread.h says how that is done for oneDNN with OpenMP, and what it means for other users of
// the same OpenMP runtime: nothing. A oneDNN built without threads is used as it is; one built for
// TBB, SYCL or a pool of its own is refused, for there is no such way.
#include <cstdio>
#include <tenon/sdk/plugin/plugin_init.hpp>

#include "one_thread.h"
#include "onednn.h"

namespace {

namespace sdk = tenon::sdk;

constexpr const sdk::Unit* units[] = {
    &tenon::onednn::average_unit, &tenon::onednn::convolution_unit, &tenon::onednn::matmul_unit};

struct Data {
  static sdk::About about() {
    return {"tenon.onednn", TENON_SDK_VERSION_TEXT, "Apache-2.0", units};
  }
};

tenon_status refuse(tenon_diag* diag, tenon_status status, const char* why) {
  diag->status = status;
  diag->length = std::snprintf(diag->message, sizeof diag->message, "%s", why);
  return status;
}

tenon_status init(const tenon_host*, void** out_self, tenon_diag* diag) {
  if (!tenon::onednn::can_stay_on_one_thread()) {
    return refuse(diag, TENON_E_UNSUPPORTED,
                  "this oneDNN has threads that Tenon cannot keep out: install one that is built "
                  "for OpenMP, or without threads");
  }
  try {
    *out_self = new sdk::State(Data::about());
    return TENON_OK;
  } catch (const std::bad_alloc&) {
    return refuse(diag, TENON_E_MEMORY, "out of memory");
  } catch (const std::exception& error) {  // oneDNN's
    return refuse(diag, TENON_E_PLUGIN, error.what());
  }
}

}  // namespace

extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
                                                           tenon_plugin* out, tenon_diag* diag) {
  return sdk::query_with<init, Data>(host, out, diag);
}
