"""What tests of the programs' subcommands share: run as a user would, refused as it should be."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import unittest
from pathlib import Path

from support.checkout import WithFolder

# They print what comes before what they refuse.
SAY_FIRST = ("attend", "score", "train", "translate")
# Runs a command; the last line of its errors is the most memory that it took, in KiB.
MEASURED = """import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)"""
without_sanitizer = unittest.skipIf(os.environ.get("XF_SANITIZE"),
                                    "a sanitizer keeps memory of its own")


def english() -> dict[str, str]:
    """The environment, in which programs speak English."""
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def contents(folder: Path) -> dict:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def parts_of(path: Path) -> tuple[dict, bytes]:
    """The header of a safetensors file, and its numbers."""
    content = path.read_bytes()
    begin = 8 + struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8:begin]), content[begin:]


def save_parts(path: Path, header: dict, numbers: bytes) -> None:
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + numbers)


def tensors_of(path: Path) -> dict:
    """Name -> shape and bytes, of a safetensors file."""
    header, numbers = parts_of(path)
    return {name: (entry["shape"], numbers[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def save_tensors(path: Path, tensors: dict):
    """The reverse, of float32."""
    header, numbers = {}, b""
    for name, (shape, content) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(numbers), len(numbers) + len(content)]}
        numbers += content
    save_parts(path, header, numbers)


def replaced(arguments: list, flag: str, *value) -> list:
    """The arguments with another value of this flag, or without it."""
    at = arguments.index(flag) if flag in arguments else len(arguments)
    return [*arguments[:at], *((flag, *value) if value else ()), *arguments[at + 2:]]


def on_terminal(columns: int, command: list, **variables: str) -> tuple[int, str]:
    """The exit code, and what a terminal of so many columns gets to show."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    told = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs,
                          env={**told, "TERM": "xterm", **variables}) as running:
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # its other end is closed
            while part := os.read(ours, 1 << 16):
                said += part
        os.close(ours)
    return running.returncode, said.decode().replace("\r\n", "\n")


class Commands(WithFolder):
    """Of one program, in a folder of its own: `shared`, for all tests of a class."""
    program: Path

    @classmethod
    def setUpClass(cls):
        if not cls.program.exists():
            raise unittest.SkipTest(f"{cls.program} is not built")
        cls.shared = cls.folder_of_class()

    @classmethod
    def run_program(cls, *arguments, stdin: bytes = b"", **options) -> subprocess.CompletedProcess:
        return subprocess.run([cls.program, *map(str, arguments)], input=stdin, capture_output=True,
                              timeout=300, env=english(), **options)

    def begun(self, *arguments, line: bytes = b"", **options) -> subprocess.Popen:
        """The program, which goes on, once it has said this in a line."""
        process = subprocess.Popen([self.program, *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, bufsize=0, env=english(), **options)
        while line and line not in (said := process.stdout.readline()):
            self.assertTrue(said, "the program ended")
        return process

    def interrupted(self, line: bytes, *arguments) -> None:
        """It ends as Ctrl-C has it end, and says how to go on."""
        process = self.begun(*arguments, line=line)
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=120)
        self.assertEqual((process.returncode, error), (130, b""), output)
        self.assertIn(b"--resume", output)

    def peak(self, *arguments, stdin: bytes = b"") -> tuple[int, int, bytes, bytes]:
        """The most memory that it takes, in KiB; its exit code and what it says."""
        answer = subprocess.run([sys.executable, "-c", MEASURED, self.program,
                                 *map(str, arguments)], input=stdin, capture_output=True,
                                env=english())
        *said, kib = answer.stderr.splitlines(True)
        return int(kib), answer.returncode, answer.stdout, b"".join(said)

    def file(self, name: str, content) -> Path:
        path = self.shared / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def refused(self, *arguments, names, stdin: bytes = b"", **options):
        """One line that names `names` (one or several texts), exit code 2, nothing changed."""
        before = contents(self.shared)
        answer = self.run_program(*arguments, stdin=stdin, **options)
        message = answer.stderr.decode()
        self.assertEqual(answer.returncode, 2, message)
        self.assertTrue(not answer.stdout or arguments[0] in SAY_FIRST, answer.stdout)
        self.assertRegex(message, r"\Aerror: [^\n]*\n\Z")
        for name in [names] if isinstance(names, (str, Path, re.Pattern)) else names:
            self.assertRegex(message, name if isinstance(name, re.Pattern)
                             else re.escape(str(name)))
        self.assertEqual(contents(self.shared), before, "a file was changed, made or removed")

    def done(self, *arguments, stdin: bytes = b"") -> str:
        answer = self.run_program(*arguments, stdin=stdin)
        self.assertEqual((answer.returncode, answer.stderr.decode()), (0, ""), arguments)
        return answer.stdout.decode()
