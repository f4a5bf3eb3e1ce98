"""A product as bytes: an array of MessagePack whose elements stand in the order that all languages have agreed on."""
from dataclasses import astuple, dataclass

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
        self.price = float(self.price)  # 1 would arrive elsewhere as an integer
        return msgpack.packb(astuple(self))

    @staticmethod
    def from_bytes(data):
        return Product(*msgpack.unpackb(data))
