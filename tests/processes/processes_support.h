// SPDX-License-Identifier: Apache-2.0
// tests/processes/processes_support.h: several processes that run one test together, over test.shm.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>
#include <tenon/ext/draft/processes.h>
#include <tenon/tenon.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon::tests {

// One process: a context on the tree's own plugins and test.shm.
class Process {
 public:
  Process();
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Through `engine`; time-out in milliseconds.
  tenon_group* join(int64_t timeout = 20'000, const char* engine = "test.shm");
  tenon_tensor* tensor(tenon_dtype dtype, const std::vector<int64_t>& shape, const void* data);
  tenon_tensor* floats(const std::vector<int64_t>& shape, const std::vector<float>& data);
  void release_groups();
  tenon_tensor* keep(tenon_tensor* tensor);  // released at the end
  std::vector<float> read(tenon_tensor* tensor);
  // Begins and ends one transfer; its status.
  tenon_status move(tenon_group* group, uint32_t collective, tenon_tensor* input,
                    tenon_tensor* output, int32_t peer = 0, int64_t timeout = 0);
  tenon_error error();
  std::string text(const tenon_string& words) const { return {words.data, words.length}; }
  tenon_tensor* call(const char* op, const std::vector<tenon_tensor*>& inputs,
                     const std::vector<tenon_value>& attrs);
  tenon_group_info info(tenon_group* group) const;
  int64_t number(tenon_group* group) const { return info(group).number; }

  tenon_runtime* runtime = nullptr;
  tenon_context* context = nullptr;

 private:
  std::vector<tenon_tensor*> tensors_;
  std::vector<tenon_group*> groups_;
};

// Numbers from -scale to scale, others for each seed.
std::vector<float> noise(int seed, int64_t count, float scale);

// Runs `body` in so many processes, each of which gets its rank, and fails if one of them does or
// does not end. A process whose rank is in `die` is expected to be killed; how one ends whose rank
// is a key of `statuses` stands there afterwards, as waitpid tells it.
void in_processes(int n, const std::function<void(int rank)>& body, std::vector<int> die = {},
                  std::map<int, int>* statuses = nullptr);

// What `tenon verify ENGINE` has printed in so many processes, and how each of them has ended.
struct Judged {
  std::string text;
  std::vector<int> statuses;
};
// With the plugins in these folders and the tree's own. `prepare` is called in each process before.
Judged judge(int n, const std::string& engine, const std::vector<std::string>& folders,
             const std::function<void(int rank)>& prepare);

}  // namespace tenon::tests
