// SPDX-License-Identifier: Apache-2.0
// sdk/verify/report/table.h: the matrix as text: a row for each op and backend, a column for each
// form and layout.
#pragma once

#include <string>

#include "process/results.h"

namespace tenon::verify {

// Layouts stand in a second table, which is left out if it is wider than a terminal unless
// `all` is set.
std::string table_text(const PluginResult& result, bool all);

// The cells of `facts` (matrix.h) that no case can fill: {"forms": {name: why}, "layouts": ...}.
Json impossible_cells(const Json& facts);

}  // namespace tenon::verify
