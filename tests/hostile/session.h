// SPDX-License-Identifier: Apache-2.0
// tests/hostile/session.h: one runtime with one context, as a program has them.
#pragma once

#include <tenon/tenon.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tenon::tests {

class Session {
 public:
  // Searches `paths`, and what TENON_PLUGIN_PATH says where `environment`. Throws
  // std::runtime_error where that fails: no plugin may break it.
  Session(const std::vector<std::string>& paths, uint32_t policy, bool environment = false);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  nlohmann::json query(const std::string& topic);
  std::string query_text(const std::string& topic);

  // Uses what `what` names ("op hostile.twice", see case_file.h). Where that fails, false, and
  // `message` is the record's status and words: "TENON_E_PLUGIN op ...".
  bool need(const std::string& what, std::string& message);

  // One call of a good op on the good device. Throws if it fails.
  void add_ones();

 private:
  std::string error();
  tenon_tensor* ones(const tenon_device* device);

  void need_op(const std::string& name, bool backward);
  void need_device(const std::string& kind);
  void need_optimizer(const std::string& name);
  void need_dataset(const std::string& name);

  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  std::vector<tenon_tensor*> tensors_;
};

}  // namespace tenon::tests
