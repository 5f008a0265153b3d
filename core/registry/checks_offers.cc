// SPDX-License-Identifier: Apache-2.0
// core/registry/checks_offers.cc: checks of kernels, backward rules, backends, and of what plugins
// test themselves with.
#include "core/registry/checks_offers.h"

#include <tenon/ext/draft/narrow.h>

#include <bit>
#include <cmath>

#include "core/registry/kinds/parts.h"
#include "core/tensor/dtype.h"

namespace tenon::registry {
namespace {

constexpr uint32_t kMaxRows = 1u << 16;

// The slots a kernel was built with, counted from its rules.
struct SlotCounts {
  uint32_t inputs = 0;
  uint32_t outputs = 0;
};

bool is_input_role(uint32_t role) { return role == TENON_SLOT_IN || role == TENON_SLOT_INOUT; }

void check_slot(const tenon_slot_rule& slot, const What& what) {
  constexpr uint32_t known = TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE |
                             TENON_SLOT_HOST_SCALAR | TENON_SLOT_UNALIGNED | TENON_SLOT_NARROW;
  if (slot.role > TENON_SLOT_ACCUM) {
    refuse(what + " has an unknown role " + std::to_string(slot.role));
  }
  if (slot.layout > TENON_LAYOUT_STRIDED) {
    refuse(what + " has an unknown layout class " + std::to_string(slot.layout));
  }
  if ((slot.flags & ~known) != 0) {
    refuse(what + " has an unknown flag: needs a newer Tenon for flags " +
           std::to_string(slot.flags & ~known));
  }
  if ((slot.flags & TENON_SLOT_NARROW) != 0 && slot.role != TENON_SLOT_IN) {
    refuse(what + ": flag NARROW is of inputs that are only read, with role IN");
  }
  if (slot.max_rank > TENON_MAX_RANK) {
    refuse(what + " has max_rank " + std::to_string(slot.max_rank) + ", a rank above " +
           std::to_string(TENON_MAX_RANK));
  }
}

SlotCounts count_slots(const tenon_kernel_desc& desc, const What& what) {
  if (desc.n_slots > TENON_MAX_SLOTS) {
    refuse(what + ": n_slots is " + std::to_string(desc.n_slots) + "; at most " +
           std::to_string(TENON_MAX_SLOTS) + " are possible");
  }
  if (desc.n_slots > 0 && desc.slots == nullptr) {
    refuse(what + ": `slots` is NULL, but n_slots is " + std::to_string(desc.n_slots));
  }
  SlotCounts counts;
  for (uint32_t i = 0; i < desc.n_slots; ++i) {
    const tenon_slot_rule& slot = desc.slots[i];
    check_slot(slot, [&] { return what + ": slot " + std::to_string(i); });
    if (!is_input_role(slot.role)) {
      ++counts.outputs;
    } else if (counts.outputs > 0) {
      refuse(what + ": slot " + std::to_string(i) +
             " is an input after an output; slots are the schema's inputs, then its outputs");
    } else {
      ++counts.inputs;
    }
  }
  return counts;
}

// A kernel or rule may know fewer operands and attributes than the op has by now, if the ones it
// does not know can be absent.
void check_counts(const What& what, const Schema& schema, uint32_t inputs, uint32_t outputs,
                  uint32_t attrs) {
  const auto check = [&](const char* noun, uint32_t found, size_t least, size_t most) {
    if (found >= least && found <= most) return;
    const std::string range = least == most ? std::to_string(most)
                                            : std::to_string(least) + " to " + std::to_string(most);
    refuse(what + " has " + std::to_string(found) + " " + noun + "; the op has " + range +
           ": its schema is " + schema.text);
  };
  size_t min_attrs = schema.attrs.size();
  while (min_attrs > 0 && !schema.attrs[min_attrs - 1].required()) --min_attrs;
  check("input slots", inputs, static_cast<size_t>(schema.min_inputs()), schema.inputs.size());
  check("output slots", outputs, static_cast<size_t>(schema.plain_outputs()),
        schema.outputs.size());
  check("attributes", attrs, min_attrs, schema.attrs.size());
}

void check_rows(const tenon_kernel_desc& desc, const What& what, const Schema& schema) {
  if (desc.n_variables != schema.variables.size()) {
    refuse(what + ": n_variables is " + std::to_string(desc.n_variables) + "; the op has " +
           std::to_string(schema.variables.size()) + " type variables: its schema is " +
           schema.text);
  }
  if (desc.n_variables == 0) return;
  if (desc.n_rows == 0 || desc.n_rows > kMaxRows) {
    refuse(what + ": n_rows is " + std::to_string(desc.n_rows) + "; 1 to " +
           std::to_string(kMaxRows) + " rows of dtypes are possible");
  }
  if (desc.dtype_rows == nullptr) {
    refuse(what + ": `dtype_rows` is NULL, but n_rows is " + std::to_string(desc.n_rows));
  }
  for (uint32_t i = 0; i < desc.n_rows * desc.n_variables; ++i) {
    const tenon_dtype dtype = desc.dtype_rows[i];
    const TypeVariable& variable = schema.variables[i % desc.n_variables];
    const auto& allowed = variable.allowed;
    if (std::find(allowed.begin(), allowed.end(), dtype) == allowed.end()) {
      refuse(what + ": dtype row " + std::to_string(i / desc.n_variables) + " gives " +
             (tensor::is_known(dtype) ? tensor::dtype_text(dtype)
                                      : "unknown dtype " + std::to_string(dtype)) +
             " to variable " + variable.name + ", which the op does not allow: its schema is " +
             schema.text);
    }
  }
}

void check_mask(const What& what, const What& member, uint64_t mask, const char* noun,
                uint32_t count) {
  const uint64_t outside = count < 64 ? mask >> count : 0;
  if (outside == 0) return;
  refuse(what + ": " + member.text() + " names " + noun + " " +
         std::to_string(count + static_cast<uint32_t>(std::countr_zero(outside))) +
         "; the rule knows " + std::to_string(count));
}

}  // namespace

bool takes_any_layout(const tenon_kernel_desc& desc) {
  constexpr uint32_t in = TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE;
  for (uint32_t i = 0; i < desc.n_slots; ++i) {
    const tenon_slot_rule& rule = desc.slots[i];
    const uint32_t wanted = rule.role == TENON_SLOT_IN ? in : TENON_SLOT_NEGATIVE_STRIDE;
    if (rule.layout != TENON_LAYOUT_STRIDED || (rule.flags & wanted) != wanted ||
        rule.max_rank != 0) {
      return false;
    }
  }
  return true;
}

void check_kernel(const tenon_kernel_desc& desc, const What& what, const Schema& schema) {
  constexpr uint32_t known =
      TENON_KERNEL_CAPTURE_SAFE | TENON_KERNEL_CANONICAL | TENON_KERNEL_INDEX_64;
  check_flags_zero(desc.flags & ~known, what);
  if (desc.launch == nullptr) refuse(what + ": `launch` is NULL");
  if ((desc.prepare == nullptr) != (desc.release_prepared == nullptr)) {
    refuse(what + ": it has " +
           (desc.prepare == nullptr ? "`release_prepared` but no `prepare`"
                                    : "`prepare` but no `release_prepared`") +
           "; give both or neither");
  }
  const SlotCounts counts = count_slots(desc, what);
  check_counts(what, schema, counts.inputs, counts.outputs, desc.n_attrs);
  for (uint32_t i = 0; i < counts.inputs; ++i) {
    const bool mutated = schema.inputs[i].mutated;
    if (mutated != (desc.slots[i].role == TENON_SLOT_INOUT)) {
      refuse(what + ": slot " + std::to_string(i) + " must have role " +
             (mutated ? "INOUT" : "IN") + ", because input '" + schema.inputs[i].name + "' is " +
             (mutated ? "" : "not ") + "marked '!' in the schema " + schema.text);
    }
  }
  check_rows(desc, what, schema);
}

void check_vjp(const tenon_vjp_desc& desc, const What& what, const Schema& schema) {
  constexpr uint32_t known = TENON_VJP_ACCEPTS_ABSENT | TENON_VJP_TWICE;
  check_zero(desc.flags & ~known, desc.reserved, what);
  if (desc.vjp == nullptr) refuse(what + ": `vjp` is NULL");
  check_counts(what, schema, desc.n_inputs, desc.n_outputs, desc.n_attrs);
  if (desc.n_inputs > 0 && desc.needs == nullptr) {
    refuse(what + ": `needs` is NULL, but n_inputs is " + std::to_string(desc.n_inputs));
  }
  for (uint32_t i = 0; i < desc.n_inputs; ++i) {
    const tenon_vjp_need& need = desc.needs[i];
    const auto check = [&](const char* member, uint64_t mask, const char* noun, uint32_t count) {
      const auto words = [&] { return "needs[" + std::to_string(i) + "]." + member; };
      check_mask(what, words, mask, noun, count);
    };
    check("inputs", need.inputs, "input", desc.n_inputs);
    check("input_metas", need.input_metas, "input", desc.n_inputs);
    check("outputs", need.outputs, "output", desc.n_outputs);
    check("output_metas", need.output_metas, "output", desc.n_outputs);
  }
  check_mask(what, "non_differentiable", desc.non_differentiable, "input", desc.n_inputs);
}

void check_backend(const tenon_backend_table& table) {
  const std::string words = "device " + std::string(device_of(table.kind, "table tenon.backend/1"));
  const What what(words);
  check_flags_zero(table.flags & ~TENON_BACKEND_HOST_MEMORY, what);
  check_callbacks(what, {
                            {"device_count", table.device_count == nullptr},
                            {"alloc", table.alloc == nullptr},
                            {"free", table.free == nullptr},
                            {"copy", table.copy == nullptr},
                            {"stream_create", table.stream_create == nullptr},
                            {"stream_release", table.stream_release == nullptr},
                            {"stream_wait", table.stream_wait == nullptr},
                            {"event_create", table.event_create == nullptr},
                            {"event_release", table.event_release == nullptr},
                            {"event_record", table.event_record == nullptr},
                            {"event_wait", table.event_wait == nullptr},
                            {"event_query", table.event_query == nullptr},
                        });
}

void check_tolerance(const tenon_tolerance& desc, const What& what) {
  check_flags_zero(desc.flags, what);
  text_of(desc.op, what);
  if (text_of(desc.reason, what).empty()) {
    refuse(what + ": `reason` is empty; say in a sentence why the bits may differ");
  }
  if (!tensor::is_float(desc.dtype)) {
    refuse(what + " has dtype " + std::to_string(desc.dtype) +
           "; TENON_DTYPE_F16, BF16, F32 or F64 is needed");
  }
  const auto check = [&](const char* member, double value) {
    if (std::isfinite(value) && value >= 0) return;
    refuse(what + ": `" + member + "` is " + std::to_string(value) +
           "; a finite number of 0 or more is needed");
  };
  check("ulp", desc.ulp);
  check("relative", desc.relative);
}

void check_optimizer_sample(const tenon_optimizer_sample& desc, const What& what) {
  check_flags_zero(desc.flags, what);
  text_of(desc.optimizer, what);
  text_of(desc.text, what);
  text_of(desc.fragment, what);
  if (desc.expect == TENON_OK && desc.steps == 0) refuse(what + ": `steps` is 0; 1 or more");
}

}  // namespace tenon::registry
