// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/tokenizers.h: draft interface "tenon.tokenizers/1": text as numbers and back. The
// conventions are those of tenon/tenon.h.
//
// A token is a number from 0 to size - 1. A tokenizer is made of the bytes of a file, or of none if
// its kind needs none: the host reads and writes files, a plugin sees bytes. It never changes once
// it is made, so any number of threads may use it.
//
// A draft: outside the ABI's promise until it is moved to plugin.h and tenon.h (names and the id
// will not change).
#ifndef TENON_EXT_DRAFT_TOKENIZERS_H
#define TENON_EXT_DRAFT_TOKENIZERS_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- For both -----------------------------------------------------------------------------------

// encode: adds the special tokens that a model expects around a text, such as [CLS] and [SEP].
#define TENON_TOKENIZER_ADD_SPECIAL 1u
// encode: what is spelt as a special token is that token. Without it, it is text like any other, so
// that a stranger's text cannot give commands.
#define TENON_TOKENIZER_READ_SPECIAL 2u
// decode: leaves special tokens out.
#define TENON_TOKENIZER_SKIP_SPECIAL 4u

// What a tokenizer says of itself. The callee writes no more than the caller's struct_size.
typedef struct tenon_tokenizer_info {
  uint32_t struct_size;
  uint32_t flags;   // 0
  int64_t size;     // tokens are 0 to size - 1, below 2^31
  int32_t unknown;  // token of what has no other one; -1: none, as for the three below
  int32_t begin;    // before a text
  int32_t end;      // after it
  int32_t pad;      // fills the shorter texts of a batch
} tenon_tokenizer_info;

#define TENON_TOKEN_SPECIAL 1u  // of a token: it stands for no text

// ---- For plugins --------------------------------------------------------------------------------

#define TENON_INTERFACE_TOKENIZERS "tenon.tokenizers/1"

typedef struct tenon_tokenizer_option {
  tenon_string name;
  tenon_string doc;
  uint32_t tag;         // TENON_VALUE_STRING, I64, F64, BOOL, INT_LIST or FLOAT_LIST
  uint32_t required;    // 1: must be given; `initial` is then NONE
  tenon_value initial;  // taken if it is not given: of that tag, or NONE
} tenon_tokenizer_option;

// decode(encode(text)) is another text, because upper case or the form of white space is lost.
#define TENON_TOKENIZER_SAMPLE_LOSSY 1u
// A text that must give these tokens (expect = TENON_OK), or of which the creation or the encoding
// must be refused with `expect` and a message that contains `fragment`.
typedef struct tenon_tokenizer_sample {
  tenon_string options;   // sample/1, what is after its '|': "lowercase=true"
  tenon_string file;      // bytes of its file; data NULL: none
  tenon_string text;      // UTF-8
  tenon_string tokens;    // "15496 995"
  tenon_string fragment;  // empty if expect is TENON_OK
  tenon_status expect;
  uint32_t flags;  // TENON_TOKENIZER_SAMPLE_*
} tenon_tokenizer_sample;

// `object` is what `create` made. All callbacks in state [data]; those with an object may be called
// by several threads at once. Where an output has a capacity, the callback sets the whole length
// and writes as much as goes in; with less than that it is called again. Files and texts are
// untrusted: any bytes. A malformed file or a text that cannot be encoded is TENON_E_DATA, a valid
// file with something that is not supported TENON_E_UNSUPPORTED; the host adds the file's name.
typedef struct tenon_tokenizer_desc {
  uint32_t struct_size;
  uint32_t flags;     // 0
  tenon_string name;  // "tenon.pairs"
  tenon_string doc;
  tenon_string endings;  // of its files' names, separated by spaces: ".pairs"; empty: no files
  const tenon_tokenizer_option* options;
  const tenon_tokenizer_sample* samples;
  uint32_t n_options;
  uint32_t n_samples;
  // file: [file_length] bytes, valid for the call; NULL if none is given. values[n_options] in the
  // order of `options`, types checked, initial values filled in.
  tenon_status (*create)(tenon_call* call, const void* file, uint64_t file_length,
                         const tenon_value* values, void** out_object);
  void (*release)(void* object);
  // `out_info` comes with struct_size set and -1 for each token.
  tenon_status (*info)(tenon_call* call, void* object, tenon_tokenizer_info* out_info);
  // The tokens of text[length], at most `limit` of them, which is INT64_MAX if there is no limit:
  // what is left out then is at the text's end, so that special tokens after it stay. flags:
  // TENON_TOKENIZER_ADD_SPECIAL, READ_SPECIAL.
  tenon_status (*encode)(tenon_call* call, void* object, const char* text, uint64_t length,
                         uint32_t flags, int64_t limit, int32_t* tokens, int64_t capacity,
                         int64_t* out_count);
  // The text of tokens[n], each from 0 to size - 1. flags: TENON_TOKENIZER_SKIP_SPECIAL.
  tenon_status (*decode)(tenon_call* call, void* object, const int32_t* tokens, int64_t n,
                         uint32_t flags, char* text, uint64_t capacity, uint64_t* out_length);
  // How the vocabulary spells a token from 0 to size - 1, and TENON_TOKEN_* flags. Numbers that are
  // left free have an empty spelling.
  tenon_status (*token)(tenon_call* call, void* object, int32_t token, char* spelling,
                        uint64_t capacity, uint64_t* out_length, uint32_t* out_flags);
  // The token that is spelt so; -1: none.
  tenon_status (*find)(tenon_call* call, void* object, const char* spelling, uint64_t length,
                       int32_t* out_token);
  // The bytes of a file of which `create` makes the same tokenizer without any option. NULL for a
  // kind that only reads files which others made, or has none.
  tenon_status (*save)(tenon_call* call, void* object, void* file, uint64_t capacity,
                       uint64_t* out_length);
} tenon_tokenizer_desc;

typedef struct tenon_tokenizers_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_tokenizer_desc* const* descs;
} tenon_tokenizers_table;

// ---- For programs -------------------------------------------------------------------------------

typedef struct tenon_tokenizer tenon_tokenizer;

// Makes a tokenizer of a registered name. The runtime query "tokenizers" names them, with their
// options.
// file     [file_length] bytes of its file, not kept; NULL for none
// names, values  [n_values] options, copied
// memory   *out_tokenizer is the caller's; tenon_tokenizer_release
// threads  [one thread per context]          state  [any]
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE (unknown, missing, wrong type, or a value that does
//          not fit; a file is missing, or there is one that is not wanted), TENON_E_DATA (a
//          malformed file), TENON_E_UNSUPPORTED (what it asks for)
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_create(tenon_context* context, const char* name,
                                                 uint64_t name_length, const void* file,
                                                 uint64_t file_length, const tenon_string* names,
                                                 const tenon_value* values, uint32_t n_values,
                                                 tenon_tokenizer** out_tokenizer);

// Makes a tokenizer of a file.
// name     registered; NULL: the one whose endings fit the file's name
// errors   as of tenon_tokenizer_create, and TENON_E_IO; TENON_E_NOT_FOUND also if no ending fits
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_load(tenon_context* context, const char* path,
                                               uint64_t path_length, const char* name,
                                               uint64_t name_length, const tenon_string* names,
                                               const tenon_value* values, uint32_t n_values,
                                               tenon_tokenizer** out_tokenizer);

// Legal with NULL and on any thread.
// since    draft 2
TENON_EXPORT void tenon_tokenizer_release(tenon_tokenizer* tokenizer);

// Writes the tokenizer's file, all at once: a reader finds the file that was there or the new one.
// errors   TENON_E_UNSUPPORTED (its kind writes none), TENON_E_IO
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_save(tenon_context* context, tenon_tokenizer* tokenizer,
                                               const char* path, uint64_t path_length);

// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_get_info(tenon_context* context,
                                                   tenon_tokenizer* tokenizer,
                                                   tenon_tokenizer_info* out_info);

// How the vocabulary spells `token`, and its TENON_TOKEN_* flags; either out may be NULL.
// memory   *out_spelling is the caller's; tenon_text_release
// errors   TENON_E_NOT_FOUND (not from 0 to size - 1)
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_get_token(tenon_context* context,
                                                    tenon_tokenizer* tokenizer, int64_t token,
                                                    tenon_text** out_spelling, uint32_t* out_flags);

// The token that the vocabulary spells so.
// errors   TENON_E_NOT_FOUND
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_find_token(tenon_context* context,
                                                     tenon_tokenizer* tokenizer,
                                                     const char* spelling, uint64_t spelling_length,
                                                     int64_t* out_token);

// Encodes a text.
// flags    TENON_TOKENIZER_ADD_SPECIAL, TENON_TOKENIZER_READ_SPECIAL
// limit    the most tokens, special ones included; the text's end is left out then. 0: no limit
// shapes   *out_tokens is i64[n], in host memory, the caller's
// threads  any number at once, each with a context of its own          state  [any but capture]
// errors   TENON_E_DATA (a character that is not a token, where there is none for the unknown; for
//          some kinds a text that is not UTF-8), TENON_E_ARGUMENT, TENON_E_CAPTURE
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_call(tenon_context* context, tenon_tokenizer* tokenizer,
                                               const char* text, uint64_t length, uint32_t flags,
                                               int64_t limit, tenon_tensor** out_tokens);

// of a batch: the shorter texts are filled up before their tokens, not after them
#define TENON_TOKENIZER_PAD_LEFT 8u
// of a batch: all rows have `limit` tokens, not as many as the longest text
#define TENON_TOKENIZER_PAD_TO_LIMIT 16u
// Encodes texts[n] to rows of one length T.
// flags    those of tenon_tokenizer_call and TENON_TOKENIZER_PAD_*
// pad      the token that fills rows up; -1: the tokenizer's own
// shapes   *out_tokens is i64[n,T]; *out_mask is bool[n,T], true where a token is the text's; may
//          be NULL. Both in host memory, the caller's
// errors   as of tenon_tokenizer_call, with the text's number; TENON_E_ARGUMENT also if rows must
//          be filled up and there is no token for it
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_call_batch(
    tenon_context* context, tenon_tokenizer* tokenizer, const tenon_string* texts, uint32_t n,
    uint32_t flags, int64_t limit, int64_t pad, tenon_tensor** out_tokens, tenon_tensor** out_mask);

// Decodes tokens.
// flags    TENON_TOKENIZER_SKIP_SPECIAL
// shapes   `tokens` [n], of any integer dtype and strides, in host memory
// memory   *out_text is the caller's; tenon_text_release. It need not be UTF-8: a token may be a
//          part of a character
// threads  any number at once, each with a context of its own          state  [any but capture]
// errors   TENON_E_DATA (a number that is not a token, with its place), TENON_E_SHAPE,
//          TENON_E_DTYPE, TENON_E_DEVICE, TENON_E_CAPTURE
// since    draft 2
TENON_EXPORT tenon_status tenon_tokenizer_get_text(tenon_context* context,
                                                   tenon_tokenizer* tokenizer, tenon_tensor* tokens,
                                                   uint32_t flags, tenon_text** out_text);

// ---- For plugins of other kinds -----------------------------------------------------------------

// What a host of this draft answers to get_interface(host, TENON_HOST_TOKENIZERS, ...): tokenizers
// of other plugins, for what reads text. All in state [data].
#define TENON_HOST_TOKENIZERS "tenon.host.tokenizers/1"
typedef struct tenon_host_tokenizers {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // Makes a tokenizer of a registered name, with string options alone; `file` as of create.
  // memory   *out_tokenizer is the plugin's until `release`
  tenon_status (*create)(tenon_call* call, const tenon_string* name, const void* file,
                         uint64_t file_length, const tenon_string* names, const tenon_value* values,
                         uint32_t n_values, tenon_tokenizer** out_tokenizer);
  // The same of a file, by the endings of its name.
  tenon_status (*load)(tenon_call* call, const tenon_string* path, tenon_tokenizer** out_tokenizer);
  void (*release)(tenon_tokenizer* tokenizer);
  // As the callback `encode`, without a limit and without special tokens.
  tenon_status (*encode)(tenon_call* call, tenon_tokenizer* tokenizer, const char* text,
                         uint64_t length, int32_t* tokens, int64_t capacity, int64_t* out_count);
} tenon_host_tokenizers;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_TOKENIZERS_H
