// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/training.cc: see training.h.
#include "case/training.h"

#include <cstdlib>
#include <stdexcept>

#include "case/sample_call.h"

namespace tenon::verify {

std::vector<RunSample> samples_of(const Json& samples, const std::string& optimizer,
                                  uint64_t seed) {
  std::vector<RunSample> list;
  for (const Json& entry : samples) {
    if (entry.at("optimizer") != optimizer) continue;
    RunSample sample;
    sample.number = static_cast<uint32_t>(list.size());
    sample.text = entry.at("text");
    sample.fragment = entry.at("fragment");
    sample.expect = entry.at("expect");
    sample.steps = entry.at("steps");
    try {
      sample.parsed = sdk::parse_sample(sample.text);
    } catch (const std::runtime_error& error) {
      throw Failure{optimizer + ", sample \"" + sample.text + "\": " + error.what()};
    }
    for (const sdk::SampleInput& input : sample.parsed.inputs) {
      if (input.kind != sdk::SampleInput::Kind::Tensor) {
        throw Failure{optimizer + ", sample \"" + sample.text +
                      "\": expected tensors alone before '|', the parameters"};
      }
      sample.parameters.push_back(drawn(input.tensor, seed, sample.parameters.size()));
    }
    list.push_back(std::move(sample));
  }
  return list;
}

Array gradient_of(const RunSample& sample, uint32_t step, size_t index, uint64_t seed) {
  sdk::SampleTensor like;
  like.dtype = dtype_name(sample.parameters[index].dtype);
  like.dims = sample.parameters[index].shape;
  return drawn(like, seed, sample.parameters.size() * (step + 1) + index);
}

std::string checksum_of_run(const RunSample& sample, uint64_t seed) {
  SampleCall all;
  all.arrays = sample.parameters;
  for (uint32_t step = 0; step < sample.steps; ++step) {
    for (size_t i = 0; i < sample.parameters.size(); ++i) {
      all.arrays.push_back(gradient_of(sample, step, i, seed));
    }
  }
  return checksum_of(all);
}

std::vector<Layout> plain_layouts(const RunSample& sample) {
  std::vector<Layout> layouts;
  for (int turn = 0; turn < 2; ++turn) {
    for (const Array& array : sample.parameters) {
      layouts.push_back(layouts_for(array.shape, false, true).front());
    }
  }
  return layouts;
}

Training::Training(const Session& session, const RunSample& sample, std::span<const Layout> layouts,
                   const tenon_device& device, Gradients gradients)
    : session_(session), gradients_of_(std::move(gradients)) {
  for (size_t i = 0; i < sample.parameters.size(); ++i) {
    parameters_.push_back(
        std::make_unique<Placed>(session, sample.parameters[i], layouts[i], device));
    const Array& like = sample.parameters[i];
    gradients_.push_back(std::make_unique<Placed>(session, make_array(like.dtype, like.shape),
                                                  layouts[sample.parameters.size() + i], device));
    const tenon_status wanted =
        tenon_tensor_set_requires_grad(session.context(), parameters_[i]->get(), 1);
    if (sample.expect == TENON_OK) session.check(wanted);
  }
}

tenon_status Training::create(const std::string& optimizer, const std::vector<Named>& hypers) {
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
  for (const Named& hyper : hypers) {
    names.push_back({hyper.name.data(), hyper.name.size()});
    values.push_back(hyper.value);
  }
  std::vector<tenon_tensor*> parameters;
  for (const auto& placed : parameters_) parameters.push_back(placed->get());
  tenon_optimizer* made = nullptr;
  const tenon_status status = tenon_optimizer_create(
      session_.context(), optimizer.data(), optimizer.size(), parameters.data(),
      static_cast<uint32_t>(parameters.size()), names.data(), values.data(),
      static_cast<uint32_t>(names.size()), &made);
  optimizer_.reset(made);
  return status;
}

void Training::step(uint32_t number) {
  give_gradients(number);
  session_.check(tenon_optimizer_run(session_.context(), optimizer_.get(), 0));
}

void Training::capture_step(uint32_t number) {
  give_gradients(number);
  session_.check(tenon_capture_begin(session_.context(), nullptr, 0));
  const tenon_status ran = tenon_optimizer_run(session_.context(), optimizer_.get(), 0);
  tenon_plan* plan = nullptr;
  const tenon_status ended = tenon_capture_end(session_.context(), &plan);
  plan_.reset(plan);
  session_.check(ran);
  session_.check(ended);
}

void Training::replay_step(uint32_t number) {
  give_gradients(number);
  session_.check(tenon_plan_run(session_.context(), plan_.get()));
}

State Training::state(const std::vector<std::string>& names) const {
  State now;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    now.parameters.push_back(parameters_[i]->read());
    for (const std::string& name : names) {
      now.states[name].push_back(contents_of(session_, state_tensor(i, name)));
    }
  }
  return now;
}

void Training::restore(const State& saved) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    overwrite(session_, parameters_[i]->get(), saved.parameters[i]);
    for (const auto& [name, arrays] : saved.states) {
      overwrite(session_, state_tensor(i, name), arrays[i]);
    }
  }
}

std::optional<Finding> Training::memory_problem(const std::vector<std::string>& names,
                                                uint32_t last_step) const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const std::string number = std::to_string(i);
    if (!parameters_[i]->outside_untouched()) {
      return Finding{&causes::kOverrun, "a step wrote outside of parameter " + number};
    }
    if (!gradients_[i]->outside_untouched()) {
      return Finding{&causes::kOverrun,
                     "a step wrote outside of the gradient of parameter " + number};
    }
    if (gradients_[i]->read() != gradients_of_(last_step, i)) {
      return Finding{&causes::kInputChanged, "a step changed the gradient of parameter " + number};
    }
    for (const std::string& name : names) {
      if (in_same_order(parameters_[i]->get(), state_tensor(i, name))) continue;
      return Finding{&causes::kOptimizerStrides,
                     "state " + name + " of parameter " + number +
                         " has its dimensions in another order in memory than the parameter"};
    }
  }
  return std::nullopt;
}

void Training::give_gradients(uint32_t number) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    gradients_[i]->write(gradients_of_(number, i));
    session_.check(
        tenon_tensor_set_grad(session_.context(), parameters_[i]->get(), gradients_[i]->get()));
  }
}

tenon_tensor* Training::state_tensor(size_t index, const std::string& name) const {
  tenon_tensor* tensor = nullptr;
  session_.check(tenon_optimizer_get_state(session_.context(), optimizer_.get(),
                                           static_cast<uint32_t>(index), name.data(), name.size(),
                                           &tensor));
  if (!tensor) throw Failure{"state " + name + " is not there after a step"};
  return tensor;
}

void overwrite(const Session& session, tenon_tensor* tensor, const Array& array) {
  tenon_tensor* alias = nullptr;
  session.check(tenon_tensor_create_detached(session.context(), tensor, &alias));
  const Tensor owned(alias);
  session.check(
      tenon_tensor_set_data(session.context(), alias, array.bytes.data(), array.bytes.size()));
}

bool Training::in_same_order(const tenon_tensor* parameter, const tenon_tensor* state) const {
  tenon_view first{}, second{};
  session_.check(tenon_tensor_get_view(session_.context(), parameter, &first));
  session_.check(tenon_tensor_get_view(session_.context(), state, &second));
  if (second.rank != first.rank) return second.rank == 0;
  for (int32_t i = 0; i < first.rank; ++i) {
    for (int32_t k = 0; k < first.rank; ++k) {
      const bool below = std::abs(first.strides[i]) < std::abs(first.strides[k]);
      if (below && first.shape[i] > 1 && first.shape[k] > 1 &&
          std::abs(second.strides[i]) > std::abs(second.strides[k])) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace tenon::verify
