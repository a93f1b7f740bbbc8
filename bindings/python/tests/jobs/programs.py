"""Programs that have a session of Spark's own."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

BEGIN = """
import os
from pyspark.sql import SparkSession

def session(**options):
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    for name, value in options.items():
        builder = builder.config("spark." + name.replace("_", "."), value)
    return builder.getOrCreate()

"""


def run(source: str, folder: Path) -> str:
    """Runs a program and returns its output. It has a `session`, whose options are Spark's with `_` in place of `.`."""
    program = folder / "program.py"
    program.write_text(BEGIN + textwrap.dedent(source))
    (folder / "tmp").mkdir(exist_ok=True)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "TMPDIR": str(folder / "tmp")}
    done = subprocess.run([sys.executable, str(program)], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-6000:]
    return done.stdout
