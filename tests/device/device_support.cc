// SPDX-License-Identifier: Apache-2.0
// tests/device/device_support.cc: a runtime with the simulated device.
#include "tests/device/device_support.h"

#include <algorithm>

namespace tenon::tests {

Array pattern(tenon_dtype dtype, const Shape& shape) {
  Array array{dtype, shape, {}};
  array.bytes.resize(array.count() * size_of(dtype));
  for (size_t i = 0; i < array.bytes.size(); ++i) {
    array.bytes[i] = static_cast<unsigned char>(i * 91 + 7);
  }
  return array;
}

tenon_value tensor_value(tenon_tensor* tensor) {
  tenon_value value{TENON_VALUE_TENSOR, 0, {}};
  value.as.tensor = tensor;
  return value;
}
tenon_value int_value(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}
tenon_value real_value(double number) {
  tenon_value value{TENON_VALUE_F64, 0, {}};
  value.as.f64 = number;
  return value;
}
tenon_value dtype_value(tenon_dtype dtype) {
  tenon_value value{TENON_VALUE_DTYPE, 0, {}};
  value.as.dtype = dtype;
  return value;
}
tenon_value text_value(std::string_view text) {
  tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(text.size()), {}};
  value.as.string = text.data();
  return value;
}

DeviceSession::DeviceSession(const char* check)
    : Session(Simulated, check), cpu(device("cpu")), sim(device("sim")) {}

DeviceSession::DeviceSession(const std::vector<std::string>& folders, const char* exclude,
                             const char* kind)
    : Session(folders, 2, nullptr, exclude), cpu(device("cpu")), sim(device(kind)) {}

tenon_device DeviceSession::device(const char* kind, int32_t index) const {
  tenon_device found{};
  must(tenon_device_find(*this, kind, TENON_NUL, index, &found));
  return found;
}

tenon_status DeviceSession::run(const char* op, const std::vector<tenon_value>& inputs,
                                const Named& named, tenon_tensor** out) const {
  const tenon_op* found = find(op);
  std::vector<tenon_value> attrs;
  for (const auto& [name, value] : named) {
    uint32_t index = 0;
    must(tenon_op_find_attribute(*this, found, name, TENON_NUL, &index));
    if (index >= attrs.size()) attrs.resize(index + 1);
    attrs[index] = value;
  }
  return tenon_op_call(*this, found, inputs.data(), static_cast<uint32_t>(inputs.size()),
                       attrs.data(), static_cast<uint32_t>(attrs.size()), out, out ? 1 : 0);
}

Tensor DeviceSession::try_call(const char* op, const std::vector<tenon_value>& inputs,
                               const Named& named) const {
  tenon_tensor* out = nullptr;
  run(op, inputs, named, &out);
  return Tensor(out);
}

Tensor DeviceSession::call(const char* op, const std::vector<tenon_value>& inputs,
                           const Named& named) const {
  tenon_tensor* out = nullptr;
  must(run(op, inputs, named, &out));
  return Tensor(out);
}

tenon_status DeviceSession::status_of(const char* op, const std::vector<tenon_value>& inputs,
                                      const Named& named) const {
  tenon_tensor* out = nullptr;
  const tenon_status status = run(op, inputs, named, &out);
  tenon_tensor_release(out);
  return status;
}

Tensor DeviceSession::to(const tenon_device& target, const Tensor& x) const {
  return call("tenon.to", {tensor_value(x.get())},
              {{"kind", int_value(target.kind)}, {"index", int_value(target.index)}});
}

Tensor DeviceSession::f32(const tenon_device& target, const Shape& shape,
                          const std::vector<float>& data) const {
  tenon_tensor* out = nullptr;
  must(tenon_tensor_create_from(*this, TENON_DTYPE_F32, &target, static_cast<int32_t>(shape.size()),
                                shape.data(), data.data(), data.size() * sizeof(float), &out));
  return Tensor(out);
}

Tensor DeviceSession::on(const tenon_device& target, const Array& array) const {
  tenon_tensor* out = nullptr;
  must(tenon_tensor_create_from(*this, array.dtype, &target,
                                static_cast<int32_t>(array.shape.size()), array.shape.data(),
                                array.bytes.data(), array.bytes.size(), &out));
  return Tensor(out);
}

std::vector<float> DeviceSession::floats(const Tensor& x) const {
  const Array array = contents_of(*this, x.get());
  EXPECT_EQ(array.dtype, TENON_DTYPE_F32);
  std::vector<float> values(array.count());
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

double DeviceSession::item(const Tensor& x) const {
  tenon_value value{};
  must(tenon_tensor_get_item(*this, x.get(), &value));
  return value.tag == TENON_VALUE_F64 ? value.as.f64 : static_cast<double>(value.as.i64);
}

void DeviceSession::inject(const tenon_device& target, const char* what, int64_t after,
                           int64_t count, int64_t microseconds) const {
  must(tenon_context_set_device(*this, &target));
  enact("sim.inject", {{"what", text_value(what)},
                       {"after", int_value(after)},
                       {"count", int_value(count)},
                       {"microseconds", int_value(microseconds)}});
  must(tenon_context_set_device(*this, nullptr));
}

int64_t DeviceSession::live(const tenon_device& target, const char* what) const {
  must(tenon_context_set_device(*this, &target));
  const Tensor count = call("sim.live", {}, {{"what", text_value(what)}});
  must(tenon_context_set_device(*this, nullptr));
  return static_cast<int64_t>(item(count));
}

Json DeviceSession::device_json(const char* kind) const {
  for (const Json& entry : query("devices")) {
    if (entry.at("kind") == kind) return entry;
  }
  ADD_FAILURE() << "no device " << kind;
  return {};
}

PlacedApart::PlacedApart(const Session& session, const tenon_device& device, const Array& array,
                         Layout layout) {
  const auto [strides, span] = strides_of(array.shape, layout);
  int64_t low = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    low += std::min<int64_t>(0, strides[d] * (array.shape[d] - 1));
  }
  const int64_t total = span + 2;
  tenon_tensor* made = nullptr;
  session.must(tenon_tensor_create(session, array.dtype, &device, 1, &total, &made));
  base_.reset(made);
  const bool inner = layout == Layout::Offset || layout == Layout::Gapped;
  session.must(tenon_tensor_create_view(
      session, base_.get(), static_cast<int32_t>(array.shape.size()), array.shape.data(),
      strides.data(), array.count() == 0 ? 0 : (inner ? 1 : 0) - low, &made));
  view_.reset(made);
  session.must(tenon_tensor_set_data(session, made, array.bytes.data(), array.bytes.size()));
}

}  // namespace tenon::tests
