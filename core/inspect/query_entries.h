// SPDX-License-Identifier: Apache-2.0
// core/inspect/query_entries.h: each writes one topic of tenon_runtime_query, or one op of a topic,
// as one JSON value.
#pragma once

#include "core/json/writer.h"

namespace tenon {
struct Context;
namespace registry {
struct Op;
}
}  // namespace tenon

namespace tenon::inspect {

void write_ops(Context& context, json::Writer& out);
void write_op(Context& context, json::Writer& out, const registry::Op& op);
void write_entries(Context& context, uint32_t kind, json::Writer& out);
void write_samples(Context& context, json::Writer& out);
void write_tolerances(Context& context, json::Writer& out);
void write_optimizer_samples(Context& context, json::Writer& out);

}  // namespace tenon::inspect
