// SPDX-License-Identifier: Apache-2.0
// examples/01_train_digits/report.h: what the program tells about its run: epochs, the --json file.
//
// Needs _POSIX_C_SOURCE 200809L before the first #include of the program.
#ifndef EXAMPLES_REPORT_H
#define EXAMPLES_REPORT_H

#include <tenon/client.h>

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

// ---- Ops that were called -----------------------------------------------------------------------

enum { REPORT_OPS = 64 };

typedef struct op_notes {
  int n;
  const char* names[REPORT_OPS];
  tenon_text* explained[REPORT_OPS];  // what ran them, as JSON
} op_notes;

// Calls an op as tn_call does; the first time it is explained too, unless `notes` is NULL.
static inline tenon_tensor* call_noted(tn_client* c, op_notes* notes, const char* name,
                                       tn_args args, tn_named named) {
  int i = 0;
  while (notes && i < notes->n && strcmp(notes->names[i], name) != 0) ++i;
  if (notes && i == notes->n && i < REPORT_OPS) {
    const tenon_op* op = tn_op(c, name);
    const tn_attrs attrs = tn_attrs_of(c, op, named);
    tn_check(c, tenon_op_explain(c->context, op, args.values, args.n, attrs.values, attrs.n,
                                 &notes->explained[i]));
    notes->names[notes->n++] = name;
  }
  return tn_call(c, name, args, named);
}

static inline void release_notes(op_notes* notes) {
  for (int i = 0; i < notes->n; ++i) tenon_text_release(notes->explained[i]);
}

// ---- The file -----------------------------------------------------------------------------------

// {"epochs": [...], "test_accuracy": ..., "plugins": [...], "kernels": [...]}; "plugins" is what
// the runtime says of each plugin, "kernels" what it says of each op that the program called.
static inline void write_report(tn_client* c, const char* path, const epoch_result* epochs,
                                int64_t count, const op_notes* notes) {
  tenon_text* plugins = NULL;
  tn_check(c, tenon_runtime_query(c->context, "plugins", TENON_NUL, &plugins));
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
  for (int i = 0; i < notes->n; ++i) {
    fprintf(file, "%s\n {\"op\":\"%s\",\"explain\":", i ? "," : "", notes->names[i]);
    write_text(file, notes->explained[i]);
    fputc('}', file);
  }
  fputs("]}\n", file);
  tenon_text_release(plugins);
  if (fclose(file) != 0) {
    perror(path);
    exit(1);
  }
}

#endif  // EXAMPLES_REPORT_H
