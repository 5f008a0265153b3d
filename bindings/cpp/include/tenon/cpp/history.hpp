// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/history.hpp: the numbers of a run, and the line that says how far it is.
#ifndef TENON_CPP_HISTORY_HPP
#define TENON_CPP_HISTORY_HPP

#include <tenon/ext/draft/progress.h>
#include <tenon/cpp/context.hpp>

namespace tenon {

// Named series of numbers. Moved, not copied.
class History {
 public:
  History() {
    detail::State& state = detail::state();
    tenon_history* made = nullptr;
    state.check(tenon_history_create(state.handle, &made));
    owned_.reset(made);
  }
  void add(std::string_view series, std::int64_t step, double value) {
    detail::State& state = detail::state();
    state.check(
        tenon_history_set(state.handle, owned_.get(), series.data(), series.size(), step, value));
  }
  // From now on each number also goes to an event file of TensorBoard in this folder.
  void events(std::string_view folder) {
    detail::State& state = detail::state();
    state.check(tenon_history_set_events(state.handle, owned_.get(), folder.data(), folder.size()));
  }
  // A picture (SVG) with a line for each series.
  void save(std::string_view path, std::string_view title = "", std::string_view axis = "step") {
    detail::State& state = detail::state();
    state.check(tenon_history_save(state.handle, owned_.get(), path.data(), path.size(),
                                   title.data(), title.size(), axis.data(), axis.size()));
  }
  // All of it as "json", "csv" or "svg".
  std::string text(std::string_view topic) const {
    detail::State& state = detail::state();
    tenon_text* text = nullptr;
    state.check(tenon_history_query(state.handle, owned_.get(), topic.data(), topic.size(), &text));
    return detail::take_text(text);
  }
  tenon_history* handle() const { return owned_.get(); }

 private:
  detail::Owned<tenon_history, tenon_history_release> owned_;
};

// One line on standard error, if that is a terminal: how far the run is, and a number. The end of
// the object clears it. Moved, not copied.
class Progress {
 public:
  // total   units of the run; 0: not known
  explicit Progress(std::string_view label, std::int64_t total = 0) {
    detail::State& state = detail::state();
    tenon_progress* made = nullptr;
    state.check(tenon_progress_create(state.handle, label.data(), label.size(), total, 0, &made));
    owned_.reset(made);
  }
  void show(std::int64_t done, std::string_view name = "", double value = 0) {
    detail::State& state = detail::state();
    state.check(
        tenon_progress_run(state.handle, owned_.get(), done, name.data(), name.size(), value));
  }

 private:
  detail::Owned<tenon_progress, tenon_progress_release> owned_;
};

}  // namespace tenon

#endif  // TENON_CPP_HISTORY_HPP
