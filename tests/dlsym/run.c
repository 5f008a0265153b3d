// SPDX-License-Identifier: Apache-2.0
// tests/dlsym/run.c: data, transforms, workers, a checkpoint and tokenizers through dlsym alone:
// the same batches with four workers as with none, files that load, and no thread that stays.
//
//   dlsym_run LIBTENON FOLDER RUN      FOLDER has the idx files of digits, RUN is written
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/tenon.h>

// Functions by name, each a pointer of its own type.
#define FUNCTIONS(X)             \
  X(tenon_runtime_create)        \
  X(tenon_runtime_release)       \
  X(tenon_context_create)        \
  X(tenon_context_release)       \
  X(tenon_context_get_error)     \
  X(tenon_dataset_create)        \
  X(tenon_dataset_release)       \
  X(tenon_transform_create)      \
  X(tenon_transform_release)     \
  X(tenon_loader_create)         \
  X(tenon_loader_set_transforms) \
  X(tenon_loader_set_workers)    \
  X(tenon_loader_begin)          \
  X(tenon_loader_run)            \
  X(tenon_loader_get_info)       \
  X(tenon_loader_release)        \
  X(tenon_tensor_get_info)       \
  X(tenon_tensor_get_data)       \
  X(tenon_tensor_release)        \
  X(tenon_checkpoint_create)     \
  X(tenon_checkpoint_set_loader) \
  X(tenon_checkpoint_save)       \
  X(tenon_checkpoint_load)       \
  X(tenon_checkpoint_release)    \
  X(tenon_tokenizer_create)      \
  X(tenon_tokenizer_load)        \
  X(tenon_tokenizer_save)        \
  X(tenon_tokenizer_get_info)    \
  X(tenon_tokenizer_call)        \
  X(tenon_tokenizer_get_text)    \
  X(tenon_tokenizer_release)     \
  X(tenon_text_get)              \
  X(tenon_text_release)

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
#define REQUIRE(condition) require((condition), #condition)

static void open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
#define FIND(name)                         \
  {                                        \
    void* found = dlsym(library, #name);   \
    require(found != NULL, #name);         \
    memcpy(&t.name, &found, sizeof found); \
  }
  FUNCTIONS(FIND)
}

static int count_threads(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  while (folder && readdir(folder)) ++count;
  if (folder) closedir(folder);
  return count;
}

static tenon_loader* open_loader(const char* folder, uint32_t workers) {
  char paths[2][4096];
  snprintf(paths[0], sizeof paths[0], "%s/train-images-idx3-ubyte", folder);
  snprintf(paths[1], sizeof paths[1], "%s/train-labels-idx1-ubyte", folder);
  const tenon_string names[] = {{"images", 6}, {"labels", 6}};
  tenon_value values[2] = {{.tag = TENON_VALUE_STRING}, {.tag = TENON_VALUE_STRING}};
  for (int i = 0; i < 2; ++i) {
    values[i].count = (uint32_t)strlen(paths[i]);
    values[i].as.string = paths[i];
  }
  tenon_dataset* set = NULL;
  CHECK(t.tenon_dataset_create(cx, "tenon.idx", TENON_NUL, names, values, 2, &set));
  const tenon_string scale = {"scale", 5};
  const tenon_value sixteen = {.tag = TENON_VALUE_F64, .as.f64 = 16};
  const tenon_string window[] = {{"height", 6}, {"width", 5}, {"padding", 7}, {"random", 6}};
  const tenon_value sizes[] = {{.tag = TENON_VALUE_I64, .as.i64 = 8},
                               {.tag = TENON_VALUE_I64, .as.i64 = 8},
                               {.tag = TENON_VALUE_I64, .as.i64 = 1},
                               {.tag = TENON_VALUE_BOOL, .as.i64 = 1}};
  tenon_transform* list[3] = {NULL, NULL, NULL};
  CHECK(t.tenon_transform_create(cx, "tenon.crop", TENON_NUL, window, sizes, 4, &list[0]));
  CHECK(t.tenon_transform_create(cx, "tenon.normalise", TENON_NUL, &scale, &sixteen, 1, &list[1]));
  CHECK(t.tenon_transform_create(cx, "tenon.flatten", TENON_NUL, NULL, NULL, 0, &list[2]));
  const uint32_t fields[] = {0, 0, 0};
  tenon_loader* loader = NULL;
  CHECK(t.tenon_loader_create(cx, set, 64, 7, TENON_LOADER_SHUFFLE, &loader));
  CHECK(t.tenon_loader_set_transforms(cx, loader, list, fields, 3));
  CHECK(t.tenon_loader_set_workers(cx, loader, workers));
  for (int i = 0; i < 3; ++i) t.tenon_transform_release(list[i]);
  t.tenon_dataset_release(set);
  return loader;
}

// FNV-1a over all bytes of what is left of the epoch.
static uint64_t hash_rest(tenon_loader* loader) {
  uint64_t hash = 14695981039346656037u;
  for (;;) {
    tenon_tensor* batch[2];
    int64_t n = 0;
    CHECK(t.tenon_loader_run(cx, loader, batch, 2, &n));
    if (n == 0) return hash;
    for (int f = 0; f < 2; ++f) {
      tenon_tensor_info info = {.struct_size = sizeof info};
      CHECK(t.tenon_tensor_get_info(cx, batch[f], &info));
      const size_t bytes = (size_t)info.elements * (f == 0 ? sizeof(float) : sizeof(int64_t));
      unsigned char* data = malloc(bytes);
      REQUIRE(data != NULL);
      CHECK(t.tenon_tensor_get_data(cx, batch[f], data, bytes));
      for (size_t i = 0; i < bytes; ++i) hash = (hash ^ data[i]) * 1099511628211u;
      free(data);
      t.tenon_tensor_release(batch[f]);
    }
  }
}

static const char kText[] = "the more text there is, the more there is to learn \xC3\xA9\n";

// Encodes the text; tokens[sizeof kText] gets them.
static int64_t encode(tenon_tokenizer* tokenizer, int64_t* tokens) {
  tenon_tensor* made = NULL;
  CHECK(t.tenon_tokenizer_call(cx, tokenizer, kText, TENON_NUL, 0, 0, &made));
  tenon_tensor_info info = {.struct_size = sizeof info};
  CHECK(t.tenon_tensor_get_info(cx, made, &info));
  REQUIRE(info.elements > 0 && info.elements < (int64_t)sizeof kText);
  CHECK(t.tenon_tensor_get_data(cx, made, tokens, (uint64_t)info.elements * sizeof *tokens));
  tenon_text* text = NULL;
  CHECK(t.tenon_tokenizer_get_text(cx, tokenizer, made, 0, &text));
  const char* data = NULL;
  uint64_t length = 0;
  CHECK(t.tenon_text_get(text, &data, &length));
  REQUIRE(length == sizeof kText - 1 && memcmp(data, kText, length) == 0);
  t.tenon_text_release(text);
  t.tenon_tensor_release(made);
  return info.elements;
}

// Made of the text, unless its kind needs none; with a file, saved there and loaded.
static void look_at_tokenizer(const char* name, int learns, const char* file) {
  const tenon_string option = {"text", 4};
  tenon_value text = {.tag = TENON_VALUE_STRING, .count = sizeof kText - 1};
  text.as.string = kText;
  tenon_tokenizer* made = NULL;
  CHECK(t.tenon_tokenizer_create(cx, name, TENON_NUL, NULL, 0, &option, &text, learns ? 1 : 0,
                                 &made));
  tenon_tokenizer_info info = {.struct_size = sizeof info};
  CHECK(t.tenon_tokenizer_get_info(cx, made, &info));
  int64_t tokens[sizeof kText], again[sizeof kText];
  const int64_t n = encode(made, tokens);
  for (int64_t i = 0; i < n; ++i) REQUIRE(tokens[i] >= 0 && tokens[i] < info.size);
  if (file) {
    CHECK(t.tenon_tokenizer_save(cx, made, file, TENON_NUL));
    t.tenon_tokenizer_release(made);
    CHECK(t.tenon_tokenizer_load(cx, file, TENON_NUL, name, TENON_NUL, NULL, NULL, 0, &made));
    REQUIRE(encode(made, again) == n);
    REQUIRE(memcmp(tokens, again, (size_t)n * sizeof *tokens) == 0);
    remove(file);
  }
  t.tenon_tokenizer_release(made);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  open_library(argv[1]);
  tenon_runtime* runtime = NULL;
  CHECK(t.tenon_runtime_create(NULL, NULL, &runtime));
  CHECK(t.tenon_context_create(runtime, NULL, &cx));

  tenon_loader* plain = open_loader(argv[2], 0);
  const int before = count_threads();
  tenon_loader* ahead = open_loader(argv[2], 4);
  REQUIRE(count_threads() == before + 4);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    CHECK(t.tenon_loader_begin(cx, plain, epoch, 0));
    CHECK(t.tenon_loader_begin(cx, ahead, epoch, 0));
    REQUIRE(hash_rest(plain) == hash_rest(ahead));
  }

  tenon_checkpoint* run = NULL;
  CHECK(t.tenon_checkpoint_create(cx, &run));
  CHECK(t.tenon_checkpoint_set_loader(cx, run, "loader", TENON_NUL, ahead));
  CHECK(t.tenon_loader_begin(cx, ahead, 3, 128));
  CHECK(t.tenon_checkpoint_save(cx, run, argv[3], TENON_NUL));
  const uint64_t rest = hash_rest(ahead);
  uint32_t loaded = 0;
  CHECK(t.tenon_checkpoint_load(cx, run, argv[3], TENON_NUL, 0, &loaded));
  tenon_loader_info info = {.struct_size = sizeof info};
  CHECK(t.tenon_loader_get_info(cx, ahead, &info));
  REQUIRE(loaded == 1 && info.epoch == 3 && info.position == 128);
  REQUIRE(hash_rest(ahead) == rest);
  remove(argv[3]);
  look_at_tokenizer("tenon.bytes", 0, NULL);
  look_at_tokenizer("tenon.characters", 1, argv[3]);
  look_at_tokenizer("tenon.pairs", 1, argv[3]);

  t.tenon_checkpoint_release(run);
  t.tenon_loader_release(ahead);
  REQUIRE(count_threads() == before);
  t.tenon_loader_release(plain);
  t.tenon_context_release(cx);
  t.tenon_runtime_release(runtime);
  return 0;
}
