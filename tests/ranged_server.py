"""A small server of the web for tests: it serves a directory, by ranges if it is asked to."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@contextmanager
def served(directory: Path, *, ranges: bool = True, pause: float = 0) -> Iterator[str]:
    """The URL of a directory while it is served, with a pause after each byte, if there is one."""
    stopped = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def _answer(self, with_body: bool) -> None:
            file = directory / Path(self.path).name
            data = file.read_bytes() if file.is_file() else b""
            status = 200 if file.is_file() else 404
            asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            if asked and ranges and status == 200:
                status, data = 206, data[int(asked[1]) : int(asked[2]) + 1]
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if with_body and not pause:
                self.wfile.write(data)
            elif with_body:
                for byte in data:
                    self.wfile.write(bytes([byte]))
                    if stopped.wait(pause):
                        return

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/wiki"
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
