# SPDX-License-Identifier: Apache-2.0
# tests/python/test_tokenizers.py: text as tokens and back.
import os
import pathlib
import tempfile
import threading
import unittest

from support import Case, build_folder, run_python, tenon

data = tenon.data
WORDS = build_folder() / "test_plugins/python/acme.words"
# What comes of tokenizers with special tokens.
SPECIAL = """
import tenon
words = tenon.data.tokenizer("acme.words", words="to be or not")
print(words.pad, words.unknown, words.begin, words.end)
print([words.is_special(number) for number in range(len(words))], words.find("<s>"))
for options in {}, {"special": True}, {"read_special": True}, {"special": True, "limit": 3}:
    print(words.encode("to be <pad> me", **options).tolist())
tokens, mask = words.encode_batch(["to be", "or"], special=True)
print(tokens.tolist(), mask.astype("int32").tolist())
tokens = words.encode_batch(["<s> be", "or"], read_special=True, side="left")[0]
print(tokens.tolist(), words.encode_batch(["to", "be"], limit=3, to_limit=True)[0].tolist())
tokens = words.encode("to be", special=True)
print(words.decode(tokens), "|", words.decode(tokens, skip_special=True))
print("|", words.decode_bytes(tokens, skip_special=True))
"""
SHOWN = """\
0 1 2 3
[True, True, True, True, False, False, False, False] 2
[4, 5, 1, 1]
[2, 4, 5, 1, 1, 3]
[4, 5, 0, 1]
[2, 4, 3]
[[2, 4, 5, 3], [2, 6, 3, 0]] [[1, 1, 1, 1], [1, 1, 1, 0]]
[[2, 5], [0, 6]] [[4, 0, 0], [5, 0, 0]]
<s> to be </s> | to be
| b'to be'
"""
TEXT = "the cat sat on the mat; the cat ate the rat.\n" * 4


class Tokens(Case):
    def setUp(self):
        self.pairs = data.tokenizer("tenon.pairs", text=TEXT, vocabulary=270)

    def tearDown(self):
        del self.pairs

    def test_every_tokenizer_of_the_registry_is_made_by_name(self):
        for each in tenon.query("tokenizers"):
            if any(option["required"] for option in each["options"]):
                continue
            try:
                made = data.tokenizer(each["name"])
            except tenon.OptionError:
                continue  # it wants a file or a text
            self.assertGreater(len(made), 0)
        self.assertIn("tenon.bytes", [each["name"] for each in tenon.query("tokenizers")])

    def test_there_and_back(self):
        tokens = self.pairs.encode(TEXT)
        self.assertEqual((tokens.dtype, tokens.ndim), (tenon.int64, 1))
        self.assertLess(len(tokens), len(TEXT))
        for given in (tokens, tokens.tolist(), tuple(tokens.tolist()), tokens.astype("int32")):
            self.assertEqual(self.pairs.decode(given), TEXT)
        self.assertEqual(self.pairs.encode(TEXT.encode()).tolist(), tokens.tolist())
        self.assertEqual(self.pairs.decode(tokens[::2][:1]), self.pairs.token(tokens[0]))
        self.assertEqual((self.pairs.encode("").shape, self.pairs.decode([])), ((0,), ""))
        self.assertEqual(self.pairs.encode(TEXT, limit=3).tolist(), tokens.tolist()[:3])

    def test_bytes_that_are_not_utf8(self):
        raw = b"\xff\x00\xc3"
        tokens = self.pairs.encode(raw)
        self.assertEqual(tokens.tolist(), [255, 0, 195])
        self.assertEqual(self.pairs.decode_bytes(tokens), raw)
        self.assertEqual(self.pairs.decode(tokens, errors="replace"), "\ufffd\0\ufffd")
        error = self.refused(
            tenon.DataError, lambda: self.pairs.decode(tokens),
            "tokenizer: tokens: expected the tokens of UTF-8, found invalid start byte at byte 0",
            "decode_bytes gives the bytes",
        )  # fmt: skip
        self.assertIsInstance(error, ValueError)
        self.assertEqual(self.pairs.decode(self.pairs.encode("né €😀")), "né €😀")

    def test_a_batch(self):
        letters = data.tokenizer("tenon.characters", text="abc")
        tokens, mask = letters.encode_batch(["ab", b"c", ""], pad=0)
        self.assertEqual((tokens.dtype, mask.dtype), (tenon.int64, tenon.bool))
        self.same(tokens, [[0, 1], [2, 0], [0, 0]])
        self.same(mask, [[True, True], [True, False], [False, False]])
        tokens, mask = letters.encode_batch(
            (each for each in ("ab", "c")), pad=1, side="left", limit=3, to_limit=True
        )
        self.same(tokens, [[1, 0, 1], [1, 1, 2]])
        self.same(mask, [[False, True, True], [False, False, True]])
        tokens, mask = letters.encode_batch(["abc", "cba"], limit=2)
        self.same(tokens, [[0, 1], [2, 1]])
        self.assertEqual(letters.encode_batch([])[0].shape, (0, 0))

    def test_the_vocabulary(self):
        self.assertEqual((len(self.pairs), repr(self.pairs)), (270, "<tokenizer of 270 tokens>"))
        special = self.pairs.unknown, self.pairs.begin, self.pairs.end, self.pairs.pad
        self.assertEqual(special, (None,) * 4)
        for number in range(len(self.pairs)):
            spelling = self.pairs.token(number)
            self.assertEqual(isinstance(spelling, bytes), 128 <= number < 256)
            self.assertEqual(self.pairs.find(spelling), number)
            self.assertIs(self.pairs.is_special(number), False)
        self.assertEqual(self.pairs.find("a"), self.pairs.find(b"a"))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("tenon.pairs", "tenon.characters"):
                made = data.tokenizer(name, text=TEXT)
                path = pathlib.Path(folder, "book" + name.removeprefix("tenon"))
                made.save(path)
                for again in (
                    data.load_tokenizer(path),
                    data.load_tokenizer(str(path), name),
                    data.tokenizer(name, path.read_bytes()),
                ):
                    self.assertEqual(again.encode(TEXT).tolist(), made.encode(TEXT).tolist())
                os.unlink(path)
            path = pathlib.Path(folder, "odd.pairs")
            path.write_bytes(b"tenon-pairs 2\n")
            self.refused(tenon.DataError, lambda: data.load_tokenizer(path), str(path), "line 1")
            path = pathlib.Path(folder, "book.unheard")
            path.write_bytes(b"")
            self.refused(tenon.NotFoundError, lambda: data.load_tokenizer(path), ".unheard")
            self.refused(OSError, lambda: data.load_tokenizer(folder + "/none.pairs"), "none.pairs")
            self.refused(OSError, lambda: self.pairs.save(folder + "/no/a.pairs"), "no/a.pairs")
        self.refused(
            NotImplementedError, lambda: data.tokenizer("tenon.bytes").save("bytes.none"),
            "tenon.bytes writes no files",
        )  # fmt: skip
        self.assertFalse(os.path.exists("bytes.none"))

    def test_threads(self):
        wanted, found = self.pairs.encode(TEXT).tolist(), []

        def work():
            for _ in range(20):
                found.append(self.pairs.encode(TEXT).tolist() == wanted)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(found, [True] * 80)

    def test_refusals_of_the_package(self):
        pairs = self.pairs
        for kind, call, words in (
            (TypeError, lambda: pairs.encode(3), "text: expected str or bytes, found int"),
            (TypeError, lambda: pairs.encode_batch(["a", None]),
             "texts: expected str or bytes, found NoneType"),
            (TypeError, lambda: pairs.encode_batch("ab"), "expected a list of texts, found str"),
            (TypeError, lambda: pairs.encode_batch(3), "expected a list of texts, found int"),
            (ValueError, lambda: pairs.encode_batch(["a"], side="up"),
             "side: expected 'right' or 'left', found 'up'"),
            (ValueError, lambda: pairs.encode_batch(["a"], to_limit=True),
             "limit: expected a number, for to_limit=True, found None"),
            (ValueError, lambda: pairs.encode_batch(["a"], pad=-1),
             "pad: expected a number from 0 on, found -1"),
            (ValueError, lambda: pairs.encode("a", limit=0),
             "limit: expected a number from 1 on, found 0"),
            (ValueError, lambda: pairs.encode("a", limit=2.5), "found 2.5"),
            (TypeError, lambda: pairs.find(3), "spelling: expected str or bytes, found int"),
            (TypeError, lambda: pairs.token("a"), "token: expected an integer, found str"),
            (OverflowError, lambda: pairs.token(2**70), "token"),
            (TypeError, lambda: pairs.save(3), "path: expected a file's name, found int"),
            (TypeError, lambda: data.load_tokenizer(3), "path: expected a file's name, found int"),
            (TypeError, lambda: data.load_tokenizer("a", 3), "name: expected a text, found int"),
            (TypeError, lambda: data.tokenizer(3), "name: expected a text, found int"),
            (TypeError, lambda: data.tokenizer("tenon.pairs", "book.pairs"),
             "file: expected bytes; load_tokenizer reads files, found str"),
            (TypeError, lambda: data.tokenizer("tenon.pairs", text=object()),
             "text: expected a number, text"),
            (UnicodeEncodeError, lambda: pairs.encode("\ud800"), "surrogates"),
        ):  # fmt: skip
            with self.subTest(words=words):
                self.refused(kind, call, words)

    def test_refusals_of_the_runtime(self):
        pairs = self.pairs
        letters = data.tokenizer("tenon.characters", text="abc")
        for kind, call, words in (
            (tenon.NotFoundError, lambda: data.tokenizer("tenon.pair"), "tenon.pairs"),
            (tenon.OptionError, lambda: data.tokenizer("tenon.pairs", vocabulry=300),
             "vocabulary"),
            (tenon.OptionError, lambda: data.tokenizer("tenon.pairs"), "neither a file nor a text"),
            (tenon.OptionError, lambda: data.tokenizer("tenon.bytes", b"x"), "not made of a file"),
            (tenon.DataError, lambda: letters.encode("abd"), "the character 100 at byte 2"),
            (tenon.DataError, lambda: letters.encode_batch(["a", "d"]), "text 1: "),
            (tenon.ArgumentError, lambda: pairs.encode_batch(["a", "bc"]),
             "a text has fewer tokens than a row, and no token fills rows up"),
            (tenon.ArgumentError, lambda: pairs.encode_batch(["a", "bc"], pad=270),
             "pad is not a token"),
            (tenon.DataError, lambda: pairs.decode([1, 270]),
             "position 1: this is not a token"),
            (tenon.ShapeError, lambda: pairs.decode([[1, 2]]), "the tokens of a text are one list"),
            (tenon.DtypeError, lambda: pairs.decode([1.5]), "tokens are integers"),
            (LookupError, lambda: pairs.token(270), "this is not a token: 270"),
            (LookupError, lambda: pairs.find("zzz"), "no token is spelt 'zzz'"),
        ):  # fmt: skip
            with self.subTest(words=words):
                self.refused(kind, call, words)

    def test_special_tokens(self):
        if not (WORDS / "plugin.json").exists():
            self.skipTest("the tests' plugins are not built")
        path = os.pathsep.join([str(WORDS.parent), os.environ.get("TENON_PLUGIN_PATH", "")])
        done = run_python(SPECIAL, TENON_PLUGIN_PATH=path)
        self.assertEqual((done.stdout, done.stderr), (SHOWN, ""))

    def test_a_capture_is_refused(self):
        x = tenon.tensor([1.0])
        for call in (lambda: self.pairs.encode("a"), lambda: self.pairs.decode([97])):
            self.refused(tenon.CaptureError, lambda call=call: tenon.capture(lambda v: call(), x))


if __name__ == "__main__":
    unittest.main()
