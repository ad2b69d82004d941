"""The names that an object defines for others and asks of them, read from the object itself: one
that a stranger's file was compiled to, so it is read here and not by a tool that would have to be
sandboxed."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

SECTION = struct.Struct("<IIQQQQIIQQ")  # of 64-bit ELF, little-endian
SYMBOL = struct.Struct("<IBBHQQ")
TABLE_OF_SYMBOLS = 2
LOCAL, WEAK = 0, 2  # how a symbol binds
# What a test calls, and an answer never: to send numbers, to draw them, to ask the keeper, to learn
# which test it is.
TESTS_OWN = re.compile(r"_ZN2xf(8exercise(11send_actual|13send_expected|6report|6salted)E|6keeper)|"
                       r"_ZN7doctest17getContextOptionsE")


def symbols(data: bytes) -> dict[str, tuple[int, bool]]:
    """How each name binds, and whether it is defined here or only used. Of weak ones the first is
    taken, and any other goes before them."""
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
            if info >> 4 != LOCAL:
                text = data[names + name:data.index(b"\0", names + name)].decode("utf-8", "replace")
                found[text.partition("@")[0]] = info >> 4, bool(section)  # NAME@@VERSION is NAME
    return found


def defined(data: bytes) -> dict[str, int]:
    return {name: binding for name, (binding, here) in symbols(data).items() if here}


def tests_own(answer: Path) -> str:
    """A function of the tests' own that the answer calls: its name; or nothing."""
    found = symbols(answer.read_bytes()).items()
    return next((readable(name) for name, (_, here) in found
                 if not here and TESTS_OWN.match(name)), "")


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
