"""Where a kernel's accesses are watched, a struct that lies in memory and is handed over or
returned as a whole is copied without a hook: the compiler adds hooks to assignments alone. What it
says of its own calls, where it adds them, names such copies."""

from __future__ import annotations

import re
from pathlib import Path

# Without optimisation and with.
DUMPS = {"calls0.txt": "tsan0", "calls1.txt": "tsan"}
FUNCTION = re.compile(r"^;; Function (?:.*::)?(~?\w+)", re.M)
CALLED = re.compile(r"(\w+)(?:<[^;\n]*>)? \(")
# What stands in MEM[(TYPE)...] may look like a call, and is no part of it.
TYPE_OF_MEM = re.compile(r"MEM ?[\[<].*?[&*]\)(?=[\w&])")
LETTERS = re.compile(r'"(?:[^"\\\n]|\\.)*"')  # in which any sign may stand
CALL = re.compile(r"[\w>] \(([^;\n]*)\);")
RESULT = re.compile(r"^\s*return ([^;\n]*);", re.M)
BY_POINTER = re.compile(r"\(*\*\w|MEM\[|\w+->")
NAME = re.compile(r"[A-Za-z_][\w.#]*")
# The first value of x is x_1, and there are a few constants; unless the source names it so.
NO_MEMORY = re.compile(r"[\w#]*_\d+|Nan|Inf|__dt_comp")
DECLARED = re.compile(r"^  (?!static )[^;=()]*?([\w.]+)(?: ?\[[^;]*\])*(?: \[value-expr:.*)?;$",
                      re.M)
PARAMETER = re.compile(r"([\w#]+)(?=[,)])")


def dumped() -> list[str]:
    """The compiler's options that write DUMPS."""
    return [f"-fdump-tree-{of}={name}" for name, of in DUMPS.items()]


def copies_unseen(dump: Path, source: str) -> bool:
    return dump.is_file() and bool(unseen(dump.read_text("utf-8", "replace"), source))


def unseen(text: str, source: str) -> list[str]:
    """What is handed over or returned and lies in memory that others see: behind a pointer, or in
    a variable that is not the function's own, as a static or a shared one is."""
    text = TYPE_OF_MEM.sub("MEM[", LETTERS.sub('""', text))
    starts = [found.start() for found in FUNCTION.finditer(text)] + [len(text)]
    functions = set(FUNCTION.findall(text)) | set(CALLED.findall(text))
    named, found = set(re.findall(r"\w+", source)), []
    for start, end in zip(starts, starts[1:]):
        head, _, body = text[start:end].partition("<bb 2>")
        own = functions | set(DECLARED.findall(head))
        for line in head.splitlines():
            if line[:1].strip(" ;{}"):
                own |= set(PARAMETER.findall(line))
        handed = [each for call in CALL.findall(body) for each in call.split(", ")]
        found += [each for each in handed + RESULT.findall(body)
                  if BY_POINTER.match(each) or is_anothers(each, own, named)]
    return found


def is_anothers(handed: str, own: set[str], named: set[str]) -> bool:
    name = NAME.match(handed)
    if not name or name[0] in own or name[0].partition(".")[0] in own:
        return False
    return name[0] in named or not NO_MEMORY.fullmatch(name[0])
