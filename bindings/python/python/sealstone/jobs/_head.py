"""Replaces the head of a sealed object in place. Its payload is not moved."""

import contextlib
from collections.abc import Callable
from typing import Any, TypeAlias
from urllib.parse import urlencode

from fsspec import AbstractFileSystem

from .. import _native
from ._entry import Entry
from ._source import check_state
from ._store import JOB_KEY, body_of, etag_of, etag_of_parts, is_local, is_s3

LEAST_PART = 5 << 20
"""The least bytes of a part of a multipart upload, except the last part."""
_MOST_PART = 5 << 30
"""The most bytes of a part."""
_KEPT = ("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "StorageClass")
"""Other properties of an object, which its new version keeps."""


Announce: TypeAlias = Callable[[bytes, str], object]


def is_replaced(fs: AbstractFileSystem) -> bool:
    """Whether a store can replace the head of an object in place."""
    return is_local(fs) or is_s3(fs)


def replace_head(
    fs: AbstractFileSystem, path: str, head: bytes, moved: bytes, entry: Entry, job: str, announce: Announce
) -> str:
    """Replaces the head of a sealed object on S3. The object must still be the one that was listed. Readers see the old or the new object.

    `head` is the beginning of the object, including all of its head, and `moved` is the new head. Before it publishes the object, it calls
    `announce` with the new object. If the store copies most of the object, it calls `announce` with empty bytes and the future ETag.
    It returns the new ETag.
    """
    bucket, key, _ = fs.split_path(path)
    place = {"Bucket": bucket, "Key": key}
    seen = fs.call_s3("head_object", **place)
    check_state(entry, seen["ContentLength"], etag_of(seen))
    kept = {name: seen[name] for name in _KEPT if seen.get(name)}
    kept["Metadata"] = {**seen.get("Metadata", {}), JOB_KEY: job}
    tags = fs.call_s3("get_object_tagging", **place).get("TagSet", [])
    if tags:
        kept["Tagging"] = urlencode([(tag["Key"], tag["Value"]) for tag in tags])
    head_len = _native.read_head_len(head)
    moved, start = moved + head[head_len:], len(head)
    if entry.size - head_len <= 2 * LEAST_PART:
        new = moved + _range(fs, place, start, entry.size, seen["ETag"])
        announce(new, "")
        said = fs.call_s3("put_object", **place, **kept, Body=new, IfMatch=seen["ETag"])
    else:
        said = _copied(fs, place, moved, start, entry.size, seen["ETag"], kept, announce)
    fs.invalidate_cache(path)
    return etag_of(said)


def _copied(
    fs: AbstractFileSystem,
    place: dict[str, str],
    moved: bytes,
    start: int,
    size: int,
    etag: str,
    kept: dict[str, Any],
    announce: Announce,
) -> dict[str, Any]:
    """Uploads the new beginning with as little of the payload as a part may have. The store copies the rest."""
    upload = {**place, "UploadId": fs.call_s3("create_multipart_upload", **place, **kept)["UploadId"]}
    try:
        at = start + LEAST_PART
        first = moved + _range(fs, place, start, at, etag)
        parts = [fs.call_s3("upload_part", **upload, PartNumber=1, Body=first)["ETag"]]
        while at < size:
            end = min(at + _MOST_PART, size)
            copied = fs.call_s3(
                "upload_part_copy",
                **upload,
                PartNumber=len(parts) + 1,
                CopySource=place,
                CopySourceRange=f"bytes={at}-{end - 1}",
                CopySourceIfMatch=etag,
            )
            parts.append(copied["CopyPartResult"]["ETag"])
            at = end
        listed = [{"PartNumber": number, "ETag": part} for number, part in enumerate(parts, 1)]
        announce(b"", etag_of_parts(parts))
        said: dict[str, Any] = fs.call_s3(
            "complete_multipart_upload", **upload, MultipartUpload={"Parts": listed}, IfMatch=etag
        )
    except BaseException:
        # Report the first error. If the answer to a completion was lost, the upload no longer exists.
        with contextlib.suppress(Exception):
            fs.call_s3("abort_multipart_upload", **upload)
        raise
    return said


def _range(fs: AbstractFileSystem, place: dict[str, str], start: int, end: int, etag: str) -> bytes:
    if start >= end:
        return b""
    return body_of(fs, fs.call_s3("get_object", **place, Range=f"bytes={start}-{end - 1}", IfMatch=etag))
