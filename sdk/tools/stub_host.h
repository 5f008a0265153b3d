// SPDX-License-Identifier: Apache-2.0
// sdk/tools/stub_host.h: a host for plugins that are only looked at. Its tables are complete, and
// every function in them refuses: nothing but query, init, get_interface and release is called.
#pragma once

#include <tenon/plugin.h>

namespace tenon::tools {

const tenon_host& stub_host();

}  // namespace tenon::tools
