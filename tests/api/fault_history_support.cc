// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_history_support.cc: right calls of histories and progress lines.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "tests/api/fault_sweep_support.h"

namespace tenon::tests {
namespace {

// Made before any call, in which allocations fail.
const std::string kFolder =
    (std::filesystem::temp_directory_path() / ("tenon-history-" + std::to_string(getpid())))
        .string();
const std::string kPicture = kFolder + "/a picture with a name that is not short.svg";
constexpr char kSeries[] = "a series with a name that is not short";

// What the calls work on, made anew for each.
tenon_history* history = nullptr;
tenon_progress* line = nullptr;

void make_history(FaultWorld& w) {
  std::filesystem::create_directory(kFolder);
  EXPECT_EQ(tenon_history_create(w.cx, &history), TENON_OK);
}

void make_line(FaultWorld& w) {
  EXPECT_EQ(tenon_progress_create(w.cx, "label", TENON_NUL, 9, TENON_PROGRESS_ALWAYS, &line),
            TENON_OK);
}

size_t files_in_folder() {
  const std::filesystem::directory_iterator all(kFolder);
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

void end_history() {
  tenon_history_release(std::exchange(history, nullptr));
  std::filesystem::remove_all(kFolder);
}

tenon_status set_point(FaultWorld& w) {
  return tenon_history_set(w.cx, history, kSeries, TENON_NUL, 1, 0.5);
}

// The point is there if the call said so, and only then.
void check_point(FaultWorld& w, tenon_status status) {
  const tenon_status found =
      tenon_history_get(w.cx, history, kSeries, TENON_NUL, 0, nullptr, nullptr);
  EXPECT_EQ(found, status == TENON_OK ? TENON_OK : TENON_E_NOT_FOUND);
  end_history();
}

// A line that is written, where nobody sees it.
tenon_status run_line(FaultWorld& w) {
  const int before = dup(2);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 2);
  const tenon_status status = tenon_progress_run(w.cx, line, 5, kSeries, TENON_NUL, 0.5);
  dup2(before, 2);
  close(before);
  close(nowhere);
  return status;
}

void add_history(FaultRows& rows, const char* function, const std::string& what,
                 std::function<tenon_status(FaultWorld&)> call,
                 std::function<void(FaultWorld&)> before,
                 std::function<void(FaultWorld&, tenon_status)> check) {
  rows.push_back({function, what, std::move(call), {}, std::move(before), false, std::move(check)});
}

void add_files(FaultRows& rows) {
  add_history(
      rows, "tenon_history_set_events", "the first",
      [](FaultWorld& w) {
        return tenon_history_set_events(w.cx, history, kFolder.c_str(), TENON_NUL);
      },
      make_history,
      [](FaultWorld&, tenon_status status) {
        EXPECT_EQ(files_in_folder(), status == TENON_OK ? 1u : 0u);
        end_history();
      });
  add_history(
      rows, "tenon_history_save", "one series",
      [](FaultWorld& w) {
        return tenon_history_save(w.cx, history, kPicture.c_str(), TENON_NUL, kSeries, TENON_NUL,
                                  "step", TENON_NUL);
      },
      [](FaultWorld& w) {
        make_history(w);
        EXPECT_EQ(set_point(w), TENON_OK);
      },
      [](FaultWorld&, tenon_status status) {
        EXPECT_EQ(files_in_folder(), status == TENON_OK ? 1u : 0u);
        end_history();
      });
}

void add_lines(FaultRows& rows) {
  sweep(rows, "tenon_progress_create", "", [](FaultWorld& w) {
    return tenon_progress_create(w.cx, kSeries, TENON_NUL, 9, 0, &w.outs.progress);
  });
  sweep(rows, "tenon_progress_run", "shown", run_line, {}, make_line);
  rows.back().check = [](FaultWorld&, tenon_status) {
    const int before = dup(2);
    close(2);
    tenon_progress_release(std::exchange(line, nullptr));
    dup2(before, 2);
    close(before);
  };
  sweep(
      rows, "tenon_progress_release", "",
      [](FaultWorld&) {
        tenon_progress_release(std::exchange(line, nullptr));
        return TENON_OK;
      },
      {}, make_line);
}

}  // namespace

FaultRows history_faults() {
  FaultRows rows;
  sweep(rows, "tenon_history_create", "",
        [](FaultWorld& w) { return tenon_history_create(w.cx, &w.outs.history); });
  add_history(
      rows, "tenon_history_release", "",
      [](FaultWorld&) {
        tenon_history_release(std::exchange(history, nullptr));
        return TENON_OK;
      },
      make_history, [](FaultWorld&, tenon_status) { end_history(); });
  add_history(rows, "tenon_history_set", "the first of a series", set_point, make_history,
              check_point);
  add_history(
      rows, "tenon_history_set", "into an event file too", set_point,
      [](FaultWorld& w) {
        make_history(w);
        EXPECT_EQ(tenon_history_set_events(w.cx, history, kFolder.c_str(), TENON_NUL), TENON_OK);
      },
      check_point);
  sweep(rows, "tenon_history_get", "the first point", [](FaultWorld& w) {
    return tenon_history_get(w.cx, w.own.history, "loss", TENON_NUL, 0, &w.outs.length,
                             &w.outs.number);
  });
  for (const char* topic : {"json", "csv", "svg"}) {
    sweep(rows, "tenon_history_query", topic, [topic](FaultWorld& w) {
      return tenon_history_query(w.cx, w.own.history, topic, TENON_NUL, &w.outs.text);
    });
  }
  add_files(rows);
  add_lines(rows);
  return rows;
}

}  // namespace tenon::tests
