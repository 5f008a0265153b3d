// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plan_listing.h: the listing of a plan in a file: what tenon_plan_get_text gave.
#pragma once

#include "known_files.h"

namespace tenon::tools {

// Nothing if the file does not begin as a listing does.
std::optional<Inspection> inspect_plan(const std::string& file);

}  // namespace tenon::tools
