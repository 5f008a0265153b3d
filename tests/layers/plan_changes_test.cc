// SPDX-License-Identifier: Apache-2.0
// tests/layers/plan_changes_test.cc: whatever the public headers let a program change after a step
// was captured: the next run of the plan is an error that names it, or does as the eager step does.
//
// Each exported function has rows in the table, or stands in the list of those that change nothing
// that a captured step works on. A function that neither knows fails the test.
#include "tests/layers/plan_changes_support.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>

#include "tests/support/paths.h"

namespace tenon::tests {

using testing::HasSubstr;

namespace {

tenon_status leave_alone(tenon_context*, tenon_tensor*, tenon_tensor**, void*) { return TENON_OK; }

// Functions that make, find, read or release: they leave what there is as it is.
bool only_reads(const std::string& function) {
  static const std::regex verbs(
      "tenon_[a-z_]*?_(get|find|create|release|query|is|explain|retain|wait|save)(_[a-z_]+)?");
  return std::regex_match(function, verbs) && function.find("_set_") == function.npos;
}

// Tried in tests of their own.
const std::map<std::string, std::string> kElsewhere = {
    {"tenon_data_parallel_share_states", "seen: sharing of the states by processes"},
    {"tenon_layer_set_cache", "seen: use of a cache"},
    {"tenon_tensor_set_retain_grad", "refused at once: a backward of the tensor was captured"},
};

// Why others cannot matter to a plan.
const std::map<std::string, std::string> kCannot = {
    {"tenon_archive_load", "it reads a file into new tensors"},
    {"tenon_archive_set_metadata", "an archive is a file to be"},
    {"tenon_archive_set_tensor", "an archive is a file to be"},
    {"tenon_capture_begin", "each capture makes a plan of its own"},
    {"tenon_capture_end", "each capture makes a plan of its own"},
    {"tenon_check_end", "it ends what a run is judged by"},
    {"tenon_checkpoint_set_layer", "it says what a file will hold"},
    {"tenon_checkpoint_set_loader", "it says what a file will hold"},
    {"tenon_checkpoint_set_optimizer", "it says what a file will hold"},
    {"tenon_checkpoint_set_schedule", "it says what a file will hold"},
    {"tenon_checkpoint_set_tensor", "it says what a file will hold"},
    {"tenon_checkpoint_set_value", "it says what a file will hold"},
    {"tenon_data_parallel_begin", "it is a part of the step"},
    {"tenon_data_parallel_clip", "it is a part of the step"},
    {"tenon_data_parallel_end", "it is a part of the step"},
    {"tenon_data_parallel_give_up", "a capture that it ends in is given up, too"},
    {"tenon_data_parallel_gather_states", "there are none before states are shared"},
    {"tenon_data_parallel_set_step", "in a capture random numbers follow the context's counter"},
    {"tenon_dataset_call", "batches are inputs of the plan"},
    {"tenon_file_set", "it writes a file"},
    {"tenon_function_call", "it gives gradients to the caller, not to leaves"},
    {"tenon_gradient_call", "it gives gradients to the caller, not to leaves"},
    {"tenon_grad_begin", "what needs gradients was decided by the capture, and a run records none"},
    {"tenon_grad_end", "what needs gradients was decided by the capture, and a run records none"},
    {"tenon_group_abort", "it ends the program"},
    {"tenon_group_begin", "what a transfer writes are values, which are read by each run"},
    {"tenon_group_split", "a group stays what it was"},
    {"tenon_history_set", "a history is what a program has noted"},
    {"tenon_history_set_events", "a history is what a program has noted"},
    {"tenon_layer_crop_cache", "a layer whose cache would be used is not captured"},
    {"tenon_loader_begin", "batches are inputs of the plan"},
    {"tenon_loader_run", "batches are inputs of the plan"},
    {"tenon_loader_set_buckets", "batches are inputs of the plan"},
    {"tenon_loader_set_share", "batches are inputs of the plan"},
    {"tenon_loader_set_transforms", "batches are inputs of the plan"},
    {"tenon_loader_set_workers", "batches are inputs of the plan"},
    {"tenon_op_call", "it makes new tensors"},
    {"tenon_op_log_end", "it ends what watches a run"},
    {"tenon_plan_run", "it is the run"},
    {"tenon_plan_set", "an input of another kind is refused there"},
    {"tenon_plugin_load", "a plan keeps its kernels, and others give the same bits"},
    {"tenon_progress_run", "it prints"},
    {"tenon_schedule_run", "it gives a number, which the program sets"},
    {"tenon_schedule_set_state", "it gives a number, which the program sets"},
    {"tenon_scope_end", "scopes name what runs"},
    {"tenon_serial_end", "a run has the same bits on one thread"},
    {"tenon_tokenizer_call", "texts become batches, which are inputs of the plan"},
    {"tenon_tokenizer_call_batch", "texts become batches, which are inputs of the plan"},
    {"tenon_tokenizer_load", "it makes a tokenizer"},
    {"tenon_trace_end", "it ends what watches a run"},
    {"tenon_transfer_end", "what a transfer writes are values, which are read by each run"},
    {"tenon_transform_call", "batches are inputs of the plan"},
};

std::set<std::string> exported() {
  std::set<std::string> names;
  const std::regex name("TENON_EXPORT[^(]*?(tenon_[a-z0-9_]+)\\(");
  const std::string folder = std::string(source_dir()) + "/c_api/include/tenon";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    const std::string header(std::istreambuf_iterator<char>(file), {});
    for (std::sregex_iterator at(header.begin(), header.end(), name), end; at != end; ++at) {
      names.insert((*at)[1]);
    }
  }
  EXPECT_GE(names.size(), 190u);
  return names;
}

}  // namespace

TEST_F(PlanChanges, AreSeenOrTaken) {
  for (const Row& row : rows()) {
    judge(row);
    must(tenon_context_set_arithmetic(context, TENON_ARITHMETIC_CANONICAL));
  }
}

TEST_F(PlanChanges, TheTableHasAllThatTheHeadersOffer) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const Row& row : rows()) {
    const char* outcome = row.outcome == Outcome::Seen ? "seen: " : "takes effect: ";
    lines[row.function].push_back(outcome + row.words);
  }
  for (const auto& [function, why] : kCannot) {
    EXPECT_TRUE(lines[function].empty()) << function << " has rows";
    lines[function].push_back("cannot matter: " + why);
  }
  for (const auto& [function, outcome] : kElsewhere) lines[function].push_back(outcome);
  const std::set<std::string> all = exported();
  for (const std::string& function : all) {
    const bool reads = only_reads(function);
    EXPECT_NE(lines.contains(function), reads)
        << function << (reads ? " has a row, and changes nothing" : " has no row in this table");
  }
  for (const auto& [function, outcomes] : lines) {
    EXPECT_TRUE(all.contains(function)) << function << " is not exported";
    for (const std::string& outcome : outcomes) std::cout << function << " | " << outcome << "\n";
  }
}

// ---- What needs a step of its own ---------------------------------------------------------------

TEST_F(PlanChanges, CachesThatWouldBeUsedAreSeen) {
  const Layer attention =
      layer("tenon.multi_head_attention", {{"width", integer(4)}, {"heads", integer(2)}});
  set_training(attention, false);
  const Tensor x = tensor<float>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  must(tenon_grad_begin(context, TENON_GRAD_DISABLED));
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  const Tensor y = run(attention, x.get());
  must(tenon_capture_end(context, &plan));
  must(tenon_layer_set_cache(context, attention.get(), 1, 8));
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE), HasSubstr("use of a cache"));
  must(tenon_layer_set_cache(context, attention.get(), 1, 0));
  must(tenon_plan_run(context, plan));
  tenon_plan_release(plan);
  must(tenon_grad_end(context));
}

TEST_F(PlanChanges, RetainedGradientsOfCapturedBackwardsAreRefused) {
  const Tensor w = parameter(ones());
  const Tensor y = call("tenon.square", {one(w.get())});
  const Tensor loss = call("tenon.sum", {one(y.get())});
  tenon_tensor* const root = loss.get();
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  must(tenon_backward_run(context, &root, nullptr, 1, TENON_BACKWARD_RETAIN));
  must(tenon_capture_end(context, &plan));
  const std::string words = "a backward of the tensor was captured";
  EXPECT_THAT(refused(tenon_tensor_set_retain_grad(context, y.get(), 1), TENON_E_STATE),
              HasSubstr(words));
  uint64_t hook = 0;
  EXPECT_THAT(refused(tenon_hook_begin(context, y.get(), leave_alone, nullptr, nullptr, &hook),
                      TENON_E_STATE),
              HasSubstr(words));
  tenon_plan_release(plan);
}

// A parameter that was frozen when the step was captured would never be trained.
TEST_F(PlanChanges, UnfreezingIsSeen) {
  Trained run = make();
  must(tenon_tensor_set_requires_grad(context, run.weight, 0));
  capture(run);
  must(tenon_plan_run(context, run.plan));
  must(tenon_tensor_set_requires_grad(context, run.weight, 1));
  EXPECT_THAT(refused(tenon_plan_run(context, run.plan), TENON_E_STATE),
              HasSubstr("requires_grad of the leaf f32[2,2] = false, which is true now"));
  must(tenon_tensor_set_requires_grad(context, run.weight, 0));
  must(tenon_plan_run(context, run.plan));
  tenon_plan_release(run.plan);
}

// Children that a step only looks at, to call them itself.
TEST_F(PlanChanges, ContainersThatAreOnlyLookedAtAreSeen) {
  Trained run = make();
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  ASSERT_EQ(names(run.model).size(), 2u);
  const Tensor y = this->run(run.linear, run.x.get());
  must(tenon_capture_end(context, &plan));
  must(tenon_plan_run(context, plan));
  set_training(run.model, false);  // of `linear` this is seen, of the container it is not asked
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE), HasSubstr("tenon.linear"));
  set_training(run.model, true);
  add(run.model, linear(2, 2));
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE),
              HasSubstr("children of a layer tenon.sequential"));
  tenon_plan_release(plan);
}

// A step that switches and switches back finds its own mode in each run.
TEST_F(PlanChanges, WhatTheStepChangesItselfIsAsItLeavesIt) {
  Trained run = make();
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  set_training(run.model, false);
  must(tenon_tensor_set_requires_grad(context, run.weight, 0));
  const Tensor y = this->run(run.model, run.x.get());
  must(tenon_tensor_set_requires_grad(context, run.weight, 1));
  set_training(run.model, true);
  must(tenon_capture_end(context, &plan));
  must(tenon_plan_run(context, plan));
  set_training(run.model, false);
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE), HasSubstr("training"));
  // Again, and after another one.
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE), HasSubstr("training"));
  set_training(run.model, true);
  must(tenon_tensor_set_requires_grad(context, run.weight, 0));
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE), HasSubstr("requires_grad"));
  must(tenon_tensor_set_requires_grad(context, run.weight, 1));
  must(tenon_plan_run(context, plan));
  tenon_plan_release(plan);
}

// An input for which the step has found no gradient would get none.
TEST_F(PlanChanges, InputsThatBeginToNeedGradientsAreSeen) {
  const Tensor w = parameter(ones());
  const Tensor x = ones();
  tenon_tensor* inputs[] = {x.get()};
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, inputs, 1));
  const Tensor y = call("tenon.mul", {one(w.get()), one(x.get())});
  const Tensor loss = call("tenon.sum", {one(y.get())});
  backward(loss);
  must(tenon_capture_end(context, &plan));
  const Tensor other = parameter(ones());
  const std::string words = "requires_grad of input 0 = false, which is true now";
  must(tenon_plan_set(context, plan, 0, other.get()));
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE), HasSubstr(words));
  must(tenon_plan_set(context, plan, 0, x.get()));
  must(tenon_plan_run(context, plan));
  must(tenon_tensor_set_requires_grad(context, x.get(), 1));
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE), HasSubstr(words));
  tenon_plan_release(plan);
}

}  // namespace tenon::tests
