"""The cost of a job for each object and each byte, and from that its cost for 10⁹ objects of 10 PB. `make scale` writes it
into docs/design/scale.md, between its marks.

usage: scale.py PAGE, with SEALSTONE_VERSITYGW; SEALSTONE_SCALE is how many entries the planner is tried with (1e8).
"""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import sealstone
from conftest import KEYS, free_port, session
from sealstone import jobs
from sealstone.jobs import _earlier, _plan, _spark, _wave
from sealstone.jobs._book import Book
from sealstone.jobs._entry import DONE, ENTRIES, ROWS, Entry, Job, Row

SMALL, LARGE = 64 << 10, 256 << 20
_READS = (
    "GetObject",
    "HeadObject",
    "HeadBucket",
    "GetObjectTagging",
    "DeleteObject",
    "DeleteObjects",
    "AbortMultipartUpload",
)
"""Requests that S3 bills as reads, or not at all; the others, listings too, are writes."""
OPERATIONS = ("encrypt", "verify", "decrypt", "rewrap", "inspect")


# The planner and the driver, without an engine


def planner(count: int) -> dict[str, float]:
    """Plans `count` objects and keeps a manifest of them, in a process of its own, whose memory is then that of the planner."""
    ran = subprocess.run(
        [sys.executable, __file__, "--planner", str(count)],
        stdout=subprocess.PIPE,
        check=True,
        cwd=Path(__file__).parent,
    )
    said: dict[str, float] = json.loads(ran.stdout)
    return said


def planned(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        book = Book(f"file://{folder}", {})
        begun = time.process_time()
        naming = _plan.Naming("s3://bucket/raw", "s3://bucket/sealed", add=".seal")
        book.plan(_earlier.unknown(_plan.waves(_pages(count), naming)))
        plan, begun = time.process_time() - begun, time.process_time()
        waves = _wave.Waves(book, "a job's id")
        chosen = random.Random(2)
        done = 0
        for task in waves.tasks():
            answer = _answered(task, chosen)
            for _ in waves.add(answer):
                pass
            waves.kept.clear()
            done += _wave.counts([answer])["done"]
        waves.close()
        assert done == count
        sizes = {
            name: sum(path.stat().st_size for path in Path(folder, name).rglob("*")) for name in ("plan", "manifest")
        }
    return {
        "plan_us": plan / count * 1e6,
        "waves_us": (time.process_time() - begun) / count * 1e6,
        "seconds": plan + time.process_time() - begun,
        "plan_bytes": sizes["plan"] / count,
        "manifest_bytes": sizes["manifest"] / count,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def _pages(count: int, page: int = 1000) -> Iterator[pa.Table]:
    """A listing with names that count up, and with ETags and lengths of chance."""
    chosen = random.Random(1)
    for at in range(0, count, page):
        numbers = pa.array(range(at, min(at + page, count))).cast(pa.string())
        names = pc.binary_join_element_wise("s3://bucket/raw/year=2026/part-", numbers, ".json.gz", "")
        sizes = [chosen.randrange(20 << 20) for _ in range(len(names))]
        yield pa.table([names, pa.array(sizes, pa.int64()), _hex(chosen, len(names), 16)], schema=_plan._OBJECTS)


def _hex(chosen: random.Random, count: int, length: int) -> pa.Array:
    digits = chosen.randbytes(count * length).hex()
    return pa.array([digits[at : at + 2 * length] for at in range(0, len(digits), 2 * length)], pa.string())


def _answered(task: pa.RecordBatch, chosen: random.Random) -> pa.RecordBatch:
    """The rows that workers would report of a task."""
    count = task.num_rows
    said = {
        "output_etag": _hex(chosen, count, 16),
        "commitment": _hex(chosen, count, 32),
        "payload": _hex(chosen, count, 32),
        "state": pa.array(["done"] * count),
        "attempt": pa.array(["17"] * count),
        "seconds": pa.array([chosen.random() for _ in range(count)]),
    }
    empty = pa.array([""] * count)
    columns = [task.column(name) if name in ENTRIES.names else said.get(name, empty) for name in ROWS.names]
    return pa.RecordBatch.from_arrays([*columns, task.column("wave")], schema=DONE)


# Objects of a store


@contextmanager
def store() -> Iterator[Callable[[], Counter[str]]]:
    """An S3 server on loopback; a call of its result counts the requests since the last call, `reads` and `writes` as S3 bills them."""
    with tempfile.TemporaryDirectory() as folder:
        log, data, port = Path(folder, "log"), Path(folder, "data"), free_port()
        data.mkdir()
        command = [os.environ["SEALSTONE_VERSITYGW"], "--port", f"127.0.0.1:{port}", "--access-log", str(log)]
        environment = {**os.environ, "ROOT_ACCESS_KEY": "test", "ROOT_SECRET_KEY": "testsecret"}
        os.environ.update(KEYS, AWS_ENDPOINT_URL=f"http://127.0.0.1:{port}")
        with subprocess.Popen([*command, "posix", str(data)], env=environment, stdout=-3, stderr=-3) as child:
            seen = 0

            def counted() -> Counter[str]:
                nonlocal seen
                text = log.read_text() if log.exists() else ""
                found, seen = text[seen:], len(text)
                operations = Counter(re.findall(r" s3_(\w+) ", found))
                reads = sum(count for name, count in operations.items() if name in _READS)
                return Counter(reads=reads, writes=operations.total() - reads)

            try:
                yield counted
            finally:
                child.terminate()


def objects(counted: Callable[[], Counter[str]], name: str, size: int, count: int) -> dict[str, dict[str, float]]:
    """CPU seconds and requests of each operation for each object, in this process and without its interpreter's start."""
    import s3fs

    fs = s3fs.S3FileSystem(skip_instance_cache=True)
    until = time.monotonic() + 30
    while True:
        try:
            fs.mkdir(name)
            break
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.1)
    for i in range(count):
        fs.pipe_file(f"{name}/src/{i}", os.urandom(size))
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        identity, other = sealstone.generate_identity(), sealstone.generate_identity()
        key = Path(folder, "key")
        sealstone.write_identity(identity, key)
        url, provider, recipient = f"s3://{name}", f"file:{key}", sealstone.recipient_of(identity)
        work: dict[str, Callable[[dict[str, Any]], jobs.Report]] = {
            "encrypt": lambda how: jobs.encrypt(f"{url}/src", f"{url}/sealed", recipients=recipient, **how),
            "verify": lambda how: jobs.verify(f"{url}/sealed", identities=provider, **how),
            "decrypt": lambda how: jobs.decrypt(f"{url}/sealed", f"{url}/plain", identities=provider, **how),
            "inspect": lambda how: jobs.inspect(f"{url}/sealed", **how),
            "rewrap": lambda how: jobs.rewrap(
                f"{url}/sealed", identities=provider, recipients=sealstone.recipient_of(other), replace=True, **how
            ),
        }
        for operation in ("encrypt", "verify", "decrypt", "inspect", "rewrap"):
            counted()
            begun = time.process_time()
            report = work[operation]({"manifest": f"{folder}/{operation}", "engine": None})
            cpu = time.process_time() - begun
            assert report.done == count, next(report.failures(), None)
            requests = counted()
            assert requests["reads"] >= count
            found[operation] = {"cpu": cpu / count, **{kind: of / count for kind, of in requests.items()}}
    fs.rm(name, recursive=True)
    return found


# Spark's driver


def nothing(job: Job, entries: list[Entry], attempt: str, wave: int) -> list[Row]:
    """Work that takes no time, so that only the driver's is left."""
    return [Row(*one[:4], '"etag"', "ab" * 32, "cd" * 32, "done", "", "", attempt, 0.5, "") for one in entries]


def spark_driver() -> tuple[float, float]:
    """CPU seconds of the driver for each task and for each object, its JVM's among them. Executors are JVMs of their own."""
    spark = session("local-cluster[2,1,1024]")
    spark.range(1).toArrow()
    work, _spark._task = _spark._task, SimpleNamespace(run=nothing)  # type: ignore[assignment]
    try:
        _spark_seconds(spark, 256, 1000)
        few, many = _spark_seconds(spark, 1024, 10), _spark_seconds(spark, 256, 1000)
        # few = 1024 t + 10,240 o; many = 256 t + 256,000 o
        each = (many - few / 4) / (256_000 - 2_560)
        return (few - 10_240 * each) / 1024, each
    finally:
        _spark._task = work
        spark.stop()


def _spark_seconds(spark: Any, tasks: int, objects: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        book = Book(f"file://{folder}", {})
        _plan.TASK_FILES, _plan.TASK_BYTES = objects, 1 << 50
        naming = _plan.Naming("s3://bucket/raw", "s3://bucket/sealed", add=".seal")
        book.plan(_earlier.unknown(_plan.waves(_pages(tasks * objects), naming)))
        begun = _cpu()
        waves = _wave.Waves(book, "a job's id")
        for done in _spark.Spark(spark, 128).run(Job("id", "inspect", 0.0), waves.tasks()):
            for _ in waves.add(done):
                pass
        waves.close()
        return _cpu() - begun


def _cpu() -> float:
    """CPU seconds of this process and of its JVM, without those of workers and executors."""
    begun = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if b"org.apache.spark.deploy.SparkSubmit" not in (path / "cmdline").read_bytes():
                continue
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            begun += int(fields[11]) + int(fields[12])
    return time.process_time() + begun / os.sysconf("SC_CLK_TCK")


# The page

OBJECTS, BYTES = 10**9, 10 * 10**15
EXECUTORS, CORES = 1000, 4
TASKS = max(OBJECTS // _plan._MOST_FILES, BYTES // _plan._MOST_BYTES)
NETWORK = 10e9 / 8
"""Bytes a second of an executor, in each direction."""
READS, WRITES = 5500, 3500
"""Requests a second of one partition of S3's, as its manual says."""
LATENCY, AT_ONCE = 0.05, 16
"""Seconds of a request, and how many of them a task has at once."""
PRICES = {"reads": 0.4e-6, "writes": 5e-6, "core hours": 0.04, "key calls": 3e-6}
"""Dollars of one of each."""
KEPT = 15 * 60
"""Seconds for which a worker keeps its identities."""


def page(count: int) -> str:
    """The measurements, and their consequences, as Markdown."""
    sizes = [size for size in (10**6, 10**7, 10**8) if size <= count]
    planners = {size: planner(size) for size in sizes}
    with store() as counted:
        small = objects(counted, "small", SMALL, 400)
        large = objects(counted, "large", LARGE, 3)
    task, driver = spark_driver()
    last = planners[sizes[-1]]
    lines = [
        f"Measured on {_machine()} by `make scale`; CPU time, with an S3 server on loopback.",
        "",
        "| entries | plan, µs each | tables of waves, µs each | both | peak memory | plan, bytes each | manifest, bytes each |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| 10^{len(str(size)) - 1} | {one['plan_us']:.2f} | {one['waves_us']:.2f} | {one['seconds']:.0f} s | {one['peak'] / 1e6:.0f} MB"
            f" | {one['plan_bytes']:.0f} | {one['manifest_bytes']:.0f} |"
            for size, one in planners.items()
        ),
        "",
        f"Spark's driver takes {task * 1e3:.1f} ms for each task plus {driver * 1e6:.1f} µs for each object, Python and JVM together.",
        "",
        "| operation | CPU of an object of 64 KiB, ms | CPU of each further GiB, s | requests, 64 KiB (read + write) | requests, 256 MiB |",
        "|---|---|---|---|---|",
        *(
            f"| {operation} | {small[operation]['cpu'] * 1e3:.1f} | {_slope(small, large, operation) * 2**30:.2f}"
            f" | {small[operation]['reads']:.1f} + {small[operation]['writes']:.1f}"
            f" | {large[operation]['reads']:.0f} + {large[operation]['writes']:.0f} |"
            for operation in OPERATIONS
        ),
        "",
        "From that, for 10^9 objects of 10 MB on 1,000 executors of 4 cores and 10 Gbit/s, each bound by itself:",
        "",
        "| operation | driver | CPU | waiting for requests | network | the bound | S3 partitions for that | key service calls | dollars: requests + cores |",
        "|---|---|---|---|---|---|---|---|---|",
        *(
            _estimate(operation, small, large, driver + last["plan_us"] / 1e6 + task * TASKS / OBJECTS)
            for operation in OPERATIONS
        ),
        "",
        f"The plan has {last['plan_bytes'] * OBJECTS / 1e9:.0f} GB and the manifest {last['manifest_bytes'] * OBJECTS / 1e9:.0f} GB,"
        f" in {OBJECTS // _plan.WAVE_FILES:,} parts each.",
    ]
    return "\n".join(lines) + "\n"


def _slope(small: Any, large: Any, operation: str) -> float:
    """CPU seconds of each byte that an object is longer."""
    return float(max(large[operation]["cpu"] - small[operation]["cpu"], 0.0) / (LARGE - SMALL))


def _estimate(operation: str, small: Any, large: Any, driver: float) -> str:
    """A row of the last table."""
    each = BYTES // OBJECTS
    moved = {"encrypt": each, "verify": each, "decrypt": each, "rewrap": each, "inspect": SMALL}[operation]
    cpu = small[operation]["cpu"] + max(moved - SMALL, 0) * _slope(small, large, operation)
    if operation == "rewrap":
        # Objects of up to 10 MiB are sent whole, so their bytes cost as much as a copy.
        cpu = small[operation]["cpu"] + moved * _slope(small, large, "verify")
    requests = {kind: small[operation][kind] for kind in ("reads", "writes")}
    bounds = {
        "driver": driver * OBJECTS,
        "CPU": cpu * OBJECTS / (EXECUTORS * CORES),
        "waiting": sum(requests.values()) * OBJECTS * LATENCY / (EXECUTORS * CORES * AT_ONCE),
        "network": moved * OBJECTS / (EXECUTORS * NETWORK),
    }
    bound = max(bounds, key=lambda name: bounds[name])
    seconds = bounds[bound]
    partitions = max(requests["reads"] / READS, requests["writes"] / WRITES) * OBJECTS / seconds
    calls = 0 if operation in ("encrypt", "inspect") else EXECUTORS * CORES * -(-seconds // KEPT)
    money = sum(requests[kind] * OBJECTS * PRICES[kind] for kind in requests) + calls * PRICES["key calls"]
    cores = seconds / 3600 * EXECUTORS * CORES * PRICES["core hours"]
    hours = " | ".join(f"{one / 3600:.1f} h" for one in bounds.values())
    return f"| {operation} | {hours} | {bound}, {seconds / 3600:.1f} h | {partitions:.0f} | {calls:,.0f} | {money:,.0f} + {cores:,.0f} |"


def _machine() -> str:
    text = Path("/proc/cpuinfo").read_text()
    found = re.search(r"model name\s*: (.*)", text)
    return f"{found[1] if found else 'an unknown CPU'}, {os.cpu_count()} cores, Python {sys.version.split()[0]}"


if __name__ == "__main__":
    if sys.argv[1] == "--planner":
        print(json.dumps(planned(int(sys.argv[2]))))
    else:
        target = Path(sys.argv[1])
        before, _, rest = target.read_text().partition("<!-- measured -->\n")
        measured = page(int(float(os.environ.get("SEALSTONE_SCALE", "1e8"))))
        target.write_text(
            f"{before}<!-- measured -->\n{measured}<!-- /measured -->\n\n{rest.partition('<!-- /measured -->')[2].lstrip()}"
        )
