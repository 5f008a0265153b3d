// SPDX-License-Identifier: Apache-2.0
// core/dispatch/infer.cc: unifies the schema's letters with shapes, and computes output metadata.
#include "core/dispatch/infer.h"

#include <tenon/ext/draft/shapes.h>

#include <algorithm>
#include <map>

#include "core/base/words.h"

namespace tenon::dispatch {

namespace {

using registry::Dim;

struct Binding {
  int64_t size = 0;
  uint32_t input = 0;
};
using Bindings = std::map<std::string, Binding, std::less<>>;

// "[N,4,...]" with the letters known so far replaced by their sizes.
std::string expected_text(const std::vector<Dim>& dims, const Bindings& bindings) {
  const auto text = [&](const Dim& dim) {
    if (dim.kind == Dim::Integer) return std::to_string(dim.value);
    const auto bound = dim.kind == Dim::Letter ? bindings.find(dim.text) : bindings.end();
    return bound == bindings.end() ? dim.text : dim.text + "=" + std::to_string(bound->second.size);
  };
  return "[" + base::joined(dims, ",", text) + "]";
}

void unify_dim(Invocation& call, uint32_t input, const Dim& dim, int64_t size, Bindings& bindings,
               const tensor::Tensor& tensor) {
  const std::vector<Dim>& dims = call.schema.inputs[input].dims;
  if (dim.kind == Dim::Integer && dim.value != size) {
    fail_operand(call, input, TENON_E_SHAPE, "has the wrong size", expected_text(dims, bindings),
                 tensor::describe(tensor));
  }
  if (dim.kind != Dim::Letter) return;
  const auto [bound, fresh] = bindings.try_emplace(dim.text, Binding{size, input});
  if (!fresh && bound->second.size != size) {
    fail_operand(call, input, TENON_E_SHAPE,
                 "size " + dim.text + " differs from that of operand \"" +
                     call.schema.inputs[bound->second.input].name + "\"",
                 expected_text(dims, bindings), tensor::describe(tensor));
  }
}

// "[...]" alone says nothing: the common case of elementwise ops.
bool says_something(bool has_dims, const std::vector<Dim>& dims) {
  return has_dims && (dims.size() != 1 || dims[0].kind != Dim::Ellipsis);
}

// Calls each(dim, size) for the dimensions before and after the run; false if the shape has
// another number of dimensions.
template <class Each>
bool pair_dims(const std::vector<Dim>& dims, DimSpan shape, const Each& each) {
  size_t before = 0;
  while (before < dims.size() && dims[before].kind != Dim::Ellipsis) ++before;
  const bool run = before < dims.size();
  const size_t after = run ? dims.size() - before - 1 : 0;
  if (run ? shape.size() < before + after : shape.size() != before) return false;
  for (size_t i = 0; i < before; ++i) each(dims[i], shape[i]);
  for (size_t i = after; i > 0; --i) each(dims[dims.size() - i], shape[shape.size() - i]);
  return true;
}

void unify_operand(Invocation& call, uint32_t input, uint32_t index, Bindings& bindings) {
  const registry::Param& param = call.schema.inputs[input];
  const Operand& operand = call.operands[index];
  if (!operand.tensor) return;  // a number has rank 0 and broadcasts, or `infer` refuses it
  const bool fits =
      pair_dims(param.dims, operand.tensor->shape(), [&](const Dim& dim, int64_t size) {
        unify_dim(call, input, dim, size, bindings, *operand.tensor);
      });
  if (!fits) {
    fail_operand(call, input, TENON_E_SHAPE, "has the wrong number of dimensions",
                 expected_text(param.dims, bindings), tensor::describe(*operand.tensor));
  }
}

Bindings bind_dims(Invocation& call) {
  Bindings bindings;
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    const registry::Param& param = call.schema.inputs[input];
    if (!says_something(param.has_dims, param.dims)) continue;
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      unify_operand(call, input, i, bindings);
    }
  }
  return bindings;
}

[[noreturn]] void fail_inferred(const Invocation& call, size_t index, const std::string& expected,
                                const std::string& found) {
  const std::string& name = call.schema.outputs[index].name;
  fail_plugin(call.op.name, call.op.plugin->id,
              "its shape rule gave output " +
                  (name.empty() ? std::to_string(index) : '"' + name + '"') + " " + found +
                  ", which its schema does not allow",
              name, expected, found, "report it to the author of plugin " + call.op.plugin->id);
}

// Kernels trust the schema: an output that is not as it says would be overrun.
void check_inferred(Invocation& call) {
  bool says = false;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const registry::Output& output = call.schema.outputs[i];
    const tenon_meta& meta = call.outputs[i];
    const tenon_dtype declared = call.type_of(output.type);
    if (meta.dtype != declared) {
      fail_inferred(call, i, tensor::dtype_text(declared), tensor::describe(meta));
    }
    says = says || says_something(output.has_dims, output.dims);
  }
  if (!says) return;
  Bindings bindings = bind_dims(call);
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    const registry::Output& output = call.schema.outputs[i];
    if (!output.has_dims) continue;
    const tenon_meta& meta = call.outputs[i];
    bool same = true;
    const bool fits =
        pair_dims(output.dims, tensor::shape_of(meta), [&](const Dim& dim, int64_t size) {
          if (dim.kind == Dim::Integer) same = same && dim.value == size;
          if (dim.kind != Dim::Letter) return;
          same =
              same && bindings.try_emplace(dim.text, Binding{size, 0}).first->second.size == size;
        });
    if (!fits || !same) {
      fail_inferred(call, i, expected_text(output.dims, bindings), tensor::describe(meta));
    }
  }
}

void set_all(Invocation& call, DimSpan shape) {
  for (tenon_meta& meta : call.outputs) {
    meta.rank = static_cast<int32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), meta.shape);
  }
}

void infer_broadcast(Invocation& call) {
  Dims shape{};
  int32_t rank = 0;
  for (uint32_t i = 0; i < call.operands.size(); ++i) {
    const Operand& operand = call.operands[i];
    if (!operand.tensor) continue;
    Dims merged{};
    int32_t merged_rank = 0;
    const DimSpan so_far(shape.data(), static_cast<size_t>(rank));
    if (!tensor::broadcast_shapes(so_far, operand.tensor->shape(), merged, merged_rank)) {
      fail_operand(call, call.input_of(i), TENON_E_SHAPE,
                   tensor::dims_text(operand.tensor->shape()) + " does not broadcast with " +
                       tensor::dims_text(so_far) + ", the shape of the operands before it",
                   "a shape that broadcasts with " + tensor::dims_text(so_far),
                   tensor::describe(*operand.tensor),
                   "sizes must be equal or 1, counted from the last dimension");
    }
    shape = merged;
    rank = merged_rank;
  }
  set_all(call, {shape.data(), static_cast<size_t>(rank)});
}

// Of the first operand.
DimSpan first_shape(const Invocation& call) {
  const Operand* first = call.operands.empty() ? nullptr : &call.operands[0];
  return first && first->tensor ? first->tensor->shape() : DimSpan();
}

void infer_reduce(Invocation& call) {
  const DimSpan shape = first_shape(call);
  const int32_t axes_at = call.schema.find_attr("axes");
  const int32_t keep_at = call.schema.find_attr("keepdims");
  const tenon_value* axes = axes_at < 0 ? nullptr : &call.attrs[static_cast<size_t>(axes_at)];
  const bool keep = keep_at >= 0 && call.attrs[static_cast<size_t>(keep_at)].as.i64 != 0;
  const int64_t rank = static_cast<int64_t>(shape.size());
  bool reduced[TENON_MAX_RANK] = {};
  const bool all = !axes || axes->tag == TENON_VALUE_NONE;
  for (uint32_t i = 0; !all && i < axes->count; ++i) {
    const int64_t given = axes->as.ints[i];
    const int64_t axis = given < 0 ? given + rank : given;
    const bool outside = axis < 0 || axis >= rank;
    if (outside || reduced[axis]) {
      fail_in(call.op.name, TENON_E_ATTRIBUTE,
              outside ? "attribute \"axes\" has an axis out of range"
                      : "attribute \"axes\" names an axis twice",
              "axes",
              "different axes from " + std::to_string(-rank) + " to " + std::to_string(rank - 1),
              tensor::dims_text({axes->as.ints, axes->count}));
    }
    reduced[axis] = true;
  }
  Dims out{};
  size_t out_rank = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool gone = all || reduced[i];
    if (gone && !keep) continue;
    out[out_rank++] = gone ? 1 : shape[i];
  }
  set_all(call, {out.data(), out_rank});
}

// Where the run of `dims` lies in `shape`, which fits them; empty if there is none.
DimSpan run_of(const std::vector<Dim>& dims, DimSpan shape) {
  const auto run = std::ranges::find(dims, Dim::Ellipsis, &Dim::kind);
  if (run == dims.end()) return {};
  return shape.subspan(static_cast<size_t>(run - dims.begin()), shape.size() + 1 - dims.size());
}

// A run of dimensions, "...B".
struct Run {
  DimSpan dims;
  uint32_t input = 0;
};
using Runs = std::map<std::string, Run, std::less<>>;

void bind_run(Invocation& call, uint32_t input, const Operand& operand, const Bindings& bindings,
              Runs& runs) {
  const registry::Param& param = call.schema.inputs[input];
  const DimSpan shape = operand.tensor ? operand.tensor->shape() : DimSpan();
  if (!operand.tensor && !pair_dims(param.dims, shape, [](const Dim&, int64_t) {})) {
    fail_operand(call, input, TENON_E_SHAPE, "is a number", expected_text(param.dims, bindings),
                 value_text(*operand.number), "give a tensor of that shape");
  }
  for (const Dim& dim : param.dims) {
    if (dim.kind != Dim::Ellipsis || dim.text.empty()) continue;
    const DimSpan found = run_of(param.dims, shape);
    const auto [bound, fresh] = runs.try_emplace(dim.text, Run{found, input});
    if (fresh || std::ranges::equal(found, bound->second.dims)) continue;
    fail_operand(call, input, TENON_E_SHAPE,
                 "dimensions ..." + dim.text + " differ from those of operand \"" +
                     call.schema.inputs[bound->second.input].name + "\"",
                 tensor::dims_text(bound->second.dims), tensor::dims_text(found));
  }
}

Runs bind_runs(Invocation& call, const Bindings& bindings) {
  Runs runs;
  for (uint32_t input = 0; input < call.n_inputs(); ++input) {
    if (!call.schema.inputs[input].has_dims) continue;
    for (uint32_t i = call.begin[input]; i < call.begin[input + 1]; ++i) {
      bind_run(call, input, call.operands[i], bindings, runs);
    }
  }
  return runs;
}

void append_dims(const Invocation& call, DimSpan dims, tenon_meta& meta) {
  if (static_cast<size_t>(meta.rank) + dims.size() > TENON_MAX_RANK) {
    fail_in(call.op.name, TENON_E_SHAPE,
            "an output would have more than " + std::to_string(TENON_MAX_RANK) + " dimensions", {},
            "at most " + std::to_string(TENON_MAX_RANK) + " dimensions",
            std::to_string(static_cast<size_t>(meta.rank) + dims.size()));
  }
  std::copy(dims.begin(), dims.end(), meta.shape + meta.rank);
  meta.rank += static_cast<int32_t>(dims.size());
}

// What the outputs' dimensions say, each of which the inputs of every call have.
void infer_schema(Invocation& call) {
  const Bindings bindings = bind_dims(call);
  const Runs runs = bind_runs(call, bindings);
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    tenon_meta& meta = call.outputs[i];
    for (const Dim& dim : call.schema.outputs[i].dims) {
      if (dim.kind == Dim::Ellipsis) {
        append_dims(call, runs.find(dim.text)->second.dims, meta);
      } else {
        const int64_t size =
            dim.kind == Dim::Integer ? dim.value : bindings.find(dim.text)->second.size;
        append_dims(call, {&size, 1}, meta);
      }
    }
    tensor::checked_count(tensor::shape_of(meta), tensor::size_of(meta.dtype));
  }
}

void infer_callback(Invocation& call) {
  ask_rule(call, "infer", [&](tenon_call* handed, const tenon_launch* inputs) {
    return call.op.desc.infer(handed, inputs, call.outputs.data(),
                              static_cast<uint32_t>(call.outputs.size()));
  });
  for (tenon_meta& meta : call.outputs) {
    meta.device = call.output_device->id;
    if (meta.rank < 0 || meta.rank > TENON_MAX_RANK || !tensor::is_known(meta.dtype)) {
      fail_in(call.op.name, TENON_E_PLUGIN, "its shape rule gave an impossible output");
    }
    tensor::checked_count(tensor::shape_of(meta), tensor::size_of(meta.dtype));
  }
  check_inferred(call);
}

void infer_outputs(Invocation& call) {
  call.outputs.resize(call.n_outputs());
  for (uint32_t i = 0; i < call.n_outputs(); ++i) {
    tenon_meta& meta = call.outputs[i];
    meta = tenon_meta{};
    meta.dtype = call.type_of(call.schema.outputs[i].type);
    meta.device = call.output_device->id;
  }
  switch (call.op.desc.shape_rule) {
    case TENON_SHAPE_BROADCAST:
      return infer_broadcast(call);
    case TENON_SHAPE_SAME_AS_0:
      return set_all(call, first_shape(call));
    case TENON_SHAPE_REDUCE:
      return infer_reduce(call);
    case TENON_SHAPE_SCHEMA:
      return infer_schema(call);
    default:
      return infer_callback(call);
  }
}

bool is_wide(const Invocation& call) {
  return std::ranges::any_of(call.operands,
                             [](const Operand& operand) {
                               return operand.tensor && operand.tensor->elements() > INT32_MAX;
                             }) ||
         std::ranges::any_of(call.outputs, [](const tenon_meta& meta) {
           return tensor::count(tensor::shape_of(meta)) > INT32_MAX;
         });
}

}  // namespace

void infer(Invocation& call) {
  bind_dims(call);
  infer_outputs(call);
  call.wide = is_wide(call);
}

}  // namespace tenon::dispatch
