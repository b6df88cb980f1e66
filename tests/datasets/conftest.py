"""A clean environment and a fake OpenML on loopback."""

import hashlib
import json
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import sleep

import pytest

SONAR = "\n".join(
    [
        "% two columns are enough",
        "@relation sonar",
        "@attribute attribute_1 numeric",
        "@attribute attribute_2 numeric",
        "@attribute Class {Rock, Mine}",
        "@data",
        *(f"{0.01 * row},{1 - 0.01 * row},{'Rock' if row % 3 else 'Mine'}" for row in range(60)),
    ]
)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    """Hide the data of this machine, and reach loopback without a proxy."""
    monkeypatch.delenv("PAUCA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")


@dataclass
class FakeOpenML:
    """Answers of the fake server; tests change them to make a download fail."""

    table: bytes = SONAR.encode()
    name: str = "sonar"
    md5: str | None = None
    description: bytes | None = None
    status: int = 200
    missing_bytes: int = 0
    stated_length: str | None = None
    redirect: str | None = None
    pause_seconds: float = 0.0
    url: str = ""
    requests: list = field(default_factory=list)
    half_sent: Event = field(default_factory=Event)
    resume: Event | None = None

    def describe(self) -> bytes:
        """Description of the table, or the one that a test has set."""
        answer = {
            "id": "40",
            "name": self.name,
            "url": f"{self.url}/file.arff",
            "default_target_attribute": "Class",
            "md5_checksum": self.md5 or hashlib.md5(self.table).hexdigest(),
        }
        return self.description or json.dumps({"data_set_description": answer}).encode()


def _handler(fake):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            fake.requests.append(self.path)
            is_file = self.path.endswith(".arff")
            body = fake.table if is_file else fake.describe()
            if is_file and fake.redirect is not None:
                self.send_response(302)
                self.send_header("Location", fake.redirect)
                self.end_headers()
                return
            self.send_response(fake.status)
            self.send_header("Content-Length", fake.stated_length or str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            if is_file and fake.resume is not None:
                fake.half_sent.set()
                fake.resume.wait(300)
            end = len(body) - fake.missing_bytes if is_file else len(body)
            sleep(fake.pause_seconds if is_file else 0)
            self.wfile.write(body[len(body) // 2 : end])

        def log_message(self, *args):
            """Stay silent."""

    return Handler


@pytest.fixture
def openml():
    """A fake OpenML that serves a small sonar set."""
    fake = FakeOpenML()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(fake))
    server.handle_error = lambda *args: None
    fake.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield fake
    server.shutdown()
    thread.join()
    server.server_close()
