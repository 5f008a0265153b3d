# SPDX-License-Identifier: Apache-2.0
# tests/sentencepiece/make_models.py: makes the models beside it with the package `sentencepiece`
# 0.2.3, and prints what the package encodes with them, which sentencepiece_test.cc expects.
import io
import os
import pathlib
import tempfile

import sentencepiece

FOLDER = pathlib.Path(__file__).resolve().parent / "models"
TEXT = [
    "It was a bright cold day in April, and the clocks were striking thirteen.",
    "The sky above the port was the color of television, tuned to a dead channel.",
    "Call me Ishmael. Some years ago, never mind how long precisely.",
    "Der Hund läuft über die Straße; ¿qué pasa? Où est-ce? 日本語 日本",
] * 4
# ﬁ and full width letters; a small set, so that the file is small.
RULES = "FB01\t66 69\n" + "".join(f"{0xFF21 + i:X}\t{0x41 + i:X}\n" for i in range(26))
SHOWN = [
    "the day, the night",
    " two  spaces ",
    "ﬁne ＡＢ",
    "日本 x ☃☃ y",
    "<user>in<s>the</s>",
    "a\0b",
]


def train(name, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXT), model_writer=model, minloglevel=2, num_threads=1, **options
    )
    (FOLDER / f"{name}.model").write_bytes(model.getvalue())
    made = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    print(name, len(model.getvalue()), "bytes,", made.get_piece_size(), "pieces")
    for text in SHOWN:
        tokens = made.encode(text)
        print(f"  {text!r}: {tokens} {made.decode(tokens)!r}")


def main():
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the model keeps the file's name
        pathlib.Path("rules.tsv").write_text(RULES)
        train(
            "unigram",
            vocab_size=110,
            hard_vocab_limit=False,
            normalization_rule_tsv="rules.tsv",
            character_coverage=0.98,
            pad_id=3,
            user_defined_symbols=["<user>"],
            control_symbols=["<ctl>"],
        )
    train(
        "bpe",
        model_type="bpe",
        vocab_size=380,
        normalization_rule_name="identity",
        character_coverage=0.98,
        byte_fallback=True,
    )
    for kind in ("char", "word"):
        train(kind, model_type=kind, vocab_size=49, normalization_rule_name="identity")


if __name__ == "__main__":
    main()
