"""Paths in the repository, lines on the terminal, and commands run with a progress line."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unicodedata
import uuid
from pathlib import Path
from typing import Iterator

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out"
BUILD = ROOT / "build" / "release"
BIN = BUILD / "bin"

# OpenBLAS with a forced kernel or cache size can run at half its speed.
SLOWING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")

HEARTBEAT = 30.0  # seconds between signs of life if the output is not a terminal

# Control characters, surrogates, invisible characters and those that change the direction of text,
# and line separators.
HIDDEN = ("Cc", "Cs", "Cf", "Zl", "Zp", "Cn")
# What a terminal interprets, except for line ends, tabs, and our own colours and redrawn lines.
ACTING = re.compile(r"\033(?!\[[\d;]*m|\[K)|\r(?!\033\[K)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]|"
                    r"[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
ECHOED = 200  # characters of user input or foreign text repeated in a message


class Stop(Exception):
    """Ends `./learn` with a message and an exit code."""

    def __init__(self, message: str, code: int = 1):
        super().__init__(message)
        self.code = code


class Output(io.TextIOWrapper):
    """Standard output. Errors on it carry its name, as they do for a file; characters that it
    cannot encode become question marks."""

    NAME = "<standard output>"

    def __init__(self, stream: io.TextIOWrapper):
        super().__init__(stream.detach(), stream.encoding, "replace",
                         line_buffering=stream.line_buffering)

    def write(self, text: str) -> int:
        with self.named():
            super().write(ACTING.sub(lambda found: plain(found[0]), text))
        return len(text)

    def flush(self) -> None:
        with self.named():
            super().flush()

    @classmethod
    @contextlib.contextmanager
    def named(cls):
        try:
            yield
        except OSError as error:
            error.filename = cls.NAME
            raise


class FlagsHelp(argparse.RawDescriptionHelpFormatter):
    """argparse's own layout, in the reader's language."""

    def add_usage(self, usage, actions, groups, prefix=None):
        super().add_usage(usage, actions, groups, prefix or said("usage: "))

    def start_section(self, heading):
        super().start_section(heading and said(heading))

    def _fill_text(self, text, width, indent):
        return super()._fill_text(said(text), width, indent)

    def _split_lines(self, text, width):
        return wrapped(said(text), width, 0)


class Flags(argparse.ArgumentParser):
    """The flags of a command of `./learn`: errors are reported like all others. The language is
    determined by `chinese()` from the arguments."""

    def __init__(self, command: str, **more):
        super().__init__(prog=f"./learn {command}", allow_abbrev=False, formatter_class=FlagsHelp,
                         **more)
        for language in ("--zh", "--en"):
            self.add_argument(language, action="store_true", help=argparse.SUPPRESS)

    def parse_args(self, args: list[str], namespace=None) -> argparse.Namespace:
        self.refuse_empty(args)
        return super().parse_args(args, namespace)

    def parse_intermixed_args(self, args: list[str], namespace=None) -> argparse.Namespace:
        self.refuse_empty(args)
        return super().parse_intermixed_args(args, namespace)

    def refuse_empty(self, args: list[str]) -> None:
        """Rejects an empty argument, which is mostly an unset variable in a script."""
        for before, word in zip(["", *args], args):
            if not word:
                self.error(f"nothing follows {before}" if before.startswith("--") else
                           "an empty argument, ''")
            if word.startswith("--") and word.endswith("="):
                self.error(f"nothing follows {word}")

    def error(self, message: str) -> None:
        command = self.prog.partition(" ")[2]
        raise Stop(f"{command}: {message}\n  ./learn {command} --help shows the full usage", 2)


class Reader:
    """The output in the user's language: `line` translates one line of English."""
    line = staticmethod(lambda english: english)


def said(text: str) -> str:
    """The text in the reader's language, line by line."""
    return "\n".join(map(Reader.line, text.split("\n")))


def column(text: str, columns: int) -> str:
    """The text in the reader's language, padded to `columns` columns."""
    return said(text) + " " * max(0, columns - columns_of(said(text)))


def say(text: str = "") -> None:
    print(said(text), flush=True)


def say_seconds(title: str, seconds: float, more: str = "") -> None:
    """A line with what was done, and how long it took."""
    print(f"  {column(title, 22)} {seconds:5.0f} s   {more}".rstrip(), flush=True)


def plain(text: str) -> str:
    """The text without anything that a terminal, a parser or a reader could misinterpret. Bytes
    that are not UTF-8 appear as \\xff, control characters as \\u001b."""
    return "".join(escaped(c) for c in text)


def escaped(c: str) -> str:
    if 0xDC80 <= ord(c) <= 0xDCFF:
        return f"\\x{ord(c) - 0xDC00:02x}"
    if unicodedata.category(c) in HIDDEN:
        return f"\\u{ord(c):04x}"
    return c


def visible(line: str) -> str:
    """Escapes characters that would move the cursor or ring the bell."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in line.expandtabs(4))


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def quoted(text: str) -> str:
    """Untrusted text in a message - user input, a name in an archive, a server's answer -: on one
    line, and of limited length."""
    return plain(shortened(text, ECHOED))


def shown(path: Path) -> str:
    """The path as one would type it: relative to the repository if it is inside."""
    try:
        return str(path.relative_to(ROOT))
    except ValueError:
        return os.path.relpath(path, ROOT)


def write_file(path: Path, data: str | bytes) -> None:
    """Writes the file atomically. A link is replaced; its target stays as it is."""
    fresh = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        fresh.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        os.replace(fresh, path)
    except OSError as error:
        error.filename, error.filename2 = str(path), None  # for a full disk, it names no file
        raise
    finally:
        fresh.unlink(missing_ok=True)


def write_changed(path: Path, text: str) -> bool:
    """Writes the file unless it already has this text, so that its time tells when it changed."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text)
    return True


def read_json(path: Path) -> dict:
    """The JSON object in the file; empty if there is none, or if it is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))  # Windows adds a mark
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def through_no_link(name: str, flags: int) -> int:
    """An opener for open() that does not follow a link."""
    return os.open(name, flags | os.O_NOFOLLOW, 0o666)


def lock_file(path: Path) -> io.TextIOWrapper:
    """A file to lock with flock(); it holds the id of the process that has the lock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return open(path, "r+", opener=lambda name, flags: through_no_link(name, flags | os.O_CREAT))


def holder(lock: io.TextIOWrapper) -> str:
    """The id of the process that has locked the file; waits up to 2 s until it is written."""
    for _ in range(40):
        lock.seek(0)
        if number := lock.read(20).strip():
            return number
        time.sleep(0.05)
    return "?"


@contextlib.contextmanager
def in_turn(path: Path) -> Iterator[None]:
    """Holds an exclusive lock; while waiting for it, says which process has it."""
    with lock_file(path) as lock:
        with contextlib.suppress(OSError):  # some file systems have no locks
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say(f"  waiting for another ./learn here (process {holder(lock)})")
                fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        lock.truncate()
        print(os.getpid(), file=lock, flush=True)
        try:
            yield
        finally:
            lock.truncate(0)


def is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
ESCAPE = re.compile(r"\033\[[\d;]*m")


def painted(text: str, style: str) -> str:
    """The text in a style, if the output is a terminal and NO_COLOR is not set."""
    plain = not (style and text and is_terminal()) or os.environ.get("NO_COLOR")
    return text if plain else f"\033[{STYLES[style]}m{text}\033[0m"


def bold(text: str) -> str:
    return painted(text, "bold")


def is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def columns_of(text: str) -> int:
    """The width of the text on a terminal, where a Chinese character takes two columns."""
    return sum(2 if is_wide(c) else 1 for c in ESCAPE.sub("", text))


def fitted(text: str, columns: int) -> str:
    """The text, cut to `columns` columns."""
    used, kept = 0, 0  # columns, and the characters that leave room for the ellipsis
    for character in text:
        used += 2 if is_wide(character) else 1
        if used > columns:
            return text[:kept] + "…"
        kept += used < columns
    return text


OPENING, CLOSING = "（《“‘「", "，。：；、！？）》”’」…"


def pieces(text: str) -> list[str]:
    """Spaces, words, and Chinese characters together with adjacent punctuation."""
    found: list[list[str]] = []
    for part in re.findall(rf"\s+|[{OPENING}{CLOSING}]|[^\s{OPENING}{CLOSING}]", text):
        before = found[-1][-1] if found else ""
        joins = bool(before) and not before.isspace() and not part.isspace() and (
            part in CLOSING or before in OPENING
            or not (is_wide(part) or is_wide(before) or before in CLOSING))
        if joins:
            found[-1].append(part)
        else:
            found.append([part])
    return ["".join(parts) for parts in found]


def wrapped(text: str, columns: int, indent: int) -> list[str]:
    """The text in lines of `columns` columns, broken at spaces and between Chinese characters; all
    but the first are indented by `indent` spaces. A word is never broken, as it may be a path."""
    lines, line = [], ""
    for piece in pieces(text):
        if columns_of(line.rstrip()) > indent and columns_of(line + piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line = " " * indent
            if piece.isspace():
                continue
        line += piece
    return [*lines, line.rstrip()]


def width() -> int:
    """The columns available for a line; unlimited without a terminal."""
    return shutil.get_terminal_size((100, 40)).columns - 1 if is_terminal() else 10_000


def quiet_environment() -> dict[str, str]:
    """The environment of every program that `./learn` starts."""
    return {name: value for name, value in os.environ.items() if name not in SLOWING}


def say_what_is_unset() -> None:
    forced = [f"{name}={os.environ[name]}" for name in SLOWING if name in os.environ]
    if forced:
        say(f"  {', '.join(forced)} is unset for the programs run here, because it slows OpenBLAS")


def run_here(command: list[str], environment: dict[str, str], text: str = "") -> int:
    """Runs a program to its end on this terminal, with the text as its input if there is any.
    Returns the exit code that a shell would. Ctrl-C is left to the program, which may save its
    work."""
    sys.stdout.flush()
    program = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE if text else None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # may be for this process alone
    try:
        program.communicate(os.fsencode(text) if text else None)
    except KeyboardInterrupt:
        end(program)
    return program.returncode if program.returncode >= 0 else 128 - program.returncode


def last_line(log: Path) -> str:
    """The last line of a log that is still being written."""
    with open(log, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 2000))
        lines = file.read().decode("utf-8", "replace").replace("\r", "\n").split("\n")
    return visible(" ".join(next((line.split() for line in reversed(lines) if line.strip()), [])))


def redraw(text: str) -> None:
    sys.stdout.write("\r\033[K" + fitted(text, width()))
    sys.stdout.flush()


class Doing:
    """Shows what is in progress if it takes long: on a terminal, one line with a seconds counter,
    which disappears at the end; elsewhere the same line once. `total` is the expected number of
    calls of `tick`; `detail` is the progress if there is no count."""

    def __init__(self, text: str, total: int = 0):
        self.text, self.total, self.count, self.detail = said(text), total, 0, ""
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.show, daemon=True)

    def tick(self) -> None:
        self.count += 1

    def show(self) -> None:
        start, terminal = time.monotonic(), is_terminal()
        if self.over.wait(0.5 if terminal else 2):
            return
        if not terminal:
            say(f"  {self.text} …")
        while terminal and not self.over.wait(0.2):
            count = f"   {self.count} / {self.total}" if self.total else self.detail
            redraw(f"  {self.text} …{count}   {time.monotonic() - start:.0f} s")
        if terminal:
            redraw("")

    def __enter__(self) -> Doing:
        self.thread.start()
        return self

    def __exit__(self, *_what) -> None:
        self.over.set()
        self.thread.join()


class Signs:
    """A line that is redrawn on a terminal, and printed every HEARTBEAT seconds elsewhere."""

    def __init__(self):
        self.next = HEARTBEAT

    def show(self, line: str, seconds: float) -> None:
        if is_terminal():
            redraw(line)
        elif seconds >= self.next:
            say(line)
            self.next += HEARTBEAT


def timed(title: str, command: list[str], log: Path, append: bool = False) -> tuple[int, float]:
    """Runs the command with its output in `log`, while one line counts the seconds.

    Returns the exit status and the seconds it took. The log's last line is shown while it runs.
    """
    start = time.monotonic()
    process = start_logged(command, log, append)
    watch(process, title, log)
    return process.returncode, time.monotonic() - start


def start_logged(command: list[str], log: Path, append: bool = False) -> subprocess.Popen:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.is_symlink():
        log.unlink()
    with open(log, "ab" if append else "wb") as file:
        try:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file,
                                    stderr=subprocess.STDOUT, cwd=ROOT, env=quiet_environment())
        except OSError as error:
            raise Stop(f"{command[0]}: cannot be started: {error.strerror}") from error


def watch(process: subprocess.Popen, title: str, log: Path, over=lambda: False) -> None:
    """Waits until the process ends or `over()` is true, while one line counts the seconds. Ctrl-C
    ends the process."""
    start, signs = time.monotonic(), Signs()
    try:
        while wait_a_moment(process) is None and not over():
            seconds = time.monotonic() - start
            signs.show(f"  {column(title, 22)} {seconds:5.0f} s   {last_line(log)}", seconds)
    except KeyboardInterrupt:
        end(process)
        raise
    if is_terminal():
        redraw("")


def wait_a_moment(process: subprocess.Popen) -> int | None:
    try:
        return process.wait(timeout=0.1)
    except subprocess.TimeoutExpired:
        return None


def end(process: subprocess.Popen) -> None:
    """The signal may have reached the program, too, which then gets ten seconds to save its
    work: a second one would end it at once."""
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
