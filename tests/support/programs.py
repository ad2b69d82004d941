"""What tests of the programs' subcommands share: run as a user would, refused as it should be."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path(os.environ.get("XF_BIN") or ROOT / "build/release/bin")


def contents(folder: Path) -> dict:
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def tensors_of(path: Path) -> dict:
    """Name -> shape and bytes, of a safetensors file."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    numbers = content[8 + size:]
    return {name: (entry["shape"], numbers[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def save_tensors(path: Path, tensors: dict):
    """The reverse, of float32."""
    header, numbers = {}, b""
    for name, (shape, content) in tensors.items():
        header[name] = {"dtype": "F32", "shape": shape,
                        "data_offsets": [len(numbers), len(numbers) + len(content)]}
        numbers += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + numbers)


class Commands(unittest.TestCase):
    """Of one program, in a folder of its own: `shared`, for all tests of a class."""
    program: Path

    @classmethod
    def setUpClass(cls):
        if not cls.program.exists():
            raise unittest.SkipTest(f"{cls.program} is not built")
        cls.shared = Path(tempfile.mkdtemp(prefix="xf-commands-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared)

    @classmethod
    def run_program(cls, *arguments, stdin: bytes = b"") -> subprocess.CompletedProcess:
        return subprocess.run([cls.program, *map(str, arguments)], input=stdin,
                              capture_output=True, timeout=300)

    def file(self, name: str, content) -> Path:
        path = self.shared / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def refused(self, *arguments, names, stdin: bytes = b""):
        """One line that names `names` (one or several texts), exit code 2, nothing changed."""
        before = contents(self.shared)
        answer = self.run_program(*arguments, stdin=stdin)
        message = answer.stderr.decode()
        self.assertEqual(answer.returncode, 2, message)
        self.assertTrue(message.startswith("error: ") and message.endswith("\n"), message)
        self.assertEqual(message.count("\n"), 1, message)
        for name in [names] if isinstance(names, (str, Path)) else names:
            self.assertIn(str(name), message)
        self.assertEqual(contents(self.shared), before, "a file was changed, made or removed")

    def done(self, *arguments, stdin: bytes = b"") -> str:
        answer = self.run_program(*arguments, stdin=stdin)
        self.assertEqual((answer.returncode, answer.stderr.decode()), (0, ""), arguments)
        return answer.stdout.decode()
