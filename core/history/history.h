// SPDX-License-Identifier: Apache-2.0
// core/history/history.h: the numbers of a run, by name and step, and what is made of them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/history/event_file.h"
#include "core/history/picture.h"
#include "core/runtime/kind_object.h"

namespace tenon::history {

class History : public OfRuntime {
 public:
  explicit History(Runtime& runtime) : OfRuntime(runtime) {}

  // On an error the point is neither here nor in the event file.
  void add(std::string_view name, int64_t step, double value);
  // Throws Error{TENON_E_NOT_FOUND}, as `query` does.
  const Point& point(std::string_view name, uint64_t index) const;
  void write_events(const std::string& folder) { events_ = std::make_unique<EventFile>(folder); }
  std::string query(std::string_view topic) const;
  void save(const std::string& path, std::string_view title, std::string_view axis) const;

 private:
  size_t find(std::string_view name) const;  // the number of series if there is none

  std::vector<Series> series_;  // in the order of their first points
  std::unique_ptr<EventFile> events_;
};

}  // namespace tenon::history
