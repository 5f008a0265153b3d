// SPDX-License-Identifier: Apache-2.0
// core/inspect/draw.cc: a recorded graph as a picture: DOT for Graphviz, or SVG by itself.
//
// The SVG has one row for each distance from the leaves, leaves on top; within a row boxes stand in
// the order of what they are computed from. Arrows point the way values go, gradients go against
// them.
#include "core/inspect/draw.h"

#include <algorithm>
#include <cmath>

#include "core/registry/values.h"

namespace tenon::inspect {

namespace {

// More than this nobody looks at; the newest are drawn.
constexpr size_t kMaxNodes = 400;

struct Box {
  std::string title;
  const char* fill;
  std::vector<std::string> lines = {};
  std::vector<std::pair<size_t, std::string>> from = {};  // box, and the operand's name
  // SVG
  size_t row = 0;
  double x = 0, y = 0, width = 0, height = 0;
};

constexpr const char* kLeafFill = "#e8f1fd";
constexpr const char* kNodeFill = "#f6f6f6";
constexpr const char* kRootFill = "#fdf3d8";
constexpr const char* kFreedFill = "#e4e4e4";

struct Picture {
  std::vector<Box> boxes;  // leaves, then nodes, the oldest first
  size_t left_out = 0;     // nodes
};

std::string with_values(const std::string& words, const std::string& values) {
  return values.empty() ? words : words + " = " + values;
}

void add_hooks(Box& box, size_t hooks) {
  if (hooks) box.lines.push_back(std::to_string(hooks) + (hooks == 1 ? " hook" : " hooks"));
}

Box leaf_box(Context& context, const Tensor& leaf, size_t id) {
  const tape::Gradient grad = tape::gradient_of(tape::find_link(leaf));
  Box box{.title = "leaf " + std::to_string(id), .fill = kLeafFill};
  box.lines.push_back(with_values(tensor::describe(leaf), few_values(context, leaf)));
  if (grad.dense) {
    box.lines.push_back(with_values("gradient", few_values(context, *grad.dense)));
  }
  if (grad.rows.values) {
    box.lines.push_back("gradient of " + std::to_string(grad.rows.values->shape()[0]) + " rows");
  }
  add_hooks(box, tape::hooks_of(leaf).size());
  return box;
}

void add_saved(Context& context, Box& box, const Node& node, const Saved& saved,
               const std::string& name) {
  const Kept state = kept(node, saved);
  if (state == Kept::No) return;
  const std::string words = state == Kept::Freed ? "freed " + name : "saved " + name;
  box.lines.push_back(with_values(words, state == Kept::Yes && saved.tensor
                                             ? few_values(context, *saved.tensor)
                                             : std::string()));
}

Box node_box(Context& context, const Node& node) {
  const Signature& of = *node.of;
  Box box{.title = of.op->name, .fill = node.freed ? kFreedFill : kNodeFill};
  if (node.scope && !node.scope->empty()) box.lines.push_back("in " + *node.scope);
  for (size_t i = 0; i < of.attrs.values().size() && i < of.op->schema.attrs.size(); ++i) {
    const tenon_value& value = of.attrs.values()[i];
    if (value.tag == TENON_VALUE_NONE) continue;
    box.lines.push_back(of.op->schema.attrs[i].name + "=" + registry::value_text(value));
  }
  for (uint32_t i = 0; i < of.n_outputs(); ++i) {
    if (!(of.linked >> i & 1) && !node.saved_outputs[i].kept) continue;
    box.lines.push_back(of.op->schema.output_name(i) + " " + tensor::describe(of.output_metas[i]));
    if (const Ref* grad = kept_gradient(node, i)) {
      box.lines.push_back(with_values("gradient", few_values(context, **grad)));
    }
    add_hooks(box, hooks_at(node, i));
  }
  for (uint32_t i = 0; i < node.saved_inputs.size(); ++i) {
    add_saved(context, box, node, node.saved_inputs[i], of.operand_name(i));
  }
  for (uint32_t i = 0; i < node.saved_outputs.size(); ++i) {
    add_saved(context, box, node, node.saved_outputs[i], of.op->schema.output_name(i));
  }
  return box;
}

Picture picture_of(Context& context, const Recorded& graph) {
  Picture picture;
  const size_t leaves = graph.leaves.size();
  picture.left_out = graph.nodes.size() > kMaxNodes ? graph.nodes.size() - kMaxNodes : 0;
  for (size_t i = 0; i < leaves; ++i) {
    picture.boxes.push_back(leaf_box(context, *graph.leaves[i], i));
  }
  for (size_t i = picture.left_out; i < graph.nodes.size(); ++i) {
    const Node& node = *graph.nodes[i];
    Box box = node_box(context, node);
    for (uint32_t e = 0; e < node.edges.size(); ++e) {
      const Origin from = graph.origin_of(node.edges[e]);
      const std::string name = node.of->operand_name(e);
      if (from.leaf >= 0) box.from.emplace_back(from.leaf, name);
      if (from.node >= static_cast<int64_t>(picture.left_out)) {
        box.from.emplace_back(leaves + static_cast<size_t>(from.node) - picture.left_out, name);
      }
    }
    picture.boxes.push_back(std::move(box));
  }
  for (const Origin& root : graph.roots) {
    if (root.node < static_cast<int64_t>(picture.left_out)) continue;
    Box& box = picture.boxes[leaves + static_cast<size_t>(root.node) - picture.left_out];
    box.fill = kRootFill;
    box.title += " (root)";
  }
  return picture;
}

std::string escaped(const std::string& text, bool xml) {
  std::string out;
  for (const char c : text) {
    if (xml && c == '<') {
      out += "&lt;";
    } else if (xml && c == '>') {
      out += "&gt;";
    } else if (xml && c == '&') {
      out += "&amp;";
    } else if (!xml && (c == '"' || c == '\\')) {
      (out += '\\') += c;
    } else if (static_cast<unsigned char>(c) >= ' ') {
      out += c;
    }
  }
  return out;
}

// ---- SVG ----------------------------------------------------------------------------------------

constexpr double kCharacter = 7.0, kLine = 15.0, kPadding = 8.0, kGapX = 24.0, kGapY = 46.0;
constexpr double kLegendWidth = kCharacter * 60;

// Of a picture from left to right a row stands upright: the same with x and y exchanged.
void exchange_axes(std::vector<Box>& boxes) {
  for (Box& box : boxes) {
    std::swap(box.x, box.y);
    std::swap(box.width, box.height);
  }
}

void place(std::vector<Box>& boxes, double& width, double& height, Direction direction) {
  for (Box& box : boxes) {
    size_t longest = box.title.size();
    for (const std::string& line : box.lines) longest = std::max(longest, line.size());
    box.width = static_cast<double>(longest) * kCharacter + 2 * kPadding;
    box.height = static_cast<double>(box.lines.size() + 1) * kLine + 2 * kPadding;
    for (const auto& [from, name] : box.from) box.row = std::max(box.row, boxes[from].row + 1);
  }
  const bool upright = direction == Direction::LeftToRight;
  if (upright) exchange_axes(boxes);
  // A leaf stands right above what uses it first.
  std::vector<size_t> above(boxes.size(), SIZE_MAX);
  size_t rows = 0;
  for (const Box& box : boxes) {
    rows = std::max(rows, box.row + 1);
    for (const auto& [from, name] : box.from) above[from] = std::min(above[from], box.row - 1);
  }
  std::vector<std::vector<size_t>> in_row(rows);
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].from.empty() && above[i] != SIZE_MAX) boxes[i].row = above[i];
    in_row[boxes[i].row].push_back(i);
  }
  height = kGapY;
  for (std::vector<size_t>& row : in_row) {
    std::vector<std::pair<double, size_t>> order;
    for (const size_t i : row) {
      double sum = 0;
      for (const auto& [from, name] : boxes[i].from) sum += boxes[from].x + boxes[from].width / 2;
      const auto count = static_cast<double>(boxes[i].from.size());
      order.emplace_back(count > 0 ? sum / count : width, i);
    }
    std::sort(order.begin(), order.end());
    double x = kGapX, tallest = 0;
    for (const auto& [centre, i] : order) {
      Box& box = boxes[i];
      box.x = boxes[i].from.empty() ? x : std::max(x, centre - box.width / 2);
      box.y = height;
      x = box.x + box.width + kGapX;
      tallest = std::max(tallest, box.height);
    }
    width = std::max(width, x);
    height += tallest + kGapY;
  }
  if (!upright) return;
  exchange_axes(boxes);
  std::swap(width, height);
  width = std::max(width, kLegendWidth);
}

std::string number(double value) { return std::to_string(std::lround(value)); }

void draw_box(std::string& out, const Box& box) {
  out += "<rect x=\"" + number(box.x) + "\" y=\"" + number(box.y) + "\" width=\"" +
         number(box.width) + "\" height=\"" + number(box.height) + "\" rx=\"5\" fill=\"" +
         box.fill + "\" stroke=\"#555\"/>\n";
  double y = box.y + kPadding + kLine - 4;
  const auto text = [&](const std::string& words, const char* style) {
    out += "<text x=\"" + number(box.x + kPadding) + "\" y=\"" + number(y) + "\"" + style + ">" +
           escaped(words, true) + "</text>\n";
    y += kLine;
  };
  text(box.title, " font-weight=\"bold\"");
  for (const std::string& line : box.lines) text(line, "");
}

void draw_arrow(std::string& out, const Box& from, const Box& to, size_t index, size_t count,
                const std::string& name, Direction direction) {
  const bool down = direction == Direction::TopToBottom;
  const double share = static_cast<double>(index + 1) / static_cast<double>(count + 1);
  const double x1 = from.x + from.width / (down ? 2 : 1);
  const double y1 = from.y + from.height / (down ? 1 : 2);
  const double x2 = down ? to.x + to.width * share : to.x;
  const double y2 = down ? to.y : to.y + to.height * share;
  const double bend_x = down ? 0 : (x2 - x1) / 2;
  const double bend_y = down ? (y2 - y1) / 2 : 0;
  out += "<path d=\"M" + number(x1) + " " + number(y1) + " C" + number(x1 + bend_x) + " " +
         number(y1 + bend_y) + " " + number(x2 - bend_x) + " " + number(y2 - bend_y) + " " +
         number(down ? x2 : x2 - 2) + " " + number(down ? y2 - 2 : y2) +
         "\" fill=\"none\" stroke=\"#555\" marker-end=\"url(#head)\"/>\n<text x=\"" +
         number(down ? x2 + 4 : x2 - 8 - static_cast<double>(name.size()) * kCharacter) +
         "\" y=\"" + number(y2 - 8) + "\" fill=\"#777\" font-size=\"10\">" + escaped(name, true) +
         "</text>\n";
}

std::string legend(const Picture& picture) {
  std::string text = "values go along the arrows, gradients against them";
  if (picture.left_out) {
    text += "; " + std::to_string(picture.left_out) + " older nodes are left out";
  }
  return text;
}

}  // namespace

std::string graph_dot(Context& context, const Recorded& graph, Direction direction) {
  const Picture picture = picture_of(context, graph);
  const char* rank = direction == Direction::LeftToRight ? "  rankdir=LR;\n" : "";
  std::string out = "digraph recorded {\n" + std::string(rank) + "  label=\"" + legend(picture) +
                    "\";\n  node [shape=box, style=\"rounded,filled\", fontname=\"monospace\"];\n";
  for (size_t i = 0; i < picture.boxes.size(); ++i) {
    const Box& box = picture.boxes[i];
    out += "  b" + std::to_string(i) + " [label=\"" + escaped(box.title, false);
    for (const std::string& line : box.lines) out += "\\l" + escaped(line, false);
    out += "\\l\", fillcolor=\"" + std::string(box.fill) + "\"];\n";
    for (const auto& [from, name] : box.from) {
      out += "  b" + std::to_string(from) + " -> b" + std::to_string(i) + " [label=\"" +
             escaped(name, false) + "\"];\n";
    }
  }
  return out += "}\n";
}

std::string graph_svg(Context& context, const Recorded& graph, Direction direction) {
  Picture picture = picture_of(context, graph);
  double width = direction == Direction::TopToBottom ? kLegendWidth : kGapX;
  double height = 0;
  place(picture.boxes, width, height, direction);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width) +
                    "\" height=\"" + number(height) +
                    "\" font-family=\"monospace\" font-size=\"11\">\n<defs><marker id=\"head\" "
                    "viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
                    "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" "
                    "fill=\"#555\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" "
                    "fill=\"#fff\"/>\n<text x=\"8\" y=\"16\" fill=\"#777\">" +
                    legend(picture) + "</text>\n";
  for (const Box& box : picture.boxes) {
    for (size_t i = 0; i < box.from.size(); ++i) {
      const auto& [from, name] = box.from[i];
      draw_arrow(out, picture.boxes[from], box, i, box.from.size(), name, direction);
    }
  }
  for (const Box& box : picture.boxes) draw_box(out, box);
  return out += "</svg>\n";
}

}  // namespace tenon::inspect
