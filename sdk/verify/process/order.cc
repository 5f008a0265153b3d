// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/order.cc: see order.h.
#include "process/order.h"

namespace tenon::verify {

Json json_of(const Group& group) {
  return {
      {"op", group.op}, {"backend", group.backend}, {"topic", group.topic}, {"entry", group.entry}};
}

Group group_of(const Json& json) {
  return {json.at("op"), json.at("backend"), json.at("topic"), json.at("entry")};
}

Json json_of(const Order& order) {
  Json groups = Json::array();
  for (const Group& group : order.groups) groups.push_back(json_of(group));
  return {{"plugin", order.plugin},
          {"level", order.request.level},
          {"seed", order.request.seed},
          {"case", order.request.only_case},
          {"goldens", order.request.goldens},
          {"groups", groups},
          {"skip_before", order.resume.skip_before},
          {"dead", order.resume.dead}};
}

Order order_of(const std::string& text) {
  const Json json = Json::parse(text);
  Order order;
  order.plugin = json.at("plugin");
  order.request.level = json.at("level");
  order.request.seed = json.at("seed");
  order.request.only_case = json.at("case");
  json.at("goldens").get_to(order.request.goldens);
  for (const Json& group : json.at("groups")) order.groups.push_back(group_of(group));
  order.resume.skip_before = json.at("skip_before");
  json.at("dead").get_to(order.resume.dead);
  return order;
}

}  // namespace tenon::verify
