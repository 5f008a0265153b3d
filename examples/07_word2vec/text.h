// SPDX-License-Identifier: Apache-2.0
// examples/07_word2vec/text.h: a text as a list of word numbers: read from a file, or made up.
#ifndef EXAMPLES_07_WORD2VEC_TEXT_H
#define EXAMPLES_07_WORD2VEC_TEXT_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/sdk/philox.h>

// Words are runs of letters and apostrophes, in lower case; longer ones are cut.
enum { WORD_BYTES = 32, WORD_SLOTS = 1 << 20 };

typedef struct corpus {
  char (*words)[WORD_BYTES];  // [n_words], in order of first use
  int64_t* counts;            // [n_words]
  int32_t* slots;             // [WORD_SLOTS] hash table: number of the word + 1, or 0
  int64_t n_words, word_room;
  int32_t* text;  // [length] numbers of words
  int64_t length, text_room;
} corpus;

static inline void* grown(void* memory, int64_t* room, size_t size) {
  *room = *room ? 2 * *room : 1024;
  void* more = realloc(memory, (size_t)*room * size);
  if (!more) {
    fputs("error: out of memory\n", stderr);
    exit(1);
  }
  return more;
}

// The number of a word, which may be a new one.
static inline int32_t corpus_number(corpus* c, const char* word) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char* p = word; *p; ++p) hash = (hash ^ (unsigned char)*p) * 16777619u;
  if (!c->slots) c->slots = calloc(WORD_SLOTS, sizeof *c->slots);
  if (!c->slots || c->n_words >= WORD_SLOTS / 2) {
    fputs("error: too many words\n", stderr);
    exit(1);
  }
  for (uint32_t at = hash % WORD_SLOTS;; at = (at + 1) % WORD_SLOTS) {
    if (c->slots[at] && strcmp(c->words[c->slots[at] - 1], word) == 0) return c->slots[at] - 1;
    if (c->slots[at]) continue;
    if (c->n_words == c->word_room) {
      int64_t room = c->word_room;
      c->counts = grown(c->counts, &room, sizeof *c->counts);
      c->words = grown(c->words, &c->word_room, sizeof *c->words);
    }
    strcpy(c->words[c->n_words], word);
    c->counts[c->n_words] = 0;
    c->slots[at] = (int32_t)++c->n_words;
    return (int32_t)c->n_words - 1;
  }
}

static inline void corpus_take(corpus* c, const char* word) {
  const int32_t number = corpus_number(c, word);
  if (c->length == c->text_room) c->text = grown(c->text, &c->text_room, sizeof *c->text);
  c->text[c->length++] = number;
  c->counts[number]++;
}

static inline void corpus_release(corpus* c) {
  free(c->words);
  free(c->counts);
  free(c->slots);
  free(c->text);
}

// Ends the program if there is no such file.
static inline corpus corpus_read(const char* path) {
  corpus c = {0};
  FILE* file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  char word[WORD_BYTES];
  size_t n = 0;
  for (int letter = 0; letter != EOF;) {
    letter = fgetc(file);
    if (letter != EOF && (isalpha(letter) || letter == '\'')) {
      if (n < WORD_BYTES - 1) word[n++] = (char)tolower(letter);
      continue;
    }
    word[n] = '\0';
    if (n > 0) corpus_take(&c, word);
    n = 0;
  }
  fclose(file);
  return c;
}

// ---- A made-up language: "the cow eats grass in the barn" ---------------------------------------

enum { KINDS = 4, OF_A_KIND = 6 };
static const char* const kinds[KINDS][OF_A_KIND] = {
    {"cow", "horse", "sheep", "goat", "dog", "cat"},
    {"eats", "finds", "wants", "likes", "sees", "brings"},
    {"grass", "bread", "corn", "meat", "fruit", "fish"},
    {"barn", "house", "garden", "field", "yard", "kitchen"}};

static inline corpus corpus_made(int64_t sentences, uint64_t seed) {
  corpus c = {0};
  tenon_sdk_random random = {seed, 0, 0};
  for (int64_t i = 0; i < sentences; ++i) {
    const char* said[KINDS];
    for (int k = 0; k < KINDS; ++k) said[k] = kinds[k][tenon_sdk_random_below(&random, OF_A_KIND)];
    const char* const sentence[] = {"the", said[0], said[1], said[2], "in", "the", said[3]};
    for (size_t w = 0; w < sizeof sentence / sizeof *sentence; ++w) corpus_take(&c, sentence[w]);
  }
  return c;
}

// The kind of a made-up word, -1 for those that have none.
static inline int kind_of(const char* word) {
  for (int k = 0; k < KINDS; ++k) {
    for (int i = 0; i < OF_A_KIND; ++i) {
      if (strcmp(kinds[k][i], word) == 0) return k;
    }
  }
  return -1;
}

#endif  // EXAMPLES_07_WORD2VEC_TEXT_H
