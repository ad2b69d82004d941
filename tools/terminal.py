"""Places in the repository, lines on the terminal, and commands run beside a clock."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out"
BUILD = ROOT / "build" / "release"
BIN = BUILD / "bin"

# OpenBLAS with a forced kernel or cache size can run at half its speed.
SLOWING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")

HEARTBEAT = 30.0  # seconds between two signs of life when the output is not a terminal


class Stop(Exception):
    """Ends `./learn` with a message and an exit code."""

    def __init__(self, message: str, code: int = 1):
        super().__init__(message)
        self.code = code


def say(text: str = "") -> None:
    print(text, flush=True)


def shown(path: Path) -> str:
    """The path as one would type it: relative to the repository where it lies inside."""
    try:
        return str(path.relative_to(ROOT))
    except ValueError:
        return os.path.relpath(path, ROOT)


def is_terminal() -> bool:
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def bold(text: str) -> str:
    return f"\033[1m{text}\033[0m" if is_terminal() and "NO_COLOR" not in os.environ else text


def columns_of(text: str) -> int:
    """The width of the text on a terminal, where a Chinese character takes two columns."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fitted(text: str, columns: int) -> str:
    """The text, cut to so many columns."""
    if columns_of(text) <= columns:
        return text
    while text and columns_of(text) > columns - 1:
        text = text[:-1]
    return text + "…"


def width() -> int:
    """Columns that a line may take; without a terminal, as many as it needs."""
    return shutil.get_terminal_size((100, 40)).columns - 1 if is_terminal() else 10_000


def quiet_environment() -> dict[str, str]:
    """The environment of every program that `./learn` starts."""
    return {name: value for name, value in os.environ.items() if name not in SLOWING}


def say_what_is_unset() -> None:
    forced = [f"{name}={os.environ[name]}" for name in SLOWING if name in os.environ]
    if forced:
        say(f"  {', '.join(forced)} is left out for the programs run here: it slows OpenBLAS")


def last_line(log: Path) -> str:
    """The last line of a log that is still being written."""
    with open(log, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 2000))
        lines = file.read().decode("utf-8", "replace").replace("\r", "\n").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def redraw(text: str) -> None:
    sys.stdout.write("\r\033[K" + fitted(text, width()))
    sys.stdout.flush()


def timed(title: str, command: list[str], log: Path, cwd: Path = ROOT, detail=last_line,
          append: bool = False) -> tuple[int, float]:
    """Runs the command with its output in `log`, beside one line with ticking seconds.

    Returns the exit status and the seconds it took. `detail(log)` is shown while it runs.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    next_sign = HEARTBEAT
    with open(log, "ab" if append else "wb") as file:
        process = start_process(command, file, cwd)
        try:
            while wait_a_moment(process) is None:
                seconds = time.monotonic() - start
                line = f"  {title:<22} {seconds:5.0f} s   {detail(log)}"
                if is_terminal():
                    redraw(line)
                elif seconds >= next_sign:
                    say(line)
                    next_sign += HEARTBEAT
        except KeyboardInterrupt:
            end(process)
            raise
    if is_terminal():
        redraw("")
    return process.returncode, time.monotonic() - start


def start_process(command: list[str], output, cwd: Path) -> subprocess.Popen:
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT, cwd=cwd, env=quiet_environment())
    except OSError as error:
        raise Stop(f"{command[0]}: cannot be started: {error.strerror}") from error


def wait_a_moment(process: subprocess.Popen) -> int | None:
    try:
        return process.wait(timeout=0.1)
    except subprocess.TimeoutExpired:
        return None


def end(process: subprocess.Popen) -> None:
    """Ctrl-C reached the program too: it gets ten seconds to save what it was doing."""
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
