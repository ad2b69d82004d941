"""The names that an object defines for others, read from the object itself: one that a stranger's
file was compiled to, so it is read here and not by a tool that would have to be sandboxed."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path

SECTION = struct.Struct("<IIQQQQIIQQ")  # of 64-bit ELF, little-endian
SYMBOL = struct.Struct("<IBBHQQ")
TABLE_OF_SYMBOLS = 2
LOCAL, WEAK = 0, 2  # how a symbol binds


def defined(data: bytes) -> dict[str, int]:
    """How each name binds: of weak ones the first is taken, and any other goes before them."""
    if data[:6] != b"\x7fELF\2\1":
        raise ValueError("no 64-bit ELF, little-endian")
    start, = struct.unpack_from("<Q", data, 0x28)
    first = SECTION.unpack_from(data, start)
    count = struct.unpack_from("<H", data, 0x3C)[0] or first[5]  # so many that it stands elsewhere
    sections = [SECTION.unpack_from(data, start + SECTION.size * n) for n in range(count)]
    found = {}
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != TABLE_OF_SYMBOLS:
            continue
        names = sections[link][4]
        for name, info, _, section, _, _ in SYMBOL.iter_unpack(data[offset:offset + size]):
            if info >> 4 != LOCAL and section:  # 0: only used here
                text = data[names + name:data.index(b"\0", names + name)].decode("utf-8", "replace")
                found[text.partition("@")[0]] = info >> 4  # NAME@@VERSION is NAME, too
    return found


def replaced(answer: Path, ours: list[Path]) -> str:
    """A function of ours that may stand in several objects, an inline one, and that the answer
    defines so that its own is taken: its name; or nothing."""
    strong = {name for name, binding in defined(answer.read_bytes()).items() if binding != WEAK}
    for path in ours:
        for name, binding in defined(path.read_bytes()).items():
            if binding == WEAK and name in strong:
                return readable(name)
    return ""


def readable(name: str) -> str:
    if not shutil.which("c++filt"):
        return name
    return subprocess.run(["c++filt", name], stdout=subprocess.PIPE, text=True).stdout.strip()
