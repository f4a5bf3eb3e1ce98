"""Products in a cache server, stored by any of three languages and read by all of them:
  python3 products.py set 7 "Rubber duck" 2.5 | get 7 | many 7 8 9 | lease 7 | watch 3
The server is at PILE_ADDRESS, 127.0.0.1:7171 unless set.
"""
import inspect
import os
import sys
from datetime import datetime, timezone

import grpc
import msgpack
from pile.v1 import entries_pb2, status_pb2, tables_pb2
from product import Product
from server import Server, described

TABLE = "products"
server = Server(os.environ.get("PILE_ADDRESS", "127.0.0.1:7171"))


def key_of(id):
    return f"product:{id}".encode()


def made(id, name, price):
    changed = msgpack.Timestamp.from_datetime(datetime.now(timezone.utc))
    return Product(int(id), name, price, b"\x00\x7f\xff", None, {"Köln": 3, "東京": 9007199254740993}, ["new", "python"], changed)


def show(product):
    places = ", ".join(f"{place} {product.stock[place]}" for place in sorted(product.stock))
    picture = "none" if product.picture is None else product.picture.hex()
    note = "none" if product.note is None else product.note
    changed = f"{product.changed.seconds}.{product.changed.nanoseconds:09}"
    print(f"{product.id} {product.name}: {product.price}; picture {picture}; note {note}; stock {places}; tags {', '.join(product.tags)}; changed {changed}")


def show_found(key, value):
    print(f"{key.decode()}: none") if value is None else show(Product.from_bytes(value))


def set(id, name, price):
    terms = entries_pb2.EntryTerms(time_to_live_ms=60 * 60 * 1000, tags=["products"])
    request = entries_pb2.SetRequest(table=TABLE, key=key_of(id), value=made(id, name, float(price)).to_bytes(), terms=terms)
    print(status_pb2.Outcome.Name(server.call(server.entries.Set, request).outcome))


def get(id):
    reply = server.call(server.entries.Get, entries_pb2.GetRequest(table=TABLE, key=key_of(id)))
    show_found(key_of(id), reply.value if reply.found else None)


def many(*ids):
    for key, value in server.get_many(TABLE, [key_of(id) for id in ids]):
        show_found(key, value)


def lease(id):
    """One of all callers computes what is missing; the others wait for it."""
    while True:
        reply = server.call(server.entries.GetOrLease, entries_pb2.GetOrLeaseRequest(table=TABLE, key=key_of(id), wait_ms=5000))
        if reply.HasField("value"):
            return show(Product.from_bytes(reply.value))
        if reply.HasField("lease"):
            product = made(id, f"Product {id}", 1.0)
            server.call(server.entries.SetLeased, entries_pb2.SetLeasedRequest(table=TABLE, key=key_of(id), value=product.to_bytes(), lease=reply.lease))
            return show(product)


def watch(count=1):
    """Every change is told that comes after the first reply."""
    left = int(count)
    replies = server.entries.Watch(entries_pb2.WatchRequest(table=TABLE, prefix=key_of("")), metadata=server.metadata)
    for number, reply in enumerate(replies):
        if number == 0:
            print("watching", flush=True)
        if reply.lost:
            print("changes were lost")
        for event in reply.events:
            print(entries_pb2.WatchEvent.Kind.Name(event.kind), event.key.decode(), flush=True)
            left -= 1
            if left == 0:
                replies.cancel()
                return


def main(verb=None, *words):
    verbs = {"set": set, "get": get, "many": many, "lease": lease, "watch": watch}
    if verb not in verbs:
        return f"{verb or 'Nothing'} is no verb: one of {', '.join(verbs)}."
    try:
        inspect.signature(verbs[verb]).bind(*words)
    except TypeError as error:
        return f"{verb}: {error}."
    try:
        server.call(server.tables.Create, tables_pb2.CreateTableRequest(table=TABLE))
        verbs[verb](*words)
    except grpc.RpcError as error:
        return described(error)
    except (RuntimeError, ValueError) as error:
        return str(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
