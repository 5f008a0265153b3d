// SPDX-License-Identifier: Apache-2.0
// tests/templates/kinds.c: the schedule, the format and the layer of a plugin that is not written
// in C++ are found and work.
//
// usage: kinds <folder of plugins> <plugin, and the name of all it has> <a file to write>
#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/layers.h>
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

static void check_layer(const char* name) {
  tenon_layer* layer = NULL;
  check(tenon_layer_create(context, name, TENON_NUL, NULL, NULL, NULL, 0, &layer));
  const char* parameter = NULL;
  check(tenon_layer_get_parameter(context, layer, 0, &parameter, NULL));
  EXPECT(strcmp(parameter, "scale") == 0);
  const int64_t shape[] = {2};
  tenon_tensor* x = new_tensor(1, shape, (double[]){1, 2});
  const tenon_value input = tensor_value(x);
  tenon_tensor* y = NULL;
  check(tenon_layer_call(context, layer, &input, 1, &y, 1));
  expect_values(y, (double[]){2, 4}, 2);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  tenon_layer_release(layer);
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
  close_plugins();
  return 0;
}
