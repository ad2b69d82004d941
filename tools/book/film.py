"""A moving picture made of moments, as an animated PNG, and a check of what is said about it.

The file also holds what was seen, as JSON in a text chunk. A paragraph that ends in
`<!-- film: docs/pictures/live.png -->` is compared with it: its words in italics must be what was
typed, what was written and what was written without, its numbers those of `right`.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from pathlib import Path
from typing import Iterator, NamedTuple

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MARK = re.compile(r"<!-- film: (\S+) -->")
SILENT = re.compile(r"<!--.*?-->|\]\([^)]*\)|`[^`]*`", re.DOTALL)
KEYWORD = b"Comment\0\0\0\0\0"  # header of an uncompressed iTXt chunk


class Moment(NamedTuple):
    left: int
    top: int
    part: bytes  # the area that changed since the previous moment, as a PNG
    milliseconds: int


def joined(moments: list[Moment], record: dict) -> bytes:
    """Joins the moments into one PNG (https://www.w3.org/TR/png-3/#apng-frame-based-animation)."""
    head = chunks(moments[0].part)["IHDR"]
    said = json.dumps(record, ensure_ascii=False).encode()
    out = [chunk("IHDR", head), chunk("acTL", struct.pack(">II", len(moments), 0)),
           chunk("iTXt", KEYWORD + said)]
    number = 0
    for moment in moments:
        found = chunks(moment.part)
        if found["IHDR"][8:] != head[8:]:
            raise ValueError("two kinds of PNG in one film")
        width, height = struct.unpack(">II", found["IHDR"][:8])
        out.append(chunk("fcTL", struct.pack(">IIIIIHHBB", number, width, height, moment.left,
                                             moment.top, moment.milliseconds, 1000, 0, 0)))
        data = zlib.compress(zlib.decompress(found["IDAT"]), 9)
        first = number == 0
        out.append(chunk("IDAT", data) if first else
                   chunk("fdAT", struct.pack(">I", number + 1) + data))
        number += 1 if first else 2
    return SIGNATURE + b"".join(out) + chunk("IEND", b"")


def chunk(kind: str, data: bytes) -> bytes:
    body = kind.encode() + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def every_chunk(png: bytes) -> Iterator[tuple[str, bytes]]:
    at = 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        yield kind.decode(), png[at + 8:at + 8 + length]
        at += 12 + length


def chunks(png: bytes) -> dict[str, bytes]:
    """The contents of the chunks by type; chunks of one type are joined."""
    found: dict[str, bytes] = {}
    for kind, data in every_chunk(png):
        found[kind] = found.get(kind, b"") + data
    return found


def still(png: bytes) -> bytes:
    """The first moment alone."""
    return SIGNATURE + b"".join(chunk(kind, data) for kind, data in every_chunk(png)
                                if kind in ("IHDR", "IDAT", "IEND"))


def seconds(png: bytes) -> float:
    """The duration of one loop."""
    return sum(struct.unpack(">H", data[20:22])[0] for kind, data in every_chunk(png)
               if kind == "fcTL") / 1000


def record_of(png: bytes) -> dict:
    return json.loads(chunks(png)["iTXt"][len(KEYWORD):])


def wrong(paragraph: str, root: Path) -> Iterator[str]:
    """What a marked paragraph says but its film does not show."""
    text = SILENT.sub("", paragraph)
    for file in MARK.findall(paragraph):
        record = record_of((root / file).read_bytes())
        shows = [record[name] for name in ("typed", "written", "without")]
        said = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", text)
        if [" ".join(each.split()) for each in said] != shows:
            yield f"{file} shows {', '.join(shows)}, not {', '.join(said)}"
        numbers = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", text)]
        if numbers != record["right"]:
            yield f"{file} counts {record['right']}, not {numbers}"
