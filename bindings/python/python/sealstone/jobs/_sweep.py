"""Removes unfinished uploads that killed workers leave in a store."""

import contextlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from ._entry import Job
from ._store import is_s3

_CLOCKS = timedelta(minutes=15)
"""The most difference between clocks: S3 itself refuses requests with a larger one."""


def swept(job: Job, published: Sequence[str]) -> int:
    """Aborts unfinished uploads for published outputs that began after the job did; returns how many.

    A worker that is killed during an upload leaves its parts, for which the store charges. The output is published by then, so such an
    upload can never be completed: its store would refuse it.
    """
    fs, _ = url_to_fs(job.output, **job.target)
    if not is_s3(fs):
        # GCS and Azure remove them after a week, without charge. A local file without a name ends with its process.
        return 0
    bucket = fs.split_path(published[0])[0]
    keys = {fs.split_path(url)[1] for url in published}
    count = 0
    for upload in list(_uploads(fs, bucket, _start_of_all(keys))):
        since: datetime = upload["Initiated"]
        if upload["Key"] in keys and since >= datetime.fromtimestamp(job.begun, since.tzinfo) - _CLOCKS:
            # If the upload is gone, it was aborted and the answer was lost.
            with contextlib.suppress(FileNotFoundError):
                fs.call_s3("abort_multipart_upload", Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
            count += 1
    return count


def _start_of_all(keys: set[str]) -> str:
    """The common beginning of all keys: every key sorts between the first and the last, so it begins like both."""
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
