#!/usr/bin/env python3
"""Times Sealstone, cp, age, rage and openssl on files of four sizes. See bench/README.md.

    make bench-files                                run everything, print the tables, write a record
    python3 bench/files.py --quick                  a small run, no record
    python3 bench/files.py --splice README.md       put the newest record's table between the markers
    python3 bench/files.py --check README.md        exit with 1 if it is not there
"""

import argparse
import ctypes
import dataclasses
import datetime
import filecmp
import json
import mmap
import os
import pathlib
import platform
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
RECORDS = REPOSITORY / "bench/record/files"
TOOLS = REPOSITORY / "target/bench-bin"
MARKERS = "<!-- bench-files:begin -->", "<!-- bench-files:end -->"

# What is installed there, and by which tool.
RIVALS = {
    "age": ["go", "install", "filippo.io/age/cmd/...@v1.3.1"],
    "rage": ["cargo", "install", "rage", "--version", "0.12.1", "--locked", "--root", str(TOOLS),
             "--target-dir", str(TOOLS / "build")],
}

# Bytes and timed rounds.
SIZES = {"1 KB": (1000, 300), "1 MB": (10**6, 25), "100 MB": (10**8, 9), "1 GiB": (2**30, 5)}
QUICK_SIZES = {"1 KB": (1000, 30), "1 MB": (10**6, 5), "100 MB": (10**8, 5)}
MEMORY_ROUNDS = 1
PIPE_LEN, QUICK_PIPE_LEN = 5 * 2**30, 2**28
# An interquartile range of cp's times over this part of their median makes a run noisy.
NOISY = 0.25


# ---- Engines ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Engine:
    """A program with its options: commands that lack only INPUT and OUTPUT."""

    name: str
    threads: int | None  # None: the program decides
    format: str  # engines of one format read each other's files
    encrypt: list
    decrypt: list


def sealstone_engines(program, keys, cores):
    engines = []
    for kind in ("x25519", "hybrid"):
        identity = str(keys / kind)
        run(program, "keygen", "--quiet", "--kind", kind, "-o", identity)
        recipient = run(program, "recipients", identity).strip()
        variants = [(threads, ["--no-sync"], "") for threads in sorted({1, cores})]
        if kind == "hybrid":
            variants.append((cores, [], ", with sync"))
        for threads, sync, suffix in variants:
            options = ["--quiet", "--threads", str(threads), *sync, "-o", "OUTPUT", "INPUT"]
            engines.append(Engine(
                f"sealstone {kind}{suffix}", threads, f"sealstone-{kind}",
                [program, "encrypt", "-r", recipient, *options],
                [program, "decrypt", "-i", identity, *options],
            ))
    return engines


def age_engine(name, program, keys, sealstone):
    """age and rage have the same options, and their keys are Sealstone's x25519 keys."""
    identity = str(keys / "x25519")
    recipient = run(sealstone, "recipients", identity).strip()
    encrypt = [program, "-r", recipient, "-o", "OUTPUT", "INPUT"]
    return Engine(name, None, name, encrypt, [program, "-d", "-i", identity, "-o", "OUTPUT", "INPUT"])


def openssl_engine(program, keys):
    (keys / "password").write_text("correct horse battery staple\n")
    password = ["-pass", f"file:{keys / 'password'}"]
    encrypt = [program, "enc", "-aes-256-ctr", "-pbkdf2", *password, "-in", "INPUT", "-out", "OUTPUT"]
    return Engine("openssl enc", None, "openssl", encrypt, [*encrypt, "-d"])


def find_engines(sealstone, keys, cores):
    """The engines at hand, and what each program says of its version."""
    engines = sealstone_engines(sealstone, keys, cores)
    programs = {"sealstone": sealstone, "cp": shutil.which("cp")}
    for name, arguments in RIVALS.items():
        if program := install(name, *arguments):
            programs[name] = program
            engines.append(age_engine(name, program, keys, sealstone))
    openssl = shutil.which("openssl")
    if openssl:
        engines.append(openssl_engine(openssl, keys))
    else:
        say("skipped: openssl (not installed)")
    versions = {name: run(program, "--version").splitlines()[0] for name, program in programs.items()}
    # The second line names the instructions that it found.
    versions["sealstone"] = ", ".join(run(sealstone, "--version").splitlines())
    if openssl:
        versions["openssl"] = run(openssl, "version").strip()
    return engines, versions


def install(name, tool, *arguments):
    """The path of a rival in target/bench-bin, after installing it if need be; None where that is not possible."""
    path = TOOLS / "bin" / name
    if not path.exists() and shutil.which(tool):
        say(f"installing {name}")
        environment = {**os.environ, "GOBIN": str(TOOLS / "bin")}
        subprocess.run([tool, *arguments], cwd=REPOSITORY, env=environment, stdout=sys.stderr, check=False)
    if not path.exists():
        say(f"skipped: {name} ({tool} is missing or could not install it)")
        return None
    return str(path)


# ---- Processes -------------------------------------------------------------------------------------------------


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def say(text):
    print(text, file=sys.stderr, flush=True)


def time_command(command, errors):
    """Runs a command; returns its seconds by the clock, and those of the processors in all its threads."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
    ]
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begin
    check_status(status, command, errors)
    return wall, usage.ru_utime + usage.ru_stime


def check_status(status, command, errors):
    if status != 0:
        sys.exit(f"files.py: {command[0]} failed: {pathlib.Path(errors).read_text(errors='replace')}")


def adopt_orphans():
    """Makes this process the parent of orphans among its descendants, which `peak_memory` needs."""
    set_child_subreaper = 36
    if ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0) != 0:
        sys.exit("files.py: prctl failed, so peak memory cannot be measured here")


def peak_memory(errors, *commands):
    """Runs commands as a pipe; returns the peak memory of each in bytes.

    The ru_maxrss of a child begins at the size of the process that spawned it, and Python is bigger than some
    engines. So a small shell starts each command and ends, and the command is then a child of this process.
    """
    pids, source = [], os.open(os.devnull, os.O_RDONLY)
    for command in commands:
        next_source, out = os.pipe() if command is not commands[-1] else (None, os.open(os.devnull, os.O_WRONLY))
        pids.append(start_small(errors, command, source, out))
        os.close(source)
        os.close(out)
        source = next_source
    peaks = []
    for pid, command in zip(pids, commands):
        _, status, usage = os.wait4(pid, 0)
        check_status(status, command, errors)
        peaks.append(usage.ru_maxrss * 1024)
    return peaks


def start_small(errors, command, stdin, stdout):
    """Starts a command from a shell. The gate holds it until the shell, which might reap it, is gone."""
    gate = f"{errors}.gate"
    os.mkfifo(gate)
    script = 'exec 3<&0; { read go <"$0.gate"; exec "$@" <&3 3<&-; } 2>>"$0" & echo $! >&2'
    shell = ["sh", "-c", script, errors, *command]
    done = subprocess.run(shell, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, check=True)
    open(gate, "w").close()
    os.unlink(gate)
    return int(done.stderr)


# ---- Measuring -------------------------------------------------------------------------------------------------

# The row that all others are compared with.
COPY = "cp", 1, "copy"


class Bench:
    """One size at one place: its files, and what is run on them."""

    def __init__(self, folder, length, engines):
        self.folder, self.length, self.engines = folder, length, engines
        self.input, self.output, self.errors = (str(folder / name) for name in ("input", "output", "errors"))
        write_random(self.input, length)
        # (engine, threads, operation): command
        copy = [shutil.which("cp"), "--reflink=never", "INPUT", "OUTPUT"]
        self.jobs = {COPY: self.fill(copy, self.input)}
        self.sources = {}
        for engine in engines:
            row = engine.name, engine.threads
            self.jobs[*row, "encrypt"] = self.fill(engine.encrypt, self.input)
            self.jobs[*row, "decrypt"] = self.fill(engine.decrypt, self.sealed(engine))
            self.sources[*row, "encrypt"], self.sources[*row, "decrypt"] = self.input, self.sealed(engine)

    def fill(self, command, source):
        return [{"INPUT": source, "OUTPUT": self.output}.get(word, word) for word in command]

    def sealed(self, engine):
        return str(self.folder / f"{engine.format}.sealed")

    def warm_up(self, rounds):
        """Runs every job, checks what it wrote, and returns the median of its peak memory."""
        peaks = {row: [] for row in self.jobs}
        for _ in range(rounds):
            for row, command in self.jobs.items():
                remove(self.output)
                peaks[row] += peak_memory(self.errors, command)
                if row[2] == "encrypt":
                    engine = next(engine for engine in self.engines if (engine.name, engine.threads) == row[:2])
                    os.replace(self.output, self.sealed(engine))
                else:
                    self.check_output(row)
        return {row: statistics.median(found) for row, found in peaks.items()}

    def check_output(self, row):
        # Its cache goes by time and size, and two outputs of 1 KB are made within a tick.
        filecmp.clear_cache()
        if not filecmp.cmp(self.input, self.output, shallow=False):
            sys.exit(f"files.py: {row[0]}, {row[2]}, did not give the input back")

    def run(self, rounds):
        """Runs every job once a round, each round beginning with another one and each job right after a copy of its
        own, so that a slow moment of the machine is in both; returns (wall, CPU, wall of the copy) by row."""
        samples = {row: [] for row in self.jobs}
        rows = [row for row in self.jobs if row != COPY]
        for index in range(rounds):
            first = index % len(rows)
            for row in rows[first:] + rows[:first]:
                touch_memory(2 * self.length)
                read_all(self.sources[row])
                copy = self.time(COPY)
                samples[COPY].append((*copy, copy[0]))
                samples[row].append((*self.time(row), copy[0]))
        return samples

    def time(self, row):
        remove(self.output)
        return time_command(self.jobs[row], self.errors)


def touch_memory(length):
    """Uses memory once and gives it back. A virtual machine's free memory may have gone to its host, and whoever uses
    it first waits for the host."""
    with mmap.mmap(-1, max(length, mmap.PAGESIZE)) as memory:
        for at in range(0, len(memory), mmap.PAGESIZE):
            memory[at] = 1


def read_all(path):
    """Brings a file into the page cache, from which it may have gone since the warm-up."""
    buffer = bytearray(2**20)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(buffer):
            pass


def remove(path):
    pathlib.Path(path).unlink(missing_ok=True)


def write_random(path, length):
    generator = random.Random(1)
    with open(path, "wb") as file:
        for at in range(0, length, 2**24):
            file.write(generator.randbytes(min(2**24, length - at)))


def measure(place, size, length, rounds, engines, memory_rounds):
    with tempfile.TemporaryDirectory(prefix="sealstone-bench-", dir=place) as folder:
        bench = Bench(pathlib.Path(folder), length, engines)
        peaks = bench.warm_up(memory_rounds)
        # The files of the warm-up are on the disk before the clock starts.
        os.sync()
        samples = bench.run(rounds)
    copies = [wall for wall, _, _ in samples[COPY]]
    rows = [summarize(row, found, peaks[row], length) for row, found in samples.items()]
    quartiles = statistics.quantiles(copies, n=4)
    noisy = quartiles[2] - quartiles[0] > NOISY * quartiles[1]
    return {"place": file_system(place), "size": size, "bytes": length, "rounds": rounds, "noisy": noisy, "rows": rows}


def summarize(row, samples, peak, length):
    engine, threads, operation = row
    walls = [wall for wall, _, _ in samples]
    return {
        "engine": engine, "threads": threads, "operation": operation,
        "seconds": statistics.median(walls), "min": min(walls), "max": max(walls),
        "cpu_seconds": statistics.median(cpu for _, cpu, _ in samples),
        "gb_per_second": length / statistics.median(walls) / 1e9,
        "times_cp": statistics.median(wall / copy for wall, _, copy in samples),
        "peak_bytes": int(peak),
    }


def measure_pipe(sealstone, keys, length):
    """Peak memory of both directions of a pipe of zeros."""
    identity = str(keys / "hybrid")
    recipient = run(sealstone, "recipients", identity).strip()
    _, encrypt, decrypt, _ = peak_memory(
        str(keys / "errors"), ["head", "-c", str(length), "/dev/zero"], [sealstone, "encrypt", "-r", recipient],
        [sealstone, "decrypt", "-i", identity], ["sh", "-c", f"test $(wc -c) -eq {length}"],
    )
    return {"bytes": length, "encrypt_peak_bytes": encrypt, "decrypt_peak_bytes": decrypt}


# ---- The machine -----------------------------------------------------------------------------------------------


def mounts():
    lines = pathlib.Path("/proc/mounts").read_text().splitlines()
    return [(point, kind) for _, point, kind, *_ in map(str.split, lines)]


def file_system(path):
    path = pathlib.Path(path).resolve()
    over = [(len(point), kind) for point, kind in mounts() if path.is_relative_to(point)]
    return max(over)[1]


def memory_available():
    return int(re.search(r"MemAvailable: *(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) * 1024


def find_tmpfs(needed):
    points = [point for point, kind in mounts() if kind == "tmpfs" and os.access(point, os.W_OK)]
    points.sort(key=lambda point: point != "/dev/shm")
    return next((point for point in points if room(point) >= needed), None)


def room(place):
    """Bytes that fit at a place and stay in memory."""
    return min(shutil.disk_usage(place).free, memory_available())


def stolen():
    """Time that the hypervisor gave to others, and all time, in ticks."""
    ticks = [int(word) for word in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


def machine(cores):
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.+)", cpuinfo)
    governor = pathlib.Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return {
        "cpu": model[1].strip() if model else platform.machine(),
        "cores": cores,
        "kernel": f"{platform.system()} {platform.release()}",
        "rustc": run("rustc", "--version").strip(),
        "governor": governor.read_text().strip() if governor.exists() else "unknown",
    }


def run_all(options):
    sealstone = str(options.sealstone.resolve())
    if not os.access(sealstone, os.X_OK):
        sys.exit("files.py: build Sealstone first: cargo build --release -p sealstone-cli")
    cores = len(os.sched_getaffinity(0))
    adopt_orphans()
    # An exception removes the files, which a signal would leave in memory.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("files.py: terminated"))
    sizes, memory_rounds = (QUICK_SIZES if options.quick else SIZES), MEMORY_ROUNDS
    before = stolen()
    record = {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "machine": machine(cores)}
    with tempfile.TemporaryDirectory(prefix="sealstone-bench-") as folder:
        keys = pathlib.Path(folder)
        engines, record["versions"] = find_engines(sealstone, keys, cores)
        [record["peak_floor_bytes"]] = peak_memory(str(keys / "errors"), [shutil.which("true")])
        formats = len({engine.format for engine in engines})
        needed = max(length for length, _ in sizes.values()) * (formats + 3)
        record["results"] = []
        for place in (find_tmpfs(needed), options.dir):
            if place is None or room(place) < needed:
                say(f"skipped: {place or 'tmpfs'} (under {needed / 2**30:.1f} GiB of room there or in memory)")
                continue
            for size, (length, rounds) in sizes.items():
                say(f"{size} on {file_system(place)}")
                record["results"].append(measure(place, size, length, rounds, engines, memory_rounds))
        if options.pipe:
            record["pipe"] = measure_pipe(sealstone, keys, QUICK_PIPE_LEN if options.quick else PIPE_LEN)
    after = stolen()
    record["stolen"] = (after[0] - before[0]) / max(after[1] - before[1], 1)
    record["noisy"] = any(result["noisy"] for result in record["results"])
    return record


# ---- Records and tables ----------------------------------------------------------------------------------------


def write_record(record):
    slug = re.sub("[^a-z0-9]+", "-", record["machine"]["cpu"].lower()).strip("-")
    path = RECORDS / f"{record['date'][:10]}-{slug}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n")
    say(f"wrote {path.relative_to(REPOSITORY)}")


def newest_record():
    records = [json.loads(path.read_text()) for path in RECORDS.glob("*.json")]
    if not records:
        sys.exit("files.py: there is no record; run `make bench-files`")
    return max(records, key=lambda record: record["date"])


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def duration(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.0f} µs"


def mebibytes(count):
    return f"{count / 2**20:.1f}"


def speed(row, result):
    """Nobody asks how many GB/s a file of 1 KB is: starting a process takes the time there."""
    return f"{row['gb_per_second']:.2f}" if result["bytes"] >= 10**6 else "–"


def full_tables(record):
    parts = []
    head = ["engine", "threads", "operation", "time", "min–max", "CPU time", "GB/s", "× cp", "peak MiB"]
    for result in record["results"]:
        rows = [[
            row["engine"], str(row["threads"] or "–"), row["operation"], duration(row["seconds"]),
            f"{duration(row['min'])} – {duration(row['max'])}", duration(row["cpu_seconds"]), speed(row, result),
            f"{row['times_cp']:.2f}", mebibytes(row["peak_bytes"]),
        ] for row in result["rows"]]
        title = f"### {result['size']} on {result['place']}, {result['rounds']} rounds"
        parts.append(f"{title}{', **noisy**' * result['noisy']}\n\n{table(head, rows)}")
    if "pipe" in record:
        pipe = record["pipe"]
        peaks = [mebibytes(pipe[f"{operation}_peak_bytes"]) for operation in ("encrypt", "decrypt")]
        parts.append("A pipe of {:g} GiB: peak memory {} MiB to encrypt, {} MiB to decrypt."
                     .format(pipe["bytes"] / 2**30, *peaks))
    parts.append(f"{machine_line(record)} Peak memory of `true`, the least that is seen: "
                 f"{mebibytes(record['peak_floor_bytes'])} MiB. Stolen by the hypervisor: {record['stolen']:.1%}.")
    parts.append("\n".join(f"- {name}: {version}" for name, version in record["versions"].items()))
    return "\n\n".join(parts)


def machine_line(record):
    facts = record["machine"]
    rustc = facts["rustc"].split(" (")[0]
    return f"{facts['cpu']}, {facts['cores']} cores, {facts['kernel']}, {rustc}, {record['date'][:10]}."


def readme_text(record):
    """The rows of the largest and the smallest file at the first place, for the default kind of key."""
    place = record["results"][0]["place"]
    at_place = [result for result in record["results"] if result["place"] == place]
    results = [result for result in at_place if result["size"] in ("1 GiB", "1 KB")]
    rows = []
    for result in sorted(results, key=lambda result: -result["bytes"]):
        shown = [row for row in result["rows"] if row["engine"] != "sealstone x25519" and "sync" not in row["engine"]]
        for row in sorted(shown, key=lambda row: ["copy", "encrypt", "decrypt"].index(row["operation"])):
            rows.append([f"{row['operation']} {result['size']}, {readme_name(row)}", duration(row["seconds"]),
                         speed(row, result), f"{row['times_cp']:.2f}", mebibytes(row["peak_bytes"])])
    noisy = " **This run was noisy.**" if any(result["noisy"] for result in results) else ""
    return (f"{table(['operation', 'time', 'GB/s', '× cp', 'peak MiB'], rows)}\n\n"
            f"{machine_line(record)} Files on {place}; nothing waits for the disk (`--no-sync`). × cp is the "
            f"median of pairs, each with a cp right before it, so the columns do not divide. `make bench-files`.{noisy}")


def readme_name(row):
    names = {"openssl enc": "openssl enc (not authenticated)", "cp": "`cp`"}
    if not row["engine"].startswith("sealstone"):
        return names.get(row["engine"], row["engine"])
    return f"**sealstone**, {row['threads']} thread{'s' * (row['threads'] > 1)}"


def spliced(document, text):
    begin, end = MARKERS
    before, found_begin, rest = document.partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found_begin and found_end):
        sys.exit(f"files.py: the document has no {begin} … {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"


def main():
    parser = argparse.ArgumentParser(description="Times Sealstone, cp, age, rage and openssl on files.")
    parser.add_argument("--quick", action="store_true", help="a small run that writes no record")
    parser.add_argument("--pipe", action="store_true", help="also the peak memory of a pipe of 5 GiB")
    parser.add_argument("--dir", type=pathlib.Path, default=REPOSITORY / "target", help="a folder on the disk")
    parser.add_argument("--sealstone", type=pathlib.Path, default=REPOSITORY / "target/release/sealstone")
    parser.add_argument("--splice", type=pathlib.Path, metavar="DOCUMENT", help="only rewrite its table")
    parser.add_argument("--check", type=pathlib.Path, metavar="DOCUMENT", help="only compare its table")
    options = parser.parse_args()
    document = options.splice or options.check
    if document is None:
        record = run_all(options)
        print(full_tables(record))
        if not options.quick:
            write_record(record)
        return
    old = document.read_text()
    new = spliced(old, readme_text(newest_record()))
    if options.splice:
        document.write_text(new)
    elif new != old:
        sys.exit(f"files.py: the table of {document} is not the newest record's; --splice writes it")


if __name__ == "__main__":
    main()
