// SPDX-License-Identifier: Apache-2.0
// tests/training/progress_test.cc: the progress line, on a terminal and elsewhere.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <tenon/ext/draft/progress.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/training/history_support.h"

namespace tenon::tests {
namespace {

using testing::MatchesRegex;
using testing::StartsWith;

// Standard error is another file while this lives.
class StandardError {
 public:
  explicit StandardError(int file) : before_(dup(2)) {
    EXPECT_EQ(dup2(file, 2), 2);
    close(file);
  }
  ~StandardError() {
    dup2(before_, 2);
    close(before_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

 private:
  int before_;
};

class Progress : public Training {
 protected:
  tenon_progress* begin(const char* label, int64_t total, uint32_t flags) {
    tenon_progress* made = nullptr;
    must(tenon_progress_create(context, label, TENON_NUL, total, flags, &made));
    return made;
  }
  void run(tenon_progress* progress, int64_t done, const char* name, double value) {
    must(tenon_progress_run(context, progress, done, name, TENON_NUL, value));
  }
  // What `body` writes to standard error, which is a file.
  template <class Body>
  std::string written(Body body) {
    {
      const StandardError file(open(path("stream").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
      body();
    }
    return content_of(path("stream"));
  }
  // What it writes to a terminal.
  template <class Body>
  static std::string on_terminal(Body body) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_EQ(grantpt(terminal), 0);
    EXPECT_EQ(unlockpt(terminal), 0);
    std::string shown;
    {
      const StandardError line(open(ptsname(terminal), O_RDWR | O_NOCTTY));
      body();
      std::array<char, 4096> bytes;
      EXPECT_EQ(fcntl(terminal, F_SETFL, O_NONBLOCK), 0);
      for (ssize_t n = 0; (n = read(terminal, bytes.data(), bytes.size())) > 0;) {
        shown.append(bytes.data(), static_cast<size_t>(n));
      }
    }
    close(terminal);
    return shown;
  }
};

TEST_F(Progress, LineIsForTerminalsOnly) {
  const auto body = [&] {
    tenon_progress* line = begin("epoch 1/5", 4000, 0);
    run(line, 1000, "loss", 0.51239);
    run(line, 1001, "loss", 0.4);  // too soon after the last
    tenon_progress_release(line);
  };
  EXPECT_EQ(written(body), "");
  EXPECT_THAT(on_terminal(body), MatchesRegex("\repoch 1/5   25 %  loss 0\\.5124  [0-9]+/s  [0-9]+:"
                                              "[0-9:]+ left\033\\[K\r\033\\[K"));
}

TEST_F(Progress, LineElsewhereIfItIsAskedFor) {
  EXPECT_THAT(written([&] {
                tenon_progress* line = begin("stream", 0, TENON_PROGRESS_ALWAYS);
                run(line, 70, "loss", 2);
                tenon_progress_release(line);
              }),
              MatchesRegex("\rstream  70  loss 2\\.0000  [0-9]+/s\033\\[K\r\033\\[K"));
}

TEST_F(Progress, NoNumberWithoutAName) {
  EXPECT_THAT(written([&] {
                tenon_progress* line = begin("", 10, TENON_PROGRESS_ALWAYS);
                must(tenon_progress_run(context, line, 10, nullptr, 0, 3));
                tenon_progress_release(line);
              }),
              MatchesRegex("\r  100 %  [0-9]+/s  0:00 left\033\\[K\r\033\\[K"));
}

TEST_F(Progress, NothingToClearWithoutALine) {
  EXPECT_EQ(written([&] { tenon_progress_release(begin("x", 1, TENON_PROGRESS_ALWAYS)); }), "");
  tenon_progress_release(nullptr);
}

TEST_F(Progress, TextsMoveNoCursor) {
  const std::string shown = written([&] {
    tenon_progress* line = begin("a\nb\033[2J\x7f", 1, TENON_PROGRESS_ALWAYS);
    run(line, 1, "c\rd", 0);
    tenon_progress_release(line);
  });
  EXPECT_THAT(shown, StartsWith("\ra b [2J   100 %  c d 0.0000  "));
}

TEST_F(Progress, AtMostTenLinesASecond) {
  const auto start = std::chrono::steady_clock::now();
  double seconds = 0;
  const std::string shown = written([&] {
    tenon_progress* line = begin("x", 0, TENON_PROGRESS_ALWAYS);
    for (int64_t done = 0; seconds < 0.35; ++done) {
      run(line, done, "", 0);
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    tenon_progress_release(line);
  });
  const size_t lines = count_of(shown, "/s");
  EXPECT_GE(lines, 2u);
  EXPECT_LE(static_cast<double>(lines), seconds / 0.1 + 1);
}

TEST_F(Progress, ALineThatCannotBeWrittenIsLeftOut) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);  // nobody reads: writing there raises a signal
  const auto body = [&] {
    tenon_progress* line = begin("x", 0, TENON_PROGRESS_ALWAYS);
    run(line, 1, "", 0);
    tenon_progress_release(line);
  };
  {
    const StandardError nobody(ends[1]);
    body();
  }
  {
    const StandardError full(open("/dev/full", O_WRONLY));
    body();
  }
  {
    const StandardError limited(open(path("stream").c_str(), O_WRONLY | O_CREAT, 0600));
    const FullDisk disk(0);
    body();
  }
  {
    const StandardError closed(open("/dev/null", O_WRONLY));
    close(2);
    body();
  }
}

TEST_F(Progress, MayBeReleasedOnAnotherThread) {
  EXPECT_THAT(written([&] {
                tenon_progress* line = begin("x", 0, TENON_PROGRESS_ALWAYS);
                run(line, 1, "", 0);
                std::thread([line] { tenon_progress_release(line); }).join();
              }),
              MatchesRegex(".*\r\033\\[K"));
}

TEST_F(Progress, WrongArguments) {
  tenon_progress* line = nullptr;
  EXPECT_EQ(refused(tenon_progress_create(context, "x", 1, -1, 0, &line), TENON_E_ARGUMENT),
            "progress: total is negative\n\ntotal\n0 or more\n-1\n\n"
            "a total of 0 is one that is not known\n");
  EXPECT_EQ(refused(tenon_progress_create(context, "x", 1, 0, 2, &line), TENON_E_ARGUMENT),
            "unknown flags\n\nflags\n\n2\n\n\n");
  EXPECT_THAT(refused(tenon_progress_create(context, "\xff", 1, 0, 0, &line), TENON_E_ARGUMENT),
              StartsWith("progress: the label is not UTF-8"));
  EXPECT_EQ(line, nullptr);
  const std::string shown = written([&] {
    line = begin("x", 0, TENON_PROGRESS_ALWAYS);
    EXPECT_THAT(refused(tenon_progress_run(context, line, -1, "loss", 4, 0), TENON_E_ARGUMENT),
                StartsWith("progress: done is negative"));
    EXPECT_THAT(refused(tenon_progress_run(context, line, 1, "\xff", 1, 0), TENON_E_ARGUMENT),
                StartsWith("progress: the name is not UTF-8"));
    tenon_progress_release(line);
    EXPECT_THAT(refused(tenon_progress_run(context, line, 1, "loss", 4, 0), TENON_E_HANDLE),
                StartsWith("not a live progress handle"));
  });
  EXPECT_EQ(shown, "");
}

}  // namespace
}  // namespace tenon::tests
