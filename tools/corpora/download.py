"""HTTP downloads that resume where they were interrupted."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools import terminal
from tools.terminal import (Stop, plain, quoted, read_json, said, say, shown, through_no_link,
                            write_file)

SILENCE = 30.0  # seconds without any data
ANSWER = 60.0  # seconds until the response starts, including redirects
SLOWEST = 10_000  # bytes per second: after ANSWER seconds, slower downloads are given up
PAUSE = 1.0  # seconds before a broken download is resumed
CHUNK = 1 << 16


@contextlib.contextmanager
def writing(path: Path):
    """Adds the path to an error: a full disk does not name the file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


@contextlib.contextmanager
def within(seconds: float):
    """Raises TimeoutError after this time. A socket's own timeout starts again with each byte
    received."""
    def over(*_what):
        raise TimeoutError("timed out")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def mega(count: float) -> str:
    return f"{count / 1e6:.1f}"


class Progress:
    """The progress of a transfer: on a terminal, one line that is redrawn; otherwise a line now and
    then, and one at the end."""

    def __init__(self, name: str, total: int | None, begun: int):
        self.name, self.total, self.begun, self.signs = name, total, begun, terminal.Signs()
        self.start = self.drawn = time.monotonic()

    def line(self, count: int) -> str:
        rate = (count - self.begun) / max(1e-3, time.monotonic() - self.start)
        if self.total is None:
            return f"  {self.name}: {mega(count)} MB, {mega(rate)} MB/s"
        left = f"{(self.total - count) / rate:.0f}" if rate else "?"
        return (f"  {self.name}: {mega(count)} of {mega(self.total)} MB, {mega(rate)} MB/s, "
                f"{left} s left")

    def at(self, count: int) -> None:
        now = time.monotonic()
        if now - self.drawn >= 0.1:
            self.drawn = now
            self.signs.show(said(self.line(count)), now - self.start)

    def end(self, count: int) -> None:
        if terminal.is_terminal():
            terminal.redraw("")
        say(f"  {self.name}: {mega(count)} MB, {time.monotonic() - self.start:.1f} s")


class Redirects(urllib.request.HTTPRedirectHandler):
    """Follows at most ten redirects, only within the web, and never from https to http."""

    def redirect_request(self, request, answer, code, message, headers, to):
        if request.full_url.startswith("https:") and not to.startswith("https:"):
            raise Stop(f"{quoted(request.full_url)}: redirects to {quoted(to)}, which is not "
                       "encrypted", 2)
        return super().redirect_request(request, answer, code, message, headers, to)


def opener() -> urllib.request.OpenerDirector:
    """Opens web addresses only, neither files nor ftp."""
    director = urllib.request.OpenerDirector()
    for handler in (urllib.request.ProxyHandler, urllib.request.UnknownHandler,
                    urllib.request.HTTPHandler, urllib.request.HTTPSHandler, Redirects,
                    urllib.request.HTTPDefaultErrorHandler, urllib.request.HTTPErrorProcessor):
        director.add_handler(handler())
    return director


class Download:
    """A download to `folder`: NAME.part has what has been received, NAME.json its address and the
    server's validator of this version, without which nothing is appended to the part."""

    def __init__(self, url: str, folder: Path, most: int):
        self.url, self.most = url, most
        self.came, self.start = 0, time.monotonic()  # bytes, since when
        name = unquote(urlsplit(url).path.rpartition("/")[2]) or "download"
        self.name = plain(name[-80:])
        self.file = folder / self.name.replace("/", "_")
        self.part = folder / (self.file.name + ".part")
        self.note = folder / (self.file.name + ".json")

    def here(self) -> int:
        return self.part.stat().st_size if self.part.is_file() else 0

    def noted(self) -> dict:
        """The note about the part; empty if it belongs to another address."""
        note = read_json(self.note)
        return note if note.get("url") == self.url else {}

    def fetch(self) -> Path:
        """Retries for as long as each attempt makes progress."""
        if self.file.is_file() and self.noted():
            return self.file
        self.file.unlink(missing_ok=True)
        while True:
            before = self.here()
            if self.attempt():
                os.replace(self.part, self.file)
                return self.file
            if self.here() <= before:
                raise Stop(f"{self.url}: the connection was lost at {mega(self.here())} MB; run "
                           "the same command again to resume", 2)
            time.sleep(PAUSE)

    def attempt(self) -> bool:
        """One connection. Returns whether the file is complete."""
        noted = self.noted()
        begun = self.here() if noted.get("validator") else 0
        if begun and begun == noted.get("length"):
            return True
        headers = {"User-Agent": "transformer-by-hand"}
        if begun:
            headers.update({"Range": f"bytes={begun}-", "If-Range": noted["validator"]})
        with self.answer(urllib.request.Request(self.url, headers=headers)) as answer:
            if answer.status == 416:  # longer than the file on the server, so a different file
                self.part.unlink()
                return self.attempt()
            if answer.status == 206:
                total = self.total_of_part(answer, begun, noted.get("length"))
            else:
                begun, total = 0, answer.length
                self.check_room(total)
                self.take_note(answer, total)
            return self.receive(answer, begun, total)

    def answer(self, request: urllib.request.Request):
        try:
            with within(ANSWER):
                return opener().open(request, timeout=SILENCE)
        except urllib.error.HTTPError as error:
            if error.code == 416 and request.has_header("Range"):
                return error
            error.close()
            if 300 <= error.code < 400:
                raise Stop(f"{self.url}: redirects endlessly, or to a non-web "
                           "address", 2) from error
            raise Stop(f"{self.url}: the server answered {error.code} {quoted(error.reason)}",
                       2) from error
        except urllib.error.URLError as error:
            reason = quoted(str(getattr(error.reason, "strerror", None) or error.reason))
            raise Stop(f"{self.url}: cannot be reached ({reason})", 2) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            what = quoted(" ".join(str(error).split())) or type(error).__name__
            raise Stop(f"{self.url}: cannot be reached ({what})", 2) from error

    def total_of_part(self, answer, begun: int, length: int | None) -> int | None:
        """The length of the whole file, from `Content-Range: bytes FIRST-LAST/LENGTH`."""
        given = answer.headers.get("Content-Range", "")
        first, _, rest = given.removeprefix("bytes ").partition("-")
        total = rest.partition("/")[2]
        whole = int(total) if total.isdigit() else None
        if first != str(begun) or (None not in (length, whole) and length != whole):
            raise Stop(f"{self.url}: asked for the bytes from {begun} on, but the server sent "
                       f"'{quoted(given)}'", 2)
        return whole if whole is not None else length

    def check_room(self, total: int | None) -> None:
        if total is None:
            return
        if total > self.most:
            raise Stop(f"{self.url}: {mega(total)} MB, but this corpus has at most "
                       f"{mega(self.most)}", 2)
        free = shutil.disk_usage(self.part.parent).free
        if free < total:
            raise Stop(f"{shown(self.part.parent)}: {mega(free)} MB are free, {mega(total)} are "
                       "needed", 2)

    def take_note(self, answer, total: int | None) -> None:
        tag = answer.headers.get("ETag", "")
        validator = tag if tag.startswith('"') else answer.headers.get("Last-Modified", "")
        write_file(self.note, json.dumps(
            {"url": self.url, "validator": validator, "length": total}))

    def refuse_to_wait(self) -> None:
        """Against a server that is too slow or never ends: `most` bytes have then been sent."""
        seconds = time.monotonic() - self.start
        if self.came < SLOWEST * (seconds - ANSWER):
            raise Stop(f"{self.url}: only {self.came} bytes arrived in {seconds:.0f} s; run the "
                       "same command again to resume", 2)

    def receive(self, answer, begun: int, total: int | None) -> bool:
        progress, count = Progress(self.name, total, begun), begun
        with writing(self.part), open(self.part, "ab" if begun else "wb",
                                           opener=through_no_link) as part:
            while True:
                self.refuse_to_wait()
                try:
                    with within(SILENCE):
                        chunk = answer.read1(CHUNK)
                except (OSError, http.client.HTTPException):
                    chunk = b""
                    total = total or -1  # without a length, marks the transfer as incomplete
                if not chunk:
                    break
                part.write(chunk)
                count += len(chunk)
                self.came += len(chunk)
                progress.at(count)
                if count > min(self.most, total or self.most):
                    raise Stop(f"{self.url}: sends more than {mega(count)} MB", 2)
            part.flush()
            os.fsync(part.fileno())
        if total is not None and count != total:
            return False
        progress.end(count)
        return True
