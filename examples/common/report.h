// SPDX-License-Identifier: Apache-2.0
// examples/common/report.h: what an example tells about its run: epochs, the --json file.
//
// Needs _POSIX_C_SOURCE 200809L before the first #include of the program.
#ifndef EXAMPLES_COMMON_REPORT_H
#define EXAMPLES_COMMON_REPORT_H

#include "session.h"

typedef struct epoch_result {
  double loss;
  double accuracy;
  double seconds;
} epoch_result;

static inline void show_epoch(int64_t epoch, epoch_result result) {
  printf("epoch %2lld  loss %.4f  test accuracy %.4f  %.2f s\n", (long long)epoch, result.loss,
         result.accuracy, result.seconds);
  fflush(stdout);
}

// A number JSON can hold: it has no infinities and no NaN.
static inline void write_number(FILE* file, const char* name, double value, const char* after) {
  fprintf(file, "\"%s\":", name);
  if (value - value == 0) {
    fprintf(file, "%.9g%s", value, after);
  } else {
    fprintf(file, "null%s", after);
  }
}

static inline void write_text(FILE* file, tenon_text* text) {
  const char* data = "null";
  if (text) tenon_text_get(text, &data, NULL);
  fputs(data, file);
}

// {"epochs": [...], "test_accuracy": ..., "plugins": [...], "kernels": [...]}; "plugins" is what
// the runtime says of each plugin, "kernels" what it says of each op that the program called.
static inline void write_report(session* s, const char* path, const epoch_result* epochs,
                                int64_t count) {
  tenon_text* plugins = NULL;
  session_check(s, tenon_runtime_query(s->context, "plugins", TENON_NUL, &plugins));
  FILE* file = fopen(path, "w");
  if (!file) {
    perror(path);
    exit(1);
  }
  fputs("{\"epochs\":[", file);
  for (int64_t i = 0; i < count; ++i) {
    fprintf(file, "%s\n {\"epoch\":%lld,", i ? "," : "", (long long)i + 1);
    write_number(file, "loss", epochs[i].loss, ",");
    write_number(file, "test_accuracy", epochs[i].accuracy, ",");
    write_number(file, "seconds", epochs[i].seconds, "}");
  }
  fputs("],\n", file);
  write_number(file, "test_accuracy", epochs[count - 1].accuracy, ",\n\"plugins\":");
  write_text(file, plugins);
  fputs(",\n\"kernels\":[", file);
  for (int i = 0; i < s->n_ops; ++i) {
    fprintf(file, "%s\n {\"op\":\"%s\",\"explain\":", i ? "," : "", s->op_names[i]);
    write_text(file, s->op_explained[i]);
    fputc('}', file);
  }
  fputs("]}\n", file);
  tenon_text_release(plugins);
  if (fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

#endif  // EXAMPLES_COMMON_REPORT_H
