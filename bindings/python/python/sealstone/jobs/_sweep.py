"""What killed workers leave in a store, and what ends it."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from ._entry import Job
from ._store import is_s3

_CLOCKS = timedelta(minutes=15)
"""How far clocks may be apart: S3 itself refuses requests of those that are further."""


def swept(job: Job, published: Sequence[str]) -> int:
    """Aborts the uploads that were begun since for outputs that are published; returns how many.

    A worker that is killed in the middle of an upload leaves its parts, which are paid for. The output is there by then, so such an
    upload can never be completed: its store would refuse it.
    """
    fs, _ = url_to_fs(job.output, **job.target)
    if not is_s3(fs):
        # GCS and Azure forget them after a week, and take nothing for them; a local file without a name ends with its process.
        return 0
    bucket = fs.split_path(published[0])[0]
    keys = {fs.split_path(url)[1] for url in published}
    count = 0
    for upload in list(_uploads(fs, bucket, _start_of_all(keys))):
        since: datetime = upload["Initiated"]
        if upload["Key"] in keys and since >= datetime.fromtimestamp(job.begun, since.tzinfo) - _CLOCKS:
            # One that is gone was aborted, and the answer lost.
            with contextlib.suppress(FileNotFoundError):
                fs.call_s3("abort_multipart_upload", Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
            count += 1
    return count


def _start_of_all(keys: set[str]) -> str:
    """What all keys begin with: what is between the first and the last begins as both do."""
    first, last = min(keys), max(keys)
    return next((first[:i] for i, one in enumerate(first) if last[i : i + 1] != one), first)


def _uploads(fs: AbstractFileSystem, bucket: str, prefix: str) -> Iterator[dict[str, Any]]:
    """The unfinished uploads below a prefix, page by page."""
    marker: dict[str, str] = {}
    while True:
        page = fs.call_s3("list_multipart_uploads", Bucket=bucket, Prefix=prefix, **marker)
        yield from page.get("Uploads") or []
        if not page.get("IsTruncated"):
            return
        marker = {"KeyMarker": page["NextKeyMarker"], "UploadIdMarker": page["NextUploadIdMarker"]}
