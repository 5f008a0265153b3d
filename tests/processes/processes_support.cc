// SPDX-License-Identifier: Apache-2.0
// tests/processes/processes_support.cc: processes made by fork, before anything else is.
#include "tests/processes/processes_support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/paths.h"

namespace tenon::tests {

Process::Process() {
  const std::string ours = plugin_dir();
  const std::string shm = std::string(test_plugin_dir()) + "/processes";
  const tenon_string paths[] = {{ours.data(), ours.size()}, {shm.data(), shm.size()}};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
  options.paths = paths;
  options.n_paths = 2;
  tenon_diag diag{};
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  EXPECT_EQ(tenon_context_create(runtime, &diag, &context), TENON_OK) << diag.message;
}

Process::~Process() {
  for (tenon_tensor* tensor : tensors_) tenon_tensor_release(tensor);
  release_groups();
  tenon_context_release(context);
  tenon_runtime_release(runtime);
}

void Process::release_groups() {
  for (tenon_group* group : groups_) tenon_group_release(group);
  groups_.clear();
}

tenon_group* Process::join(int64_t timeout, const char* engine) {
  tenon_group* group = nullptr;
  const tenon_status status =
      tenon_group_create(context, engine, TENON_NUL, nullptr, nullptr, 0, timeout, &group);
  EXPECT_EQ(status, TENON_OK) << error().message;
  if (group) groups_.push_back(group);
  return group;
}

tenon_tensor* Process::keep(tenon_tensor* tensor) {
  if (tensor) tensors_.push_back(tensor);
  return tensor;
}

tenon_tensor* Process::tensor(tenon_dtype dtype, const std::vector<int64_t>& shape,
                              const void* data) {
  uint64_t bytes = (dtype >> 8 & 0xFF) / 8;
  for (const int64_t size : shape) bytes *= static_cast<uint64_t>(size);
  tenon_tensor* made = nullptr;
  const tenon_status status =
      tenon_tensor_create_from(context, dtype, nullptr, static_cast<int32_t>(shape.size()),
                               shape.data(), data, bytes, &made);
  EXPECT_EQ(status, TENON_OK) << error().message;
  return keep(made);
}

tenon_tensor* Process::floats(const std::vector<int64_t>& shape, const std::vector<float>& data) {
  return tensor(TENON_DTYPE_F32, shape, data.data());
}

std::vector<float> Process::read(tenon_tensor* tensor) {
  tenon_view view{};
  EXPECT_EQ(tenon_tensor_get_view(context, tensor, &view), TENON_OK);
  size_t count = 1;
  for (int32_t i = 0; i < view.rank; ++i) count *= static_cast<size_t>(view.shape[i]);
  std::vector<float> data(count);
  EXPECT_EQ(tenon_tensor_get_data(context, tensor, data.data(), count * sizeof(float)), TENON_OK)
      << error().message;
  return data;
}

tenon_status Process::move(tenon_group* group, uint32_t collective, tenon_tensor* input,
                           tenon_tensor* output, int32_t peer, int64_t timeout) {
  const tenon_transfer_request request = {sizeof request, 0, collective, peer, input, output};
  const tenon_transfer_request* const requests = &request;
  tenon_transfer* transfer = nullptr;
  tenon_status status = tenon_group_begin(context, group, &requests, 1, timeout, &transfer);
  if (status != TENON_OK) return status;
  status = tenon_transfer_end(context, transfer);
  tenon_transfer_release(transfer);
  return status;
}

tenon_error Process::error() {
  tenon_error error{};
  error.struct_size = sizeof error;
  EXPECT_EQ(tenon_context_get_error(context, &error), TENON_OK);
  return error;
}

tenon_tensor* Process::call(const char* name, const std::vector<tenon_tensor*>& inputs,
                            const std::vector<tenon_value>& attrs) {
  const tenon_op* op = nullptr;
  EXPECT_EQ(tenon_op_find(context, name, TENON_NUL, 0, &op), TENON_OK) << error().message;
  std::vector<tenon_value> values;
  for (tenon_tensor* input : inputs) {
    tenon_value value{TENON_VALUE_TENSOR, 0, {}};
    value.as.tensor = input;
    values.push_back(value);
  }
  tenon_tensor* out = nullptr;
  EXPECT_EQ(tenon_op_call(context, op, values.data(), static_cast<uint32_t>(values.size()),
                          attrs.data(), static_cast<uint32_t>(attrs.size()), &out, 1),
            TENON_OK)
      << error().message << " " << error().expected << " " << error().found;
  return keep(out);
}

tenon_group_info Process::info(tenon_group* group) const {
  tenon_group_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(tenon_group_get_info(context, group, &info), TENON_OK);
  return info;
}

namespace {

void set_place(int rank, int n, const std::string& name) {
  setenv("TEST_SHM_NAME", name.c_str(), 1);
  setenv("TEST_SHM_RANK", std::to_string(rank).c_str(), 1);
  setenv("TEST_SHM_SIZE", std::to_string(n).c_str(), 1);
}

pid_t begin(int rank, int n, const std::string& name, const std::function<void(int rank)>& body) {
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t child = fork();
  if (child != 0) return child;
  set_place(rank, n, name);
  body(rank);
  std::fflush(stdout);
  std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

std::string how(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::vector<float> noise(int seed, int64_t count, float scale) {
  std::vector<float> data;
  for (int64_t i = 0; i < count; ++i) {
    data.push_back(scale * std::sin(static_cast<float>(seed * 131 + i * 17) * 0.41F));
  }
  return data;
}

void in_processes(int n, const std::function<void(int rank)>& body, std::vector<int> die,
                  std::map<int, int>* statuses) {
  static int count = 0;
  const std::string name =
      "/tenon-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  std::vector<pid_t> children;
  for (int rank = 0; rank < n; ++rank) children.push_back(begin(rank, n, name, body));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  for (int rank = 0; rank < n; ++rank) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(children[static_cast<size_t>(rank)], &status, WNOHANG)) == 0 &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (ended == 0) {
      kill(children[static_cast<size_t>(rank)], SIGKILL);
      waitpid(children[static_cast<size_t>(rank)], &status, 0);
      ADD_FAILURE() << "rank " << rank << " does not end";
      continue;
    }
    if (statuses && statuses->contains(rank)) {
      statuses->at(rank) = status;
      continue;
    }
    const bool dies = std::ranges::find(die, rank) != die.end();
    EXPECT_EQ(WIFSIGNALED(status), dies) << "rank " << rank << " " << how(status);
    if (dies) continue;
    EXPECT_EQ(status, 0) << "rank " << rank << " " << how(status);
  }
  shm_unlink(name.c_str());
}

namespace {

[[noreturn]] void run_kit(const std::string& engine, const std::vector<std::string>& folders,
                          const std::string& file) {
  const int out = open(file.c_str(), O_CREAT | O_WRONLY, 0600);
  dup2(out, 1);
  dup2(out, 2);
  std::vector<const char*> words = {"tenon"};
  for (const std::string& folder : folders) {
    words.insert(words.end(), {"--plugin-path", folder.c_str()});
  }
  words.insert(words.end(),
               {"--plugin-path", plugin_dir(), "verify", engine.c_str(), "--jobs", "1", nullptr});
  execv(command_path(), const_cast<char**>(words.data()));
  std::_Exit(99);
}

}  // namespace

Judged judge(int n, const std::string& engine, const std::vector<std::string>& folders,
             const std::function<void(int rank)>& prepare) {
  static int count = 0;
  const std::string name =
      "/tenon-verify-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  const std::string file = (std::filesystem::temp_directory_path() / name.substr(1)).string() + "-";
  std::vector<pid_t> children;
  for (int rank = 0; rank < n; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      set_place(rank, n, name);
      prepare(rank);
      run_kit(engine, folders, file + std::to_string(rank));
    }
    children.push_back(child);
  }
  Judged judged;
  for (int rank = 0; rank < n; ++rank) {
    int status = 0;
    waitpid(children[static_cast<size_t>(rank)], &status, 0);
    judged.statuses.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    std::ifstream stream(file + std::to_string(rank));
    judged.text += std::string{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file + std::to_string(rank));
  }
  shm_unlink(name.c_str());
  return judged;
}

}  // namespace tenon::tests
