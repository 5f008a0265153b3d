// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/plugin_init.hpp: for a plugin that does more when it is opened than list its
// units, so that tenon_add_plugin() does not write its exported function:
//
//   struct Data {
//     static tenon::sdk::About about() { return {"acme.blas", "1.0.0", "MIT", units}; }
//     static void begin() { acme_blas_use_one_thread(); }
//   };
//   extern "C" TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host,
//                                                              tenon_plugin* out,
//                                                              tenon_diag* diag) {
//     return tenon::sdk::query_with<tenon::sdk::init<Data>, Data>(host, out, diag);
//   }
#pragma once

#include <tenon/sdk/plugin/plugin.hpp>

#define TENON_SDK_TEXT_OF(x) #x
#define TENON_SDK_TEXT(x) TENON_SDK_TEXT_OF(x)

// The version of Tenon that a plugin is built with and shares.
#define TENON_SDK_VERSION_TEXT        \
  TENON_SDK_TEXT(TENON_VERSION_MAJOR) \
  "." TENON_SDK_TEXT(TENON_VERSION_MINOR) "." TENON_SDK_TEXT(TENON_VERSION_PATCH)

namespace tenon::sdk {

using InitFn = tenon_status (*)(const tenon_host*, void** out_self, tenon_diag* diag);

// Lists the units, then calls Data::begin(), which throws nothing.
template <class Data>
tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  const tenon_status status = statement<Data>().init(host, out_self, diag);
  if (status == TENON_OK) Data::begin();
  return status;
}

// query(), with an `init` of the plugin's own.
template <InitFn own_init, class Data>
tenon_status query_with(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) noexcept {
  const tenon_status status = query<Data>(host, out, diag);
  if (status == TENON_OK) out->init = own_init;
  return status;
}

}  // namespace tenon::sdk
