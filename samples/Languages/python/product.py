"""A product as bytes: an array of MessagePack whose elements stand in the order that all languages have agreed on."""
from dataclasses import astuple, dataclass, fields, replace

import msgpack


@dataclass
class Product:
    id: int
    name: str
    price: float
    picture: bytes | None
    note: str | None
    stock: dict[str, int]
    tags: list[str]
    changed: msgpack.Timestamp  # a datetime has no more than microseconds

    def to_bytes(self):
        # The price 1 would arrive elsewhere as an integer.
        return msgpack.packb(astuple(replace(self, price=float(self.price))))

    @staticmethod
    def from_bytes(data):
        return Product(*msgpack.unpackb(data)[: len(fields(Product))])
