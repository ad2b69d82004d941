"""Runs untrusted programs with resource limits and bounded output.

The command runs under `supervisor.py`, which sets the limits and kills what is left of
it. The report of the tests comes through a pipe that the program inherits.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import os
import selectors
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Sequence

from tools.terminal import Stop

SUPERVISOR = Path(__file__).with_name("supervisor.py")
MOST_PRINTED = 1 << 20  # bytes
MOST_REPORTED = 4 << 20
AFTER_THE_END = 15.0  # seconds that a supervisor may take beyond its time limit


@dataclass(frozen=True)
class Limits:
    wall: int  # seconds
    cpu: int  # seconds
    memory: int = 4 << 30  # bytes of one process
    file: int = 64 << 20  # maximum size of a file it writes, in bytes
    processes: int = 0  # in addition to what its user has now; 0: no limit


@dataclass
class Ran:
    status: int  # negative: the signal that killed it
    printed: bytes = b""
    report: bytes = b""
    flooded: str = ""  # the stream that exceeded its limit


@dataclass
class Stream:
    """What is read from one source, up to a number of bytes."""
    source: object
    most: int
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def take(self) -> bool:
        """False at the end."""
        try:
            part = os.read(self.source.fileno(), 1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.size += len(part)
        if self.size <= self.most:
            self.parts.append(part)
        return bool(part)


class Running:
    """The running supervisors, so that all can be stopped at once."""

    def __init__(self):
        self.lock, self.processes, self.ended = threading.Lock(), set(), False

    def start(self, command: list[str], **options) -> subprocess.Popen:
        with self.lock:
            if self.ended:
                raise Stop("interrupted", 130)
            process = subprocess.Popen(command, **options)
            self.processes.add(process)
            return process

    def finished(self, process: subprocess.Popen) -> None:
        with self.lock:
            self.processes.discard(process)

    def end_all(self) -> None:
        with self.lock:
            self.ended = True
            for process in self.processes:
                process.terminate()


RUNNING = Running()


@contextlib.contextmanager
def workers(count: int):
    """A thread pool; Ctrl-C also stops what its threads are running, not just pending jobs."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except KeyboardInterrupt:
            RUNNING.end_all()
            raise


def pipe() -> tuple[BinaryIO, BinaryIO]:
    read, write = os.pipe()
    return open(read, "rb", buffering=0), open(write, "wb", buffering=0)


def run_limited(command: list[str], limits: Limits, cwd: Path, environment: dict[str, str],
                reports: bool = False, passed: Sequence[int] = ()) -> Ran:
    """Runs the command until it ends, with empty standard input. `reports`: passes it a pipe for
    its report, named by XF_REPORT. `passed`: other descriptors for it. None of them is a file or a
    device of this machine, whose mode the command could change."""
    (ours, theirs), (nothing, end_of_nothing) = pipe(), pipe()
    end_of_nothing.close()
    numbers = (limits.wall, limits.cpu, limits.memory, limits.file, limits.processes)
    with ours, theirs, nothing:
        if reports:
            environment = {**environment, "XF_REPORT": str(theirs.fileno())}
            passed = [*passed, theirs.fileno()]
        process = RUNNING.start(
            [sys.executable, "-I", "-S", str(SUPERVISOR), *map(str, numbers), *command],
            stdin=nothing, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd,
            env=environment, start_new_session=True, pass_fds=passed)
        theirs.close()
        try:
            streams = {"printed": Stream(process.stdout, MOST_PRINTED)}
            if reports:
                streams["reported"] = Stream(ours, MOST_REPORTED)
            flooded = listen(process, streams, limits.wall + AFTER_THE_END)
        finally:
            end(process)
    return Ran(process.returncode, b"".join(streams["printed"].parts),
               b"".join(streams["reported"].parts) if reports else b"", flooded)


def listen(process: subprocess.Popen, streams: dict[str, Stream], seconds: float) -> str:
    """Reads until the process has ended; returns the name of a stream that exceeded its limit."""
    latest = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for stream in streams.values():
            os.set_blocking(stream.source.fileno(), False)
            selector.register(stream.source, selectors.EVENT_READ, stream)
        while time.monotonic() < latest:
            over = process.poll() is not None  # checked before reading, so that nothing is missed
            ready = selector.select(0 if over else 0.02)
            for key, _events in ready:
                if not key.data.take():
                    selector.unregister(key.fileobj)
            flooded = [name for name, stream in streams.items() if stream.size > stream.most]
            if flooded:
                return flooded[0]
            if over and not ready:
                break
    return ""


def end(process: subprocess.Popen) -> None:
    """Asks the supervisor to clean up, and kills it if it does not."""
    process.terminate()
    try:
        process.wait(timeout=AFTER_THE_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()
    RUNNING.finished(process)
