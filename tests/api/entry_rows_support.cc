// SPDX-License-Identifier: Apache-2.0
// tests/api/entry_rows_support.cc: wrong calls of what says which entries there are.
#include "tests/api/wrong_input_support.h"

namespace tenon::tests {
namespace {

// A call with a kind and a name, given as pointers.
using Asked =
    std::function<tenon_status(World&, tenon_context*, const char* kind, const char* name)>;

void add_lookup(Rows& rows, const char* function, const Asked& ask) {
  add_contexts(rows, function,
               [ask](World& w, tenon_context* cx) { return ask(w, cx, "op", "tenon.add"); });
  const auto wrong = [&](const char* what, tenon_status expected, const char* kind,
                         const char* name) {
    add(rows, function, what, expected,
        [ask, kind, name](World& w) { return ask(w, w.cx, kind, name); });
  };
  wrong("NULL kind with a length", TENON_E_ARGUMENT, nullptr, "tenon.add");
  wrong("NULL name", TENON_E_ARGUMENT, "op", nullptr);
  wrong("no such kind", TENON_E_NOT_FOUND, "weather", "tenon.add");
  wrong("the kind of kinds", TENON_E_NOT_FOUND, "kind", "op");
  wrong("no such op", TENON_E_NOT_FOUND, "op", "tenon.nosuch");
  wrong("no such optimizer", TENON_E_NOT_FOUND, "optimizer", "tenon.add");
  wrong("a name of nothing", TENON_E_NOT_FOUND, "", "tenon.nosuch");
  wrong("an empty name", TENON_E_NOT_FOUND, "", "");
  wrong("a name of two kinds", TENON_E_ARGUMENT, "", "tenon.linear");
  wrong("a revision that is not a number", TENON_E_ARGUMENT, "op", "tenon.add@new");
  wrong("no such revision", TENON_E_NOT_FOUND, "op", "tenon.add@99");
}

void add_names(Rows& rows) {
  const auto get = [](World& w, tenon_context* cx, const char* kind) {
    return tenon_kind_get_names(cx, kind, TENON_NUL, 2, w.outs.strings, &w.outs.index);
  };
  add_contexts(rows, "tenon_kind_get_names",
               [get](World& w, tenon_context* cx) { return get(w, cx, "op"); });
  for (const auto& [what, kind, expected] :
       {std::tuple{"NULL kind", (const char*)nullptr, TENON_E_ARGUMENT},
        {"no such kind", "weather", TENON_E_NOT_FOUND},
        {"empty kind", "", TENON_E_NOT_FOUND}}) {
    add(rows, "tenon_kind_get_names", what, expected,
        [get, given = kind](World& w) { return get(w, w.cx, given); });
  }
  add(rows, "tenon_kind_get_names", "NULL names", TENON_E_ARGUMENT,
      [](World& w) { return tenon_kind_get_names(w.cx, "op", 2, 1, nullptr, &w.outs.index); });
  add(rows, "tenon_kind_get_names", "NULL count", TENON_E_ARGUMENT,
      [](World& w) { return tenon_kind_get_names(w.cx, "op", 2, 2, w.outs.strings, nullptr); });
}

// Past the last, and results that cannot be written.
template <class Item>
void add_items(Rows& rows, const char* function,
               tenon_status (*get)(tenon_context*, const char*, uint64_t, const char*, uint64_t,
                                   uint32_t, Item*),
               Item Outs::*out) {
  add_lookup(rows, function,
             [get, out](World& w, tenon_context* cx, const char* kind, const char* name) {
               return get(cx, kind, TENON_NUL, name, TENON_NUL, 0, &(w.outs.*out));
             });
  for (const uint32_t index : {64u, UINT32_MAX}) {
    add(rows, function, "number " + std::to_string(index), TENON_E_NOT_FOUND,
        [get, out, index](World& w) {
          return get(w.cx, "op", 2, "tenon.sum", TENON_NUL, index, &(w.outs.*out));
        });
  }
  add(rows, function, "NULL out", TENON_E_ARGUMENT,
      [get](World& w) { return get(w.cx, "op", 2, "tenon.sum", TENON_NUL, 0, nullptr); });
  add(rows, function, "struct_size 0", TENON_E_ARGUMENT, [get](World& w) {
    Item item{};
    return get(w.cx, "op", 2, "tenon.sum", TENON_NUL, 0, &item);
  });
}

void add_children(Rows& rows) {
  const auto get = [](World& w, tenon_context* cx, void* layer, uint32_t index) {
    return tenon_layer_get_child(cx, static_cast<tenon_layer*>(layer), index, &w.outs.name,
                                 w.outs.strings);
  };
  add_contexts(rows, "tenon_layer_get_child",
               [get](World& w, tenon_context* cx) { return get(w, cx, w.own.container, 0); });
  add_handles(rows, "tenon_layer_get_child", Kind::Layer,
              [get](World& w, void* layer) { return get(w, w.cx, layer, 0); });
  for (const uint32_t index : {0u, UINT32_MAX}) {
    add(rows, "tenon_layer_get_child", "child " + std::to_string(index), TENON_E_NOT_FOUND,
        [get, index](World& w) { return get(w, w.cx, w.own.container, index); });
  }
}

}  // namespace

void add_entry_rows(Rows& rows) {
  add_names(rows);
  add_children(rows);
  add_lookup(rows, "tenon_entry_get_info",
             [](World& w, tenon_context* cx, const char* kind, const char* name) {
               return tenon_entry_get_info(cx, kind, TENON_NUL, name, TENON_NUL,
                                           &w.outs.entry_info);
             });
  add(rows, "tenon_entry_get_info", "NULL out", TENON_E_ARGUMENT, [](World& w) {
    return tenon_entry_get_info(w.cx, "op", 2, "tenon.add", TENON_NUL, nullptr);
  });
  add(rows, "tenon_entry_get_info", "struct_size 0", TENON_E_ARGUMENT, [](World& w) {
    tenon_entry_info info{};
    return tenon_entry_get_info(w.cx, "op", 2, "tenon.add", TENON_NUL, &info);
  });
  add_items(rows, "tenon_entry_get_option", tenon_entry_get_option, &Outs::entry_option);
  add_items(rows, "tenon_entry_get_part", tenon_entry_get_part, &Outs::entry_part);
}

}  // namespace tenon::tests
