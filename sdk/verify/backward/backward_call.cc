// SPDX-License-Identifier: Apache-2.0
// sdk/verify/backward/backward_call.cc: see backward_call.h.
#include "backward/backward_call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace tenon::verify {

std::span<const Layout> Pass::operand_layouts() const {
  return std::span(layouts).first(arrays.size());
}

std::span<const Layout> Pass::incoming_layouts() const {
  return std::span(layouts).subspan(arrays.size());
}

uint32_t Pass::n_outputs() const {
  uint32_t count = call->n_plain_outputs;
  for (uint32_t i = count; i < has_incoming.size(); ++i) {
    if (has_incoming[i]) count = i + 1;
  }
  return count;
}

std::vector<Layout> Pass::case_layouts() const {
  std::vector<Layout> stated(layouts.begin(),
                             layouts.begin() + static_cast<ptrdiff_t>(arrays.size()));
  for (size_t i = 0; i < incoming.size(); ++i) {
    if (has_incoming[i]) stated.push_back(layouts[arrays.size() + i]);
  }
  return stated;
}

namespace {

Layout plain_layout(const Shape& shape) {
  if (shape.empty()) return Layout::RankZero;
  return std::count(shape.begin(), shape.end(), 0) ? Layout::SizeZero : Layout::Contiguous;
}

struct Output {
  Shape shape;
  std::string dtype;
  bool aux = false;
};

// What a dry call says of its outputs; nothing if it would be refused. Sizes that data decide
// are those of a call that is made.
std::optional<std::vector<Output>> outputs_of(const Session& session, const SampleCall& call,
                                              const tenon_device& device) {
  const Json answer = explained(session, call, device);
  if (!answer.is_object() || !answer.contains("outputs")) return std::nullopt;
  std::vector<Output> made;
  for (const Json& each : answer.at("outputs")) {
    if (!each.at("shape").is_array()) return std::nullopt;
    made.push_back({each.at("shape").get<Shape>(), each.at("dtype"), each.at("aux")});
  }
  if (call.op->has_flag("dynamic-out")) {
    const Outcome outcome = outcome_of(session, call, device);
    if (outcome.status != TENON_OK) return std::nullopt;
    for (size_t i = 0; i < made.size(); ++i) made[i].shape = outcome.results[i].shape;
  }
  return made;
}

tenon_dtype float_named(const std::string& name) {
  for (const tenon_dtype dtype :
       {TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64}) {
    if (dtype_name(dtype) == name) return dtype;
  }
  return TENON_DTYPE_NONE;
}

Array drawn_incoming(tenon_dtype dtype, const Shape& shape, uint64_t seed, uint64_t number) {
  Array array = make_array(dtype, shape);
  for (size_t i = 0; i < array.count(); ++i) {
    array.set(i, 2 * sdk::drawn_unit(seed, number, i) - 1);
  }
  return array;
}

}  // namespace

std::vector<Layout> plain_layouts(const Pass& pass) {
  std::vector<Layout> layouts;
  for (const Array& array : pass.arrays) layouts.push_back(plain_layout(array.shape));
  for (const Array& array : pass.incoming) layouts.push_back(plain_layout(array.shape));
  return layouts;
}

std::optional<SampleCall> f64_call(const Entry& op, const SampleText& sample, uint64_t seed) {
  std::optional<SampleCall> written = make_call(op, sample, "", "", seed);
  std::set<std::string> floats;
  for (const Array& array : written->arrays) {
    if (sdk::is_float(array.dtype)) floats.insert(dtype_name(array.dtype));
  }
  if (floats.size() != 1) return std::nullopt;
  if (*floats.begin() == "f64") return written;
  return make_call(op, sample, *floats.begin(), "f64", seed);
}

std::optional<Pass> make_pass(const Session& session, const SampleCall& call,
                              const tenon_device& device, uint64_t seed) {
  Pass pass;
  pass.call = &call;
  pass.arrays = call.arrays;
  for (size_t i = 0; i < call.arrays.size(); ++i) {
    pass.wanted.push_back(sdk::is_float(call.arrays[i].dtype) && !call.mutated[i]);
  }
  if (std::count(pass.wanted.begin(), pass.wanted.end(), true) == 0) return std::nullopt;
  const auto outputs = outputs_of(session, call, device);
  if (!outputs) return std::nullopt;
  for (const Output& output : *outputs) {
    const tenon_dtype dtype = float_named(output.dtype);
    pass.has_incoming.push_back(dtype != TENON_DTYPE_NONE && !output.aux);
    // Numbers of tensors that no call of at most 64 operands has.
    pass.incoming.push_back(
        dtype == TENON_DTYPE_NONE
            ? Array{TENON_DTYPE_NONE, {}, {}}
            : drawn_incoming(dtype, output.shape, seed, uint64_t{1000} + pass.incoming.size()));
  }
  if (std::count(pass.has_incoming.begin(), pass.has_incoming.end(), true) == 0) {
    return std::nullopt;
  }
  pass.layouts = plain_layouts(pass);
  return pass;
}

std::optional<Pass> widened(const Session& session, const Pass& pass, SampleCall& call,
                            const tenon_device& device) {
  call = *pass.call;
  const auto widen = [](sdk::SampleTensor& tensor) {
    if (float_named(tensor.dtype) != TENON_DTYPE_NONE) tensor.dtype = "f64";
  };
  for (sdk::SampleInput& input : call.sample.inputs) {
    if (input.kind == sdk::SampleInput::Kind::Tensor) widen(input.tensor);
    for (sdk::SampleTensor& tensor : input.list) widen(tensor);
  }
  for (Array& array : call.arrays) {
    if (sdk::is_float(array.dtype)) array = converted(array, TENON_DTYPE_F64);
  }
  std::optional<Pass> wide = make_pass(session, call, device, 0);
  if (!wide || wide->incoming.size() != pass.incoming.size()) return std::nullopt;
  for (size_t i = 0; i < pass.incoming.size(); ++i) {
    if (!pass.has_incoming[i]) continue;
    if (wide->incoming[i].shape != pass.incoming[i].shape) return std::nullopt;
    wide->incoming[i] = converted(pass.incoming[i], wide->incoming[i].dtype);
  }
  wide->wanted = pass.wanted;
  return wide;
}

tenon_device host_of(const Session& session) {
  tenon_device host{};
  session.check(tenon_device_find(session.context(), "", 0, 0, &host));
  return host;
}

uint32_t tensor_flags(const Session& session, const tenon_tensor* tensor) {
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  session.check(tenon_tensor_get_info(session.context(), tensor, &info));
  return info.flags;
}

std::string operand_name(const SampleCall& call, size_t index) {
  const std::string name = "operand " + std::to_string(index);
  const std::vector<tools::Operand>& inputs = call.op->signature.inputs;
  const uint32_t slot = call.slot[index];
  return slot < inputs.size() ? name + " (" + inputs[slot].name + ")" : name;
}

std::optional<Array> held_gradient(const Session& session, tenon_tensor* leaf, const Array& like) {
  tenon_tensor* dense = nullptr;
  const tenon_status status = tenon_tensor_get_grad(session.context(), leaf, &dense);
  if (status != TENON_E_ROWS) {
    session.check(status);
    if (!dense) return std::nullopt;
    return contents_of(session, dense);
  }
  tenon_tensor* indices = nullptr;
  tenon_tensor* values = nullptr;
  session.check(tenon_tensor_get_grad_rows(session.context(), leaf, &indices, &values));
  Array grad = make_array(like.dtype, like.shape);
  if (!indices || !values || grad.bytes.empty()) return grad;
  const Array rows = contents_of(session, indices);
  const Array given = contents_of(session, values);
  const size_t row_bytes = grad.bytes.size() / static_cast<size_t>(grad.shape[0]);
  for (size_t r = 0; r < rows.count(); ++r) {
    const auto row = static_cast<size_t>(rows.at(r));
    std::memcpy(grad.bytes.data() + row * row_bytes, given.bytes.data() + r * row_bytes, row_bytes);
  }
  return grad;
}

namespace {

using PlacedList = std::vector<std::unique_ptr<Placed>>;

void blame(Gradients& result, const Cause& cause, const std::string& words) {
  if (result.broken) return;
  result.broken = &cause;
  result.broken_words = words;
}

// Operands and incoming gradients hold what they held, and so do the bytes around them.
void check_unchanged(Gradients& result, const Pass& pass, const Bound& bound,
                     const PlacedList& seeds) {
  for (size_t i = 0; i < pass.arrays.size(); ++i) {
    const Placed& placed = *bound.tensors()[i];
    const std::string name = operand_name(*pass.call, i);
    if (!placed.outside_untouched()) {
      blame(result, causes::kOverrun, "backward wrote outside of " + name);
    }
    if (pass.between || pass.call->mutated[i]) continue;
    const auto changed = compare(result.arrays[i], placed.read());
    if (changed) {
      blame(result, causes::kInputChanged, "backward changed " + name + ": " + changed->words);
    }
  }
  for (size_t i = 0; i < seeds.size(); ++i) {
    if (!seeds[i]) continue;
    const std::string name = "the incoming gradient of output " + std::to_string(i);
    if (!seeds[i]->outside_untouched()) {
      blame(result, causes::kOverrun, "backward wrote outside of " + name);
    }
    if (const auto changed = compare(result.incoming[i], seeds[i]->read())) {
      blame(result, causes::kGradientChangesSeed,
            "backward changed " + name + ": " + changed->words);
    }
  }
}

Gradients& failed(Gradients& result, const Session& session, Gradients::Stage stage,
                  tenon_status status) {
  result.stage = stage;
  result.status = status;
  result.words = failure_of(session, status);
  return result;
}

// tenon_gradient_call for the outputs that lead to an operand.
tenon_status run_backward(const Session& session, Gradients& result, const Pass& pass,
                          const Bound& bound, std::span<const Tensor> outputs,
                          const PlacedList& seeds) {
  std::vector<tenon_tensor*> roots, incoming, inputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!seeds[i] || !(tensor_flags(session, outputs[i].get()) & TENON_TENSOR_REQUIRES_GRAD)) {
      continue;
    }
    roots.push_back(outputs[i].get());
    incoming.push_back(seeds[i]->get());
  }
  result.of.resize(pass.arrays.size());
  result.recorded = !roots.empty();
  if (!result.recorded) return TENON_OK;
  for (size_t i = 0; i < pass.arrays.size(); ++i) {
    if (pass.wanted[i]) inputs.push_back(bound.handle(i));
  }
  std::vector<tenon_tensor*> grads(inputs.size(), nullptr);
  const tenon_status status = tenon_gradient_call(
      session.context(), roots.data(), incoming.data(), static_cast<uint32_t>(roots.size()),
      inputs.data(), static_cast<uint32_t>(inputs.size()), 0, grads.data());
  if (status != TENON_OK) return status;
  size_t next = 0;
  for (size_t i = 0; i < pass.arrays.size(); ++i) {
    if (!pass.wanted[i]) continue;
    const Tensor grad(grads[next++]);
    if (grad) result.of[i] = contents_of(session, grad.get());
  }
  return TENON_OK;
}

}  // namespace

Gradients run_pass(const Session& session, const Pass& pass, const tenon_device& device) {
  Gradients result;
  const Bound bound(session, *pass.call, pass.arrays, pass.operand_layouts(), device);
  for (size_t i = 0; i < pass.arrays.size(); ++i) {
    const bool merged = overlaps_itself(pass.layouts[i]);
    result.arrays.push_back(merged ? bound.tensors()[i]->read() : pass.arrays[i]);
    if (pass.wanted[i]) {
      session.check(tenon_tensor_set_requires_grad(session.context(), bound.handle(i), 1));
    }
  }
  PlacedList seeds(pass.incoming.size());
  for (size_t i = 0; i < pass.incoming.size(); ++i) {
    if (pass.has_incoming[i]) {
      seeds[i] =
          std::make_unique<Placed>(session, pass.incoming[i], pass.incoming_layouts()[i], device);
    }
    const bool merged = seeds[i] && overlaps_itself(seeds[i]->layout());
    result.incoming.push_back(merged ? seeds[i]->read() : pass.incoming[i]);
  }
  std::vector<Tensor> outputs;
  tenon_status status = call(session, *pass.call, bound, pass.n_outputs(), outputs);
  if (status != TENON_OK) return failed(result, session, Gradients::Stage::Forward, status);
  if (pass.between) pass.between(bound, outputs);
  status = run_backward(session, result, pass, bound, outputs, seeds);
  if (status != TENON_OK) return failed(result, session, Gradients::Stage::Backward, status);
  check_unchanged(result, pass, bound, seeds);
  return result;
}

namespace {

// The outputs at any point, NaN if the op refuses the point's numbers; operands are written only
// if they changed.
class Evaluated {
 public:
  Evaluated(const Session& session, const Pass& pass, const tenon_device& device, Point at)
      : session_(session),
        call_(*pass.call),
        has_result_(pass.has_incoming),
        n_outputs_(pass.n_outputs()),
        bound_(session, call_, pass.arrays, plain_layouts(pass), device),
        now_(std::move(at)) {
    for (size_t i = 0; i < pass.incoming.size(); ++i) {
      if (has_result_[i]) n_results_ += pass.incoming[i].count();
    }
  }

  Vector operator()(const Point& point) {
    for (size_t i = 0; i < point.size(); ++i) {
      if (point[i] == now_[i]) continue;
      Array array = make_array(TENON_DTYPE_F64, call_.arrays[i].shape);
      std::memcpy(array.bytes.data(), point[i].data(), array.bytes.size());
      bound_.tensors()[i]->write(array);
      now_[i] = point[i];
    }
    std::vector<Tensor> outputs;
    tenon_status status = call(session_, call_, bound_, n_outputs_, outputs);
    // Devices may find bad data only while they run.
    if (status == TENON_OK) status = tenon_device_wait(session_.context(), nullptr);
    if (status == TENON_E_DATA) return Vector(n_results_, std::nan(""));
    session_.check(status);
    Vector results;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!has_result_[i]) continue;
      const Vector values = values_of(contents_of(session_, outputs[i].get()));
      results.insert(results.end(), values.begin(), values.end());
    }
    return results;
  }

 private:
  const Session& session_;
  SampleCall call_;
  std::vector<bool> has_result_;
  uint32_t n_outputs_;
  size_t n_results_ = 0;
  Bound bound_;
  Point now_;
};

}  // namespace

std::optional<Differentiable> differentiable(const Session& session, const Pass& pass,
                                             const tenon_device& device) {
  Differentiable made;
  for (size_t i = 0; i < pass.arrays.size(); ++i) {
    if (pass.wanted[i] && pass.arrays[i].dtype != TENON_DTYPE_F64) return std::nullopt;
    made.at.push_back(pass.wanted[i] ? values_of(pass.arrays[i]) : Vector{});
  }
  for (size_t i = 0; i < pass.incoming.size(); ++i) {
    if (!pass.has_incoming[i]) continue;
    if (pass.incoming[i].dtype != TENON_DTYPE_F64) return std::nullopt;
    const Vector values = values_of(pass.incoming[i]);
    made.weights.insert(made.weights.end(), values.begin(), values.end());
  }
  made.f = [evaluated = std::make_shared<Evaluated>(session, pass, device, made.at)](
               const Point& point) { return (*evaluated)(point); };
  return made;
}

Point point_of(const Gradients& gradients, const Point& at) {
  Point point(at.size());
  for (size_t i = 0; i < at.size(); ++i) {
    const bool given = i < gradients.of.size() && gradients.of[i];
    point[i] = given ? values_of(*gradients.of[i]) : Vector(at[i].size(), 0.0);
  }
  return point;
}

}  // namespace tenon::verify
