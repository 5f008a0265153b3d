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
#include <tenon/client.h>

#include "../common/clock.h"
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

static model new_model(tn_client* c, const corpus* words) {
  model m = {.random = {0, 1, 0}};
  for (int i = 0; i < 2; ++i) {
    const int64_t shape[] = {words->n_words, WIDTH};
    const double bound = i == 0 ? 0.5 / WIDTH : 0;  // as word2vec's own program begins
    m.tables[i] = tn_call(c, "tenon.uniform", TN_NO_INPUTS,
                          TN_NAMED({"shape", tn_ints(shape, 2)}, {"low", tn_float(-bound)},
                                   {"high", tn_float(bound)}));
    tn_check(c, tenon_tensor_set_requires_grad(c->context, m.tables[i], 1));
  }
  float signs[NEAR] = {1};
  for (int i = 1; i < NEAR; ++i) signs[i] = -1;
  m.signs = tn_tensor(c, (int64_t[]){NEAR}, 1, signs);
  const tenon_string lr = {"lr", 2};
  const tenon_value rate = tn_float(0.025 * NEAR);  // the loss is a mean over NEAR terms
  tn_check(c, tenon_optimizer_create(c->context, "tenon.sgd", TENON_NUL, m.tables, 2, &lr, &rate, 1,
                                     &m.optimizer));
  tn_hold(c, TN_OPTIMIZER, m.optimizer);
  m.shares = malloc((size_t)words->n_words * sizeof *m.shares);
  if (!m.shares) tn_check(c, TENON_E_MEMORY);
  double sum = 0;
  for (int64_t i = 0; i < words->n_words; ++i) {
    m.shares[i] = sum += pow((double)words->counts[i], 0.75);
  }
  return m;
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

static tenon_tensor* numbers(tn_client* c, const int64_t* values, int64_t n) {
  tenon_tensor* made = NULL;
  tn_check(c, tenon_tensor_create_from(c->context, TENON_DTYPE_I64, NULL, 1, &n, values,
                                       (uint64_t)n * sizeof *values, &made));
  return tn_keep(c, made);
}

// One word and one near it; returns the loss.
static double step(tn_client* c, model* m, const corpus* words, int64_t word, int64_t near) {
  int64_t others[NEAR] = {near};
  for (int i = 1; i < NEAR; ++i) {
    do {
      others[i] = random_word(m, words->n_words);
    } while (others[i] == near);
  }
  const size_t region = tn_begin(c);
  tenon_tensor* u = tn_call2(c, "tenon.embedding", m->tables[0], numbers(c, &word, 1));
  tenon_tensor* v = tn_call2(c, "tenon.embedding", m->tables[1], numbers(c, others, NEAR));
  const tenon_value products = tn_value(tn_call2(c, "tenon.mul", u, v));
  const int64_t last = -1;
  tenon_tensor* scores =
      tn_call(c, "tenon.sum", TN_ARGS(products), TN_NAMED({"axes", tn_ints(&last, 1)}));
  tenon_tensor* chances =
      tn_call1(c, "tenon.logsigmoid", tn_call2(c, "tenon.mul", scores, m->signs));
  tenon_tensor* loss = tn_call1(c, "tenon.neg", tn_call1(c, "tenon.mean", chances));
  tn_backward(c, loss);
  tn_step(c, m->optimizer);
  const double found = tn_item(c, loss);
  tn_end(c, region);
  return found;
}

// One pass over the text, each word with a neighbour on either side; returns the mean loss.
static double train_epoch(tn_client* c, model* m, const corpus* words, int64_t epoch,
                          int64_t epochs, tenon_history* history) {
  char label[64];
  snprintf(label, sizeof label, "epoch %lld/%lld", (long long)epoch + 1, (long long)epochs);
  const size_t region = tn_begin(c);
  tenon_progress* progress = tn_progress(c, label, words->length);
  double sum = 0, recent = 0;
  int64_t steps = 0;
  for (int64_t i = 0; i < words->length; ++i) {
    for (int side = -1; side <= 1; side += 2) {
      const int64_t apart = 1 + (int64_t)tenon_sdk_random_below(&m->random, WINDOW);
      const int64_t at = i + side * apart;
      if (at < 0 || at >= words->length || words->text[at] == words->text[i]) continue;
      const double loss = step(c, m, words, words->text[i], words->text[at]);
      sum += loss;
      ++steps;
      recent += (loss - recent) / (steps < 1000 ? (double)steps : 1000);
    }
    if (i % 500 == 0) tn_note(c, history, "loss", epoch * words->length + i, recent);
    tn_show(c, progress, i, "loss", recent);
  }
  tn_end(c, region);
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
static int show(tn_client* c, const model* m, const corpus* words) {
  float* vectors = malloc((size_t)(words->n_words * WIDTH) * sizeof *vectors);
  if (!vectors) tn_check(c, TENON_E_MEMORY);
  tn_check(c, tenon_tensor_get_data(c->context, m->tables[0], vectors,
                                    (uint64_t)(words->n_words * WIDTH) * sizeof *vectors));
  int right = 0, shown = 0;
  for (int64_t word = 0; word < words->n_words; ++word) {
    const int kind = kind_of(words->words[word]);
    const int frequent = words->counts[word] * 1000 >= words->length;
    if ((kind < 0 && strlen(words->words[word]) < 4) || !frequent || words->n_words <= NEAREST)
      continue;
    int64_t found[NEAREST];
    nearest(vectors, words, word, found);
    right += kind >= 0 && kind_of(words->words[found[0]]) == kind;
    if (shown++ >= SHOWN) continue;
    printf("%-10s", words->words[word]);
    for (int i = 0; i < NEAREST; ++i) printf(" %s", words->words[found[i]]);
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
  corpus words = o.data ? corpus_read(o.data) : corpus_made(4000, 0);
  if (words.n_words < 2) {
    fprintf(stderr, "error: %s: fewer than two different words\n", o.data);
    return 1;
  }
  printf("%lld words, %lld different ones\n", (long long)words.length, (long long)words.n_words);
  tn_client client, *c = &client;
  tn_open(c, 1, 0);
  model m = new_model(c, &words);
  tenon_history* history = tn_history(c);
  for (int64_t epoch = 0; epoch < o.epochs; ++epoch) {
    const double start = clock_seconds();
    const double loss = train_epoch(c, &m, &words, epoch, o.epochs, history);
    printf("epoch %lld  loss %.4f  %.1f s\n", (long long)epoch + 1, loss, clock_seconds() - start);
  }
  const int right = show(c, &m, &words);
  int failed = 0;
  if (!o.data) {
    printf("%d of %d words are nearest to one of their kind\n", right, KINDS * OF_A_KIND);
    failed = right < KINDS * OF_A_KIND * 9 / 10;
  }
  if (o.curve) tn_draw(c, history, o.curve, "word2vec", "words");
  free(m.shares);
  tn_close(c);
  corpus_release(&words);
  return failed;
}
