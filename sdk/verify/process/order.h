// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/order.h: what a process of `tenon verify` is told to do, and what it says.
//
// Its argument is an Order as JSON. It writes lines of JSON: {"phase": words} before a step that
// has no case; {"entries": [...]} if it is asked what there is; {"group": i} and {"done": i}
// around a group; and between them the recorder's lots.
#pragma once

#include <string>
#include <vector>

#include "case/request.h"
#include "process/recorder.h"

namespace tenon::verify {

// What one process works through: an op on a backend, or an entry of one of the kinds in
// tenon/kinds.h. The names of the other are empty.
struct Group {
  std::string op, backend;
  std::string topic, entry;  // "optimizers", "acme.descent"

  const std::string& name() const { return op.empty() ? entry : op; }
};
Json json_of(const Group& group);
// Takes what json_of gives, and an entry of {"entries": [...]}.
Group group_of(const Json& json);

struct Order {
  std::string plugin;
  Request request;
  std::vector<Group> groups;  // empty: say what there is
  Resume resume;              // in the first of them
};
Json json_of(const Order& order);
// Takes what json_of gives, as text.
Order order_of(const std::string& text);

}  // namespace tenon::verify
