"""Reads a pile's directory without Pile, by docs/FORMAT.md alone: checks every checksum, takes what counts from the log, and lists it.
  python3 pile_files.py DIRECTORY
Prints a line for each schema, root and object; what is wrong goes to the error output, and the exit code is 1. The directory must not be
open for writing. After a kill or a power cut it shows what the log says, and says where less of it is there than was proven to be.
"""
import fcntl
import json
import mmap
import os
import struct
import sys
from collections import namedtuple

ROW = 64 << 20  # bytes of flat space in a row
PAGE = 4096
PREFIX = 4 * PAGE  # what stands in an extent file before its data
PAGE_SLOTS = 4096
SEGMENT_HEADER, RECORD_HEADER = 32, 24
BYTES, NARROW, WIDE, VALUE, SPAN, TYPED, LARGE, TOMBSTONE, FRAME, MARKER, FILLER, SCHEMA, ROOT, CACHE, EXTENDED = range(1, 16)
NAMES = "invalid bytes narrow wide value span typed large tombstone frame marker filler schema root cache extended".split()
ABSENT, OPEN, SEALED, RETIRED, QUARANTINED, CUT, RETIRED_CUT = range(7)

Record = namedtuple("Record", "location sequence slot code version generation payload start")
Segment = namedtuple("Segment", "location size sequence state end")
Object = namedtuple("Object", "pointer code payload")


class Damage(Exception):
    pass


def crc_table():
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        yield value


CRC_TABLE = tuple(crc_table())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def crc_of(*words):
    return crc32c(struct.pack(f"<{len(words)}Q", *words))


def bits(word, low, count):
    return word >> low & (1 << count) - 1


def take(data, offset, layout):
    return struct.unpack_from("<" + layout, data, offset)


def check_header(data, magic, what, identity=None, knows=0):
    """What the headers of all files share; data ends behind the header, and knows are its incompatible features that the reader knows."""
    if bytes(data[:8]) != magic:
        raise Damage(f"{what} begins with {bytes(data[:8])}, not {magic}")
    if crc32c(data[:-4]) != take(data, len(data) - 4, "I")[0]:
        raise Damage(f"{what}: its checksum is another one")
    version, zero, compatible, read_only, incompatible, its = take(data, 8, "IIQQQQ")
    if version > 1 or incompatible & ~knows:
        raise Damage(f"{what}: version {version}, features {incompatible:x}, which this reader does not know")
    if identity is not None and its != identity:
        raise Damage(f"{what}: of another pile")
    return its


class Meta:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        slots = []
        for offset in (0, PAGE):
            slot = data[offset:offset + PAGE]
            try:
                slots.append((take(slot, 56, "Q")[0], check_header(slot, b"PILEMETA", path), slot))
            except (Damage, struct.error):
                pass  # the other one holds
        if not slots or len({identity for _, identity, _ in slots}) > 1:
            raise Damage(f"{path}: no slot is whole, or they are of two piles")
        self.sequence, self.identity, slot = max(slots)
        self.promise, self.tag, self.clean, self.trusted, self.recoveries = take(slot, 64, "BBBBI")
        self.rows, self.segment_min, self.segment_max, self.batch_max = take(slot, 96, "4I")
        self.sequences_end, self.flushes_end, self.proven, self.table, self.floors, self.first_counting = take(slot, 112, "QQQIIQ")
        self.failed_above, self.accepted, self.slots_max, self.checkpoint, uncut = take(slot, 152, "qIIII")
        self.uncut = min(uncut, self.recoveries)
        with open("/proc/sys/kernel/random/boot_id") as file:
            is_other_boot = slot[72:80].hex() != file.read().strip().replace("-", "")[:16]  # behind them: which mount
        self.is_cut = self.failed_above != -1 or not self.clean and is_other_boot


class PileFiles:
    def __init__(self, directory):
        self.directory, self.problems = directory, []
        self.meta = Meta(os.path.join(directory, "pile.meta"))
        self.identity = self.meta.identity
        self.extents = {}
        row = 1
        while row < self.meta.rows:
            row += self.open_extent(row)
        self.segments = list(self.read_segments())
        self.cuts, self.runs = {}, {}
        found = list(self.problems)
        while True:
            self.current, self.copies, self.markers, self.entries, self.ends = {}, {}, [], {}, {}
            for segment in self.segments:
                self.walk(segment, ROW)  # for markers, wherever they stand
            self.problems = list(found)
            self.current, self.copies, self.entries, self.ends = {}, {}, {}, {}
            for segment in self.segments:
                self.walk(segment, self.whole_bytes(segment))
            if not self.cut_before_lost_runs():
                break
            self.problems = list(found)
        self.check_proven()
        self.check_side_files()

    def problem(self, text):
        self.problems.append(text)

    def open_extent(self, row):
        path = os.path.join(self.directory, "extents", f"{row:08}")
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        header = None
        for offset in (0, PREFIX - PAGE):
            try:
                check_header(data[offset:offset + PAGE], b"PILEEXTN", f"{path} at {offset}", self.identity)
                header = header or take(data, offset + 48, "4I")
            except Damage as damage:
                self.problem(str(damage))
        if header is None or header[0] != row or len(data) < PREFIX + header[1] * ROW:
            raise Damage(f"{path}: no header, another row's, or the file is too short")
        _, rows, kind, segment_bytes = header
        for each in range(row, row + rows):
            self.extents[each] = (data, row, kind, segment_bytes)
        return rows

    def bytes_at(self, location, count):
        data, first, _, _ = self.extents.get(location >> 23, (b"", 0, 0, 0))
        offset = PREFIX + (location << 3) - first * ROW
        found = data[offset:offset + count]
        if len(found) < count:
            raise Damage(f"location {location:x}: {count} bytes lie in no extent")
        return found

    def read_segments(self):
        for row, (data, first, kind, size) in sorted(self.extents.items()):
            for index in range(ROW // size if kind == 1 else 0):
                location = (row << 23) + index * (size >> 3)
                word, = take(data, PAGE + 8 * index, "Q")
                if word == 0:
                    continue  # whatever its header says
                sequence, state = bits(word, 0, 40), bits(word, 40, 4)
                if crc_of(bits(word, 0, 44), self.identity, location) >> 12 != bits(word, 44, 20):
                    sequence, state = 0, ABSENT
                    self.problem(f"segment {location:x}: its row is damaged")
                magic, header_sequence, header_location, crc, cut = take(self.bytes_at(location, SEGMENT_HEADER), 0, "QQQII")
                if header_location != location or crc_of(magic, header_sequence, self.identity, location, cut) != crc:
                    header_sequence, cut = 0, 0
                    self.problem(f"segment {location:x}: its header is damaged")
                if state == RETIRED_CUT:
                    state = RETIRED  # where it was cut its header says, while it has one
                if header_sequence > sequence:
                    state = OPEN
                sequence, cut = max(sequence, header_sequence), cut if header_sequence >= sequence else 0
                if sequence >= max(1, self.meta.first_counting):
                    yield Segment(location, size, sequence, state, cut or size)

    def whole_bytes(self, segment):
        """Below these a record that is none is damage: what is proven, and, unless the power was cut, all that was written."""
        is_written = segment.state in (SEALED, QUARANTINED, CUT) and not self.meta.is_cut
        return segment.end if is_written else 0 if segment.state == RETIRED else self.proven(segment.sequence)

    def walk(self, segment, whole):
        """Takes the records of a segment: up to the first that is none, or, below a length, also what comes behind that."""
        records, frame_start, frame_end, offset, bad = [], 0, 0, SEGMENT_HEADER, None
        log_end = self.cuts.get(segment.sequence, segment.end)
        data = self.bytes_at(segment.location, log_end)
        while offset + RECORD_HEADER <= log_end:
            word0, word1, sum_and_check = take(data, offset, "3Q")
            location, code, count, sum = segment.location + (offset >> 3), bits(word0, 32, 4), bits(word0, 36, 28), bits(sum_and_check, 0, 32)
            payload = data[offset + RECORD_HEADER:offset + RECORD_HEADER + count]
            is_header = (code != 0 and len(payload) == count and not (code == FRAME and offset < frame_end)
                         and crc_of(self.identity, segment.sequence, word0, word1, sum, location) == bits(sum_and_check, 32, 32))
            is_whole = is_header and (code == FILLER or payload_sum(code, payload) == sum)
            if not is_whole:
                if offset >= whole:
                    break
                if bad is None or is_header:
                    self.problem(f"segment {segment.location:x}: damaged at byte {offset}")
                bad = offset
            if not is_header:
                offset += 8
                continue
            bad = None
            records.append(Record(location, segment.sequence, bits(word0, 0, 32), code, bits(word1, 0, 40), bits(word1, 40, 24),
                                  payload if is_whole else None, frame_start if offset < frame_end else offset))
            end = offset + RECORD_HEADER + (count + 7 & ~7)
            if code == FRAME:
                frame_start, frame_end, end = offset, end, offset + RECORD_HEADER  # its members are records
            offset = end
        is_full = offset + RECORD_HEADER > log_end
        self.ends[segment.sequence] = log_end if is_full else offset
        if segment.state != RETIRED or is_full:  # else it was being written over: all that lived stands elsewhere
            for record in records:
                self.add(record)

    def add(self, record):
        if record.code == MARKER:
            if record.payload is None:
                return
            flush, count = take(record.payload, 0, "QI")
            self.markers.append((flush, [take(record.payload, 16 + 12 * index, "QI") for index in range(count)]))
        elif record.code == CACHE:
            self.entries[record.location] = record  # of a speculative table: which of them count only its index knows
        elif record.slot:
            before = self.current.get(record.slot)
            if before is not None and age(record) == age(before):
                self.copies.setdefault(record.slot, []).extend((before, record))
            if before is None or order(record) > order(before):
                self.current[record.slot] = record

    def cut_before_lost_runs(self):
        """After a power cut a descriptor may be there and its pages not: the log of its segment ends before it. Whether one does that did not before."""
        lost = {}
        for record in self.current.values() if self.meta.is_cut else ():
            if record.code == LARGE and record.payload is not None and record.start >= self.proven(record.sequence):
                try:
                    self.run_of(record.payload)
                except Damage:
                    lost[record.sequence] = min(record.start, lost.get(record.sequence, record.start))
        self.cuts.update(lost)
        return bool(lost)

    def run_of(self, descriptor):
        """Code and payload of a large object, from its own pages."""
        if descriptor not in self.runs:
            location, count, code, sum = take(descriptor, 0, "QIII")
            payload = self.bytes_at(location, count)
            self.runs[descriptor] = code, payload if payload_sum(code, payload) == sum else None
        code, payload = self.runs[descriptor]
        if payload is None:
            raise Damage("its pages are not what was written")
        return code, payload

    def proven(self, sequence):
        """Bytes of a segment that the newest marker proves: of one that it does not list, and that is older, all."""
        if not self.markers:
            return 0
        _, items = max(self.markers)
        return dict(items[:-1]).get(sequence, ROW if sequence <= items[-1][0] else 0)

    def check_proven(self):
        """What the newest marker says was written must be there."""
        for segment in self.segments:
            if segment.state in (RETIRED, QUARANTINED):
                continue
            proven = self.proven(segment.sequence)
            if self.ends[segment.sequence] < min(proven, segment.end):
                self.problem(f"segment {segment.location:x}: {self.ends[segment.sequence]} bytes are there, {proven} were flushed")

    def check_side_files(self):
        for name, number, check in (("table", self.meta.table, self.check_table), ("checkpoint", self.meta.checkpoint, self.check_checkpoint), ("floors", self.meta.floors, self.check_floors)):
            path = os.path.join(self.directory, f"{name}.{number}")
            if number == 0 or (name == "table" and not self.meta.clean):
                continue  # after a kill only the system that ran then can tell what a table is worth
            try:
                with open(path, "rb") as file:
                    check(path, number, file.read())
            except (OSError, struct.error, Damage) as failure:
                self.problem(f"{path}: {failure}")

    def check_table(self, path, number, data):
        check_header(data[:2048], b"PILETABL", path, self.identity)
        high_water, = take(data, 2048, "Q")
        with open(os.path.join(self.directory, f"sums.{number}"), "rb") as file:
            sums = file.read()
        check_header(sums, b"PILESUMS", f"sums.{number}", self.identity)
        its, its_high_water, header_sum, pages = take(sums, 48, "4I")
        if take(data, 48, "I")[0] != number or (its, its_high_water, header_sum) != (number, high_water, crc32c(data[2048:PAGE])):
            raise Damage("its checksums are those of another one")
        self.check_pages(data[PAGE:PAGE + 8 * high_water], take(sums, 64, f"{pages}I"))
        for slot in range(1, high_water):
            entry, = take(data, PAGE + 8 * slot, "Q")
            self.check_entry(slot, bits(entry, 0, 39), bits(entry, 39, 1), bits(entry, 40, 24))

    def check_entry(self, slot, location, live, generation):
        record = self.at(slot, location)
        if record is None:
            good = live == 0 and location == 0
        elif record.code in (SCHEMA, ROOT):
            good = live == 0 and generation == 0
        elif record.code == TOMBSTONE:
            good = live == 0 and generation >= record.generation
        else:
            good = live == 1 and generation == record.generation
        if not good or (record is not None and location != record.location and location != 0):
            self.problem(f"slot {slot}: its entry and the log disagree")
        elif record is not None:
            self.current[slot] = record  # the copy in use is the one in which an entry's last use is noted

    def at(self, slot, location):
        """The current record of a slot; of its copies, the whole one at a location, if one stands there."""
        record = self.current.get(slot)
        same = (copy for copy in self.copies.get(slot, ()) if copy.location == location and is_copy(copy, record))
        return next(same, record)

    def check_checkpoint(self, path, number, data):
        check_header(data[:PAGE], b"PILECKPT", path, self.identity)
        its, high_water, flush, opens, segments, known, sum = take(data, 48, "IIQIIII")
        lists = PAGE + 16 * opens + 8 * segments
        pages = -(-high_water // PAGE_SLOTS)
        entries = -(-(lists + 4 * pages) // PAGE) * PAGE
        if its != number or crc32c(data[PAGE:entries]) != sum:
            raise Damage("its lists are damaged")
        self.check_pages(data[entries:entries + 8 * high_water], take(data, lists, f"{pages}I"))

    def check_pages(self, entries, sums):
        pages = [entries[at:at + 8 * PAGE_SLOTS] for at in range(0, len(entries), 8 * PAGE_SLOTS)]
        if [crc32c(page) for page in pages] != list(sums):
            raise Damage("a page of entries is damaged")

    def check_floors(self, path, number, data):
        for half in (data[:len(data) // 2], data[len(data) // 2:]):
            check_header(half[:64 + 4 * take(half, 56, "I")[0]], b"PILEFLOR", path, self.identity)

    def schemas(self):
        return sorted((record.slot, record.payload) for record in self.current.values() if record.code == SCHEMA and record.payload is not None)

    def roots(self):
        found = {}
        for record in sorted(record for record in self.current.values() if record.code == ROOT and record.payload is not None):
            name = record.payload[8:].decode()
            if name not in found or record.sequence >= found[name].sequence:
                found[name] = record
        return {name: take(record.payload, 0, "Q")[0] for name, record in found.items()}

    def objects(self):
        """The live objects of the program: those of a cache are its own."""
        return (item for item in self.slots() if item.code != EXTENDED or item.payload[:1] not in (b"\x02", b"\x03", b"\x04"))

    def slots(self):
        """All live objects, in the order of their slots; a large one's payload is read from its own pages."""
        for slot, record in sorted(self.current.items()):
            if record.code in (TOMBSTONE, SCHEMA, ROOT):
                continue
            pointer, code, payload = slot | self.meta.tag << 32 | record.generation << 40, record.code, record.payload
            try:
                if payload is None:
                    raise Damage("its record is damaged")
                if code == LARGE:
                    code, payload = self.run_of(payload)
                yield Object(pointer, code, payload)
            except Damage as damage:
                self.problem(f"{pointer_text(pointer)}: {damage}")


def age(record):
    """What makes one of two records of a slot the current one. Equal ones are copies, made by the cleaner."""
    return record.generation, record.code == TOMBSTONE, record.version


def order(record):
    """Of copies a whole one counts, of those the one at the first place, unless the table says which is in use."""
    return *age(record), record.payload is not None, -record.location


def is_copy(record, other):
    """Whether two records are the same but for where they stand."""
    return age(record) == age(other) and record.code == other.code and None not in (record.payload, other.payload) and (
        without_touch(record.code, record.payload) == without_touch(other.code, other.payload))


def payload_sum(code, payload):
    """The checksum of a payload: of an entry of a cache that slides, also within a frame, with zeros for the time of its last use."""
    if code == FRAME:
        return crc32c(b"".join(members(payload)))
    return crc32c(without_touch(code, payload))


def members(payload):
    """The records of a frame, headers and padding too, with zeros for what is changed in place."""
    offset = 0
    while len(payload) - offset >= RECORD_HEADER:
        word, = take(payload, offset, "Q")
        begin, count = offset + RECORD_HEADER, bits(word, 36, 28)
        if count > len(payload) - begin:
            break
        end = begin + (count + 7 & ~7)
        yield payload[offset:begin] + without_touch(bits(word, 32, 4), payload[begin:begin + count]) + payload[begin + count:end]
        offset = end
    yield payload[offset:]


def without_touch(code, payload):
    """A payload with zeros for the time of an entry's last use, if it has one."""
    head = 0 if code == CACHE else 8 if code == EXTENDED and payload[:1] == b"\x02" else -1
    if 0 <= head <= len(payload) - 16:
        word, = take(payload, head, "Q")
        touched = head + 16 + 8 * bits(word, 44, 1) + 8
        if bits(word, 45, 1) and len(payload) >= touched + 8:
            payload = payload[:touched] + bytes(8) + payload[touched + 8:]
    return payload


def pointer_text(pointer):
    return f"{bits(pointer, 0, 32)}.{bits(pointer, 40, 24)}@{bits(pointer, 32, 8)}"


def hold(directory):
    """The file that keeps writers out for as long as it is open."""
    if not os.path.exists(os.path.join(directory, "pile.meta")):
        is_there = "it has no pile.meta" if os.path.isdir(directory) else "there is no such directory"
        raise Damage(f"'{directory}' is no pile: {is_there}. Give the directory that a program opened as one.")
    try:
        lock = open(os.path.join(directory, "lock"), "rb")
    except FileNotFoundError:
        raise Damage(f"'{directory}' has no file 'lock', which says whether a process has it open. If none has, make an empty one.") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        process = int.from_bytes(lock.read(8), "little")
        raise Damage(f"'{directory}' is open in {f'process {process}' if process else 'a process'}. Close it there, or read a copy that the process makes.") from None
    return lock


def run(tell):
    """Reads the directory that the command line names, and tells what is wrong with it."""
    said = sys.modules["__main__"].__doc__
    if any(word in ("-h", "--help") for word in sys.argv[1:]):
        print(said.strip())
        return
    if len(sys.argv) != 2:
        sys.exit(f"{len(sys.argv) - 1} arguments, and there is one: python3 {sys.argv[0]} DIRECTORY")
    try:
        with hold(sys.argv[1]):
            pile = PileFiles(sys.argv[1])
            tell(pile)
        for text in pile.problems:
            print(text, file=sys.stderr)
        sys.exit(1 if pile.problems else 0)
    except (Damage, OSError) as failure:
        sys.exit(str(failure))


def tell(pile):
    print(f"pile {pile.identity:016x} tag {pile.meta.tag} promise {pile.meta.promise} clean {pile.meta.clean}")
    for slot, payload in pile.schemas():
        print(f"schema {slot} {payload.hex()}")
    for name, pointer in sorted(pile.roots().items()):
        print(f"root {json.dumps(name)} {pointer_text(pointer)}")
    for pointer, code, payload in pile.objects():
        print(f"object {pointer_text(pointer)} {NAMES[code]} {payload.hex()}".rstrip())
    if pile.entries:
        print(f"entries {len(pile.entries)}")


if __name__ == "__main__":
    run(tell)
