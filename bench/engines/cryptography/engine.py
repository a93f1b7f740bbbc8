"""The engine of PyPI's cryptography: HPKE of one text behind the protocol of docs/design/bench.md.

Keys are ready before the clock. `decrypt` has what `encrypt` made before it.
"""

import gc
import hashlib
import resource
import sys
import time
from urllib.parse import quote, unquote

import cryptography
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.asymmetric import ec, mlkem, x25519
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, MLKEM768X25519PrivateKey, Suite

INFO = b"bench"

KINDS = {
    "x25519": (KEM.X25519, x25519.X25519PrivateKey.generate),
    "p256": (KEM.P256, lambda: ec.generate_private_key(ec.SECP256R1())),
    "ml-kem-768": (KEM.MLKEM768, mlkem.MLKEM768PrivateKey.generate),
    "hybrid": (
        KEM.MLKEM768_X25519,
        lambda: MLKEM768X25519PrivateKey(mlkem.MLKEM768PrivateKey.generate(), x25519.X25519PrivateKey.generate()),
    ),
}

OPERATIONS = [f"kem/{kind}/{direction}" for kind in KINDS for direction in ("encrypt", "decrypt")]


class Refusal(Exception):
    """Becomes the answer `error`, or `unsupported`."""

    def __init__(self, message, word="error"):
        super().__init__(message)
        self.word = word


def prepare(words):
    """Returns what does the operation once and returns its output, and the answer."""
    operation, options = words[0], dict(word.split("=", 1) for word in words[1:])
    if operation not in OPERATIONS:
        raise Refusal(operation, "unsupported")
    for name in options.keys() - {"input", "dir"}:
        raise Refusal(f"option {name}", "unsupported")
    with open(unquote(options["input"]), "rb") as file:
        plaintext = file.read()
    _, kind, direction = operation.split("/")
    kem, generate = KINDS[kind]
    suite, private = Suite(kem, KDF.HKDF_SHA256, AEAD.AES_256_GCM), generate()
    public = private.public_key()
    ciphertext = suite.encrypt(plaintext, public, INFO)
    if direction == "encrypt":
        def run():
            return suite.encrypt(plaintext, public, INFO)

        output = run()
        revealed = suite.decrypt(output, private, INFO)
    else:
        def run():
            return suite.decrypt(ciphertext, private, INFO)

        output = revealed = run()
    gc.collect()
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass  # The peak is then that since the process began, which is more.
    return run, f"ready digest={hashlib.sha256(revealed).hexdigest()} bytes={len(output)}"


def sample(run, words):
    """Times as many runs as the word says."""
    if run is None:
        raise Refusal("nothing is prepared")
    iterations = int(words[0])
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in range(iterations):
        run()
    wall = time.perf_counter_ns() - wall
    return f"sample wall_ns={wall} cpu_ns={time.process_time_ns() - cpu} iterations={iterations}"


def memory():
    """The peak resident set since the operation was prepared."""
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return f"memory peak_bytes={int(line.split()[1]) * 1024}"
    return f"memory peak_bytes={resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}"


def main():
    run = None
    for line in sys.stdin:
        command, *words = line.rstrip("\n").split(" ")
        try:
            if command == "quit":
                return
            if command == "hello":
                answer = (
                    f"engine name=cryptography version={cryptography.__version__} "
                    f"backend={quote(backend.openssl_version_text())}"
                )
            elif command == "operations":
                answer = " ".join(["operations", *OPERATIONS])
            elif command == "prepare":
                run, answer = prepare(words)
            elif command == "run":
                answer = sample(run, words)
            elif command == "memory":
                answer = memory()
            else:
                raise Refusal(f"no command {command}")
        except Refusal as refusal:
            answer = f"{refusal.word} {refusal}"
        except Exception as error:  # The harness decides what a failure means.
            answer = f"error {type(error).__name__}: {error}".replace("\n", " ")
        print(answer, flush=True)


main()
