"""The work of a worker: one object after the other, each with a row for its outcome."""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from .. import _native, _options, errors, providers
from .._streams import SealedWriter, decrypt_between, part_of, write_all
from ._content import MAGIC, Content, Digesting, Taken, content_of, digested
from ._entry import Entry, Job, Row, State
from ._head import replace_head
from ._journal import Journal
from ._source import changed, check_length, check_unchanged, head_of, reading, whole, whole_head
from ._store import OBJECT_STORES, etag_of, etag_of_parts, is_local, is_refused, may_pass, publication, state_of

_HEAD_LEN = 1 << 16
"""The bytes that are first read of an object: for most objects, this is the whole head."""
_AT_ONCE = 16
"""Objects of a task that are processed at once: a small object mostly waits for its store."""
_LARGE = 64 << 20
"""An object with at least this many bytes gets all threads of a task."""
_WHOLE = 16 << 20
"""An object of a store with at most this many bytes is read and written in one request."""
_TRIES = 3


def run(job: Job, entries: Sequence[Entry], attempt: str = "", wave: int = 0) -> list[Row]:
    """Works on all objects of a task. The failure of an object is a row, not an exception."""
    with contextlib.closing(Journal(job, wave)) as journal:
        return _rows(_Worker(job, attempt or f"{os.getpid()}", journal), entries)


def _rows(worker: "_Worker", entries: Sequence[Entry]) -> list[Row]:
    large = [entry for entry in entries if entry.size >= _LARGE]
    small = [entry for entry in entries if entry.size < _LARGE]
    rows = {entry.input: worker.row(entry) for entry in large}
    if len(small) == 1:
        rows[small[0].input] = worker.row(small[0])
    elif small:
        with ThreadPoolExecutor(min(_AT_ONCE, len(small)), thread_name_prefix="sealstone") as pool:
            rows.update(zip((entry.input for entry in small), pool.map(worker.row, small), strict=True))
    return [rows[entry.input] for entry in entries]


class _Undone(Exception):
    """An object is not processed, for a reason without an error class in the package."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Skipped(_Undone):
    """An object needs no work."""


class Refused(_Undone):
    """An object must not be processed, and so fails."""


def _already_sealed() -> Skipped:
    return Skipped("already_sealed", "it is a sealed file already")


class _FileSystems:
    """Finds the file systems of URLs. URLs that begin like the job's share one: an object's name may look like the URL of another store."""

    def __init__(self, root: str, options: dict[str, Any]) -> None:
        self._options = options
        self._kind = root.partition("://")[0]
        self._fs: AbstractFileSystem | None = None
        if root and "::" not in root:
            self._fs = url_to_fs(root, **options)[0]
        # The objects in flight need their file system several times.
        self._known = lru_cache(4 * _AT_ONCE)(self._place)

    def __call__(self, url: str) -> tuple[AbstractFileSystem, str]:
        """The file system of a URL, and the path in it."""
        return self._known(url)

    def _place(self, url: str) -> tuple[AbstractFileSystem, str]:
        if self._fs is not None and url.partition("://")[0] == self._kind:
            return self._fs, self._fs._strip_protocol(url)
        found: tuple[AbstractFileSystem, str] = url_to_fs(url, **self._options)
        return found


class _Worker:
    """The keys and the file systems of a task."""

    def __init__(self, job: Job, attempt: str, journal: Journal) -> None:
        self._job = job
        self._attempt = attempt
        self._journal = journal
        self._source, self._target = _FileSystems(job.input, job.source), _FileSystems(job.output, job.target)
        self._folders: set[str] = set()
        self._work: Callable[[Entry], dict[str, str]] = getattr(self, f"_{job.operation}")
        options = {name: value for name, value in job.options.items() if value is not None}
        self._encryptor = self._decryptor = self._rewrapper = None
        if job.operation == "encrypt":
            self._encryptor = _options.encryptor(job.recipients, **options)
        elif job.operation in ("decrypt", "verify"):
            self._decryptor = _options.decryptor(_identities(job), **options)
        elif job.operation == "rewrap":
            identities = _identities(job)
            self._rewrapper = _options.rewrapper(identities, job.recipients, **options)
            # The identities that must no longer open an object.
            former = [one for one in identities if str(_native.recipient_of(one)) not in job.recipients]
            self._former = _options.decryptor(former) if former and options.get("replace") else None

    def row(self, entry: Entry) -> Row:
        begun = time.monotonic()
        state: State
        said: dict[str, str]
        try:
            self._check_name(entry)
            state, said = self._tried(entry)
        except Skipped as skipped:
            state, said = "skipped", {"code": skipped.code, "message": str(skipped)}
        except (Refused, errors.Error) as error:
            state, said = "failed", {"code": error.code, "message": str(error)}
        except Exception as error:
            # A store's library may raise any exception; its text helps the reader of the manifest.
            state, said = "failed", {"code": "io", "message": f"{type(error).__name__}: {error}"}
        return Row(
            entry.input,
            entry.size,
            entry.etag,
            entry.output,
            said.get("output_etag", ""),
            said.get("commitment", ""),
            said.get("payload", ""),
            state,
            said.get("code", ""),
            said.get("message", ""),
            self._attempt,
            round(time.monotonic() - begun, 6),
            said.get("detail", ""),
        )

    def _tried(self, entry: Entry) -> tuple[State, dict[str, str]]:
        """Does the work, and repeats it if a retry may help."""
        for tries in range(1, _TRIES + 1):
            try:
                self._check_existing(entry)
                try:
                    return "done", self._work(entry)
                except _Found as found:
                    return "adopted", found.said
                except FileExistsError:
                    return "adopted", self._adopted(entry)
            except Exception as error:
                if tries == _TRIES or not may_pass(error):
                    raise
                time.sleep(0.2 * 4**tries)
        raise AssertionError("the last try returns or raises")

    def _check_name(self, entry: Entry) -> None:
        """Refuses an object whose name means another object, or whose output would be outside of the target."""
        if "?versionId=" in entry.input and entry.input.startswith(("s3://", "s3a://")):
            raise Refused("unsafe_name", f"s3fs takes the name {entry.input} for a version of another object")
        if entry.output and self._job.output:
            root = self._job.output.rstrip("/") + "/"
            parts = entry.output.removeprefix(root).split("/")
            is_flat = root.partition("://")[0] in OBJECT_STORES
            if (
                not entry.output.startswith(root)
                or not parts[-1]
                or (self._job.folder and entry.output.startswith(f"{self._job.folder.rstrip('/')}/"))
                or any(part in (".", "..") or (not part and not is_flat) for part in parts)
                or "\0" in entry.output
            ):
                raise Refused(
                    "unsafe_name",
                    f"{entry.output} is not below the target, has no place of its own there, or is in the job's folder",
                )

    def _check_existing(self, entry: Entry) -> None:
        """Skips an object that has an output already: a sealed file of the input's length."""
        if not (self._job.skip_existing and entry.output):
            return
        fs, path = self._target(entry.output)
        # If an attempt of this job was about to publish the output, it is adopted or refused later.
        if not fs.isfile(path) or self._journal.of(entry):
            return
        size, etag = state_of(fs, path)
        there = Entry(entry.output, size, etag, "")
        try:
            head = whole_head(fs, path, head_of(fs, path, _HEAD_LEN, there), there)
            seen = _native.inspect_head(head, size)
        except errors.Error as error:
            raise Refused(
                "output_exists", f"{entry.output} already exists, and is not a sealed file: {error}"
            ) from None
        if seen.compressed:
            raise Refused(
                "output_exists",
                f"{entry.output} already exists, and is compressed: how long its content is does not show",
            )
        if seen.plaintext_len != entry.size:
            raise Refused(
                "output_exists",
                f"{entry.output} already exists, and has {seen.plaintext_len} bytes where the input has {entry.size}",
            )
        raise Skipped("output_exists", "its output is there already")

    def _not_sealed(self, entry: Entry) -> Exception:
        """The outcome of an object that is no sealed file: damaged if its name has the suffix or the job looks for damage, else skipped."""
        is_named = bool(self._job.suffix) and entry.input.endswith(self._job.suffix)
        if self._job.operation == "verify" or is_named or entry.payload:
            return errors.NotSealstone(f"{entry.input} is not a sealed file: it is damaged, or was replaced")
        return Skipped("not_sealstone", "it is not a sealed file")

    def _check_payload(self, entry: Entry, content: Content) -> None:
        """Refuses an object whose payload differs from the one in an earlier manifest."""
        if entry.payload and content.payload != entry.payload:
            raise Refused(
                "payload_changed", f"the payload of {entry.input} is not the one that the earlier manifest has"
            )

    def _places(self, entry: Entry) -> tuple[bytes, bytes] | None:
        """The paths of an input and an output if both are local: core has the fastest and safest way between them."""
        (source_fs, source_path), (target_fs, target_path) = self._source(entry.input), self._target(entry.output)
        if not (is_local(source_fs) and is_local(target_fs)):
            return None
        folder = os.path.dirname(target_path)
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        return os.fsencode(source_path), os.fsencode(target_path)

    def _encrypt(self, entry: Entry) -> dict[str, str]:
        assert self._encryptor is not None
        encryptor = self._encryptor
        fs, path = self._source(entry.input)
        if (is_local(fs) or entry.size > _WHOLE) and _is_sealed(fs, path, head_of(fs, path, len(MAGIC), entry), entry):
            raise _already_sealed()
        if places := self._places(entry):
            entry = check_unchanged(entry, fs, path)
            prepared = _native.Prepared.encryption(encryptor, *places)
            return self._publish(entry, prepared, _content_of_prepared(prepared))
        if entry.size <= _WHOLE:
            data = whole(fs, path, entry)
            if _is_sealed(fs, path, data[:_HEAD_LEN], entry):
                raise _already_sealed()
            sealed = encryptor.encrypt(data, None)
            return self._written(entry, lambda target: write_all(target, sealed))

        def write(target: Any) -> None:
            with (
                reading(fs, path, entry) as source,
                SealedWriter(_native.Writer.into(encryptor, target)) as writer,
            ):
                _copy(source, writer, entry)

        return self._written(entry, write)

    def _decrypt(self, entry: Entry) -> dict[str, str]:
        assert self._decryptor is not None
        decryptor = self._decryptor
        fs, path = self._source(entry.input)
        head, is_whole = self._sealed(fs, path, entry)
        if places := self._places(entry):
            entry = check_unchanged(entry, fs, path)
            prepared = _native.Prepared.decryption(decryptor, *places)
            return self._publish(entry, prepared, self._content_of_local(entry))
        if is_whole:
            data = decryptor.decrypt(head, None)
            content = digested(head)
            return self._written(entry, lambda target: write_all(target, data), lambda: content)
        digesting = Digesting()

        def write(target: Any) -> None:
            with reading(fs, path, entry) as source:
                decrypt_between(decryptor, Taken(source, digesting), target)

        return self._written(entry, write, digesting.content)

    def _verify(self, entry: Entry) -> dict[str, str]:
        assert self._decryptor is not None
        fs, path = self._source(entry.input)
        head, is_whole = self._sealed(fs, path, entry)
        if is_whole:
            self._decryptor.decrypt(head, None)
            content = digested(head)
        elif is_local(fs):
            entry = check_unchanged(entry, fs, path)
            self._decryptor.verify_file(os.fsencode(path), False, None)
            content = self._content_of_local(entry)
            check_unchanged(entry, fs, path)
        else:
            digesting = Digesting()
            with reading(fs, path, entry) as source:
                decrypt_between(self._decryptor, Taken(source, digesting), _Nowhere())
            content = digesting.content()
        self._check_payload(entry, content)
        return _said(content)

    def _inspect(self, entry: Entry) -> dict[str, str]:
        fs, path = self._source(entry.input)
        head = self._whole_head(fs, path, entry)
        seen = _native.inspect_head(head, entry.size)
        if is_local(fs):
            check_unchanged(entry, fs, path)
        detail = {
            "suite": seen.suite,
            "context_bound": seen.context_bound,
            "compressed": seen.compressed,
            "archive": seen.archive,
            "plaintext_len": seen.plaintext_len,
            "stanzas": [one.kind for one in seen.stanzas],
            "header_sha256": hashlib.sha256(head[: seen.header_len]).hexdigest(),
        }
        return {"commitment": content_of(head, entry.size).commitment, "detail": json.dumps(detail)}

    def _rewrap(self, entry: Entry) -> dict[str, str]:
        assert self._rewrapper is not None
        fs, path = self._source(entry.input)
        if entry.output == entry.input:
            return self._replaced(fs, path, entry)
        head = self._whole_head(fs, path, entry)
        head_len = _native.read_head_len(head)
        moved = self._rewrapper.rewrap_head(head[:head_len])

        def write(target: Any) -> None:
            with reading(fs, path, entry) as source:
                write_all(target, moved)
                _copy(source, target, entry, head[:head_len])

        return self._written(entry, write)

    def _replaced(self, fs: AbstractFileSystem, path: str, entry: Entry) -> dict[str, str]:
        """Replaces the head of an object in place, or finds that this job has done so already. An object that was changed since the listing
        stays as it is."""
        assert self._rewrapper is not None
        try:
            if not entry.etag and self._journal.of(entry):
                # The listing had no ETag to compare.
                raise changed(entry)
            entry = check_unchanged(entry, fs, path)
            if is_local(fs):
                self._sealed(fs, path, entry)
                prepared = _native.Prepared.rewrapping(self._rewrapper, os.fsencode(path))
                return self._publish(entry, prepared, _content_of_prepared(prepared))
            return self._replaced_on_s3(fs, path, entry)
        except Exception as error:
            # The store may have replaced the object and its answer was lost, or another attempt of this job was faster.
            if is_refused(error) or isinstance(error, errors.InputChanged) or may_pass(error):
                if found := self._found(fs, path, entry):
                    raise _Found(found) from error
                if not entry.etag and isinstance(error, errors.InputChanged):
                    return self._replaced(fs, path, entry._replace(etag=state_of(fs, path)[1]))
                check_unchanged(entry, fs, path)
                if is_refused(error):
                    raise changed(entry) from error
            raise

    def _replaced_on_s3(self, fs: AbstractFileSystem, path: str, entry: Entry) -> dict[str, str]:
        assert self._rewrapper is not None
        head = self._whole_head(fs, path, entry)
        head_len = _native.read_head_len(head)
        moved = self._rewrapper.rewrap_head(head[:head_len])
        # If the object is unchanged since the earlier manifest, that manifest's hash holds, and the payload is not read.
        payload = entry.payload
        if payload and entry.payload_etag != entry.etag:
            self._check_payload(entry, _read(fs, path, entry, True))
        content = content_of(moved, len(moved) + entry.size - head_len, payload)

        def announce(object: bytes, etag: str) -> None:
            nonlocal content
            if object:
                content = digested(object)
                self._check_payload(entry, content)
            self._journal.write(entry, content, etag)

        etag = replace_head(fs, path, head, moved, entry, self._job.id, announce)
        return {**_said(content), "output_etag": etag}

    def _whole_head(self, fs: AbstractFileSystem, path: str, entry: Entry) -> bytes:
        """The head of a sealed object without armour, and the bytes that were read behind it."""
        head = head_of(fs, path, _HEAD_LEN, entry)
        if not head.startswith(MAGIC):
            raise self._not_sealed(entry)
        return whole_head(fs, path, head, entry)

    def _sealed(self, fs: AbstractFileSystem, path: str, entry: Entry) -> tuple[bytes, bool]:
        """The first bytes of a sealed object, and whether they are all of it: a short object of a store is read in one request."""
        is_whole = not is_local(fs) and entry.size <= _WHOLE
        head = whole(fs, path, entry) if is_whole else head_of(fs, path, _native.armour_look_len(b""), entry)
        look_len = _native.armour_look_len(head)
        if len(head) < look_len and not is_whole:
            head = head_of(fs, path, look_len, entry)
        if not head.startswith(MAGIC) and not _native.is_armoured(head):
            raise self._not_sealed(entry)
        return head, is_whole

    def _content_of_local(self, entry: Entry) -> Content:
        """The content of a local object that was authenticated. The caller checks afterwards whether it has changed meanwhile."""
        fs, path = self._source(entry.input)
        if not head_of(fs, path, len(MAGIC), entry).startswith(MAGIC):
            return Content("", entry.size, "", "")
        head, payload = _native.content_of_file(os.fsencode(path))
        return content_of(head, entry.size, payload)

    def _written(
        self, entry: Entry, write: Callable[[Any], object], content: Callable[[], Content] | None = None
    ) -> dict[str, str]:
        """Writes and publishes the output, unless something fails. `content` gives the content to record, if that is the input's."""
        fs, path = self._target(entry.output)
        if fs.isfile(path):
            raise FileExistsError(f"{entry.output} already exists")
        target = publication(fs, path, self._job.id, is_private=self._job.operation == "decrypt")
        digesting = Digesting()
        try:
            write(target if content else Taken(target, digesting))
        except BaseException:
            # Report the first error.
            with contextlib.suppress(Exception):
                target.abandon()
            raise
        return self._publish(entry, target, (content or digesting.content)())

    def _publish(self, entry: Entry, target: Any, content: Content) -> dict[str, str]:
        """Records the output in the journal, and publishes it. If that fails, nothing is left."""
        fs, path = self._target(entry.output)
        is_ready = False
        try:
            self._check_payload(entry, content)
            self._journal.write(entry, content)
            source_fs, source_path = self._source(entry.input)
            if is_local(source_fs):
                check_unchanged(entry, source_fs, source_path)
            is_ready = True
            said = target.publish()
        except BaseException as error:
            with contextlib.suppress(Exception):
                target.abandon()
            if is_ready and isinstance(error, Exception) and entry.output != entry.input and fs.isfile(path):
                # The store may have published the object, and its answer was lost.
                raise FileExistsError(f"{entry.output} already exists") from error
            raise
        etag = etag_of(said) if isinstance(said, dict) else ""
        if not etag:
            etag = state_of(fs, path)[1]
            # If another object has taken its place meanwhile, the row gets no ETag.
            parts = getattr(target, "parts", None)
            etag = etag if not parts or etag_of_parts(parts) == etag else ""
        return {**_said(content), "output_etag": etag}

    def _adopted(self, entry: Entry) -> dict[str, str]:
        """The row of an existing output, if an attempt of this job made it and the report was lost. Any other existing output is refused."""
        fs, path = self._target(entry.output)
        try:
            found = self._found(fs, path, entry)
        except (errors.Error, OSError) as error:
            if may_pass(error):
                raise
            raise Refused("output_exists", f"{entry.output} already exists, and cannot be read: {error}") from error
        if found is None:
            raise Refused("output_exists", f"{entry.output} already exists, and is not what this job has made")
        return found

    def _found(self, fs: AbstractFileSystem, path: str, entry: Entry) -> dict[str, str] | None:
        """The row of an object if the journal of this job has exactly this object, else None."""
        if not (self._journal.of(entry) or self._journal.of(entry, is_new=True)):
            return None
        size, etag = state_of(fs, path)
        there = Entry(entry.output, size, etag, "")
        if self._job.operation == "decrypt":
            content = self._plaintext(fs, path, entry, there)
        else:
            content = _read(fs, path, there, any(not intent.etag for intent in self._journal.of(entry)))
        # Another attempt may have recorded the object a moment ago.
        mine = (one for is_new in (False, True) for one in self._journal.of(entry, is_new) if one.is_of(content, etag))
        intent = next(mine, None)
        if intent is None:
            return None
        if self._job.operation == "rewrap" and self._is_open_to_former(fs, path, there):
            return None
        check_unchanged(there, fs, path)
        return {"commitment": content.commitment, "payload": content.payload or intent.payload, "output_etag": etag}

    def _plaintext(self, fs: AbstractFileSystem, path: str, entry: Entry, there: Entry) -> Content:
        """Decrypts the input again. If the plaintext equals the existing output, the input's content; else a content that matches no line."""
        assert self._decryptor is not None
        source_fs, source_path = self._source(entry.input)
        with reading(fs, path, there) as output, reading(source_fs, source_path, entry) as source:
            digesting, same = Digesting(), _Same(output)
            decrypt_between(self._decryptor, Taken(source, digesting), same)
            return digesting.content() if same.is_same() else Content("", -1, "", "")

    def _is_open_to_former(self, fs: AbstractFileSystem, path: str, there: Entry) -> bool:
        """Whether an object still opens with an identity that the job was to remove."""
        if self._former is None:
            return False
        try:
            _native.Chunks(self._former, whole_head(fs, path, head_of(fs, path, _HEAD_LEN, there), there))
        except errors.NoMatchingIdentity:
            return False
        return True


class _Found(FileExistsError):
    """The object has the output of this job already."""

    def __init__(self, said: dict[str, str]) -> None:
        super().__init__("it is there already")
        self.said = said


def _said(content: Content) -> dict[str, str]:
    """The properties of a content in a row."""
    return {"commitment": content.commitment, "payload": content.payload}


def _content_of_prepared(prepared: _native.Prepared) -> Content:
    head, payload = prepared.content()
    return content_of(head, prepared.lengths()[1], payload)


def _read(fs: AbstractFileSystem, path: str, there: Entry, is_payload_wanted: bool) -> Content:
    """The content of an object: only from its head, or from all of it."""
    if not is_payload_wanted:
        return content_of(whole_head(fs, path, head_of(fs, path, _HEAD_LEN, there), there), there.size)
    digesting = Digesting()
    with reading(fs, path, there) as source:
        while part := part_of(source):
            digesting.update(part)
    return digesting.content()


class _Nowhere:
    def write(self, data: Any, /) -> int:
        return len(data)


class _Same:
    """A target that only compares the bytes with those of an existing file."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._is_same = True

    def write(self, data: Any, /) -> int:
        left = memoryview(data)
        while self._is_same and left:
            part = self._file.read(len(left))
            self._is_same = bool(part) and part == left[: len(part)]
            left = left[len(part) :]
        return len(data)

    def is_same(self) -> bool:
        """Whether both are equal from beginning to end."""
        return self._is_same and not self._file.read(1)


def _copy(source: Any, target: Any, entry: Entry, without: bytes = b"") -> None:
    """Copies an object without the beginning `without`, and checks that it has the planned length."""
    length = 0
    while part := part_of(source):
        if not part.startswith(skipped := without[length : length + len(part)]):
            raise changed(entry)
        write_all(target, part[len(skipped) :])
        length += len(part)
    check_length(entry, length)


def _is_sealed(fs: AbstractFileSystem, path: str, head: bytes, entry: Entry) -> bool:
    """Whether an object is a sealed file, and does not only begin like one."""
    if not head.startswith(MAGIC):
        return False
    try:
        head = whole_head(fs, path, head if len(head) > len(MAGIC) else head_of(fs, path, _HEAD_LEN, entry), entry)
        _native.inspect_head(head, entry.size)
    except errors.Error:
        return False
    return True


def _identities(job: Job) -> list[_native.Identity]:
    found = providers.identities(job.identities)
    if any(one.kind == "passphrase" for one in found):
        # Each file determines the memory for its passphrase, and a worker processes sixteen files at once.
        raise ValueError("jobs take keys, not passphrases")
    return found
