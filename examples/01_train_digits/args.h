// SPDX-License-Identifier: Apache-2.0
// examples/01_train_digits/args.h: the options of the program.
#ifndef EXAMPLES_ARGS_H
#define EXAMPLES_ARGS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What was not given stays 0 or NULL, and the program chooses.
typedef struct example_args {
  const char* data;
  const char* json;
  const char* activation;
  int64_t epochs;
  int64_t seed;
  int64_t threads;
  double lr;
} example_args;

static const char example_options[] =
    "  --data DIR       folder with the four idx files of MNIST, or of a set like it\n"
    "  --epochs N       passes over the training set\n"
    "  --seed N         start of all random numbers (default 0)\n"
    "  --threads N      compute threads (default: as many as the process may use)\n"
    "  --lr X           learning rate\n"
    "  --activation OP  op between the layers (default tenon.relu)\n"
    "  --json FILE      write loss and accuracy of each epoch, plugins and kernels used\n"
    "  --help           print this and stop\n";

static inline int example_is_whole(const char* text, int64_t least, int64_t* out) {
  char* end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < least) return 0;
  *out = value;
  return 1;
}

static inline int example_is_positive(const char* text, double* out) {
  char* end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0' || !(value > 0 && value < 1e300)) return 0;
  *out = value;
  return 1;
}

// Takes one option with its value; 0 if the name or the value is no good.
static inline int example_take(const char* name, const char* value, example_args* args) {
  if (strcmp(name, "--epochs") == 0) return example_is_whole(value, 1, &args->epochs);
  if (strcmp(name, "--seed") == 0) return example_is_whole(value, 0, &args->seed);
  if (strcmp(name, "--threads") == 0) return example_is_whole(value, 1, &args->threads);
  if (strcmp(name, "--lr") == 0) return example_is_positive(value, &args->lr);
  const char** text = strcmp(name, "--data") == 0         ? &args->data
                      : strcmp(name, "--json") == 0       ? &args->json
                      : strcmp(name, "--activation") == 0 ? &args->activation
                                                          : NULL;
  if (text) *text = value;
  return text != NULL && *value != '\0';
}

// Reads "--name value" pairs. Ends the program for --help (status 0) and for what it does not
// understand (status 2, with words on stderr).
static inline example_args example_args_read(int argc, char** argv, const char* purpose) {
  example_args args = {0};
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0) {
      printf("usage: %s [options]\n\n%s\n\n%s", argv[0], purpose, example_options);
      exit(0);
    }
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (value && example_take(argv[i], value, &args)) {
      ++i;
      continue;
    }
    fprintf(stderr, "%s: cannot use '%s%s%s'\nusage: %s [options]\n%s", argv[0], argv[i],
            value ? " " : "", value ? value : "", argv[0], example_options);
    exit(2);
  }
  return args;
}

#endif  // EXAMPLES_ARGS_H
