"""An S3 server on loopback, and sessions of Spark."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sealstone
from proxy import Proxy

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "testsecret", "AWS_DEFAULT_REGION": "us-east-1"}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of versitygw, which SEALSTONE_VERSITYGW names; workers find it in their environment."""
    program = os.environ["SEALSTONE_VERSITYGW"]
    folder, port = tmp_path_factory.mktemp("s3"), free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "ROOT_ACCESS_KEY": "test", "ROOT_SECRET_KEY": "testsecret"}
    command = [program, "--port", f"127.0.0.1:{port}", "posix", str(folder)]
    with (
        open(folder.parent / "s3.log", "wb") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as child,
    ):
        until = time.monotonic() + 300
        while True:
            try:
                urllib.request.urlopen(address, timeout=1)
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                assert time.monotonic() < until, "the S3 server does not answer"
                assert child.poll() is None, "the S3 server has ended"
                time.sleep(0.05)
        os.environ.update(KEYS, AWS_ENDPOINT_URL=address)
        yield address
        child.terminate()


@pytest.fixture
def bucket(server: str) -> str:
    """A new bucket."""
    import s3fs

    name = f"b{uuid.uuid4().hex[:12]}"
    s3fs.S3FileSystem(skip_instance_cache=True).mkdir(name)
    return name


@pytest.fixture
def s3(server: str) -> Any:
    """The file system of the server, which remembers no listing."""
    import s3fs

    return s3fs.S3FileSystem(skip_instance_cache=True, use_listings_cache=False)


@pytest.fixture(scope="session")
def cli() -> str:
    """The command line, which SEALSTONE_CLI names."""
    return os.environ["SEALSTONE_CLI"]


def session(master: str) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    spark = (
        builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


@pytest.fixture
def proxy(server: str) -> Iterator[Proxy]:
    """A proxy before the server, which passes all requests until a test says otherwise."""
    one = Proxy(server)
    yield one
    one.close()


@pytest.fixture(scope="session")
def spark(server: str) -> Iterator[Any]:
    """A session in one JVM, which retries failures; workers are processes of Python, which know the server."""
    one = session("local[2,4]")
    yield one
    one.stop()


class Keys:
    """A key, and a file of it."""

    def __init__(self, folder: Path, name: str = "id") -> None:
        self.identity = sealstone.generate_identity()
        self.recipient = sealstone.recipient_of(self.identity)
        (folder / name).write_text(sealstone.export_identity(self.identity))
        self.provider = f"file:{folder / name}"


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path)
