// SPDX-License-Identifier: Apache-2.0
// tests/training/history_support.h: a history in a runtime of its own, and full disks.
#pragma once

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <tenon/ext/draft/progress.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/training/training_support.h"

namespace tenon::tests {

std::string content_of(const std::filesystem::path& file);
size_t count_of(const std::string& text, const std::string& part);

class History : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    must(tenon_history_create(context, &history));
  }
  void TearDown() override {
    tenon_history_release(history);
    Training::TearDown();
  }

  tenon_status try_set(std::string_view name, int64_t step, double value) {
    return tenon_history_set(context, history, name.data(), name.size(), step, value);
  }
  void set(std::string_view name, int64_t step, double value) { must(try_set(name, step, value)); }
  tenon_status try_save(const std::string& file, std::string_view title = "Digits") {
    return tenon_history_save(context, history, file.data(), file.size(), title.data(),
                              title.size(), "step", TENON_NUL);
  }
  std::string picture(std::string_view title = "Digits") {
    must(try_save(path("loss.svg"), title));
    return content_of(path("loss.svg"));
  }
  tenon_status try_events(std::string_view name) {
    return tenon_history_set_events(context, history, name.data(), name.size());
  }
  std::string query(std::string_view topic);
  // What lies in `folder`, in order.
  std::vector<std::string> files() const;

  tenon_history* history = nullptr;
};

// Files of this process grow no longer than that, as on a full disk. The signal that comes with it
// would end the process.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{bytes, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &limit_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit limit_{};
};

}  // namespace tenon::tests
