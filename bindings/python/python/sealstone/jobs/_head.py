"""How a sealed object gets another head in its place, while its payload stays where it is."""

import contextlib
import os
from typing import Any
from urllib.parse import urlencode

from fsspec import AbstractFileSystem

from .. import _native, errors
from ._entry import Job
from ._store import JOB_KEY, body_of, etag_of, is_local, is_of_job, is_s3

LEAST_PART = 5 << 20
"""Bytes of the shortest part of a multipart upload, but for its last."""
_MOST_PART = 5 << 30
"""Bytes of the longest."""
_KEPT = ("CacheControl", "ContentDisposition", "ContentEncoding", "ContentLanguage", "ContentType", "StorageClass")
"""What else an object has, which a new version of it has too."""


def is_replaced(fs: AbstractFileSystem) -> bool:
    """Whether a store can give an object another head in its place."""
    return is_local(fs) or is_s3(fs)


def replace_head(
    fs: AbstractFileSystem, path: str, rewrapper: _native.Rewrapper, read: bytes, size: int, etag: str, job: Job
) -> str:
    """Replaces the head of a sealed object, which must still be the one that was listed. Everybody sees the old one or the new one.

    `read` are the object's first bytes, which hold its head. What has its new head already raises `FileExistsError`. It returns the new
    ETag.
    """
    if is_local(fs):
        # One that was written after the job began and before it was listed is listed with its time.
        if etag_of(fs.info(path)) != etag and is_of_job(fs, path, job.id, job.begun):
            raise FileExistsError(f"{path} has its new head already")
        rewrapper.rewrap_file(os.fsencode(path), None)
        return etag_of(fs.info(path))
    bucket, key, _ = fs.split_path(path)
    place = {"Bucket": bucket, "Key": key}
    seen = fs.call_s3("head_object", **place)
    kept = {name: seen[name] for name in _KEPT if seen.get(name)}
    kept["Metadata"] = {**seen.get("Metadata", {}), JOB_KEY: job.id}
    if kept["Metadata"] == seen.get("Metadata"):
        raise FileExistsError(f"{path} has its new head already")
    if etag and seen["ETag"].strip('"') != etag:
        raise errors.InputChanged(f"{path} was changed after it was listed")
    tags = fs.call_s3("get_object_tagging", **place).get("TagSet", [])
    if tags:
        kept["Tagging"] = urlencode([(tag["Key"], tag["Value"]) for tag in tags])
    head_len = _native.read_head_len(read)
    moved, start = rewrapper.rewrap_head(read[:head_len]) + read[head_len:], len(read)
    if size - head_len <= 2 * LEAST_PART:
        rest = _range(fs, place, start, size, seen["ETag"])
        said = fs.call_s3("put_object", **place, **kept, Body=moved + rest, IfMatch=seen["ETag"])
    else:
        said = _copied(fs, place, moved, start, size, seen["ETag"], kept)
    fs.invalidate_cache(path)
    return etag_of(said)


def _copied(
    fs: AbstractFileSystem, place: dict[str, str], moved: bytes, start: int, size: int, etag: str, kept: dict[str, Any]
) -> dict[str, Any]:
    """Uploads what is before `start` with the least of the payload that a part may have, and has the store copy the rest."""
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
        said: dict[str, Any] = fs.call_s3(
            "complete_multipart_upload", **upload, MultipartUpload={"Parts": listed}, IfMatch=etag
        )
    except BaseException:
        # The first error is the one to tell; after a completion whose answer was lost there is no upload any more.
        with contextlib.suppress(Exception):
            fs.call_s3("abort_multipart_upload", **upload)
        raise
    return said


def _range(fs: AbstractFileSystem, place: dict[str, str], start: int, end: int, etag: str) -> bytes:
    if start >= end:
        return b""
    return body_of(fs, fs.call_s3("get_object", **place, Range=f"bytes={start}-{end - 1}", IfMatch=etag))
