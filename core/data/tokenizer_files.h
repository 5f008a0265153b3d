// SPDX-License-Identifier: Apache-2.0
// core/data/tokenizer_files.h: files of tokenizers that people have, by their names: for words
// alone, where no tokenizer here claims one. Tenon's own files need no row: they are always there.
#pragma once

#include "core/runtime/file_entries.h"

namespace tenon::data {

inline constexpr std::string_view kSentencePiecePlugin =
    "the plugin tenon.sentencepiece, which is built where libsentencepiece-dev is installed";
inline constexpr std::string_view kTokenizerJsonPlugin =
    "the plugin tenon.tokenizer_json, which is built where libonig-dev and libutf8proc-dev are "
    "installed";

inline constexpr KnownFile kTokenizerFiles[] = {
    {".model", "models of SentencePiece", "tenon.sentencepiece", kSentencePiecePlugin, ""},
    {".spm", "models of SentencePiece", "tenon.sentencepiece", kSentencePiecePlugin, ""},
    {"vocab.txt", "BERT's vocabularies", "tenon.wordpiece", kTokenizerJsonPlugin, ""},
    {".tiktoken", "ranks of tiktoken", "tenon.tiktoken", kTokenizerJsonPlugin,
     "name the tokenizer tenon.tiktoken, and give it the option `pattern`"},
    {"vocab.json", "vocabularies of GPT-2's kind", "tenon.tokenizer_json", kTokenizerJsonPlugin,
     "name the tokenizer tenon.tokenizer_json, and give it the option `merges`"},
    {"merges.txt", "merges of GPT-2's kind", "tenon.tokenizer_json", kTokenizerJsonPlugin,
     "give the vocab.json beside it, and these lines as the option `merges`"},
    {"tekken.json", "ranks of Mistral's", "", "", "take the tokenizer.json of the same model"},
    {"tokenizer_config.json", "settings beside a tokenizer", "", "",
     "take the tokenizer.json beside it"},
    {"special_tokens_map.json", "settings beside a tokenizer", "", "",
     "take the tokenizer.json beside it"},
    {".json", "tokenizers of the package `tokenizers`", "tenon.tokenizer_json",
     kTokenizerJsonPlugin, ""},
};

}  // namespace tenon::data
