// SPDX-License-Identifier: Apache-2.0
// tests/templates/kinds.c: a schedule, a format, a layer, a transform and a dataset of a plugin in
// C or Rust are found and work.
//
// usage: kinds <folder of plugins> <plugin, and the name of all it has> <a file to write>
#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/loaders.h>
#include <tenon/ext/draft/schedules.h>

#include "sdk/templates/any/any/test/check.h.in"

static void check_schedule(const char* name) {
  tenon_schedule* schedule = NULL;
  check(tenon_schedule_create(context, name, TENON_NUL, 8, NULL, NULL, 0, &schedule));
  for (double expected = 8; expected >= 1; expected /= 2) {
    double value = 0;
    check(tenon_schedule_run(context, schedule, NULL, &value));
    EXPECT(value == expected);
  }
  tenon_schedule_release(schedule);
}

static tenon_status call_layer(tenon_layer* layer, int32_t rank, const double* values,
                               tenon_tensor** out) {
  const int64_t shape[] = {2, 1};
  tenon_tensor* x = new_tensor(rank, shape, values);
  const tenon_value input = tensor_value(x);
  const tenon_status status = tenon_layer_call(context, layer, &input, 1, out, 1);
  tenon_tensor_release(x);
  return status;
}

// relu in a child, times 2; calls in training are counted.
static void check_layer(const char* name) {
  tenon_layer* layer = NULL;
  const tenon_string option = {"op", TENON_NUL};
  const tenon_value relu = {.tag = TENON_VALUE_STRING, .count = 4, .as.string = "relu"};
  check(tenon_layer_create(context, name, TENON_NUL, NULL, &option, &relu, 1, &layer));
  const char* parameter = NULL;
  check(tenon_layer_get_parameter(context, layer, 0, &parameter, NULL));
  EXPECT(strcmp(parameter, "scale") == 0);
  for (uint32_t training = 0; training < 2; ++training) {
    tenon_tensor *y = NULL, *calls = NULL;
    check(tenon_layer_set_training(context, layer, training));
    check(call_layer(layer, 1, (double[]){1, -2}, &y));
    expect_values(y, (double[]){2, 0}, 2);
    tenon_tensor_release(y);
    tenon_value counted = {0};
    check(tenon_layer_find_tensor(context, layer, "calls", TENON_NUL, &calls));
    check(tenon_tensor_get_item(context, calls, &counted));
    EXPECT(counted.as.i64 == training);
  }
  tenon_tensor* none = NULL;
  expect_refused(call_layer(layer, 2, (double[]){1, 2}, &none), TENON_E_SHAPE,
                 "kinds: one dimension, found 2");
  expect_refused(call_layer(layer, 0, (double[]){1}, &none), TENON_E_PLUGIN, "a tensor");
  tenon_layer_release(layer);
}

static void check_transform(const char* name) {
  static const char* const modes[] = {"turn", "keep"};
  const uint8_t bytes[] = {0, 1, 254};
  const int64_t n = 3, samples[] = {0, 1, 2};
  const tenon_batch batch = {.n = n, .samples = samples};
  const tenon_string option = {"mode", TENON_NUL};
  tenon_tensor *field = NULL, *made = NULL;
  check(tenon_tensor_create_from(context, TENON_DTYPE_U8, NULL, 1, &n, bytes, 3, &field));
  for (int keeps = 0; keeps < 2; ++keeps) {
    const tenon_value mode = {.tag = TENON_VALUE_STRING, .count = 4, .as.string = modes[keeps]};
    tenon_transform* transform = NULL;
    check(tenon_transform_create(context, name, TENON_NUL, &option, &mode, 1, &transform));
    check(tenon_transform_call(context, transform, &batch, field, &made));
    uint8_t found[3];
    check(tenon_tensor_get_data(context, made, found, sizeof found));
    for (int i = 0; i < 3; ++i) EXPECT(found[i] == (keeps ? bytes[i] : 255 - bytes[i]));
    tenon_tensor_release(made);
    tenon_tensor* floats = new_tensor(1, &n, (double[]){1, 2, 3});
    expect_refused(tenon_transform_call(context, transform, &batch, floats, &made), TENON_E_DTYPE,
                   "kinds: not u8");
    tenon_tensor_release(floats);
    tenon_transform_release(transform);
  }
  tenon_tensor_release(field);
}

// One batch, which must be [n] as `expected` says; none at the end of an epoch.
static void expect_batch(tenon_loader* loader, const int64_t* expected, int64_t n) {
  tenon_tensor* field = NULL;
  int64_t found[6] = {0}, found_n = -1;
  check(tenon_loader_run(context, loader, &field, 1, &found_n));
  EXPECT(found_n == n);
  if (n == 0) return;
  check(tenon_tensor_get_data(context, field, found, (uint64_t)n * sizeof *found));
  for (int64_t i = 0; i < n; ++i) EXPECT(found[i] == expected[i]);
  tenon_tensor_release(field);
}

// Samples hold the seed, the epoch and their number: of a loader its own, of a call the context's
// seed and epoch 0.
static void check_dataset(const char* name) {
  tenon_dataset* set = NULL;
  check(tenon_dataset_create(context, name, TENON_NUL, NULL, NULL, 0, &set));
  check(tenon_context_set_seed(context, 7, 0));
  const int64_t samples[] = {5, 0};
  tenon_tensor* field = NULL;
  check(tenon_dataset_call(context, set, samples, 2, &field, 1));
  int64_t found[2];
  check(tenon_tensor_get_data(context, field, found, sizeof found));
  EXPECT(found[0] == 705 && found[1] == 700);
  tenon_tensor_release(field);
  for (uint32_t workers = 0; workers < 3; ++workers) {
    tenon_loader* loader = NULL;
    check(tenon_loader_create(context, set, 4, 3, 0, &loader));
    check(tenon_loader_set_workers(context, loader, workers));
    expect_batch(loader, (int64_t[]){300, 301, 302, 303}, 4);
    expect_batch(loader, (int64_t[]){304, 305}, 2);
    expect_batch(loader, NULL, 0);
    check(tenon_loader_begin(context, loader, 2, 4));
    expect_batch(loader, (int64_t[]){324, 325}, 2);
    tenon_loader_release(loader);
  }
  tenon_dataset_release(set);
}

static void write_file(const char* path, const char* bytes) {
  FILE* file = fopen(path, "wb");
  EXPECT(file && fputs(bytes, file) >= 0 && fclose(file) == 0);
}

static void check_format(const char* name, const char* path) {
  tenon_archive* archive = NULL;
  write_file(path, "");
  expect_refused(tenon_archive_load(context, path, TENON_NUL, name, TENON_NUL, 0, &archive),
                 TENON_E_DATA, "kinds: an empty file");
  write_file(path, "lies");
  expect_refused(tenon_archive_load(context, path, TENON_NUL, name, TENON_NUL, 0, &archive),
                 TENON_E_DATA, "the file");
  write_file(path, "abc");
  check(tenon_archive_load(context, path, TENON_NUL, name, TENON_NUL, 0, &archive));
  tenon_tensor* bytes = NULL;
  check(tenon_tensor_create_loaded(context, archive, 0, 0, &bytes));
  char found[4] = "";
  check(tenon_tensor_get_data(context, bytes, found, 3));
  EXPECT(strcmp(found, "abc") == 0);
  expect_refused(tenon_file_set(context, path, TENON_NUL, name, TENON_NUL, archive),
                 TENON_E_UNSUPPORTED, "kinds: such files are only read");
  tenon_tensor_release(bytes);
  tenon_archive_release(archive);
}

int main(int argc, char** argv) {
  EXPECT(argc == 4);
  open_plugins(argv[1]);
  check_schedule(argv[2]);
  check_layer(argv[2]);
  check_format(argv[2], argv[3]);
  check_transform(argv[2]);
  check_dataset(argv[2]);
  close_plugins();
  return 0;
}
