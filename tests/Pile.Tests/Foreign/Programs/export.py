"""Reads an export of a pile with python3-msgpack. Output: a line of the header, a line for each block (kind, count of its items), one for
each schema (type name) and root, and one for each object that is an order."""
import io
import sys

import msgpack


def items(body):
    return msgpack.Unpacker(io.BytesIO(body), raw=False, strict_map_key=False)


objects = 0
deleted = 0
numbers = {}
with open(sys.argv[1], "rb") as stream:
    for kind, count, body, _ in msgpack.Unpacker(stream, max_buffer_size=0, raw=False):
        found = list(items(body))
        if len(found) != count:
            raise ValueError("%d items where %d are said to be" % (len(found), count))
        if kind == 0:
            print("header", found[0]["format"], found[0]["version"], found[0]["objects"])
        elif kind == 1:
            for slot, generation, schema in found:
                number, name = msgpack.unpackb(schema, raw=False)[:2]
                numbers[number] = name
        elif kind == 2:
            for slot, generation, name, pointer in found:
                print("root", name, pointer)
        elif kind == 3:
            for item in found:
                if len(item) == 2:
                    deleted += 1
                    continue
                objects += 1
                slot, generation, lane, payload = item
                if lane == 6:
                    graph = msgpack.unpackb(payload, raw=False, strict_map_key=False)
                    if isinstance(graph[0], bool):
                        graph = graph[1]
                    if numbers[graph[0]].endswith("Order"):
                        print("order", slot, generation, *graph[1:])
        else:
            print("end", found[0]["objects"], found[0]["types"], found[0]["roots"])
print("objects", objects, "deleted", deleted)
