// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/dynamic.hpp: what ops share whose outputs are as large as their data say.
#pragma once

#include <tenon/ext/draft/dynamic.h>

#include <array>

#include "index/along.hpp"

namespace tenon::rules {

// A composition that may read a number.
class DynamicCompose : public sdk::Compose {
 public:
  using Compose::Compose;

  int64_t number(tenon_tensor* tensor) {
    const tenon_host* host = call_->host;
    const auto* numbers = static_cast<const tenon_host_numbers*>(
        host->get_interface(host, TENON_HOST_NUMBERS, sizeof TENON_HOST_NUMBERS - 1));
    if (!numbers) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "this Tenon cannot read numbers in a composition"};
    }
    int64_t number = 0;
    sdk::check(numbers->read(call_, tensor, &number));
    return number;
  }

  // How many elements of `x` are not zero, and the first `size` places of them.
  int64_t count_nonzero(sdk::Value x) { return number(nonzero(x, 0)[1]); }
  tenon_tensor* places(sdk::Value x, int64_t size) { return nonzero(x, size)[0]; }
  // The places as a vector; `x` has one dimension.
  tenon_tensor* indices(sdk::Value x, int64_t size) {
    return reshape(*this, places(x, size), Dims({&size, 1}));
  }
  tenon_tensor* flat(sdk::Value x) {
    const int64_t all = -1;
    return reshape(*this, x, Dims({&all, 1}));
  }

 private:
  std::array<tenon_tensor*, 2> nonzero(sdk::Value x, int64_t size) {
    std::array<tenon_tensor*, 2> outputs{};
    const std::array<sdk::Value, 1> inputs{x};
    const std::array<sdk::Value, 1> limit{size};
    call_many("tenon.nonzero_static", inputs, limit, outputs);
    return outputs;
  }
};

template <void (*Rule)(DynamicCompose&)>
tenon_status dynamic_fn(tenon_call* call, const tenon_value* inputs, uint32_t n_inputs,
                        const tenon_value* attrs, uint32_t n_attrs) {
  return sdk::guarded(call, [&] {
    DynamicCompose compose(call, inputs, n_inputs, attrs, n_attrs);
    Rule(compose);
  });
}

}  // namespace tenon::rules
