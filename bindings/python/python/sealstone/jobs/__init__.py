"""Encrypts, decrypts, verifies and rewraps whole prefixes of a store. A manifest has the outcome of each object.

>>> import sealstone, sealstone.jobs, os
>>> identity = sealstone.generate_identity()
>>> os.makedirs("films")
>>> for name in ("a", "b"):
...     _ = open(f"films/{name}", "w").write("action")
>>> report = sealstone.jobs.encrypt("films", "sealed", recipients=sealstone.recipient_of(identity), manifest="job", engine=None)
>>> report.done, report.failed, sorted(os.listdir("sealed"))
(2, 0, ['a.seal', 'b.seal'])

Sources, targets and manifests are paths or URLs of fsspec, such as `s3://bucket/prefix`. Each output appears complete or not at all, and
none replaces another. To resume an interrupted job, run it again with the same manifest: it adopts outputs that it has already written.

Workers get only public keys. For identities, you name a provider, which each worker asks: `file:PATH`, `env:NAME`, `exec:PROGRAM` or
`module:function`.

With the engine `processes`, the default, workers do not run the program that begins the job, so it needs no `__main__` guard.
"""

from ._driver import Report, decrypt, encrypt, inspect, rewrap, verify
from ._engines import Engine, OnExecutor, Processes
from ._entry import Row

__all__ = ["Engine", "OnExecutor", "Processes", "Report", "Row", "decrypt", "encrypt", "inspect", "rewrap", "verify"]
