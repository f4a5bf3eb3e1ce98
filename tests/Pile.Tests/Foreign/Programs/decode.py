"""Decodes MessagePack values with python3-msgpack. Input: frames of a big-endian length of 32 bits and a value; the first frame
is one that is changed and encoded again. Output: a line for each value, as text (Codecs/Cases/WireWalk.cs writes the same), a
tab, and the same value as this encoder writes it; then lines of values of its own: a text of the value, a tab, its bytes."""
import math
import struct
import sys

import msgpack


def text(value):
    if value is None:
        return "nil"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        is_negative_zero = value == 0 and math.copysign(1, value) < 0
        if math.isfinite(value) and value == math.floor(value) and abs(value) < 2**53 and not is_negative_zero:
            return str(int(value))
        return "f" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return "s" + value.encode("utf-8").hex()
    if isinstance(value, bytes):
        return "b" + value.hex()
    if isinstance(value, msgpack.ExtType):
        return "x%d:%s" % (value.code, value.data.hex())
    if isinstance(value, msgpack.Timestamp):
        return "x-1:" + value.to_bytes().hex()
    if isinstance(value, list):
        return "[" + ",".join(text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(text(key) + "," + text(item) for key, item in value.items()) + "}"
    raise TypeError(type(value))


def frames(data):
    at = 0
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


def main():
    values = [msgpack.unpackb(frame, raw=False, strict_map_key=False) for frame in frames(open(sys.argv[1], "rb").read())]
    for value in values:
        print(text(value) + "\t" + msgpack.packb(value, use_bin_type=True).hex())

    # The first value is a book: [whether it has references, [number, title, pages, price, in print, sold, authors, id, cover]].
    book = values[0][1]
    book[1:6] = ["by another \u20ac", 70000, 2.75, False, 2**40]
    book[6] = ["x", "y" * 300]
    book[8] = bytes(range(200))
    print(text(values[0]) + "\t" + msgpack.packb(values[0], use_bin_type=True).hex())
    own = [0, 1, -1, 127, 128, 255, 256, -32, -33, -128, -129, 65535, 65536, 2**31 - 1, -(2**31), 1.5, -0.25, 1e300, True, False, "", "text", "\u20ac" * 20, "z" * 40, "z" * 300, "z" * 70000, b"", b"\x00\x01", b"q" * 300, b"q" * 70000]
    for value in own:
        print(text(value) + "\t" + msgpack.packb(value, use_bin_type=True).hex())


main()
