"""A proxy before an S3 server, where a test decides the fate of each request and of its answer."""

import http.client
import socket
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


class Answer(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Exchange:
    """A request, and ways to answer it."""

    def __init__(self, handler: "_Handler", body: bytes) -> None:
        self._handler, self._body = handler, body
        place = urlsplit(handler.path)
        self.method = handler.command
        self.key = unquote(place.path).lstrip("/").partition("/")[2]
        """The object's key, without the bucket."""
        self.query = dict(parse_qsl(place.query, keep_blank_values=True))
        self.headers = handler.headers
        self.port: int = handler.client_address[1]
        """Of the client, which shows whose it is."""

    @property
    def part(self) -> int:
        """The number of the part that is uploaded, or 0."""
        return int(self.query.get("partNumber", "0")) if self.method == "PUT" else 0

    @property
    def completes(self) -> bool:
        """Whether it makes an object appear."""
        is_put = self.method == "PUT" and not self.query and "x-amz-copy-source" not in self.headers
        return is_put or (self.method == "POST" and "uploadId" in self.query)

    def forward(self) -> Answer:
        """Has the server do it."""
        connection = http.client.HTTPConnection(*self._handler.server.behind, timeout=60)  # type: ignore[attr-defined]
        try:
            connection.putrequest(self.method, self._handler.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                # The host is signed, so it stays as the client has it.
                if name.lower() not in ("connection", "expect", "transfer-encoding", "content-length"):
                    connection.putheader(name, value)
            if self._body or self.method in ("PUT", "POST"):
                connection.putheader("Content-Length", str(len(self._body)))
            connection.endheaders(self._body or None)
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    def send(self, answer: Answer, length: int | None = None) -> None:
        """Answers the client; with `length`, the connection ends after so many bytes of the body."""
        handler = self._handler
        handler.send_response_only(answer.status)
        for name, value in answer.headers:
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                handler.send_header(name, value)
        lengths = [value for name, value in answer.headers if name.lower() == "content-length"]
        handler.send_header("Content-Length", lengths[0] if lengths else str(len(answer.body)))
        handler.end_headers()
        handler.wfile.write(answer.body[:length])
        if length is not None:
            self.reset()

    def refuse(self, status: int, code: str) -> None:
        """Answers as S3 does when it cannot."""
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>not now</Message></Error>".encode()
        self.send(Answer(status, [("Content-Type", "application/xml")], b"" if self.method == "HEAD" else body))

    def reset(self) -> None:
        """Resets the connection."""
        connection = self._handler.connection
        self._handler.wfile.flush()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        self._handler.close_connection = True


Rule = Callable[[Exchange], object]


def passed(exchange: Exchange) -> None:
    exchange.send(exchange.forward())


class Proxy:
    """The proxy of one server. Its rule is called for each request, on a thread of its connection."""

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.behind = (place.hostname or "", place.port or 80)
        self._server.rule = passed
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def use(self, rule: Rule) -> None:
        self._server.rule = rule

    @property
    def options(self) -> dict[str, Any]:
        """Options of s3fs: its place, and small parts, so that there are several."""
        return {"endpoint_url": self.address, "default_block_size": 5 << 20}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    behind: tuple[str, int]
    rule: Rule

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _any(self) -> None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while length := int(self.rfile.readline().partition(b";")[0], 16):
                parts.append(self.rfile.read(length))
                self.rfile.readline()
            self.rfile.readline()
            body = b"".join(parts)
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.rule(Exchange(self, body))  # type: ignore[attr-defined]

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _any

    def log_message(self, *_: object) -> None:
        pass


class Gate:
    """Keeps the first request that it lets in, until the test opens it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_taken = False
        self._arrived, self._opened = threading.Event(), threading.Event()
        self._port = 0

    def keep(self, exchange: Exchange) -> bool:
        """Keeps a request, if it is the first; says whether it was."""
        with self._lock:
            if self._is_taken:
                return False
            self._is_taken = True
        self._port = exchange.port
        self._arrived.set()
        self._opened.wait(120)
        return True

    def wait(self) -> int:
        """Waits until a request is kept; returns the port of its client."""
        assert self._arrived.wait(120), "no request came to the gate"
        return self._port

    def open(self) -> None:
        self._opened.set()
