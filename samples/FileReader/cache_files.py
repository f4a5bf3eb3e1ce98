"""Reads the cache in a pile's directory without Pile, by docs/FORMAT.md alone: durable tables from the log, speculative ones by their indexes.
  python3 cache_files.py DIRECTORY
Prints a line for each entry that counts and has not ended; of speculative tables only after a close, and else a line on the error output for each that
is left out, which is no damage. What is wrong is told as by pile_files.py.
"""
import json
import mmap
import os
import struct
import sys
import time
from collections import namedtuple

from pile_files import EXTENDED, LARGE, NAMES, PAGE, Damage, bits, check_header, crc32c, pointer_text, run, take

ENTRY, VALUE, MARK = 2, 3, 4  # kinds of extended records that are no objects of the program
SPECULATIVE, DURABLE = range(2)
HASHES_FEATURE = 1
HASHES_OF_TODAY = 2  # beside the kind: of a table whose keys are not hashed in the former way
TAGS = "\x01tags"
ALL_ONES = (1 << 128) - 1
BUCKET, BUCKETS_SUMMED, INDEX_PREFIX = 64, 4096, 8192
TICKS_OF_1970, TICKS_OF_MS = 621355968000000000, 10000

Table = namedtuple("Table", "name kind era seed")
Entry = namedtuple("Entry", "table key lane value shared version end stamp tags kind")


def kind_of(code, payload):
    """The kind of an extended record; 0 of any other."""
    return payload[0] if code == EXTENDED and payload else 0


class Fields:
    """Takes one field after the other."""

    def __init__(self, data, offset):
        self.data, self.offset = data, offset

    def take(self, layout):
        found = take(self.data, self.offset, layout)
        self.offset += {"B": 1, "I": 4, "Q": 8, "q": 8}[layout[-1]] * (int(layout[:-1] or 1))
        return found if len(found) > 1 else found[0]

    def list(self, layout):
        count = self.take("I")
        return [self.take(layout) for _ in range(count)]

    def name(self):
        count = self.take("I")
        self.offset += count
        return self.data[self.offset - count:self.offset].decode()

    def options(self):
        """Kind and name of a table."""
        kind, _ = self.take("2B")
        self.take("4q")
        name, *_ = [self.name() for _ in range(4)]
        return kind & ~HASHES_OF_TODAY, name


class CacheFiles:
    def __init__(self, pile):
        self.pile, self.tables, self.indexes = pile, {}, set()
        self.objects = {pointer: (code, payload) for pointer, code, payload in pile.slots()}
        self.read_list()
        self.entries = self.durable_entries()
        if pile.meta.clean and os.path.exists(self.path("cache.facts")):
            self.read_facts()
        self.tell_of_left()
        self.floor, self.removals = self.read_removals()

    def path(self, name):
        return os.path.join(self.pile.directory, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # an index is mostly a hole

    def read_list(self):
        """The durable tables."""
        if not os.path.exists(self.path("cache.tables")):
            return
        data = self.read("cache.tables")
        halves = []
        for half in (data[:len(data) // 2], data[len(data) // 2:]):
            try:
                half = half[:take(half, 48, "I")[0]]
                check_header(half, b"PILETBLS", "cache.tables", self.pile.identity, knows=HASHES_FEATURE)
                halves.append(half)
            except Damage as damage:
                self.pile.problem(str(damage))
        if not halves:
            raise Damage("cache.tables: no half is whole")
        fields = Fields(halves[0], 52)
        end, count = fields.take("2I")
        for _ in range(count):
            number, era, seed = fields.take("I"), fields.take("I"), fields.take("Q")
            kind, name = fields.options()
            if number >= end or kind != DURABLE:
                self.pile.problem(f"cache.tables: table {number} is none that it can name")
            self.tables[number] = Table(name, kind, era, seed)

    def durable_entries(self):
        """Of two entries of one key the one of the greater version, which was stored later."""
        found = {}
        for pointer, (code, payload) in self.objects.items():
            if kind_of(code, payload) != ENTRY:
                continue
            era = bits(take(payload, 0, "Q")[0], 8, 10)
            entry = read_entry(payload, 8)
            table = self.tables.get(entry.table)
            if table is None or table.era != era:
                continue
            before = found.get((entry.table, entry.key))
            if before is None or entry.version > before.version:
                found[entry.table, entry.key] = entry
        return list(found.values())

    def read_facts(self):
        """Takes the indexes of speculative tables, and compares those of durable ones with the log."""
        data = self.read("cache.facts")[:]
        meta = self.pile.meta
        check_header(data, b"PILEFACT", "cache.facts", self.pile.identity)
        fields = Fields(data, 48)
        recoveries, first_counting, _ = fields.take("I"), fields.take("Q"), fields.take("B")
        if not 0 <= meta.recoveries - recoveries <= meta.uncut or first_counting != meta.first_counting:
            return
        for _ in range(fields.take("I")):
            number, homes = fields.take("2I")
            counted = sum(fields.take("4Q"))
            fields.take("2Q")
            fields.list("I")
            sums = fields.list("I")
            self.read_index(number, homes, counted, sums)

    def read_index(self, number, homes, counted, sums):
        name = f"index.{number}"
        self.indexes.add(name)
        data = self.read(name)
        check_header(data[:PAGE], b"PILEINDX", name, self.pile.identity, knows=HASHES_FEATURE)
        fields = Fields(data, 48)
        its, _, seed, index_bytes, _ = fields.take("I"), fields.take("I"), fields.take("Q"), fields.take("Q"), fields.take("Q")
        fields.take("3Q")
        kind, table_name = fields.options()
        in_use, with_space, others_next, _ = take(data, PAGE, "4Q")
        homes_max = index_bytes * 3 // 4 // PAGE * PAGE // BUCKET
        stretches = [data[INDEX_PREFIX + BUCKET * first:INDEX_PREFIX + BUCKET * min(end, first + BUCKETS_SUMMED)]
                     for begin, end in ((0, with_space), (homes_max, max(homes_max, others_next))) for first in range(begin, end, BUCKETS_SUMMED)]
        if its != number or in_use != homes or [crc32c(stretch) for stretch in stretches] != sums:
            self.pile.problem(f"{name}: it is not what it was when the cache was closed")
            return
        cells = list(self.cells(data, homes))
        if kind == SPECULATIVE:
            self.tables[number] = Table(table_name, kind, 0, seed)
            found = [self.speculative_entry(number, cell) for cell in cells]
            self.entries += [entry for entry in found if entry]
        else:
            found = {bits(cell, 0, 39) for cell in cells}
            logged = {bits(pointer, 0, 32) for pointer, (code, payload) in self.objects.items()
                      if kind_of(code, payload) == ENTRY and take(payload, 8, "Q")[0] & 0xFFFFFF == number}
            if found != logged:
                self.pile.problem(f"{name}: it knows {len(found)} entries, the log has {len(logged)}")
        if len(cells) != counted:
            self.pile.problem(f"{name}: {len(cells)} entries, {counted} were counted")

    def tell_of_left(self):
        """Speculative tables whose indexes were not read: which of their entries count only a close in order says."""
        for name in sorted(set(os.listdir(self.pile.directory)) - self.indexes):
            if not name.startswith("index."):
                continue
            try:
                with open(self.path(name), "rb") as file:
                    data = file.read(PAGE + 72)
                check_header(data[:PAGE], b"PILEINDX", name, self.pile.identity, knows=HASHES_FEATURE)
                kind, table = Fields(data, 104).options()
                is_left, what = kind == SPECULATIVE and not take(data, PAGE + 64, "Q")[0], f"table {json.dumps(table)}"
            except (Damage, struct.error) as failure:
                is_left, what = True, f"{name} ({failure})"
            if is_left:
                print(f"{what}: its entries are left out. The cache was not closed in order, and only a close says which of a speculative table count.", file=sys.stderr)

    @staticmethod
    def cells(data, homes):
        for bucket in range(homes):
            while True:
                words = take(data, INDEX_PREFIX + BUCKET * bucket, "8Q")
                yield from (cell for cell in words[:7] if bits(cell, 0, 39))
                bucket = words[7] >> 32
                if bucket == 0:
                    break

    def speculative_entry(self, number, cell):
        record = self.pile.entries.get(bits(cell, 0, 39))
        if record is None or record.payload is None:
            self.pile.problem(f"index.{number}: no entry stands at {bits(cell, 0, 39):x}")
            return None
        entry = read_entry(record.payload, 0)
        if entry.table != number:
            self.pile.problem(f"index.{number}: the entry at {bits(cell, 0, 39):x} is of table {entry.table}")
        return entry

    def read_removals(self):
        """Removals by tag: those that are kept one by one, and the number below which all entries with tags are gone."""
        number = next((number for number, table in self.tables.items() if table.name == TAGS), None)
        items = {int.from_bytes(entry.key, "little"): int.from_bytes(entry.value, "little") for entry in self.entries if entry.table == number}
        if not items:
            return 0, {}
        head = items.pop(ALL_ONES, None)
        meta = self.pile.meta
        was_cut = meta.is_cut or (meta.recoveries - bits(head or 0, 24, 24)) % (1 << 24) > meta.uncut
        if head is None or (bits(head, 0, 24) > len(items) and not (was_cut and bits(head, 48, 16) == meta.accepted & 0xFFFF)):
            return 1 << 56, {}
        return head >> 64, {(bits(key, 64, 32), bits(key, 0, 64)): value for key, value in items.items()}

    def is_shown(self, entry, now):
        stamp_floor = self.floor if entry.tags else 0
        return entry.kind == 0 and now < entry.end and entry.stamp >= stamp_floor and not any(
            self.removals.get((table, tag), 0) > entry.stamp for tag in entry.tags for table in (0, entry.table))

    def shown(self):
        """Name of the table, key, lane and value of each entry that a program would find now."""
        now = time.time_ns() // 100 + TICKS_OF_1970
        for entry in self.entries:
            if self.tables[entry.table].name != TAGS and self.is_shown(entry, now):
                lane, value = self.value_of(entry)
                yield self.tables[entry.table].name, entry.key, lane, value

    def value_of(self, entry):
        if entry.shared is None:
            return entry.lane, entry.value
        pointer, length = entry.shared
        code, payload = self.objects.get(pointer, (0, b""))
        if entry.lane != LARGE:
            if kind_of(code, payload) != VALUE or take(payload, 4, "I")[0] != entry.table:
                self.pile.problem(f"{pointer_text(pointer)}: it is no value that an entry of table {entry.table} owns")
            code, payload = entry.lane, payload[8:]
        if len(payload) != length and entry.lane != LARGE:
            self.pile.problem(f"{pointer_text(pointer)}: {len(payload)} bytes, its entry says {length}")
        return code, payload


def read_entry(payload, at):
    """An entry, from its head on."""
    a, b = take(payload, at, "2Q")
    at += 16
    made = TICKS_OF_1970 + bits(b, 22, 42) * TICKS_OF_MS
    end, before, stamp, count, kind = 1 << 63, 0, 0, 0, 0
    if bits(a, 44, 1):
        end, = take(payload, at, "Q")
        at += 8
    if bits(a, 45, 1):
        span, touch = take(payload, at, "2Q")
        at += 16
        ticks = bits(touch, 12, 52)
        is_good = ((ticks + 1) * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 52 == bits(touch, 0, 12)
        end = min(end, made + span + (ticks if is_good else 0))
    if bits(a, 47, 1):
        note, before = take(payload, at, "2Q")
        at += 16
        stamp, count, kind = bits(note, 0, 56), bits(note, 56, 6), bits(note, 62, 2)
    key = payload[at:at + bits(a, 24, 14)]
    tags = len(payload) - 8 * count
    value = payload[at + len(key):tags]
    shared = take(value, 0, "QI") if bits(a, 46, 1) else None
    return Entry(bits(a, 0, 24), key, bits(a, 38, 4), value, shared, bits(a, 48, 16) << 22 | bits(b, 0, 22), end - before, stamp,
                 take(payload, tags, f"{count}Q") if count else (), kind)


def tell(pile):
    for name, key, lane, value in sorted(CacheFiles(pile).shown()):
        print(f"entry {json.dumps(name)} {key.hex()} {NAMES[lane]} {value.hex()}".rstrip())


if __name__ == "__main__":
    run(tell)
