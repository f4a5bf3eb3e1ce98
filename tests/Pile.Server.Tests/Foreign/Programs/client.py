# Calls a cache server by python3-grpcio: client.py ADDRESS DESCRIPTORS [AUTHORITY [CERTIFICATE KEY]]. DESCRIPTORS are the contract's files,
# each after its length. It prints "ok" when all is as it must be.
import os
import struct
import sys
import traceback

import grpc
from google.protobuf import descriptor_pool, message_factory



def end(code):
    # The interpreter waits for its threads, and one of grpc 1.51's may never end: nothing that matters is left to it.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def fail(*error):
    traceback.print_exception(*error)
    end(1)


sys.excepthook = fail
address, descriptors = sys.argv[1:3]
tls = [open(path, "rb").read() for path in sys.argv[3:]]
pool = descriptor_pool.DescriptorPool()
with open(descriptors, "rb") as file:
    while head := file.read(4):
        pool.AddSerializedFile(file.read(struct.unpack(">i", head)[0]))
factory = message_factory.MessageFactory(pool)


def message(name):
    return factory.GetPrototype(pool.FindMessageTypeByName(name))


options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
if tls:
    certificate, key = (tls[1], tls[2]) if len(tls) == 3 else (None, None)
    channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(tls[0], key, certificate), options)
else:
    channel = grpc.insecure_channel(address, options)


def method(service, name):
    found = pool.FindServiceByName(service).FindMethodByName(name)
    replies = factory.GetPrototype(found.output_type).FromString
    kind = {"Batches": channel.stream_stream, "SetLarge": channel.stream_unary, "GetLarge": channel.unary_stream}.get(name, channel.unary_unary)
    return kind(f"/{service}/{name}", lambda request: request.SerializeToString(), replies)


def of(name, **fields):
    return message("pile.v1." + name)(**fields)


def entries(name):
    return method("pile.v1.Entries", name)


def fails(code, call):
    try:
        call()
    except grpc.RpcError as error:
        assert error.code() == code, error
        return error
    raise AssertionError(f"no {code}")


get, put = entries("Get"), entries("Set")
assert put(of("SetRequest", key=b"a", value=b"one")).outcome == 0
found = get(of("GetRequest", key=b"a", want_version=True))
assert found.found and found.value == b"one"
change = of("CompareAndSetRequest", key=b"a", value=b"two", version=found.version)
assert entries("CompareAndSet")(change).outcome == 1
assert entries("CompareAndSet")(change).outcome == 2
assert entries("Increment")(of("IncrementRequest", key=b"n", by=-7)).value == -7
assert entries("Remove")(of("RemoveRequest", key=b"a")).outcome == 5
assert not get(of("GetRequest", key=b"a")).found
assert list(method("pile.v1.Tables", "List")(of("ListTablesRequest")).tables) == ["default"]
calls = [put.future(of("SetRequest", key=b"k%d" % at, value=b"v%d" % at)) for at in range(1000)]
assert all(call.result().outcome == 0 for call in calls)

error = fails(grpc.StatusCode.NOT_FOUND, lambda: get(of("GetRequest", key=b"a", table="nothing")))
detail = of("ErrorDetail").FromString(dict(error.trailing_metadata())["pile-error-bin"])
assert detail.text == error.details() and "no table 'nothing'" in detail.text and detail.status == 15
fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: get(of("GetRequest", key=b"a"), timeout=-1))
fails(grpc.StatusCode.UNIMPLEMENTED, lambda: entries("GetOrLease")(of("GetOrLeaseRequest", key=b"a")))

keys = [b"k1", b"none", b"k999"]


def batch(number, table=""):
    return of("GetBatch", id=number, key_lengths=[len(key) for key in keys], keys=b"".join(keys), table=table)


reply = entries("GetMany")(batch(5))
assert (reply.id, list(reply.value_lengths), reply.values) == (5, [3, 0, 5], b"v1v999")
requests = (of("BatchRequest", get=batch(number, "nothing" if number == 77 else "")) for number in range(1, 201))
replies = {}
for reply in entries("Batches")(requests):
    replies[getattr(reply, reply.WhichOneof("reply")).id] = reply
assert len(replies) == 200 and replies[77].failure.code == 5 and replies[200].values.values == b"v1v999"

value = b"x" * 10_000_000
put(of("SetRequest", key=b"large", value=value), compression=grpc.Compression.Gzip)
assert get(of("GetRequest", key=b"large")).value == value
head = of("SetLargeHead", key=b"chunks", value_bytes=400_000)
chunks = [of("SetLargeRequest", head=head, chunk=value[:200_000]), of("SetLargeRequest", chunk=value[:200_000])]
assert entries("SetLarge")(iter(chunks)).outcome == 0
assert sum(len(chunk.chunk) for chunk in entries("GetLarge")(of("GetLargeRequest", key=b"chunks"))) == 400_000

health = channel.unary_unary("/grpc.health.v1.Health/Check", lambda text: text, lambda reply: reply)
assert health(b"") == b"\x08\x01"
stream = entries("Batches")(iter([of("BatchRequest", get=batch(1))]))
stream.cancel()
fails(grpc.StatusCode.CANCELLED, lambda: list(stream))
print("ok")
end(0)
