// SPDX-License-Identifier: Apache-2.0
// core/inspect/draw.h: a recorded graph as a picture.
#pragma once

#include <string>

#include "core/inspect/graph.h"

namespace tenon::inspect {

// Topics of tenon_graph_query.
std::string graph_dot(Context& context, const Recorded& graph);
std::string graph_svg(Context& context, const Recorded& graph);

}  // namespace tenon::inspect
