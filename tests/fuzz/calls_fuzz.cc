// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/calls_fuzz.cc: libFuzzer target for sequences of API calls over every registered op:
// live, released, wrong and NULL handles, any shapes, strides, dtypes and attributes. No call
// crashes or goes on for ever, a failing one writes nothing, and in the end nothing is left.
#include <tenon/tenon.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Made once, like a program would.
struct Program {
  Program() {
    const std::string plugins = tenon::tests::plugin_dir();
    const tenon_string path = {plugins.data(), plugins.size()};
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
    options.policy = TENON_POLICY_ANY;
    options.paths = &path;
    options.n_paths = 1;
    options.threads = 1;
    options.memory_limit = 1 << 22;
    require(tenon_runtime_create(&options, nullptr, &runtime) == TENON_OK);
    require(tenon_context_create(runtime, nullptr, &looker) == TENON_OK);
    tenon_text* text = nullptr;
    require(tenon_runtime_query(looker, "ops", TENON_NUL, &text) == TENON_OK);
    const char* data = nullptr;
    require(tenon_text_get(text, &data, nullptr) == TENON_OK);
    for (const auto& entry : nlohmann::json::parse(data)) {
      const std::string name = entry.at("name");
      const tenon_op* op = nullptr;
      require(tenon_op_find(looker, name.data(), name.size(), 0, &op) == TENON_OK);
      ops.push_back(op);
    }
    tenon_text_release(text);
    require(ops.size() > 30);
  }
  tenon_runtime* runtime = nullptr;
  tenon_context* looker = nullptr;  // for what must not disturb the fuzzed context
  std::vector<const tenon_op*> ops;
};

// The input, byte by byte; zeros after its end.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  uint8_t next() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  uint32_t below(uint32_t bound) { return next() % bound; }
  int64_t number() {
    static constexpr int64_t kSpecial[] = {INT64_MIN, INT64_MAX, INT32_MAX, int64_t{1} << 32, -1};
    const uint8_t byte = next();
    if (byte >= 250) return kSpecial[byte - 250 < 5 ? byte - 250 : 0];
    return int64_t{byte} % 9 - 3;
  }
  double real() {
    uint64_t bits = 0;
    const uint8_t byte = next();
    if (byte < 200) return (byte - 100) / 8.0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | next();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

constexpr tenon_dtype kDtypes[] = {TENON_DTYPE_F32,
                                   TENON_DTYPE_F64,
                                   TENON_DTYPE_BOOL,
                                   TENON_DTYPE_U8,
                                   TENON_DTYPE_I8,
                                   TENON_DTYPE_I16,
                                   TENON_DTYPE_I32,
                                   TENON_DTYPE_I64,
                                   TENON_DTYPE_F16,
                                   TENON_DTYPE_BF16,
                                   0,
                                   0xffffffffu};
constexpr size_t kMaxTensors = 12;
constexpr int64_t kMaxElements = 4096;

class Session {
 public:
  Session(Program& program, Bytes bytes) : program_(program), bytes_(bytes) {
    require(tenon_context_create(program.runtime, nullptr, &cx_) == TENON_OK);
  }
  ~Session() {
    tenon_plan_release(plan_);
    tenon_optimizer_release(optimizer_);
    for (tenon_tensor* tensor : live_) drop(tensor);
    tenon_context_release(cx_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    for (int step = 0; step < 64 && !bytes_.empty(); ++step) act();
    // A capture that was never ended goes with its context.
  }

 private:
  void act() {
    switch (bytes_.below(20)) {
      case 0:
      case 1:
        return create();
      case 2:
        return view();
      case 3:
        return release();
      case 4:
        return apply();
      case 5:
        return backward();
      case 6:
        return capture();
      case 7:
        return optimize();
      case 8:
        return look();
      case 9:
        return explain();
      default:
        return call();
    }
  }

  void check(tenon_status status) {
    require(status >= TENON_OK && status <= TENON_E_PEER && status != TENON_E_INTERNAL);
    if (status == TENON_OK || status == TENON_E_HANDLE) return;
    tenon_error error{};
    error.struct_size = sizeof error;
    require(tenon_context_get_error(cx_, &error) == TENON_OK && error.message[0] != 0);
  }

  // Any handle: mostly a live tensor, sometimes a released one, another kind, or NULL.
  tenon_tensor* any() {
    const uint8_t byte = bytes_.next();
    if (byte >= 250 && !stale_.empty()) return stale_[byte % stale_.size()];
    if (byte == 249) return reinterpret_cast<tenon_tensor*>(cx_);
    if (byte == 248 || live_.empty()) return nullptr;
    return live_[byte % live_.size()];
  }

  void keep(tenon_tensor* tensor) {
    if (!tensor) return;
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    require(tenon_tensor_get_info(program_.looker, tensor, &info) == TENON_OK);
    // Without memory of its own a tensor may be of any size; kernels would take as long.
    if (info.elements > kMaxElements || live_.size() == kMaxTensors) {
      return tenon_tensor_release(tensor);
    }
    live_.push_back(tensor);
  }

  // Two tensors may have been made each other's gradients.
  void drop(tenon_tensor* tensor) {
    check(tenon_tensor_set_grad(cx_, tensor, nullptr));
    tenon_tensor_release(tensor);
  }

  void create() {
    int64_t shape[4];
    const int32_t rank = static_cast<int32_t>(bytes_.below(5)) - (bytes_.below(50) == 0 ? 1 : 0);
    for (int64_t& size : shape) size = bytes_.below(30) ? bytes_.below(5) : bytes_.number();
    unsigned char data[2048];
    for (unsigned char& byte : data) byte = 0x3C;  // small numbers in every dtype
    for (int i = 0; i < 16; ++i) data[bytes_.next() * 4] = bytes_.next();
    const tenon_dtype dtype = kDtypes[bytes_.below(std::size(kDtypes))];
    uint64_t bytes = (dtype >> 8 & 0xff) / 8;
    for (int32_t i = 0; i < rank; ++i) bytes *= static_cast<uint64_t>(shape[i]);
    tenon_tensor* made = nullptr;
    check(bytes <= sizeof data
              ? tenon_tensor_create_from(cx_, dtype, nullptr, rank, shape, data, bytes, &made)
              : tenon_tensor_create(cx_, dtype, nullptr, rank, shape, &made));
    if (made && bytes_.below(3) == 0) check(tenon_tensor_set_requires_grad(cx_, made, 1));
    keep(made);
  }

  void view() {
    int64_t shape[3];
    int64_t strides[3];
    for (int64_t& size : shape) size = bytes_.number();
    for (int64_t& stride : strides) stride = bytes_.number();
    tenon_tensor* made = nullptr;
    check(tenon_tensor_create_view(cx_, any(), static_cast<int32_t>(bytes_.below(4)), shape,
                                   strides, bytes_.number(), &made));
    keep(made);
  }

  void release() {
    if (live_.empty()) return;
    const size_t which = bytes_.next() % live_.size();
    stale_.push_back(live_[which]);
    drop(live_[which]);
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  tenon_value value(bool attribute) {
    tenon_value out{};
    const uint8_t byte = bytes_.next();
    if (!attribute && byte < 200) {
      out.tag = TENON_VALUE_TENSOR;
      out.as.tensor = any();
      return out;
    }
    out.tag = byte % 10;  // 9 is not a tag
    switch (out.tag) {
      case TENON_VALUE_TENSOR:
        out.as.tensor = any();
        break;
      case TENON_VALUE_TENSOR_LIST: {
        auto& list = lists_.emplace_back();
        for (uint32_t i = bytes_.below(4); i > 0; --i) list.push_back(any());
        out.count = static_cast<uint32_t>(list.size());
        out.as.tensors = list.data();
        break;
      }
      case TENON_VALUE_F64:
        out.as.f64 = bytes_.real();
        break;
      case TENON_VALUE_STRING:
        out.count = bytes_.below(4);
        out.as.string = bytes_.below(9) ? "cpu" : nullptr;
        break;
      case TENON_VALUE_INT_LIST: {
        auto& list = ints_.emplace_back();
        for (uint32_t i = bytes_.below(10); i > 0; --i) list.push_back(bytes_.number());
        out.count = static_cast<uint32_t>(list.size());
        out.as.ints = list.data();
        break;
      }
      case TENON_VALUE_DTYPE:
        out.as.dtype = kDtypes[bytes_.below(std::size(kDtypes))];
        break;
      default:
        out.as.i64 = bytes_.number();
        break;
    }
    return out;
  }

  struct Operands {
    const tenon_op* op;
    std::vector<tenon_value> inputs;
    std::vector<tenon_value> attrs;
    uint32_t n_outputs;
  };

  // As the op wants them, or now and then as it does not.
  Operands operands() {
    lists_.clear();
    ints_.clear();
    Operands out{program_.ops[bytes_.next() % program_.ops.size()], {}, {}, 0};
    tenon_op_info info{};
    info.struct_size = sizeof info;
    require(tenon_op_get_info(program_.looker, out.op, &info) == TENON_OK);
    const bool odd = bytes_.below(40) == 0;
    const uint32_t inputs = odd ? bytes_.below(6) : info.n_inputs;
    const uint32_t attrs = odd ? bytes_.below(6) : bytes_.below(info.n_attrs + 1);
    out.n_outputs = odd ? bytes_.below(4) : info.n_outputs;
    for (uint32_t i = 0; i < inputs; ++i) out.inputs.push_back(value(false));
    for (uint32_t i = 0; i < attrs; ++i) out.attrs.push_back(value(true));
    return out;
  }

  void call() {
    const Operands with = operands();
    tenon_tensor* untouched = reinterpret_cast<tenon_tensor*>(this);
    std::vector<tenon_tensor*> made(8, untouched);
    const tenon_status status = tenon_op_call(
        cx_, with.op, with.inputs.data(), static_cast<uint32_t>(with.inputs.size()),
        with.attrs.data(), static_cast<uint32_t>(with.attrs.size()), made.data(), with.n_outputs);
    check(status);
    for (size_t i = 0; i < made.size(); ++i) {
      const bool out = status == TENON_OK && i < with.n_outputs;
      require(out || made[i] == untouched);
      if (out) keep(made[i]);
    }
  }

  void apply() {
    const Operands with = operands();
    std::vector<tenon_tensor*> outputs;
    for (uint32_t i = 0; i < with.n_outputs; ++i) outputs.push_back(any());
    check(tenon_op_call_into(cx_, with.op, with.inputs.data(),
                             static_cast<uint32_t>(with.inputs.size()), with.attrs.data(),
                             static_cast<uint32_t>(with.attrs.size()), outputs.data(),
                             with.n_outputs));
  }

  void explain() {
    const Operands with = operands();
    tenon_text* text = nullptr;
    check(tenon_op_explain(cx_, with.op, with.inputs.data(),
                           static_cast<uint32_t>(with.inputs.size()), with.attrs.data(),
                           static_cast<uint32_t>(with.attrs.size()), &text));
    tenon_text_release(text);
  }

  void backward() {
    tenon_tensor* root = any();
    tenon_tensor* seed = any();
    const uint32_t flags = bytes_.below(5);
    if (bytes_.below(2)) return check(tenon_backward_run(cx_, &root, &seed, 1, flags));
    tenon_tensor* input = any();
    tenon_tensor* grad = nullptr;
    check(tenon_gradient_call(cx_, &root, &seed, 1, &input, 1, flags, &grad));
    keep(grad);
  }

  void capture() {
    tenon_tensor* input = any();
    switch (bytes_.below(4)) {
      case 0:
        return check(tenon_capture_begin(cx_, &input, bytes_.below(2)));
      case 1: {
        tenon_plan* made = nullptr;
        check(tenon_capture_end(cx_, &made));
        if (!made) return;
        tenon_plan_release(plan_);
        plan_ = made;
        return;
      }
      case 2:
        return check(tenon_plan_set(cx_, plan_, bytes_.below(2), input));
      default:
        return check(tenon_plan_run(cx_, plan_));
    }
  }

  void optimize() {
    tenon_tensor* params[] = {any(), any()};
    static constexpr const char* kNames[] = {"tenon.sgd", "tenon.adam", "tenon.adamw", "tenon.no"};
    switch (bytes_.below(4)) {
      case 0: {
        tenon_optimizer* made = nullptr;
        check(tenon_optimizer_create(cx_, kNames[bytes_.below(4)], TENON_NUL, params,
                                     bytes_.below(3), nullptr, nullptr, 0, &made));
        if (!made) return;
        tenon_optimizer_release(optimizer_);
        optimizer_ = made;
        return;
      }
      case 1: {
        const tenon_value rate = value(true);
        return check(tenon_optimizer_set(cx_, optimizer_, "lr", TENON_NUL, &rate));
      }
      case 2:
        return check(tenon_tensor_set_grad(cx_, params[0], params[1]));
      default:
        return check(tenon_optimizer_run(cx_, optimizer_, bytes_.below(3)));
    }
  }

  void look() {
    tenon_tensor* tensor = any();
    switch (bytes_.below(7)) {
      case 0: {
        tenon_text* text = nullptr;
        check(tenon_tensor_get_text(cx_, tensor, bytes_.below(3), &text));
        return tenon_text_release(text);
      }
      case 1: {
        tenon_value item{};
        return check(tenon_tensor_get_item(cx_, tensor, &item));
      }
      case 2: {
        unsigned char data[64] = {};
        return check(tenon_tensor_set_data(cx_, tensor, data, bytes_.below(65)));
      }
      case 3: {
        tenon_tensor* made = nullptr;
        check(tenon_tensor_create_detached(cx_, tensor, &made));
        return keep(made);
      }
      case 4:
        return check(tenon_grad_begin(cx_, bytes_.below(3)));
      case 5:
        return check(tenon_grad_end(cx_));
      default:
        return check(tenon_tensor_set_requires_grad(cx_, tensor, bytes_.below(2)));
    }
  }

  Program& program_;
  Bytes bytes_;
  tenon_context* cx_ = nullptr;
  tenon_plan* plan_ = nullptr;
  tenon_optimizer* optimizer_ = nullptr;
  std::vector<tenon_tensor*> live_;
  std::vector<tenon_tensor*> stale_;
  std::vector<std::vector<tenon_tensor*>> lists_;
  std::vector<std::vector<int64_t>> ints_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Program& program = *new Program;
  Session(program, Bytes(data, size)).run();
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  require(tenon_runtime_get_stats(program.looker, &stats) == TENON_OK);
  require(stats.tensors == 0 && stats.storages == 0 && stats.plans == 0 && stats.bytes_live == 0);
  return 0;
}
