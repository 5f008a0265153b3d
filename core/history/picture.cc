// SPDX-License-Identifier: Apache-2.0
// core/history/picture.cc: what lies where in a picture of 720 by 400 units.
#include "core/history/picture.h"

#include <array>
#include <cmath>
#include <limits>

#include "core/history/decimals.h"

namespace tenon::history {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kColours = {"#1f5fa8", "#c0392b", "#2e8b57", "#b8860b",
                                 "#6a3d9a", "#008b8b", "#8b4513", "#555555"};
// Names of series stand one below the other, then further left.
constexpr size_t kNamesInColumn = 18;
constexpr double kColumn = 120;

struct Range {
  double least = kInfinity;
  double most = -kInfinity;

  void take(double value) {
    least = std::fmin(least, value);
    most = std::fmax(most, value);
  }
  bool empty() const { return !(least <= most); }
};

struct Plot {
  double left = 64;
  double top = 40;
  double width = 632;
  double height = 300;
  Range x;
  Range y;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
  double x_of(double step) const { return left + width * (step - x.least) / (x.most - x.least); }
  double y_of(double value) const { return top + height * (y.most - value) / (y.most - y.least); }
};

// The room that all finite values take; a range of one value is widened around it.
Plot plot_of(const std::vector<Series>& all) {
  Plot plot;
  for (const Series& series : all) {
    for (const Point& point : series.points) {
      if (!std::isfinite(point.value)) continue;
      plot.x.take(static_cast<double>(point.step));
      plot.y.take(point.value);
    }
  }
  if (plot.x.empty()) plot.x = plot.y = {0, 0};
  if (plot.x.least == plot.x.most) plot.x.most += 1;
  if (plot.y.least == plot.y.most) {
    plot.y.least -= 0.5;
    plot.y.most += 0.5;
  }
  return plot;
}

class Drawing {
 public:
  explicit Drawing(const Plot& plot) : plot_(plot) {}

  void frame(std::string_view title, std::string_view axis) {
    out_ +=
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 400\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"720\" height=\"400\" fill=\"white\"/>\n";
    text(plot_.left, 24, "start", title);
    text(plot_.left + plot_.width / 2, 388, "middle", axis);
    grid(plot_.y, [this](double at) {
      const double y = plot_.y_of(at);
      put("<path d=\"M", plot_.left, " ", y, "H", plot_.right(), "\" stroke=\"#ddd\"/>\n");
      text(plot_.left - 6, y + 4, "end", number(at));
    });
    grid(plot_.x,
         [this](double at) { text(plot_.x_of(at), plot_.bottom() + 18, "middle", number(at)); });
  }

  // One line, broken if a value is not a number, and its name. Many points on one column of the
  // picture look like their least and greatest, so that no more than these are written.
  void line(const Series& series, size_t index) {
    const char* const colour = kColours[index % kColours.size()];
    put("<path fill=\"none\" stroke=\"", colour, "\" stroke-width=\"1.5\" d=\"");
    bool drawing = false;
    for (auto point = series.points.begin(); point != series.points.end();) {
      const double x = plot_.x_of(static_cast<double>(point->step));
      Range values;
      bool whole = true;
      for (; point != series.points.end() && plot_.x_of(static_cast<double>(point->step)) - x < 0.5;
           ++point) {
        if (std::isfinite(point->value)) {
          values.take(point->value);
        } else {
          whole = false;
        }
      }
      if (!values.empty()) {
        put(drawing ? "L" : "M", x, " ", plot_.y_of(values.most));
        if (values.least < values.most) put("L", x, " ", plot_.y_of(values.least));
        // A line of one point is a dot.
        if (!drawing) put("h0.01");
      }
      drawing = whole;
    }
    put("\"/>\n<g fill=\"", colour, "\">");
    const size_t column = index / kNamesInColumn;
    const size_t row = index % kNamesInColumn;
    text(plot_.right() - 4 - kColumn * static_cast<double>(column),
         plot_.top + 14 + 16 * static_cast<double>(row), "end", series.name);
    put("</g>\n");
  }

  std::string take() {
    put("</svg>\n");
    return std::move(out_);
  }

 private:
  void put_one(std::string_view piece) { out_ += piece; }
  void put_one(double number) { out_ += decimals(number, 1); }
  template <class... Pieces>
  void put(const Pieces&... pieces) {
    (put_one(pieces), ...);
  }

  static std::string number(double value) { return decimals(value, 6, std::chars_format::general); }

  void text(double x, double y, std::string_view anchor, std::string_view words) {
    put("<text x=\"", x, "\" y=\"", y, "\" text-anchor=\"", anchor, "\">");
    for (const char letter : words) {
      if (letter == '<') {
        out_ += "&lt;";
      } else if (letter == '&') {
        out_ += "&amp;";
      } else {
        out_ += static_cast<unsigned char>(letter) < 32 ? ' ' : letter;
      }
    }
    put("</text>\n");
  }

  // Numbers at 1, 2 or 5 times a power of ten, some five of them.
  template <class Mark>
  void grid(const Range& range, Mark&& mark) {
    const double apart_wanted = (range.most - range.least) / 5;
    const double power = std::pow(10, std::floor(std::log10(apart_wanted)));
    const double share = apart_wanted / power;
    const double apart = power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
    for (int i = 0; i < 12; ++i) {
      const double at = (std::ceil(range.least / apart) + i) * apart;
      if (!(at <= range.most)) break;
      mark(at);
    }
  }

  const Plot& plot_;
  std::string out_;
};

}  // namespace

std::string draw(const std::vector<Series>& all, std::string_view title, std::string_view axis) {
  const Plot plot = plot_of(all);
  Drawing drawing(plot);
  drawing.frame(title, axis);
  for (size_t i = 0; i < all.size(); ++i) drawing.line(all[i], i);
  return drawing.take();
}

}  // namespace tenon::history
