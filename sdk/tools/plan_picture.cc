// SPDX-License-Identifier: Apache-2.0
// sdk/tools/plan_picture.cc: `tenon plan`: what a plan launches and how its memory lies, as text
// and as a picture of 900 units in width.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "command.h"
#include "plan_listing.h"

namespace tenon::tools {
namespace {

constexpr const char* kColours[] = {"#1f5fa8", "#c0392b", "#2e8b57", "#b8860b",
                                    "#6a3d9a", "#008b8b", "#8b4513", "#555555"};
constexpr double kLeft = 76;
constexpr double kWidth = 800;
constexpr double kHeight = 260;
constexpr double kArenaHeight = kHeight + 90;  // with its title and the numbers below

std::string escaped(const std::string& words) {
  std::string out;
  for (const char letter : words) {
    switch (letter) {
      case '<':
        out += "&lt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += static_cast<unsigned char>(letter) < 32 ? ' ' : letter;
    }
  }
  return out;
}

std::string bytes_text(size_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  double number = static_cast<double>(bytes);
  for (; number >= 1024 && unit + 1 < std::size(units); ++unit) number /= 1024;
  std::ostringstream out;
  out.precision(4);
  out << number << " " << units[unit];
  return out.str();
}

void text(std::ostream& out, double x, double y, const char* anchor, const std::string& words) {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">"
      << escaped(words) << "</text>\n";
}

// Each temporary has the colour of the op that first writes it.
void draw_arena(std::ostream& out, const PlanListing& listing, const PlanListing::Arena& arena,
                double top) {
  const double columns = static_cast<double>(std::max<size_t>(listing.launches.size(), 1));
  const double bytes = static_cast<double>(std::max<size_t>(arena.bytes, 1));
  const double bottom = top + 34 + kHeight;
  text(out, kLeft, top + 20, "start",
       arena.device + ": " + bytes_text(arena.bytes) + " for " +
           std::to_string(arena.temporaries.size()) + " temporaries; " + bytes_text(arena.least) +
           " in use at once, " + bytes_text(arena.all) + " without sharing");
  out << "<rect x=\"" << kLeft << "\" y=\"" << bottom - kHeight << "\" width=\"" << kWidth
      << "\" height=\"" << kHeight << "\" fill=\"#f4f4f4\"/>\n";
  std::map<std::string, size_t> colours;
  for (const PlanListing::Temporary& each : arena.temporaries) {
    const std::string& op = listing.launches[each.first].op;
    const size_t colour = colours.emplace(op, colours.size()).first->second;
    const double x = kLeft + kWidth * static_cast<double>(each.first) / columns;
    const double width = kWidth * static_cast<double>(each.last - each.first + 1) / columns;
    const double height = kHeight * static_cast<double>(each.bytes) / bytes;
    const double y = bottom - kHeight * static_cast<double>(each.offset) / bytes - height;
    out << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height
        << "\" fill=\"" << kColours[colour % std::size(kColours)]
        << "\" fill-opacity=\"0.7\" stroke=\"white\" stroke-width=\"0.3\"><title>" << escaped(op)
        << ", " << bytes_text(each.bytes) << ", launches " << each.first << " to " << each.last
        << "</title></rect>\n";
  }
  text(out, kLeft - 6, bottom, "end", "0");
  text(out, kLeft - 6, bottom - kHeight + 10, "end", bytes_text(arena.bytes));
  text(out, kLeft, bottom + 18, "start", "launch 0");
  text(out, kLeft + kWidth, bottom + 18, "end",
       std::to_string(listing.launches.empty() ? 0 : listing.launches.size() - 1));
}

// "  12  tenon.matmul"
std::string counts_text(const std::map<std::string, size_t>& counts) {
  std::vector<std::pair<size_t, std::string>> order;
  for (const auto& [name, count] : counts) order.emplace_back(count, name);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [count, name] : order) {
    const std::string number = std::to_string(count);
    out += std::string(8 - std::min<size_t>(number.size(), 8), ' ') + number + "  " + name + "\n";
  }
  return out;
}

void print_plan(const std::string& file, const PlanListing& listing) {
  std::map<std::string, size_t> ops;
  for (const PlanListing::Launch& launch : listing.launches) ++ops[launch.op];
  print(file + ": " + std::to_string(listing.launches.size()) + " launches\n" + counts_text(ops));
  for (const PlanListing::Arena& arena : listing.arenas) {
    print("arena of " + arena.device + ": " + bytes_text(arena.bytes) + " for " +
          std::to_string(arena.temporaries.size()) + " temporaries; " + bytes_text(arena.least) +
          " in use at once, " + bytes_text(arena.all) + " without sharing\n");
  }
  for (const std::string& each : listing.frozen) print("frozen: " + each + "\n");
}

}  // namespace

std::string draw_plan(const PlanListing& listing) {
  std::ostringstream out;
  out.precision(6);
  const double height =
      kArenaHeight * static_cast<double>(std::max<size_t>(listing.arenas.size(), 1));
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 " << height
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"900\" height=\"" << height
      << "\" fill=\"white\"/>\n";
  if (listing.arenas.empty()) text(out, kLeft, 20, "start", "no temporaries");
  double top = 0;
  for (const PlanListing::Arena& arena : listing.arenas) {
    draw_arena(out, listing, arena, top);
    top += kArenaHeight;
  }
  out << "</svg>\n";
  return out.str();
}

int plan(const std::string& file, const std::string& picture, bool as_json) {
  std::optional<PlanListing> listing;
  try {
    listing = read_plan(file);
  } catch (const Failure& failure) {
    throw Failure{file + ": " + failure.text};
  }
  if (!listing) {
    throw Failure{file +
                  ": is no plan's listing: what tenon_plan_get_text gives, or str(plan) in "
                  "Python, begins with \"plan: \""};
  }
  if (as_json) {
    print_json(content_of(*listing));
  } else {
    print_plan(file, *listing);
  }
  if (picture.empty()) return kGood;
  std::ofstream out(picture, std::ios::binary);
  out << draw_plan(*listing);
  out.close();
  if (!out) throw Failure{picture + ": cannot be written"};
  if (!as_json) print("picture in " + picture + "\n");
  return kGood;
}

}  // namespace tenon::tools
