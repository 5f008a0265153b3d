// SPDX-License-Identifier: Apache-2.0
// core/api/make_context.h: contexts, with what each floor keeps for them.
#pragma once

#include <tenon/tenon.h>

#include "core/runtime/context.h"

namespace tenon::api {

// The caller's; tenon_context_release.
tenon_context* create_context(Runtime& runtime);

}  // namespace tenon::api
