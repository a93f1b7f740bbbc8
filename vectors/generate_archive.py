"""The scenarios of compressed files and archives, for `generate.py`.

    python generate_archive.py check

Frames, seek tables, members and indexes are made here by hand, byte for byte, so that a scenario can take any part of them
wrong; the library compresses only two large ones. The check reads the good vectors with Python's tarfile, and
with tar, bsdtar and zstd where these are installed: they must find the same content, members and metadata.
"""

import functools
import hashlib
import io
import re
import shutil
import struct
import subprocess
import sys
import tarfile
from codecs import escape_decode
from dataclasses import dataclass, field
from pathlib import Path

import zstandard

from reference import Key, armour, open_content, parse_vector

CHUNK, SEALED_CHUNK = 16384, 16384 + 16
TEXT = b"the quick brown fox jumps over the lazy dog"
KEY = Key(b"archive".ljust(32, b"."))
SCENARIOS = {}


def vector(section, expect="success", chunk=None, each=None, archive=None, listed=None, extract=None):
    """Like that of `generate.py`. `archive`, `listed` and `extract` are the codes of the keys about an archive; `listed` and
    `extract` are there where they differ."""

    def register(scenario):
        for suffix, value in (each if isinstance(each, dict) else {v: v for v in each or [None]}).items():
            name = scenario.__name__ if each is None else f"{scenario.__name__}_{suffix}"
            assert name not in SCENARIOS, name

            @functools.wraps(scenario)
            def run(f, *values):
                f.archive, f.listed, f.extract = archive, listed, extract
                out = scenario(f, *values)
                # So that many vectors stay small. Those with a fault in the index are plain where they are small anyway.
                small = len(f.content or b"") <= (6144 if archive == "success" else 3072 if listed is None else 0)
                if archive in ("success", "malformed_archive") and not small and f.flags & 0x000C == 0x0008:
                    compress(f, (frame_of(f.content), f.content), archive=True)
                return out

            SCENARIOS[name] = (section, expect, chunk, run, [] if each is None else [value])
        return scenario

    return register


def malformed(section, each=None, listed=None):
    """An archive that breaks a rule: a reader that wants its bytes does not notice."""
    return vector(f"archive {section}", each=each, archive="malformed_archive", listed=listed)


def long(length):
    """Content whose every stretch is different."""
    return hashlib.shake_128(b"content").digest(length)


def flip(data, at, bit=0x01):
    at %= len(data)
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


# Frames, RFC 8878.


def block(kind, size, body, last=True):
    return (size << 3 | kind << 1 | last).to_bytes(3, "little") + body


def raw(data, last=True):
    return block(0, len(data), data, last)


def rle(byte, count, last=True):
    return block(1, count, byte, last)


def compressed_block(body, last=True):
    return block(2, len(body), body, last)


def frame(size, *blocks, size_bytes=None, window=None, dictionary=b"", checksum=b"", bits=0):
    """With a `window`, its descriptor; else a single segment. `bits` are set in the frame header descriptor."""
    if size_bytes is None:
        size_bytes = 1 if size < 256 and window is None else 2 if 256 <= size < 65792 else 4
    descriptor = {0: 0, 1: 0, 2: 1, 4: 2, 8: 3}[size_bytes] << 6 | (window is None) << 5 | bool(checksum) << 2
    descriptor |= {0: 0, 1: 1, 2: 2, 4: 3}[len(dictionary)] | bits
    header = bytes([descriptor]) + (b"" if window is None else bytes([window])) + dictionary
    header += (size - 256 if size_bytes == 2 else size).to_bytes(size_bytes, "little")
    return bytes.fromhex("28b52ffd") + header + b"".join(blocks) + checksum


def raw_frame(data, **options):
    blocks = [raw(data[at : at + 2**17], at + 2**17 >= len(data)) for at in range(0, len(data), 2**17)]
    return frame(len(data), *blocks, **options)


def rle_frame(byte, count, **options):
    parts = [min(2**17, count - at) for at in range(0, count, 2**17)]
    return frame(count, *(rle(byte, part, i == len(parts) - 1) for i, part in enumerate(parts)), **options)


def table(*entries, magic="5e2a4d18", length=None, count=None, descriptor=0, end="b1ea928f"):
    body = b"".join(struct.pack("<II", *entry) for entry in entries)
    footer = struct.pack("<IB", len(entries) if count is None else count, descriptor) + bytes.fromhex(end)
    length = len(body + footer) if length is None else length
    return bytes.fromhex(magic) + struct.pack("<I", length) + body + footer


def compress(f, *parts, table_of=None, bad=None, more=b"", archive=False):
    """A compressed file of pairs: frame, content. `bad` is the first frame that a reader refuses."""
    frames, contents = [frame for frame, _ in parts], [content for _, content in parts]
    entries = [(len(frame), len(content)) for frame, content in parts]
    f.version, f.flags = 2, 0x0004 | (0x0008 if archive else 0) | (0x0001 if f.context else 0)
    f.plaintext = b"".join(frames) + (table(*entries) if table_of is None else table_of(entries)) + more
    f.content = b"".join(contents)
    if f.expect != "success":
        f.released = b"" if f.range else b"".join(contents[:bad])


A = frame(16, rle(b"a", 16)), b"a" * 16
B = raw_frame(TEXT), TEXT
C = rle_frame(b"c", 300), b"c" * 300
ONE = raw_frame(b"1"), b"1"
# What `zstd -19` of 1.5.4 made of 520 bytes: Huffman's and FSE's codes.
ZSTD_CONTENT = b"".join(b"%d bottles of beer on the wall, %d bottles of beer. " % (n, n) for n in range(99, 89, -1))
ZSTD_FRAME = bytes.fromhex(
    "28b52ffd60080165020052030c11a0edb08a360e20f3bf815af8ad6cecffd6428c414829c69c83504a4ae9c301f39a5f27fffa7097bdf5"
    "e3b294cdae1a13a810e8b5fe6fd09b0310fe1d2ffe3e022c805d97431880a4"
)
CHECKSUM = bytes.fromhex("92a7a9c5")


# Version 2 of the header, section 1.4 of spec/format.md.


def version_2(f, flags):
    """A file with these flags, right as far as they go."""
    f.version = 2
    if flags & 0x0001:
        f.bind(b"context")
    if flags & 0x0008:
        build(f, file(b"a.txt", TEXT))
    if flags & 0x0004:
        content = f.content or TEXT
        compress(f, (raw_frame(content), content), archive=flags & 0x0008)
    f.flags = flags
    if f.expect != "success":
        f.released = b""


@vector("1.4", each={f"{flags:04x}": flags for flags in (0x0004, 0x0005)})
def header_version_2_flags(f, flags):
    "a compressed file"
    version_2(f, flags)


@vector("1.4", each={f"{flags:04x}": flags for flags in (0x0008, 0x0009, 0x000C, 0x000D)}, archive="success")
def header_version_2_archive_flags(f, flags):
    "an archive"
    version_2(f, flags)


@vector("1.4", "malformed_header", each={"0000": 0, "0001": 1})
def header_version_2_no_flag(f, flags):
    "version 2 without one of its own flags"
    version_2(f, flags)


SIGNED_FLAGS = (0x0002, 0x0003, 0x0006, 0x0007, 0x000A, 0x000B, 0x000E, 0x000F)


@vector("1.4", "unsupported_version", each={f"{flags:04x}": flags for flags in SIGNED_FLAGS})
def header_version_2_signed_flags(f, flags):
    "the flag of signed files, which is reserved"
    version_2(f, flags)


UNASSIGNED = [1 << bit for bit in range(4, 16)]


@vector("1.4", "unsupported_version", each={f"{flag:04x}": flag for flag in UNASSIGNED})
def header_version_2_unassigned_flag_alone(f, flags):
    "an unassigned flag and no other, which is judged first"
    version_2(f, flags)


@vector("1.4", "unsupported_version", each={f"{flag:04x}": flag for flag in UNASSIGNED})
def header_version_2_unassigned_flag_beside_compressed(f, flags):
    "an unassigned flag in a file that is compressed"
    version_2(f, flags | 0x0004)


@vector("1.4", "unsupported_version", each={"0011": 0x0011, "8009": 0x8009, "fff0": 0xFFF0, "ffff": 0xFFFF})
def header_version_2_unassigned_flags(f, flags):
    "unassigned flags beside others"
    version_2(f, flags)


@vector("1.4", each={f"{suite}": suite for suite in (2,)})
def header_version_2_suite(f, suite):
    "a compressed file of another suite"
    f.suite_id = suite
    compress(f, B)


@vector("1.4", archive="success")
def header_version_2_suite_3(f):
    "a compressed archive of suite 3"
    f.suite_id, f.to, f.identity = 3, [KEY], [KEY]
    version_2(f, 0x000C)


@vector("1.4", "header_not_authentic")
def header_version_2_mac_flipped(f):
    "one bit of the header MAC is flipped"
    version_2(f, 0x0004)
    f.seal()
    f.mac = flip(f.mac, 0)


@vector("8", "unsupported_suite")
def header_version_2_suite_before_flags(f):
    "wrong suite, and an unassigned flag"
    version_2(f, 0x0014)
    f.suite_id = 9


@vector("8", "unsupported_suite")
def header_version_2_suite_before_no_flag(f):
    "wrong suite, and no flag"
    version_2(f, 0)
    f.suite_id = 9


@vector("8", "unsupported_version", each=[12, 50])
def header_version_2_unassigned_flag_before_truncation(f, length):
    "an unassigned flag, and the header is not wholly there"
    version_2(f, 0x0014)
    return f.bytes()[:length]


@vector("8", "malformed_header", each=[12, 50])
def header_version_2_no_flag_before_truncation(f, length):
    "no flag, and the header is not wholly there"
    version_2(f, 0)
    return f.bytes()[:length]


@vector("8", "truncated", each=[9, 10, 12])
def header_version_2_cut_at(f, length):
    "only the first bytes of a good file"
    version_2(f, 0x0004)
    return f.bytes()[:length]


@vector("8", "truncated")
def header_version_2_cut_within_unassigned_flag(f):
    "11 bytes; one byte of the flags is not yet the flags"
    version_2(f, 0x8004)
    return f.bytes()[:11]


@vector("8", "unsupported_version")
def header_version_2_unassigned_flag_before_area_length(f):
    "an unassigned flag, and an empty stanza area"
    version_2(f, 0x0014)
    f.to = []


@vector("8", "unsupported_version")
def header_version_2_unassigned_flag_before_context(f):
    "an unassigned flag, and a context that the file is not bound to"
    version_2(f, 0x0014)
    f.given_context = b"context"


@vector("6", "context_required")
def header_version_2_context_required(f):
    "the file has a context and the reader gives none"
    version_2(f, 0x0005)
    f.given_context = None


@vector("6", "context_not_bound")
def header_version_2_context_not_bound(f):
    "the reader gives a context and the file has none"
    version_2(f, 0x0004)
    f.given_context = b"context"


@vector("4", "no_matching_identity")
def header_version_2_set_later(f):
    "a file of version 1 got version 2 and a flag later; stanzas are bound to the prefix"
    return f.bytes()[:8] + bytes.fromhex("02010008") + f.bytes()[12:]


@vector("4", "no_matching_identity")
def header_version_2_compressed_cleared(f):
    "a compressed archive lost the flag of compression; stanzas are bound to the prefix"
    version_2(f, 0x000C)
    return flip(f.bytes(), 11, 0x04)


@vector("4", "no_matching_identity")
def header_version_2_made_1(f):
    "a compressed file got version 1 without flags later; stanzas are bound to the prefix"
    version_2(f, 0x0004)
    return f.bytes()[:8] + bytes.fromhex("01010000") + f.bytes()[12:]


@vector("1.4", "malformed_header", each={"0004": 0x0004, "0008": 0x0008})
def header_version_1_with_flag(f, flags):
    "a flag of version 2 in version 1, and all else as in version 2"
    version_2(f, flags)
    f.version, f.archive = 1, None


# Compressed files that are right, spec/archive.md section 2.


@vector("archive 2.2")
def compressed_empty(f):
    "an empty file: no frames, and a table of none"
    compress(f)


@vector("archive 2.2")
def compressed_rle_block(f):
    "the example of the specification: one frame with one RLE block"
    compress(f, A)


@vector("archive 2.1")
def compressed_raw_block(f):
    "one frame with one raw block"
    compress(f, B)


def literals(data):
    """A compressed block's content: raw literals, and no sequences."""
    return (len(data) << 4 | 4).to_bytes(2, "little") + data + b"\0"


# Literals "abc", and one sequence: the modes of all three codes are RLE, the codes 3, 2 and 27, for 3 literals and 30 bytes from 3
# bytes before; then the offset's two bits.
REPEATED = b"\x18abc" + bytes.fromhex("01 54 03 02 1b 06")


@vector(
    "archive 2.1",
    each={"literals": (literals(TEXT), TEXT), "rle_literals": (b"\xa1z\0", b"z" * 20), "a_sequence": (REPEATED, b"abc" * 11)},
)
def compressed_block_of(f, body_and_content):
    "one frame with one compressed block, made by hand"
    body, content = body_and_content
    compress(f, (frame(len(content), compressed_block(body), window=0), content))


@vector("archive 2.1")
def compressed_by_zstd(f):
    "a frame that zstd made"
    compress(f, (ZSTD_FRAME, ZSTD_CONTENT))


@vector("archive 2.1")
def compressed_blocks_of_all_kinds(f):
    "one frame with raw, RLE and compressed blocks"
    content = TEXT + b"z" * 20 + b"a" * 100 + b"end"
    blocks = raw(TEXT, False), compressed_block(b"\xa1z\0", False), rle(b"a", 100, False), raw(b"end")
    compress(f, (frame(len(content), *blocks), content))


@vector(
    "archive 2.1",
    each={"last": [raw(TEXT, False), raw(b"")], "first": [raw(b"", False), raw(TEXT)], "rle": [raw(TEXT, False), rle(b"a", 0)]},
)
def compressed_empty_block(f, blocks):
    "a frame with a block that gives nothing"
    compress(f, (frame(len(TEXT), *blocks), TEXT))


@vector("archive 2.1", each=[1, 2, 4, 8])
def compressed_size_field_of(f, size_bytes):
    "Frame_Content_Size in {0} bytes"
    content = b"a" * (300 if size_bytes == 2 else 16)
    compress(f, (rle_frame(b"a", len(content), size_bytes=size_bytes), content))


@vector("archive 2.1", each={"256": 256, "65791": 65791, "65792": 65792})
def compressed_content_of(f, length):
    "a frame whose content has {0} bytes"
    compress(f, (rle_frame(b"a", length), b"a" * length))


@vector("archive 2.1")
def compressed_content_of_8_mib(f):
    "a frame with the most content that it may have"
    compress(f, (rle_frame(b"a", 2**23), b"a" * 2**23))


@vector("archive 2.1", each={"1_kib": 0x00, "8_mib": 0x68})
def compressed_window_of(f, window):
    "a frame with a window descriptor"
    compress(f, (frame(16, rle(b"a", 16), size_bytes=4, window=window), b"a" * 16))


@vector("archive 2.1")
def compressed_window_smaller_than_content(f):
    "a window of 1 KiB, and content of 3,000 bytes in blocks of at most 1 KiB"
    content = long(1024) + b"a" * 1024 + long(952)
    blocks = raw(long(1024), False), rle(b"a", 1024, False), raw(long(952))
    compress(f, (frame(3000, *blocks, window=0), content))


@vector("archive 2.1")
def compressed_checksum(f):
    "a frame with a Content_Checksum"
    compress(f, (raw_frame(TEXT, checksum=CHECKSUM), TEXT))


@vector("archive 2.1")
def compressed_unused_bit(f):
    "the unused bit of the frame header descriptor is set, which a reader ignores"
    compress(f, (raw_frame(TEXT, bits=0x10), TEXT))


@vector("archive 2.1")
def compressed_frames_unequal(f):
    "frames of unequal sizes"
    compress(f, ONE, C, B, A, ONE)


@vector("archive 2.2")
def compressed_frames_of_one_byte(f):
    "a hundred frames of one byte"
    compress(f, *[ONE] * 100)


@vector("archive 2.1")
def compressed_frames_over_chunks(f):
    "frames that cross the ends of chunks, and one that ends with a chunk"
    first = long(CHUNK - 9), long(17_000), b"c" * 300
    compress(f, *((raw_frame(part), part) for part in first))
    assert len(raw_frame(first[0])) == CHUNK + 1


@vector("archive 2.1")
def compressed_frame_ends_with_chunk(f):
    "a frame of as many bytes as a chunk"
    first = long(CHUNK - 10)
    assert len(raw_frame(first)) == CHUNK
    compress(f, (raw_frame(first), first), C)


def one_chunk(f):
    """Stored content of exactly one chunk, so that the last chunk is empty."""
    content = long(CHUNK - 10 - 25)
    compress(f, (raw_frame(content), content))
    assert len(f.plaintext) == CHUNK


@vector("archive 2.3")
def compressed_before_an_empty_chunk(f):
    "the seek table ends with a chunk, and the last chunk is empty"
    one_chunk(f)


@vector("archive 2.3", "not_authentic", chunk=1)
def compressed_before_a_flipped_empty_chunk(f):
    "the seek table ends with a chunk, and the last chunk, which is empty, is not authentic"
    one_chunk(f)
    f.released = f.content
    return flip(f.bytes(), -1)


def three_chunks(f):
    """Three frames: in chunk 0, in 0 and 1, in 1 and 2."""
    parts = long(10_000), b"b" + long(10_000), b"c" + long(14_000)
    compress(f, *((raw_frame(part), part) for part in parts))
    assert len(f.plaintext) // CHUNK == 2
    f.released = parts[0]


@vector("archive 2.3", "not_authentic", chunk=1)
def compressed_chunk_flipped(f):
    "a frame ends in a chunk that is not authentic"
    three_chunks(f)
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 0)


@vector("archive 2.3", "truncated")
def compressed_cut_behind_chunk(f):
    "the file ends with its second chunk"
    three_chunks(f)
    f.released += b"b" + long(10_000)
    return f.bytes()[: -len(f.chunks[2])]


@vector("archive 2")
def compressed_armoured(f):
    "a compressed file in armour"
    compress(f, B, A)
    return armour(f.bytes())


@vector("archive 2.2")
def compressed_symmetric_key(f):
    "a compressed file under a symmetric key"
    f.to = f.identity = [KEY]
    compress(f, A, C)


# Frames that break a rule. Two frames stand before the broken one, and are released.


def broken(each=None):
    return vector("archive 2.1", "malformed_compression", each=each)


def third(f, broken, content=TEXT, **options):
    compress(f, A, C, (broken, content), bad=2, **options)


@broken()
def compressed_nothing(f):
    "no stored content"
    compress(f, table_of=lambda entries: b"")


@broken()
def compressed_not_at_all(f):
    "the stored content is not compressed"
    f.version, f.flags, f.plaintext, f.released = 2, 0x0004, TEXT, b""


@broken({"1": 1, "3": 3})
def compressed_stored_bytes(f, length):
    "the stored content is only the first bytes of a frame's magic"
    f.version, f.flags, f.plaintext, f.released = 2, 0x0004, B[0][:length], b""


@broken(
    {
        "flipped": "29b52ffd",
        "of_version_0_7": "27b52ffd",
        "of_version_0_1": "1eb52ffd",
        "of_a_dictionary": "37a430ec",
        "of_gzip": "1f8b0800",
    }
)
def compressed_magic(f, magic):
    "a frame with another magic"
    third(f, bytes.fromhex(magic) + B[0][4:])


@broken()
def compressed_reserved_bit(f):
    "the reserved bit of the frame header descriptor is set"
    third(f, raw_frame(TEXT, bits=0x08))


@broken({"of_1_byte": b"\1", "of_2_bytes": b"\1\1", "of_4_bytes": b"\1\1\1\1", "of_value_0": b"\0"})
def compressed_dictionary(f, dictionary):
    "a frame with a Dictionary_ID"
    third(f, raw_frame(TEXT, dictionary=dictionary))


@broken()
def compressed_size_missing(f):
    "a frame without Frame_Content_Size"
    third(f, frame(0, raw(TEXT), size_bytes=0, window=0))


@broken({"single_segment": None, "window": 0})
def compressed_size_of_0(f, window):
    "a frame without content"
    third(f, frame(0, raw(b""), window=window), b"")


@broken()
def compressed_empty_file_in_a_frame(f):
    "an empty file as a frame without content, in a table of one frame"
    compress(f, (frame(0, raw(b"")), b""), bad=0)


@broken(
    {
        "raw_less": [raw(TEXT[:-1])],
        "raw_more": [raw(TEXT, False), raw(b"!")],
        "rle_less": [rle(b"a", 42)],
        "rle_more": [rle(b"a", 43, False), rle(b"a", 1)],
        "nothing": [raw(b"")],
    }
)
def compressed_size_wrong(f, blocks):
    "a frame that decompresses to another number of bytes than it says"
    third(f, frame(len(TEXT), *blocks))


@broken()
def compressed_size_wrong_by_2_pow_32(f):
    "Frame_Content_Size in 8 bytes, of which the low four are right"
    third(f, frame(2**32 + 16, rle(b"a", 16), size_bytes=8), b"a" * 16)


@broken({"single_segment": None, "window": 0x50})
def compressed_content_over_8_mib(f, window):
    "a frame with 8 MiB and a byte"
    third(f, rle_frame(b"a", 2**23 + 1, window=window), b"a" * (2**23 + 1))


@broken({"9_mib": 0x69, "16_mib": 0x70, "greatest": 0xFF})
def compressed_window_over_8_mib(f, window):
    "a frame with a small content and a window that is too large"
    third(f, frame(16, rle(b"a", 16), size_bytes=4, window=window), b"a" * 16)


@broken({"flipped": flip(CHECKSUM, 0), "zero": bytes(4)})
def compressed_checksum_wrong(f, checksum):
    "a frame with a wrong Content_Checksum"
    third(f, raw_frame(TEXT, checksum=checksum))


@broken()
def compressed_checksum_missing(f):
    "a frame without the Content_Checksum that its header announces"
    third(f, raw_frame(TEXT, checksum=CHECKSUM)[:-4])


@broken()
def compressed_checksum_not_announced(f):
    "a Content_Checksum that the frame's header does not announce"
    compress(f, A, C, (raw_frame(TEXT) + CHECKSUM, TEXT))


@broken()
def compressed_block_reserved(f):
    "a block of the reserved type"
    third(f, frame(len(TEXT), block(3, len(TEXT), TEXT)))


@broken({"raw": raw(long(1025)), "rle": rle(b"a", 1025), "compressed": compressed_block(literals(long(1025)))})
def compressed_block_over_maximum(f, first):
    "a block that is larger than the window, and so than Block_Maximum_Size"
    content = b"a" * 1025 if first[0] & 2 else long(1025)
    third(f, frame(1025, first, window=0), content)


@broken()
def compressed_block_over_128_kib(f):
    "an RLE block of 128 KiB and a byte"
    third(f, frame(2**17 + 1, rle(b"a", 2**17 + 1)), b"a" * (2**17 + 1))


@broken({"literals": b"\xff\xff" + TEXT, "offset": REPEATED[:7] + b"\5\x1b\x2f", "bits": REPEATED[:-1] + b"\0", "empty": b""})
def compressed_block_wrong(f, body):
    "a compressed block that nothing decompresses"
    third(f, frame(33, compressed_block(body)), b"abc" * 11)


@broken()
def compressed_block_not_the_last(f):
    "no block of the frame is its last, so that the next frame is taken for a block"
    compress(f, A, C, (frame(len(TEXT), raw(TEXT, False)), TEXT), ONE, bad=2)


@broken({"magic": 4, "header": 6, "block_header": 8, "block": 12})
def compressed_frame_cut_in(f, length):
    "the stored content ends in a frame"
    compress(f, A, C, table_of=lambda entries: B[0][:length])


@broken({"first": 0, "middle": 1, "last": 2})
def compressed_skippable_frame(f, place):
    "a skippable frame other than the seek table, and the table counts frames only"
    frames = [A[0], C[0]]
    frames.insert(place, bytes.fromhex("502a4d1804000000") + b"note")
    whole = b"".join(frames), A[1] + C[1]
    compress(f, whole, table_of=lambda entries: table((len(A[0]) + 12 * (place == 0), 16), (len(C[0]) + 12 * (place > 0), 300)))
    f.released = b"" if place == 0 else A[1] if place == 1 else A[1] + C[1]


@broken()
def compressed_skippable_frame_in_table(f):
    "a skippable frame other than the seek table, and the table has an entry for it"
    compress(f, A, (bytes.fromhex("502a4d1804000000") + b"note", b""), C, bad=1)


@broken({"text": b"text", "zeros": bytes(16), "one_byte": b"\x28"})
def compressed_bytes_behind_frames(f, more):
    "bytes between the last frame and the seek table, which counts them to the last frame"
    compress(f, A, C, table_of=lambda entries: more + table(entries[0], (entries[1][0] + len(more), 300)))


# Seek tables that break a rule: all frames are released.


def broken_table(each=None):
    return vector("archive 2.2", "malformed_compression", each=each)


@broken_table()
def compressed_table_missing(f):
    "no seek table"
    compress(f, A, C, table_of=lambda entries: b"")


@broken_table(
    {
        "magic": dict(magic="5d2a4d18"),
        "end_magic": dict(end="b1ea928e"),
        "length_less": dict(length=24),
        "length_more": dict(length=26),
        "length_of_entries": dict(length=16),
        "length_0": dict(length=0),
        "length_greatest": dict(length=2**32 - 1),
        "count_less": dict(count=1),
        "count_more": dict(count=3),
        "count_0": dict(count=0),
        "count_greatest": dict(count=2**32 - 1),
        "count_over_2_pow_27": dict(count=2**27 + 1),
        "checksum_flag": dict(descriptor=0x80),
        "reserved_bit": dict(descriptor=0x04),
        "unused_bit": dict(descriptor=0x01),
    }
)
def compressed_table_wrong(f, fault):
    "a seek table with one wrong field"
    compress(f, A, C, table_of=lambda entries: table(*entries, **fault))


@broken_table()
def compressed_table_with_checksums(f):
    "a seek table with checksums, which the seekable format allows"

    def table_of(entries):
        body = b"".join(struct.pack("<III", *entry, 0x12345678) for entry in entries)
        return (
            bytes.fromhex("5e2a4d18")
            + struct.pack("<I", len(body) + 9)
            + body
            + struct.pack("<IB", 2, 0x80)
            + bytes.fromhex("b1ea928f")
        )

    compress(f, A, C, table_of=table_of)


@broken_table(
    {
        "frame_less": (-1, 0, 0, 0),
        "frame_more": (1, 0, 0, 0),
        "content_less": (0, -1, 0, 0),
        "content_more": (0, 1, 0, 0),
        "last_frame_less": (0, 0, -1, 0),
        "last_frame_more": (0, 0, 1, 0),
        "last_content_less": (0, 0, 0, -1),
        "last_content_more": (0, 0, 0, 1),
        "frames_moved": (1, 0, -1, 0),
        "contents_moved": (0, 1, 0, -1),
        "content_0": (0, -16, 0, 16),
        "frame_0": (-10, 0, 10, 0),
    }
)
def compressed_table_entry(f, change):
    "a seek table with numbers that differ from the frames"
    a, b, c, d = change
    compress(f, A, C, table_of=lambda entries: table((entries[0][0] + a, 16 + b), (entries[1][0] + c, 300 + d)))


@broken_table()
def compressed_table_in_another_order(f):
    "a seek table whose entries are in another order"
    compress(f, A, C, table_of=lambda entries: table(*entries[::-1]))


@broken_table()
def compressed_table_in_big_endian(f):
    "a seek table whose numbers are big-endian"
    compress(
        f,
        A,
        C,
        table_of=lambda entries: bytes.fromhex("5e2a4d1800000019")
        + struct.pack(">IIIIIB", *entries[0], *entries[1], 2, 0)
        + bytes.fromhex("8f92eab1"),
    )


@broken_table({"first": 0, "last": 2})
def compressed_table_entry_of_nothing(f, place):
    "a seek table with one entry more, for a frame of no bytes"
    compress(f, A, C, table_of=lambda entries: table(*entries[:place], (0, 0), *entries[place:]))


@broken_table()
def compressed_table_entry_of_two_frames(f):
    "a seek table with one entry for two frames"
    compress(f, A, C, table_of=lambda entries: table((len(A[0] + C[0]), 316)))


@broken_table()
def compressed_table_two_entries_of_a_frame(f):
    "a seek table with two entries for one frame"
    compress(f, C, table_of=lambda entries: table((5, 150), (len(C[0]) - 5, 150)))


@broken_table({"first": slice(1, None), "last": slice(None, 1)})
def compressed_table_without_entry_of_the(f, kept):
    "a frame more than the seek table has"
    compress(f, A, C, table_of=lambda entries: table(*entries[kept]))


@broken_table()
def compressed_table_of_more_frames(f):
    "a seek table with one entry more, whose frame is missing"
    compress(f, A, C, table_of=lambda entries: table(*entries, (len(ONE[0]), 1)))


@broken_table()
def compressed_table_of_frames_for_nothing(f):
    "an empty file whose seek table has an entry"
    compress(f, table_of=lambda entries: table((len(ONE[0]), 1)))


@broken_table({"same": False, "of_both": True})
def compressed_table_twice(f, of_both):
    "two seek tables, the same, or with the first as a frame of the second"

    def table_of(entries):
        first = table(*entries)
        return first + (table(*entries, (len(first), 0)) if of_both else first)

    compress(f, A, C, table_of=table_of)


@broken_table()
def compressed_table_before_frames(f):
    "the seek table stands before the frames"
    compress(f, (table((len(A[0]), 16)) + A[0], A[1]), table_of=lambda entries: b"", bad=0)


@broken_table({"a_byte": b"\0", "a_block": bytes(512), "a_frame": ONE[0], "text": TEXT})
def compressed_behind_table(f, more):
    "bytes behind the seek table"
    compress(f, A, C, more=more)


@broken_table({"1": 1, "9": 9, "17": 17, "29": 29})
def compressed_table_cut_by(f, length):
    "the seek table ends too early, by {0} bytes"
    compress(f, A, C, table_of=lambda entries: table(*entries)[:-length])


@broken_table()
def compressed_table_over_frames_of_an_appended_file(f):
    "the stored contents of two compressed files, one behind the other"
    first = A[0] + table((len(A[0]), 16))
    compress(f, (first + C[0], A[1] + C[1]), table_of=lambda entries: table((len(C[0]), 300)))
    f.released = A[1]


# Ranges.

SMALL = [B, C, ONE, (rle_frame(b"d", 2000), b"d" * 2000), A]
SMALL_LENGTH = 43 + 300 + 1 + 2000 + 16


def ranges(*bounds):
    return {f"{start}_{stop}": (start, stop) for start, stop in bounds}


@vector(
    "archive 2.3",
    each=ranges(
        (0, 0),
        (0, 43),
        (10, 20),
        (42, 43),
        (43, 44),
        (40, 50),
        (0, 345),
        (343, 344),
        (42, 2345),
        (2359, 2360),
        (2344, 2360),
        (0, 2360),
        (2350, 9999),
        (2360, 2360),
        (2360, 2361),
        (100, 100),
    ),
)
def compressed_range(f, bounds):
    "a range of the content, in frames of 43, 300, 1, 2000 and 16 bytes"
    f.range = bounds
    compress(f, *SMALL)
    assert len(f.content) == SMALL_LENGTH


@vector("5.5", "range_out_of_bounds", each=ranges((2361, 2361), (2361, 2400), (2**40, 2**41), (20, 10)))
def compressed_range_out_of_bounds(f, bounds):
    "a range that begins past the end, or ends before it begins"
    f.range = bounds
    compress(f, *SMALL)


@vector("archive 2.3", each=ranges((0, 0), (0, 1), (5, 9)))
def compressed_range_of_8_mib(f, bounds):
    "a range of a frame with 8 MiB"
    f.range = bounds
    compress(f, (rle_frame(b"a", 2**23), b"a" * 2**23))


@vector("archive 2.3")
def compressed_range_of_nothing(f):
    "a range at the end of an empty file"
    f.range = 0, 10
    compress(f)


@vector("5.5", "range_out_of_bounds")
def compressed_range_past_nothing(f):
    "a range that begins past the end of an empty file"
    f.range = 1, 10
    compress(f)


@vector("archive 2.3", each=ranges((0, 10), (343, 344)))
def compressed_range_beside_a_broken_frame(f, bounds):
    "a range of a frame beside one that breaks a rule"
    f.range = bounds
    compress(f, B, (flip(C[0], 4, 0x08), C[1]), ONE)


@vector("archive 2.1", "malformed_compression")
def compressed_range_of_a_broken_frame(f):
    "a range of a frame that breaks a rule"
    f.range = 50, 60
    compress(f, B, (flip(C[0], 4, 0x08), C[1]), ONE)


@vector(
    "archive 2.3",
    "malformed_compression",
    each={
        "frame": (1, 0, -1, 0),
        "frame_less": (-1, 0, 1, 0),
        "frame_of_its_head": (-5, 0, 5, 0),
        "content": (0, 1, 0, -1),
        "content_less": (0, -1, 0, 1),
    },
)
def compressed_range_of_another_entry(f, change):
    "a range of a frame that differs from its entry, whose sums are right"
    f.range = 2, 5
    a, b, c, d = change
    compress(f, A, C, table_of=lambda entries: table((entries[0][0] + a, 16 + b), (entries[1][0] + c, 300 + d)))


@vector("archive 2.3", "malformed_compression")
def compressed_range_of_two_frames_in_an_entry(f):
    "a range of two frames that have one entry"
    f.range = 2, 5
    compress(f, A, C, table_of=lambda entries: table((len(A[0] + C[0]), 316)))


@vector(
    "archive 2.3",
    "malformed_compression",
    each={
        "frames": lambda e: table((e[0][0], 16), (e[1][0] + 1, 300)),
        "end_magic": lambda e: table(*e, end="b1ea928e"),
        "missing": lambda e: b"",
        "count": lambda e: table(*e, count=1),
    },
)
def compressed_range_with_a_broken_table(f, table_of):
    "a range of a frame that is right, and the seek table is not"
    f.range = 2, 5
    compress(f, A, C, table_of=table_of)


@vector("archive 2.3")
def compressed_range_beside_a_flipped_chunk(f):
    "a range of a frame in chunk 0, and chunk 1 of 3 is not authentic"
    three_chunks(f)
    f.range, f.released = (100, 200), None
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 0)


@vector("archive 2.3", "not_authentic", chunk=1)
def compressed_range_in_a_flipped_chunk(f):
    "a range of a frame that ends in chunk 1, which is not authentic"
    three_chunks(f)
    f.range, f.released = (10_000, 10_001), b""
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 0)


@vector("archive 2.3", "not_authentic", chunk=2)
def compressed_range_before_a_flipped_last_chunk(f):
    "a range of a frame in chunk 0, and the last chunk, with the end of the seek table, is not authentic"
    three_chunks(f)
    f.range, f.released = (100, 200), b""
    f.seal()
    f.chunks[2] = flip(f.chunks[2], 0)


@vector("archive 2.3", "not_authentic", chunk=1)
def compressed_range_before_a_flipped_empty_chunk(f):
    "the seek table ends with a chunk, and the last chunk, which is empty, is not authentic"
    one_chunk(f)
    f.range, f.released = (0, 10), b""
    return flip(f.bytes(), -1)


@vector("archive 2.3", each=ranges((9_999, 20_002)))
def compressed_range_over_chunks(f, bounds):
    "a range of frames that cross the ends of chunks"
    three_chunks(f)
    f.range, f.released = bounds, None


# Archives, section 3.

TIME = 1_767_323_045, 0  # 2026-01-02 03:04:05 UTC
TYPEFLAGS = {"file": b"0", "hard_link": b"1", "symbolic_link": b"2", "folder": b"5"}
FIELDS = {
    "name": 100,
    "mode": 8,
    "uid": 8,
    "gid": 8,
    "size": 12,
    "mtime": 12,
    "chksum": 8,
    "typeflag": 1,
    "linkname": 100,
    "magic": 8,
    "uname": 32,
    "gname": 32,
    "devmajor": 8,
    "devminor": 8,
    "prefix": 155,
    "rest": 12,
}
END = bytes(1024)


def varint(number):
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + varint(number >> 7)


def pad(data):
    return data + bytes(-len(data) % 512)


def record(key, value):
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest)
    while len(b"%d" % length) + len(rest) != length:
        length = len(b"%d" % length) + len(rest)
    return b"%d" % length + rest


def octal(number, length=8):
    if isinstance(number, bytes):
        return number
    digits = b"%o" % max(number, 0)
    return (digits if len(digits) < length else b"0").rjust(length - 1, b"0") + b"\0"


def header(name, mode, size, seconds, typeflag, link=b"", owner=(0, 0, b"", b""), **fields):
    """A header block. `fields` are the bytes of whole fields; the checksum is right unless it is among them."""
    values = dict(
        name=name[:100],
        mode=octal(mode),
        uid=octal(owner[0]),
        gid=octal(owner[1]),
        size=octal(size, 12),
        mtime=octal(seconds, 12),
    )
    values |= dict(chksum=b" " * 8, typeflag=typeflag, linkname=link[:100], magic=b"ustar\x0000", uname=owner[2], gname=owner[3])
    values |= dict(devmajor=octal(0), devminor=octal(0), prefix=b"", rest=b"") | fields

    def joined():
        return b"".join(values[name].ljust(length, b"\0") for name, length in FIELDS.items())

    if "chksum" not in fields:
        values["chksum"] = b"%06o\0 " % sum(joined())
    block = joined()
    assert len(block) == 512
    return block


def extended(records, **fields):
    """An extended header."""
    block = dict(name=b"././@PaxHeader", mode=0o644, size=len(records), seconds=0, typeflag=b"x") | fields
    return header(**block) + pad(records)


@dataclass
class Member:
    kind: str
    path: bytes
    data: bytes = b""
    mode: int = 0o644
    time: tuple = TIME
    link: bytes = b""
    owner: tuple = (0, 0, b"", b"")
    attributes: dict = field(default_factory=dict)
    # Of a sparse file: offsets and lengths, the file's length, and the map if it is another.
    regions: list | None = None
    length: int | None = None
    map: bytes | None = None
    # What differs from the rules: fields of the header block, records, the bytes before the header block and behind the member,
    # and fields of the entry, numbers or bytes.
    fields: dict = field(default_factory=dict)
    records: dict = field(default_factory=dict)
    before: bytes | None = None
    pad: bytes | None = None
    entry: dict = field(default_factory=dict)

    def all_records(self):
        slashed = self.path + b"/" * (self.kind == "folder")
        records = {}
        if self.regions is not None:
            sparse = {"major": b"1", "minor": b"0", "name": self.path, "realsize": b"%d" % self.length}
            records |= {b"GNU.sparse." + key.encode(): value for key, value in sparse.items()}
        elif len(slashed) > 100 or not slashed.isascii():
            records[b"path"] = slashed
        if len(self.link) > 100 or not self.link.isascii():
            records[b"linkpath"] = self.link
        seconds, nanoseconds = self.time
        if nanoseconds or not 0 <= seconds < 8**11:
            total = seconds * 10**9 + nanoseconds
            text = b"%d.%09d" % divmod(abs(total), 10**9)
            records[b"mtime"] = (b"-" if total < 0 else b"") + text.rstrip(b"0").rstrip(b".")
        records |= {key: b"%d" % self.owner[i] for i, key in enumerate((b"uid", b"gid")) if self.owner[i] >= 8**7}
        records |= {key: self.owner[2 + i] for i, key in enumerate((b"uname", b"gname")) if len(self.owner[2 + i]) > 31}
        order = [b"hdrcharset", b"path", b"linkpath", b"size", b"mtime", b"uid", b"gid", b"uname", b"gname"]
        order += [b"GNU.sparse." + key for key in (b"major", b"minor", b"name", b"realsize")]
        records |= {b"SCHILY.xattr." + key: value for key, value in self.attributes.items()}
        if any(not utf8(records.get(key, b"")) for key in (b"path", b"linkpath", b"GNU.sparse.name")):
            records[b"hdrcharset"] = b"BINARY"
        records |= self.records
        records = {key: value for key, value in records.items() if value is not None}
        return sorted(records.items(), key=lambda item: (order.index(item[0]) if item[0] in order else len(order), item[0]))

    def bytes(self):
        data = self.data
        if self.regions is not None:
            lines = [len(self.regions), *(number for region in self.regions for number in region)]
            data = (pad(b"".join(b"%d\n" % line for line in lines)) if self.map is None else self.map) + data
        name = self.path + b"/" * (self.kind == "folder")
        if self.regions is not None:
            name = b"GNUSparseFile.0/" + self.path.split(b"/")[-1]
        records = b"".join(record(*item) for item in self.all_records())
        before = (extended(records) if records else b"") if self.before is None else self.before
        name = self.fields.get("name", name)
        block = dict(
            name=name, mode=self.mode, size=len(data), seconds=self.time[0], typeflag=TYPEFLAGS[self.kind], link=self.link
        )
        seconds = self.time[0] if 0 <= self.time[0] < 8**11 else 0
        block = header(**block | {"owner": self.owner_fields(), "seconds": seconds} | self.fields)
        return before + block + (pad(data) if self.pad is None else data + self.pad)

    def owner_fields(self):
        uid, gid, uname, gname = self.owner
        return uid, gid, uname[:32], gname[:32]

    def size(self):
        return self.length if self.regions is not None else len(self.data)

    def encode(self, last, blocks):
        shared = next((i for i, (a, b) in enumerate(zip(last, self.path)) if a != b), min(len(last), len(self.path)))
        seconds = self.time[0]
        values = dict(kind=TYPEFLAGS[self.kind], shared=shared, length=None, rest=self.path[shared:], blocks=blocks)
        values |= dict(size=self.size() if self.kind == "file" else 0, seconds=2 * seconds if seconds >= 0 else -2 * seconds - 1)
        values |= dict(nanoseconds=self.time[1], mode=self.mode & 0o7777)
        if self.kind.endswith("link"):
            values |= dict(link_length=len(self.link), link=self.link)
        values |= self.entry
        if values["length"] is None:
            values["length"] = len(values["rest"])
        return b"".join(varint(value) if isinstance(value, int) else value for value in values.values())

    def content(self):
        if self.regions is None:
            return self.data
        out, at = bytearray(self.length), 0
        for offset, length in self.regions:
            out[offset : offset + length] = self.data[at : at + length]
            at += length
        return bytes(out)


def utf8(text):
    try:
        return text.decode() is not None
    except UnicodeDecodeError:
        return False


def file(path, data=b"", **rest):
    return Member("file", path, data, **rest)


def sparse(path, regions, length, data=None, **rest):
    data = long(sum(size for _, size in regions)) if data is None else data
    return Member("file", path, data, regions=regions, length=length, **rest)


def folder(path, **rest):
    return Member("folder", path, **{"mode": 0o755, **rest})


def hard_link(path, link, **rest):
    return Member("hard_link", path, link=link, **rest)


def symbolic_link(path, link, **rest):
    return Member("symbolic_link", path, link=link, **{"mode": 0o777, **rest})


def build(
    f,
    *members,
    indexed=None,
    end=END,
    before_index=b"",
    index_fields=None,
    change=None,
    zeros=None,
    blocks_more=0,
    magic=b"SEALIDX\1",
    archive_length=0,
    entries_length=0,
    count=0,
    more=b"",
    compressed=None,
):
    """An archive. `indexed` are members in the index's order, `change` changes the entries' bytes, the numbers of the locator are
    added to the right ones, and `compressed` is the size of frames."""
    blocks = {id(member): len(member.bytes()) // 512 for member in members}
    start = b"".join(member.bytes() for member in members) + end
    entries, last, indexed = b"", b"", members if indexed is None else indexed
    for member in indexed:
        entries += member.encode(last, blocks.get(id(member), 1))
        last = member.path
    entries = change(entries) if change else entries
    numbers = len(start) + archive_length, len(entries) + entries_length, len(indexed) + count
    locator = magic + struct.pack(">QQQ", *(number % 2**64 for number in numbers))
    gap = bytes(-(len(entries) + 32) % 512 + 512 * blocks_more)
    data = entries + (gap if zeros is None else zeros(gap)) + locator
    fields = dict(name=b".sealstone-index", mode=0o600, size=len(data), seconds=0, typeflag=b"0") | (index_fields or {})
    f.content = f.plaintext = start + before_index + header(**fields) + data + more
    f.version, f.flags = 2, 0x0008 | (0x0001 if f.context else 0)
    if f.archive == "success":
        f.lines = [line for member in members for line in describe(member)]
        f.lines.sort(key=lambda line: not line.startswith("member"))
    if compressed:
        content = f.content
        parts = [content[at : at + compressed] for at in range(0, len(content), compressed)]
        compress(f, *((frame_of(part), part) for part in parts), archive=True)


def frame_of(part):
    """RLE blocks for runs of a byte, raw blocks for the rest."""
    blocks, at = [], 0
    for run in re.finditer(rb"(?s)(.)\1{15,}", part):
        blocks += [(raw, part[at : run.start()])] if run.start() > at else []
        blocks.append((rle, run[0]))
        at = run.end()
    blocks += [(raw, part[at:])] if at < len(part) else []
    blocks = [(kind, piece[i : i + 2**17]) for kind, piece in blocks for i in range(0, len(piece), 2**17)]
    made = [kind(piece, False) if kind is raw else rle(piece[:1], len(piece), False) for kind, piece in blocks]
    return frame(len(part), *made, raw(b""))


def describe(member):
    seconds, nanoseconds = member.time
    size = member.size() if member.kind == "file" else 0
    words = [member.kind, f"{member.mode & 0o7777:04o}", f"{seconds}.{nanoseconds:09}", str(size), member.path.hex()]
    yield " ".join(["member:", *words, *([member.link.hex()] if member.link else [])])
    if member.kind == "file" and 0 < size <= 2**20:
        yield f"data: {member.path.hex()} {hashlib.sha256(member.content()).hexdigest()}"


# Archives that are right.


def good(section, each=None, **codes):
    return vector(f"archive {section}", each=each, archive="success", **codes)


@good("3")
def archive_empty(f):
    "an archive of nothing"
    build(f)


@good("3")
def archive_folder_and_file(f):
    "the example of the specification"
    build(f, folder(b"a"), file(b"a/b.txt", b"abc", time=(TIME[0], 500_000_000)))


EVERYTHING = [
    folder(b"a", mode=0o700),
    file(b"a/b", TEXT, mode=0o755),
    file(b"a/c", b""),
    hard_link(b"a/d", b"a/b", mode=0o755),
    file(b"e", long(1024), time=(0, 1)),
    symbolic_link(b"f", b"a/b"),
]


@good("3.2")
def archive_every_kind(f):
    "members of every kind"
    build(f, *EVERYTHING)


@good("1", each={"16": 16, "500": 500, "1000": 1000, "8192": 8192})
def archive_compressed_in_frames_of(f, size):
    "a compressed archive"
    build(f, *(EVERYTHING if size > 16 else ()), compressed=size)


@good("1")
def archive_with_context(f):
    "an archive with a context"
    f.bind(b"context")
    build(f, *EVERYTHING)


@good("1", each={"2": 2, "3": 3})
def archive_suite(f, suite):
    "an archive of another suite"
    f.suite_id, f.to, f.identity = suite, [KEY], [KEY]
    build(f, *EVERYTHING)


@good("3")
def archive_over_chunks(f):
    "an archive of several chunks"
    build(f, file(b"a", long(15_000)), file(b"b", long(2_000)))


@good("3.1")
def archive_order(f):
    "bytes less than `/` stand behind a folder's members, and bytes are compared as numbers"
    paths = b"a", b"a/b", b"a/b/\x01", b"a/b-", b"a!", b"a-b", b"a.", b"a0", b"ab", b"\x7f", b"\x80", b"\xff"
    build(f, *(folder(path) if path in (b"a", b"a/b") else file(path) for path in paths))


@good(
    "3.1",
    each={
        "latin_1": b"caf\xe9",
        "utf_8": "文件".encode(),
        "every_byte": bytes(byte for byte in range(1, 256) if byte != 0x2F),
        "line_feed": b"a\nb",
        "spaces": b" a ",
        "backslash": b"a\\b",
        "three_dots": b"...",
        "two_dots_and_more": b"..a",
        "dash": b"-rf",
        "drive": b"C:",
        "ff": b"\xff",
        "utf_8_not_normal": "e\u0301".encode(),
        "surrogate": b"\xed\xa0\x80",
        "index": b".sealstone-index",
        "sparse": b"GNUSparseFile.0",
    },
)
def archive_name(f, name):
    "a folder, a file, a hard link and a symbolic link with this name"
    build(
        f,
        folder(name),
        file(name + b"/" + name, TEXT),
        hard_link(name + b"/" + name + b"_", name + b"/" + name),
        symbolic_link(name + b"_", name),
    )


@good("3.1", each=[99, 100, 101, 255, 300, 4096])
def archive_path_of(f, length):
    "a file, a folder and a symbolic link to it, whose paths and target have {0} bytes"
    path = (b"0123456789" * 410)[:length]
    build(f, file(path, TEXT), folder(b"f" + path[1:]), symbolic_link(b"g", path))


@good("3.1")
def archive_components_256(f):
    "a path of 256 components"
    paths = [b"/".join([b"a"] * count) for count in range(1, 257)]
    build(f, *map(folder, paths[:-1]), file(paths[-1], TEXT))
    compress(f, (zstandard.ZstdCompressor(19).compress(f.content), f.content), archive=True)


@malformed("3.1")
def archive_components_257(f):
    "a path of 257 components"
    paths = [b"/".join([b"a"] * count) for count in range(1, 258)]
    build(f, *map(folder, paths[:-1]), file(paths[-1], TEXT))
    compress(f, (zstandard.ZstdCompressor(19).compress(f.content), f.content), archive=True)


@good(
    "3.2",
    each={
        "0": (0, 0),
        "a_nanosecond": (0, 1),
        "before_1970": (-1, 0),
        "a_nanosecond_before_1970": (-1, 999_999_999),
        "5_and_a_quarter_before_1970": (-6, 750_000_000),
        "1901": (-(2**31) - 1, 500_000_000),
        "2038": (2**31, 0),
        "2242": (8**11 - 1, 0),
        "after_2242": (8**11, 0),
        "after_2242_and_more": (8**11, 120_000_000),
        "half_a_second": (TIME[0], 500_000_000),
        "greatest": (2**63 - 1, 999_999_999),
        "least": (-(2**63), 0),
    },
)
def archive_time(f, time):
    "a file and a folder from this time"
    build(f, file(b"a", TEXT, time=time), folder(b"b", time=time))


@good("3.2", each={f"{mode:04o}": mode for mode in (0, 0o400, 0o777, 0o1777, 0o2755, 0o4755, 0o7777)})
def archive_mode(f, mode):
    "a file and a folder with this mode"
    build(f, file(b"a", TEXT, mode=mode), folder(b"b", mode=mode))


@good("3.2")
def archive_mode_with_type(f):
    "a header block's mode with bits of a file's type above the 12 bits"
    build(f, file(b"a", TEXT, fields={"mode": octal(0o100644)}))


@good("3.2", each=[0, 1, 511, 512, 513, 1024])
def archive_file_of(f, length):
    "a file of {0} bytes"
    build(f, file(b"a", long(length)))


@good("3.2")
def archive_hard_links(f):
    "several hard links to files, in other folders too, and with long names"
    name = b"n" * 150
    members = [file(b"a", TEXT), folder(b"b"), hard_link(b"b/a", b"a"), hard_link(b"b/c", b"a"), file(b"b/" + name, b"1")]
    build(f, *members, hard_link(b"d", b"b/" + name), hard_link(b"e" + name, b"a"))


@good(
    "3.2",
    each={
        "1": b"x",
        "100": b"t" * 100,
        "101": b"t" * 101,
        "4096": b"t" * 4096,
        "latin_1": b"\xe9",
        "line_feed": b"a\n",
        "missing": b"no/such",
        "itself": b"l",
        "dot": b".",
        "up_within": b"../f/x",
        "slash_behind": b"f/",
        "empty_components": b"f//x",
        "dots_within": b"./f/./x",
    },
)
def archive_symbolic_link(f, target):
    "a symbolic link that leads nowhere else, from a folder"
    build(f, folder(b"f"), symbolic_link(b"f/l", target))


@good("3.2")
def archive_owners(f):
    "owners, in fields and in records"
    build(
        f,
        file(b"a", owner=(1000, 100, b"alice", b"users")),
        file(b"b", owner=(8**7 - 1, 8**7, b"u" * 31, b"g" * 32)),
        file(b"c", owner=(2**32 - 2, 2**31, "é".encode(), b"")),
    )


@good("3.2")
def archive_attributes(f):
    "extended attributes: text, any bytes, none"
    build(
        f,
        file(b"a", TEXT, attributes={b"user.a": b"text", b"user.b": bytes(range(256)), b"user.c": b"a=b\n12 c=d\n"}),
        folder(b"b", attributes={b"user.empty": b""}),
    )


UNKNOWN = {
    b"atime": b"1.5",
    b"ctime": b"-1",
    b"comment": b"=\n",
    b"LIBARCHIVE.creationtime": b"1",
    b"VENDOR.x": b"\0",
    b"Path": b"../x",
}


@good("3.2")
def archive_unknown_records(f):
    "records that a reader skips"
    build(f, file(b"a", TEXT, records=UNKNOWN))


@good("3.2")
def archive_unknown_record_twice(f):
    "a record twice that a reader skips"
    build(f, file(b"a", TEXT, before=extended(record(b"comment", b"1") + record(b"comment", b"2"))))


@good("3.2")
def archive_record_within_a_record(f):
    "a record whose value has a line feed, and behind it the bytes of another record"
    build(f, file(b"a", TEXT, before=extended(b"23 comment=x\n10 path=b\n")))


@good("3.2")
def archive_no_records(f):
    "an extended header without records"
    build(f, file(b"a", TEXT, before=extended(b"")))


@good(
    "3.2",
    each={
        "path": {b"path": b"a"},
        "size": {b"size": b"43"},
        "mtime": {b"mtime": b"%d" % TIME[0]},
        "mtime_zeros": {b"mtime": b"%d.000" % TIME[0]},
        "uid": {b"uid": b"0"},
        "hdrcharset": {b"hdrcharset": b"ISO-IR 10646 2000 UTF-8"},
        "hdrcharset_unknown": {b"hdrcharset": b"x"},
        "linkpath_empty": {b"linkpath": b""},
    },
)
def archive_needless_record(f, records):
    "a record with a value that its field could hold: a writer does not write it, and a reader takes it"
    build(f, file(b"a", TEXT, records=records))


@good("3.2", each={"name": dict(name=b"../../x"), "name_empty": dict(name=b""), "prefix": dict(prefix=b"/etc")})
def archive_record_before_fields(f, fields):
    "the record `path` holds, and not the fields of the header block"
    build(f, file(b"a", TEXT, records={b"path": b"a"}, fields=fields))


@good("3.2")
def archive_record_size_before_field(f):
    "the record `size` holds, and not the field"
    build(f, file(b"a", TEXT, records={b"size": b"43"}, fields={"size": octal(7, 12)}))


@good("3.2")
def archive_record_of_8_gib_of_zeros(f):
    "a record with a time that its field could not hold, and a field of zeros"
    build(f, file(b"a", time=(8**11, 0), fields={"mtime": octal(0, 12)}))


@good(
    "3.2",
    each={"spaces": dict(mode=b"000644  ", size=b"00000000053 "), "short": dict(mode=b"644\0", uid=b"0 "), "checksum": None},
)
def archive_numbers(f, fields):
    "numbers that a space ends, and short ones: a writer does not write them, and a reader takes them"
    if fields is None:
        block = header(b"a", 0o644, 43, TIME[0], b"0")
        fields = {"chksum": block[148:154] + b" \0"}
    build(f, file(b"a", TEXT, fields=fields))


@good("3.2")
def archive_prefix(f):
    "a path of prefix and name: a writer does not write it, and a reader takes it"
    build(f, folder(b"a"), folder(b"a/b"), file(b"a/b/c", TEXT, fields=dict(prefix=b"a/b", name=b"c")))


@good("3.2")
def archive_folder_without_slash(f):
    "a folder whose name has no `/` behind it: a writer does not write it, and a reader takes it"
    build(f, folder(b"a", fields=dict(name=b"a")), file(b"a/b", TEXT))


@good("3.2")
def archive_bytes_behind_nul(f):
    "bytes behind the NUL that ends a name, and in the last bytes of the header block"
    build(f, file(b"a", TEXT, fields=dict(name=b"a\0/../x", rest=b"rest")))


@good("3.2")
def archive_x_header_of_others(f):
    "an extended header with another name, mode and time"
    build(f, file(b"a", TEXT, before=extended(record(b"comment", b"x"), name=b"PaxHeaders/a", mode=0, seconds=TIME[0])))


@good("3.2")
def archive_records_of_1_mib(f):
    "records of 2^20 bytes"
    value = b"c" * (2**20 - len(b"1048576 comment=\n"))
    build(f, file(b"a", TEXT, before=extended(record(b"comment", value))), compressed=2**23)


@malformed("3.2", listed="success")
def archive_records_over_1_mib(f):
    "records of 2^20 bytes and one"
    value = b"c" * (2**20 + 1 - len(b"1048577 comment=\n"))
    build(f, file(b"a", TEXT, before=extended(record(b"comment", value))), compressed=2**23)


# Sparse files.


@good(
    "3.3",
    each={
        "a_hole_first": ([(1000, 5)], 1005),
        "a_hole_last": ([(0, 5), (1000, 0)], 1000),
        "a_hole_between": ([(0, 5), (1000, 5)], 1005),
        "a_hole_alone": ([(4096, 0)], 4096),
        "no_regions": ([], 4096),
        "nothing": ([], 0),
        "no_holes": ([(0, 100)], 100),
        "regions_that_touch": ([(0, 5), (5, 5)], 100),
        "a_hole_last_unsaid": ([(0, 5)], 1000),
        "many_regions": ([(at * 10, 1) for at in range(200)], 2000),
        "data_of_a_block": ([(512, 512)], 2048),
        "over_8_gib": ([(0, 5), (2**33, 5), (2**34, 0)], 2**34),
        "of_2_pow_63": ([(2**62, 5)], 2**63 - 1),
    },
)
def archive_sparse(f, regions_and_length):
    "a sparse file"
    build(f, sparse(b"a", *regions_and_length))


@good("3.3")
def archive_sparse_names(f):
    "sparse files with a long name, with one that is not UTF-8, and in a folder; a hard link to one"
    build(
        f,
        sparse(b"a" * 150, [(0, 5)], 1000),
        folder(b"b"),
        sparse(b"b/\xe9", [(0, 5)], 1000, time=(1, 5)),
        hard_link(b"c", b"b/\xe9"),
    )


def broken_map(each):
    return malformed("3.3", each=each, listed="success")


MAPS = {
    "count_less": b"1\n0\n5\n100\n5\n",
    "count_more": b"3\n0\n5\n100\n5\n",
    "count_0": b"0\n0\n5\n100\n5\n",
    "overlap": b"2\n0\n5\n4\n5\n",
    "descend": b"2\n100\n5\n0\n5\n",
    "twice": b"2\n0\n5\n0\n5\n",
    "past_the_end": b"2\n0\n5\n996\n5\n",
    "length_0_first": b"3\n0\n0\n0\n5\n100\n5\n",
    "length_0_between": b"3\n0\n5\n50\n0\n100\n5\n",
    "length_0_last_before_the_end": b"3\n0\n5\n100\n5\n999\n0\n",
    "length_0_last_past_the_end": b"3\n0\n5\n100\n5\n1001\n0\n",
    "length_0_last_without_a_hole": b"3\n0\n5\n995\n5\n1000\n0\n",
    "length_0_twice": b"4\n0\n5\n100\n5\n1000\n0\n1000\n0\n",
    "sum_less": b"2\n0\n5\n100\n4\n",
    "sum_more": b"2\n0\n5\n100\n6\n",
    "no_digits": b"2\n\n5\n100\n5\n",
    "letters": b"2\n0x0\n5\n100\n5\n",
    "negative": b"2\n-0\n5\n100\n5\n",
    "plus": b"2\n0\n5\n+100\n5\n",
    "zero_in_front": b"2\n0\n05\n100\n5\n",
    "spaces": b"2\n0\n 5\n100\n5\n",
    "crlf": b"2\r\n0\r\n5\r\n100\r\n5\r\n",
    "2_pow_64": b"2\n0\n5\n18446744073709551716\n5\n",
    "padding": b"2\n0\n5\n100\n5\n\0\0\1",
    "no_last_line_feed": b"2\n0\n5\n100\n5",
    "commas": b"0,5,100,5",
    "nothing": b"",
}


@broken_map(MAPS)
def archive_sparse_map(f, text):
    "a sparse file with a wrong map, in front of 10 bytes; its length is 1,000"
    build(f, sparse(b"a", [(0, 5), (100, 5)], 1000, map=pad(text)))


@broken_map(
    {
        "unpadded": b"2\n0\n5\n100\n5\n",
        "count_greatest": pad(b"18446744073709551615\n0\n5\n100\n5\n"),
        "two_blocks": pad(b"2\n0\n5\n100\n5\n") + bytes(512),
    }
)
def archive_sparse_map_and_data(f, start):
    "a sparse file whose map and data do not fit"
    build(f, sparse(b"a", [(0, 5), (100, 5)], 1000, map=start))


@broken_map(
    {
        "major_2": {b"GNU.sparse.major": b"2"},
        "major_0": {b"GNU.sparse.major": b"0"},
        "major_01": {b"GNU.sparse.major": b"01"},
        "minor_1": {b"GNU.sparse.minor": b"1"},
        "no_major": {b"GNU.sparse.major": None},
        "no_minor": {b"GNU.sparse.minor": None},
        "no_realsize": {b"GNU.sparse.realsize": None},
        "path": {b"path": b"a"},
        "realsize_negative": {b"GNU.sparse.realsize": b"-1000"},
        "realsize_letters": {b"GNU.sparse.realsize": b"1000a"},
        "realsize_empty": {b"GNU.sparse.realsize": b""},
        "realsize_less": {b"GNU.sparse.realsize": b"104"},
        "realsize_2_pow_64": {b"GNU.sparse.realsize": b"18446744073709552616"},
        "no_name": {b"GNU.sparse.name": None},
        "another": {b"GNU.sparse.numblocks": b"2"},
    }
)
def archive_sparse_records(f, records):
    "a sparse file with a record wrong or missing, or with the record `path`"
    build(f, sparse(b"a", [(0, 5), (100, 5)], 1000, records=records))


@broken_map({"map": {b"GNU.sparse.map": b"0,5,100,5"}, "unknown": {b"GNU.sparse.": b""}})
def archive_sparse_form(f, records):
    "a file in another of GNU's forms for holes, which would be taken for one without"
    member = file(b"a", b"0123456789")
    member.records.update(records)
    build(f, member)


@broken_map({"folder": folder(b"a"), "symbolic_link": symbolic_link(b"a", b"x")})
def archive_sparse_kind(f, member):
    "records of a sparse file in front of another kind of member"
    for key, value in dict(major=b"1", minor=b"0", name=b"a", realsize=b"0").items():
        member.records[b"GNU.sparse." + key.encode()] = value
    build(f, member)


@malformed("3.1", each={"up": b"../a", "absolute": b"/a", "empty": b"", "nul": b"a\0"})
def archive_sparse_name(f, name):
    "a sparse file whose name breaks a rule of paths"
    build(f, sparse(name, [(0, 5)], 1000))


# Paths and places that break a rule, in the members and in the index.


PATHS = {
    "absolute": b"/a",
    "absolute_two": b"//a",
    "dots_first": b"../a",
    "dots_alone": b"..",
    "dots_last": b"f/..",
    "dots_between": b"f/../a",
    "dot_alone": b".",
    "dot_first": b"./a",
    "dot_last": b"f/.",
    "dot_between": b"f/./a",
    "empty": b"",
    "empty_component": b"f//a",
    "slash_alone": b"/",
}


@malformed("3.1", each=PATHS)
def archive_path(f, path):
    "a file with a path that breaks a rule"
    members = [file(path, TEXT), folder(b"f")]
    build(f, *sorted(members, key=lambda member: member.path.replace(b"/", b"\0")))


@malformed(
    "3.1",
    each={
        "absolute": b"/a",
        "dots_first": b"../a",
        "dots_alone": b"..",
        "dots_last": b"f/..",
        "dot_alone": b".",
        "dot_last": b"f/.",
        "slash_last": b"f/a/",
        "empty": b"",
    },
)
def archive_folder_path(f, path):
    "a folder with a path that breaks a rule"
    members = [folder(path), folder(b"f")]
    build(f, *sorted(members, key=lambda member: member.path.replace(b"/", b"\0")))


@malformed(
    "3.1",
    each={"file": file, "symbolic_link": lambda path: symbolic_link(path, b"x"), "hard_link": lambda path: hard_link(path, b"a")},
)
def archive_path_with_slash_behind(f, make):
    "a member that is no folder, with `/` behind its path"
    build(f, file(b"a"), make(b"b/"))


@malformed("3.1", each={"in_a_record": b"a\0b", "behind_a_path": b"a\0"})
def archive_path_with_nul(f, path):
    "a NUL in a record `path`"
    build(f, file(path, TEXT, records={b"path": path}))


@malformed("3.1", each={"file": file, "folder": folder})
def archive_path_of_4097(f, make):
    "a path of 4,097 bytes"
    build(f, make(b"p" * 4097))


@malformed("3.1")
def archive_prefix_absolute(f):
    "a prefix that makes the path absolute"
    build(f, file(b"/etc/a", TEXT, fields=dict(prefix=b"/etc", name=b"a")))


@malformed(
    "3.1",
    each={
        "none": [],
        "of_a_sibling": [folder(b"g")],
        "a_file": [file(b"f")],
        "a_symbolic_link": [symbolic_link(b"f", b".")],
        "a_hard_link": [file(b"e"), hard_link(b"f", b"e")],
    },
)
def archive_folder_missing(f, members):
    "a member whose folder is not a member of kind folder"
    build(f, *sorted([*members, file(b"f/a", TEXT)], key=lambda member: member.path.replace(b"/", b"\0")))


@malformed("3.1")
def archive_folder_missing_between(f):
    "a member whose folder is missing, while the folder above is there"
    build(f, folder(b"a"), file(b"a/b/c", TEXT))


@malformed("3.1")
def archive_folder_behind(f):
    "a folder stands behind what is in it"
    build(f, file(b"a/b", TEXT), folder(b"a"))


ORDERS = {
    "descending": [b"b", b"a"],
    "slash_behind": [b"a", b"a!", b"a/b"],
    "twice": [b"b", b"b"],
    "signed_bytes": [b"\x80", b"a"],
    "length_first": [b"b", b"aa"],
    "case": [b"a", b"B"],
    "twice_apart": [b"a", b"b", b"a"],
}


@malformed("3.1", each=ORDERS)
def archive_order_wrong(f, paths):
    "members that are not in ascending order, or twice"
    build(f, *(folder(path) for path in paths))


@malformed(
    "3.1", each={"folder_and_file": [folder(b"a"), file(b"a", TEXT)], "file_and_link": [file(b"a"), symbolic_link(b"a", b"x")]}
)
def archive_path_twice(f, members):
    "two members of different kinds with one path"
    build(f, *members)


@malformed("3.1")
def archive_path_twice_in_other_forms(f):
    "a folder with a record `path` and one without, of one path"
    build(f, folder(b"a"), folder(b"a", records={b"path": b"a/"}))


# Header blocks that break a rule.


@malformed(
    "3.2",
    each={
        "character_device": b"3",
        "block_device": b"4",
        "fifo": b"6",
        "space": b" ",
        "8": b"8",
        "volume": b"V",
        "sparse": b"S",
        "multivolume": b"M",
        "dumpdir": b"D",
        "solaris": b"X",
        "vendor": b"A",
    },
)
def archive_typeflag(f, typeflag):
    "a member of another typeflag, in the index too"
    build(f, file(b"a", fields=dict(typeflag=typeflag), entry=dict(kind=typeflag)))


@malformed("3.2", each={"nul": b"\0", "contiguous": b"7", "fifo": b"6"}, listed="success")
def archive_typeflag_as_a_file(f, typeflag):
    "a member of another typeflag, which the index calls a file"
    build(f, file(b"a", fields=dict(typeflag=typeflag)))


@malformed("3.2", each={"name": b"L", "link": b"K"}, listed="success")
def archive_gnu_long(f, typeflag):
    "a long name or link name in GNU tar's own form"
    name = b"n" * 150
    before = header(b"././@LongLink", 0, 151, 0, typeflag, magic=b"ustar\x0000") + pad(name + b"\0")
    member = file(name, TEXT, before=before) if typeflag == b"L" else symbolic_link(b"a", name, before=before)
    build(f, member)


@malformed("3.2", each={"first": 0, "later": 1}, listed="success")
def archive_global_header(f, place):
    "a global header in front of a member"
    members = [file(b"a", TEXT), file(b"b", TEXT)]
    members[place].before = extended(record(b"comment", b"x"), typeflag=b"g")
    build(f, *members)


@malformed("3.2", each={"two": 2, "three": 3}, listed="success")
def archive_extended_headers(f, times):
    "several extended headers in front of a header block"
    build(f, file(b"a", TEXT, before=extended(record(b"comment", b"x")) * times))


@malformed("3.2", each={"end": 1, "last": 0})
def archive_extended_header_before_the(f, members):
    "an extended header in front of the end"
    start = extended(record(b"comment", b"x"))
    build(f, *[file(b"a", TEXT)] * members, end=start + END)


@malformed("3.2", each={"more": 1, "less": -1, "zero": None, "signed": "signed"}, listed="success")
def archive_checksum(f, by):
    "a header block with a wrong checksum"
    name = b"\xe9" if by == "signed" else b"a"
    block = header(name, 0o644, 43, TIME[0], b"0")
    right = int(block[148:154], 8)
    wrong = 0 if by is None else right - 256 if by == "signed" else right + by
    before = extended(record(b"hdrcharset", b"BINARY") + record(b"path", name)) if by == "signed" else None
    build(f, file(name, TEXT, fields=dict(chksum=b"%06o\0 " % wrong), before=before))


@malformed("3.2", listed="success")
def archive_checksum_of_extended_header(f):
    "an extended header with a wrong checksum"
    build(f, file(b"a", TEXT, before=extended(record(b"comment", b"x"), chksum=b"000001\0 ")))


@malformed(
    "3.2",
    each={
        "gnu": b"ustar  \0",
        "v7": bytes(8),
        "version": b"ustar\x0001",
        "upper_case": b"USTAR\x0000",
        "version_spaces": b"ustar\0  ",
    },
    listed="success",
)
def archive_magic(f, magic):
    "a header block with another magic"
    build(f, file(b"a", TEXT, fields=dict(magic=magic)))


@malformed("3.2", listed="success")
def archive_magic_of_extended_header(f):
    "an extended header with another magic"
    build(f, file(b"a", TEXT, before=extended(record(b"comment", b"x"), magic=b"ustar  \0")))


NUMBERS = {"mode": 0o644, "uid": 0, "gid": 0, "size": 43, "mtime": TIME[0], "devmajor": 0, "devminor": 0}


@malformed("3.2", each=list(NUMBERS), listed="success")
def archive_number_base_256(f, field):
    "a number in base 256 in the field `{0}`"
    length = FIELDS[field]
    build(f, file(b"a", TEXT, fields={field: b"\x80" + NUMBERS[field].to_bytes(length - 1, "big")}))


@malformed("3.2", each=list(NUMBERS), listed="success")
def archive_number_behind_spaces(f, field):
    "spaces in front of the number in the field `{0}`"
    length = FIELDS[field]
    build(
        f,
        file(
            b"a",
            TEXT,
            fields={field: (b"%o" % NUMBERS[field]).rjust(length - 1) + b"\0" if field != "mtime" else b" 0\0"},
            time=(0, 0) if field == "mtime" else TIME,
        ),
    )


@malformed("3.2", each=list(NUMBERS), listed="success")
def archive_number_unended(f, field):
    "digits that fill the field `{0}`"
    build(f, file(b"a", TEXT, fields={field: (b"%o" % NUMBERS[field]).rjust(FIELDS[field], b"0")}))


@malformed("3.2", each=["mode", "uid", "gid", "devmajor", "devminor"], listed="success")
def archive_number_empty(f, field):
    "no digits in the field `{0}`"
    build(f, file(b"a", TEXT, fields={field: b""}))


@malformed(
    "3.2",
    each={
        "eight": b"0000648\0",
        "negative": b"-000644\0",
        "plus": b"+000644\0",
        "hexadecimal": b"0x1a4\0",
        "digits_behind": b"644\x000\0",
        "letters_behind": b"644 a\0",
    },
    listed="success",
)
def archive_number_mode(f, mode):
    "a mode that is not octal digits which a NUL or space ends"
    build(f, file(b"a", TEXT, fields=dict(mode=mode)))


@malformed("3.2", listed="success")
def archive_number_checksum_behind_spaces(f):
    "spaces in front of the checksum"
    block = header(b"a", 0o644, 43, TIME[0], b"0")
    build(f, file(b"a", TEXT, fields=dict(chksum=block[148:154].lstrip(b"0").rjust(6) + b"\0 ")))


@malformed("3.2", listed="success")
def archive_number_of_extended_header(f):
    "a size in base 256 in an extended header"
    records = record(b"comment", b"x")
    build(f, file(b"a", TEXT, before=extended(records, size=b"\x80" + len(records).to_bytes(11, "big"))))


# Records that break a rule.


RECORDS = {
    "length_less": b"12 comment=x\n",
    "length_more": b"14 comment=x\n",
    "length_past_the_end": b"99 comment=x\n",
    "length_0": b"0 comment=x\n",
    "length_missing": b" comment=x\n",
    "length_letters": b"xx comment=x\n",
    "length_hexadecimal": b"0xd comment=x\n",
    "length_zero_in_front": b"014 comment=x\n",
    "length_negative": b"-13 comment=x\n",
    "length_within_key": b"5 comment=x\n",
    "length_greatest": b"18446744073709551629 comment=x\n",
    "no_space": b"12comment=x\n",
    "two_spaces_in_front": b" 14 comment=x\n",
    "no_equals_sign": b"11 comment\n",
    "no_key": b"5 =x\n",
    "no_line_feed": b"13 comment=xx",
    "nul_in_place_of_line_feed": b"13 comment=x\0",
    "zeros_behind": b"13 comment=x\n\0\0\0",
    "line_feed_behind": b"13 comment=x\n\n",
}


@malformed("3.2", each=RECORDS, listed="success")
def archive_record(f, records):
    "a record that breaks the syntax"
    build(f, file(b"a", TEXT, before=extended(records)))


TWICE = {
    "hdrcharset": b"BINARY",
    "path": b"a",
    "linkpath": b"",
    "size": b"43",
    "mtime": b"%d" % TIME[0],
    "uid": b"0",
    "gid": b"0",
    "uname": b"u",
    "gname": b"g",
    "SCHILY.xattr.user.a": b"1",
}


@malformed("3.2", each={key.replace(".", "_").lower(): key for key in TWICE}, listed="success")
def archive_record_twice(f, key):
    "the record `{0}` twice with one value"
    build(f, file(b"a", TEXT, before=extended(record(key.encode(), TWICE[key]) * 2)))


@malformed("3.2", each={key: b"GNU.sparse." + key.encode() for key in ("major", "minor", "name", "realsize")}, listed="success")
def archive_sparse_record_twice(f, key):
    "a record of a sparse file twice"
    member = sparse(b"a", [(0, 5)], 1000)
    records = dict(member.all_records())
    member.before = extended(b"".join(record(*item) for item in records.items()) + record(key, records[key]))
    build(f, member)


VALUES = {
    "size_letters": (b"size", b"43a"),
    "size_negative": (b"size", b"-43"),
    "size_empty": (b"size", b""),
    "size_plus": (b"size", b"+43"),
    "size_zero_in_front": (b"size", b"043"),
    "size_space": (b"size", b"43 "),
    "size_2_pow_64": (b"size", b"18446744073709551659"),
    "size_fraction": (b"size", b"43.0"),
    "uid_negative": (b"uid", b"-1"),
    "uid_empty": (b"uid", b""),
    "gid_letters": (b"gid", b"users"),
    "gid_2_pow_64": (b"gid", b"18446744073709551616"),
    "mtime_empty": (b"mtime", b""),
    "mtime_letters": (b"mtime", b"now"),
    "mtime_period_last": (b"mtime", b"1767323045."),
    "mtime_plus": (b"mtime", b"+1767323045"),
    "mtime_exponent": (b"mtime", b"1767323045e0"),
    "mtime_10_digits": (b"mtime", b"1767323045.0000000000"),
    "mtime_space": (b"mtime", b" 1767323045"),
    "mtime_zero_in_front": (b"mtime", b"01767323045"),
    "mtime_comma": (b"mtime", b"1767323045,0"),
    "mtime_two_periods": (b"mtime", b"1767323045.0.0"),
    "mtime_two_signs": (b"mtime", b"--1767323045"),
    "mtime_negative_fraction": (b"mtime", b"1767323045.-1"),
    "mtime_2_pow_63": (b"mtime", b"9223372036854775808"),
}


@malformed("3.2", each=VALUES, listed="success")
def archive_value(f, key_and_value):
    "a record with a value that is no number of its kind"
    build(f, file(b"a", TEXT, before=extended(record(*key_and_value))))


@malformed("3.2", each={"period_first": b".5", "least_less": b"-9223372036854775808.000000001"}, listed="success")
def archive_value_mtime(f, value):
    "a record `mtime` that is no time, or before all times"
    build(f, file(b"a", TEXT, before=extended(record(b"mtime", value)), time=(0, 500_000_000)))


@malformed("3.2", each={"data": 0, "data_last": -1}, listed="success")
def archive_padding(f, at):
    "a byte of the padding behind the data is not zero"
    padding = flip(bytes(512 - 43), at)
    build(f, file(b"a", TEXT, pad=padding))


@malformed("3.2", listed="success")
def archive_padding_of_records(f):
    "a byte of the padding behind the records is not zero"
    build(f, file(b"a", TEXT, before=flip(extended(record(b"comment", b"x")), -1)))


@malformed("3.2", listed="success")
def archive_padding_of_a_block(f):
    "a block of zeros behind data that fill their block"
    build(f, file(b"a", long(512), pad=bytes(512)))


# Links and sizes.


@malformed(
    "3.2",
    each={"file": file(b"a", TEXT, link=b"x"), "folder": folder(b"a", link=b"x"), "file_long": file(b"a", TEXT, link=b"x" * 150)},
    listed="success",
)
def archive_linkname(f, member):
    "a link name in a file or folder"
    build(f, member)


@malformed(
    "3.2",
    each={
        "hard_link": hard_link(b"b", b"a", data=b"x"),
        "symbolic_link": symbolic_link(b"b", b"a", data=b"x"),
        "folder": folder(b"b", data=b"x"),
    },
    listed="success",
)
def archive_size(f, member):
    "a link or folder with a byte of data"
    build(f, file(b"a", TEXT), member)


@malformed(
    "3.2",
    each={
        "hard_link": hard_link(b"b", b"a", records={b"size": b"1"}, pad=pad(b"x")),
        "folder": folder(b"b", records={b"size": b"1"}, pad=pad(b"x")),
    },
    listed="success",
)
def archive_size_in_a_record(f, member):
    "a link or folder with a byte of data, by a record"
    build(f, file(b"a", TEXT), member)


@malformed("3.2", each={"4097": b"t" * 4097, "0": b"", "nul": b"a\0b", "nul_last": b"a\0"})
def archive_symbolic_link_to(f, target):
    "a symbolic link with a target that breaks a rule, in the index too"
    build(f, symbolic_link(b"a", target, records={b"linkpath": target} if b"\0" in target else {}))


LATER = {
    "later": [hard_link(b"a", b"b"), file(b"b")],
    "itself": [hard_link(b"a", b"a")],
    "absent": [file(b"a"), hard_link(b"b", b"c")],
    "nothing": [file(b"a"), hard_link(b"b", b"")],
    "slash_behind": [file(b"a"), hard_link(b"b", b"a/")],
    "dot_in_front": [file(b"a"), hard_link(b"b", b"./a")],
    "absolute": [file(b"a"), hard_link(b"b", b"/a")],
    "outside": [file(b"a"), hard_link(b"b", b"../a")],
    "relative_to_its_folder": [folder(b"a"), file(b"a/b"), hard_link(b"a/c", b"b")],
}


@malformed("3.2", each=LATER)
def archive_hard_link_to(f, members):
    "a hard link to something other than a path before it, in the index too"
    build(f, *members)


NO_FILE = {
    "a_folder": [folder(b"a"), hard_link(b"b", b"a")],
    "a_symbolic_link": [file(b"a"), symbolic_link(b"b", b"a"), hard_link(b"c", b"b")],
    "a_hard_link": [file(b"a"), hard_link(b"b", b"a"), hard_link(b"c", b"b")],
    "a_missing_path": [folder(b"d"), hard_link(b"d/b", b"d/a")],
}


@malformed("3.2", each=NO_FILE, listed="success")
def archive_hard_link_to_no_file(f, members):
    "a hard link to a path before it that is no file, in the index too; a list does not look at it"
    build(f, *members)


# The end.


@malformed("3", each={"missing": b"", "of_one_block": bytes(512), "of_three_blocks": bytes(1536)})
def archive_end(f, end):
    "an end that has not 1,024 bytes, and the index agrees"
    build(f, file(b"a", TEXT), end=end)


@malformed(
    "3",
    each={"flipped": flip(END, -1), "flipped_in_the_first_block": flip(END, 511), "with_a_note": bytes(512) + pad(b"note")},
    listed="success",
)
def archive_end_not_zero(f, end):
    "an end with a byte that is not zero"
    build(f, file(b"a", TEXT), end=end)


@malformed(
    "3",
    each={
        "nothing": 0,
        "a_block": 512,
        "the_first_header": 300,
        "the_first_data": 900,
        "the_end": 1500,
        "the_end_alone": 2048,
        "the_index_header": 2100,
        "the_index": 2600,
        "the_last_byte": 3071,
    },
)
def archive_cut_in(f, length):
    "the content ends too early, after {0} bytes"
    build(f, file(b"a", TEXT))
    assert len(f.content) == 3072
    f.content = f.plaintext = f.content[:length]


@malformed("3", listed="success")
def archive_size_past_the_end(f):
    "a file that would end past the end of the content"
    build(f, file(b"a", TEXT, fields=dict(size=octal(8**11 - 1, 12)), entry=dict(size=8**11 - 1)))


@malformed("3", each={"plain_text": TEXT, "zeros": bytes(2048), "a_block_of_zeros": bytes(512), "end_alone": END})
def archive_not_at_all(f, content):
    "the content is no archive"
    f.version, f.flags, f.content, f.plaintext = 2, 0x0008, content, content


@malformed("3.4", each={"a_byte": b"\0", "a_block": bytes(512), "an_end": END, "a_note": b"note"})
def archive_bytes_behind_index(f, more):
    "bytes behind the locator"
    build(f, file(b"a", TEXT), more=more)


@malformed("3.4")
def archive_index_missing(f):
    "an archive of pax without an index"
    build(f, file(b"a", TEXT))
    f.content = f.plaintext = f.content[:2048]


@malformed("3.4")
def archive_index_twice(f):
    "the index twice"
    build(f, file(b"a", TEXT))
    f.content = f.plaintext = f.content + f.content[2048:]


# Indexes that differ.


def differ(each=None, listed="malformed_archive"):
    return malformed("3.4", each=each, listed=None if listed == "malformed_archive" else listed)


PAIR = folder(b"a"), file(b"a/b", TEXT)


@differ(
    {
        "size_less": dict(size=42),
        "size_more": dict(size=44),
        "seconds": dict(seconds=2 * TIME[0] + 2),
        "seconds_negative": dict(seconds=2 * TIME[0] - 1),
        "nanoseconds": dict(nanoseconds=1),
        "mode": dict(mode=0o645),
        "kind": dict(size=0, kind=b"5"),
        "path": dict(rest=b"/c"),
    },
    listed="success",
)
def archive_entry(f, entry):
    "an entry that differs from its member, and could be that of another"
    build(f, folder(b"a"), file(b"a/b", TEXT, entry=entry))


@differ(listed="success")
def archive_entry_link(f):
    "an entry whose link name differs from its member's"
    build(f, folder(b"a"), file(b"b"), file(b"c"), hard_link(b"d", b"b", entry=dict(link=b"c")))


@differ(listed="success")
def archive_entry_target(f):
    "an entry whose target differs from its member's"
    build(f, symbolic_link(b"a", b"bcd", entry=dict(link=b"bcd/e", link_length=5)))


@differ(listed="success")
def archive_entry_blocks_moved(f):
    "two entries whose blocks are 1 less and 1 more"
    build(f, file(b"a", TEXT, entry=dict(blocks=1)), file(b"b", TEXT, entry=dict(blocks=3)))


@differ({"less": 1, "more": 3, "zero": 0, "greatest": 2**64 - 1, "over_by_2_pow_55": 2 + 2**55})
def archive_entry_blocks(f, blocks):
    "an entry with another number of blocks, so that the sum is not the archive's length"
    build(f, file(b"a", TEXT), file(b"b", TEXT, entry=dict(blocks=blocks)))


@differ()
def archive_entry_blocks_of_0(f):
    "an entry without blocks, which another has"
    build(f, file(b"a", entry=dict(blocks=0)), file(b"b", entry=dict(blocks=2)))


@differ(
    {
        "kind": dict(kind=b"3"),
        "kind_nul": dict(kind=b"\0"),
        "kind_link": dict(kind=b"1"),
        "size_of_folder": dict(kind=b"5"),
        "nanoseconds": dict(nanoseconds=10**9),
        "mode": dict(mode=0o10644),
        "mode_with_type": dict(mode=0o100644),
        "rest_greatest": dict(length=2**64 - 1),
        "rest_less": dict(length=1),
        "shared_greatest": dict(shared=2**64 - 1),
        "shared_too_long": dict(shared=2, rest=b"b"),
        "shared_0": dict(shared=0, rest=b"a/b"),
        "rest_empty": dict(rest=b""),
        "path_above": dict(rest=b"/.."),
        "path_absolute": dict(shared=0, rest=b"/b"),
        "path_with_nul": dict(rest=b"/\0"),
        "path_twice_slash": dict(rest=b"/"),
        "path_of_4097": dict(rest=b"/" + b"b" * 4095),
        "path_without_folder": dict(rest=b"/c/d"),
        "path_less": dict(shared=0, rest=b"Z"),
    }
)
def archive_entry_wrong(f, entry):
    "an entry that no member has"
    build(f, folder(b"a"), file(b"a/b", TEXT, entry=entry))


@differ({"size": dict(size=1), "kind_file": dict(kind=b"0", size=1)})
def archive_entry_of_folder(f, entry):
    "a folder's entry with a size"
    build(f, folder(b"a", entry=entry) if "kind" not in entry else folder(b"a", entry=dict(size=1)), file(b"b"))


@differ()
def archive_entry_shared_not_longest(f):
    "an entry whose shared part is a byte shorter than it could be"
    build(f, file(b"abc"), file(b"abd", entry=dict(shared=1, rest=b"bd")))


@differ()
def archive_entry_shared_in_the_first(f):
    "a first entry that shares a byte with nothing"
    build(f, file(b"abc", entry=dict(shared=1, rest=b"bc")))


ENTRY_VALUES = {"shared": 0, "length": 1, "blocks": 2, "size": 43, "seconds": 2 * TIME[0], "nanoseconds": 0, "mode": 0o644}


@differ({key: key for key in ENTRY_VALUES})
def archive_varint_not_canonical(f, key):
    "a varint with a needless byte in an entry: {0}"
    code = varint(ENTRY_VALUES[key])
    build(f, file(b"a", TEXT, entry={key: code[:-1] + bytes([code[-1] | 0x80, 0])}))


@differ()
def archive_varint_of_link_not_canonical(f):
    "a varint with a needless byte in the length of a link"
    build(f, symbolic_link(b"a", b"x", entry=dict(link_length=b"\x81\0")))


@differ({"65_bits": b"\x80" * 9 + b"\2", "70_bits": b"\xff" * 9 + b"\x7f", "11_bytes": b"\xac" + b"\x80" * 9 + b"\1"})
def archive_varint_of(f, code):
    "a varint of more than 64 bits"
    build(f, file(b"a", TEXT, entry=dict(size=code)))


@differ(listed="success")
def archive_varint_of_64_bits(f):
    "a varint of 64 bits is one, and the size is not the member's"
    build(f, file(b"a", TEXT, entry=dict(size=2**64 - 1)))


@differ({"the_first": slice(1, None), "the_last": slice(None, 1)})
def archive_index_without(f, kept):
    "an entry is missing"
    members = [file(b"a", TEXT), file(b"b", TEXT)]
    build(f, *members, indexed=members[kept])


@differ()
def archive_index_with_more(f):
    "an entry more than members"
    members = [file(b"a", TEXT)]
    build(f, *members, indexed=[*members, file(b"b")])


@differ(listed="success")
def archive_index_of_another(f):
    "an index of two members in place of one, of as many blocks"
    build(f, file(b"a", TEXT), indexed=[file(b"a"), file(b"b")])


@differ()
def archive_index_in_another_order(f):
    "entries in another order than the members"
    members = [file(b"a", TEXT), file(b"b", TEXT)]
    build(f, *members, indexed=members[::-1])


@differ()
def archive_index_of_nothing(f):
    "an index without entries"
    build(f, file(b"a", TEXT), indexed=[])


@differ(
    {
        "a_byte_more": lambda entries: entries + b"\0",
        "a_kind_more": lambda entries: entries + b"0",
        "a_byte_less": lambda entries: entries[:-1],
        "two_bytes_less": lambda entries: entries[:-2],
    }
)
def archive_entries(f, change):
    "entries that add up to another length than their bytes"
    build(f, file(b"a", TEXT), change=change)


@differ(
    {
        "magic": dict(magic=b"SEALIDY\1"),
        "version_0": dict(magic=b"SEALIDX\0"),
        "version_2": dict(magic=b"SEALIDX\2"),
        "archive_length_less": dict(archive_length=-512),
        "archive_length_more": dict(archive_length=512),
        "archive_length_by_1": dict(archive_length=1),
        "archive_length_greatest": dict(archive_length=-2049),
        "archive_length_without_end": dict(archive_length=-1024),
        "archive_length_and_header": dict(archive_length=512, entries_length=-512),
        "entries_length_less": dict(entries_length=-1),
        "entries_length_more": dict(entries_length=1),
        "entries_length_0": dict(entries_length=-13),
        "entries_length_greatest": dict(entries_length=-14),
        "count_less": dict(count=-1),
        "count_more": dict(count=1),
        "count_greatest": dict(count=2**64 - 2),
        "count_over_2_pow_26": dict(count=2**26),
    }
)
def archive_locator(f, fault):
    "a locator with a wrong field"
    build(f, file(b"a", TEXT), **fault)
    assert len(f.content) == 3072


@differ()
def archive_locator_little_endian(f):
    "a locator whose numbers are little-endian"
    build(f, file(b"a", TEXT))
    numbers = [number[::-1] for number in (f.content[-24:-16], f.content[-16:-8], f.content[-8:])]
    f.content = f.plaintext = f.content[:-24] + b"".join(numbers)


@differ(
    {
        "name": dict(name=b".sealstone-indez"),
        "name_in_folder": dict(name=b"./.sealstone-index"),
        "mode": dict(mode=0o644),
        "mtime": dict(seconds=1),
        "uid": dict(uid=octal(1)),
        "gid": dict(gid=octal(1)),
        "kind": dict(typeflag=b"5"),
        "typeflag_nul": dict(typeflag=b"\0"),
        "link": dict(link=b"a"),
        "size_less": dict(size=octal(511, 12)),
        "size_more": dict(size=octal(1024, 12)),
        "uname": dict(uname=b"u"),
        "gname": dict(gname=b"g"),
        "prefix": dict(prefix=b"p"),
        "magic": dict(magic=b"ustar  \0"),
        "checksum": dict(chksum=b"000001\0 "),
        "spaces": dict(mode=b"000600  "),
        "behind_name": dict(name=b".sealstone-index\0x"),
        "rest": dict(rest=b"x"),
    }
)
def archive_index_header(f, fields):
    "a header block of the index that differs in a field"
    build(f, file(b"a", TEXT), index_fields=fields)


@differ({"first": 0, "last": -1})
def archive_index_zeros(f, at):
    "a byte between entries and locator is not zero"
    build(f, file(b"a", TEXT), zeros=lambda gap: flip(gap, at))


@differ({"one": 1, "two": 2})
def archive_index_blocks_more(f, blocks):
    "an index that is larger than it needs to be"
    build(f, file(b"a", TEXT), blocks_more=blocks)


@differ(
    {
        "an_extended_header": extended(record(b"comment", b"x")),
        "a_block_of_zeros": bytes(512),
        "a_member": file(b"b", TEXT).bytes(),
    }
)
def archive_before_index(f, more):
    "something between the end and the index"
    build(f, file(b"a", TEXT), before_index=more)


@good("3.4", each={"fills_a_block": 466, "over_a_block": 467})
def archive_index_that(f, length):
    "an index of {0} bytes of name, so that entries and locator fill one block, or need two"
    build(f, file(b"n" * length))
    assert len(f.content) % 512 == 0 and f.content.endswith(b"\0" * 7 + b"\1")


@good("3.4", each={"127": 127, "128": 128, "16383": 16383, "16384": 16384})
def archive_varint(f, number):
    "a size of {0}, beside a size at which a varint gets longer"
    build(f, sparse(b"a", [], number))


# Faults that a list does not meet.


@vector("archive 2.1", "malformed_compression", archive="malformed_compression", listed="success")
def archive_compressed_member_broken(f):
    "a frame with a member breaks a rule, and those with the index do not"
    build(f, file(b"a", TEXT), compressed=1024)
    content = f.content
    parts = [content[at : at + 1024] for at in range(0, len(content), 1024)]
    compress(
        f, (flip(raw_frame(parts[0]), 4, 0x08), parts[0]), *((raw_frame(part), part) for part in parts[1:]), archive=True, bad=0
    )


@vector("archive 2.1", "malformed_compression", archive="malformed_compression")
def archive_compressed_index_broken(f):
    "the last frame, with the index, breaks a rule"
    build(f, file(b"a", TEXT), compressed=1024)
    content = f.content
    parts = [content[at : at + 1024] for at in range(0, len(content), 1024)]
    frames = [raw_frame(part) for part in parts]
    compress(f, *zip(frames[:-1], parts), (flip(frames[-1], 4, 0x08), parts[-1]), archive=True, bad=len(parts) - 1)


@vector("archive 2.2", "malformed_compression", archive="malformed_compression")
def archive_compressed_table_broken(f):
    "the seek table breaks a rule"
    build(f, file(b"a", TEXT))
    content = f.content
    compress(f, (raw_frame(content), content), table_of=lambda entries: table(*entries, descriptor=1), archive=True)


@vector("archive 4.2", "not_authentic", chunk=0, archive="not_authentic", listed="success")
def archive_chunk_flipped(f):
    "the first chunk is not authentic, and the index is in the second"
    build(f, file(b"a", long(CHUNK - 512)))
    f.released = b""
    f.seal()
    f.chunks[0] = flip(f.chunks[0], 0)


@vector("archive 4.2", "not_authentic", chunk=1, archive="not_authentic")
def archive_last_chunk_flipped(f):
    "the last chunk, with the index, is not authentic"
    build(f, file(b"a", long(CHUNK - 512)))
    f.released = f.content[:CHUNK]
    f.seal()
    f.chunks[1] = flip(f.chunks[1], 0)


@vector("archive 4.2", each=ranges((0, 10), (512, 555), (2048, 3072), (3072, 4000)))
def archive_range(f, bounds):
    "a range of an archive's content"
    f.range = bounds
    build(f, file(b"a", TEXT))


@vector("5.5", "range_out_of_bounds", each=ranges((3073, 3074), (2, 1)))
def archive_range_out_of_bounds(f, bounds):
    "a range of an archive's content that begins past the end, or ends before it begins"
    f.range, f.released = bounds, b""
    build(f, file(b"a", TEXT))


@vector("archive 2.3", each=ranges((500, 600), (1000, 2000)))
def archive_range_compressed(f, bounds):
    "a range of a compressed archive's content"
    f.range = bounds
    build(f, *EVERYTHING, compressed=700)


# Extraction, section 4.3.


LEADING_OUT = {
    "absolute": (b"l", b"/etc/passwd"),
    "root": (b"l", b"/"),
    "absolute_two": (b"l", b"//x"),
    "up": (b"l", b".."),
    "up_and_down": (b"l", b"../x"),
    "up_from_a_folder": (b"f/l", b"../.."),
    "up_from_folders": (b"f/g/l", b"../../../x"),
    "up_behind_a_component": (b"l", b"f/.."),
    "up_behind_components": (b"l", b"f/g/../.."),
    "up_behind_up": (b"f/g/l", b"../g/../x"),
    "up_behind_a_dot": (b"l", b"./.."),
    "up_behind_an_empty_component": (b"f/l", b"..//../x"),
    "up_with_slash_behind": (b"l", b"../"),
    "up_last_behind_a_component": (b"f/g/l", b"x/.."),
}


@good("4.3", each=LEADING_OUT, extract="unsafe_member")
def archive_link_leads_out(f, path_and_target):
    "a symbolic link that may lead out of the folder"
    folders = [folder(b"f"), folder(b"f/g")]
    build(f, *sorted([*folders, symbolic_link(*path_and_target)], key=lambda member: member.path.replace(b"/", b"\0")))


LEADING_IN = {
    "up_once": (b"f/l", b"../x"),
    "up_once_alone": (b"f/l", b".."),
    "up_twice": (b"f/g/l", b"../../x"),
    "up_behind_a_dot": (b"f/l", b"./../x"),
    "three_dots": (b"l", b".../x"),
    "dots_and_more": (b"l", b"..x"),
    "dot": (b"l", b"./f"),
    "up_over_empty_components": (b"f/g/l", b"..//../x"),
    "long": (b"l", b"f/g/" + b"x/" * 60),
}


@good("4.3", each=LEADING_IN)
def archive_link_stays(f, path_and_target):
    "a symbolic link that does not lead out of the folder"
    folders = [folder(b"f"), folder(b"f/g")]
    build(f, *sorted([*folders, symbolic_link(*path_and_target)], key=lambda member: member.path.replace(b"/", b"\0")))


# The check.


def oracles(name, raw):
    """What other programs find in a vector that is right."""
    keys, sealed = parse_vector(raw)
    if keys["expect"] != ["success"] or "range" in keys:
        return
    context = keys["context"][0].encode() if "context" in keys else None
    opened = open_content(sealed, keys["identity"], context)
    content = opened.read(0, opened.length)
    if hasattr(opened, "entries") and shutil.which("zstd"):
        stored = opened.stored.read(0, opened.stored.length)
        yield "zstd", subprocess.run(["zstd", "-dcq"], input=stored, capture_output=True, check=True).stdout == content
    if keys.get("archive") != ["success"]:
        return
    expected = [line.split(" ") for line in keys.get("member", [])]
    with tarfile.open(fileobj=io.BytesIO(content), encoding="utf-8", errors="surrogateescape") as tar:
        yield "tarfile", len(tar.getmembers()) == len(expected) and all(map(same, tar.getmembers(), expected))
        data = {path: digest for path, digest in (line.split(" ") for line in keys.get("data", []))}
        found = {
            os_name(member).hex(): tar.extractfile(member).read()
            for member in tar
            if member.type == b"0" and 0 < member.size <= 2**20
        }
        yield "tarfile's data", {path: hashlib.sha256(part).hexdigest() for path, part in found.items()} == data
    for program, arguments in (("tar", ["-t", "--quoting-style=escape"]), ("bsdtar", ["-t"])):
        # GNU tar takes no time outside of 64 bits, and bsdtar's list does not say every name.
        if not shutil.which(program):
            continue
        listed = subprocess.run([program, *arguments], input=content, capture_output=True, env={"LC_ALL": "C"})
        names = [escape_decode(line)[0].removesuffix(b"/").hex() for line in listed.stdout.split(b"\n")[:-1]]
        if program == "bsdtar":
            yield program, listed.returncode == 0 and len(names) == len(expected)
        else:
            yield program, listed.returncode == 0 and names == [words[4] for words in expected]


def os_name(member):
    return member.name.encode("utf-8", "surrogateescape")


def same(member, words):
    kind, mode, time, size, path, *link = words
    seconds, nanoseconds = time.split(".")
    found = [
        TARFILE_KINDS.get(member.type),
        f"{member.mode & 0o7777:04o}",
        str(member.size if member.type == b"0" else 0),
        os_name(member).hex(),
    ]
    found += [member.linkname.encode("utf-8", "surrogateescape").hex()] if member.linkname else []
    wanted = int(seconds) + int(nanoseconds) / 1e9
    return found == [kind, mode, size, path, *link] and abs(float(member.mtime) - wanted) <= 1e-6 + abs(wanted) * 1e-15


TARFILE_KINDS = {b"0": "file", b"1": "hard_link", b"2": "symbolic_link", b"5": "folder"}


def check(folder):
    passed, failed = 0, 0
    for name in SCENARIOS:
        for program, right in oracles(name, folder.joinpath(name).read_bytes()):
            passed, failed = passed + right, failed + (not right)
            if not right:
                print(f"{name}: {program} finds something else")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    if sys.argv[1:] != ["check"]:
        raise SystemExit(__doc__)
    raise SystemExit(check(Path(__file__).parent / "file"))
