// SPDX-License-Identifier: Apache-2.0
// tests/layers/plan_changes_support.cc: the step, and the rows of the table.
#include "tests/layers/plan_changes_support.h"

#include <gmock/gmock.h>

#include "tests/support/paths.h"

namespace tenon::tests {

using testing::HasSubstr;

void PlanChanges::SetUp() {
  Layers::SetUp();
  // The same with a second device.
  tenon_context_release(context);
  tenon_runtime_release(runtime);
  const std::string own = plugin_dir();
  const std::string more = std::string(build_dir()) + "/sim_plugins";
  const tenon_string paths[] = {{own.data(), own.size()}, {more.data(), more.size()}};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
  options.paths = paths;
  options.n_paths = 2;
  tenon_diag diag{};
  ASSERT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  ASSERT_EQ(tenon_context_create(runtime, &diag, &context), TENON_OK) << diag.message;
  must(tenon_device_find(context, "sim", TENON_NUL, 0, &sim));
}

Trained PlanChanges::make() {
  seed(5);
  Trained run;
  run.linear = linear(2, 2);
  run.dropout = layer("tenon.dropout", {{"p", real(0.25)}});
  run.model = layer("tenon.sequential");
  add(run.model, run.linear);
  add(run.model, run.dropout);
  run.adamw = optimizer("tenon.adamw", parameters(run.model), {{"lr", real(0.5)}});
  run.x = tensor<float>({2, 2}, {0.5f, -1.0f, 2.0f, 0.25f});
  run.weight = find(run, "0.weight");
  return run;
}

void PlanChanges::step(Trained& run) {
  const int64_t sizes[] = {2, 2};
  tenon_value shape{TENON_VALUE_INT_LIST, 2, {}};
  shape.as.ints = sizes;
  const Tensor half = call("tenon.full", {}, {{"shape", shape}, {"value", real(0.5)}});
  const Tensor y = this->run(run.model, run.x.get());
  const Tensor product = call("tenon.mul", {one(y.get()), one(half.get())});
  const Tensor squares = call("tenon.square", {one(product.get())});
  const Tensor loss = call("tenon.mean", {one(squares.get())});
  backward(loss);
  must(tenon_optimizer_run(context, run.adamw.get(), TENON_OPTIMIZER_CLEAR_GRAD));
}

void PlanChanges::capture(Trained& run) {
  must(tenon_capture_begin(context, nullptr, 0));
  step(run);
  must(tenon_capture_end(context, &run.plan));
}

std::string PlanChanges::values(Trained& run) {
  std::string all;
  for (tenon_tensor* each : parameters(run.linear)) all += bytes_of(each);
  return all;
}

tenon_tensor* PlanChanges::find(Trained& run, const char* name) {
  tenon_tensor* found = nullptr;
  must(tenon_layer_find_tensor(context, run.model.get(), name, TENON_NUL, &found));
  return found;
}

void PlanChanges::set(Trained& run, const char* name, const tenon_value& value) {
  must(tenon_optimizer_set(context, run.adamw.get(), name, TENON_NUL, &value));
}

void PlanChanges::judge(const Row& row) {
  SCOPED_TRACE(row.function + ": " + row.words);
  Trained captured = make();
  Trained eager = make();
  if (row.before) row.before();
  seed(9);
  step(eager);
  seed(9);
  capture(captured);
  ASSERT_NE(captured.plan, nullptr);
  row.change(captured);
  if (row.outcome == Outcome::Seen) {
    const std::string before = values(captured);
    const tenon_status status = tenon_plan_run(context, captured.plan);
    ASSERT_NE(status, TENON_OK) << "silently stale";
    EXPECT_THAT(refused(status, status), HasSubstr(row.words));
    EXPECT_EQ(values(captured), before);
    if (row.undo) {
      row.undo(captured);
      must(tenon_plan_run(context, captured.plan));
    }
  } else {
    if (!row.shared) row.change(eager);
    uint64_t seed = 0, stream = 0, counter = 0;
    must(tenon_context_get_seed(context, &seed, &stream, &counter));
    step(eager);
    must(tenon_context_set_seed(context, seed, stream));
    must(tenon_context_set_counter(context, counter));
    must(tenon_plan_run(context, captured.plan));
    EXPECT_EQ(values(captured), values(eager));
    if (row.undo) row.undo(captured);
  }
  tenon_plan_release(captured.plan);
}

// ---- The table ----------------------------------------------------------------------------------

namespace {

tenon_status leave_alone(tenon_context*, tenon_tensor*, tenon_tensor**, void*) { return TENON_OK; }
void print_nothing(void*, const char*, uint64_t) {}

}  // namespace

void PlanChanges::add_tensors(std::vector<Row>& rows) {
  const auto train = [this](Trained& run, bool wanted) {
    must(tenon_tensor_set_requires_grad(context, run.weight, wanted ? 1 : 0));
  };
  rows.push_back({"tenon_tensor_set_requires_grad", Outcome::Seen,
                  "requires_grad of the leaf f32[2,2] = true, which is false now",
                  [=](Trained& run) { train(run, false); },
                  [=](Trained& run) { train(run, true); }});
  const auto hook = std::make_shared<uint64_t>(0);
  const auto begin = [this, hook](Trained& run) {
    must(tenon_hook_begin(context, run.weight, leave_alone, nullptr, nullptr, hook.get()));
  };
  const auto end = [this, hook](Trained& run) { must(tenon_hook_end(context, run.weight, *hook)); };
  rows.push_back({"tenon_hook_begin", Outcome::Seen,
                  "a hook was begun on the gradient of the leaf f32[2,2] after the capture", begin,
                  end});
  rows.push_back({"tenon_hook_end", Outcome::Taken, "no hook is left", [=](Trained& run) {
                    begin(run);
                    end(run);
                  }});
  rows.push_back(
      {"tenon_tensor_set_grad", Outcome::Seen, "had none, and now it has one",
       [this](Trained& run) { must(tenon_tensor_set_grad(context, run.weight, ones().get())); },
       [this](Trained& run) { must(tenon_tensor_set_grad(context, run.weight, nullptr)); }});
  rows.push_back(
      {"tenon_backward_run", Outcome::Seen, "had none, and now it has one", [this](Trained& run) {
         const Tensor y = this->run(run.model, run.x.get());
         backward(call("tenon.sum", {one(y.get())}));
       }});
  rows.push_back({"tenon_tensor_set_data", Outcome::Taken, "values are read by each run",
                  [this](Trained& run) {
                    const float data[] = {1, 2, 3, 4};
                    must(tenon_grad_begin(context, TENON_GRAD_DISABLED));
                    must(tenon_tensor_set_data(context, run.weight, data, sizeof data));
                    must(tenon_grad_end(context));
                    must(tenon_tensor_set_data(context, run.x.get(), data, sizeof data));
                  }});
  rows.push_back(
      {"tenon_op_call_into", Outcome::Taken, "values are read by each run", [this](Trained& run) {
         must(tenon_grad_begin(context, TENON_GRAD_DISABLED));
         const tenon_op* neg = nullptr;
         must(tenon_op_find(context, "tenon.neg", TENON_NUL, 0, &neg));
         const tenon_value input = one(run.weight);
         must(tenon_op_call_into(context, neg, &input, 1, nullptr, 0, &run.weight, 1));
         must(tenon_grad_end(context));
       }});
}

void PlanChanges::add_layers(std::vector<Row>& rows) {
  rows.push_back({"tenon_layer_set_child", Outcome::Seen,
                  "children of a layer tenon.sequential = (0 1), which is (0 1 2) now",
                  [this](Trained& run) { add(run.model, activation("tenon.relu")); }});
  rows.push_back({"tenon_layer_set_training", Outcome::Seen,
                  "training of a layer tenon.dropout = true, which is false now",
                  [this](Trained& run) { set_training(run.dropout, false); },
                  [this](Trained& run) { set_training(run.dropout, true); }});
  rows.push_back(
      {"tenon_layer_set_device", Outcome::Seen, "moved to another device",
       [this](Trained& run) { must(tenon_layer_set_device(context, run.model.get(), &sim)); }});
  rows.push_back({"tenon_layer_share_tensor", Outcome::Seen,
                  "number of replaced tensors of a layer tenon.linear = 0, which is 1 now",
                  [this](Trained& run) {
                    must(tenon_layer_share_tensor(context, run.linear.get(), "weight", TENON_NUL,
                                                  parameter(ones()).get()));
                  }});
  rows.push_back({"tenon_layer_set_tensor", Outcome::Taken, "values are read by each run",
                  [this](Trained& run) {
                    must(tenon_layer_set_tensor(context, run.model.get(), "0.weight", TENON_NUL,
                                                ones().get()));
                  }});
  rows.push_back(
      {"tenon_layer_load", Outcome::Taken, "values are read by each run", [this](Trained& run) {
         const std::string file = path("layer.safetensors");
         must(
             tenon_layer_set_tensor(context, run.model.get(), "0.weight", TENON_NUL, ones().get()));
         must(tenon_layer_save(context, run.model.get(), file.data(), file.size()));
         must(tenon_layer_load(context, run.model.get(), file.data(), file.size()));
       }});
  rows.push_back({"tenon_layer_call", Outcome::Taken, "it leaves what it computes to the caller",
                  [this](Trained& run) { this->run(run.model, run.x.get()); }});
}

void PlanChanges::add_optimizers(std::vector<Row>& rows) {
  rows.push_back({"tenon_optimizer_set", Outcome::Seen,
                  "hyper-parameter \"weight_decay\" of tenon.adamw = 0.01, which is 0.25 now",
                  [this](Trained& run) { set(run, "weight_decay", real(0.25)); },
                  [this](Trained& run) { set(run, "weight_decay", real(0.01)); }});
  rows.push_back({"tenon_optimizer_set", Outcome::Taken, "the learning rate is a tensor",
                  [this](Trained& run) { set(run, "lr", real(0.125)); }});
  rows.push_back(
      {"tenon_optimizer_set_group", Outcome::Seen, "hyper-parameter \"beta1\" of tenon.adamw",
       [this](Trained& run) {
         const tenon_value half = real(0.5);
         must(tenon_optimizer_set_group(context, run.adamw.get(), 0, "beta1", TENON_NUL, &half));
       }});
  rows.push_back({"tenon_optimizer_set_state", Outcome::Taken, "values are read by each run",
                  [this](Trained& run) {
                    must(tenon_optimizer_set_state(context, run.adamw.get(), 0, "exp_avg",
                                                   TENON_NUL, ones().get()));
                  }});
  rows.push_back({"tenon_optimizer_run", Outcome::Taken, "values and states are read by each run",
                  [this](Trained& run) {
                    seed(3);
                    step(run);
                  }});
  rows.push_back(
      {"tenon_checkpoint_load", Outcome::Taken, "values are read by each run",
       [this](Trained& run) {
         const std::string file = path("run.safetensors");
         tenon_checkpoint* all = nullptr;
         must(tenon_checkpoint_create(context, &all));
         must(tenon_checkpoint_set_layer(context, all, "model", TENON_NUL, run.model.get()));
         must(
             tenon_checkpoint_set_optimizer(context, all, "optimizer", TENON_NUL, run.adamw.get()));
         must(
             tenon_layer_set_tensor(context, run.model.get(), "0.weight", TENON_NUL, ones().get()));
         must(tenon_checkpoint_save(context, all, file.data(), file.size()));
         must(tenon_checkpoint_load(context, all, file.data(), file.size(), 0, nullptr));
         tenon_checkpoint_release(all);
       }});
}

void PlanChanges::add_context(std::vector<Row>& rows) {
  const auto arithmetic = [this](uint32_t policy) {
    return [this, policy](Trained&) { must(tenon_context_set_arithmetic(context, policy)); };
  };
  rows.push_back(
      {.function = "tenon_context_set_arithmetic",
       .outcome = Outcome::Seen,
       .words = "the arithmetic policy of the context = fast, which is canonical now",
       .change = arithmetic(TENON_ARITHMETIC_CANONICAL),
       .undo = arithmetic(TENON_ARITHMETIC_FAST),
       .before = [this] { must(tenon_context_set_arithmetic(context, TENON_ARITHMETIC_FAST)); }});
  const auto shared = [&rows](const char* function, const char* words,
                              std::function<void(Trained&)> change,
                              std::function<void(Trained&)> undo = {}) {
    rows.push_back({.function = function,
                    .outcome = Outcome::Taken,
                    .words = words,
                    .change = std::move(change),
                    .undo = std::move(undo),
                    .shared = true});
  };
  shared("tenon_context_set_seed", "random numbers are drawn by each run",
         [this](Trained&) { seed(77); });
  shared("tenon_context_set_counter", "random numbers are drawn by each run",
         [this](Trained&) { must(tenon_context_set_counter(context, 1 << 20)); });
  rows.push_back({"tenon_context_set_device", Outcome::Seen,
                  "the default device of the context = cpu:0, which is sim:0 now",
                  [this](Trained&) { must(tenon_context_set_device(context, &sim)); },
                  [this](Trained&) { must(tenon_context_set_device(context, nullptr)); }});
  rows.push_back({"tenon_context_interrupt", Outcome::Seen, "interrupted",
                  [this](Trained&) { must(tenon_context_interrupt(context)); }, [](Trained&) {}});
  shared(
      "tenon_check_begin", "a run is judged as the step is",
      [this](Trained&) { must(tenon_check_begin(context, TENON_CHECK_FINITE)); },
      [this](Trained&) { must(tenon_check_end(context)); });
  shared(
      "tenon_op_log_begin", "a run is printed as the step is",
      [this](Trained&) { must(tenon_op_log_begin(context, print_nothing, nullptr)); },
      [this](Trained&) { must(tenon_op_log_end(context)); });
  shared(
      "tenon_trace_begin", "a run is recorded as the step is",
      [this](Trained&) { must(tenon_trace_begin(context)); },
      [this](Trained&) {
        tenon_text* json = nullptr;
        must(tenon_trace_end(context, &json));
        tenon_text_release(json);
      });
  shared(
      "tenon_serial_begin", "a run has the same bits on one thread",
      [this](Trained&) { must(tenon_serial_begin(context)); },
      [this](Trained&) { must(tenon_serial_end(context)); });
  shared(
      "tenon_scope_begin", "scopes name what runs",
      [this](Trained&) { must(tenon_scope_begin(context, "later", TENON_NUL)); },
      [this](Trained&) { must(tenon_scope_end(context)); });
}

void PlanChanges::add_runtime(std::vector<Row>& rows) {
  const auto pin = [this](const char* op, const char* plugin) {
    return [this, op, plugin](Trained&) {
      must(tenon_runtime_set_pin(context, op, TENON_NUL, plugin, TENON_NUL));
    };
  };
  rows.push_back({"tenon_runtime_set_pin", Outcome::Seen,
                  "the pinned plugin of tenon.square = none, which is tenon.ref now",
                  pin("tenon.square", "tenon.ref"), pin("tenon.square", "")});
  rows.push_back({"tenon_runtime_set_pin", Outcome::Seen, "which is tenon.ref now",
                  pin("", "tenon.ref"), pin("", "")});
  rows.push_back({"tenon_runtime_set_pin", Outcome::Taken, "the step calls no such op",
                  pin("tenon.conv", "tenon.ref"), pin("tenon.conv", "")});
  rows.push_back({.function = "tenon_runtime_set_threads",
                  .outcome = Outcome::Taken,
                  .words = "a run has the same bits on any number of threads",
                  .change = [this](Trained&) { must(tenon_runtime_set_threads(context, 1)); },
                  .undo = [this](Trained&) { must(tenon_runtime_set_threads(context, 0)); },
                  .shared = true});
  rows.push_back(
      {.function = "tenon_runtime_set_memory_limit",
       .outcome = Outcome::Taken,
       .words = "a run allocates nothing",
       .change =
           [this](Trained&) { must(tenon_runtime_set_memory_limit(context, uint64_t{1} << 40)); },
       .undo = [this](Trained&) { must(tenon_runtime_set_memory_limit(context, 0)); },
       .shared = true});
  // The last: nothing brings the plugin back.
  rows.push_back(
      {"tenon_plugin_deactivate", Outcome::Seen, "tenon.cpu, which was deactivated",
       [this](Trained&) { must(tenon_plugin_deactivate(context, "tenon.cpu", TENON_NUL)); }});
}

std::vector<PlanChanges::Row> PlanChanges::rows() {
  std::vector<Row> rows;
  add_tensors(rows);
  add_layers(rows);
  add_optimizers(rows);
  add_context(rows);
  add_runtime(rows);
  return rows;
}

}  // namespace tenon::tests
