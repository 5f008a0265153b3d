// SPDX-License-Identifier: Apache-2.0
// core/inspect/query_entries.h: each writes one topic of tenon_runtime_query as one JSON value.
#pragma once

#include "core/json/writer.h"

namespace tenon {
struct Context;
}

namespace tenon::inspect {

void write_ops(Context& context, json::Writer& out);
void write_entries(Context& context, uint32_t kind, json::Writer& out);
void write_samples(Context& context, json::Writer& out);
void write_tolerances(Context& context, json::Writer& out);
void write_optimizer_samples(Context& context, json::Writer& out);

}  // namespace tenon::inspect
