"""The manifest of an earlier job as a source of payload hashes, and of the ETags that the objects had."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ._book import Book
from ._entry import ENTRIES

_HELD = 4
"""Parts of a manifest in memory. Listings and manifests (but for suffixes) are in the order of names, so that neighbours share parts."""


class Earlier:
    """The manifest of an earlier job of any operation: its outputs, or the objects that it read."""

    def __init__(self, book: Book, root: str) -> None:
        self._book, self._root = book, f"{root.rstrip('/')}/"
        self._parts = sorted(book.runs().items())
        self._ranges: dict[int, tuple[str, str] | None] = {}
        self._held: OrderedDict[int, pa.Table] = OrderedDict()
        self._is_of_here = False
        self._known: dict[int, int] = {}
        """For each part, how many objects have not failed."""
        self._seen: dict[int, pa.ChunkedArray] = {}
        """For each part, a bit for each of its objects: whether a wave of this plan has it."""

    def added(self, waves: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Adds the columns `payload` and `payload_etag` to the waves of a plan. They are empty if nothing is known."""
        for wave in waves:
            payloads = etags = pa.nulls(wave.num_rows, pa.string())
            if wave.num_rows:
                least, most = pc.min(wave["input"]).as_py(), pc.max(wave["input"]).as_py()
                for number, run in self._parts:
                    if self._meets(number, least, most):
                        part = self._part(number, run)
                        at = pc.index_in(wave["input"], value_set=part["object"])
                        payloads = pc.coalesce(payloads, part["payload"].take(at))
                        etags = pc.coalesce(etags, part["etag"].take(at))
                        self._seen[number] = pc.or_(self._seen[number], pc.is_in(part["object"], wave["input"]))
            for name, values in (("payload", payloads), ("payload_etag", etags)):
                wave = wave.append_column(ENTRIES.field(name), pc.fill_null(values, ""))
            yield wave

    def undone(self) -> int:
        """How many objects the earlier job planned and has not done, after all waves were read. Refuses a manifest of another place."""
        if not self._is_of_here and any(known for known in self._ranges.values()):
            raise ValueError(f"the earlier manifest has no object below {self._root}: it is of another place")
        return self._book.planned().objects - sum(self._known.values())

    def missing(self) -> Iterator[pa.Table]:
        """The objects that the earlier job made below the source and that no longer exist: no wave has them."""
        for number, run in self._parts:
            part = self._part(number, run)
            is_missing = pc.and_(pc.invert(self._seen[number]), pc.starts_with(part["object"], self._root))
            names = part["object"].filter(is_missing)
            empty = pa.array([""] * len(names), pa.string())
            yield pa.table({"input": names, "size": pa.array([0] * len(names), pa.int64()), "etag": empty})

    def _meets(self, number: int, least: str, most: str) -> bool:
        """Whether a part may have names in a range. A part that was never read may have any."""
        if number not in self._ranges:
            return True
        known = self._ranges[number]
        return known is not None and known[0] <= most and least <= known[1]

    def _part(self, number: int, run: int) -> pa.Table:
        if number in self._held:
            self._held.move_to_end(number)
            return self._held[number]
        rows = self._book.rows(number, run)
        self._known[number] = pc.sum(pc.not_equal(rows["state"], "failed")).as_py() or 0
        # If a job skipped an object because its output was there, nothing is known about that output.
        is_there = pc.and_(pc.equal(rows["state"], "skipped"), pc.equal(rows["code"], "output_exists"))
        rows = rows.filter(pc.or_(is_there, pc.is_in(rows["state"], pa.array(["done", "adopted"]))))
        is_moved = pc.not_equal(rows["output"], "")
        # The sealed object of a decrypting job is its input: its output is no sealed file.
        if self._book.operation() == "decrypt":
            is_moved = pc.and_(is_moved, False)
        objects = pc.if_else(is_moved, rows["output"], rows["input"])
        etags = pc.if_else(is_moved, rows["output_etag"], rows["etag"])
        # With one chunk, `take` gives an array.
        part = pa.table({"object": objects, "payload": rows["payload"], "etag": etags}).combine_chunks()
        # If the source is a single object, its name ends here.
        is_here = pc.or_(pc.starts_with(objects, self._root), pc.equal(objects, self._root[:-1]))
        self._is_of_here |= bool(pc.any(is_here).as_py())
        self._ranges[number] = (pc.min(objects).as_py(), pc.max(objects).as_py()) if part.num_rows else None
        self._seen.setdefault(number, pa.chunked_array([pa.array([False] * part.num_rows, pa.bool_())]))
        self._held[number] = part
        if len(self._held) > _HELD:
            self._held.popitem(last=False)
        return part


def unknown(waves: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """As `Earlier.added`, without an earlier manifest: both columns are empty."""
    for wave in waves:
        for name in ("payload", "payload_etag"):
            wave = wave.append_column(ENTRIES.field(name), pa.array([""] * wave.num_rows, pa.string()))
        yield wave
