"""Where a private key is not: closures, event logs, temporary files, command lines, plans, manifests, metadata of objects."""

import os
import random
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sealstone
from conftest import Keys
from secrets_search import Search
from victims import descendants

PROGRAM = """
    import itertools, os, pathlib, sys
    from multiprocessing.reduction import ForkingPickler
    import pyspark.serializers
    from pyspark.sql import SparkSession
    from sealstone import jobs

    def recorded(kind, dumps, numbers=itertools.count()):
        def record(*given, **named):
            data = dumps(*given, **named)
            pathlib.Path("pickles", f"{next(numbers)}-{kind}").write_bytes(bytes(data))
            return data
        return record

    if __name__ == "__main__":
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        settings = {
            "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": os.path.abspath("local"), "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": "file://" + os.path.abspath("events"),
            # No search finds packed secrets.
            "spark.eventLog.compress": "false", "spark.shuffle.compress": "false", "spark.shuffle.spill.compress": "false",
            "spark.broadcast.compress": "false", "spark.python.worker.faulthandler.enabled": "true",
        }
        builder = SparkSession.builder.master("local[2,4]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("INFO")
        ForkingPickler.dumps = recorded("process", ForkingPickler.dumps)
        pyspark.serializers.CloudPickleSerializer.dumps = recorded("spark", pyspark.serializers.CloudPickleSerializer.dumps)
        url, to, new = sys.argv[1:]
        for name, engine in (("spark", spark), ("processes", "processes")):
            def settled(what):
                return {"manifest": f"jobs/{what}-{name}", "engine": engine}

            here = f"{url}/{name}"
            first = jobs.encrypt(f"{url}/src", f"{here}/sealed", recipients=to, **settled("encrypt"))
            jobs.rewrap(f"{here}/sealed", identities="env:IDENTITY", recipients=[to, new], **settled("turn"))
            last = jobs.decrypt(f"{here}/sealed", f"{here}/plain", identities="file:keys/id", **settled("decrypt"))
            # Failures have words, too.
            wrong = jobs.decrypt(f"{here}/sealed", f"no-{name}", identities="exec:cat keys/wrong", **settled("wrong"))
            print(first.done, last.done, wrong.failed, file=sys.stderr)
            assert first.done == last.done == wrong.failed == 12
        print("ready", flush=True)
        sys.stdin.read()
        spark.stop()
"""


@pytest.fixture
def temporary() -> Iterator[str]:
    """A folder with a short name: sockets of Python's are in it."""
    with tempfile.TemporaryDirectory() as folder:
        yield folder


def test_a_private_key_is_nowhere_but_where_it_was_put(
    s3: Any, bucket: str, keys: Keys, tmp_path: Path, temporary: str
) -> None:
    chosen = random.Random(19)
    s3.pipe({f"{bucket}/src/f{i:02}": chosen.randbytes(20_000) for i in range(12)})
    place = tmp_path / "place"
    for name in ("keys", "local", "events", "pickles", "jobs"):
        (place / name).mkdir(parents=True)
    (place / "keys" / "id").write_text(sealstone.export_identity(keys.identity))
    other = Keys(place / "keys", "other")
    Keys(place / "keys", "wrong")
    (place / "program.py").write_text(textwrap.dedent(PROGRAM))
    search = Search(keys.identity)
    command = [sys.executable, "program.py", f"s3://{bucket}", str(keys.recipient), str(other.recipient)]
    environment = {
        **os.environ,
        "IDENTITY": sealstone.export_identity(keys.identity),
        "TMPDIR": temporary,
        "JDK_JAVA_OPTIONS": f"-Djava.io.tmpdir={temporary}",
    }
    lines: set[bytes] = set()
    with (
        open(place / "log", "wb") as log,
        subprocess.Popen(
            command, cwd=place, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        ) as driver,
    ):
        assert driver.stdout is not None
        os.set_blocking(driver.stdout.fileno(), False)
        while (said := driver.stdout.read()) is None:
            for process in descendants():
                try:
                    lines.add(Path(f"/proc/{process}/cmdline").read_bytes())
                except OSError:
                    continue
            time.sleep(0.01)
        assert said == b"ready\n", (place / "log").read_text()[-4000:]
        # While Spark still has its files.
        found = {**search.below(place), **search.below(Path(temporary))}
        folders = {path.parent.relative_to(place).parts[0] for path in place.glob("*/*")}
        driver.communicate()
    assert driver.returncode == 0
    names = [path for path in place.rglob("*") if path.is_file()]
    assert set(found) == {str(place / "keys" / "id")}
    assert not search.within(b"\n".join(lines))
    # It has looked at something: closures of both engines, a log of events, the JVM and workers.
    assert folders >= {"pickles", "events", "local", "jobs", "keys"}
    assert {path.name.partition("-")[2] for path in names if path.parent.name == "pickles"} == {"process", "spark"}
    assert any(b"sealstone" in path.read_bytes() for path in names if path.parent.name == "pickles")
    assert any(b"SparkListenerJobEnd" in path.read_bytes() for path in names if "events" in path.parts)
    assert any(b"java" in line for line in lines)
    assert any(b"forkserver" in line for line in lines)
    for path in s3.find(bucket):
        said = s3.call_s3("head_object", Bucket=bucket, Key=path.partition("/")[2])
        assert not search.within(repr(said).encode() + s3.cat(path)), path


def test_the_search_finds_what_is_there(keys: Keys, tmp_path: Path) -> None:
    search = Search(keys.identity)
    assert len(search.forms) > 80
    (tmp_path / "id").unlink()
    for i, (name, form) in enumerate(search.forms.items()):
        folder = tmp_path / str(i) / "in" / "it"
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(os.urandom(i) + form + os.urandom(9))
        assert name in search.below(tmp_path / str(i))[str(folder / "file")]
    other = Keys(tmp_path / "0", "other")
    assert search.below(tmp_path / "0").keys() == {str(tmp_path / "0" / "in" / "it" / "file")}
    assert Search(other.identity).below(tmp_path / "0").keys() == {str(tmp_path / "0" / "other")}
