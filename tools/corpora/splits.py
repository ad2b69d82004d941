"""The splits that a corpus does not come with: train, valid and test, as the loaders read them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from pathlib import Path

from tools.terminal import Stop, say, shown, write_file

HELD_OUT = 1000  # approximate number of pairs in each of valid and test

# ---- a split for sentence pairs ------------------------------------------------------------------
# The same sentence has several translations, so a split by line would put a test sentence into
# training. Pairs that share a sentence on either side form one group; a group stays together.


def cut_pairs(source: Path, target: Path) -> None:
    """Writes train.tsv, valid.tsv and test.tsv, which do not depend on the order of the pairs."""
    pairs = distinct_pairs(source / "cmn.txt")
    parts: dict[str, list[list[str]]] = {"train": [], "valid": [], "test": []}
    for pair, group in zip(pairs, groups(pairs)):
        parts[part_of(group, HELD_OUT / len(pairs))].append(pair)
    for name, rows in parts.items():
        replace(target / f"{name}.tsv", "".join("\t".join(row) + "\n" for row in rows).encode())
    sizes = ", ".join(f"{name} {len(rows)}" for name, rows in parts.items())
    say(f"  {shown(target)}/{{train,valid,test}}.tsv: {sizes} pairs;")
    say("  no sentence of valid or test, on either side, is in another part")


def distinct_pairs(source: Path) -> list[list[str]]:
    """[English, Chinese, attribution] of every pair, without duplicates: the first line is kept."""
    rows: dict[tuple[str, str], list[str]] = {}
    try:
        lines = source.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(f"{shown(source)}: {error}", 2) from error
    for number, line in enumerate(lines, 1):
        fields = line.split("\t")
        if line and len(fields) < 2:
            raise Stop(f"{shown(source)}:{number}: no tab between two sentences", 2)
        if line:
            rows.setdefault((fields[0], fields[1]), fields)
    if len(rows) < 10 * HELD_OUT:
        raise Stop(f"{shown(source)}: only {len(rows)} pairs, too few to hold out any", 2)
    return list(rows.values())


def plain(sentence: str) -> str:
    """The sentence without case, punctuation and spaces, so that `Hi!` and `hi.` are the same."""
    text = unicodedata.normalize("NFKC", sentence).casefold()
    return "".join(c for c in text if c.isalnum()) or text


def groups(pairs: list[list[str]]) -> list[str]:
    """For each pair the name of its group: the first of its sentences in alphabetical order."""
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for english, chinese, *_ in pairs:
        a, b = sorted((root("en:" + plain(english)), root("zh:" + plain(chinese))))
        parent[b] = a
    return [root("en:" + plain(english)) for english, *_ in pairs]


def part_of(group: str, share: float) -> str:
    """Draws the part from a hash of the group's name: `share` of them each for valid and test."""
    draw = int.from_bytes(hashlib.sha256(group.encode()).digest()[:8], "big") / 2**64
    return "valid" if draw < share else "test" if draw < 2 * share else "train"


# ---- a split of a text ---------------------------------------------------------------------------


def cut_share(source: Path, target: Path) -> None:
    """The first nine tenths of input.txt for training, the rest for validation, as in nanoGPT."""
    text = source.joinpath("input.txt").read_bytes()
    write_parts(text, target, (("train", len(text) * 9 // 10), ("valid", len(text))))


HUNDRED_MILLION = 100_000_000


def cut_bytes(source: Path, target: Path) -> None:
    """90, 5 and 5 million bytes (Dai et al. 2019). A cut inside a character moves before it."""
    text = (source / source.name).read_bytes()
    if len(text) != HUNDRED_MILLION:
        raise Stop(f"{shown(source / source.name)}: {len(text)} bytes, not {HUNDRED_MILLION}", 2)
    write_parts(text, target, (("train", 90_000_000), ("valid", 95_000_000), ("test", len(text))))


def write_parts(text: bytes, target: Path, ends: tuple[tuple[str, int], ...]) -> None:
    """Writes NAME.txt from the end of the previous part up to `end`, in whole characters."""
    begin, sizes = 0, []
    for name, end in ends:
        end = whole(text, end)
        replace(target / f"{name}.txt", text[begin:end])
        sizes.append(f"{name} {end - begin}")
        begin = end
    names = ",".join(name for name, _ in ends)
    say(f"  {shown(target)}/{{{names}}}.txt: {', '.join(sizes)} bytes")


def whole(text: bytes, end: int) -> int:
    """The largest position up to `end` that is not inside a UTF-8 character."""
    lead = end - 1  # first byte of the last character before `end`
    while lead > max(0, end - 4) and text[lead] & 0xC0 == 0x80:
        lead -= 1
    first = text[lead] if end else 0
    length = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    return end if lead + length <= end else lead


# ---- sentences out of SGML -----------------------------------------------------------------------


def cut_segments(source: Path, target: Path) -> None:
    """test.en and test.de from WMT's files: the text between <seg …> and </seg>, one per line."""
    counts = []
    for role, side in (("src", "en"), ("ref", "de")):
        path = source / f"newstest2014-deen-{role}.{side}.sgm"
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise Stop(f"{shown(path)}: {error}", 2) from error
        lines = re.findall(r"<seg[^>]*>(.*)</seg>", text)
        replace(target / f"test.{side}", "".join(line.strip() + "\n" for line in lines).encode())
        counts.append(len(lines))
    if counts[0] != counts[1] or not counts[0]:
        raise Stop(f"{shown(source)}: newstest2014 has {counts[0]} and {counts[1]} segments", 2)
    say(f"  {shown(target)}/test.{{en,de}}: {counts[0]} sentences")


def replace(path: Path, text: bytes) -> None:
    """Writes a temporary file first, so that an interrupted run damages nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text)
