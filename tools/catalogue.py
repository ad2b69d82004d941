"""Catalogues of translations: gettext's .po files, which any translation editor can open.

    msgid "English, the key; what varies is {named}"
    msgstr "the other language; empty: the English stands"

The programs read theirs in the same format (common/language/language.hpp).
"""

from __future__ import annotations

import re
from pathlib import Path

QUOTED = re.compile(r'(?:(msgid|msgstr) )?"((?:[^"\\]|\\.)*)"')


def entries(po: Path) -> dict[str, str]:
    """msgstr by msgid; empty if the file does not exist. Raises ValueError for a line that does not
    belong in a catalogue, and for a duplicate entry."""
    found: list[dict[str, str]] = []
    part = ""
    lines = po.read_text(encoding="utf-8").split("\n") if po.exists() else []
    for number, line in enumerate(lines):
        if not line or line.startswith("#"):
            continue
        quoted = QUOTED.fullmatch(line)
        part = quoted[1] or part if quoted else ""
        if part == "msgid" and quoted[1]:
            found.append({"msgid": "", "msgstr": ""})
        if not part or not found:
            raise ValueError(f"{po}:{number + 1}: neither msgid nor msgstr nor a text in quotes")
        found[-1][part] += re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], quoted[2])
    known = {entry["msgid"]: entry["msgstr"] for entry in found}
    if len(known) < len(found):
        twice = next(entry["msgid"] for i, entry in enumerate(found)
                     if entry["msgid"] in [other["msgid"] for other in found[:i]])
        raise ValueError(f"{po}: a second entry for {twice!r}")
    return known


def named(po: Path) -> dict[str, tuple[str, str]]:
    """(msgid, msgstr) by the name in a comment `#: NAME` before each entry."""
    names = re.findall(r"^#: (.*)$", po.read_text(encoding="utf-8"), re.M)
    return dict(zip(names, entries(po).items()))


def entry(english: str, other: str = "") -> str:
    """The two texts in the format of a catalogue."""
    return f"msgid {quoted(english)}\nmsgstr {quoted(other)}\n"


def quoted(text: str) -> str:
    lines = [line.replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return '"' + '\\n"\n"'.join(lines) + '"'
