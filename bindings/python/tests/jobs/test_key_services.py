"""Identities that a key service opens, as the guide's programs have it. The services are stand-ins that speak their protocols."""

import base64
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from pages import page, programs


class Services(ThreadingHTTPServer):
    """AWS KMS and Vault's `transit`: they hand out a number as the ciphertext, and keep its plaintext."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.kept: dict[str, tuple[str, Any]] = {}
        self.asked: Counter[str] = Counter()

    def encrypted(self, plaintext: str, bound: Any) -> str:
        name = f"vault:v1:{len(self.kept)}"
        self.kept[name] = plaintext, bound
        return name

    def decrypted(self, name: str, bound: Any) -> str:
        plaintext, was = self.kept[name]
        assert was == bound
        return plaintext


class _Answers(BaseHTTPRequestHandler):
    server: Services

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if (target := self.headers.get("X-Amz-Target")) is not None:
            answer = self._of_aws(target, asked)
        else:
            assert self.headers["X-Vault-Token"] == "token"
            answer = {"data": self._of_vault(self.path, asked)}
        said = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def _of_aws(self, target: str, asked: dict[str, Any]) -> dict[str, str]:
        self.server.asked[target] += 1
        if target == "TrentService.Encrypt":
            name = self.server.encrypted(asked["Plaintext"], asked["EncryptionContext"])
            return {"CiphertextBlob": base64.b64encode(name.encode()).decode()}
        assert target == "TrentService.Decrypt"
        name = base64.b64decode(asked["CiphertextBlob"]).decode()
        return {"Plaintext": self.server.decrypted(name, asked["EncryptionContext"])}

    def _of_vault(self, path: str, asked: dict[str, Any]) -> dict[str, str]:
        self.server.asked[path] += 1
        if path == "/v1/transit/encrypt/sealstone":
            return {"ciphertext": self.server.encrypted(asked["plaintext"], None)}
        assert path == "/v1/transit/decrypt/sealstone"
        return {"plaintext": self.server.decrypted(asked["ciphertext"], None)}

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def services() -> Iterator[Services]:
    with Services() as server:
        threading.Thread(target=server.serve_forever).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize(
    ("title", "question"),
    [("AWS KMS", "TrentService.Decrypt"), ("Vault", "/v1/transit/decrypt/sealstone")],
)
def test_workers_ask_a_key_service_once(title: str, question: str, services: Services, tmp_path: Path) -> None:
    section = page("docs/guide/key-services.md").split(f"\n## {title}\n")[1].split("\n## ")[0]
    first, workers = programs(section)
    address = f"http://127.0.0.1:{services.server_port}"
    environment = {
        **os.environ,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "testsecret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL_KMS": address,
        "VAULT_ADDR": address,
        "VAULT_TOKEN": "token",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }

    def run(*arguments: str) -> str:
        ran = subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    (tmp_path / "first.py").write_text(first)
    recipient = run("first.py").strip()
    assert b"AGE-SECRET-KEY" not in (tmp_path / "identity.sealed").read_bytes()
    (tmp_path / "keys.py").write_text(workers)
    (tmp_path / "src").mkdir()
    for i in range(20):
        (tmp_path / "src" / f"{i}").write_text("attack at dawn")
    command = ("-m", "sealstone.jobs._command")
    run(*command, "encrypt", "src", "sealed", "-r", recipient, "--manifest", "a", "--workers", "1")
    assert services.asked[question] == 0
    run(*command, "verify", "sealed", "--identities", "keys:identity", "--manifest", "b", "--workers", "1")
    assert services.asked[question] == 1
