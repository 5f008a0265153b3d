// SPDX-License-Identifier: Apache-2.0
// sdk/common/session.h: one runtime and context, through the public C API.
#pragma once

#include <tenon/tenon.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "program.h"

namespace tenon::tools {

// What a runtime is given beside the plugins it may open.
struct RuntimeSettings {
  std::string check;  // check modes, comma separated, beside those of the environment
  int threads = 0;    // compute threads; 0: as many as may be used
};

class Session {
 public:
  // Throws Failure.
  explicit Session(const Options& options, const RuntimeSettings& settings = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  tenon_runtime* runtime() const { return runtime_; }
  tenon_context* context() const { return context_; }

  // The answer of tenon_runtime_query. Throws Failure.
  Json query(std::string_view topic) const;

  // An op by name, looked up once. Throws Failure.
  const tenon_op* op(const std::string& name) const;

  // Throws the context's error record as a Failure if `status` is one.
  void check(tenon_status status) const;

 private:
  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  mutable std::map<std::string, const tenon_op*> ops_;
};

// Whether an entry of topic "plugins" was refused for lack of a CPU feature alone: a machine
// without the hardware that a plugin is for has nothing wrong with it.
bool is_for_another_processor(const Json& plugin);

// Of an entry of topic "plugins" that is not open: "refused (registration): op 0: ...".
std::string verdict_text(const Json& plugin);

// Takes the text over and returns its bytes.
std::string take_text(tenon_text* text);

}  // namespace tenon::tools
