// SPDX-License-Identifier: Apache-2.0
// tests/api/wrong_input_support.h: a table of wrong calls: what is called how, and the one status
// that it must return.
#pragma once

#include <gtest/gtest.h>
#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/data_parallel.h>
#include <tenon/ext/draft/entries.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/progress.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/tenon.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tenon::tests {

// Every kind of handle.
enum class Kind {
  Runtime,
  Context,
  Tensor,
  Op,
  Plan,
  Optimizer,
  Schedule,
  Dataset,
  Text,
  Layer,
  Archive,
  Transform,
  Tokenizer,
  Loader,
  Checkpoint,
  History,
  Progress,
  Group,
  Transfer,
  DataParallel
};

// Where wrong calls are told to write. Filled with a pattern; no failing call may change it.
struct Outs {
  tenon_tensor* tensors[2];
  tenon_text* text;
  const tenon_op* op;
  tenon_plan* plan;
  tenon_optimizer* optimizer;
  tenon_dataset* dataset;
  tenon_schedule* schedule;
  tenon_archive* archive;
  tenon_history* history;
  tenon_progress* progress;
  tenon_layer* layer;
  tenon_transform* transform;
  tenon_tokenizer* tokenizer;
  tenon_loader* loader;
  tenon_group* group;
  tenon_transfer* transfer;
  tenon_data_parallel* parallel;
  tenon_checkpoint* checkpoint;
  tenon_context* context;
  tenon_runtime* runtime;
  const char* name;
  tenon_string strings[2];
  void* managed;
  uint32_t index;
  uint64_t numbers[3];
  int64_t length;
  double number;
  tenon_value value;
  tenon_device device;
  tenon_view view;
  tenon_meta meta;
  float data[6];
  tenon_stats stats;
  tenon_tensor_info tensor_info;
  tenon_dtype_info dtype_info;
  tenon_op_info op_info;
  tenon_loader_info loader_info;
  tenon_group_info group_info;
  tenon_data_parallel_info parallel_info;
  tenon_entry_info entry_info;
  tenon_entry_option entry_option;
  tenon_entry_part entry_part;
  tenon_tokenizer_info tokenizer_info;
  tenon_error error;
};

// One of everything, in two runtimes, and handles that were released.
struct World {
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  struct Side {
    tenon_runtime* runtime = nullptr;
    tenon_context* cx = nullptr;
    tenon_tensor* tensor = nullptr;     // f32[2,3]
    tenon_tensor* parameter = nullptr;  // f32[2,3], a leaf that requires a gradient
    const tenon_op* add = nullptr;
    tenon_plan* plan = nullptr;  // one input like `tensor`
    tenon_optimizer* optimizer = nullptr;
    tenon_schedule* schedule = nullptr;
    tenon_dataset* dataset = nullptr;
    tenon_layer* layer = nullptr;      // linear from 3 to 2
    tenon_layer* container = nullptr;  // empty
    tenon_text* text = nullptr;
    tenon_transform* transform = nullptr;     // normalise, with no options
    tenon_tokenizer* tokenizer = nullptr;     // of bytes
    tenon_loader* loader = nullptr;           // of `dataset`
    tenon_checkpoint* checkpoint = nullptr;   // the value "step"
    tenon_archive* archive = nullptr;         // "w": `tensor`, metadata "k": "v"
    tenon_history* history = nullptr;         // "loss": 1 at step 0
    tenon_progress* progress = nullptr;       // shows nothing
    tenon_group* group = nullptr;             // this process alone, through tenon.self
    tenon_transfer* transfer = nullptr;       // that has ended
    tenon_data_parallel* parallel = nullptr;  // of `parameter`
  };
  void* foreign(Kind kind) const;  // of the other runtime
  void* released(Kind kind) const { return stale.at(kind); }
  void* another(Kind kind) const;  // alive, of another kind

  void reset_outs();
  bool outs_untouched() const;

  Side own;
  Side other;
  tenon_context* cx = nullptr;       // own.cx
  tenon_tensor* t = nullptr;         // own.tensor
  tenon_tensor* wide = nullptr;      // f32[2,4]
  tenon_tensor* integers = nullptr;  // i64[2,3]
  tenon_tensor* spread = nullptr;    // f32[2,3] with zero strides
  tenon_tensor* line = nullptr;      // f32[6] likewise
  tenon_tensor* constant = nullptr;  // f32[2,3], read-only
  tenon_tensor* computed = nullptr;  // f32[2,3], recorded from own.parameter
  tenon_tensor* away = nullptr;      // f32[2,3] on device "other"
  const tenon_op* sum = nullptr;
  float memory[6] = {};
  Outs outs;
  std::map<Kind, void*> stale;

 private:
  void make_side(Side& side);
  void release_side(Side& side);
  void make_stale();
  Outs untouched_;
};

struct Row {
  std::string function;
  std::string what;
  tenon_status expected;
  std::function<tenon_status(World&)> call;
  bool record = true;  // a context was there to store the error in
};
using Rows = std::vector<Row>;

// The headers' own list of functions: a new one without a row fails the tests that compare.
std::set<std::string> exported_functions();

// Calls with a NULL, a released and a wrong context.
void add_contexts(Rows& rows, const std::string& function,
                  const std::function<tenon_status(World&, tenon_context*)>& call);
// Calls with a NULL, a released, a wrong, and another runtime's handle.
void add_handles(Rows& rows, const std::string& function, Kind kind,
                 const std::function<tenon_status(World&, void*)>& call);
// Each bit alone that is not in `known`.
std::vector<uint32_t> unknown_flags(uint32_t known);
// Calls with each of them.
void add_unknown_flags(Rows& rows, const std::string& function, uint32_t known,
                       const std::function<tenon_status(World&, uint32_t)>& call);
// `call` with every wrong context and every wrong handle of the kind.
template <class T>
void add_both(Rows& rows, const char* function, Kind kind, T* World::Side::*own,
              std::function<tenon_status(World&, tenon_context*, T*)> call) {
  add_contexts(rows, function,
               [call, own](World& w, tenon_context* cx) { return call(w, cx, w.own.*own); });
  add_handles(rows, function, kind,
              [call](World& w, void* handle) { return call(w, w.cx, static_cast<T*>(handle)); });
}
inline void add(Rows& rows, const std::string& function, const std::string& what,
                tenon_status expected, std::function<tenon_status(World&)> call) {
  rows.push_back({function, what, expected, std::move(call), true});
}

// By part of the headers.
void add_runtime_rows(Rows& rows);
void add_tensor_rows(Rows& rows);
void add_gradient_rows(Rows& rows);
void add_op_rows(Rows& rows);
void add_training_rows(Rows& rows);
void add_archive_rows(Rows& rows);
void add_layer_rows(Rows& rows);
void add_loader_rows(Rows& rows);
void add_tokenizer_rows(Rows& rows);
void add_process_rows(Rows& rows);
void add_history_rows(Rows& rows);
void add_entry_rows(Rows& rows);

tenon_value value_of(tenon_tensor* tensor);
tenon_value value_of(double number);
tenon_value value_of(std::span<const int64_t> ints);
tenon_value value_of(const std::string& text);

}  // namespace tenon::tests
