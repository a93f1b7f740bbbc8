"""Compressed files and archives, version 1, by the book.

A second implementation of spec/archive.md, to be read beside it, section by section: frames and their seek table, members,
the index, and what a reader checks. It shares no code with the Rust core. `reference.py` calls it with stored content that is
authentic already. Members are parsed here and not by Python's tarfile, which `generate_archive.py check` compares with it.
"""

import hashlib
import re
from collections import namedtuple
from dataclasses import dataclass, field
from os.path import commonprefix

import zstandard


class Malformed(Exception):
    """A verdict about content, with the fields of reference.FormatError."""

    def __init__(self, code, section):
        super().__init__(f"{code} ({section})")
        self.code, self.section, self.chunk = code, f"archive {section}", None


def compression(section):
    return Malformed("malformed_compression", section)


def archive(section):
    return Malformed("malformed_archive", section)


# Section 0: varints.


def to_varint(number):
    out = b""
    while number >= 0x80:
        out, number = out + bytes([number & 0x7F | 0x80]), number >> 7
    return out + bytes([number])


def from_varint(take):
    """`take` gives as many bytes as it is asked for."""
    number = shift = 0
    while True:
        byte = take(1)[0]
        number |= (byte & 0x7F) << shift
        shift += 7
        if number >> 64 or shift > 70:
            raise archive("0")
        if byte < 0x80:
            break
    if byte == 0 and shift > 7:
        raise archive("0")
    return number


# Section 2.1: frames.

FRAME, SEEK_TABLE = bytes.fromhex("28b52ffd"), bytes.fromhex("5e2a4d18")
MAX_FRAME_CONTENT = MAX_WINDOW = 2**23
MAX_FRAMES = 2**27
MAX_CONTENT = 2**52 - 1
MAX_BLOCK = 2**17


class Pieces:
    """Bytes from an iterator, which is asked only for what is needed; `read` gives fewer than asked for at the end."""

    def __init__(self, pieces):
        self.pieces, self.buffer = iter(pieces), b""

    def read(self, n):
        while len(self.buffer) < n and (piece := next(self.pieces, None)) is not None:
            self.buffer += piece
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def take(self, n):
        taken = self.read(n)
        if len(taken) < n:
            raise compression("2.1")
        return taken


def read_frame(source):
    """The content of a frame whose magic was read, and the number of bytes of the whole frame."""
    frame = bytearray(FRAME)

    def take(n):
        taken = source.take(n)
        frame.extend(taken)
        return taken

    # RFC 8878, 3.1.1.1: the header. Bit 4 is unused, and not looked at.
    [descriptor] = take(1)
    single_segment, reserved, checksum, dictionary = (descriptor >> 5 & 1, descriptor & 8, descriptor & 4, descriptor & 3)
    if reserved or dictionary:
        raise compression("2.1")
    if not single_segment:
        [window] = take(1)
        window_base = 1 << (10 + (window >> 3))
        window_size = window_base + window_base // 8 * (window & 7)
    size_length = (single_segment, 2, 4, 8)[descriptor >> 6]
    if size_length == 0:
        raise compression("2.1")
    content_size = int.from_bytes(take(size_length), "little") + (256 if size_length == 2 else 0)
    if single_segment:
        window_size = content_size
    if not 1 <= content_size <= MAX_FRAME_CONTENT or window_size > MAX_WINDOW:
        raise compression("2.1")

    # RFC 8878, 3.1.1.2: blocks. 0 is raw, 1 RLE, 2 compressed, 3 reserved.
    last = False
    while not last:
        header = int.from_bytes(take(3), "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        if kind == 3 or size > min(window_size, MAX_BLOCK):
            raise compression("2.1")
        take(1 if kind == 1 else size)
    if checksum:
        take(4)
    try:
        content = zstandard.ZstdDecompressor().decompress(bytes(frame), max_output_size=content_size)
    except zstandard.ZstdError:
        raise compression("2.1") from None
    if len(content) != content_size:
        raise compression("2.1")
    return content, len(frame)


# Section 2.2: the seek table.


def make_seek_table(entries):
    """Of pairs: bytes of a frame, bytes of its content."""
    numbers = b"".join(number.to_bytes(4, "little") for entry in entries for number in entry)
    footer = len(entries).to_bytes(4, "little") + b"\0" + bytes.fromhex("b1ea928f")
    return SEEK_TABLE + len(numbers + footer).to_bytes(4, "little") + numbers + footer


def parse_seek_table(length, read):
    """The entries, for a reader that can seek in `length` bytes of stored content."""
    if length < len(make_seek_table([])):
        raise compression("2.2")
    count = int.from_bytes(read(length - 9, length - 5), "little")
    at = length - 17 - 8 * count
    if count > MAX_FRAMES or at < 0:
        raise compression("2.2")
    table = read(at, length)
    numbers = [int.from_bytes(table[i : i + 4], "little") for i in range(8, len(table) - 9, 4)]
    entries = list(zip(numbers[::2], numbers[1::2]))
    if make_seek_table(entries) != table or sum(numbers[::2]) != at or sum(numbers[1::2]) > MAX_CONTENT:
        raise compression("2.2")
    if any(not 1 <= size <= MAX_FRAME_CONTENT for size in numbers[1::2]):
        raise compression("2.1")
    return entries


# Section 2.3: reading.


def decompress(pieces):
    """The content frame by frame, each as soon as it is whole, from pieces of stored content that come in order."""
    source, entries = Pieces(pieces), []
    while (magic := source.read(4)) == FRAME:
        content, length = read_frame(source)
        entries.append((length, len(content)))
        yield content
    if magic != SEEK_TABLE or len(entries) > MAX_FRAMES:
        raise compression("2.1")
    # One table agrees with the frames.
    expected = make_seek_table(entries)[4:]
    if source.read(len(expected) + 1) != expected:
        raise compression("2.2")


class Frames:
    """The content for a reader that can seek in the stored content, whose last chunk it has opened."""

    def __init__(self, stored):
        self.stored, self.entries = stored, parse_seek_table(stored.length, stored.read)
        self.length = sum(size for _, size in self.entries)

    def open_last(self):
        self.stored.open_last()

    def read(self, start, stop):
        at = position = 0
        out = []
        for length, size in self.entries:
            if position < stop and position + size > start:
                source = Pieces([self.stored.read(at, at + length)])
                if source.read(4) != FRAME:
                    raise compression("2.1")
                content, whole = read_frame(source)
                if (whole, len(content)) != (length, size):
                    raise compression("2.3")
                out.append(content[max(start - position, 0) : stop - position])
            at, position = at + length, position + size
        return b"".join(out)


# Section 3.1: names and order.

MAX_PATH = MAX_LINK = 4096
MAX_COMPONENTS = 256
MAX_MEMBERS = 2**26


class Places:
    """The members so far, as far as the rules for the next one need them."""

    def __init__(self, is_list=False):
        self.count, self.last, self.folders, self.files = 0, None, set(), set()
        # Whether only the index is read, which shows no more of a linkname than its order.
        self.is_list = is_list

    def add(self, kind, path, link):
        components = path.split(b"/")
        if len(path) > MAX_PATH or len(components) > MAX_COMPONENTS or b"\0" in path:
            raise archive("3.1")
        if any(component in (b"", b".", b"..") for component in components):
            raise archive("3.1")
        # A path has no NUL, so `/` can sort as one.
        order = path.replace(b"/", b"\0")
        if self.last is not None and order <= self.last:
            raise archive("3.1")
        if len(components) > 1 and b"/".join(components[:-1]) not in self.folders:
            raise archive("3.1")
        self.count, self.last = self.count + 1, order
        if self.count > MAX_MEMBERS:
            raise archive("3.1")

        # Section 3.2, the table.
        if kind in ("file", "folder") and link:
            raise archive("3.2")
        if kind == "hard_link":
            parts = link.split(b"/")
            if b"\0" in link or any(part in (b"", b".", b"..") for part in parts) or link.replace(b"/", b"\0") >= order:
                raise archive("3.2")
            if link not in self.files and not self.is_list:
                raise archive("3.2")
        if kind == "symbolic_link" and (not 1 <= len(link) <= MAX_LINK or b"\0" in link):
            raise archive("3.2")
        if kind in ("file", "folder"):
            (self.files if kind == "file" else self.folders).add(path)


# Section 3.2: members.

BLOCK = 512
KINDS = {b"0": "file", b"1": "hard_link", b"2": "symbolic_link", b"5": "folder"}
MAX_RECORDS = 2**20
SPARSE = {b"GNU.sparse.major", b"GNU.sparse.minor", b"GNU.sparse.name", b"GNU.sparse.realsize"}
TAKEN = {b"hdrcharset", b"path", b"linkpath", b"size", b"mtime", b"uid", b"gid", b"uname", b"gname", *SPARSE}
XATTR = b"SCHILY.xattr."
FIELDS = {
    "name": 100, "mode": 8, "uid": 8, "gid": 8, "size": 12, "mtime": 12, "chksum": 8, "typeflag": 1, "linkname": 100,
    "magic": 8, "uname": 32, "gname": 32, "devmajor": 8, "devminor": 8, "prefix": 155,
}  # fmt: skip
NUMBERS = ("mode", "uid", "gid", "size", "mtime", "chksum", "devmajor", "devminor")

Entry = namedtuple("Entry", "kind path blocks size seconds nanoseconds mode link")


@dataclass
class Member:
    entry: Entry
    # Pairs of an offset in the file, and the bytes that are there; the rest of the file is a hole.
    regions: list
    owner: tuple = ()
    attributes: dict = field(default_factory=dict)

    def data(self):
        out = bytearray(self.entry.size)
        for offset, part in self.regions:
            out[offset : offset + len(part)] = part
        return bytes(out)


def padding(length):
    return -length % BLOCK


class Blocks:
    """Reads content from a block on."""

    def __init__(self, content, at):
        self.content, self.at = content, at

    def take(self, n):
        taken = self.content[self.at : self.at + n]
        self.at += n
        if len(taken) < n:
            raise archive("3.2")
        return taken

    def take_padded(self, n):
        taken = self.take(n)
        if any(self.take(padding(n))):
            raise archive("3.2")
        return taken

    def header(self):
        """The fields of a header block: numbers as such, the others as bytes, up to the first NUL where they are text."""
        block, at, fields = self.take(BLOCK), 0, {}
        for name, length in FIELDS.items():
            value, at = block[at : at + length], at + length
            if name in NUMBERS:
                number = re.fullmatch(rb"([0-7]+)[\0 ]+", value)
                if not number:
                    raise archive("3.2")
                value = int(number[1], 8)
            elif name not in ("typeflag", "magic"):
                value = value.partition(b"\0")[0]
            fields[name] = value
        if fields["magic"] != b"ustar\x0000" or fields["chksum"] != sum(block[:148] + b" " * 8 + block[156:]):
            raise archive("3.2")
        return fields


def parse_records(data):
    records, at = {}, 0
    while at < len(data):
        match = re.compile(rb"([1-9][0-9]{0,9}) ([^=]+)=").match(data, at)
        stop = at + int(match[1]) if match else 0
        if not match or not match.end() < stop <= len(data) or data[stop - 1] != 0x0A:
            raise archive("3.2")
        key, value, at = match[2], data[match.end() : stop - 1], stop
        if key in TAKEN or (key.startswith(XATTR) and key != XATTR):
            if key in records:
                raise archive("3.2")
            records[key] = value
        elif key.startswith(b"GNU.sparse."):
            records[key] = value
    return records


def decimal(text, section="3.2"):
    if not re.fullmatch(rb"0|[1-9][0-9]{0,19}", text) or int(text) >> 64:
        raise archive(section)
    return int(text)


def parse_time(text):
    """Seconds, and nanoseconds from there."""
    match = re.fullmatch(rb"(-?)((?:0|[1-9][0-9]{0,18}))(?:\.([0-9]{1,9}))?", text)
    if not match:
        raise archive("3.2")
    total = int(match[2]) * 10**9 + int((match[3] or b"").ljust(9, b"0"))
    seconds, nanoseconds = divmod(-total if match[1] else total, 10**9)
    if not -(2**63) <= seconds < 2**63:
        raise archive("3.2")
    return seconds, nanoseconds


def read_member(content, at):
    """The member whose first block is at this offset. Its place among the others is not judged here."""
    blocks, records = Blocks(content, at), {}
    header = blocks.header()
    if header["typeflag"] == b"x":
        if header["size"] > MAX_RECORDS:
            raise archive("3.2")
        records = parse_records(blocks.take_padded(header["size"]))
        header = blocks.header()
    kind = KINDS.get(header["typeflag"])
    if kind is None:
        raise archive("3.2")

    path = b"/".join(part for part in (header["prefix"], header["name"]) if part)
    path, link = records.get(b"path", path), records.get(b"linkpath", header["linkname"])
    size = decimal(records[b"size"]) if b"size" in records else header["size"]
    time = parse_time(records[b"mtime"]) if b"mtime" in records else (header["mtime"], 0)
    owner = tuple(decimal(records[key]) if key in records else header[key.decode()] for key in (b"uid", b"gid"))
    owner += tuple(records.get(key, header[key.decode()]) for key in (b"uname", b"gname"))
    if kind == "folder":
        path = path.removesuffix(b"/")
    if kind != "file" and size:
        raise archive("3.2")
    data = blocks.take_padded(size)
    regions = [(0, data)]
    if given := {key for key in records if key.startswith(b"GNU.sparse.")}:
        if given != SPARSE or kind != "file" or b"path" in records:
            raise archive("3.3")
        if (records[b"GNU.sparse.major"], records[b"GNU.sparse.minor"]) != (b"1", b"0"):
            raise archive("3.3")
        path, size = records[b"GNU.sparse.name"], decimal(records[b"GNU.sparse.realsize"], "3.3")
        regions = parse_sparse(data, size)
    entry = Entry(kind, path, (blocks.at - at) // BLOCK, size, *time, header["mode"] & 0o7777, link)
    return Member(entry, regions, owner, {key: value for key, value in records.items() if key.startswith(XATTR)})


# Section 3.3: sparse files.

MAX_MAP = 2**20


def parse_sparse(data, length):
    at = 0

    def number():
        nonlocal at
        stop = data.find(b"\n", at, min(at + 21, MAX_MAP))
        if stop < 0:
            raise archive("3.3")
        text, at = data[at:stop], stop + 1
        return decimal(text, "3.3")

    places, reached = [], 0
    for left in range(number(), 0, -1):
        offset, size = number(), number()
        at_end = left == 1 and size == 0 and reached < offset == length
        if not (size or at_end) or offset < reached or offset + size > length:
            raise archive("3.3")
        places.append((offset, size))
        reached = offset + size
    if any(data[at : at + padding(at)]):
        raise archive("3.3")
    at += padding(at)
    if at + sum(size for _, size in places) != len(data):
        raise archive("3.3")
    regions = []
    for offset, size in places:
        regions.append((offset, data[at : at + size]))
        at += size
    return regions


# Section 3.4: the index.

LOCATOR = 32
ENTRY_KINDS = {name: typeflag for typeflag, name in KINDS.items()}
END = bytes(2 * BLOCK)


def index_header(size):
    """As 3.2 has it for writers."""
    numbers = [b"0000600", b"0000000", b"0000000", b"%011o" % size, b"%011o" % 0]
    fields = [b".sealstone-index".ljust(100, b"\0"), *(number + b"\0" for number in numbers)]
    rest = b"0" + bytes(100) + b"ustar\x0000" + bytes(64) + b"0000000\0" * 2 + bytes(155 + 12)
    checksum = sum(b"".join([*fields, b" " * 8, rest]))
    return b"".join([*fields, b"%06o\0 " % checksum, rest])


def make_entry(entry, before):
    shared = len(commonprefix([before, entry.path]))
    rest = entry.path[shared:]
    seconds = 2 * entry.seconds if entry.seconds >= 0 else -2 * entry.seconds - 1
    out = ENTRY_KINDS[entry.kind] + to_varint(shared) + to_varint(len(rest)) + rest
    out += b"".join(map(to_varint, (entry.blocks, entry.size, seconds, entry.nanoseconds, entry.mode)))
    return out + (to_varint(len(entry.link)) + entry.link if entry.kind.endswith("link") else b"")


def make_index(entries, archive_length):
    paths = [b"", *(entry.path for entry in entries)]
    encoded = b"".join(map(make_entry, entries, paths))
    locator = b"SEALIDX\x01" + b"".join(n.to_bytes(8, "big") for n in (archive_length, len(encoded), len(entries)))
    zeros = bytes(padding(len(encoded) + LOCATOR))
    return index_header(len(encoded + zeros + locator)) + encoded + zeros + locator


def parse_entry(data, at, before):
    """An entry and the offset behind it."""

    def take(n):
        nonlocal at
        taken, at = data[at : at + n], at + n
        if len(taken) < n:
            raise archive("3.4")
        return taken

    kind = KINDS.get(take(1))
    shared = from_varint(take)
    rest = take(from_varint(take))
    blocks, size, seconds, nanoseconds, mode = (from_varint(take) for _ in range(5))
    if kind is None or shared > len(before):
        raise archive("3.4")
    path = before[:shared] + rest
    if shared != len(commonprefix([before, path])):
        raise archive("3.4")
    if blocks < 1 or (kind != "file" and size) or nanoseconds >= 10**9 or mode > 0o7777:
        raise archive("3.4")
    link = take(from_varint(take)) if kind.endswith("link") else b""
    seconds = -(seconds + 1) // 2 if seconds & 1 else seconds // 2
    return Entry(kind, path, blocks, size, seconds, nanoseconds, mode, link), at


# Section 4.1: in order. To verify is to read so.


def read_in_order(content):
    members, places, at = [], Places(), 0
    while content[at : at + BLOCK] != bytes(BLOCK):
        member = read_member(content, at)
        places.add(member.entry.kind, member.entry.path, member.entry.link)
        members.append(member)
        at += member.entry.blocks * BLOCK
    if content[at : at + len(END)] != END:
        raise archive("3")
    at += len(END)
    # One index agrees with the members, and it ends the content.
    if content[at:] != make_index([member.entry for member in members], at):
        raise archive("3.4")
    return members


# Section 4.2: by the index.


def read_index(length, read):
    """The entries, for a reader that can seek in `length` bytes of content."""
    if length < len(END) + 2 * BLOCK:
        raise archive("3.4")
    locator = read(length - LOCATOR, length)
    archive_length, entries_length, count = (int.from_bytes(locator[at : at + 8], "big") for at in (8, 16, 24))
    size = entries_length + LOCATOR + padding(entries_length + LOCATOR)
    if locator[:8] != b"SEALIDX\x01" or archive_length + BLOCK + size != length or count > MAX_MEMBERS:
        raise archive("3.4")
    data_at = archive_length + BLOCK
    if read(archive_length, data_at) != index_header(size):
        raise archive("3.4")
    if any(read(data_at + entries_length, length - LOCATOR)):
        raise archive("3.4")
    data = read(data_at, data_at + entries_length)
    entries, places, at, before = [], Places(is_list=True), 0, b""
    while at < len(data):
        entry, at = parse_entry(data, at, before)
        places.add(entry.kind, entry.path, entry.link)
        entries.append(entry)
        before = entry.path
    if len(entries) != count or sum(entry.blocks for entry in entries) * BLOCK + len(END) != archive_length:
        raise archive("3.4")
    return entries


def read_by_entry(entries, i, read):
    """The member of an entry, which must not differ from it."""
    at = sum(entry.blocks for entry in entries[:i]) * BLOCK
    member = read_member(read(at, at + entries[i].blocks * BLOCK), 0)
    if member.entry != entries[i]:
        raise archive("4.2")
    return member


# Section 4.3: extraction.


def leads_out(path, target):
    """Whether a symbolic link may lead out of the folder."""
    above, others = path.count(b"/"), False
    for part in target.split(b"/"):
        if part == b"..":
            above -= 1
            if others or above < 0:
                return True
        elif part not in (b"", b"."):
            others = True
    return target.startswith(b"/")


def check_extraction(entries):
    for entry in entries:
        if entry.kind == "symbolic_link" and leads_out(entry.path, entry.link):
            raise Malformed("unsafe_member", "4.3")


# Lines of vectors.

MAX_DATA = 2**20


def describe(members):
    """The values of `member` and `data`."""
    lines = []
    for member in members:
        e = member.entry
        words = [e.kind, f"{e.mode:04o}", f"{e.seconds}.{e.nanoseconds:09}", f"{e.size}", e.path.hex()]
        lines.append(("member", " ".join(words + ([e.link.hex()] if e.link else []))))
    for member in members:
        if member.entry.kind == "file" and 0 < member.entry.size <= MAX_DATA:
            lines.append(("data", f"{member.entry.path.hex()} {hashlib.sha256(member.data()).hexdigest()}"))
    return lines
