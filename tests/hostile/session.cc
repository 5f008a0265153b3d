// SPDX-License-Identifier: Apache-2.0
// tests/hostile/session.cc: see session.h.
#include "session.h"

#include <tenon/ext/draft/loaders.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tenon::tests {
namespace {

constexpr std::array<int64_t, 2> kShape = {2, 3};
constexpr size_t kElements = 6;

struct CallFailed {
  tenon_status status;
};

void check(tenon_status status) {
  if (status != TENON_OK) throw CallFailed{status};
}

tenon_value value_of(tenon_tensor* tensor) {
  tenon_value value{};
  value.tag = TENON_VALUE_TENSOR;
  value.as.tensor = tensor;
  return value;
}

}  // namespace

Session::Session(const std::vector<std::string>& paths, uint32_t policy, bool environment) {
  std::vector<tenon_string> folders;
  for (const std::string& path : paths) folders.push_back({path.data(), path.size()});
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
  if (!environment) options.flags |= TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = folders.data();
  options.n_paths = static_cast<uint32_t>(folders.size());
  options.policy = policy;
  options.threads = 1;
  tenon_diag diag{};
  if (tenon_runtime_create(&options, &diag, &runtime_) != TENON_OK ||
      tenon_context_create(runtime_, &diag, &context_) != TENON_OK) {
    throw std::runtime_error(std::string("no runtime: ") + diag.message);
  }
}

Session::~Session() {
  tenon_context_release(context_);
  tenon_runtime_release(runtime_);
}

std::string Session::error() {
  tenon_error record{};
  record.struct_size = sizeof record;
  tenon_context_get_error(context_, &record);
  return record.message;
}

nlohmann::json Session::query(const std::string& topic) {
  return nlohmann::json::parse(query_text(topic));
}

std::string Session::query_text(const std::string& topic) {
  tenon_text* text = nullptr;
  if (tenon_runtime_query(context_, topic.data(), topic.size(), &text) != TENON_OK) {
    throw std::runtime_error("query of " + topic + ": " + error());
  }
  const char* data = nullptr;
  uint64_t length = 0;
  tenon_text_get(text, &data, &length);
  std::string content(data, length);
  tenon_text_release(text);
  return content;
}

tenon_tensor* Session::ones(const tenon_device* device) {
  std::array<float, kElements> data{};
  data.fill(1);
  tenon_tensor* tensor = nullptr;
  check(tenon_tensor_create_from(context_, TENON_DTYPE_F32, device, 2, kShape.data(), data.data(),
                                 sizeof data, &tensor));
  tensors_.push_back(tensor);
  return tensor;
}

void Session::need_op(const std::string& name, bool backward) {
  const tenon_op* op = nullptr;
  check(tenon_op_find(context_, name.data(), name.size(), 0, &op));
  tenon_tensor* x = ones(nullptr);
  if (backward) check(tenon_tensor_set_requires_grad(context_, x, 1));
  const tenon_value input = value_of(x);
  tenon_tensor* y = nullptr;
  check(tenon_op_call(context_, op, &input, 1, nullptr, 0, &y, 1));
  tensors_.push_back(y);
  if (!backward) return;
  tenon_tensor* seed = ones(nullptr);
  check(tenon_backward_run(context_, &y, &seed, 1, 0));
}

void Session::need_device(const std::string& kind) {
  tenon_device device{};
  check(tenon_device_find(context_, kind.data(), kind.size(), 0, &device));
  tenon_tensor* tensor = ones(&device);
  std::array<float, kElements> data{};
  check(tenon_tensor_get_data(context_, tensor, data.data(), sizeof data));
  if (data[kElements - 1] != 1) throw std::runtime_error("device " + kind + " lost data");
}

void Session::need_optimizer(const std::string& name) {
  tenon_tensor* parameter = ones(nullptr);
  check(tenon_tensor_set_requires_grad(context_, parameter, 1));
  tenon_optimizer* optimizer = nullptr;
  check(tenon_optimizer_create(context_, name.data(), name.size(), &parameter, 1, nullptr, nullptr,
                               0, &optimizer));
  tenon_optimizer_release(optimizer);
}

void Session::need_dataset(const std::string& name) {
  tenon_dataset* dataset = nullptr;
  check(tenon_dataset_create(context_, name.data(), name.size(), nullptr, nullptr, 0, &dataset));
  int64_t length = 0;
  const int64_t first = 0;
  tenon_tensor* field = nullptr;
  tenon_status status = tenon_dataset_get_length(context_, dataset, &length);
  if (status == TENON_OK) status = tenon_dataset_call(context_, dataset, &first, 1, &field, 1);
  tenon_tensor_release(field);
  std::array<int64_t, 3> lengths{};
  if (status == TENON_OK) {
    const auto count = std::min<int64_t>(length, lengths.size());
    status = tenon_dataset_get_lengths(context_, dataset, 0, count, lengths.data());
    if (status == TENON_E_UNSUPPORTED) status = TENON_OK;
  }
  tenon_dataset_release(dataset);
  check(status);
}

bool Session::need(const std::string& what, std::string& message) {
  const std::string kind = what.substr(0, what.find(' '));
  const std::string name = what.substr(what.find(' ') + 1);
  tenon_status status = TENON_OK;
  try {
    if (kind == "op" || kind == "backward") {
      need_op(name, kind == "backward");
    } else if (kind == "device") {
      need_device(name);
    } else if (kind == "optimizer") {
      need_optimizer(name);
    } else if (kind == "dataset") {
      need_dataset(name);
    } else if (kind == "dispatch") {
      add_ones();
    } else {
      throw std::runtime_error("unknown need: " + what);
    }
  } catch (const CallFailed& failed) {
    status = failed.status;
    message = std::string(tenon_status_get_name(status)) + " " + error();
  }
  for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
  tensors_.clear();
  return status == TENON_OK;
}

void Session::add_ones() {
  const tenon_op* add = nullptr;
  tenon_tensor* sum = nullptr;
  std::array<float, kElements> data{};
  try {
    check(tenon_op_find(context_, "tenon.add", TENON_NUL, 0, &add));
    const tenon_value both[2] = {value_of(ones(nullptr)), value_of(ones(nullptr))};
    check(tenon_op_call(context_, add, both, 2, nullptr, 0, &sum, 1));
    tensors_.push_back(sum);
    check(tenon_tensor_get_data(context_, sum, data.data(), sizeof data));
  } catch (const CallFailed&) {
    throw std::runtime_error("a good plugin does not work: " + error());
  }
  if (data[0] != 2) throw std::runtime_error("a good plugin adds wrongly");
  for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
  tensors_.clear();
}

}  // namespace tenon::tests
