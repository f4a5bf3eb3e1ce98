# Stores or reads many products by the code of samples/Languages/python, which is on PYTHONPATH: corpus.py ADDRESS write|read FILE. "read" writes
# what it has found back to the file. Numbers stand in the file as text, so that none of them is changed on the way.
import json
import struct
import sys

import msgpack
from pile.v1 import entries_pb2
from product import Product
from server import Server

address, verb, path = sys.argv[1:]
server = Server(address)


def product_of(line):
    seconds, nanoseconds = map(int, line["changed"].split("."))
    (price,) = struct.unpack(">d", bytes.fromhex(line["price"]))
    picture = None if line["picture"] is None else bytes.fromhex(line["picture"])
    stock = {place: int(count) for place, count in line["stock"].items()}
    return Product(int(line["id"]), line["name"], price, picture, line["note"], stock, line["tags"], msgpack.Timestamp(seconds, nanoseconds))


def line_of(product):
    assert type(product.price) is float and type(product.id) is int
    return {
        "id": str(product.id),
        "name": product.name,
        "price": struct.pack(">d", product.price).hex(),
        "picture": None if product.picture is None else product.picture.hex(),
        "note": product.note,
        "stock": {place: str(count) for place, count in product.stock.items()},
        "tags": product.tags,
        "changed": f"{product.changed.seconds}.{product.changed.nanoseconds:09}",
    }


with open(path, encoding="utf-8") as file:
    lines = json.load(file)
for at, line in enumerate(lines):
    key = b"c%d" % at
    if verb == "write":
        server.call(server.entries.Set, entries_pb2.SetRequest(key=key, value=product_of(line).to_bytes()))
    else:
        lines[at] = line_of(Product.from_bytes(server.call(server.entries.Get, entries_pb2.GetRequest(key=key)).value))
if verb == "read":
    with open(path, "w", encoding="utf-8") as file:
        json.dump(lines, file)
