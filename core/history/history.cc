// SPDX-License-Identifier: Apache-2.0
// core/history/history.cc: adding points, reading them, and their texts.
#include "core/history/history.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/words.h"
#include "core/files/replacement.h"
#include "core/json/writer.h"

namespace tenon::history {
namespace {

constexpr size_t kNamesShown = 8;

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

[[noreturn]] void fail_name(const std::vector<Series>& all, std::string_view name) {
  const std::span shown(all.data(), std::min(all.size(), kNamesShown));
  std::string known =
      base::joined(shown, ", ", [](const Series& series) { return in_quotes(series.name); });
  if (all.size() > kNamesShown) known += ", ...";
  fail(TENON_E_NOT_FOUND,
       "history: there is no series " + in_quotes(name) +
           (known.empty() ? "; nothing was added yet" : "; there are " + known),
       "name", known.empty() ? "a series with points" : "one of: " + known, std::string(name),
       "a series begins with its first point");
}

std::string json_of(const std::vector<Series>& all) {
  json::Writer out;
  out.begin_object();
  out.objects("series", all, [&](const Series& series) {
    out.member("name", series.name);
    out.list("steps", series.points, &Point::step);
    out.list("values", series.points, &Point::value);
  });
  out.end_object();
  return out.take();
}

// RFC 4180: quoted if a reader could take a part of it for something else.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char letter : text) out.append(letter == '"' ? 2 : 1, letter);
  return out + "\"";
}

std::string csv_of(const std::vector<Series>& all) {
  std::string out = "series,step,value\n";
  for (const Series& series : all) {
    const std::string name = csv_field(series.name);
    for (const Point& point : series.points) {
      out += name + "," + std::to_string(point.step) + ",";
      if (std::isfinite(point.value)) {
        json::append_number(out, point.value);
      } else {
        out += std::isnan(point.value) ? "nan" : point.value < 0 ? "-inf" : "inf";
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace

size_t History::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(series_, [&](const Series& series) { return series.name == name; });
  return static_cast<size_t>(found - series_.begin());
}

void History::add(std::string_view name, int64_t step, double value) {
  const size_t place = find(name);
  const bool begins = place == series_.size();
  if (begins) series_.push_back({std::string(name), {}});
  std::vector<Point>& points = series_[place].points;
  const size_t count = points.size();
  try {
    points.push_back({step, value});
    if (events_) events_->write(name, step, value);
  } catch (...) {
    points.resize(count);
    if (begins) series_.pop_back();
    throw;
  }
}

const Point& History::point(std::string_view name, uint64_t index) const {
  const size_t place = find(name);
  if (place == series_.size()) fail_name(series_, name);
  const std::vector<Point>& points = series_[place].points;
  if (index < points.size()) return points[index];
  fail(TENON_E_NOT_FOUND,
       "history: series " + in_quotes(name) + " has no point " + std::to_string(index) +
           ", it has " + std::to_string(points.size()),
       "index", "an index below " + std::to_string(points.size()), std::to_string(index));
}

std::string History::query(std::string_view topic) const {
  if (topic == "json") return json_of(series_);
  if (topic == "csv") return csv_of(series_);
  if (topic == "svg") return draw(series_, "", "step");
  fail(TENON_E_NOT_FOUND,
       "history: there is no topic " + in_quotes(topic) + "; topics are json, csv, svg", "topic",
       "json, csv or svg", std::string(topic));
}

void History::save(const std::string& path, std::string_view title, std::string_view axis) const {
  const std::string picture = draw(series_, title, axis);
  files::Replacement file(path);
  file.write(picture.data(), picture.size());
  file.commit();
}

}  // namespace tenon::history
