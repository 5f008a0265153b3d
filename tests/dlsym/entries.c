// SPDX-License-Identifier: Apache-2.0
// tests/dlsym/entries.c: everything there is, through dlsym alone and without a parser: the names
// of every kind, and of each entry every option and part; some of them by value.
//
//   dlsym_entries LIBTENON
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/ext/draft/entries.h>
#include <tenon/tenon.h>

// Functions by name, each a pointer of its own type.
#define FUNCTIONS(X)         \
  X(tenon_runtime_create)    \
  X(tenon_runtime_release)   \
  X(tenon_context_create)    \
  X(tenon_context_release)   \
  X(tenon_context_get_error) \
  X(tenon_kind_get_names)    \
  X(tenon_entry_get_info)    \
  X(tenon_entry_get_option)  \
  X(tenon_entry_get_part)

#define DECLARE(name) __typeof__(name)* name;
static struct { FUNCTIONS(DECLARE) } t;

static tenon_context* cx;

static void check(tenon_status status, const char* what) {
  if (status == TENON_OK) return;
  tenon_error error = {.struct_size = sizeof error};
  if (cx) t.tenon_context_get_error(cx, &error);
  fprintf(stderr, "%s: status %d: %s\n", what, status, error.message ? error.message : "");
  exit(1);
}
#define CHECK(call) check((call), #call)

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  exit(1);
}
#define REQUIRE(condition) require((condition) != 0, #condition)

static void open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
#define FIND(name)                          \
  *(void**)&t.name = dlsym(library, #name); \
  require(t.name != NULL, "libtenon exports " #name);
  FUNCTIONS(FIND)
}

static int is(tenon_string text, const char* words) {
  return text.length == strlen(words) && memcmp(text.data, words, text.length) == 0;
}

// The names of a kind; free the list.
static tenon_string* names_of(tenon_string kind, uint32_t* count) {
  CHECK(t.tenon_kind_get_names(cx, kind.data, kind.length, 0, NULL, count));
  tenon_string* names = calloc(*count + 1, sizeof *names);
  require(names != NULL, "memory");
  CHECK(t.tenon_kind_get_names(cx, kind.data, kind.length, *count, names, count));
  return names;
}

static tenon_entry_option option_of(tenon_string kind, tenon_string name, uint32_t index) {
  tenon_entry_option option = {.struct_size = sizeof option};
  CHECK(
      t.tenon_entry_get_option(cx, kind.data, kind.length, name.data, name.length, index, &option));
  return option;
}

// Reads all that there is of one; returns how many options and parts.
static uint32_t read_entry(tenon_string kind, tenon_string name) {
  tenon_entry_info info = {.struct_size = sizeof info};
  CHECK(t.tenon_entry_get_info(cx, kind.data, kind.length, name.data, name.length, &info));
  REQUIRE(info.name.length == name.length && memcmp(info.name.data, name.data, name.length) == 0);
  REQUIRE(info.doc.length > 0 && info.plugin.length > 0);
  for (uint32_t i = 0; i < info.n_options; ++i) {
    const tenon_entry_option option = option_of(kind, name, i);
    REQUIRE(option.name.length > 0 && option.tag != TENON_VALUE_NONE);
    REQUIRE(option.minimum <= option.maximum);
  }
  for (uint32_t i = 0; i < info.n_parts; ++i) {
    tenon_entry_part part = {.struct_size = sizeof part};
    CHECK(t.tenon_entry_get_part(cx, kind.data, kind.length, name.data, name.length, i, &part));
    // An output may have no name, and a sample no operands and no options.
    REQUIRE(part.name.length > 0 || part.role == TENON_PART_OUTPUT ||
            part.role == TENON_PART_SAMPLE);
    REQUIRE(part.n_dtypes == 0 || part.dtypes != NULL);
  }
  return info.n_options + info.n_parts;
}

// What a form for making an optimizer would be filled with.
static void look_at_adam(void) {
  const tenon_string kind = {"optimizer", 9};
  const tenon_string adam = {"tenon.adam", 10};
  const tenon_entry_option rate = option_of(kind, adam, 0);
  REQUIRE(is(rate.name, "lr") && rate.tag == TENON_VALUE_F64);
  REQUIRE(rate.initial.tag == TENON_VALUE_F64 && rate.initial.as.f64 == 0.001);
  REQUIRE(rate.flags == TENON_OPTION_DYNAMIC && rate.minimum == 0);
  tenon_entry_part state = {.struct_size = sizeof state};
  CHECK(t.tenon_entry_get_part(cx, kind.data, 9, adam.data, 10, 0, &state));
  REQUIRE(state.role == TENON_PART_STATE && is(state.name, "exp_avg"));
  REQUIRE(is(state.shape, "like parameter") && state.n_dtypes == 0);
  tenon_entry_option none = {.struct_size = sizeof none};
  REQUIRE(t.tenon_entry_get_option(cx, kind.data, 9, "tenon.adm", 9, 0, &none) ==
          TENON_E_NOT_FOUND);
  tenon_error error = {.struct_size = sizeof error};
  CHECK(t.tenon_context_get_error(cx, &error));
  REQUIRE(strstr(error.hint, "did you mean \"tenon.adam\"?") != NULL);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  open_library(argv[1]);
  tenon_runtime* runtime = NULL;
  CHECK(t.tenon_runtime_create(NULL, NULL, &runtime));
  CHECK(t.tenon_context_create(runtime, NULL, &cx));
  uint32_t n_kinds = 0;
  tenon_string* kinds = names_of((tenon_string){"kind", 4}, &n_kinds);
  REQUIRE(n_kinds >= 7);
  for (uint32_t i = 0; i < n_kinds; ++i) {
    uint32_t n_names = 0;
    uint32_t n_items = 0;
    tenon_string* names = names_of(kinds[i], &n_names);
    for (uint32_t k = 0; k < n_names; ++k) n_items += read_entry(kinds[i], names[k]);
    printf("%.*s: %u, with %u options and parts\n", (int)kinds[i].length, kinds[i].data, n_names,
           n_items);
    REQUIRE(n_names > 0);
    free(names);
  }
  free(kinds);
  look_at_adam();
  t.tenon_context_release(cx);
  t.tenon_runtime_release(runtime);
  return 0;
}
