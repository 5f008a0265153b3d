// SPDX-License-Identifier: Apache-2.0
// tests/api/wrong_input_support.cc: the objects that wrong calls are made with.
#include "tests/api/wrong_input_support.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/paths.h"

namespace tenon::tests {

tenon_value value_of(tenon_tensor* tensor) {
  tenon_value value{TENON_VALUE_TENSOR, 0, {}};
  value.as.tensor = tensor;
  return value;
}
tenon_value value_of(double number) {
  tenon_value value{TENON_VALUE_F64, 0, {}};
  value.as.f64 = number;
  return value;
}
tenon_value value_of(std::span<const int64_t> ints) {
  tenon_value value{TENON_VALUE_INT_LIST, static_cast<uint32_t>(ints.size()), {}};
  value.as.ints = ints.data();
  return value;
}
tenon_value value_of(const std::string& text) {
  tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(text.size()), {}};
  value.as.string = text.data();
  return value;
}

namespace {

constexpr int64_t kShape[] = {2, 3};
constexpr float kNumbers[] = {1, 2, 3, 4, 5, 6};

tenon_tensor* make_tensor(tenon_context* cx) {
  tenon_tensor* made = nullptr;
  EXPECT_EQ(tenon_tensor_create_from(cx, TENON_DTYPE_F32, nullptr, 2, kShape, kNumbers,
                                     sizeof kNumbers, &made),
            TENON_OK);
  return made;
}

const tenon_op* find(tenon_context* cx, const char* name) {
  const tenon_op* op = nullptr;
  EXPECT_EQ(tenon_op_find(cx, name, TENON_NUL, 0, &op), TENON_OK) << name;
  return op;
}

tenon_plan* make_plan(tenon_context* cx, tenon_tensor* input, const tenon_op* add) {
  const tenon_value operands[] = {value_of(input), value_of(1.0)};
  tenon_tensor* out = nullptr;
  tenon_plan* plan = nullptr;
  EXPECT_EQ(tenon_capture_begin(cx, &input, 1), TENON_OK);
  EXPECT_EQ(tenon_op_call(cx, add, operands, 2, nullptr, 0, &out, 1), TENON_OK);
  EXPECT_EQ(tenon_capture_end(cx, &plan), TENON_OK);
  tenon_tensor_release(out);
  return plan;
}

tenon_dataset* make_dataset(tenon_context* cx) {
  const std::string images = std::string(data_dir()) + "/digits/t10k-images-idx3-ubyte";
  const tenon_string name = {"images", TENON_NUL};
  const tenon_value value = value_of(images);
  tenon_dataset* made = nullptr;
  EXPECT_EQ(tenon_dataset_create(cx, "tenon.idx", TENON_NUL, &name, &value, 1, &made), TENON_OK);
  return made;
}

tenon_optimizer* make_optimizer(tenon_context* cx, tenon_tensor* parameter) {
  tenon_optimizer* made = nullptr;
  EXPECT_EQ(
      tenon_optimizer_create(cx, "tenon.sgd", TENON_NUL, &parameter, 1, nullptr, nullptr, 0, &made),
      TENON_OK);
  return made;
}

tenon_archive* make_archive(tenon_context* cx, tenon_tensor* tensor) {
  tenon_archive* made = nullptr;
  EXPECT_EQ(tenon_archive_create(cx, &made), TENON_OK);
  EXPECT_EQ(tenon_archive_set_tensor(cx, made, "w", 1, tensor), TENON_OK);
  EXPECT_EQ(tenon_archive_set_metadata(cx, made, "k", 1, "v", 1), TENON_OK);
  return made;
}

tenon_history* make_history(tenon_context* cx) {
  tenon_history* made = nullptr;
  EXPECT_EQ(tenon_history_create(cx, &made), TENON_OK);
  EXPECT_EQ(tenon_history_set(cx, made, "loss", 4, 0, 1), TENON_OK);
  return made;
}

tenon_layer* make_layer(tenon_context* cx, const char* name, const std::vector<int64_t>& sizes) {
  const tenon_string names[] = {{"inputs", TENON_NUL}, {"outputs", TENON_NUL}};
  tenon_value values[2] = {};
  for (size_t i = 0; i < sizes.size(); ++i) {
    values[i].tag = TENON_VALUE_I64;
    values[i].as.i64 = sizes[i];
  }
  tenon_layer* made = nullptr;
  EXPECT_EQ(tenon_layer_create(cx, name, TENON_NUL, nullptr, names, values,
                               static_cast<uint32_t>(sizes.size()), &made),
            TENON_OK);
  return made;
}

tenon_text* make_text(tenon_context* cx) {
  tenon_text* text = nullptr;
  EXPECT_EQ(tenon_runtime_query(cx, "stats", TENON_NUL, &text), TENON_OK);
  return text;
}

}  // namespace

void World::make_side(Side& side) {
  const std::string plugins = plugin_dir();
  const std::string tests = std::string(test_plugin_dir()) + "/api/test.other";
  const std::string simulated = std::string(build_dir()) + "/sim_plugins";
  const tenon_string paths[] = {{plugins.data(), plugins.size()},
                                {tests.data(), tests.size()},
                                {simulated.data(), simulated.size()}};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = paths;
  options.n_paths = 3;
  options.threads = 1;
  tenon_diag diag{};
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &side.runtime), TENON_OK) << diag.message;
  EXPECT_EQ(tenon_context_create(side.runtime, &diag, &side.cx), TENON_OK) << diag.message;
  side.tensor = make_tensor(side.cx);
  side.parameter = make_tensor(side.cx);
  EXPECT_EQ(tenon_tensor_set_requires_grad(side.cx, side.parameter, 1), TENON_OK);
  side.add = find(side.cx, "tenon.add");
  side.plan = make_plan(side.cx, side.tensor, side.add);
  side.optimizer = make_optimizer(side.cx, side.parameter);
  EXPECT_EQ(tenon_schedule_create(side.cx, "tenon.constant", TENON_NUL, 1, nullptr, nullptr, 0,
                                  &side.schedule),
            TENON_OK);
  side.dataset = make_dataset(side.cx);
  side.layer = make_layer(side.cx, "tenon.linear", {3, 2});
  side.container = make_layer(side.cx, "tenon.sequential", {});
  side.text = make_text(side.cx);
  side.archive = make_archive(side.cx, side.tensor);
  EXPECT_EQ(tenon_transform_create(side.cx, "tenon.normalise", TENON_NUL, nullptr, nullptr, 0,
                                   &side.transform),
            TENON_OK);
  EXPECT_EQ(tenon_tokenizer_create(side.cx, "tenon.bytes", TENON_NUL, nullptr, 0, nullptr, nullptr,
                                   0, &side.tokenizer),
            TENON_OK);
  EXPECT_EQ(tenon_loader_create(side.cx, side.dataset, 4, 0, 0, &side.loader), TENON_OK);
  EXPECT_EQ(tenon_checkpoint_create(side.cx, &side.checkpoint), TENON_OK);
  const tenon_value step = value_of(1.0);
  EXPECT_EQ(tenon_checkpoint_set_value(side.cx, side.checkpoint, "step", TENON_NUL, &step),
            TENON_OK);
  side.history = make_history(side.cx);
  EXPECT_EQ(tenon_progress_create(side.cx, "run", 3, 0, 0, &side.progress), TENON_OK);
  EXPECT_EQ(
      tenon_group_create(side.cx, "tenon.self", TENON_NUL, nullptr, nullptr, 0, 0, &side.group),
      TENON_OK);
  const tenon_transfer_request barrier = {sizeof barrier, 0,      TENON_COLLECTIVE_BARRIER, 0,
                                          nullptr,        nullptr};
  const tenon_transfer_request* const requests = &barrier;
  EXPECT_EQ(tenon_group_begin(side.cx, side.group, &requests, 1, 0, &side.transfer), TENON_OK);
  EXPECT_EQ(tenon_transfer_end(side.cx, side.transfer), TENON_OK);
  EXPECT_EQ(
      tenon_data_parallel_create(side.cx, side.group, &side.parameter, 1, nullptr, &side.parallel),
      TENON_OK);
}

void World::release_side(Side& side) {
  tenon_data_parallel_release(side.parallel);
  tenon_transfer_release(side.transfer);
  tenon_group_release(side.group);
  tenon_checkpoint_release(side.checkpoint);
  tenon_loader_release(side.loader);
  tenon_tokenizer_release(side.tokenizer);
  tenon_transform_release(side.transform);
  tenon_progress_release(side.progress);
  tenon_history_release(side.history);
  tenon_archive_release(side.archive);
  tenon_text_release(side.text);
  tenon_schedule_release(side.schedule);
  tenon_layer_release(side.container);
  tenon_layer_release(side.layer);
  tenon_dataset_release(side.dataset);
  tenon_optimizer_release(side.optimizer);
  tenon_plan_release(side.plan);
  tenon_tensor_release(side.parameter);
  tenon_tensor_release(side.tensor);
  tenon_context_release(side.cx);
  tenon_runtime_release(side.runtime);
}

void World::make_stale() {
  Side gone;
  make_side(gone);
  stale = {{Kind::Runtime, gone.runtime},
           {Kind::Context, gone.cx},
           {Kind::Tensor, gone.tensor},
           {Kind::Op, const_cast<tenon_op*>(gone.add)},
           {Kind::Plan, gone.plan},
           {Kind::Optimizer, gone.optimizer},
           {Kind::Schedule, gone.schedule},
           {Kind::Dataset, gone.dataset},
           {Kind::Text, gone.text},
           {Kind::Archive, gone.archive},
           {Kind::Layer, gone.layer},
           {Kind::Transform, gone.transform},
           {Kind::Tokenizer, gone.tokenizer},
           {Kind::Loader, gone.loader},
           {Kind::Checkpoint, gone.checkpoint},
           {Kind::History, gone.history},
           {Kind::Progress, gone.progress},
           {Kind::Group, gone.group},
           {Kind::Transfer, gone.transfer},
           {Kind::DataParallel, gone.parallel}};
  release_side(gone);
}

World::World() {
  make_side(own);
  make_side(other);
  make_stale();
  cx = own.cx;
  t = own.tensor;
  const int64_t wide_shape[] = {2, 4};
  const int64_t nothing[] = {0, 0};
  EXPECT_EQ(tenon_tensor_create(cx, TENON_DTYPE_F32, nullptr, 2, wide_shape, &wide), TENON_OK);
  EXPECT_EQ(tenon_tensor_create(cx, TENON_DTYPE_I64, nullptr, 2, kShape, &integers), TENON_OK);
  EXPECT_EQ(tenon_tensor_create_view(cx, t, 2, kShape, nothing, 0, &spread), TENON_OK);
  const int64_t six = 6;
  EXPECT_EQ(tenon_tensor_create_view(cx, t, 1, &six, nothing, 0, &line), TENON_OK);
  EXPECT_EQ(tenon_tensor_create_external(cx, TENON_DTYPE_F32, 2, kShape, nullptr, memory,
                                         TENON_VIEW_READ_ONLY, nullptr, nullptr, &constant),
            TENON_OK);
  const tenon_value operands[] = {value_of(own.parameter), value_of(own.parameter)};
  EXPECT_EQ(tenon_op_call(cx, own.add, operands, 2, nullptr, 0, &computed, 1), TENON_OK);
  tenon_device device{};
  EXPECT_EQ(tenon_device_find(cx, "other", TENON_NUL, 0, &device), TENON_OK);
  EXPECT_EQ(tenon_tensor_create(cx, TENON_DTYPE_F32, &device, 2, kShape, &away), TENON_OK);
  sum = find(cx, "tenon.sum");
  reset_outs();
}

World::~World() {
  for (tenon_tensor* tensor : {wide, integers, spread, line, constant, computed, away}) {
    tenon_tensor_release(tensor);
  }
  release_side(other);
  release_side(own);
}

void* World::foreign(Kind kind) const {
  switch (kind) {
    case Kind::Runtime:
      return other.runtime;
    case Kind::Context:
      return other.cx;
    case Kind::Tensor:
      return other.tensor;
    case Kind::Op:
      return const_cast<tenon_op*>(other.add);
    case Kind::Plan:
      return other.plan;
    case Kind::Optimizer:
      return other.optimizer;
    case Kind::Schedule:
      return other.schedule;
    case Kind::Dataset:
      return other.dataset;
    case Kind::Text:
      return other.text;
    case Kind::Archive:
      return other.archive;
    case Kind::Layer:
      return other.layer;
    case Kind::Transform:
      return other.transform;
    case Kind::Tokenizer:
      return other.tokenizer;
    case Kind::Loader:
      return other.loader;
    case Kind::Checkpoint:
      return other.checkpoint;
    case Kind::History:
      return other.history;
    case Kind::Progress:
      return other.progress;
    case Kind::Group:
      return other.group;
    case Kind::Transfer:
      return other.transfer;
    case Kind::DataParallel:
      return other.parallel;
  }
  return nullptr;
}

void* World::another(Kind kind) const {
  return kind == Kind::Tensor ? static_cast<void*>(own.plan) : static_cast<void*>(own.tensor);
}

void World::reset_outs() {
  std::memset(static_cast<void*>(&outs), 0x5A, sizeof outs);
  outs.stats.struct_size = sizeof outs.stats;
  outs.tensor_info.struct_size = sizeof outs.tensor_info;
  outs.dtype_info.struct_size = sizeof outs.dtype_info;
  outs.op_info.struct_size = sizeof outs.op_info;
  outs.loader_info.struct_size = sizeof outs.loader_info;
  outs.group_info.struct_size = sizeof outs.group_info;
  outs.parallel_info.struct_size = sizeof outs.parallel_info;
  outs.entry_info.struct_size = sizeof outs.entry_info;
  outs.entry_option.struct_size = sizeof outs.entry_option;
  outs.entry_part.struct_size = sizeof outs.entry_part;
  outs.tokenizer_info.struct_size = sizeof outs.tokenizer_info;
  outs.error.struct_size = sizeof outs.error;
  std::memcpy(static_cast<void*>(&untouched_), &outs, sizeof outs);
}

bool World::outs_untouched() const {
  return std::ranges::equal(std::as_bytes(std::span(&outs, 1)),
                            std::as_bytes(std::span(&untouched_, 1)));
}

std::set<std::string> exported_functions() {
  std::string header;
  const std::string folder = std::string(source_dir()) + "/c_api/include/tenon";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    header.append(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_GT(header.size(), 1000u);
  std::set<std::string> exported;
  const std::string mark = "\nTENON_EXPORT ";
  for (size_t at = header.find(mark); at != std::string::npos; at = header.find(mark, at + 1)) {
    // The name is what stands before the first parenthesis.
    const size_t end = header.find('(', at);
    const size_t begin = header.find_last_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", end - 1);
    exported.insert(header.substr(begin + 1, end - begin - 1));
  }
  EXPECT_GE(exported.size(), 60u);
  return exported;
}

void add_contexts(Rows& rows, const std::string& function,
                  const std::function<tenon_status(World&, tenon_context*)>& call) {
  rows.push_back({function, "NULL context", TENON_E_HANDLE,
                  [call](World& w) { return call(w, nullptr); }, false});
  rows.push_back(
      {function, "released context", TENON_E_HANDLE,
       [call](World& w) { return call(w, static_cast<tenon_context*>(w.released(Kind::Context))); },
       false});
  rows.push_back(
      {function, "wrong context", TENON_E_HANDLE,
       [call](World& w) { return call(w, static_cast<tenon_context*>(w.another(Kind::Context))); },
       false});
}

void add_handles(Rows& rows, const std::string& function, Kind kind,
                 const std::function<tenon_status(World&, void*)>& call) {
  add(rows, function, "NULL handle", TENON_E_HANDLE, [call](World& w) { return call(w, nullptr); });
  add(rows, function, "released handle", TENON_E_HANDLE,
      [call, kind](World& w) { return call(w, w.released(kind)); });
  add(rows, function, "handle of another kind", TENON_E_HANDLE,
      [call, kind](World& w) { return call(w, w.another(kind)); });
  add(rows, function, "handle of another runtime", TENON_E_RUNTIME,
      [call, kind](World& w) { return call(w, w.foreign(kind)); });
}

std::vector<uint32_t> unknown_flags(uint32_t known) {
  std::vector<uint32_t> flags;
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if ((known >> bit & 1) == 0) flags.push_back(1u << bit);
  }
  return flags;
}

void add_unknown_flags(Rows& rows, const std::string& function, uint32_t known,
                       const std::function<tenon_status(World&, uint32_t)>& call) {
  for (const uint32_t flag : unknown_flags(known)) {
    add(rows, function, "unknown flag " + std::to_string(flag), TENON_E_ARGUMENT,
        [call, flag](World& w) { return call(w, flag); });
  }
}

}  // namespace tenon::tests
