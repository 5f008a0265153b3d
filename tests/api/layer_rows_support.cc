// SPDX-License-Identifier: Apache-2.0
// tests/api/layer_rows_support.cc: wrong calls of layers.
#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

constexpr tenon_string kSizes[] = {{"inputs", TENON_NUL}, {"outputs", TENON_NUL}};

tenon_value whole(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}

tenon_status create(World& w, const char* name, const tenon_string* names,
                    const tenon_value* values, uint32_t count) {
  return tenon_layer_create(w.cx, name, TENON_NUL, nullptr, names, values, count, &w.outs.layer);
}

void add_creation(Rows& rows) {
  static const tenon_value sizes[] = {whole(3), whole(2)};
  add_contexts(rows, "tenon_layer_create", [](World& w, tenon_context* cx) {
    return tenon_layer_create(cx, "tenon.linear", TENON_NUL, nullptr, kSizes, sizes, 2,
                              &w.outs.layer);
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* name,
                         const char* option, tenon_value value) {
    add(rows, "tenon_layer_create", what, expected, [=](World& w) {
      const tenon_string names[] = {kSizes[0], kSizes[1], {option, TENON_NUL}};
      const tenon_value values[] = {sizes[0], sizes[1], value};
      return create(w, name, names, values, 3);
    });
  };
  wrong("unknown layer", TENON_E_NOT_FOUND, "tenon.nothing", "bias", whole(1));
  wrong("unknown option", TENON_E_ATTRIBUTE, "tenon.linear", "colour", whole(1));
  wrong("option of the wrong type", TENON_E_ATTRIBUTE, "tenon.linear", "bias", value_of(1.0));
  wrong("option out of range", TENON_E_ATTRIBUTE, "tenon.linear", "inputs", whole(0));
  wrong("NULL text", TENON_E_ATTRIBUTE, "tenon.linear", "init",
        tenon_value{TENON_VALUE_STRING, 4, {}});
  add(rows, "tenon_layer_create", "required option missing", TENON_E_ATTRIBUTE,
      [](World& w) { return create(w, "tenon.linear", kSizes, sizes, 1); });
  add(rows, "tenon_layer_create", "NULL list", TENON_E_ATTRIBUTE, [](World& w) {
    const tenon_string name = {"sizes", TENON_NUL};
    const tenon_value none{TENON_VALUE_INT_LIST, 2, {}};
    return create(w, "tenon.layer_norm", &name, &none, 1);
  });
  add(rows, "tenon_layer_create", "NULL names with a count", TENON_E_ARGUMENT,
      [](World& w) { return create(w, "tenon.linear", nullptr, sizes, 2); });
  add(rows, "tenon_layer_create", "unknown device", TENON_E_DEVICE, [](World& w) {
    const tenon_device nowhere = {12345, 0};
    return tenon_layer_create(w.cx, "tenon.linear", TENON_NUL, &nowhere, kSizes, sizes, 2,
                              &w.outs.layer);
  });
  add(rows, "tenon_layer_create", "NULL name", TENON_E_ARGUMENT, [](World& w) {
    return tenon_layer_create(w.cx, nullptr, 1, nullptr, kSizes, sizes, 2, &w.outs.layer);
  });
  add(rows, "tenon_layer_create", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_layer_create(w.cx, "tenon.linear", TENON_NUL, nullptr, kSizes, sizes, 2, nullptr);
  });
  // Releases what is not a layer: nothing happens.
  for (const Kind kind : {Kind::Layer, Kind::Tensor}) {
    add(rows, "tenon_layer_release", kind == Kind::Layer ? "released" : "another kind", TENON_OK,
        [kind](World& w) {
          tenon_layer_release(
              static_cast<tenon_layer*>(kind == Kind::Layer ? w.released(kind) : w.another(kind)));
          tenon_layer_release(nullptr);
          return TENON_OK;
        });
  }
}

void add_children(Rows& rows) {
  add_contexts(rows, "tenon_layer_set_child", [](World& w, tenon_context* cx) {
    return tenon_layer_set_child(cx, w.own.container, "a", TENON_NUL, w.own.layer);
  });
  add_handles(rows, "tenon_layer_set_child", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_set_child(w.cx, static_cast<tenon_layer*>(handle), "a", TENON_NUL,
                                 w.own.layer);
  });
  add_handles(rows, "tenon_layer_set_child", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_set_child(w.cx, w.own.container, "a", TENON_NUL,
                                 static_cast<tenon_layer*>(handle));
  });
  add(rows, "tenon_layer_set_child", "no container", TENON_E_UNSUPPORTED, [](World& w) {
    return tenon_layer_set_child(w.cx, w.own.layer, "a", TENON_NUL, w.own.container);
  });
  add(rows, "tenon_layer_set_child", "itself", TENON_E_ARGUMENT, [](World& w) {
    return tenon_layer_set_child(w.cx, w.own.container, "a", TENON_NUL, w.own.container);
  });
  for (const char* name : {"0.weight", "A", "a b"}) {
    add(rows, "tenon_layer_set_child", std::string("name ") + name, TENON_E_ARGUMENT,
        [name](World& w) {
          return tenon_layer_set_child(w.cx, w.own.container, name, TENON_NUL, w.own.layer);
        });
  }
  add(rows, "tenon_layer_set_child", "NULL name with a length", TENON_E_ARGUMENT, [](World& w) {
    return tenon_layer_set_child(w.cx, w.own.container, nullptr, 3, w.own.layer);
  });
  add_contexts(rows, "tenon_layer_set_training", [](World& w, tenon_context* cx) {
    return tenon_layer_set_training(cx, w.own.layer, 1);
  });
  add_handles(rows, "tenon_layer_set_training", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_set_training(w.cx, static_cast<tenon_layer*>(handle), 1);
  });
  add_contexts(rows, "tenon_layer_set_device", [](World& w, tenon_context* cx) {
    return tenon_layer_set_device(cx, w.own.layer, nullptr);
  });
  add_handles(rows, "tenon_layer_set_device", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_set_device(w.cx, static_cast<tenon_layer*>(handle), nullptr);
  });
  add(rows, "tenon_layer_set_device", "unknown device", TENON_E_DEVICE, [](World& w) {
    const tenon_device none{12345, 0};
    return tenon_layer_set_device(w.cx, w.own.layer, &none);
  });
}

void add_caches(Rows& rows) {
  add_contexts(rows, "tenon_layer_set_cache", [](World& w, tenon_context* cx) {
    return tenon_layer_set_cache(cx, w.own.layer, 1, 4);
  });
  add_handles(rows, "tenon_layer_set_cache", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_set_cache(w.cx, static_cast<tenon_layer*>(handle), 1, 4);
  });
  const auto wrong = [&](const char* what, tenon_status expected, int64_t batch,
                         int64_t positions) {
    add(rows, "tenon_layer_set_cache", what, expected,
        [=](World& w) { return tenon_layer_set_cache(w.cx, w.own.layer, batch, positions); });
  };
  wrong("nothing keeps anything", TENON_E_UNSUPPORTED, 1, 4);
  wrong("no batch", TENON_E_ARGUMENT, 0, 4);
  wrong("fewer than no positions", TENON_E_ARGUMENT, 1, -1);
  add_contexts(rows, "tenon_layer_crop_cache", [](World& w, tenon_context* cx) {
    return tenon_layer_crop_cache(cx, w.own.layer, 0);
  });
  add_handles(rows, "tenon_layer_crop_cache", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_crop_cache(w.cx, static_cast<tenon_layer*>(handle), 0);
  });
  add(rows, "tenon_layer_crop_cache", "fewer than no positions", TENON_E_ARGUMENT,
      [](World& w) { return tenon_layer_crop_cache(w.cx, w.own.layer, -1); });
  add(rows, "tenon_layer_crop_cache", "no caches", TENON_E_STATE,
      [](World& w) { return tenon_layer_crop_cache(w.cx, w.own.layer, 0); });
}

void add_calls(Rows& rows) {
  add_contexts(rows, "tenon_layer_call", [](World& w, tenon_context* cx) {
    const tenon_value x = value_of(w.t);
    return tenon_layer_call(cx, w.own.layer, &x, 1, w.outs.tensors, 1);
  });
  add_handles(rows, "tenon_layer_call", Kind::Layer, [](World& w, void* handle) {
    const tenon_value x = value_of(w.t);
    return tenon_layer_call(w.cx, static_cast<tenon_layer*>(handle), &x, 1, w.outs.tensors, 1);
  });
  add_handles(rows, "tenon_layer_call", Kind::Tensor, [](World& w, void* handle) {
    tenon_value x = value_of(static_cast<tenon_tensor*>(handle));
    return tenon_layer_call(w.cx, w.own.layer, &x, 1, w.outs.tensors, 1);
  });
  const auto wrong = [&](const char* what, tenon_status expected, uint32_t n_inputs,
                         uint32_t n_outputs, auto&& input) {
    add(rows, "tenon_layer_call", what, expected, [=](World& w) {
      const tenon_value inputs[2] = {input(w), input(w)};
      return tenon_layer_call(w.cx, w.own.layer, inputs, n_inputs, w.outs.tensors, n_outputs);
    });
  };
  const auto good = [](World& w) { return value_of(w.t); };
  wrong("no input", TENON_E_ARGUMENT, 0, 1, good);
  wrong("two inputs", TENON_E_ARGUMENT, 2, 1, good);
  wrong("no output", TENON_E_ARGUMENT, 1, 0, good);
  wrong("two outputs", TENON_E_ARGUMENT, 1, 2, good);
  wrong("a number", TENON_E_ARGUMENT, 1, 1, [](World&) { return value_of(1.0); });
  wrong("another shape", TENON_E_SHAPE, 1, 1, [](World& w) { return value_of(w.wide); });
  wrong("another device", TENON_E_DEVICE, 1, 1, [](World& w) { return value_of(w.away); });
  add(rows, "tenon_layer_call", "NULL inputs", TENON_E_ARGUMENT,
      [](World& w) { return tenon_layer_call(w.cx, w.own.layer, nullptr, 1, w.outs.tensors, 1); });
  add(rows, "tenon_layer_call", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    const tenon_value x = value_of(w.t);
    return tenon_layer_call(w.cx, w.own.layer, &x, 1, nullptr, 1);
  });
}

void add_parameters(Rows& rows) {
  add_contexts(rows, "tenon_layer_get_parameter", [](World& w, tenon_context* cx) {
    return tenon_layer_get_parameter(cx, w.own.layer, 0, &w.outs.name, &w.outs.tensors[0]);
  });
  add_handles(rows, "tenon_layer_get_parameter", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_get_parameter(w.cx, static_cast<tenon_layer*>(handle), 0, &w.outs.name,
                                     &w.outs.tensors[0]);
  });
  for (const uint32_t index : {2u, UINT32_MAX}) {
    add(rows, "tenon_layer_get_parameter", "parameter " + std::to_string(index), TENON_E_NOT_FOUND,
        [index](World& w) {
          return tenon_layer_get_parameter(w.cx, w.own.layer, index, &w.outs.name,
                                           &w.outs.tensors[0]);
        });
  }
}

// Of a function that gives the layer a tensor: values, or the tensor itself.
void add_setter(Rows& rows, const char* function,
                tenon_status (*set)(tenon_context*, tenon_layer*, const char*, uint64_t,
                                    tenon_tensor*)) {
  add_contexts(rows, function, [set](World& w, tenon_context* cx) {
    return set(cx, w.own.layer, "weight", TENON_NUL, w.t);
  });
  add_handles(rows, function, Kind::Layer, [set](World& w, void* handle) {
    return set(w.cx, static_cast<tenon_layer*>(handle), "weight", TENON_NUL, w.t);
  });
  add_handles(rows, function, Kind::Tensor, [set](World& w, void* handle) {
    return set(w.cx, w.own.layer, "weight", TENON_NUL, static_cast<tenon_tensor*>(handle));
  });
  const auto wrong = [&](const char* what, tenon_status expected, const char* name,
                         tenon_tensor* World::*values) {
    add(rows, function, what, expected,
        [=](World& w) { return set(w.cx, w.own.layer, name, TENON_NUL, w.*values); });
  };
  wrong("unknown name", TENON_E_NOT_FOUND, "scale", &World::t);
  wrong("another shape", TENON_E_SHAPE, "weight", &World::wide);
  wrong("another dtype", TENON_E_DTYPE, "weight", &World::integers);
}

void add_tensors(Rows& rows) {
  add_contexts(rows, "tenon_layer_get_tensor", [](World& w, tenon_context* cx) {
    return tenon_layer_get_tensor(cx, w.own.layer, 0, &w.outs.name, &w.outs.index,
                                  &w.outs.tensors[0]);
  });
  add_handles(rows, "tenon_layer_get_tensor", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_get_tensor(w.cx, static_cast<tenon_layer*>(handle), 0, &w.outs.name,
                                  &w.outs.index, &w.outs.tensors[0]);
  });
  for (const uint32_t index : {2u, UINT32_MAX}) {
    add(rows, "tenon_layer_get_tensor", "tensor " + std::to_string(index), TENON_E_NOT_FOUND,
        [index](World& w) {
          return tenon_layer_get_tensor(w.cx, w.own.layer, index, &w.outs.name, &w.outs.index,
                                        &w.outs.tensors[0]);
        });
  }
  add_contexts(rows, "tenon_layer_find_tensor", [](World& w, tenon_context* cx) {
    return tenon_layer_find_tensor(cx, w.own.layer, "bias", TENON_NUL, &w.outs.tensors[0]);
  });
  add_handles(rows, "tenon_layer_find_tensor", Kind::Layer, [](World& w, void* handle) {
    return tenon_layer_find_tensor(w.cx, static_cast<tenon_layer*>(handle), "bias", TENON_NUL,
                                   &w.outs.tensors[0]);
  });
  add(rows, "tenon_layer_find_tensor", "unknown name", TENON_E_NOT_FOUND, [](World& w) {
    return tenon_layer_find_tensor(w.cx, w.own.layer, "0.bias", TENON_NUL, &w.outs.tensors[0]);
  });
  add(rows, "tenon_layer_find_tensor", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_layer_find_tensor(w.cx, w.own.layer, "bias", TENON_NUL, nullptr);
  });
}

}  // namespace

void add_layer_rows(Rows& rows) {
  add_creation(rows);
  add_children(rows);
  add_calls(rows);
  add_caches(rows);
  add_parameters(rows);
  add_tensors(rows);
  add_setter(rows, "tenon_layer_set_tensor", tenon_layer_set_tensor);
  add_setter(rows, "tenon_layer_share_tensor", tenon_layer_share_tensor);
  add(rows, "tenon_layer_share_tensor", "no gradient", TENON_E_GRAD, [](World& w) {
    return tenon_layer_share_tensor(w.cx, w.own.layer, "weight", TENON_NUL, w.t);
  });
}

}  // namespace tenon::tests
