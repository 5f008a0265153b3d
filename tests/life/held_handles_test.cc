// SPDX-License-Identifier: Apache-2.0
// tests/life/held_handles_test.cc: whatever a program holds of a plugin that is taken out of use is
// refused by name, also where the kernels or rules it would run are another plugin's.
#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/datasets.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/ext/draft/transforms.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/core/support.h"
#include "tests/support/program_plugin.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;
using ScheduleHandle = Owned<tenon_schedule, tenon_schedule_release>;
using TokenizerHandle = Owned<tenon_tokenizer, tenon_tokenizer_release>;
using TransformHandle = Owned<tenon_transform, tenon_transform_release>;
using DatasetHandle = Owned<tenon_dataset, tenon_dataset_release>;
using LayerHandle = Owned<tenon_layer, tenon_layer_release>;
using ArchiveHandle = Owned<tenon_archive, tenon_archive_release>;

tenon_value text(std::string_view words) {
  tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(words.size()), {}};
  value.as.string = words.data();
  return value;
}

RuntimeHandle make_tree_runtime() {
  const tenon_string path{plugin_dir(), TENON_NUL};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = 1;
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, nullptr, &runtime), TENON_OK);
  return RuntimeHandle(runtime);
}

// An optimizer of the program itself, whose step is the op of another plugin.
tenon_status query_borrower(const tenon_host* host, tenon_plugin* out, tenon_diag*) {
  static const tenon_hyper_desc hypers[] = {
      {sdk::str("lr"), sdk::str(""), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.5, 0, 1}};
  static const tenon_state_desc states[] = {
      {sdk::str("momentum_buffer"), sdk::str(""), TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0},
      {sdk::str("step"), sdk::str(""), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};
  static const tenon_optimizer_desc borrower = {sizeof(tenon_optimizer_desc),
                                                0,
                                                sdk::str("acme.borrower"),
                                                sdk::str("Borrows its step."),
                                                sdk::str("tenon.sgd_step"),
                                                sdk::str(""),
                                                hypers,
                                                states,
                                                1,
                                                2};
  static const tenon_optimizer_desc* const optimizers[] = {&borrower};
  static const tenon_optimizers_table table = {sizeof(tenon_optimizers_table), 1, optimizers};
  program::introduce(host, "acme.program", out);
  out->get_interface = [](void*, const char* id, uint64_t length) -> const void* {
    return std::string_view(id, length) == "tenon.optimizers/1" ? &table : nullptr;
  };
  return TENON_OK;
}

// What may be held: made once, then used again and again.
class Holder {
 public:
  Holder() : folder_(std::filesystem::temp_directory_path() / ("held" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Holder() { std::filesystem::remove_all(folder_); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  using Use = std::function<tenon_status()>;

  // A call with these operands; its op is looked up once.
  Use call(const char* name, std::vector<tenon_value> inputs, std::vector<tenon_value> attrs = {},
           const Session* by = nullptr) const {
    const Session& who = by ? *by : cx;
    const tenon_op* op = who.op(name);
    return [&who, op, inputs = std::move(inputs), attrs = std::move(attrs)] {
      tenon_tensor* out = nullptr;
      const tenon_status status =
          tenon_op_call(who.get(), op, inputs.data(), static_cast<uint32_t>(inputs.size()),
                        attrs.data(), static_cast<uint32_t>(attrs.size()), &out, 1);
      tenon_tensor_release(out);
      return status;
    };
  }
  Use layer(LayerHandle& keep, const char* name, const char* option = nullptr,
            tenon_value value = {}) const {
    const tenon_string key{option, option ? TENON_NUL : 0};
    tenon_layer* out_layer = nullptr;
    cx.must(tenon_layer_create(cx.get(), name, TENON_NUL, nullptr, &key, &value, option ? 1 : 0,
                               &out_layer));
    keep.reset(out_layer);
    return [this, out_layer] {
      const tenon_value in = arg(x);
      tenon_tensor* out = nullptr;
      const tenon_status status = tenon_layer_call(cx.get(), out_layer, &in, 1, &out, 1);
      tenon_tensor_release(out);
      return status;
    };
  }
  Use step(const char* kind) {
    optimizer = cx.optimizer({leaf.get()}, {}, kind);
    cx.backward(cx.call("tenon.sum", {arg(cx.call("tenon.mul", {arg(leaf), arg(x)}))}));
    return [this] { return tenon_optimizer_run(cx.get(), optimizer.get(), 0); };
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  RuntimeHandle runtime = make_tree_runtime();
  Session cx{runtime};
  Session other{runtime};
  Tensor x = cx.floats({2, 2}, {1, 2, 3, 4});
  Tensor y = cx.floats({2, 2}, {5, 6, 7, 8});
  Tensor leaf = cx.leaf(cx.floats({2, 2}, {1, 1, 1, 1}));
  Tensor made;  // of an earlier call
  Plan plan;
  Optimizer optimizer;
  ScheduleHandle schedule;
  TransformHandle transform;
  TokenizerHandle tokenizer;
  DatasetHandle dataset;
  LayerHandle inner, outer;
  ArchiveHandle archive;

 private:
  std::filesystem::path folder_;
};

struct Case {
  const char* name;
  const char* plugin;  // is taken out of use
  const char* what;    // is named
  Holder::Use (*hold)(Holder&);
  tenon_status status = TENON_E_PLUGIN;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

const Case kCases[] = {
    {"Call", "tenon.ops", "tenon.mul",
     [](Holder& h) {
       return h.call("tenon.mul", {arg(h.x), arg(h.y)});
     }},
    {"CallByAnotherContext", "tenon.ops", "tenon.mul",
     [](Holder& h) {
       return h.call("tenon.mul", {arg(h.x), arg(h.y)}, {}, &h.other);
     }},
    {"RecordedCall", "tenon.ops", "tenon.mul",
     [](Holder& h) {
       return h.call("tenon.mul", {arg(h.leaf), arg(h.y)});
     }},
    {"CallWithACast", "tenon.ops", "tenon.add",
     [](Holder& h) {
       h.made = h.cx.tensor<double>({2, 2}, {1, 2, 3, 4});
       return h.call("tenon.add", {arg(h.x), arg(h.made)});
     }},
    {"Apply", "tenon.ops", "tenon.add",
     [](Holder& h) -> Holder::Use {
       h.made = h.cx.floats({2, 2}, {0, 0, 0, 0});
       return [&h, op = h.cx.op("tenon.add")] {
         const tenon_value in[] = {arg(h.x), arg(h.y)};
         tenon_tensor* const out = h.made.get();
         return tenon_op_call_into(h.cx.get(), op, in, 2, nullptr, 0, &out, 1);
       };
     }},
    {"View", "tenon.ops", "tenon.transpose",
     [](Holder& h) { return h.call("tenon.transpose", {arg(h.x)}); }},
    {"Copy", "tenon.ops", "tenon.copy", [](Holder& h) { return h.call("tenon.copy", {arg(h.x)}); }},
    {"Transfer", "tenon.ops", "tenon.to",
     [](Holder& h) {
       return h.call("tenon.to", {arg(h.x)}, {Value(int64_t{0}), Value(int64_t{0})});
     }},
    {"Composition", "tenon.ops", "tenon.mse_loss",
     [](Holder& h) {
       return h.call("tenon.mse_loss", {arg(h.x), arg(h.y)});
     }},
    {"SizesThatDependOnData", "tenon.ops", "tenon.nonzero",
     [](Holder& h) { return h.call("tenon.nonzero", {arg(h.x)}); }},
    {"Random", "tenon.ops", "tenon.bernoulli",
     [](Holder& h) {
       h.made = h.cx.floats({2}, {0.5f, 0.5f});
       return h.call("tenon.bernoulli", {arg(h.made)});
     }},
    {"WithinACompositionOfAnotherPlugin", "tenon.ops", "tenon.mul",
     [](Holder& h) {
       program_plugin = ProgramPlugin();
       h.cx.must(tenon_plugin_load(h.cx.get(), program::query));
       return h.call("acme.cube", {arg(h.x)});
     },
     TENON_E_NOT_FOUND},
    {"Explain", "tenon.ops", "tenon.mul",
     [](Holder& h) -> Holder::Use {
       return [&h, op = h.cx.op("tenon.mul")] {
         const tenon_value in[] = {arg(h.x), arg(h.y)};
         tenon_text* out = nullptr;
         const tenon_status status = tenon_op_explain(h.cx.get(), op, in, 2, nullptr, 0, &out);
         tenon_text_release(out);
         return status;
       };
     }},
    {"WithinACapture", "tenon.ops", "tenon.mul",
     [](Holder& h) -> Holder::Use {
       return [&h, use = h.call("tenon.mul", {arg(h.x), arg(h.y)})] {
         h.cx.begin_capture();
         const tenon_status status = use();
         tenon_plan* plan = nullptr;
         EXPECT_EQ(tenon_capture_end(h.cx.get(), &plan), TENON_OK);
         tenon_plan_release(plan);
         if (status != TENON_OK) {  // whose record is looked at
           EXPECT_EQ(use(), status);
         }
         return status;
       };
     }},
    {"Plan", "tenon.ops", "tenon.mul",
     [](Holder& h) -> Holder::Use {
       h.cx.begin_capture({h.x.get()});
       h.made = h.cx.call("tenon.mul", {arg(h.x), arg(h.y)});
       h.plan = h.cx.end_capture();
       return [&h] { return tenon_plan_run(h.cx.get(), h.plan.get()); };
     }},
    {"Backward", "tenon.ops", "tenon.sum",
     [](Holder& h) -> Holder::Use {
       h.made = h.cx.call("tenon.sum", {arg(h.cx.call("tenon.mul", {arg(h.leaf), arg(h.x)}))});
       return [&h] { return h.cx.try_backward(h.made, TENON_BACKWARD_RETAIN); };
     }},
    // acme.cube's rule is the program's own, and so it is not asked for one of the ops it needs.
    {"BackwardOfAProgramsOp", "acme.program", "acme.cube",
     [](Holder& h) -> Holder::Use {
       program_plugin = ProgramPlugin();
       h.cx.must(tenon_plugin_load(h.cx.get(), program::query));
       h.made = h.cx.call("tenon.sum", {arg(h.cx.call("acme.cube", {arg(h.leaf)}))});
       return [&h] { return h.cx.try_backward(h.made, TENON_BACKWARD_RETAIN); };
     }},
    {"Gradient", "tenon.ops", "tenon.sum",
     [](Holder& h) -> Holder::Use {
       h.made = h.cx.call("tenon.sum", {arg(h.cx.call("tenon.mul", {arg(h.leaf), arg(h.x)}))});
       return [&h] {
         std::vector<Tensor> out;
         return h.cx.try_gradient(h.made, {h.leaf.get()},
                                  TENON_BACKWARD_RETAIN | TENON_BACKWARD_CREATE_GRAPH, out);
       };
     }},
    {"Layer", "tenon.layers", "tenon.activation",
     [](Holder& h) { return h.layer(h.inner, "tenon.activation", "op", text("tenon.relu")); }},
    // Who needs the op looks for it by its name, and so it is not found.
    {"LayerWhoseOpIsGone", "tenon.ops", "tenon.relu",
     [](Holder& h) { return h.layer(h.inner, "tenon.activation", "op", text("tenon.relu")); },
     TENON_E_NOT_FOUND},
    {"LayerInALayer", "tenon.layers", "tenon.sequential",
     [](Holder& h) {
       h.layer(h.inner, "tenon.activation", "op", text("tenon.relu"));
       Holder::Use use = h.layer(h.outer, "tenon.sequential");
       h.cx.must(tenon_layer_set_child(h.cx.get(), h.outer.get(), "", 0, h.inner.get()));
       return use;
     }},
    {"Optimizer", "tenon.optim", "tenon.sgd", [](Holder& h) { return h.step("tenon.sgd"); }},
    {"OptimizerOfAProgram", "acme.program", "acme.borrower",
     [](Holder& h) {
       h.cx.must(tenon_plugin_load(h.cx.get(), query_borrower));
       return h.step("acme.borrower");
     }},
    {"OptimizerWhoseStepIsGone", "tenon.optim", "tenon.sgd_step",
     [](Holder& h) {
       h.cx.must(tenon_plugin_load(h.cx.get(), query_borrower));
       return h.step("acme.borrower");
     }},
    {"Schedule", "tenon.schedules", "tenon.constant",
     [](Holder& h) -> Holder::Use {
       tenon_schedule* made = nullptr;
       h.cx.must(tenon_schedule_create(h.cx.get(), "tenon.constant", TENON_NUL, 1, nullptr, nullptr,
                                       0, &made));
       h.schedule.reset(made);
       return [&h] {
         double value = 0;
         return tenon_schedule_run(h.cx.get(), h.schedule.get(), nullptr, &value);
       };
     }},
    {"Dataset", "tenon.data", "tenon.csv",
     [](Holder& h) -> Holder::Use {
       const std::string file = h.path("table.csv");
       std::ofstream(file) << "a,b\n1,2\n3,4\n";
       const tenon_string key = sdk::str("path");
       const tenon_value path = text(file);
       tenon_dataset* made = nullptr;
       h.cx.must(tenon_dataset_create(h.cx.get(), "tenon.csv", TENON_NUL, &key, &path, 1, &made));
       h.dataset.reset(made);
       return [&h] {
         const int64_t index = 1;
         tenon_tensor* out = nullptr;
         const tenon_status status =
             tenon_dataset_call(h.cx.get(), h.dataset.get(), &index, 1, &out, 1);
         tenon_tensor_release(out);
         return status;
       };
     }},
    {"Transform", "tenon.transforms", "tenon.flip",
     [](Holder& h) -> Holder::Use {
       tenon_transform* made = nullptr;
       h.cx.must(
           tenon_transform_create(h.cx.get(), "tenon.flip", TENON_NUL, nullptr, nullptr, 0, &made));
       h.transform.reset(made);
       return [&h] {
         std::vector<int64_t> samples(8);
         tenon_view view{};
         h.cx.must(tenon_tensor_get_view(h.cx.get(), h.x.get(), &view));
         const tenon_batch batch = {view.shape[0], samples.data(), 0, 0};
         tenon_tensor* out = nullptr;
         const tenon_status status =
             tenon_transform_call(h.cx.get(), h.transform.get(), &batch, h.x.get(), &out);
         tenon_tensor_release(out);
         return status;
       };
     }},
    {"Tokenizer", "tenon.tokenizers", "tenon.bytes",
     [](Holder& h) -> Holder::Use {
       tenon_tokenizer* made = nullptr;
       h.cx.must(tenon_tokenizer_create(h.cx.get(), "tenon.bytes", TENON_NUL, nullptr, 0, nullptr,
                                        nullptr, 0, &made));
       h.tokenizer.reset(made);
       return [&h] {
         tenon_tensor* out = nullptr;
         const tenon_status status =
             tenon_tokenizer_call(h.cx.get(), h.tokenizer.get(), "a", 1, 0, 0, &out);
         tenon_tensor_release(out);
         return status;
       };
     }},
    {"ArchiveThatIsUnpacked", "tenon.formats", "tenon.npz",
     [](Holder& h) -> Holder::Use {
       const std::string file = h.path("x.npz");
       tenon_archive* made = nullptr;
       h.cx.must(tenon_archive_create(h.cx.get(), &made));
       h.archive.reset(made);
       h.cx.must(tenon_archive_set_tensor(h.cx.get(), made, "x", TENON_NUL, h.x.get()));
       h.cx.must(tenon_file_set(h.cx.get(), file.data(), file.size(), nullptr, 0, made));
       h.cx.must(tenon_archive_load(h.cx.get(), file.data(), file.size(), nullptr, 0, 0, &made));
       h.archive.reset(made);
       return [&h] {
         tenon_tensor* out = nullptr;
         const tenon_status status =
             tenon_tensor_create_loaded(h.cx.get(), h.archive.get(), 0, 0, &out);
         tenon_tensor_release(out);
         return status;
       };
     }},
};

class HeldHandles : public testing::TestWithParam<Case> {};

TEST_P(HeldHandles, AreRefusedByName) {
  const Case& each = GetParam();
  Holder h;
  const Holder::Use use = each.hold(h);
  // Often enough that there is a short way for it.
  for (int i = 0; i < 4; ++i) ASSERT_EQ(use(), TENON_OK) << h.cx.failure().message;
  h.cx.must(tenon_plugin_deactivate(h.cx.get(), each.plugin, TENON_NUL));
  const Values leaf = h.cx.values(h.leaf);
  const bool has_grad = h.cx.grad(h.leaf) != nullptr;
  const Values grad = has_grad ? h.cx.grad_values(h.leaf) : Values();
  const Values made =
      h.made && h.cx.dtype(h.made) == TENON_DTYPE_F32 ? h.cx.values(h.made) : Values();
  const Session& by = each.name == std::string_view("CallByAnotherContext") ? h.other : h.cx;
  for (int i = 0; i < 2; ++i) {
    const Failure f = by.refused(each.status, use());
    EXPECT_THAT(f.message, HasSubstr(each.what));
    EXPECT_THAT(f.message, HasSubstr(each.plugin));
    EXPECT_THAT(f.message, HasSubstr("was deactivated"));
    EXPECT_FALSE(f.hint.empty()) << f.message;
  }
  // Nothing has changed: neither what would have been written, nor gradients, nor the gradient's
  // being there.
  EXPECT_EQ(h.cx.values(h.leaf), leaf);
  EXPECT_EQ(h.cx.grad(h.leaf) != nullptr, has_grad);
  EXPECT_EQ(has_grad ? h.cx.grad_values(h.leaf) : Values(), grad);
  EXPECT_EQ(made.empty() ? Values() : h.cx.values(h.made), made);
}

INSTANTIATE_TEST_SUITE_P(, HeldHandles, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace tenon::tests
