// SPDX-License-Identifier: Apache-2.0
// core/inspect/draw.h: a recorded graph as a picture.
#pragma once

#include <string>

#include "core/inspect/graph.h"

namespace tenon::inspect {

// Which way values go.
enum class Direction : uint8_t { TopToBottom, LeftToRight };

// Topics of tenon_graph_query.
std::string graph_dot(Context& context, const Recorded& graph, Direction direction);
std::string graph_svg(Context& context, const Recorded& graph, Direction direction);

}  // namespace tenon::inspect
