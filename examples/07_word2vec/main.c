// SPDX-License-Identifier: Apache-2.0
// examples/07_word2vec/main.c: words that are used alike get vectors that are alike.
//
// Skip-gram with 8 negative samples: a word's vector is to tell words near it from words drawn at
// random. A step reads 10 rows of two tables; the gradient is these rows, and the optimizer touches
// no other, so that a step takes as long for a large vocabulary as for a small one.
//
// Without --data it learns a small made-up language and ends with status 1 unless nearly every word
// has one of its own kind (animal, verb, food, place) as its nearest. With --data FILE it reads a
// text and prints the nearest words of some frequent ones.
//
// Source: T. Mikolov et al., "Distributed representations of words and phrases and their
// compositionality", 2013; negatives are drawn by count^(3/4).
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tenon/ext/draft/progress.h>

#include "../common/clock.h"
#include "../common/session.h"
#include "text.h"

enum { WIDTH = 64, NEGATIVES = 8, NEAR = NEGATIVES + 1, WINDOW = 2, SHOWN = 12, NEAREST = 5 };

typedef struct options {
  const char* data;
  const char* curve;
  int64_t epochs;
} options;

typedef struct model {
  tenon_tensor* tables[2];  // [words, WIDTH]: of the word itself, and of words near it
  tenon_tensor* signs;      // [NEAR]: 1 for the word that is near, -1 for the others
  tenon_optimizer* optimizer;
  double* shares;  // [words] of the drawing of negatives, summed up
  tenon_sdk_random random;
} model;

static model new_model(session* s, const corpus* c) {
  model m = {.random = {0, 1, 0}};
  for (int i = 0; i < 2; ++i) {
    const int64_t shape[] = {c->n_words, WIDTH};
    const double bound = i == 0 ? 0.5 / WIDTH : 0;  // as word2vec's own program begins
    const tenon_value attrs[] = {ints_value(shape, 2), float_value(-bound), float_value(bound),
                                 dtype_value(TENON_DTYPE_F32)};
    m.tables[i] = session_own(s, call(s, "tenon.uniform", NULL, 0, attrs, 4));
    session_check(s, tenon_tensor_set_requires_grad(s->context, m.tables[i], 1));
  }
  float signs[NEAR] = {1};
  for (int i = 1; i < NEAR; ++i) signs[i] = -1;
  const int64_t near = NEAR;
  session_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_F32, NULL, 1, &near, signs,
                                            sizeof signs, &m.signs));
  const tenon_string lr = {"lr", 2};
  const tenon_value rate = float_value(0.025 * NEAR);  // the loss is a mean over NEAR terms
  session_check(s, tenon_optimizer_create(s->context, "tenon.sgd", TENON_NUL, m.tables, 2, &lr,
                                          &rate, 1, &m.optimizer));
  m.shares = malloc((size_t)c->n_words * sizeof *m.shares);
  if (!m.shares) session_check(s, TENON_E_MEMORY);
  double sum = 0;
  for (int64_t i = 0; i < c->n_words; ++i) {
    m.shares[i] = sum += pow((double)c->counts[i], 0.75);
  }
  session_clear(s);
  return m;
}

static void release_model(model* m) {
  tenon_optimizer_release(m->optimizer);
  tenon_tensor_release(m->tables[0]);
  tenon_tensor_release(m->tables[1]);
  tenon_tensor_release(m->signs);
  free(m->shares);
}

static int64_t random_word(model* m, int64_t n_words) {
  const double unit = (double)tenon_sdk_random_below(&m->random, 1u << 30) / (1u << 30);
  const double wanted = unit * m->shares[n_words - 1];
  int64_t low = 0, high = n_words - 1;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (m->shares[middle] > wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

static tenon_tensor* numbers(session* s, const int64_t* values, int64_t n) {
  tenon_tensor* made = NULL;
  session_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_I64, NULL, 1, &n, values,
                                            (uint64_t)n * sizeof *values, &made));
  return session_keep(s, made);
}

// One word and one near it; returns the loss.
static double step(session* s, model* m, const corpus* c, int64_t word, int64_t near) {
  int64_t others[NEAR] = {near};
  for (int i = 1; i < NEAR; ++i) {
    do {
      others[i] = random_word(m, c->n_words);
    } while (others[i] == near);
  }
  tenon_tensor* u = call2(s, "tenon.embedding", m->tables[0], numbers(s, &word, 1));
  tenon_tensor* v = call2(s, "tenon.embedding", m->tables[1], numbers(s, others, NEAR));
  const int64_t last = -1;
  tenon_tensor* scores =
      call_with(s, "tenon.sum", call2(s, "tenon.mul", u, v), ints_value(&last, 1));
  tenon_tensor* chances = call1(s, "tenon.logsigmoid", call2(s, "tenon.mul", scores, m->signs));
  tenon_tensor* loss = call1(s, "tenon.neg", call1(s, "tenon.mean", chances));
  session_check(s, tenon_backward_run(s->context, &loss, NULL, 1, 0));
  session_check(s, tenon_optimizer_run(s->context, m->optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
  const double found = item_of(s, loss);
  session_clear(s);
  return found;
}

// One pass over the text, each word with a neighbour on either side; returns the mean loss.
static double train_epoch(session* s, model* m, const corpus* c, int64_t epoch, int64_t epochs,
                          tenon_history* history) {
  char label[64];
  snprintf(label, sizeof label, "epoch %lld/%lld", (long long)epoch + 1, (long long)epochs);
  tenon_progress* progress = NULL;
  session_check(s, tenon_progress_create(s->context, label, TENON_NUL, c->length, 0, &progress));
  double sum = 0, recent = 0;
  int64_t steps = 0;
  for (int64_t i = 0; i < c->length; ++i) {
    for (int side = -1; side <= 1; side += 2) {
      const int64_t apart = 1 + (int64_t)tenon_sdk_random_below(&m->random, WINDOW);
      const int64_t at = i + side * apart;
      if (at < 0 || at >= c->length || c->text[at] == c->text[i]) continue;
      const double loss = step(s, m, c, c->text[i], c->text[at]);
      sum += loss;
      ++steps;
      recent += (loss - recent) / (steps < 1000 ? (double)steps : 1000);
    }
    if (i % 500 == 0) {
      const int64_t word = epoch * c->length + i;
      session_check(s, tenon_history_set(s->context, history, "loss", TENON_NUL, word, recent));
    }
    session_check(s, tenon_progress_run(s->context, progress, i, "loss", TENON_NUL, recent));
  }
  tenon_progress_release(progress);
  return steps ? sum / (double)steps : 0;
}

// ---- What it has learned ------------------------------------------------------------------------

// The words whose vectors have the largest cosine with that of `word`, which is left out.
static void nearest(const float* vectors, const corpus* c, int64_t word, int64_t out[NEAREST]) {
  double best[NEAREST];
  for (int i = 0; i < NEAREST; ++i) {
    best[i] = -2;
    out[i] = word;
  }
  for (int64_t other = 0; other < c->n_words; ++other) {
    if (other == word) continue;
    double product = 0, size = 0;
    for (int i = 0; i < WIDTH; ++i) {
      const double x = vectors[other * WIDTH + i];
      product += x * vectors[word * WIDTH + i];
      size += x * x;
    }
    const double cosine = product / sqrt(size + 1e-30);
    for (int i = 0; i < NEAREST; ++i) {
      if (cosine <= best[i]) continue;
      memmove(best + i + 1, best + i, (size_t)(NEAREST - 1 - i) * sizeof *best);
      memmove(out + i + 1, out + i, (size_t)(NEAREST - 1 - i) * sizeof *out);
      best[i] = cosine;
      out[i] = other;
      break;
    }
  }
}

// Prints the nearest words of some; returns how many words of a kind have one of their own nearest.
static int show(session* s, const model* m, const corpus* c) {
  float* vectors = malloc((size_t)(c->n_words * WIDTH) * sizeof *vectors);
  if (!vectors) session_check(s, TENON_E_MEMORY);
  session_check(s, tenon_tensor_get_data(s->context, m->tables[0], vectors,
                                         (uint64_t)(c->n_words * WIDTH) * sizeof *vectors));
  int right = 0, shown = 0;
  for (int64_t word = 0; word < c->n_words; ++word) {
    const int kind = kind_of(c->words[word]);
    const int frequent = c->counts[word] * 1000 >= c->length;
    if ((kind < 0 && strlen(c->words[word]) < 4) || !frequent || c->n_words <= NEAREST) continue;
    int64_t found[NEAREST];
    nearest(vectors, c, word, found);
    right += kind >= 0 && kind_of(c->words[found[0]]) == kind;
    if (shown++ >= SHOWN) continue;
    printf("%-10s", c->words[word]);
    for (int i = 0; i < NEAREST; ++i) printf(" %s", c->words[found[i]]);
    printf("\n");
  }
  free(vectors);
  return right;
}

static options options_read(int argc, char** argv) {
  options o = {.epochs = 1};
  for (int i = 1; i < argc; i += 2) {
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (value && strcmp(argv[i], "--data") == 0) {
      o.data = value;
    } else if (value && strcmp(argv[i], "--curve") == 0) {
      o.curve = value;
    } else if (value && strcmp(argv[i], "--epochs") == 0 && atoll(value) > 0) {
      o.epochs = atoll(value);
    } else {
      fprintf(stderr, "usage: %s [--data TEXT] [--epochs N] [--curve FILE.svg]\n", argv[0]);
      exit(strcmp(argv[i], "--help") == 0 ? 0 : 2);
    }
  }
  return o;
}

int main(int argc, char** argv) {
  const options o = options_read(argc, argv);
  corpus c = o.data ? corpus_read(o.data) : corpus_made(4000, 0);
  if (c.n_words < 2) {
    fprintf(stderr, "error: %s: fewer than two different words\n", o.data);
    return 1;
  }
  printf("%lld words, %lld different ones\n", (long long)c.length, (long long)c.n_words);
  session run, *s = &run;
  session_open(s, 1, 0);
  model m = new_model(s, &c);
  tenon_history* history = NULL;
  session_check(s, tenon_history_create(s->context, &history));
  for (int64_t epoch = 0; epoch < o.epochs; ++epoch) {
    const double start = clock_seconds();
    const double loss = train_epoch(s, &m, &c, epoch, o.epochs, history);
    printf("epoch %lld  loss %.4f  %.1f s\n", (long long)epoch + 1, loss, clock_seconds() - start);
  }
  const int right = show(s, &m, &c);
  int failed = 0;
  if (!o.data) {
    printf("%d of %d words are nearest to one of their kind\n", right, KINDS * OF_A_KIND);
    failed = right < KINDS * OF_A_KIND * 9 / 10;
  }
  if (o.curve) {
    session_check(s, tenon_history_save(s->context, history, o.curve, TENON_NUL, "word2vec",
                                        TENON_NUL, "words", TENON_NUL));
  }
  tenon_history_release(history);
  release_model(&m);
  session_close(s);
  corpus_release(&c);
  return failed;
}
