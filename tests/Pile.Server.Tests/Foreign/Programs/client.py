# Calls a cache server by python3-grpcio: client.py CONTRACT ADDRESS TOKEN [AUTHORITY [CERTIFICATE KEY]]. It prints "ok" when all is as it must
# be. Foreign/README.md says what it covers.
import os
import sys
import threading
import time
import traceback

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory



def fail(*error):
    traceback.print_exception(*error)
    os._exit(1)  # threads of streams that are still open must not keep the program


sys.excepthook = fail
contract, address, token = sys.argv[1:4]
tls = [open(path, "rb").read() for path in sys.argv[4:]]
pool = descriptor_pool.DescriptorPool()
with open(contract, "rb") as file:
    for described in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
        pool.AddSerializedFile(described.SerializeToString())
factory = message_factory.MessageFactory(pool)


def message(name):
    return factory.GetPrototype(pool.FindMessageTypeByName(name))


options = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.keepalive_time_ms", 50),
    ("grpc.http2.max_pings_without_data", 0),
]
if tls:
    certificate, key = (tls[1], tls[2]) if len(tls) == 3 else (None, None)
    channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(tls[0], key, certificate), options)
else:
    channel = grpc.insecure_channel(address, options)
states = []
channel.subscribe(states.append)
streams = {"ServerReflectionInfo": channel.stream_stream, "Batches": channel.stream_stream, "SetLarge": channel.stream_unary, "GetLarge": channel.unary_stream, "Watch": channel.unary_stream}


def method(service, name, kind=None):
    found = pool.FindServiceByName(service).FindMethodByName(name)
    call = (kind or streams.get(name, channel.unary_unary))(
        f"/{service}/{name}", lambda request: request.SerializeToString(), factory.GetPrototype(found.output_type).FromString
    )

    def with_deadline(request, timeout=60, **more):
        return call(request, timeout=timeout, **more)

    with_deadline.future = lambda request: call.future(request, timeout=60)
    return with_deadline


def of(name, /, **fields):
    return message("pile.v1." + name)(**fields)


def entries(name, /, **fields):
    return method("pile.v1.Entries", name)(of(fields.pop("of"), **fields)) if fields else method("pile.v1.Entries", name)


def tables(name, request, /, **fields):
    return method("pile.v1.Tables", name)(of(request, **fields))


def fails(code, call):
    try:
        call()
    except grpc.RpcError as error:
        assert error.code() == code, error
        return error
    raise AssertionError(f"no {code}")


get, put = entries("Get"), entries("Set")


def found(key):
    return get(of("GetRequest", key=key)).found


# Single entries, and 1,000 calls at once.
assert put(of("SetRequest", key=b"a", value=b"one")).outcome == 0
entry = get(of("GetRequest", key=b"a", want_version=True))
assert entry.found and entry.value == b"one"
change = of("CompareAndSetRequest", key=b"a", value=b"two", version=entry.version)
assert entries("CompareAndSet")(change).outcome == 1
assert entries("CompareAndSet")(change).outcome == 2
assert entries("CompareAndRemove", of="CompareAndRemoveRequest", key=b"a", version=entry.version).outcome == 2
assert entries("Increment", of="IncrementRequest", key=b"n", by=-7).value == -7
assert entries("Refresh", of="RefreshRequest", key=b"a").found
assert entries("Remove", of="RemoveRequest", key=b"a").outcome == 5
assert not found(b"a")
put(of("SetRequest", key=b"t1", terms=of("EntryTerms", tags=["tag"])))
entries("RemoveByTag", of="RemoveByTagRequest", tag="tag")
assert not found(b"t1")
calls = [put.future(of("SetRequest", key=b"k%d" % at, value=b"v%d" % at)) for at in range(1000)]
assert all(call.result(timeout=60).outcome == 0 for call in calls)

# Batches.
keys = [b"k1", b"none", b"k999"]


def batch(name, number, keys, **more):
    return of(name, id=number, key_lengths=[len(key) for key in keys], keys=b"".join(keys), **more)


reply = entries("GetMany")(batch("GetBatch", 5, keys))
assert (reply.id, list(reply.value_lengths), reply.values) == (5, [3, 0, 5], b"v1v999")
reply = entries("SetMany")(batch("SetBatch", 6, [b"m1", b"m2"], value_lengths=[1, 0], values=b"x"))
assert (reply.id, list(reply.outcomes)) == (6, [0, 0])
assert list(entries("RemoveMany")(batch("RemoveBatch", 7, [b"m1", b"m2", b"m3"])).outcomes) == [5, 5, 6]
requests = (of("BatchRequest", get=batch("GetBatch", number, keys, table="nothing" if number == 77 else "")) for number in range(1, 201))
replies = {}
for reply in entries("Batches")(requests):
    replies[getattr(reply, reply.WhichOneof("reply")).id] = reply
assert len(replies) == 200 and replies[77].failure.code == 5 and replies[200].values.values == b"v1v999"

# Large values.
value = b"x" * 10_000_000
put(of("SetRequest", key=b"large", value=value), compression=grpc.Compression.Gzip)
assert get(of("GetRequest", key=b"large")).value == value
head = of("SetLargeHead", key=b"chunks", value_bytes=400_000)
chunks = [of("SetLargeRequest", head=head, chunk=value[:200_000]), of("SetLargeRequest", chunk=value[:200_000])]
assert entries("SetLarge")(iter(chunks)).outcome == 0
assert sum(len(chunk.chunk) for chunk in entries("GetLarge")(of("GetLargeRequest", key=b"chunks"))) == 400_000

# Scans and tables.
count, cursor = 0, b""
while True:
    page = entries("Scan", of="ScanRequest", prefix=b"k", entries_max=300, cursor=cursor)
    count, cursor = count + len(page.entries), page.cursor
    if not cursor:
        break
assert count == 1000
assert tables("Create", "CreateTableRequest", table="t", options=of("TableOptions", kind=1)).created
assert list(tables("List", "ListTablesRequest").tables) == ["default", "t"]
assert tables("Describe", "DescribeTableRequest", table="t").options.kind == 1
tables("Clear", "ClearTableRequest", table="t")
assert tables("Drop", "DropTableRequest", table="t").dropped

# Leases, and what a watch tells of them.
watch = entries("Watch")(of("WatchRequest", prefix=b"leased"))
assert next(watch).resume  # from here on changes are told
first = entries("GetOrLease", of="GetOrLeaseRequest", key=b"leased")
assert first.WhichOneof("answer") == "lease"
assert entries("GetOrLease", of="GetOrLeaseRequest", key=b"leased").taken
assert entries("EndLease", of="EndLeaseRequest", key=b"leased", lease=first.lease).was_held
second = entries("GetOrLease", of="GetOrLeaseRequest", key=b"leased")
stored = of("SetLeasedRequest", key=b"leased", value=b"x", lease=second.lease)
assert entries("SetLeased")(stored).outcome == 0
assert entries("SetLeased")(stored).outcome == 2
assert entries("GetOrLease", of="GetOrLeaseRequest", key=b"leased").value == b"x"
told = next(event for reply in watch for event in reply.events)
assert (told.kind, told.key) == (0, b"leased")
watch.cancel()
fails(grpc.StatusCode.CANCELLED, lambda: list(watch))

# Errors, deadlines and cancellation. The server counts a call as failed when it has ended it: it has seen what ended the call here.
call = lambda: get(of("GetRequest", key=b"a", table="nothing"), metadata=[("x-sent-bin", b"\0\xff,=%\n")])
error = fails(grpc.StatusCode.NOT_FOUND, call)
detail = of("ErrorDetail").FromString(dict(error.trailing_metadata())["pile-error-bin"])
assert detail.text == error.details() and "no table 'nothing'" in detail.text and detail.status == 15
fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: get(of("GetRequest", key=b"a"), timeout=-1))


def failed_calls():
    return tables("Stats", "StatsRequest").failed_calls


def wait_for_failed_calls(count):
    end = time.monotonic() + 60
    while failed_calls() < count:
        assert time.monotonic() < end, f"the server saw fewer than {count} calls fail"


never = threading.Event()


def nothing():
    never.wait(60)
    return
    yield


before = failed_calls()
for wait in [0.3, 1.2, 4.8, 19.2]:  # a busy machine may pass the deadline before the call is sent: then a longer one
    stream = entries("Batches")(nothing(), timeout=wait)
    reached = stream.initial_metadata()
    fails(grpc.StatusCode.DEADLINE_EXCEEDED, lambda: list(stream))
    if reached:
        break
wait_for_failed_calls(before + 1)
before = failed_calls()
stream = entries("Batches")(nothing())
stream.initial_metadata()
stream.cancel()
fails(grpc.StatusCode.CANCELLED, lambda: list(stream))
wait_for_failed_calls(before + 1)
never.set()

# Admin, by a token.


def admin(name, request, /, **fields):
    return method("pile.v1.Admin", name)(of(request, **fields), metadata=[("authorization", "Bearer " + token)])


fails(grpc.StatusCode.UNAUTHENTICATED, lambda: method("pile.v1.Admin", "Verify")(of("VerifyRequest")))
assert admin("Verify", "VerifyRequest").is_good
admin("Checkpoint", "CheckpointRequest")
admin("Compact", "CompactRequest")
assert admin("Copy", "CopyRequest", name="copy").segments > 0

# Reflection, health and pings: a stream stays open while the connection is pinged every 50 ms, and neither side may end it for that.
for version in ["v1", "v1alpha"]:
    service = f"grpc.reflection.{version}."
    ask = message(service + "ServerReflectionRequest")
    answers = list(method(service + "ServerReflection", "ServerReflectionInfo")(iter([ask(list_services=""), ask(file_containing_symbol="pile.v1.Entries")])))
    names = {listed.name for listed in answers[0].list_services_response.service}
    assert names >= {"pile.v1.Entries", "pile.v1.Tables", "pile.v1.Admin", "grpc.health.v1.Health"}
    assert answers[1].file_descriptor_response.file_descriptor_proto
request = message("grpc.health.v1.HealthCheckRequest")()
assert method("grpc.health.v1.Health", "Check")(request).status == 1
watch = method("grpc.health.v1.Health", "Watch", channel.unary_stream)(request)
assert next(watch).status == 1
before = len(states)
time.sleep(1)
assert states[before:] == [] and states[-1] == grpc.ChannelConnectivity.READY, states
watch.cancel()
fails(grpc.StatusCode.CANCELLED, lambda: list(watch))
assert found(b"k1")
print("ok", flush=True)
os._exit(0)
