// SPDX-License-Identifier: Apache-2.0
// core/launch/finite.cc: looks for NaN and infinity before and after launches.
#include "core/launch/finite.h"

#include <cmath>
#include <vector>

namespace tenon::launch {

namespace {

// Of memory that the host can read.
std::string first_bad_here(const tenon_view& view) {
  std::string bad;
  tensor::each_element(
      tensor::shape_of(view), tensor::strides_of(view), [&](DimSpan index, int64_t offset) {
        const double value = tensor::real_at(view.data, offset, view.dtype);
        if (std::isfinite(value)) return true;
        const std::string word = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        bad = word + " at " + tensor::dims_text(index);
        return false;
      });
  return bad;
}

}  // namespace

std::string first_bad(Context& context, Device& device, const tenon_view& view) {
  if (!tensor::is_float(view.dtype)) return "";
  if (device.host_memory() || view.flags & TENON_VIEW_HOST_SCALAR) return first_bad_here(view);
  // All from its first address to its last: nothing needs to be launched for that.
  const tensor::Addresses there = tensor::addresses_of(view);
  if (there.begin == there.end) return "";
  std::vector<char> copied(static_cast<size_t>(there.end - there.begin));
  device.copy_to_host(copied.data(), reinterpret_cast<void*>(there.begin), copied.size(),
                      context.id);
  tenon_view here = view;
  here.data = copied.data() + (reinterpret_cast<intptr_t>(view.data) - there.begin);
  return first_bad_here(here);
}

FiniteJudge::FiniteJudge(Context& context, const Launching& what) : context_(context), what_(what) {
  if (what.op.desc.role == TENON_ROLE_COPY) return;
  const tenon_launch& launch = what.arguments;
  for (uint32_t slot = 0; slot < launch.n_inputs && bad_input_.empty(); ++slot) {
    for (uint32_t i = launch.slot_begin[slot]; i < launch.slot_begin[slot + 1]; ++i) {
      const std::string bad = first_bad(context, what.device, view_of(i));
      if (bad.empty()) continue;
      bad_input_ = "input \"" + operand_name(slot, i) + "\" held " + bad;
      break;
    }
  }
}

// Elementwise kernels see dimensions merged.
const tenon_view& FiniteJudge::view_of(uint32_t index) const {
  const Tensor* tensor = index < what_.items.size() ? what_.items[index].tensor : nullptr;
  return tensor ? tensor->view : what_.arguments.views[index];
}

// "x", "params[2]", "output 0"
std::string FiniteJudge::operand_name(uint32_t slot, uint32_t view) const {
  const uint32_t n_inputs = what_.arguments.n_inputs;
  const registry::Schema& schema = what_.op.schema;
  return slot < n_inputs ? schema.operand_name(slot, view - what_.arguments.slot_begin[slot])
                         : schema.output_name(slot - n_inputs);
}

std::string FiniteJudge::step() const {
  const std::string scope = what_.scope.empty() ? "" : ", in " + what_.scope;
  if (what_.plan_run == 0) return " at step " + std::to_string(context_.sequence) + scope;
  return " at run " + std::to_string(what_.plan_run) + " of the plan, launch " +
         std::to_string(what_.position) + scope;
}

void FiniteJudge::judge() const {
  if (what_.op.desc.role == TENON_ROLE_COPY)
    return;  // makes no number, and is used to look at them
  CheckSite* const site = context_.check_site;
  for (uint32_t slot = 0; slot < what_.arguments.n_slots; ++slot) {
    if (!writes(what_.kernel.desc.slots[slot].role)) continue;
    for (uint32_t i = what_.arguments.slot_begin[slot]; i < what_.arguments.slot_begin[slot + 1];
         ++i) {
      const tenon_view& view = view_of(i);
      const std::string bad = first_bad(context_, what_.device, view);
      if (bad.empty()) continue;
      if (site && site->deferred) {
        if (site->maker.empty()) site->maker = what_.op.name;
        return;
      }
      const std::string name = operand_name(slot, i);
      const std::string written = slot < what_.arguments.n_inputs ? "operand \"" : "\"";
      fail_with(
          TENON_E_CHECK, what_.op.name, what_.kernel.plugin->id,
          what_.op.name + ": " + written + name + "\" holds " + bad + step() +
              (site ? ", " + site->where : "") + "; " +
              (bad_input_.empty() ? "its inputs were finite"
                                  : bad_input_ + " already: it came from outside"),
          name, "finite values",
          bad + " of " + tensor::dtype_text(view.dtype) + tensor::dims_text(tensor::shape_of(view)),
          bad_input_.empty() ? "" : "look at what was fed in: no op has made it under this check");
    }
  }
}

}  // namespace tenon::launch
