// SPDX-License-Identifier: Apache-2.0
// tests/device/device_support.h: a runtime with the simulated device, and short ways to call it.
#pragma once

#include <cstring>
#include <utility>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {

using Named = std::vector<std::pair<const char*, tenon_value>>;

inline constexpr tenon_dtype kDtypes[] = {
    TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,   TENON_DTYPE_I16, TENON_DTYPE_I32,
    TENON_DTYPE_I64,  TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64};

// Every bit pattern that matters: not a number is among them for floats, any byte for bool.
Array pattern(tenon_dtype dtype, const Shape& shape);

tenon_value tensor_value(tenon_tensor* tensor);
tenon_value int_value(int64_t number);
tenon_value real_value(double number);
tenon_value text_value(std::string_view text);
tenon_value dtype_value(tenon_dtype dtype);

class DeviceSession : public Session {
 public:
  explicit DeviceSession(const char* check = nullptr);
  // With another kind of device, from the plugins in these folders, in place of `sim`.
  DeviceSession(const std::vector<std::string>& folders, const char* exclude, const char* kind);

  tenon_device device(const char* kind, int32_t index = 0) const;
  const tenon_device cpu;
  const tenon_device sim;  // sim:0

  // NULL if the call fails; `failure()` then has the words.
  Tensor try_call(const char* op, const std::vector<tenon_value>& inputs,
                  const Named& named = {}) const;
  Tensor call(const char* op, const std::vector<tenon_value>& inputs,
              const Named& named = {}) const;
  tenon_status status_of(const char* op, const std::vector<tenon_value>& inputs,
                         const Named& named = {}) const;
  // An op without operands and results.
  void enact(const char* op, const Named& named) const { must(run(op, {}, named, nullptr)); }
  Tensor to(const tenon_device& device, const Tensor& x) const;
  Tensor f32(const tenon_device& device, const Shape& shape, const std::vector<float>& data) const;
  Tensor on(const tenon_device& device, const Array& array) const;
  std::vector<float> floats(const Tensor& x) const;
  double item(const Tensor& x) const;

  // sim.inject and sim.live on a device.
  void inject(const tenon_device& device, const char* what, int64_t after = 0, int64_t count = 1,
              int64_t microseconds = 0) const;
  int64_t live(const tenon_device& device, const char* what) const;
  tenon_status wait(const tenon_device& device) const { return tenon_device_wait(*this, &device); }
  std::string message() const { return error().message; }
  Json device_json(const char* kind) const;

 private:
  tenon_status run(const char* op, const std::vector<tenon_value>& inputs, const Named& named,
                   tenon_tensor** out) const;
};

// `array` in memory of `device` that is laid out as `layout` says.
class PlacedApart {
 public:
  PlacedApart(const Session& session, const tenon_device& device, const Array& array,
              Layout layout);
  tenon_tensor* get() const { return view_.get(); }

 private:
  Tensor base_;
  Tensor view_;
};

}  // namespace tenon::tests
