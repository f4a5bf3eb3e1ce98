"""Calls of a cache server: who calls, what the server says when a call fails, and batches.

The modules of the contract are made by
  python3 -m grpc_tools.protoc -I protos --python_out=samples/Languages/python --grpc_python_out=samples/Languages/python protos/pile/v1/*.proto
"""
import os

import grpc
from pile.v1 import entries_pb2, entries_pb2_grpc, status_pb2, tables_pb2_grpc


class Server:
    """In the clear, or by TLS where PILE_CA names the file of the authority; with the token of PILE_TOKEN where there is one."""

    def __init__(self, address):
        authority, token = os.environ.get("PILE_CA"), os.environ.get("PILE_TOKEN")
        options = [("grpc.max_receive_message_length", -1)]  # as large as the server's replies are, beyond 4 MiB too
        if authority:
            with open(authority, "rb") as file:
                channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(file.read()), options)
        else:
            channel = grpc.insecure_channel(address, options)
        self.entries = entries_pb2_grpc.EntriesStub(channel)
        self.tables = tables_pb2_grpc.TablesStub(channel)
        self.metadata = [("authorization", f"Bearer {token}")] if token else []

    def call(self, method, request):
        """One call, which may take ten seconds."""
        return method(request, timeout=10, metadata=self.metadata)

    def get_many(self, table, keys, size=64):
        """Keys by the batch, each batch with a number of its own; the replies may come in any order."""
        batches = [keys[first : first + size] for first in range(0, len(keys), size)]
        requests = (
            entries_pb2.BatchRequest(get=entries_pb2.GetBatch(id=number, table=table, key_lengths=map(len, batch), keys=b"".join(batch)))
            for number, batch in enumerate(batches)
        )
        for reply in self.entries.Batches(requests, timeout=60, metadata=self.metadata):
            if reply.HasField("failure"):
                raise RuntimeError(reply.failure.error.text)
            at = 0
            for key, length in zip(batches[reply.values.id], reply.values.value_lengths):
                end = at + max(length - 1, 0)  # 0: there is none; n + 1: n bytes
                yield key, reply.values.values[at:end] if length else None
                at = end


def described(error):
    """What the server says beside the status of gRPC: its own status, the same sentence, and when to try again."""
    for name, value in error.trailing_metadata() or []:
        if name == "pile-error-bin":
            detail = status_pb2.ErrorDetail.FromString(value)
            return f"{status_pb2.PileStatus.Name(detail.status)}: {detail.text}"
    return error.details()
