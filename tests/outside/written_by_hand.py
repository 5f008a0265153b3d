# SPDX-License-Identifier: Apache-2.0
# tests/outside/written_by_hand.py: npy, npz and safetensors files byte by byte, as their rules
# allow and as they do not, for written_files_test.py.

import io
import json
import struct
import zipfile
import zlib

import numpy
from written import Foreign, Held

FLOATS = numpy.arange(6, dtype="f4").tobytes()


# ---- npy ----------------------------------------------------------------------------------------


def npy(header, data=FLOATS, version=(1, 0), end="\n"):
    text = (header + end).encode("utf-8" if version[0] == 3 else "latin1")
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text + data


def header(descr="'<f4'", order="False", shape="(2, 3)"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


PLAIN = npy(header())
ARRAYS = {  # name: (bytes, expected)
    "plain": (PLAIN, "equal"),
    "python2": (npy(header(shape="(2L, 3L)"), end=" " * 20 + "\n"), "equal"),
    "python2_vector": (npy(header(shape="(6L,)")), "equal"),
    "python2_texts": (npy("{u'descr': u'<f4', u'fortran_order': False, u'shape': (2, 3), }"),
                      "equal"),
    "python2_record": (npy(header("[(u'a', u'<f4', (3L,)), ('b', '<f8')]", shape="(1L,)"),
                           bytes(20)), "equal"),
    "crlf": (npy(header(), end="\r\n"), "equal"),
    "no_line_end": (npy(header(), end=""), "equal"),
    "lines": (npy("{'descr':'<f4',\n 'fortran_order':False,\n 'shape':(2,3)}"), "equal"),
    "double_quotes": (npy('{"descr": "<f4", "fortran_order": False, "shape": (2, 3)}'), "equal"),
    "another_order": (npy("{'shape': (2, 3), 'fortran_order': True, 'descr': '<f4'}"), "equal"),
    "padded_in_front": (npy("   " + header().replace("{", "{  ")), "equal"),
    "utf8": (npy(header("[('数', '<f4')]"), version=(3, 0)), "equal"),
    "latin1_version2": (npy(header("[('é', '<f4')]"), version=(2, 0)), "equal"),
    "without_a_name": (npy(header("'f4'")), "equal"),
    "of_no_order": (npy(header("'|f4'")), "equal"),
    "of_this_machine": (npy(header("'=f4'")), "equal"),
    "bytes_with_order": (npy(header("'<u1'", shape="(24,)")), "equal"),
    "bytes_big": (npy(header("'>i1'", shape="(24,)")), "equal"),
    "complex_with_no_order": (npy(header("'|c8'", shape="(3,)")), "equal"),
    "texts_of_nothing": (npy(header("'|S0'", shape="(3,)"), b""), "equal"),
    "record_in_record": (npy(header("[('a', [('b', '<i2'), ('c', '|S2')]), ('d', '|V2')]",
                                    shape="(4,)")), "equal"),
    "vector": (npy(header(shape="(6,)")), "equal"),
    "scalar": (npy(header(shape="()"), FLOATS[:4]), "equal"),
    "large_and_empty": (npy(header(shape="(1099511627776, 0)"), b""), "equal"),
    "one_number_is_no_shape": (npy(header(shape="(6)")), "neither"),
    "list_is_no_shape": (npy(header(shape="[2, 3]")), "neither"),
    "order_is_a_number": (npy(header(order="0")), "neither"),
    "another_member": (npy(header()[:-1] + "'more': 1}"), "neither"),
    "a_member_missing": (npy("{'descr': '<f4', 'shape': (2, 3)}"), "neither"),
    "no_dictionary": (npy("('<f4', False, (2, 3))"), "neither"),
    "unknown_dtype": (npy(header("'<q9'")), "no such dtype"),
    "version_4": (npy(header(), version=(4, 0)), "neither"),
    "version_1_1": (npy(header(), version=(1, 1)), "neither"),
    "cut_in_its_data": (PLAIN[:-1], "neither"),
    "cut_in_its_header": (PLAIN[:40], "neither"),
    "cut_in_its_mark": (PLAIN[:5], "neither"),
    "nothing": (b"", "neither"),
    "a_byte_more": (PLAIN + b"\0", "second array"),
    "three_arrays": (PLAIN * 3, "second array"),
    "long_header": (npy(header() + " " * 9990), "neither"),
    "header_of_10000": (npy(header() + " " * (9999 - len(header()))), "equal"),
    "a_pickle": (b"\x80\x04K\x01.", "neither"),
    "bools": (npy(header("'|b1'", shape="(4,)"), b"\0\1\1\0"), "equal"),
    "bools_of_2": (npy(header("'|b1'", shape="(4,)"), b"\0\1\2\xff"), "no bool"),
}  # fmt: skip


def write_npy(make):
    content = {"data": Foreign("'<q9'", (2, 3), FLOATS)}
    for name, (data, expected) in ARRAYS.items():
        content_of = {"content": content} if expected == "no such dtype" else {}
        make(f"{name}.npy", expected, **content_of).write_bytes(data)


# ---- npz ----------------------------------------------------------------------------------------


MEMBERS = {"a.npy": PLAIN, "b.npy": npy(header("'<u4'"))}


def zipped(members=(), method=zipfile.ZIP_STORED, force_zip64=False, out=None):
    out = out or io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in dict(members or MEMBERS).items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            with file.open(info, "w", force_zip64=force_zip64) as member:
                member.write(data)
    return out.getvalue()


class Forward(io.BytesIO):
    """Does not go back, so sizes stand after each member."""

    def seekable(self):
        return False

    def seek(self, *_):
        raise io.UnsupportedOperation

    tell = seek


def local(name, data, flags=0, extra=b"", sizes=True):
    size, crc = (len(data), zlib.crc32(data)) if sizes else (0, 0)
    parts = (b"PK\3\4", 20, flags, 0, 0, 33, crc, size, size, len(name), len(extra))
    return struct.pack("<4sHHHHHIIIHH", *parts) + name + extra + data


def central(name, data, begin, flags=0, extra=b"", wide=False):
    size, crc = len(data), zlib.crc32(data)
    if wide:
        extra += struct.pack("<HHQQQ", 1, 24, size, size, begin)
        size = begin = 2**32 - 1
    parts = (b"PK\1\2", 20, 20, flags, 0, 0, 33, crc, size, size, len(name), len(extra), 0, 0, 0, 0)
    return struct.pack("<4sHHHHHHIIIHHHHHII", *parts, begin) + name + extra


def archive(bodies, directory, wide=False, comment=b""):
    """From what lies in front and the list of it."""
    count, size, begin = len(directory), len(b"".join(directory)), len(bodies)
    at_end = b""
    if wide:
        at = begin + size
        at_end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, begin)
        at_end += struct.pack("<4sIQI", b"PK\6\7", 0, at, 1)
        count, size, begin = 0xFFFF, 2**32 - 1, 2**32 - 1
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, size, begin, len(comment))
    return bodies + b"".join(directory) + at_end + end + comment


def one_by_one(wide=False, flags=0, extra=b"", signature=None, comment=b""):
    bodies, directory = b"", []
    for name, data in MEMBERS.items():
        name = name.encode()
        directory.append(central(name, data, len(bodies), flags, extra, wide))
        bodies += local(name, data, flags, extra, signature is None)
        if signature is not None:
            size = len(data)
            bodies += signature + struct.pack("<III", zlib.crc32(data), size, size)
    return archive(bodies, directory, wide, comment)


def wrong_sum():
    data = bytearray(zipped())
    data[data.index(FLOATS)] ^= 1
    return bytes(data)


def names_twice():
    body, data = b"", PLAIN
    directory = [central(b"a.npy", data, 0), central(b"a.npy", data, len(local(b"a.npy", data)))]
    for _ in directory:
        body += local(b"a.npy", data)
    return archive(body, directory)


def one_in_another():
    """The second member lies in the first one's elements."""
    inner = local(b"b.npy", PLAIN)
    outer = npy(header("'|u1'", shape=f"({len(inner)},)"), inner)
    body = local(b"a.npy", outer)
    directory = [
        central(b"a.npy", outer, 0),
        central(b"b.npy", PLAIN, len(body) - len(inner)),
    ]
    return archive(body, directory)


def old_name(name):
    """Without the flag of UTF-8."""
    data = local(name, PLAIN)
    return archive(data, [central(name, PLAIN, 0)])


def archives():
    """{name: (bytes, expected, options)}."""
    plain, texts = zipped(), {"README.txt": b"text", "b": PLAIN, "c.bin": PLAIN, "d": b""}
    before = {"begins_otherwise": True}
    folder = {"x/": b"", "x/a.npy": PLAIN, "x/y/": b""}
    return {
        "plain": (plain, "equal", {}),
        "deflated": (zipped(method=zipfile.ZIP_DEFLATED), "equal", {}),
        "wide_members": (zipped(force_zip64=True), "equal", {}),
        "wide_members_deflated": (zipped(None, zipfile.ZIP_DEFLATED, True), "equal", {}),
        "forward": (zipped(out=Forward()), "equal", {}),
        "forward_wide": (zipped(force_zip64=True, out=Forward()), "equal", {}),
        "wide_everywhere": (one_by_one(wide=True), "equal", {}),
        "wide_and_commented": (one_by_one(wide=True, comment=b"words"), "equal", {}),
        "sums_behind": (one_by_one(flags=8, signature=b"PK\7\x08"), "equal", {}),
        "sums_behind_without_mark": (one_by_one(flags=8, signature=b""), "equal", {}),
        "extra_fields": (one_by_one(extra=b"\xfe\xca\4\0abcd"), "equal", {}),
        "commented": (one_by_one(comment=b"words" * 99), "equal", {}),
        "longest_comment": (one_by_one(comment=b"x" * 65535), "equal", {}),
        "bytes_before": (b"#!/bin/sh\nexit\n" + plain, "equal", before),
        "bytes_before_wide": (b"\0" * 999 + one_by_one(wide=True), "equal", before),
        "bytes_after": (plain + b"and more", "equal", {}),
        "bytes_around": (b"before" + plain + b"\0" * 5000, "equal", before),
        "folders": (zipped(folder), "equal", {}),
        "texts_and_members_of_any_name": (zipped(texts), "equal", {}),
        "name_with_and_without_ending": (zipped({"a": PLAIN, "a.npy": npy(header("'<i4'"))}),
                                         "equal", {}),
        "ending_twice": (zipped({"a.npy.npy": PLAIN, "a.npy": PLAIN}), "equal", {}),
        "ending_alone": (zipped({".npy": PLAIN}), "ending alone", {}),
        "archive_in_archive": (zipped({"a.npz": plain, "b.npy": PLAIN}), "equal", {}),
        "python2": (zipped({"a.npy": ARRAYS["python2"][0]}), "equal", {}),
        "utf8_name": (zipped({"größe/数.npy": PLAIN}), "equal", {}),
        "name_in_437": (old_name("größe".encode("cp437") + b".npy"), "equal", {}),
        "name_in_437_of_utf8": (old_name("数.npy".encode()), "equal", {}),
        "nothing": (archive(b"", []), "equal", {}),
        "bzip2": (zipped(method=zipfile.ZIP_BZIP2), "packed otherwise", {}),
        "lzma": (zipped(method=zipfile.ZIP_LZMA), "packed otherwise", {}),
        "encrypted": (one_by_one(flags=1), "encrypted", {}),
        "names_twice": (names_twice(), "same member twice", {}),
        "one_in_another": (one_in_another(), "overlap", {}),
        "wrong_sum": (wrong_sum(), "neither", {}),
        "no_array": (zipped({"a.npy": b"text", "b.npy": PLAIN}), "not an array", {}),
        "a_byte_more": (zipped({"a.npy": PLAIN + b"\0"}), "bytes after a member", {}),
        "a_byte_less": (zipped({"a.npy": PLAIN[:-1]}), "neither", {}),
        "cut": (plain[:-30], "neither", {}),
        "cut_in_front": (plain[30:], "neither", before),
        "no_archive": (b"PK\3\4" + bytes(100), "neither", {}),
        "bools_of_2": (zipped({"a.npy": ARRAYS["bools_of_2"][0]}), "no bool", {}),
    }  # fmt: skip


def write_npz(make):
    for name, (data, expected, options) in archives().items():
        make(f"{name}.npz", expected, **options).write_bytes(data)


# ---- safetensors --------------------------------------------------------------------------------


def safe(text, data=b""):
    raw = text if isinstance(text, bytes) else text.encode()
    return len(raw).to_bytes(8, "little") + raw + data


def entry(begin, end, dtype="U8", shape=None, **more):
    shape = [end - begin] if shape is None else shape
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]} | more


def tensors(data, padding="", **entries):
    return safe(json.dumps(entries) + padding, data)


ONE = '"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}'
SAFE = {  # name: (bytes, expected)
    "plain": (tensors(b"ab", a=entry(0, 2)), "equal"),
    "spaces": (tensors(b"ab", " " * 77, a=entry(0, 2)), "equal"),
    "line_ends": (safe("{\r\n\t" + ONE + "\n}\n", b"ab"), "equal"),
    "metadata_null": (safe('{"__metadata__":null,' + ONE + "}", b"ab"), "equal"),
    "metadata_last": (safe("{" + ONE + ',"__metadata__":{"k":"v"}}', b"ab"), "equal"),
    "metadata_empty": (safe('{"__metadata__":{},' + ONE + "}", b"ab"), "equal"),
    "metadata_of_numbers": (safe('{"__metadata__":{"k":1},' + ONE + "}", b"ab"), "neither"),
    "metadata_is_a_text": (safe('{"__metadata__":"k",' + ONE + "}", b"ab"), "neither"),
    "metadata_key_twice": (safe('{"__metadata__":{"k":"1","k":"2"},' + ONE + "}", b"ab"),
                           "name twice"),
    "metadata_twice": (safe('{"__metadata__":{"k":"1"},"__metadata__":{"k":"2"},' + ONE + "}",
                            b"ab"), "neither"),
    "more_members": (tensors(b"ab", a=entry(0, 2, more=1, other={"x": [None, {"y": 1e9}]})),
                     "equal"),
    "order_of_its_own": (tensors(b"abc", a=entry(2, 3), b=entry(0, 2)), "equal"),
    "members_in_another_order": (safe('{"a":{"data_offsets":[0,2],"shape":[2],"dtype":"U8"}}',
                                      b"ab"), "equal"),
    "empty_between": (tensors(b"abc", a=entry(0, 1), b=entry(1, 1, shape=[0, 5]), c=entry(1, 3)),
                      "equal"),
    "scalar": (tensors(b"abcd", a=entry(0, 4, "F32", [])), "equal"),
    "rank_8": (tensors(b"ab", a=entry(0, 2, shape=[1, 1, 1, 2, 1, 1, 1, 1])), "equal"),
    "rank_9": (tensors(b"abc", a=entry(0, 2, shape=[2] + [1] * 8), b=entry(2, 3)), "equal"),
    "escapes": (safe('{"\\u0061\\n\\ud83d\\ude00\\u0000\\/":' + ONE[4:] + "}", b"ab"), "equal"),
    "odd_alignment": (tensors(b"a" + bytes(8), a=entry(0, 1), b=entry(1, 9, "F64", [1])), "equal"),
    "six_bits": (tensors(b"abcdef", a=entry(0, 3, "F6_E2M3", [4]), b=entry(3, 6, "F6_E3M2", [4])),
                 "equal"),
    "four_bits": (tensors(b"ab", a=entry(0, 2, "F4", [4])), "equal"),
    "three_half_bytes": (tensors(b"ab", a=entry(0, 2, "F4", [3])), "neither"),
    "nothing": (safe("{}"), "equal"),
    "nothing_and_spaces": (safe("{}      "), "equal"),
    "zero_in_the_header": (safe("{" + ONE + "}\0\0\0", b"ab"), "neither"),
    "zeros_before_the_data": (safe("{" + ONE + "}", b"\0\0ab"), "neither"),
    "name_twice": (safe("{" + ONE + "," + ONE + "}", b"ab"), "name twice"),
    "member_twice": (safe('{"a":{"dtype":"U8","dtype":"U8","shape":[2],"data_offsets":[0,2]}}',
                          b"ab"), "neither"),
    "tensor_is_a_list": (safe('{"a":["U8",[2],[0,2]]}', b"ab"), "tensor as a list"),
    "gap": (tensors(b"a-b", a=entry(0, 1), b=entry(2, 3)), "neither"),
    "gap_in_front": (tensors(b"-ab", a=entry(1, 3)), "neither"),
    "overlap": (tensors(b"abc", a=entry(0, 2), b=entry(1, 3)), "neither"),
    "same_bytes": (tensors(b"ab", a=entry(0, 2), b=entry(0, 2)), "neither"),
    "bytes_behind": (tensors(b"abc", a=entry(0, 2)), "neither"),
    "cut": (tensors(b"a", a=entry(0, 2)), "neither"),
    "cut_header": (tensors(b"ab", a=entry(0, 2))[:20], "neither"),
    "backwards": (tensors(b"ab", a=entry(2, 0, shape=[2])), "neither"),
    "other_size": (tensors(b"ab", a=entry(0, 2, shape=[3])), "neither"),
    "negative_shape": (tensors(b"ab", a=entry(0, 2, shape=[-2])), "neither"),
    "shape_of_halves": (tensors(b"ab", a=entry(0, 2, shape=[2.0])), "neither"),
    "unknown_dtype": (tensors(b"abc", a=entry(0, 2, "U128", [2]), b=entry(2, 3)), "no such dtype"),
    "small_letters": (tensors(b"ab", a=entry(0, 2, "u8")), "no such dtype"),
    "dtype_missing": (safe('{"a":{"shape":[2],"data_offsets":[0,2]}}', b"ab"), "neither"),
    "space_in_front": (safe(" {" + ONE + "}", b"ab"), "space in front"),
    "mark_in_front": (safe("\ufeff{" + ONE + "}", b"ab"), "neither"),
    "list": (safe("[]"), "neither"),
    "half_a_character": (safe('{"\\ud83d":' + ONE[4:] + "}", b"ab"), "neither"),
    "no_utf8": (safe(b'{"\xff":' + ONE[4:].encode() + b"}", b"ab"), "neither"),
    "comma_at_the_end": (safe("{" + ONE + ",}", b"ab"), "neither"),
    "no_header": (safe("", b"ab"), "neither"),
    "two_headers": (safe("{" + ONE + "}{}", b"ab"), "neither"),
    "huge_header": ((2**40).to_bytes(8, "little") + b"{}", "neither"),
    "few_bytes": (b"\2\0\0", "neither"),
    "huge_shape": (tensors(b"", a=entry(0, 0, shape=[2**62, 2**62, 0])), "neither"),
    "bools": (tensors(b"\0\1", a=entry(0, 2, "BOOL")), "equal"),
    "bools_of_2": (tensors(b"\0\2", a=entry(0, 2, "BOOL")), "no bool"),
}  # fmt: skip


UNKNOWN = {
    "unknown_dtype": {"a": Foreign("U128", (2,), b"ab"), "b": Held("uint8", (1,), b"c")},
    "small_letters": {"a": Foreign("u8", (2,), b"ab")},
}


def write_safetensors(make):
    for name, (data, expected) in SAFE.items():
        path = make(f"{name}.safetensors", expected, content=UNKNOWN.get(name))
        path.write_bytes(data)


def write_by_hand(make):
    write_npy(make)
    write_npz(make)
    write_safetensors(make)
