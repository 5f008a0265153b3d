// SPDX-License-Identifier: Apache-2.0
// tests/api/tensor_rows_support.cc: wrong calls of tensors and of what reads and writes them.
#include <cstring>
#include <limits>

#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

constexpr int64_t kMaxSize = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kShape[] = {2, 3};

struct BadShape {
  const char* what;
  int32_t rank;
  std::vector<int64_t> shape;
  tenon_status expected;
};

// What no function may accept as a shape.
std::vector<BadShape> bad_shapes() {
  return {{"negative rank", -1, {1}, TENON_E_SHAPE},
          {"least rank", INT32_MIN, {1}, TENON_E_SHAPE},
          {"rank 9", 9, std::vector<int64_t>(9, 1), TENON_E_SHAPE},
          {"greatest rank", INT32_MAX, std::vector<int64_t>(9, 1), TENON_E_SHAPE},
          {"negative size", 2, {2, -3}, TENON_E_SHAPE},
          {"least size", 1, {kLeast}, TENON_E_SHAPE},
          {"greatest size", 1, {kMaxSize}, TENON_E_SHAPE},
          {"product past 64 bits", 3, {int64_t{1} << 32, int64_t{1} << 32, 1}, TENON_E_SHAPE},
          {"bytes past 63 bits", 2, {int64_t{1} << 31, int64_t{1} << 31}, TENON_E_SHAPE},
          {"product past 64 bits beside 0", 3, {kMaxSize, kMaxSize, 0}, TENON_E_SHAPE},
          {"NULL shape", 2, {}, TENON_E_ARGUMENT}};
}

constexpr tenon_dtype kBadDtypes[] = {0,
                                      1,
                                      12345,
                                      UINT32_MAX,
                                      TENON_DTYPE_MAKE(2, 8),
                                      TENON_DTYPE_MAKE(5, 64),
                                      TENON_DTYPE_F32 + (1u << 16)};

using Create =
    std::function<tenon_status(World&, tenon_dtype, const tenon_device*, int32_t, const int64_t*)>;

void add_shapes(Rows& rows, const std::string& function, Create create, bool dtypes) {
  for (const BadShape& bad : bad_shapes()) {
    add(rows, function, bad.what, bad.expected, [create, bad](World& w) {
      return create(w, TENON_DTYPE_F32, nullptr, bad.rank,
                    bad.shape.empty() ? nullptr : bad.shape.data());
    });
  }
  for (const tenon_dtype dtype : kBadDtypes) {
    if (!dtypes) break;
    add(rows, function, "dtype " + std::to_string(dtype), TENON_E_DTYPE,
        [create, dtype](World& w) { return create(w, dtype, nullptr, 2, kShape); });
  }
}

void add_devices(Rows& rows, const std::string& function, Create create) {
  for (const tenon_device device :
       {tenon_device{0, 0}, tenon_device{9999, 0}, tenon_device{UINT32_MAX, -1}}) {
    add(rows, function, "device kind " + std::to_string(device.kind), TENON_E_DEVICE,
        [create, device](World& w) { return create(w, TENON_DTYPE_F32, &device, 2, kShape); });
  }
}

void add_creation(Rows& rows) {
  const Create create = [](World& w, tenon_dtype dtype, const tenon_device* device, int32_t rank,
                           const int64_t* shape) {
    return tenon_tensor_create(w.cx, dtype, device, rank, shape, &w.outs.tensors[0]);
  };
  add_contexts(rows, "tenon_tensor_create", [](World& w, tenon_context* cx) {
    return tenon_tensor_create(cx, TENON_DTYPE_F32, nullptr, 2, kShape, &w.outs.tensors[0]);
  });
  add_shapes(rows, "tenon_tensor_create", create, true);
  add_devices(rows, "tenon_tensor_create", create);
  add(rows, "tenon_tensor_create", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tensor_create(w.cx, TENON_DTYPE_F32, nullptr, 2, kShape, nullptr);
  });
  add(rows, "tenon_tensor_create", "past the memory limit", TENON_E_MEMORY, [](World& w) {
    const int64_t shape[] = {1 << 12, 1 << 12};
    EXPECT_EQ(tenon_runtime_set_memory_limit(w.cx, 1 << 20), TENON_OK);
    const tenon_status status =
        tenon_tensor_create(w.cx, TENON_DTYPE_F32, nullptr, 2, shape, &w.outs.tensors[0]);
    EXPECT_EQ(tenon_runtime_set_memory_limit(w.cx, 0), TENON_OK);
    return status;
  });

  const Create create_from = [](World& w, tenon_dtype dtype, const tenon_device* device,
                                int32_t rank, const int64_t* shape) {
    return tenon_tensor_create_from(w.cx, dtype, device, rank, shape, w.memory, sizeof w.memory,
                                    &w.outs.tensors[0]);
  };
  add_contexts(rows, "tenon_tensor_create_from", [](World& w, tenon_context* cx) {
    return tenon_tensor_create_from(cx, TENON_DTYPE_F32, nullptr, 2, kShape, w.memory,
                                    sizeof w.memory, &w.outs.tensors[0]);
  });
  add_shapes(rows, "tenon_tensor_create_from", create_from, true);
  add_devices(rows, "tenon_tensor_create_from", create_from);
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{23}, uint64_t{25}, UINT64_MAX}) {
    add(rows, "tenon_tensor_create_from", std::to_string(bytes) + " bytes", TENON_E_SHAPE,
        [bytes](World& w) {
          return tenon_tensor_create_from(w.cx, TENON_DTYPE_F32, nullptr, 2, kShape, w.memory,
                                          bytes, &w.outs.tensors[0]);
        });
  }
  add(rows, "tenon_tensor_create_from", "NULL data", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tensor_create_from(w.cx, TENON_DTYPE_F32, nullptr, 2, kShape, nullptr, 24,
                                    &w.outs.tensors[0]);
  });
  add(rows, "tenon_tensor_create_from", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tensor_create_from(w.cx, TENON_DTYPE_F32, nullptr, 2, kShape, w.memory, 24,
                                    nullptr);
  });
}

// A failed call leaves the memory the caller's: the deleter must not run.
void never(void*) { ADD_FAILURE() << "the deleter of a failed call ran"; }

void add_external(Rows& rows) {
  const Create create = [](World& w, tenon_dtype dtype, const tenon_device*, int32_t rank,
                           const int64_t* shape) {
    return tenon_tensor_create_external(w.cx, dtype, rank, shape, nullptr, w.memory, 0, never,
                                        nullptr, &w.outs.tensors[0]);
  };
  add_contexts(rows, "tenon_tensor_create_external", [](World& w, tenon_context* cx) {
    return tenon_tensor_create_external(cx, TENON_DTYPE_F32, 2, kShape, nullptr, w.memory, 0, never,
                                        nullptr, &w.outs.tensors[0]);
  });
  add_shapes(rows, "tenon_tensor_create_external", create, true);
  add(rows, "tenon_tensor_create_external", "NULL data", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tensor_create_external(w.cx, TENON_DTYPE_F32, 2, kShape, nullptr, nullptr, 0,
                                        never, nullptr, &w.outs.tensors[0]);
  });
  add_unknown_flags(
      rows, "tenon_tensor_create_external", TENON_VIEW_READ_ONLY, [](World& w, uint32_t flags) {
        return tenon_tensor_create_external(w.cx, TENON_DTYPE_F32, 2, kShape, nullptr, w.memory,
                                            flags, never, nullptr, &w.outs.tensors[0]);
      });
  add_unknown_flags(rows, "tenon_tensor_get_text", TENON_TEXT_INFO, [](World& w, uint32_t flags) {
    return tenon_tensor_get_text(w.cx, w.t, flags, &w.outs.text);
  });
  add(rows, "tenon_tensor_create_external", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tensor_create_external(w.cx, TENON_DTYPE_F32, 2, kShape, nullptr, w.memory, 0,
                                        never, nullptr, nullptr);
  });
  for (const int64_t stride : {kMaxSize, kLeast, kMaxSize / 2}) {
    add(rows, "tenon_tensor_create_external", "stride " + std::to_string(stride), TENON_E_LAYOUT,
        [stride](World& w) {
          const int64_t strides[] = {stride, stride};
          return tenon_tensor_create_external(w.cx, TENON_DTYPE_F32, 2, kShape, strides, w.memory,
                                              0, never, nullptr, &w.outs.tensors[0]);
        });
  }
}

void add_views(Rows& rows) {
  const Create create = [](World& w, tenon_dtype, const tenon_device*, int32_t rank,
                           const int64_t* shape) {
    const int64_t strides[9] = {};
    return tenon_tensor_create_view(w.cx, w.t, rank, shape, strides, 0, &w.outs.tensors[0]);
  };
  add_contexts(rows, "tenon_tensor_create_view", [](World& w, tenon_context* cx) {
    return tenon_tensor_create_view(cx, w.t, 2, kShape, kShape, 0, &w.outs.tensors[0]);
  });
  add_handles(rows, "tenon_tensor_create_view", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_create_view(w.cx, static_cast<tenon_tensor*>(handle), 0, nullptr, nullptr,
                                    0, &w.outs.tensors[0]);
  });
  add_shapes(rows, "tenon_tensor_create_view", create, false);
  struct BadView {
    const char* what;
    int64_t strides[2];
    int64_t offset;
  };
  for (const BadView& bad :
       {BadView{"past the end", {3, 1}, 1}, BadView{"before the start", {3, 1}, -1},
        BadView{"negative stride", {-3, 1}, 0}, BadView{"wide stride", {4, 1}, 0},
        BadView{"greatest stride", {kMaxSize, kMaxSize}, 0},
        BadView{"least stride", {kLeast, 1}, 0}, BadView{"greatest offset", {3, 1}, kMaxSize},
        BadView{"least offset", {3, 1}, kLeast}}) {
    add(rows, "tenon_tensor_create_view", bad.what, TENON_E_LAYOUT, [bad](World& w) {
      return tenon_tensor_create_view(w.cx, w.t, 2, kShape, bad.strides, bad.offset,
                                      &w.outs.tensors[0]);
    });
  }
  add(rows, "tenon_tensor_create_view", "NULL strides", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tensor_create_view(w.cx, w.t, 2, kShape, nullptr, 0, &w.outs.tensors[0]);
  });
  add(rows, "tenon_tensor_create_view", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_tensor_create_view(w.cx, w.t, 0, nullptr, nullptr, 0, nullptr);
  });
  add(rows, "tenon_tensor_create_view", "under a gradient", TENON_E_GRAD, [](World& w) {
    return tenon_tensor_create_view(w.cx, w.own.parameter, 0, nullptr, nullptr, 0,
                                    &w.outs.tensors[0]);
  });
}

// Functions (context, tensor, one result).
template <class Result>
void add_reader(Rows& rows, const std::string& function, bool takes_null_out,
                std::function<tenon_status(tenon_context*, tenon_tensor*, Result*)> call,
                std::function<Result*(Outs&)> out) {
  add_contexts(rows, function,
               [=](World& w, tenon_context* cx) { return call(cx, w.t, out(w.outs)); });
  add_handles(rows, function, Kind::Tensor, [=](World& w, void* handle) {
    return call(w.cx, static_cast<tenon_tensor*>(handle), out(w.outs));
  });
  if (takes_null_out) return;
  add(rows, function, "NULL out", TENON_E_ARGUMENT,
      [=](World& w) { return call(w.cx, w.t, nullptr); });
}

void add_clones(Rows& rows) {
  for (const uint32_t layout : {TENON_CLONE_ROW_MAJOR, TENON_CLONE_PRESERVE}) {
    add_reader<tenon_tensor*>(
        rows, "tenon_tensor_create_clone", false,
        [layout](tenon_context* cx, tenon_tensor* tensor, tenon_tensor** out) {
          return tenon_tensor_create_clone(cx, tensor, layout, out);
        },
        [](Outs& outs) { return &outs.tensors[0]; });
  }
  for (const uint32_t layout : {2u, UINT32_MAX}) {
    add(rows, "tenon_tensor_create_clone", "layout " + std::to_string(layout), TENON_E_ARGUMENT,
        [layout](World& w) {
          return tenon_tensor_create_clone(w.cx, w.t, layout, &w.outs.tensors[0]);
        });
  }
  add(rows, "tenon_tensor_create_clone", "past the memory limit", TENON_E_MEMORY, [](World& w) {
    EXPECT_EQ(tenon_runtime_set_memory_limit(w.cx, 1), TENON_OK);
    const tenon_status status =
        tenon_tensor_create_clone(w.cx, w.t, TENON_CLONE_PRESERVE, &w.outs.tensors[0]);
    EXPECT_EQ(tenon_runtime_set_memory_limit(w.cx, 0), TENON_OK);
    return status;
  });
}

void add_dtypes(Rows& rows) {
  add_contexts(rows, "tenon_dtype_get_info", [](World& w, tenon_context* cx) {
    return tenon_dtype_get_info(cx, TENON_DTYPE_F32, &w.outs.dtype_info);
  });
  for (const tenon_dtype dtype : kBadDtypes) {
    add(rows, "tenon_dtype_get_info", "dtype " + std::to_string(dtype), TENON_E_DTYPE,
        [dtype](World& w) { return tenon_dtype_get_info(w.cx, dtype, &w.outs.dtype_info); });
  }
  add(rows, "tenon_dtype_get_info", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_dtype_get_info(w.cx, TENON_DTYPE_F32, nullptr); });
  add(rows, "tenon_dtype_get_info", "struct_size 0", TENON_E_ARGUMENT, [](World& w) {
    tenon_dtype_info info{};
    const tenon_status status = tenon_dtype_get_info(w.cx, TENON_DTYPE_F32, &info);
    EXPECT_EQ(info.bits, 0u);
    return status;
  });
}

void add_readers(Rows& rows) {
  const auto tensors = [](Outs& outs) { return &outs.tensors[0]; };
  add_reader<tenon_tensor*>(rows, "tenon_tensor_create_detached", false,
                            tenon_tensor_create_detached, tensors);
  add_reader<tenon_tensor*>(
      rows, "tenon_tensor_create_copy", false,
      [](tenon_context* cx, tenon_tensor* tensor, tenon_tensor** out) {
        return tenon_tensor_create_copy(cx, tensor, nullptr, out);
      },
      tensors);
  add(rows, "tenon_tensor_create_copy", "unknown device", TENON_E_DEVICE, [](World& w) {
    const tenon_device device{77, 0};
    return tenon_tensor_create_copy(w.cx, w.t, &device, &w.outs.tensors[0]);
  });
  add_clones(rows);
  add_reader<tenon_view>(rows, "tenon_tensor_get_view", false, tenon_tensor_get_view,
                         [](Outs& outs) { return &outs.view; });
  add_reader<tenon_tensor_info>(rows, "tenon_tensor_get_info", false, tenon_tensor_get_info,
                                [](Outs& outs) { return &outs.tensor_info; });
  add(rows, "tenon_tensor_get_info", "struct_size 0", TENON_E_ARGUMENT, [](World& w) {
    tenon_tensor_info info{};
    return tenon_tensor_get_info(w.cx, w.t, &info);
  });
  add_reader<tenon_value>(rows, "tenon_tensor_get_item", false, tenon_tensor_get_item,
                          [](Outs& outs) { return &outs.value; });
  add(rows, "tenon_tensor_get_item", "six elements", TENON_E_SHAPE,
      [](World& w) { return tenon_tensor_get_item(w.cx, w.t, &w.outs.value); });
  add_reader<tenon_text*>(
      rows, "tenon_tensor_get_text", false,
      [](tenon_context* cx, tenon_tensor* tensor, tenon_text** out) {
        return tenon_tensor_get_text(cx, tensor, 0, out);
      },
      [](Outs& outs) { return &outs.text; });
  add_reader<void*>(rows, "tenon_tensor_get_dlpack", false, tenon_tensor_get_dlpack,
                    [](Outs& outs) { return &outs.managed; });
  add(rows, "tenon_tensor_get_dlpack", "requires grad", TENON_E_GRAD,
      [](World& w) { return tenon_tensor_get_dlpack(w.cx, w.own.parameter, &w.outs.managed); });
  add_contexts(rows, "tenon_tensor_create_dlpack", [](World& w, tenon_context* cx) {
    return tenon_tensor_create_dlpack(cx, w.memory, &w.outs.tensors[0]);
  });
  add(rows, "tenon_tensor_create_dlpack", "NULL", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tensor_create_dlpack(w.cx, nullptr, &w.outs.tensors[0]); });
  add(rows, "tenon_tensor_create_dlpack", "NULL out", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tensor_create_dlpack(w.cx, w.memory, nullptr); });
  for (const auto& [what, kind] : {std::pair{"released", 1}, {"wrong", 2}, {"NULL", 0}}) {
    rows.push_back({"tenon_tensor_retain", what, TENON_E_HANDLE,
                    [which = kind](World& w) {
                      void* handle = which == 1   ? w.released(Kind::Tensor)
                                     : which == 2 ? w.another(Kind::Tensor)
                                                  : nullptr;
                      return tenon_tensor_retain(static_cast<tenon_tensor*>(handle));
                    },
                    false});
  }
}

void add_data(Rows& rows) {
  add_contexts(rows, "tenon_tensor_set_data", [](World& w, tenon_context* cx) {
    return tenon_tensor_set_data(cx, w.t, w.memory, sizeof w.memory);
  });
  add_handles(rows, "tenon_tensor_set_data", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_set_data(w.cx, static_cast<tenon_tensor*>(handle), w.memory, 24);
  });
  add_contexts(rows, "tenon_tensor_get_data", [](World& w, tenon_context* cx) {
    return tenon_tensor_get_data(cx, w.t, w.outs.data, sizeof w.outs.data);
  });
  add_handles(rows, "tenon_tensor_get_data", Kind::Tensor, [](World& w, void* handle) {
    return tenon_tensor_get_data(w.cx, static_cast<tenon_tensor*>(handle), w.outs.data, 24);
  });
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{20}, uint64_t{28}, UINT64_MAX}) {
    const std::string what = std::to_string(bytes) + " bytes";
    add(rows, "tenon_tensor_set_data", what, TENON_E_SHAPE,
        [bytes](World& w) { return tenon_tensor_set_data(w.cx, w.t, w.memory, bytes); });
    add(rows, "tenon_tensor_get_data", what, TENON_E_SHAPE,
        [bytes](World& w) { return tenon_tensor_get_data(w.cx, w.t, w.outs.data, bytes); });
  }
  add(rows, "tenon_tensor_set_data", "NULL", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tensor_set_data(w.cx, w.t, nullptr, 24); });
  add(rows, "tenon_tensor_get_data", "NULL", TENON_E_ARGUMENT,
      [](World& w) { return tenon_tensor_get_data(w.cx, w.t, nullptr, 24); });
  add(rows, "tenon_tensor_set_data", "read-only", TENON_E_ALIAS,
      [](World& w) { return tenon_tensor_set_data(w.cx, w.constant, w.outs.data, 24); });
  add(rows, "tenon_tensor_set_data", "overlaps itself", TENON_E_ALIAS,
      [](World& w) { return tenon_tensor_set_data(w.cx, w.spread, w.memory, 24); });
  add(rows, "tenon_tensor_set_data", "one element six times", TENON_E_ALIAS,
      [](World& w) { return tenon_tensor_set_data(w.cx, w.line, w.memory, 24); });
  add(rows, "tenon_tensor_set_data", "requires grad", TENON_E_GRAD,
      [](World& w) { return tenon_tensor_set_data(w.cx, w.own.parameter, w.memory, 24); });
}

}  // namespace

void add_tensor_rows(Rows& rows) {
  add_creation(rows);
  add_external(rows);
  add_views(rows);
  add_readers(rows);
  add_dtypes(rows);
  add_data(rows);
}

}  // namespace tenon::tests
